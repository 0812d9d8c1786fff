"""The ways to certify that come with the package, and what ``certify`` stands for."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import softmax

from ..bounds import (
    SELECTING_SHARE,
    ClusterKinds,
    Factor,
    closed_bound,
    exact_decoupled_bound,
    pac_mdl_bound,
)
from ..certificates import (
    BoundCertificate,
    DecoupledCertificate,
    HoldoutCertificate,
    LearnedCertificate,
)
from ..columns import ABSTAIN
from ..utils._checks import (
    check_count,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
    is_number,
)
from ..utils._weights import length_in_bits, total_weight, weights_of_nats
from ._counts import like_nearest, majority
from ._goals import Goal
from ._strategy import Option, Strategy


def label_weight(language, counts, classes, accepted):
    """The language's weight of the labels of the accepted clusters, checked."""
    weight = language.label_weight(
        counts.sizes[accepted].tolist(), classes[accepted].tolist(), counts.n_classes
    )
    if not isinstance(weight, Fraction) or not 0 < weight <= 1:
        raise ValueError(
            "label_weight of a language must return a Fraction in (0, 1], got "
            f"{weight!r} from {language!r}."
        )
    return weight


@dataclass(frozen=True)
class PacMdl(Strategy):
    """All labels certify; the language says what the choice and the labels cost.

    This is the criterion of Banerjee and Langford, ``certify="pac-mdl"``.

    See Also
    --------
    Decoupled : Tighter, if many clusters are to be named.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import PacMdl, certify_clusterings
    >>> certify_clusterings([[0, 0, 1, 1]], [0, -1, 1, -1], certify=PacMdl()).certify
    'pac-mdl'
    """

    fraction: ClassVar[float] = 0.0
    kind = "pac-mdl"
    certificate = BoundCertificate
    pays_for_labels = True

    def labelings(self, counts, accepted, language, rng):
        classes = majority(counts, counts.certify, rng)
        yield classes, {"label": label_weight(language, counts, classes, accepted)}


@dataclass(frozen=True)
class HoldOut(Strategy):
    """A random part of the labels chooses and labels; the rest certifies, at no bits.

    Nothing is said of other candidates. This is ``certify="holdout"``.

    Parameters
    ----------
    fraction : float, default=0.6
        Share of the labeled rows, in (0, 1), that chooses and names. The rest certifies.

    Raises
    ------
    ValueError
        If ``fraction`` is not in (0, 1).

    See Also
    --------
    Learned : Has bounds of all candidates.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import HoldOut
    >>> HoldOut(fraction=0.4) == HoldOut(0.4) != HoldOut()
    True
    """

    # With sets of clusters the mean coverage at targets of 5 and 10 % was 7 and 31 %. It
    # was larger by 3 and 4 points with .5, and by 3 and 9 with .3 (standard errors 1 to
    # 4), and smaller with .7.
    fraction: float = SELECTING_SHARE
    kind = "holdout"
    certificate = HoldoutCertificate
    chooses_first = True
    knows_classes = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "fraction", check_open_unit("fraction", self.fraction))

    def labelings(self, counts, accepted, language, rng):
        yield majority(counts, counts.select, rng), {}


# Weights of classes are multiples of 2**-30, a little below what they are computed as.
_UNIT, _MARGIN = 2**30, 1 - 1e-9


