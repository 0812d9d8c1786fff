"""All labels choose, label and certify; the classes of clusters cost no bits."""

from dataclasses import dataclass
from typing import ClassVar

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
from ._options import Option
from ._strategy import Offers, Strategy

# Cells, for each of some ten ranges, after which no more than the least number of leaders
# are looked at by tables; that takes half a second. With one split all 16 are for 1,800
# rows, and four for 20,000. Of 34 sweeps with three draws each three had choices whose
# bounds were larger than with tables for all candidates, by .3 points at most, and took a
# quarter of the time (benchmarks/bench_leaders.py).
MOST_CELLS, LEAST_LEADERS = 15 * 10**5, 4


@dataclass(frozen=True)
class Decoupled(Strategy):
    """All labels certify, for all labelings of the clusters at once.

    Candidates are paid for in bits, the classes of their clusters are not.
    """

    fraction: float = 0.0
    # Candidates whose bounds are computed by tables too. The statement of the tables
    # holds for all candidates at once, so that any number of them may be looked at, and
    # they may be chosen in any way.
    n_leaders: int = 16
    factor: Factor = "table"
    kind = "decoupled"
    knows_classes = False
    # Each set of clusters has other bases, and so would have tables of its own.
    of_sets: ClassVar = {"factor": "closed"}

    def labelings(self, counts, accepted, language, rng):
        yield majority(counts, counts.certify, rng), {}

    def option(self, counts, classes, terms):
        """The counts of each cluster."""
        option = Option.of(counts, classes, terms, by_cluster=True)
        facts = {} if self.factor == "table" else {"factor": self.factor}
        return option._replace(facts=facts)

    def bounds(self, offers, delta, required=()):
        """Bounds by tables for the leaders, which the closed form picks.

        There are none for the others, where not the closed form is asked for: both forms
        are statements of their own, which need not hold together.
        """
        closed = [self._bounds(each, "closed", delta) for each in offers]
        if self.factor == "closed":
            return closed
        leaders = [*required, *self._leaders(offers, closed, delta)]
        led = [np.isin(each.candidates, leaders) for each in offers]
        return [
            self._bounds(each, self.factor, delta, where)
            for each, where in zip(offers, led, strict=True)
        ]

    @staticmethod
    def _bounds(offers, factor, delta, where=None):
        """Bounds of the options, of those that are asked for."""
        bounds = np.full(len(offers.options), np.nan)
        for k, (groups, level) in enumerate(_groups(offers, delta)):
            if factor == "closed":
                bounds[k] = closed_bound(groups, level)
            elif where is None or where[k]:
                bounds[k] = exact_decoupled_bound(groups, level, factor)
        return bounds

    def _leaders(self, offers, closed, delta):
        """Candidates that are expected to lead by tables, on average over the splits."""
        on_all = set.intersection(*(set(own.candidates) for own in offers))
        common = sorted(on_all)
        guides = [
            _guides(own, bounds, common, delta)
            for own, bounds in zip(offers, closed, strict=True)
        ]
        expected, rates, n_cells = np.sum(guides, axis=0)
        # The best by both guides, then the best by the closed form, and so on.
        orders = [
            np.argsort(values, kind="stable") for values in (expected * rates, rates)
        ]
        in_turn = list(dict.fromkeys(np.stack(orders, axis=1).ravel().tolist()))
        # Fewer where tables take long.
        n_affordable = np.searchsorted(np.cumsum(n_cells[in_turn]), MOST_CELLS)
        n_leaders = np.clip(n_affordable, LEAST_LEADERS, self.n_leaders)
        return [common[i] for i in in_turn[:n_leaders]]


def _taken(offers, places):
    """The offers at some places."""
    candidates, options, weights = ([own[k] for k in places] for own in offers)
    return Offers(candidates, options, weights)


def _groups(offers, delta):
    """Counts by cluster and level of probability of each option."""
    return [
        (Groups(*option.clusters.T), exact_decimal(delta) * total_weight(terms))
        for option, terms in zip(offers.options, offers.weights, strict=True)
    ]


def _guides(offers, bounds, candidates, delta):
    """What leaders are chosen by: expected bounds, bounds, and the size of tables."""
    place = {i: k for k, i in enumerate(offers.candidates)}
    places = [place[i] for i in candidates]
    own = _taken(offers, places)
    groups = [Groups(*option.clusters.T) for option in own.options]
    rates = bounds[places] / [group.n_test for group in groups]
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
