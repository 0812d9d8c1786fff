"""Speed and objective of the clusterers, beside scikit-learn's KMeans on the same rows.

(1) Ten starts of thirty iterations on sparse unit rows: 20 newsgroups where --data names
its file (term counts in CSR parts, labels), otherwise documents drawn to its size;
(2) Lloyd's time by iteration on 100,000 x 384 dense unit rows, k = 100; (3) the spherical
objective after ten starts run to the end; (4) how near to where tol=0 ends the default
ends. Run with OMP_NUM_THREADS=1; runs alternate.
"""

import resource
import statistics
import warnings
from functools import partial

import numpy as np
from common import clock, draw_documents, read_documents, run_benchmark
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import row_norms

from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)
from sklearn_pacmdl.datasets import make_vmf_blobs


def spherical_loss(X, labels, k):
    """Sum of cosine distances to the best centers of these labels."""
    lengths = [np.linalg.norm(X[labels == j].sum(axis=0)) for j in range(k)]
    return float(np.count_nonzero(row_norms(X)) - sum(lengths))


def seconds(clusterer, X):
    return clock(partial(clusterer.fit, X))[0]


def sparse_speed(X, k, n_starts, repeats):
    shared = {"n_init": n_starts, "max_iter": 30, "tol": 0}
    times = {"SphericalKMeans": [], "KMeans": []}
    losses = {}
    for seed in range(repeats):
        ours = SphericalKMeans(k, random_state=seed, **shared)
        theirs = KMeans(k, random_state=seed, **shared)
        times["SphericalKMeans"].append(seconds(ours, X))
        times["KMeans"].append(seconds(theirs, X))
        losses = {
            "SphericalKMeans": ours.inertia_,
            "KMeans": spherical_loss(X, theirs.labels_, k),
        }
    rows = {name: round(statistics.median(values), 2) for name, values in times.items()}
    ratios = [b / a for a, b in zip(*times.values(), strict=True)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "shape": X.shape,
        "entries": int(X.nnz),
        "seconds": rows,
        "KMeans_over_ours": [round(ratio, 2) for ratio in ratios],
        "spherical_loss": losses,
        "peak_memory_of_the_process_gib": round(peak, 2),
    }


def others_on_sparse(X, k):
    """One start of each of the other clusterers, to the end."""
    found = {}
    for clusterer in (
        SphericalKMeans(k, random_state=0),
        FrequencySensitiveKMeans(k, random_state=0),
        KLKMeans(k, random_state=0),
        VonMisesFisherMixture(k, assignment="hard", random_state=0),
        VonMisesFisherMixture(k, random_state=0),
        KMeans(k, n_init=1, random_state=0),
    ):
        took = seconds(clusterer, X)
        found[str(clusterer)] = {"seconds": round(took, 2), "n_iter": clusterer.n_iter_}
    return found


def by_iteration(make, X, init, n_iter):
    """Seconds of an iteration after the first, which has the set-up."""
    one, many = (seconds(make(init, m), X) for m in (1, 1 + n_iter))
    return (many - one) / n_iter


def dense_speed(n, k, repeats):
    def ours(init, max_iter):
        return SphericalKMeans(k, init=init, max_iter=max_iter, tol=0)

    def theirs(init, max_iter):
        return KMeans(k, init=init, n_init=1, max_iter=max_iter, tol=0)

    rows = {}
    for dtype in (np.float64, np.float32):
        X, _ = make_vmf_blobs(n, 384, centers=2 * k, concentration=150, random_state=0)
        X = X.astype(dtype)
        pairs = []
        for seed in range(repeats):
            init = X[np.random.RandomState(seed).choice(n, k, replace=False)]
            pairs.append([by_iteration(make, X, init, 20) for make in (ours, theirs)])
        rows[np.dtype(dtype).name] = {
            "ours_s": round(statistics.median(a for a, _ in pairs), 3),
            "KMeans_s": round(statistics.median(b for _, b in pairs), 3),
            "ours_over_KMeans": [round(a / b, 2) for a, b in pairs],
        }
    return rows


def best_objectives(X, k, n_starts):
    ours = SphericalKMeans(k, n_init=n_starts, random_state=0).fit(X)
    theirs = KMeans(k, n_init=n_starts, random_state=0).fit(X)
    return {
        "SphericalKMeans": ours.inertia_,
        "KMeans": spherical_loss(X, theirs.labels_, k),
    }


def endings(X, k, n_starts):
    """Relative distance of single starts from where they end with tol=0."""
    found = {}
    for make, name in (
        (partial(SphericalKMeans, k), "inertia_"),
        (partial(VonMisesFisherMixture, k, assignment="hard"), "lower_bound_"),
    ):
        lost = []
        for seed in range(n_starts):
            own = getattr(make(random_state=seed).fit(X), name)
            end = getattr(make(random_state=seed, tol=0, max_iter=1000).fit(X), name)
            lost.append(float(abs(own / end - 1)))
        within = int(np.count_nonzero(np.array(lost) <= 1e-5))
        found[str(make())] = {
            "starts": n_starts,
            "within_1e-5": within,
            "worst": max(lost),
        }
    return found


def run(options):
    warnings.simplefilter("ignore", ConvergenceWarning)  # max_iter is the point
    quick = options.quick
    if options.data:
        X, _ = read_documents(options.data)
    else:
        X, _ = draw_documents(*((1000, 5000) if quick else (20_000, 51_020)))
    repeats, n_starts = (1, 2) if quick else (3, 10)
    return {
        "sparse": sparse_speed(X, 20, n_starts, repeats),
        "sparse, one start of each": others_on_sparse(X, 20),
        "sparse, to the end": best_objectives(X, 20, n_starts),
        "sparse, endings": endings(X, 20, n_starts),
        "dense": dense_speed(*((2000, 10) if quick else (100_000, 100)), repeats),
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "cluster", run, data="file of documents, as .npz")
