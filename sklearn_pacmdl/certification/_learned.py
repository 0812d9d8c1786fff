"""Some labels set the weights of candidates and of labels, and the others certify."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from ..utils._labels import ABSTAIN
from ..utils._weights import length_in_bits, weights_of_nats
from ._naming import like_nearest
from ._strategy import Strategy


@dataclass(frozen=True)
class Learned(Strategy):
    """A random part of the labels sets weights; the rest chooses and certifies."""

    # Defaults were measured by mean bounds over six data sets with 10 to 50 % of the rows
    # labeled: benchmarks/bench_constants.py, benchmarks/results/constants.json. Points
    # are percentage points of the bound.
    #
    # Where no number of clusters is known beforehand; see bounds/_shares.py.
    fraction: float = 0.3
    # Part of a label that every class of every cluster is thought to have been seen with.
    # Smaller ones down to 1e-6 are the same within .03 points; 1/100 is worse by .1, 1/10
    # by 1.2, a whole label by 5.2.
    pseudo_count: Fraction = Fraction(1, 1000)
    # Errors on certifying rows that a bit is traded for, when a class is chosen. Several
    # cost no bits, only time: seven, from the fewest errors to the fewest bits, gave the
    # same bounds in a quarter more time; (1,) alone bounds that are worse by .002 points,
    # fewest errors alone by .2, and fewest bits alone by .1.
    trades: tuple[float, ...] = (1.0, 4.0)
    # Nats by which an error more makes a candidate less likely. 4 is as good; 1 and 8 are
    # worse by .2 and .1 points, .5 by .5, and 0, which learns no such weights, by 3.4.
    sharpness: float = 2.0
    kind = "learned"

    def labelings(self, counts, accepted, language, rng):
        """Classes that trade errors against bits, in several ways.

        The weight of a class of a cluster is its share among the cluster's selecting
        rows, smoothed. Which class is given depends on the certifying rows too, which is
        what the weights pay for.
        """
        seen, n_classes = counts.select[:, :-1], counts.n_classes
        # Weights are ratios of whole numbers.
        parts = self.pseudo_count.denominator * seen + self.pseudo_count.numerator
        totals = parts.sum(axis=1)
        bits = np.log2(totals[:, None] / parts)
        errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
        noise = rng.uniform(size=(len(seen), n_classes))
        offered: dict[bytes, np.ndarray] = {}
        for trade in self.trades:
            cost = errors + trade * bits
            cheapest = cost == cost.min(axis=1, keepdims=True)
            classes = (cheapest * (1 + noise)).argmax(axis=1)
            classes = like_nearest(counts, classes, counts.labeled)
            classes = np.where(accepted, classes, ABSTAIN)
            offered.setdefault(classes.tobytes(), classes)
        where = np.flatnonzero(accepted)
        denominator = prod(totals[where].tolist())
        for classes in offered.values():
            numerator = prod(parts[where, classes[where]].tolist())
            yield classes, {"label": Fraction(numerator, denominator)}

    def candidate_terms(self, weights, selection_errors):
        """Weights that are the larger the fewer errors the selecting rows show."""
        prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
        nats = np.where(
            np.isnan(selection_errors),
            -np.inf,
            -self.sharpness * selection_errors - np.log(2) * np.array(prior),
        )
        return [{"candidate": weight} for weight in weights_of_nats(nats)]