@dataclass(frozen=True)
class Learned(Strategy):
    """A random part of the labels sets a prior; the rest chooses and certifies.

    The weight of a labeling has three parts. The first is for the labeling that the
    selecting rows prefer, as if they alone had chosen. The second is for the classes that
    they give to the clusters of each candidate, and the third for all other classes. All
    parts are functions of the selecting rows. So the bounds of all labelings hold at once
    for any selecting rows, and on average over them. This is ``certify="learned"``.

    Parameters
    ----------
    fraction : float, default=0.6
        Share of the labeled rows, in (0, 1), that sets the prior. The rest certifies.

    Raises
    ------
    ValueError
        If ``fraction`` is not in (0, 1).

    See Also
    --------
    HoldOut : Certifies only what the first part of the labels chooses.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.certification import Learned
    >>> PACMDLSearchCV(KMeans(3), certify=Learned(fraction=0.4))
    PACMDLSearchCV(certify=Learned(fraction=0.4), estimator=KMeans(n_clusters=3))
    """

    # Measured by benchmarks/compare_choices.py: Ward's cuts into 2 to 40 clusters, 5,
    # 10 and 50 % of the rows labeled (benchmarks/results/choices/tables.json). Points are
    # percentage points of the bound.
    #
    fraction: float = SELECTING_SHARE
    # 19/20 is better by .2, .1 and .1 points, and 1/2 worse by 1.8, 1.3 and .6: mostly
    # the preferred labeling has the smallest bound. What is left must be enough for other
    # choices to be of use.
    of_preferred: ClassVar[Fraction] = Fraction(9, 10)
    of_named: ClassVar[Fraction] = Fraction(1, 20)
    # Nats by which an error more makes a candidate less likely. From .5 to 4 bounds are
    # the same within .05 points (tried by hand, as the next three).
    sharpness: ClassVar[float] = 1.0
    # Nats by which a selecting row makes its class more likely for its cluster, and the
    # share of all classes together. From 1 to 3, and .005 to .1, the same within .04.
    certainty: ClassVar[float] = 2.0
    unseen: ClassVar[float] = 0.02
    # Errors on certifying rows that a bit is traded for. Five values are no better.
    trades: ClassVar[tuple[float, ...]] = (1.0, 4.0)
    kind = "learned"
    certificate = LearnedCertificate
    knows_classes = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "fraction", check_open_unit("fraction", self.fraction))

    def labelings(self, counts, accepted, language, rng):
        # What the selecting rows call the clusters, and trades of errors for bits; a
        # classifier has one labeling only.
        if counts.names is not None:
            named = np.where(accepted, counts.names, ABSTAIN)
            yield named, dict.fromkeys(("label", "named"), Fraction(1))
            return
        parts = self._parts(counts)
        bits = np.log2(_UNIT / parts)
        labeled = counts.labeled
        errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
        named = majority(counts, counts.select, rng)
        offered = {named.tobytes(): (named, {"named": Fraction(1)})}
        noise = rng.uniform(size=parts.shape)
        for trade in self.trades:
            cost = errors + trade * bits
            cheapest = cost == cost.min(axis=1, keepdims=True)
            classes = (cheapest * (1 + noise)).argmax(axis=1)
            classes = like_nearest(counts, classes, labeled)
            offered.setdefault(classes.tobytes(), (classes, {}))
        where = np.flatnonzero(accepted)
        denominator = _UNIT ** len(where)
        for classes, terms in offered.values():
            numerator = prod(parts[where, classes[where]].tolist())
            label = {"label": Fraction(numerator, denominator)}
            yield np.where(accepted, classes, ABSTAIN), label | terms

    def _parts(self, counts):
        """Weight of each class of each cluster by the selecting rows, in units of 2**-30.

        As if each of them multiplied the odds of its class by e**certainty.
        """
        shares = softmax(self.certainty * counts.select[:, :-1], axis=1)
        shares = (1 - self.unseen) * shares + self.unseen / shares.shape[1]
        return np.floor(_UNIT * _MARGIN * shares).astype(np.int64)

    def candidate_weights(self, weights, selection_errors):
        # The larger the fewer errors the selecting rows show.
        prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
        nats = np.where(
            np.isnan(selection_errors),
            -np.inf,
            -self.sharpness * selection_errors - np.log(2) * np.array(prior),
        )
        return [{"candidate": weight} for weight in weights_of_nats(nats)]

    def weight(self, option, candidate, *, preferred):
        # The sum of all three parts, as the candidate's and that of its classes.
        terms = dict(option.terms)
        named, own = terms.pop("named", 0), candidate["candidate"]
        of_others = 1 - self.of_preferred - self.of_named
        first = self.of_preferred * preferred
        total = named * (first + self.of_named * own) + of_others * own * terms["label"]
        share = first + (1 - self.of_preferred) * own
        return {"candidate": share} | terms | {"label": total / share}


# Cells, for each of some ten ranges, after which no more than the least number of leaders
# are looked at by tables; that takes half a second. With one split all 16 are for 1,800
# rows, and four for 20,000. Of 34 sweeps with three draws each three had choices whose
# bounds were larger than with tables for all candidates, by .3 points at most, and took a
# quarter of the time (benchmarks/bench_leaders.py).
MOST_CELLS, LEAST_LEADERS = 15 * 10**5, 4


@dataclass(frozen=True)
class Decoupled(Strategy):
    """All labels certify, for all labelings of the clusters at once.

    The choice of a candidate costs bits, and the classes of its clusters cost none. This
    is ``certify="decoupled"``.

    Parameters
    ----------
    n_leaders : int, default=16
        Largest number of candidates, at least 1, that have a bound by tables; the others
        have none. It changes no guarantee.
    factor : {"table", "closed"}, default="table"
        Form of the bound, as of :func:`~sklearn_pacmdl.bounds.decoupled_bound`. With
        "closed", which is larger, all candidates have a bound. It is always "closed"
        where clusters may be left out.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    PacMdl : Classes of clusters cost bits.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import Decoupled
    >>> Decoupled(n_leaders=4)
    Decoupled(n_leaders=4, factor='table')
    """

    # The statement of the tables holds for all candidates at once, so that any number of
    # them may be looked at, and they may be chosen in any way.
    n_leaders: int = 16
    factor: Factor = "table"
    fraction: ClassVar[float] = 0.0
    kind = "decoupled"
    certificate = DecoupledCertificate
    knows_classes = False
    # Each set of clusters has other bases, and so would have tables of its own.
    when_abstaining: ClassVar = {"factor": "closed"}

    def __post_init__(self) -> None:
        check_count("n_leaders", self.n_leaders, 1)
        check_option("factor", self.factor, ["table", "closed"])

    def labelings(self, counts, accepted, language, rng):
        yield majority(counts, counts.certify, rng), {}

    def option(self, counts, classes, terms):
        option = Option.of(counts, classes, terms, by_cluster=True)
        return option._replace(fields={"factor": self.factor})

    def bounds(self, offers, delta, required=()):
        # Bounds by tables for the leaders, which the closed form picks. There are none
        # for the others, where not the closed form is asked for: both forms are
        # statements of their own, which need not hold together.
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
        if not common:  # all rows are noise
            return []
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


