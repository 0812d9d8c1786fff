"""Some labels set the weights of candidates and of labels, and the others certify."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np
from scipy.special import softmax

from ..utils._labels import ABSTAIN
from ..utils._weights import length_in_bits, weights_of_nats
from ._naming import like_nearest, majority
from ._strategy import Strategy

# Weights of classes are multiples of 2**-30, a little below what they are computed as.
_UNIT, _MARGIN = 2**30, 1 - 1e-9


@dataclass(frozen=True)
class Learned(Strategy):
    """A random part of the labels sets a prior; the rest chooses and certifies.

    The weight of a labeling has three parts: one for what the selecting rows prefer, as
    if they alone had chosen; one for what they call the clusters of each candidate; and
    one for all other classes of its clusters. They are functions of the selecting rows,
    so the bounds of all labelings hold at once given these rows, and so on average.
    """

    # Measured by benchmarks/compare_choices.py: Ward's cuts into 2 to 40 clusters, 5,
    # 10 and 50 % of the rows labeled (benchmarks/results/choices/tables.json). Points are
    # percentage points of the bound.
    #
    # Where no number of clusters is known beforehand; see selecting_share in bounds.
    fraction: float = 0.5
    # 19/20 is better by .2, .1 and .1 points, 4/5 worse by .4, .3 and .1, and 1/2 by 1.4,
    # 1.1 and .5: mostly the preferred labeling has the smallest bound. What is left must
    # be enough for other choices to be of use.
    of_preferred: Fraction = Fraction(9, 10)
    of_named: Fraction = Fraction(1, 20)
    # Nats by which an error more makes a candidate less likely. From .5 to 4 bounds are
    # the same within .05 points.
    sharpness: float = 1.0
    # Nats by which a selecting row makes its class more likely for its cluster, and the
    # share of all classes together. From 1 to 3, and .005 to .1, the same within .04.
    certainty: float = 2.0
    unseen: float = 0.02
    # Errors on certifying rows that a bit is traded for. Five values are no better.
    trades: tuple[float, ...] = (1.0, 4.0)
    kind = "learned"
    knows_classes = False
    share_by_rule = True
    of_sets: ClassVar = {"fraction": 0.6}

    def labelings(self, counts, accepted, language, rng):
        """What the selecting rows call the clusters, and trades of errors for bits.

        A classifier has one labeling only.
        """
        if counts.names is not None:
            named = np.where(accepted, counts.names, ABSTAIN)
            yield named, dict.fromkeys(("label", "named"), Fraction(1))
            return
        seen, n_classes = counts.select[:, :-1], counts.n_classes
        # As if every selecting row multiplied the odds of its class by e**certainty.
        shares = softmax(self.certainty * seen, axis=1)
        shares = (1 - self.unseen) * shares + self.unseen / n_classes
        parts = np.floor(_UNIT * _MARGIN * shares).astype(np.int64)
        bits = np.log2(_UNIT / parts)
        errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
        named = majority(counts, counts.select, rng)
        offered = {named.tobytes(): (named, {"named": Fraction(1)})}
        noise = rng.uniform(size=(len(seen), n_classes))
        for trade in self.trades:
            cost = errors + trade * bits
            cheapest = cost == cost.min(axis=1, keepdims=True)
            classes = (cheapest * (1 + noise)).argmax(axis=1)
            classes = like_nearest(counts, classes, counts.labeled)
            offered.setdefault(classes.tobytes(), (classes, {}))
        where = np.flatnonzero(accepted)
        denominator = _UNIT ** len(where)
        for classes, terms in offered.values():
            numerator = prod(parts[where, classes[where]].tolist())
            label = {"label": Fraction(numerator, denominator)}
            yield np.where(accepted, classes, ABSTAIN), label | terms

    def candidate_weights(self, weights, selection_errors):
        """Weights that are the larger the fewer errors the selecting rows show."""
        prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
        nats = np.where(
            np.isnan(selection_errors),
            -np.inf,
            -self.sharpness * selection_errors - np.log(2) * np.array(prior),
        )
        return [{"candidate": weight} for weight in weights_of_nats(nats)]

    def weight(self, option, candidate, *, preferred):
        """The sum of all three parts, as the candidate's and that of its classes."""
        terms = dict(option.terms)
        named, own = terms.pop("named", 0), candidate["candidate"]
        of_others = 1 - self.of_preferred - self.of_named
        first = self.of_preferred * preferred
        total = named * (first + self.of_named * own) + of_others * own * terms["label"]
        share = first + (1 - self.of_preferred) * own
        return {"candidate": share} | terms | {"label": total / share}
