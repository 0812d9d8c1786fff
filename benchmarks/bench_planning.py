"""How often planned numbers of labels meet their targets.

For each data set and method: (1) search: pilot searches with 5, 10 and 20% of
the rows labeled plan for targets of 1.1, 1.25 and 1.5 times what half of the rows reach
in the median, and new searches with as many labels are made. (2) sizes, number: plans
for a single labeling from the sizes of its clusters, or only their number, and the true
error rate. The shares of draws that meet the target are reported by quantile that was
planned for. None counts as missed. Left out are targets that half of the rows meet less
often than the quantile, and pilots that meet the target already. SETS are names among the
data sets of ``compare_choices.py``, with commas.

    OMP_NUM_THREADS=1 python benchmarks/bench_planning.py --sets SETS

    python benchmarks/bench_planning.py --pilots lucky --output \
        benchmarks/results/planning_lucky.json

measures plans of pilots that were lucky: of 80 on each of four sets, the 20 with the
smallest bounds. They plan for 0.6 times their bound, or, where that is out of reach, for
1.1 times what half of the rows reach with the probability of the quantile. Each plan is
tried with four choices of new labels.
"""

import tempfile
import warnings
from functools import cache, partial
from itertools import cycle

import numpy as np
from common import run_benchmark
from compare_choices import load
from joblib import Parallel, delayed
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs
from sklearn.preprocessing import scale

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings, labels_needed
from sklearn_pacmdl.datasets import make_vmf_blobs

METHODS = ("learned", "holdout")
QUANTILES = (0.5, 0.9)
SHARES, FACTORS = (0.05, 0.1, 0.2), (1.1, 1.25, 1.5)
N_CLUSTERS = 20  # of single labelings
FEWEST = 40  # labels of a pilot


def seen_of(y, n_labeled, draw):
    seen = y.copy()
    seen[np.random.RandomState(draw).permutation(len(y))[n_labeled:]] = -1
    return seen