def _groups(offers, delta):
    """Counts by cluster and level of probability of each option."""
    return [
        (ClusterKinds(*option.clusters.T), exact_decimal(delta) * total_weight(terms))
        for option, terms in zip(offers.options, offers.weights, strict=True)
    ]


def _guides(offers, bounds, candidates, delta):
    """What leaders are chosen by: expected bounds, bounds, and the size of tables."""
    place = {i: k for k, i in enumerate(offers.candidates)}
    places = [place[i] for i in candidates]
    options = [offers.options[k] for k in places]
    groups = [ClusterKinds(*option.clusters.T) for option in options]
    n_test = np.array([option.n_test for option in options])
    # Rows of noise that a candidate has more than others count as wrong.
    n_rows = n_test.max()
    rates = (bounds[places] + n_rows - n_test) / n_rows
    expected = _expected(options, [offers.weights[k] for k in places], delta, n_rows)
    return np.stack([expected, rates, [group.n_cells for group in groups]])


def _expected(options, weights, delta, n_rows):
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
    return (bound + n_rows - unseen) / n_rows


#: The ways that come with the package, by name.
METHODS: dict[str, type[Strategy]] = {
    "decoupled": Decoupled,
    "pac-mdl": PacMdl,
    "learned": Learned,
    "holdout": HoldOut,
}
#: What ``certify`` may be: a name, a choice by the number of labels, or an object.
Certify = Literal["decoupled", "pac-mdl", "learned", "holdout", "auto"] | Strategy

_AUTO = "auto"
# With fewer labels "auto" divides none. Of four, each part has one at least.
_FEW_LABELS = 4


def resolve(certify: Any, goal: Goal, n_labeled: int | None = None) -> Strategy:
    """The way to certify that a parameter stands for, as it is used for a goal.

    "auto" chooses by the number of labels, before any of them is seen. A choice by errors
    needs names by all labels, which cost least under "decoupled".

    Raises
    ------
    ValueError, TypeError
        If there is no such way, or it does not fit the goal.
    """
    by_errors = goal.choose == "errors"
    if isinstance(certify, Strategy):
        strategy = certify
        if METHODS.get(str(strategy.kind)) is not type(strategy):
            _check_own(strategy)
    elif not isinstance(certify, str) or certify not in [*METHODS, _AUTO]:
        allowed = f"one of {sorted([*METHODS, _AUTO])} or an instance of a Strategy"
        raise invalid("certify", allowed, certify)
    elif certify == _AUTO:
        few = n_labeled is not None and n_labeled < _FEW_LABELS
        strategy = Decoupled() if few or by_errors else Learned()
    else:
        strategy = METHODS[certify]()
    if by_errors and strategy.fraction:
        allowed = "'auto' or a way in which all labels certify with choose='errors'"
        raise invalid("certify", allowed, certify)
    return replace(strategy, **strategy.when_abstaining) if goal.abstains else strategy


def _check_own(strategy):
    """Check a way of the user's own, whose name is that of a kind of certificates."""
    kind, fraction = strategy.kind, strategy.fraction
    taken = sorted([*METHODS, _AUTO])
    if not isinstance(kind, str) or not kind or kind in taken:
        raise invalid("kind", f"a text that is not empty and not one of {taken}", kind)
    if not is_number(fraction) or not 0 <= fraction < 1:
        raise invalid("fraction", "in [0, 1)", fraction)
    if strategy.chooses_first and fraction == 0:
        raise invalid("fraction", "above 0 where the strategy chooses first", fraction)
    certificate: Any = getattr(strategy, "certificate", None)
    if getattr(certificate, "kind", None) != kind:
        raise invalid("certificate", f"a class of certificates of {kind!r}", certificate)
    if certificate.selects != (fraction > 0):
        allowed = "above 0" if certificate.selects else "0"
        raise invalid("fraction", f"{allowed} in certificates of {kind!r}", fraction)
