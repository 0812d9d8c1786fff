"""What is kept of a search to plan how many labels the next one needs."""

import numpy as np

from ..bounds import LabelPlan, SimulatedClusters, selecting_share

# Clusterings that are kept, of different numbers of clusters: up to 39 in the searches
# of benchmarks/bench_planning.py, of which every second one is enough.
_MOST = 20


def leading_tables(sweep, values, best):
    """Sizes of clusters, and labels in them by class, of candidates to plan with.

    The best one of each number of clusters: more labels allow more clusters.
    """
    leaders = {sweep.of(best).n_clusters: best}
    for i in np.argsort(values, kind="stable"):
        if sweep.counted[i] is not None:
            leaders.setdefault(sweep.of(i).n_clusters, i)
    numbers = sorted(leaders)
    places = np.linspace(0, len(numbers) - 1, min(_MOST, len(numbers))).round()
    chosen = {leaders[numbers[int(place)]] for place in places} | {best}
    return [(sweep.of(i).sizes, sweep.of(i).labeled) for i in sorted(chosen)]


def search_plan(search, quantile):
    """The plan for a fitted search, by the labels that it has seen."""
    tables = search._planned_
    fraction = search._select_fraction_
    if not fraction:  # no label selects: planned as if some would
        fraction = selecting_share(float(np.median([len(sizes) for sizes, _ in tables])))
    kind = "holdout" if search.certify_ == "holdout" else "learned"
    clusterings = [SimulatedClusters.seen(n, seen.toarray()) for n, seen in tables]
    return LabelPlan(clusterings, kind, fraction, search.delta, quantile)
