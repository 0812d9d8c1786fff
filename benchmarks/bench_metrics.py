"""Speed of the measures, beside scikit-learn's on the same labels.

(1) Every external measure on 10^6 labels, 1,000 clusters and 100 classes, as a multiple
of one pass over the data (building scikit-learn's contingency matrix); (2) the Dunn
index of 100,000 x 16 rows with peak memory, on separated blobs and on structureless
data. Run with OMP_NUM_THREADS=1.
"""

import argparse
import resource
import statistics
import time

import numpy as np
from common import write_json
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
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
    "pair_fowlkes_mallows_score",
    "pair_jaccard_score",
    "pair_rand_score",
    "pairwise_fbeta_score",
    "pairwise_precision_score",
    "pairwise_recall_score",
    "purity_score",
    "pac_mdl_error_bound",
]


def seconds(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def external(n, repeats):
    rng = np.random.RandomState(0)
    classes, clusters = rng.randint(100, size=n), rng.randint(1000, size=n)
    one_pass = seconds(
        lambda: contingency_matrix(classes, clusters, sparse=True), repeats
    )
    rows = {"sklearn contingency_matrix": {"seconds": round(one_pass, 4), "passes": 1.0}}
    functions = {name: getattr(metrics, name) for name in OURS}
    for theirs in (rand_score, fowlkes_mallows_score, normalized_mutual_info_score):
        functions[f"sklearn {theirs.__name__}"] = theirs
    for name, function in functions.items():
        took = seconds(lambda: function(classes, clusters), repeats)  # noqa: B023
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
        start = time.perf_counter()
        score = metrics.dunn_score(X, labels)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        took = time.perf_counter() - start
        rows[name] = {
            "seconds": round(took, 2),
            "score": score,
            "peak_memory_of_the_process_gib": round(peak, 2),
        }
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and repeats")
    parser.add_argument("--output", default="benchmarks/results/metrics.json")
    arguments = parser.parse_args()
    n, repeats, n_dunn = (10**5, 3, 10**4) if arguments.quick else (10**6, 7, 10**5)
    results = {"external": external(n, repeats), "dunn": dunn(n_dunn)}
    for table in results.values():
        for name, row in table.items():
            print(f"{name:<34} {row}")
    write_json(arguments.output, results)


if __name__ == "__main__":
    main()
