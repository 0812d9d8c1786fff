"""Speed of the measures, beside scikit-learn's on the same labels.

(1) Every external measure on 10^6 labels, 1,000 clusters and 100 classes, as a multiple
of one pass over the data (building scikit-learn's contingency matrix); (2) the Dunn
index of 100,000 x 16 rows with peak memory, on separated blobs and on structureless
data; (3) informativeness of 95 clusterings of 3,000 x 5 Gaussian data, ten folds, against
the plain loop over ``cross_val_predict`` on the same folds, both with n_jobs=1. Of what
(3) still takes, nine tenths are decision trees, which share nothing between labelings and
are only left early: even in the best order of the folds, known only afterwards, 405 of
the 950 trees (one Gaussian) and 298 (eight) must be fitted before their mistakes are too
many to win, which alone takes a third of the plain loop. Run with OMP_NUM_THREADS=1.
"""

import resource
import statistics
from functools import partial

import numpy as np
import pandas as pd
from common import clock, median_seconds, run_benchmark
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import (
    fowlkes_mallows_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.metrics.cluster import contingency_matrix
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from sklearn_pacmdl import metrics

OURS = [
    "dom_q0_loss",
    "dom_q1_score",
    "dom_q2_score",
    "empirical_conditional_entropy",
    "hubert_gamma_score",
    "normalized_hamming_score",
    "pairwise_fbeta_score",
    "pairwise_jaccard_score",
    "pairwise_precision_score",
    "pairwise_recall_score",
    "purity_score",
    "pac_mdl_error_bound",
]


def external(n, repeats):
    rng = np.random.RandomState(0)
    classes, clusters = rng.randint(100, size=n), rng.randint(1000, size=n)
    one_pass = median_seconds(
        lambda: contingency_matrix(classes, clusters, sparse=True), repeats
    )
    rows = {"sklearn contingency_matrix": {"seconds": round(one_pass, 4), "passes": 1.0}}
    functions = {name: getattr(metrics, name) for name in OURS}
    for theirs in (rand_score, fowlkes_mallows_score, normalized_mutual_info_score):
        functions[f"sklearn {theirs.__name__}"] = theirs
    for name, function in functions.items():
        took = median_seconds(partial(function, classes, clusters), repeats)
        rows[name] = {"seconds": round(took, 4), "passes": round(took / one_pass, 2)}
    return rows


def dunn(n):
    rng = np.random.RandomState(0)
    sets = {
        "blobs, 10 clusters": make_blobs(n, 16, centers=10, random_state=0),
        "uniform, 10 k-means clusters": (rng.uniform(size=(n, 16)), None),
        "uniform, 100 k-means clusters": (rng.uniform(size=(n, 16)), None),
    }
    rows = {}
    for name, (X, labels) in sets.items():
        if labels is None:
            k = 100 if "100" in name else 10
            labels = KMeans(k, n_init=1, random_state=0).fit_predict(X)
        took, score = clock(partial(metrics.dunn_score, X, labels))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        rows[name] = {
            "seconds": round(took, 2),
            "score": score,
            "peak_memory_of_the_process_gib": round(peak, 2),
        }
    return rows


def labelings(X, numbers):
    clusterers = [
        lambda k: KMeans(k, n_init=1, random_state=0),
        lambda k: BisectingKMeans(k, random_state=0),
        lambda k: AgglomerativeClustering(k),
        lambda k: AgglomerativeClustering(k, linkage="average"),
        lambda k: GaussianMixture(k, random_state=0),
    ]
    return [make(k).fit_predict(X) for make in clusterers for k in numbers]


def plain_informativeness(X, labels, classifiers, cv):
    """Eq. 5 by scikit-learn's cross_val_predict, one classifier after the other."""
    sizes = np.bincount(labels)
    lengths = -np.log2(sizes / sizes.sum())
    entropy = sizes @ lengths / sizes.sum()
    best = 0.0
    for classifier in classifiers:
        right = cross_val_predict(classifier, X, labels, cv=cv) == labels
        best = max(best, lengths[labels[right]].sum() / labels.size)
    k = sizes.size
    return (best - entropy / k) / (entropy - entropy / k)


def informativeness(n, numbers, repeats):
    rng = np.random.RandomState(0)
    one = rng.normal(size=(n, 5))
    eight = one + 3 * rng.normal(size=(8, 5))[rng.randint(8, size=n)]
    return {
        "informativeness, one Gaussian": compare(one, numbers, repeats),
        "informativeness, eight Gaussians": compare(eight, numbers, repeats),
    }


def compare(X, numbers, repeats):
    # Numbered by first appearance, as ours numbers them: ties between clusters agree.
    partitions = [pd.factorize(labels)[0] for labels in labelings(X, numbers)]
    classifiers = [
        KNeighborsClassifier(),
        DecisionTreeClassifier(criterion="entropy", random_state=0),
        NearestCentroid(),
    ]
    cv = KFold(10, shuffle=True, random_state=0)
    times = []
    for _ in range(repeats):
        seconds, ours = clock(
            lambda: metrics.informativeness_scores(
                X, partitions, classifiers=classifiers, cv=cv
            )
        )
        of_loop, plain = clock(
            lambda: [plain_informativeness(X, p, classifiers, cv) for p in partitions]
        )
        np.testing.assert_allclose(ours, plain, rtol=1e-12)
        times.append((seconds, of_loop))
    return {
        "clusterings": len(partitions),
        "ours_s": round(statistics.median(t[0] for t in times), 2),
        "cross_val_predict_s": round(statistics.median(t[1] for t in times), 2),
        "ratios": [round(b / a, 2) for a, b in times],
    }


def run(options):
    quick = options.quick
    n, repeats, n_dunn = (10**5, 3, 10**4) if quick else (10**6, 7, 10**5)
    small = (500, range(2, 5), 1) if quick else (3000, range(2, 21), 3)
    return {
        "informativeness": informativeness(*small),
        "external": external(n, repeats),
        "dunn": dunn(n_dunn),
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "metrics", run)
