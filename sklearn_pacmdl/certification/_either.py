"""Two statements about each labeling share delta; the tighter one is made."""

from dataclasses import dataclass, field

import numpy as np

from ..bounds._shares import SHARE_OF_ONE_LABELING as SHARE
from ._decoupled import Decoupled
from ._naming import label_weight
from ._pac_mdl import PacMdl
from ._strategy import Option, Strategy


@dataclass(frozen=True)
class Either(Strategy):
    """All labels certify, and the classes of clusters are paid for, or they are not.

    A labeling is offered twice: by the statement about all labelings of its clusters at
    once, and by that about the labeling alone, whose classes cost bits. The second is
    the tighter one where clusters are few and mixed. Both hold at once, since they share
    the weight.
    """

    fraction: float = 0.0
    of_clusters: Decoupled = field(default_factory=Decoupled)
    of_labeling: PacMdl = field(default_factory=PacMdl)
    kind = "pac-mdl"
    by_cluster = True
    pays_for_labels = True

    def labelings(self, counts, accepted, language, rng):
        yield from self.of_clusters.labelings(counts, accepted, language, rng)

    def options(self, counts, language, rng):
        every = np.ones(len(counts.sizes), dtype=bool)
        ((classes, _),) = self.labelings(counts, every, language, rng)
        paid = {"label": label_weight(language, counts, classes, every)}
        free = Option.of(counts, classes, {"statement": 1 - SHARE}, by_cluster=True)
        return [free, free._replace(terms={"statement": SHARE, **paid}, clusters=None)]

    def way_of(self, option):
        return self.of_labeling if option.clusters is None else self.of_clusters

    def bounds(self, options, weights, sizes, delta):
        found = np.empty(len(options), dtype=np.int64)
        for way in (self.of_clusters, self.of_labeling):
            own, some, their = self._by(way, options, weights)
            found[own] = way.bounds(some, their, sizes, delta)
        return found

    def sharper(self, options, weights, sizes, delta, bounds):
        own, some, their = self._by(self.of_clusters, options, weights)
        found = self.of_clusters.sharper(some, their, sizes, delta, bounds[own])
        return {own[i]: bound for i, bound in found.items()}

    def for_sets(self):
        return self.of_clusters.for_sets()

    def _by(self, way, options, weights):
        """Places of the options that are certified by a way, and these with weights."""
        own = [i for i, option in enumerate(options) if self.way_of(option) == way]
        return own, [options[i] for i in own], [weights[i] for i in own]
