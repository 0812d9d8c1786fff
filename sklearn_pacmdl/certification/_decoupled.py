"""All labels choose, label and certify; the classes of clusters cost no bits."""

from dataclasses import dataclass, replace

import numpy as np

from ..bounds import (
    Factor,
    Groups,
    closed_bound,
    exact_decoupled_bound,
    pac_mdl_bound,
)
from ..utils._checks import exact_decimal
from ..utils._weights import length_in_bits, total_weight
from ._naming import majority
from ._strategy import Strategy

# Cells, for each of some ten ranges, after which no more than the least number of leaders
# are looked at by tables; that takes half a second. With one split all 16 are for 1,800
# rows, and four for 20,000. Of 34 sweeps with three draws each three had choices whose
# bounds were larger than with tables for all candidates, by .3 points at most, and took a
# quarter of the time (benchmarks/bench_leaders.py).
MOST_CELLS, LEAST_LEADERS = 15 * 10**5, 4


@dataclass(frozen=True)
class Decoupled(Strategy):
    """All labels certify, for all labelings of the clusters at once.

    Candidates are paid for in bits, and the classes of their clusters are not.
    """

    fraction: float = 0.0
    # Candidates whose bounds are computed by tables too. The statement of the tables
    # holds for all candidates at once, so that any number of them may be looked at, and
    # they may be chosen in any way.
    n_leaders: int = 16
    # "closed" for sets of clusters: each has other bases, and so tables of its own.
    factor: Factor = "table"
    kind = "decoupled"
    by_cluster = True
    knows_classes = False

    def labelings(self, counts, accepted, language, rng):
        yield majority(counts, counts.certify, rng), {}

    def identity(self, classes):
        """Partitions are weighed, so that equal labelings of others share no weight."""
        return np.where(classes < 0, -1, np.arange(len(classes)))

    def bounds(self, options, weights, sizes, delta):
        """Bounds by the closed form."""
        each = zip(*_counted(options, weights, delta), strict=True)
        found = [closed_bound(groups, level) for groups, level in each]
        return np.array(found, dtype=np.int64)

    def leaders(self, offers, delta):
        """Candidates that are expected to lead by tables, on average over the splits.

        Certificates are by tables, whoever is chosen: then one candidate is left, and
        leads.
        """
        on_all = set.intersection(*(set(own.candidates) for own in offers))
        if self.factor == "closed" or not on_all:
            return []
        common = sorted(on_all)
        expected, rates, n_cells = sum(_guides(own, common, delta) for own in offers)
        # The best by both guides, then the best by the closed form, and so on.
        orders = [
            np.argsort(values, kind="stable") for values in (expected * rates, rates)
        ]
        in_turn = list(dict.fromkeys(np.stack(orders, axis=1).ravel().tolist()))
        # Fewer where tables take long.
        n_affordable = np.searchsorted(np.cumsum(n_cells[in_turn]), MOST_CELLS)
        n_leaders = np.clip(n_affordable, LEAST_LEADERS, self.n_leaders)
        return [common[i] for i in in_turn[:n_leaders]]

    def sharper(self, offers, delta):
        """Bounds by tables."""
        each = zip(*_counted(offers.options, offers.weights, delta), strict=True)
        return {
            k: exact_decoupled_bound(groups, level, "table")
            for k, (groups, level) in enumerate(each)
        }

    @property
    def facts(self):
        return {} if self.factor == "table" else {"factor": self.factor}

    def for_sets(self):
        return replace(self, factor="closed")


def _counted(options, weights, delta):
    """Counts by cluster and level of probability of each option."""
    groups = [Groups(*option.clusters.T) for option in options]
    return groups, [exact_decimal(delta) * total_weight(terms) for terms in weights]


def _guides(offers, candidates, delta):
    """What leaders are chosen by: expected bounds, bounds, and the size of tables."""
    place = {i: k for k, i in enumerate(offers.candidates)}
    own = offers.take([place[i] for i in candidates])
    groups, _ = _counted(own.options, own.weights, delta)
    rates = own.bounds / [group.n_test for group in groups]
    expected = _expected(own.options, own.weights, delta)
    return np.stack([expected, rates, [group.n_cells for group in groups]])


def _expected(options, weights, delta):
    """About the bounds by tables, as rates: a guide to which candidates lead.

    The closed form is a bad one where it excludes next to nothing. This is the PAC-MDL
    bound of the labeling, were its clusters named as cheaply as by the share of labeled
    rows that agree; rows of clusters that nothing names count as wrong.
    """
    counts, bits = [], [length_in_bits(total_weight(terms)) for terms in weights]
    for i, option in enumerate(options):
        n, m, a = option.clusters[option.clusters[:, 2] < option.clusters[:, 1]].T
        bits[i] -= np.log2(1 - a / m).sum()
        counts.append((m.sum(), (n - m).sum(), a.sum()))
    seen, unseen, errors = np.array(counts, dtype=np.int64).T
    bound = pac_mdl_bound(seen, unseen, errors, description_length=bits, delta=delta)
    n_test = np.array([option.n_test for option in options])
    return (bound + n_test - unseen) / n_test
