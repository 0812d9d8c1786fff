"""Two statements about each labeling share delta; the tighter one is made."""

from dataclasses import dataclass, field

import numpy as np

from ..bounds import SHARE_OF_ONE_LABELING as SHARE
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
            own = self._places(way, options)
            some, their = [options[k] for k in own], [weights[k] for k in own]
            found[own] = way.bounds(some, their, sizes, delta)
        return found

    def leaders(self, offers, delta):
        own = [each.take(self._places(self.of_clusters, each.options)) for each in offers]
        return self.of_clusters.leaders(own, delta)

    def sharper(self, offers, delta):
        own = self._places(self.of_clusters, offers.options)
        found = self.of_clusters.sharper(offers.take(own), delta)
        return {own[k]: bound for k, bound in found.items()}

    def for_sets(self):
        return self.of_clusters.for_sets()

    def _places(self, way, options):
        """Places of the options that are certified by a way."""
        return [k for k, option in enumerate(options) if self.way_of(option) == way]
