"""Power, false alarms and speed of the test for a random choice of the labeled rows.

(1) Part of the choices that are refused, at p <= 0.001, for a tenth of the rows chosen in
several ways: of digits in random order, with k-means clusterings into 5, 10, 20 and 40
clusters and fifths of the distance to the nearest of 10 centers, and of 1,800 rows of
which nothing but the place in the file is known. Ways by cluster use a k-means that is
not among the clusterings. (2) Refused random choices: 12 of 60 rows, 3 clusterings. (3)
CPU time on 10^6 rows with 8 clusterings into 100 clusters, of random choices and of the
first rows, which take most draws, beside one k-means fit with 100 clusters on 10^6 x 16
rows. Run with OMP_NUM_THREADS=1.
"""

import statistics
import time
from functools import partial

import numpy as np
from common import clock, run_benchmark
from scipy.stats import binomtest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl.random_choice import random_choice_test

LEVEL = 0.001
clock_cpu = partial(clock, timer=time.process_time)
POWER_DRAWS = 1_999  # the power of 50,000 draws is a little higher


class Digits:
    """Digits in random order, clusterings of them, and ways to choose a tenth."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        X, y = load_digits(return_X_y=True)
        order = self.rng.permutation(len(X))
        X, self.y = X[order], y[order]
        models = {
            f"k-means, {k} clusters": KMeans(k, n_init=1, random_state=seed).fit(X)
            for k in (5, 10, 20, 40)
        }
        self.clusterings = {name: model.labels_ for name, model in models.items()}
        near = models["k-means, 10 clusters"].transform(X).min(axis=1)
        fifths = np.quantile(near, [0.2, 0.4, 0.6, 0.8])
        self.clusterings["distance"] = np.searchsorted(fifths, near)
        other = KMeans(15, n_init=1, random_state=1000 + seed).fit(X)
        self.clusters, self.near = other.labels_, other.transform(X).min(axis=1)

    def each_cluster(self, part):
        """12 rows of each cluster, at random of the nearest to its center."""
        chosen = []
        for cluster in range(15):
            rows = np.flatnonzero(self.clusters == cluster)
            nearest = rows[np.argsort(self.near[rows])][: max(int(part * len(rows)), 12)]
            chosen.append(self.rng.choice(nearest, min(12, len(rows)), replace=False))
        return np.concatenate(chosen)

    def each_class(self, sizes):
        rows = (np.flatnonzero(self.y == label) for label in range(10))
        chosen = map(partial(self.rng.choice, replace=False), rows, sizes)
        return np.concatenate([*chosen])

    def choices(self):
        """(rows, numbers of labeled rows of each class or None) by name."""
        n, rng = len(self.y), self.rng
        far = self.near**2 / np.sum(self.near**2)
        equal = self.each_class([18] * 10)
        tenths = np.round(np.bincount(self.y) / 10).astype(int)
        rows = {
            "uniformly random": rng.choice(n, 180, replace=False),
            "first rows": np.arange(180),
            "every tenth row": np.arange(0, n, 10),
            "random, of the first half of the file": rng.choice(
                n // 2, 180, replace=False
            ),
            "random, of the first 80% of the file": rng.choice(
                n * 4 // 5, 180, replace=False
            ),
            "12 easiest of each cluster": self.each_cluster(0),
            "12 random of the easiest half of each cluster": self.each_cluster(0.5),
            "12 random of each cluster": self.each_cluster(1),
            "probability as squared distance": rng.choice(n, 180, replace=False, p=far),
            "18 of each class, classes not declared": equal,
            "a tenth of each class": self.each_class(tenths),
        }
        return {name: (chosen, None) for name, chosen in rows.items()} | {
            "18 of each class": (equal, [18] * 10)
        }


def file_choices(seed):
    """Of 1,800 rows in 10 classes of 180, in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(10), 180))
    each = [rng.choice(np.flatnonzero(y == c), 18, replace=False) for c in range(10)]
    start = rng.integers(10)
    return {
        "uniformly random": (rng.choice(1800, 180, replace=False), None),
        "first rows": (np.arange(180), None),
        "every tenth row": (np.arange(start, 1800, 10), None),
        "one of each ten rows": (10 * np.arange(180) + rng.integers(10, size=180), None),
        "18 of each class": (np.concatenate(each), [18] * 10),
    }


def refused(rows, n_samples, clusterings, counts, seed):
    test = random_choice_test(
        rows,
        clusterings,
        n_samples=n_samples,
        class_counts=counts,
        n_draws=POWER_DRAWS,
        random_state=seed,
    )
    return test.p_value <= LEVEL


def power(repeats):
    digits, file = {}, {}
    for seed in range(repeats):
        data = Digits(seed)
        for name, (rows, counts) in data.choices().items():
            found = refused(rows, len(data.y), data.clusterings, counts, seed)
            digits.setdefault(name, []).append(found)
        for name, (rows, counts) in file_choices(seed).items():
            found = refused(rows, 1800, (), counts, seed)
            file.setdefault(name, []).append(found)
    return {
        "repeats": repeats,
        "n_draws": POWER_DRAWS,
        "digits, 1,797 rows": {k: float(np.mean(v)) for k, v in digits.items()},
        "1,800 rows, no clusterings": {k: float(np.mean(v)) for k, v in file.items()},
    }


def false_alarms(n_choices):
    rng = np.random.default_rng(0)
    clusters = rng.integers(5, size=(3, 60))
    p_values = np.array(
        [
            random_choice_test(
                rng.choice(60, 12, replace=False), clusters, n_samples=60
            ).p_value
            for _ in range(n_choices)
        ]
    )
    rows = {}
    for level in (0.001, 0.01, 0.05, 0.5):
        count = int(np.sum(p_values <= level))
        above = binomtest(count, n_choices, level, alternative="greater").pvalue
        rows[f"p <= {level}"] = {
            "rate": count / n_choices,
            "p_value_of_a_rate_above_the_level": float(f"{above:.3g}"),
        }
    return {"random_choices": n_choices} | rows


def speed(n, repeats):
    rng = np.random.default_rng(0)
    clusterings = rng.integers(100, size=(8, n))
    X = rng.normal(size=(n, 16)).astype(np.float32)
    fit, _ = clock_cpu(lambda: KMeans(100, n_init=1, random_state=0).fit(X))
    results = {"k-means fit": {"seconds": round(fit, 1)}}
    test = partial(random_choice_test, clusterings=clusterings, n_samples=n)
    for m in (n // 1000, n // 100, n // 10):
        draws = [rng.choice(n, m, replace=False) for _ in range(repeats)]
        runs = [clock_cpu(partial(test, rows)) for rows in draws]
        typical = statistics.median(run[0] for run in runs)
        results[f"{m} of {n} rows, random"] = {
            "seconds": round(typical, 2),
            "most_seconds": round(max(run[0] for run in runs), 2),
            "of_k_means": round(typical / fit, 4),
            "n_draws": [run[1].n_draws for run in runs],
        }
        took, outcome = clock_cpu(partial(test, np.arange(m)))
        results[f"{m} of {n} rows, the first"] = {
            "seconds": round(took, 2),
            "of_k_means": round(took / fit, 4),
            "n_draws": outcome.n_draws,
            "p_value": outcome.p_value,
        }
    return results


def run(options):
    quick = options.quick
    return {
        "power": power(3 if quick else 100),
        "false_alarms": false_alarms(500 if quick else 20_000),
        "speed": speed(10**5 if quick else 10**6, 3 if quick else 9),
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "random_choice", run)
