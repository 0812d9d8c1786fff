"""All labels choose, label and certify; the classes of clusters cost no bits.

Each labeling gets two bounds, the decoupled one and the PAC-MDL one; they share delta.
The second is tighter where clusters are few and mixed.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..bounds import (
    SHARE_OF_ONE_LABELING,
    Factor,
    Groups,
    closed_bound,
    exact_decoupled_bound,
    pac_mdl_bound,
)
from ..languages import DECOUPLED
from ..utils._checks import exact_decimal
from ..utils._weights import length_in_bits, total_weight
from ._naming import label_weight, majority
from ._options import Option
from ._strategy import Bounds, Offers, Strategy, pac_mdl_bounds

# Cells, for each of some ten ranges, after which no more than the least number of leaders
# are looked at by tables; that takes half a second. With one split all 16 are for 1,800
# rows, and four for 20,000. Of 34 sweeps with three draws each three had choices whose
# bounds were larger than with tables for all candidates, by .3 points at most, and took a
# quarter of the time (benchmarks/bench_leaders.py).
MOST_CELLS, LEAST_LEADERS = 15 * 10**5, 4


@dataclass(frozen=True)
class Decoupled(Strategy):
    """All labels certify, for all labelings of the clusters at once.

    Candidates are paid for in bits. The classes of their clusters are not, but for a
    second statement, about the labeling alone, that has a share of delta.
    """

    fraction: float = 0.0
    share: Fraction = SHARE_OF_ONE_LABELING
    # Candidates whose bounds are computed by tables too. The statement of the tables
    # holds for all candidates at once, so that any number of them may be looked at, and
    # they may be chosen in any way.
    n_leaders: int = 16
    factor: Factor = "table"
    kind = "decoupled"
    knows_classes = False
    default_language = DECOUPLED
    # Each set of clusters has other bases, and so would have tables of its own.
    of_sets: ClassVar = {"factor": "closed", "share": Fraction(0)}

    @property
    def pays_for_labels(self):
        return self.share > 0

    def labelings(self, counts, accepted, language, rng):
        classes = majority(counts, counts.certify, rng)
        if not self.share:
            yield classes, {}
            return
        yield classes, {"statement": 1 - self.share}
        weight = label_weight(language, counts, classes, accepted)
        yield classes, {"statement": self.share, "label": weight}

    def option(self, counts, classes, terms):
        """The counts of each cluster, unless classes are paid for."""
        if "label" in terms:
            return super().option(counts, classes, terms)
        facts = {} if self.factor == "table" else {"factor": self.factor}
        option = Option.of(counts, classes, terms, by_cluster=True)
        return option._replace(facts=facts)

    def bounds(self, offers, delta):
        """Bounds by the closed form, and by tables for the leaders.

        Certificates are by tables, whoever is chosen: then one candidate is left, and
        leads.
        """
        by_cluster = [_by_cluster(each) for each in offers]
        closed = [
            [closed_bound(groups, level) for groups, level in _groups(own, delta)]
            for own, _ in by_cluster
        ]
        leaders = self._leaders([own for own, _ in by_cluster], closed, delta)
        return [
            _bounds(*each, leaders, delta)
            for each in zip(offers, by_cluster, closed, strict=True)
        ]

    def _leaders(self, offers, closed, delta):
        """Candidates that are expected to lead by tables, on average over the splits."""
        on_all = set.intersection(*(set(own.candidates) for own in offers))
        if self.factor == "closed" or not on_all:
            return []
        common = sorted(on_all)
        guides = [
            _guides(own, np.array(bounds), common, delta)
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


def _bounds(offers, by_cluster, closed, leaders, delta):
    """The bounds of one split, by tables where candidates lead."""
    own, places = by_cluster
    others = np.setdiff1d(np.arange(len(offers.options)), places)
    bounds = np.empty(len(offers.options), dtype=np.int64)
    rest = _taken(offers, others)
    bounds[others] = pac_mdl_bounds(rest.options, rest.weights, delta)
    bounds[places] = closed
    for place, i, (groups, level) in zip(
        places, own.candidates, _groups(own, delta), strict=True
    ):
        if i in leaders:
            bounds[place] = exact_decoupled_bound(groups, level, "table")
    return Bounds(bounds, np.isin(np.array(offers.candidates, dtype=int), leaders))


def _by_cluster(offers):
    """The offers with counts of each cluster, and their places."""
    places = [k for k, o in enumerate(offers.options) if o.clusters is not None]
    return _taken(offers, places), np.array(places, dtype=int)


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
