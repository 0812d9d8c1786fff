"""Speed of the external measures, beside scikit-learn's on the same labels.

10^6 labels, 1,000 clusters and 100 classes. "passes" is a multiple of one pass over the
data, which is building scikit-learn's contingency matrix. Run with OMP_NUM_THREADS=1.
"""

from functools import partial
from statistics import median

import numpy as np
from common import clock, run_benchmark
from sklearn.metrics import (
    fowlkes_mallows_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.metrics.cluster import contingency_matrix

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


def median_seconds(function, repeats):
    return median(clock(function)[0] for _ in range(repeats))


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


def run(options):
    return {"external": external(*((10**5, 3) if options.quick else (10**6, 7)))}


if __name__ == "__main__":
    run_benchmark(__doc__, "metrics", run)
