"""Where does the time of a search go? Processor seconds by what is done, and a picture.

    OMP_NUM_THREADS=1 python benchmarks/where_time_goes.py

writes ``where_time_goes.json`` and ``.png``: medians of repeated searches in one process,
k-means with one start. What is computed within something else is counted there only.
"""

import time
from collections import Counter
from contextlib import ExitStack
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import RESULTS, run_benchmark
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.model_selection import _evaluation, _results, _search

# What is done, and the functions that do it.
PARTS = {
    "checks, and rows in random order": (_search, "make_plan"),
    "fits": (_evaluation, "fit_clusterer"),
    "counting": (_evaluation.Evaluator, "count"),
    "bounds": (_search, "bound"),
    "test of the choice of rows": (_results, "check_random_choice"),
    "results": (_search, "result_of"),
}


def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, 180, range(2, 21)


def a_million():
    X, y = make_blobs(10**6, 20, centers=30, cluster_std=4.0, random_state=0)
    return X.astype(np.float32), y % 5, 2000, [5, 10, 20, 30, 40]


def timed(part, function, seconds, running):
    def call(*args, **kwargs):
        start = time.process_time()
        running.append(0.0)  # seconds of other parts within
        try:
            return function(*args, **kwargs)
        finally:
            spent = time.process_time() - start
            seconds[part] += spent - running.pop()
            if running:
                running[-1] += spent

    return call


def seconds_of_search(X, y, numbers):
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=numbers, random_state=0)
    seconds, running = Counter(), [0.0]
    with ExitStack() as stack:
        for part, (place, name) in PARTS.items():
            function = timed(part, getattr(place, name), seconds, running)
            stack.enter_context(mock.patch.object(place, name, function))
        start = time.process_time()
        search.fit(X, y)
    total = time.process_time() - start
    return {part: seconds[part] for part in PARTS} | {
        "else": total - sum(seconds.values())
    }


def run(options):
    tables = {}
    for make, n_repeats in ((digits, 15), (a_million, 3)):
        if options.quick and make is a_million:
            continue
        X, truth, n_labeled, numbers = make()
        is_labeled = np.random.RandomState(0).permutation(len(truth)) < n_labeled
        y = np.where(is_labeled, truth, -1)
        of_each = [seconds_of_search(X, y, numbers) for _ in range(n_repeats)]
        medians = pd.DataFrame(of_each).median()
        name = (
            f"{make.__name__.replace('_', ' ')}: {len(X):,} rows, {len(numbers)} numbers"
        )
        tables[name] = medians.round(4).to_dict()
    shares = pd.DataFrame(tables).T
    ax = shares.div(shares.sum(axis=1), axis=0).plot.barh(stacked=True, figsize=(9, 3))
    ax.set(xlabel="share of the processor time of a search", xlim=(0, 1))
    ax.legend(loc="lower center", bbox_to_anchor=(0.3, 1), ncols=3, frameon=False)
    plt.tight_layout()
    plt.savefig(RESULTS / "where_time_goes.png", dpi=110)
    return tables


if __name__ == "__main__":
    run_benchmark(__doc__, "where_time_goes", run)