class Task:
    """Bounds at numbers of labels, and how often planned numbers meet targets."""

    def __init__(self, y, bound, n_draws):
        self.y, self.n_draws = y, n_draws
        self.bound = cache(lambda m, draw: bound(seen_of(y, m, draw)))
        half = [self.bound(len(y) // 2, 500 + draw) for draw in range(n_draws)]
        self.half = np.array(half)

    def met(self, planned, target, quantile, draw):
        """Whether new labels meet the target; None if that cannot be asked for."""
        if np.mean(self.half <= target) < quantile:
            return None
        return planned is not None and self.bound(planned, 1000 + draw) <= target


def shares_met(task, plan):
    """By quantile: the share of the draws, their number, and that of None."""
    found = {}
    for quantile in QUANTILES:
        met, none = [], 0
        factors = cycle(FACTORS)
        for draw in range(task.n_draws):
            target = next(factors) * np.median(task.half)
            planned = plan(target, quantile, draw)
            if planned is False:
                continue
            own = task.met(planned, target, quantile, draw)
            if own is not None:
                met.append(own)
                none += planned is None
        share = round(float(np.mean(met)), 2) if met else None
        found[str(quantile)] = {"met": share, "draws": len(met), "none": none}
    return found


def search_plans(X, y, method, n_draws, memory):
    clusterer, numbers = AgglomerativeClustering(), range(2, 41)
    options = {"n_clusters": numbers, "certify": method, "memory": memory, "refit": False}

    @cache
    def search(m, draw):
        return PACMDLSearchCV(clusterer, random_state=0, **options).fit(
            X, seen_of(y, m, draw)
        )

    def plan(target, quantile, draw):
        m = max(FEWEST, round(SHARES[draw // len(FACTORS) % len(SHARES)] * len(y)))
        pilot = search(m, draw)
        if pilot.best_bound_ <= target:  # there is nothing to plan
            return False
        return pilot.labels_needed(target, quantile=quantile)

    def bound(seen):
        fitted = PACMDLSearchCV(clusterer, random_state=0, **options).fit(X, seen)
        return fitted.best_bound_

    return shares_met(Task(y, bound, n_draws), plan)


def labeling_plans(labels, y, method, n_draws):
    _, sizes = np.unique(labels, return_counts=True)
    table = np.zeros((len(sizes), y.max() + 1), dtype=int)
    np.add.at(table, (labels, y), 1)
    error = 1 - table.max(axis=1).sum() / len(y)
    known = {"expected_error": error, "n_classes": table.shape[1], "certify": method}

    def bound(seen):
        return certify_clusterings(
            {"only": labels},
            seen,
            classes=np.unique(y),
            certify=method,
            random_state=0,
        ).bound

    task = Task(y, bound, n_draws)
    clusters = {"sizes": {"cluster_sizes": sizes}, "number": {"n_clusters": len(sizes)}}

    def plan_of(of):
        plan = cache(partial(labels_needed, len(y), **of, **known))  # the same each draw
        return lambda target, quantile, _: plan(target=target, quantile=quantile)

    return {name: shares_met(task, plan_of(of)) for name, of in clusters.items()}


def measure(X, y, n_draws):
    # Clusters without labels, and the largest number of clusters, are all reported.
    warnings.simplefilter("ignore")
    y = np.unique(y, return_inverse=True)[1]
    found = {}
    with tempfile.TemporaryDirectory() as memory:
        for method in METHODS:
            found[method] = {"search": search_plans(X, y, method, n_draws, memory)}
    labels = AgglomerativeClustering(N_CLUSTERS).fit_predict(X)
    for method in METHODS:
        found[method] |= labeling_plans(labels, y, method, n_draws)
    return found


def lucky_sets():
    """Rows, classes and the number of labels of a pilot, by name."""
    X, y = load_breast_cancer(return_X_y=True)
    sets = {"digits": (*load_digits(return_X_y=True), 150), "cancer": (scale(X), y, 60)}
    X, y = make_blobs(1500, 5, centers=8, cluster_std=1.6, random_state=0)
    sets["blobs"] = X, np.array([0, 0, 0, 1, 1, 1, 2, 2])[y], 100
    X, y = make_vmf_blobs(1500, 64, centers=20, concentration=40.0, random_state=0)
    sets["directions"] = X, np.repeat(range(8), [1, 4] * 4)[y], 60
    return sets


def lucky_plans(X, y, n_labeled, n_pilots, memory):
    warnings.simplefilter("ignore")

    @cache
    def search(m, draw):
        clusterer = AgglomerativeClustering()
        search = PACMDLSearchCV(clusterer, random_state=0, memory=memory, refit=False)
        return search.fit(X, seen_of(y, m, draw))

    pilots = [search(n_labeled, draw) for draw in range(n_pilots)]
    pilots = sorted(pilots, key=lambda pilot: pilot.best_bound_)[: n_pilots // 4]
    half = [search(len(y) // 2, 500 + draw).best_bound_ for draw in range(20)]
    found = {}
    for quantile in QUANTILES:
        least, met, sizes = 1.1 * np.quantile(half, quantile), [], []
        for i, pilot in enumerate(pilots):
            target = max(0.6 * pilot.best_bound_, least)
            if pilot.best_bound_ <= target:
                continue
            sizes.append(pilot.labels_needed(target, quantile=quantile))
            for draw in range(1000 + i, 5000, 1000) if sizes[-1] else ():
                met.append(search(sizes[-1], draw).best_bound_ <= target)
        planned = [size for size in sizes if size]
        found[str(quantile)] = {
            "met": round(float(np.mean(met)), 2),
            "plans": len(planned),
            "none": len(sizes) - len(planned),
            "half of the rows": planned.count(len(y) // 2),
        }
    bounds = [pilots[0].best_bound_, pilots[-1].best_bound_]
    return {"bounds of pilots": np.round(bounds, 3).tolist()} | found


def overall(found):
    """Shares over all draws, by kind of plan, method and quantile."""
    shares = {}
    for kind in ("search", "sizes", "number"):
        for method in METHODS:
            for quantile in map(str, QUANTILES):
                own = [of[method][kind][quantile] for of in found.values()]
                own = [row for row in own if row["draws"]]
                n = sum(row["draws"] for row in own)
                met = sum(row["met"] * row["draws"] for row in own)
                share = round(met / n, 2) if n else None
                shares[f"{kind}, {method}, {quantile}"] = share
    return shares


def run(options):
    n_draws = 4 if options.quick else 20
    if options.pilots == "lucky":
        n_pilots, sets = 8 if options.quick else 80, lucky_sets()
        with tempfile.TemporaryDirectory() as memory:
            found = Parallel(n_jobs=2)(
                delayed(lucky_plans)(*of, n_pilots, memory) for of in sets.values()
            )
        return dict(zip(sets, found, strict=True))
    names = "wine" if options.quick else options.sets
    sets = {
        name: (X, y)
        for name, X, y in load(None, options.quick)
        if name in names.split(",")
    }
    of_sets = Parallel(n_jobs=2)(delayed(measure)(*of, n_draws) for of in sets.values())
    found = dict(zip(sets, of_sets, strict=True))
    return {"draws": {"number": n_draws}, "overall": overall(found)} | found


if __name__ == "__main__":
    more = {"sets": "names, with commas", "pilots": "'lucky', or any"}
    run_benchmark(__doc__, "planning", run, **more)
