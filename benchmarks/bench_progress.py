"""How right is the time left that a search prints?

The table has the share of the time that has passed once all algorithms have begun. From
then on, and from a tenth of the time on, the share done by the estimate is divided
by the true one after each candidate: the least and the largest of these ratios.

    OMP_NUM_THREADS=1 python benchmarks/bench_progress.py
"""

import time
from unittest import mock

import numpy as np
from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.model_selection import _evaluation, _search

LISTS = {
    "k-means": [("kmeans", KMeans(n_init=10))],
    "k-means, Ward, logistic regression": [
        ("kmeans", KMeans()),
        ("ward", AgglomerativeClustering()),
        ("logistic", LogisticRegression(max_iter=1000)),
    ],
    "k-means, mixtures": [
        ("kmeans", KMeans()),
        ("mixtures", GaussianMixture(covariance_type="diag")),
    ],
    "the default": None,
}


class Timed(_evaluation.Progress):
    """Progress that keeps when it looked, and the time left by its estimate."""

    def __init__(self, *args):
        super().__init__(*args)
        self.seen = []
        Timed.last_one = self

    def _look(self, *part):
        super()._look(*part)
        if self.left:
            seconds, is_whole = self._seconds_left()
            if is_whole:
                self.seen.append((time.monotonic() - self.start, seconds / self.n_jobs))


def ratios(X, y, candidates):
    """When all algorithms had begun, and estimates of the share done by the true one."""
    search = PACMDLSearchCV(candidates, random_state=0, verbose=1)
    with mock.patch.object(_search, "Progress", Timed):
        search.fit(X, y)
    progress = Timed.last_one
    total = progress.last - progress.start
    found = [total / (at + left) for at, left in progress.seen if at >= total / 10]
    return progress.seen[0][0] / total, found


def run(options):
    digits = load_digits(return_X_y=True)
    sets = {"digits": digits}
    if not options.quick:
        X, centers = make_blobs(10_000, 50, centers=30, cluster_std=6.0, random_state=0)
        sets["blobs, 10,000 x 50"] = X, centers % 5
    tables = {}
    for name, (X, truth) in sets.items():
        labeled = np.random.RandomState(0).permutation(len(truth)) < 500
        y = np.where(labeled, truth, -1)
        tables[name] = {}
        for of, candidates in LISTS.items():
            begun, found = ratios(X, y, candidates)
            row = {"all have begun after": begun, "looks": len(found)}
            row |= {"least": min(found), "most": max(found)}
            tables[name][of] = {k: round(float(v), 2) for k, v in row.items()}
    return tables


if __name__ == "__main__":
    run_benchmark(__doc__, "progress", run)
