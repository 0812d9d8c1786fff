"""Bounds that were planned before labels were seen, beside those that came out.

Means over 12 random choices of the labeled rows, in percent of the unlabeled rows, delta
being .1. (1) Labelings by Ward's linkage: bounds, with the standard error of "decoupled",
plans of all ways for the true error rate, and how often the plans for the quantiles .5
and .9 were reached. (2) Searches with few labels: what they plan for more labels, and the
bound of the same labeling, and of a new search, with these. Run with OMP_NUM_THREADS=1.
"""

import warnings
from functools import partial

import numpy as np
from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV, certify_labelings
from sklearn_pacmdl.bounds import ClusterSizes, PlannedWays, choice_bits, planned_bound

WAYS = ("decoupled", "learned", "holdout")


def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


LOAD = {
    "digits": partial(load_digits, return_X_y=True),
    "wine": wine,
    "blobs": partial(make_blobs, 1000, centers=5, cluster_std=1.5, random_state=0),
}
CASES = {
    "digits": ((10, 20, 40, 60), (0.05, 0.1, 0.3, 0.5)),
    "wine": ((3, 6), (0.3, 0.5)),
    "blobs": ((5, 10, 20), (0.1, 0.3, 0.5)),
}


SEARCHES = {
    "digits, 10% then 30%": ("digits", (10, 20, 30, 40, 60), 0.1, 0.3),
    "digits, 30% then 50%": ("digits", (10, 20, 30, 40, 60), 0.3, 0.5),
    "blobs, 10% then 30%": ("blobs", (3, 5, 10, 20), 0.1, 0.3),
    "wine, 30% then 60%": ("wine", (2, 3, 4, 6), 0.3, 0.6),
}


def seen_of(y, share, draw):
    order = np.random.RandomState(draw).permutation(len(y))
    seen = y.copy()
    seen[order[round(share * len(y)) :]] = -1
    return seen


def certified_bound(labels, y, share, way, draw):
    return certify_labelings(
        {"only": labels},
        seen_of(y, share, draw),
        classes=np.unique(y),
        certify=way,
        random_state=draw,
    ).bound


def measure(labels, y, share, n_draws):
    n_total, n_labeled = len(y), round(share * len(y))
    table = np.zeros((labels.max() + 1, y.max() + 1), dtype=int)
    np.add.at(table, (labels, y), 1)
    sizes = table.sum(axis=1)
    error = 1 - table.max(axis=1).sum() / n_total
    found = {way: [] for way in WAYS}
    for draw in range(n_draws):
        for way in WAYS:
            found[way].append(certified_bound(labels, y, share, way, draw))
    bounds = {way: np.array(values) for way, values in found.items()}
    plan = partial(planned_bound, n_total, n_labeled, expected_error=error)
    half, most = (plan(cluster_sizes=sizes, quantile=q) for q in (0.5, 0.9))
    clusters = ClusterSizes.of(sizes, error)
    ways = PlannedWays(clusters, table.shape[1], 0.1, choice_bits(1), {})
    planned = {"plan": half, "plan_of_equal_sizes": plan(n_clusters=len(sizes))}
    planned |= {f"plan_{way}": ways.bound(way, n_labeled) for way in WAYS[1:]}
    for way in WAYS:
        planned[f"bound_{way}"] = bounds[way].mean()
    planned["standard_error"] = bounds["decoupled"].std(ddof=1) / n_draws**0.5
    percent = {name: round(100 * float(rate), 2) for name, rate in planned.items()}
    return percent | {
        "reached_half": round(float(np.mean(bounds["decoupled"] <= half)), 2),
        "reached_nine_tenths": round(float(np.mean(bounds["decoupled"] <= most)), 2),
    }


def measure_search(name, numbers, first, then, way, n_draws):
    X, y = LOAD[name]()
    found = []
    for draw in range(n_draws):
        few, more = (
            PACMDLSearchCV(
                AgglomerativeClustering(),
                n_clusters=numbers,
                certify=way,
                random_state=draw,
            ).fit(X, seen_of(y, share, draw))
            for share in (first, then)
        )
        planned = few.plan_labels(round(then * len(y)))
        same = certified_bound(few.labels_, y, then, way, draw)
        found.append((few.best_bound_, planned.iloc[0, 0], same, more.best_bound_))
    names = ("now", "plan", "same_labeling", "new_search")
    means = 100 * np.mean(found, axis=0)
    return {name: round(float(m), 2) for name, m in zip(names, means, strict=True)}


def run(options):
    n_draws = 3 if options.quick else 12
    # Clusters without labels, and labels that are no random choice, are all reported.
    warnings.simplefilter("ignore")
    found = {}
    for name, (numbers, shares) in CASES.items():
        X, y = LOAD[name]()
        for k in numbers[:1] if options.quick else numbers:
            labels = AgglomerativeClustering(n_clusters=k).fit_predict(X)
            rows = {f"{s:.0%}": measure(labels, y, s, n_draws) for s in shares}
            found[f"{name}, {k} clusters"] = rows
    rows = [row for case in found.values() for row in case.values()]
    apart = {"plan": [], "plan_of_equal_sizes": []}
    for name, values in apart.items():
        values.extend(abs(row[name] - row["bound_decoupled"]) for row in rows)
    overall = {
        name: {"mean": round(float(np.mean(v)), 2), "most": round(max(v), 2)}
        for name, v in apart.items()
    }
    searches = {
        f"{case}, {way}": measure_search(*search, way, n_draws)
        for case, search in list(SEARCHES.items())[-1 if options.quick else 0 :]
        for way in WAYS
    }
    draws = {"number": n_draws}
    return {"draws": draws, "points apart": overall, **found, "searches": searches}


if __name__ == "__main__":
    run_benchmark(__doc__, "planning", run)
