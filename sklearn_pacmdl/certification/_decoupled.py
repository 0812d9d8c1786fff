"""All labels choose, label and certify; the classes of clusters cost no bits."""

from dataclasses import dataclass, replace

import numpy as np

from ..bounds._decoupled import Factor, Groups, closed_bound, exact_decoupled_bound
from ..utils._checks import exact_decimal
from ..utils._weights import total_weight
from ._naming import majority
from ._strategy import Strategy


@dataclass(frozen=True)
class Decoupled(Strategy):
    """All labels certify, for all labelings of the clusters at once.

    Candidates are paid for in bits, and the classes of their clusters are not.
    """

    fraction: float = 0.0
    # Candidates whose bounds by the closed form lead, and whose bounds are computed by
    # tables too. The statement of the tables holds for all candidates at once, so that
    # any number of them may be looked at.
    n_leaders: int = 8
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

    def sharper(self, options, weights, sizes, delta, bounds):
        """Bounds by tables of the options that lead by the closed form.

        Certificates are by tables, whoever is chosen: then one option is left, and leads.
        """
        if self.factor == "closed":
            return {}
        groups, levels = _counted(options, weights, delta)
        rates = bounds / [group.n_test for group in groups]
        leaders = np.argsort(rates, kind="stable")[: self.n_leaders]
        return {i: exact_decoupled_bound(groups[i], levels[i], "table") for i in leaders}

    @property
    def facts(self):
        return {} if self.factor == "table" else {"factor": self.factor}

    def for_sets(self):
        return replace(self, factor="closed")


def _counted(options, weights, delta):
    """Counts by cluster and level of probability of each option."""
    groups = [Groups(*option.clusters.T) for option in options]
    return groups, [exact_decimal(delta) * total_weight(terms) for terms in weights]
