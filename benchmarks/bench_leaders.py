"""What it costs to bound leading candidates only, where all labels certify.

Under certify="decoupled", tables give the bounds. A search computes them for some
candidates, chosen for all splits together, and fewer where tables take long. Here the
same clusterings are chosen among with tables for all candidates, and with those of the
leaders. "regret" is by how many points the mean bound of the choice is larger, over draws
of the labels; seconds are of processor time, for everything but the clusterings, and with
no table known from before.
"""

import time
from itertools import product
from unittest.mock import patch

import numpy as np
from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering, MiniBatchKMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
)
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import scale

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.bounds import _factors
from sklearn_pacmdl.certification import Decoupled
from sklearn_pacmdl.cluster import PrecomputedLabels

SHARES = (0.05, 0.2, 0.5)


def data(quick):
    """Rows, labels, and clusterings of the rows; by name."""
    for name, load, most in (
        ("iris", load_iris, 30),
        ("wine", load_wine, 30),
        ("breast cancer", load_breast_cancer, 40),
        ("digits", load_digits, 60),
    ):
        X, y = load(return_X_y=True)
        yield name, y, cuts(scale(X) if most < 60 else X, range(2, most + 1))
    X, y = make_blobs(3_000, 16, centers=10, cluster_std=5.0, random_state=0)
    yield "blobs, 3,000 rows", y, cuts(X, range(2, 61, 2))
    if not quick:
        for n_rows, std, centers in (20_000, 3.0, 40), (60_000, 6.0, 10):
            X, y = make_blobs(
                n_rows, 30, centers=centers, cluster_std=std, random_state=0
            )
            found = [
                MiniBatchKMeans(k, n_init=1, random_state=i).fit_predict(X)
                for k in range(5, 55, 5)
                for i in range(2)
            ]
            yield f"blobs, {n_rows:,} rows", y % 10, np.column_stack(found)


def cuts(X, numbers):
    """Cuts of Ward's tree."""
    return np.column_stack([AgglomerativeClustering(k).fit_predict(X) for k in numbers])


def choose(y, clusterings, share, n_splits, seed):
    """The bound of the choice in percent, how many have tables, and the seconds."""
    _factors.table.cache_clear()
    n_labeled = max(12, round(share * len(y)))
    columns = list(range(clusterings.shape[1]))
    search = PACMDLSearchCV(
        PrecomputedLabels(),
        certify="decoupled",
        param_grid={"column": columns},
        cv=ShuffleSplit(n_splits, train_size=n_labeled, random_state=seed),
        random_state=seed,
    )
    start = time.process_time()
    search.fit(clusterings, y)
    took = time.process_time() - start
    results = search.cv_results_
    bound = results["mean_test_bound"][search.best_index_]
    return 100 * bound, int(np.sum(np.isfinite(results["mean_test_bound"]))), took


def run(options):
    draws, table = range(1 if options.quick else 3), {}
    everybody = patch.object(Decoupled, "_leaders", lambda _, offers, *__: offers[0][0])
    for name, y, clusterings in data(options.quick):
        shares = (0.01,) if len(y) > 10**4 else SHARES
        for share, n_splits in product(shares, (1, 5)):
            setting = y, clusterings, share, n_splits
            leaders = np.array([choose(*setting, seed) for seed in draws])
            with everybody:
                of_all = np.array([choose(*setting, seed) for seed in draws])
            regret = leaders[:, 0] - of_all[:, 0]
            row = {
                "candidates": clusterings.shape[1],
                "leaders": round(float(leaders[:, 1].mean()), 1),
                "bound": round(float(leaders[:, 0].mean()), 2),
                "mean regret": round(float(regret.mean()), 2),
                "largest regret": round(float(regret.max()), 2),
                "seconds": round(float(leaders[:, 2].mean()), 2),
                "seconds of all": round(float(of_all[:, 2].mean()), 2),
            }
            table[f"{name}, {share:.0%} labeled, {n_splits} splits"] = row
            print(name, share, n_splits, row, flush=True)
    return {"leaders against all candidates": table}


if __name__ == "__main__":
    run_benchmark(__doc__, "leaders", run)
