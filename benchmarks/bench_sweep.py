"""Time of a search against a user's loop, and the share of counting in it.

The loop fits the same clusterers with the same seeds to the same rows, in the order in
which the search has them, one after the other or with joblib, and computes nothing else.
Both run in turn, in one process: ratios are the time of the loop by that of the search,
and above 1 the search is faster. Processes are started before, and tables of bounds are
those of the search before; the first search computes them, and starts the processes.
Three clusterers, numbers of processes 1, 2 and -1, threads as joblib divides them.

(2) Counting by splits: milliseconds of processor time for a candidate and a split, and
the share of counting in a sweep of MiniBatchKMeans.
"""

import os
import statistics
import time
import warnings
from functools import partial

import numpy as np
from common import clock, run_benchmark
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_info

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.bounds import _factors
from sklearn_pacmdl.model_selection import _plan
from sklearn_pacmdl.model_selection._evaluation import Evaluator

N_INIT = 2


def make_rows(n_samples, n_features=30, dtype=np.float64):
    """Overlapping blobs, as many as classes; a hundredth of the rows has a label."""
    X, y = make_blobs(n_samples, n_features, centers=10, cluster_std=6.0, random_state=0)
    labeled = np.random.default_rng(0).random(n_samples) < 0.01
    return X.astype(dtype), np.where(labeled, y, -1)


def fit_one(clusterer, X):
    return clusterer.fit_predict(X)


def loop(search, X, n_jobs):
    """Fit what a fitted search has fitted."""
    clusterers = [
        clone(search.estimator).set_params(**params)
        for params in search.cv_results_["params"]
    ]
    return Parallel(n_jobs=n_jobs)(delayed(fit_one)(c, X) for c in clusterers)


def against_loop(n_rows, quick):
    """Seconds of loop and search in turn; their ratios, and the median of these."""
    sweeps = {
        # The last is the number of pairs, of which single ones differ by a fifth.
        "k-means": (KMeans(n_init=1), n_rows, (5, 10, 20, 40), 11),
        "k-means, 2 to 20 clusters": (KMeans(n_init=1), n_rows, range(2, 21), 5),
        "mixtures": (GaussianMixture(max_iter=20), n_rows // 3, (5, 10, 20), 7),
        "Ward": (AgglomerativeClustering(), n_rows // 10, (5, 10, 20, 40), 3),
    }
    found = {}
    for name, (clusterer, n_samples, n_clusters, repeats) in sweeps.items():
        X, y = make_rows(n_samples)
        for n_jobs in (1, 2, -1):
            search = PACMDLSearchCV(
                clusterer,
                n_clusters=n_clusters,
                n_init=N_INIT,
                n_jobs=n_jobs,
                random_state=0,
            )
            _factors.table.cache_clear()
            first, _ = clock(partial(search.fit, X, y))
            permuted = X[search.row_order_]  # or fits would have other starts
            loop(search, permuted, n_jobs)
            pairs = []
            for _ in range(2 if quick else repeats):
                own, _ = clock(partial(loop, search, permuted, n_jobs))
                ours, _ = clock(partial(search.fit, X, y))
                pairs.append((own, ours))
            ratios = [own / ours for own, ours in pairs]
            found[f"{name}, n_jobs={n_jobs}"] = {
                "rows": n_samples,
                "candidates": len(search.cv_results_["params"]),
                "loop_s": round(statistics.median(own for own, _ in pairs), 2),
                "search_s": round(statistics.median(ours for _, ours in pairs), 2),
                "first_search_s": round(first, 2),
                "ratio": round(statistics.median(ratios), 2),
                "ratios": [round(ratio, 2) for ratio in ratios],
            }
            print(name, n_jobs, found[f"{name}, n_jobs={n_jobs}"], flush=True)
    return found


def counting(n_rows, repeats):
    """Milliseconds of counting for a candidate and split, by sort of clustering."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_rows)
    wrong = rng.random(n_rows) < 0.3
    clean = np.where(wrong, (y + 1) % 10, y).astype(np.int32)
    noisy = np.where(wrong, rng.integers(60, size=n_rows), 6 * y).astype(np.int32)
    clusterings = {"10 clusters without ties": clean, "60 clusters, some tied": noisy}
    X, found = rng.normal(size=(n_rows, 2)).astype(np.float32), {}
    for cv in (1, 5):
        for certify in ("learned", "pac-mdl"):
            search = PACMDLSearchCV(
                KMeans(), n_clusters=[10], cv=cv, certify=certify, random_state=0
            )
            plan = _plan.make_plan(search, X, y, None, {})
            for name, labels in clusterings.items():
                seconds = []
                for _ in range(repeats):
                    start = time.thread_time()
                    plan.evaluator.count(plan.jobs[0], labels)
                    seconds.append(time.thread_time() - start)
                ms = 1000 * np.array(seconds) / cv
                found[f"{name}, {certify}, {cv} splits"] = {
                    "median_ms": round(float(np.median(ms)), 2),
                    "least_ms": round(float(ms.min()), 2),
                }
    return found


def share_of_counting(n_rows):
    """Seconds of a sweep, and of its parts besides fits."""
    X, y = make_rows(n_rows)
    counted, found = [], {}
    plain = Evaluator.count

    def timed(self, job, labels):
        seconds, result = clock(partial(plain, self, job, labels))
        counted.append(seconds)
        return result

    for name, cv, seen in ("one split", None, y), ("5 splits", 5, np.maximum(y, 0)):
        search = PACMDLSearchCV(
            MiniBatchKMeans(n_init=1),
            n_clusters=range(5, 55, 5),
            n_init=N_INIT,
            cv=cv,
            random_state=0,
        )
        counted.clear()
        Evaluator.count = timed
        seconds, _ = clock(partial(search.fit, X, seen))
        Evaluator.count = plain
        fits = float(search.cv_results_["fit_time"].sum())
        found[name] = {
            "search_s": round(seconds, 2),
            "fits_s": round(fits, 2),
            "counting_s": round(sum(counted), 3),
            "share_of_counting": round(sum(counted) / seconds, 4),
            "share_of_all_but_fits": round(1 - fits / seconds, 4),
        }
    return found


def run(options):
    warnings.simplefilter("ignore")  # of mixtures that were stopped, and blind clusters
    quick = options.quick
    n_rows = int(options.rows or (6_000 if quick else 60_000))
    load = os.getloadavg()  # by other work on the machine
    waiting = os.environ.get("OMP_WAIT_POLICY", "as libraries do")
    return {
        "counting, 100,000 rows, for a candidate and a split": counting(
            10**5, 10 if quick else 50
        ),
        "sweep of MiniBatchKMeans, 100,000 x 30": share_of_counting(10**5),
        "loop by search": against_loop(n_rows, quick),
        "threads": {
            pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()
        }
        | {"waiting": waiting, "load before": [round(x, 1) for x in load]},
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "sweep", run, rows="rows of k-means (default: 60,000)")
