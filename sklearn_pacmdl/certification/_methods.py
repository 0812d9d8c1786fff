"""Methods of certification: which labeled rows choose, set weights and certify.

Every method makes *options* from the counts of a clustering. An option is a labeling of
its clusters, some perhaps without a class, with a weight that was fixed before the
certifying labels were seen. The weights of all options that a sweep could have sum to at
most 1, so the bounds of all of them hold at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from types import new_class
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
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
from ..labeling import nearest_labeled
from ..languages import Language, LanguageName, get_language
from ..utils._checks import (
    as_array,
    check_flag,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
    is_number,
    shown,
)
from ..utils._weights import length_in_bits, total_weight, weights_of_nats
from ._counts import ClusterCounts, majority

Terms = Mapping[str, Fraction]  # factors of a weight, by name


def product_of_terms(terms: Terms, more: Terms) -> dict[str, Fraction]:
    """Terms of a product of two weights, none of which may hide another."""
    shared = terms.keys() & more.keys()
    if shared:
        raise ValueError(
            f"The terms {sorted(shared)} of a labeling's weight are used for something "
            "else in the same weight; give them other names."
        )
    return {**terms, **more}


class Option(NamedTuple):
    """A labeling of clusters that may be claimed, with its counts and its weight.

    Attributes
    ----------
    classes : ndarray of shape (n_clusters,) of int
        Class codes; -1 for clusters that are left out.
    terms : mapping of str to Fraction
        Factors of the weight of the labeling, by name.
    n_train, n_test : int
        Numbers of certifying rows and of unlabeled rows that are given a class.
    train_errors : int
        Number of errors among the ``n_train`` rows.
    test_errors : int
        Number of errors among the ``n_test`` rows; -1 if unknown.
    clusters : ndarray of shape (n_accepted, 3) of int, default=None
        Rows, certifying rows and errors of each cluster with a class, for methods with
        bounds by cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import ClusterCounts, Option
    >>> counts = ClusterCounts.from_tables([[28, 2], [1, 29]], unlabeled=[70, 70])
    >>> option = Option.of(counts, np.array([0, -1]), terms={})
    >>> option.n_train, option.train_errors, option.n_test
    (30, 2, 70)
    """

    classes: np.ndarray
    terms: Terms
    n_train: int
    n_test: int
    train_errors: int
    test_errors: int
    clusters: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        counts: ClusterCounts,
        classes: np.ndarray,
        terms: Mapping,
        *,
        by_cluster: bool = False,
    ) -> Option:
        """Make an option by counting the rows and errors of a labeling.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.
        terms : mapping of str to Fraction
            Factors of the weight of the labeling, by name.
        by_cluster : bool, default=False
            Whether to keep the counts of each cluster.

        Returns
        -------
        option : Option
            The labeling with its counts.
        """
        if not isinstance(counts, ClusterCounts):
            raise invalid("counts", "ClusterCounts", counts)
        codes = as_array("classes", classes)
        whole = codes.dtype.kind in "iu" and codes.shape == counts.sizes.shape
        if not whole or not np.all((codes >= ABSTAIN) & (codes < counts.n_classes)):
            allowed = f"{len(counts.sizes)} class codes, one for each cluster"
            raise invalid("classes", allowed, classes)
        if not isinstance(terms, Mapping):
            raise invalid("terms", "a mapping of terms to weights", terms)
        check_flag("by_cluster", by_cluster)
        accepted = np.flatnonzero(codes != ABSTAIN)
        given, test_errors = codes[accepted], -1
        certifying = counts.certify[accepted].sum(axis=1)
        wrong = certifying - counts.certify[accepted, given]
        rows = counts.test[accepted] + certifying
        if counts.hidden is not None:
            right = counts.hidden[accepted, given].sum()
            test_errors = int(counts.hidden[accepted].sum() - right)
        return cls(
            classes=codes,
            terms=terms,
            n_train=int(certifying.sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=int(wrong.sum()),
            test_errors=test_errors,
            clusters=np.stack([rows, certifying, wrong], axis=1) if by_cluster else None,
        )


class OptionsOfSplit(NamedTuple):
    """Options of all candidates on one split, with all factors of their weights."""

    candidates: list[int]  # index of the candidate of each option
    options: list[Option]
    weights: list[Terms]


@dataclass(frozen=True)
class Method(ABC):
    """Base class of methods of certification.

    A subclass is a frozen dataclass, declares ``kind`` and ``fraction``, and defines
    :meth:`labelings`. An instance is passed as ``certify``. Whether the certificates are
    valid depends on what :meth:`labelings` looks at. Weights must be functions of
    ``counts.sizes``, ``counts.select``, ``counts.distances`` and ``counts.names``. So
    must the classes if ``chooses_first`` is True; the classes of other methods may also
    depend on ``counts.certify``, since their weights account for it. ``counts.hidden``
    must not be looked at.

    Attributes
    ----------
    chooses_first : bool, default=False
        Whether selecting rows alone choose the candidate, by the errors to expect
        among them, and name its clusters. The choice then costs no bits, and the other
        candidates have no bounds.
    knows_classes : bool, default=True
        Whether certificates assume that all classes were known beforehand. If not, and
        if some rows select, ``counts`` has only the classes of these, and certifying rows
        of other classes are in the last column, as errors.
    pays_for_labels : bool, default=False
        Whether the weights of the language for labels are used.
    by_cluster : bool, default=False
        Whether options hold the counts of each cluster, for bounds that need them. The
        class of certificates is then a
        :class:`~sklearn_pacmdl.certificates.DecoupledCertificate`, whose ``factor`` is
        that of the method.
    certificate : type
        Class of certificates, with the same ``kind``. By default, a subclass of
        :class:`~sklearn_pacmdl.certificates.BoundCertificate`, made for the method.

    See Also
    --------
    Learned, HoldOut, Decoupled, PacMdl : Those that come with the package.

    Examples
    --------
    Every cluster is given the most common class of the selecting rows, so there is
    nothing to choose and the weight is 1:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import ClusterCounts, Method
    >>> @dataclass(frozen=True)
    ... class OneClass(Method):
    ...     fraction: float = 0.25
    ...     kind = "one class for all"
    ...
    ...     def labelings(self, counts, accepted, language, rng):
    ...         common = counts.select[:, :-1].sum(axis=0).argmax()
    ...         yield np.full(len(counts.sizes), common), {}
    >>> counts = ClusterCounts.from_tables([[9, 1]], unlabeled=[90], selecting=[[3, 0]])
    >>> labelings = OneClass().labelings(counts, np.array([True]), None, None)
    >>> [(classes.tolist(), terms) for classes, terms in labelings]
    [([0], {})]
    """

    chooses_first: ClassVar[bool] = False
    knows_classes: ClassVar[bool] = True
    pays_for_labels: ClassVar[bool] = False
    by_cluster: ClassVar[bool] = False
    certificate: ClassVar[type[BoundCertificate]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        kind = cls.__dict__.get("kind")
        if not isinstance(kind, str) or "certificate" in cls.__dict__:
            return
        # Without a default of the fraction, each instance has its own.
        fraction = cls.__dict__.get("fraction", cls.fraction)
        selects = not is_number(fraction) or fraction > 0
        attributes = {
            "__doc__": f"Certificate of kind {kind!r}.",
            "__module__": cls.__module__,
            "__qualname__": f"{cls.__qualname__}.certificate",
            "selects": selects,
            "also_random": "of their division" if selects else "",
        }
        cls.certificate = new_class(
            f"{cls.__name__}Certificate",
            (BoundCertificate,),
            {"kind": kind},
            lambda namespace: namespace.update(attributes),
        )

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name of the method, and the kind of its certificates."""

    @property
    @abstractmethod
    def fraction(self) -> float:
        """Share of the labeled rows that select, in [0, 1); the others certify."""

    @abstractmethod
    def labelings(
        self,
        counts: ClusterCounts,
        accepted: NDArray[np.bool_],
        language: Language,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[np.ndarray, Terms]]:
        """Generate labelings of the accepted clusters, with the terms of their weights.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        accepted : ndarray of shape (n_clusters,) of bool
            Clusters that are to be given a class.
        language : Language
            What weighs the labels of this clustering, for methods whose labels cost bits.
        rng : RandomState
            Source of randomness for ties between classes.

        Yields
        ------
        classes : ndarray of shape (n_clusters,) of int
            Class codes; those of clusters that are not accepted are ignored.
        terms : mapping of str to Fraction
            Their product is the weight of this labeling; the weights of all labelings
            that could be yielded sum to at most 1.
        """

    def bounds(
        self,
        by_split: Sequence[OptionsOfSplit],
        delta: float,
        required: Sequence[int] = (),
    ) -> Sequence[NDArray[np.number]]:
        """Bound the errors of options; by default, by the PAC-MDL bound.

        Parameters
        ----------
        by_split : sequence of OptionsOfSplit
            Options of all candidates, with ``candidates``, ``options`` and ``weights``.
        delta : float
            Probability, in (0, 1), with which the bounds of a split may fail all at once.
        required : sequence of int, default=()
            Candidates whose options must have a bound.

        Returns
        -------
        bounds : sequence of ndarray of shape (n_options,)
            By split, numbers of rows; NaN for options without a bound.
        """
        bounds = []
        for _, options, weights in by_split:
            counts = [(o.n_train, o.n_test, o.train_errors) for o in options]
            lengths = [length_in_bits(total_weight(terms)) for terms in weights]
            bounds.append(
                pac_mdl_bound(
                    *np.array(counts, dtype=np.int64).reshape(-1, 3).T,
                    description_length=np.array(lengths, dtype=float),
                    delta=delta,
                )
            )
        return bounds

    def candidate_weights(
        self, weights: Sequence[Terms], selection_errors: np.ndarray
    ) -> Sequence[Terms]:
        """Return the weights of the candidates by term; by default, the language's.

        Parameters
        ----------
        weights : sequence of mapping of str to Fraction
            Weights that the language gives.
        selection_errors : ndarray of shape (n_candidates,)
            Errors to expect by the selecting rows; NaN for candidates that failed.

        Returns
        -------
        terms : sequence of mapping of str to Fraction
            The weights, whose products sum to at most 1 over all candidates.
        """
        return weights

    def weight(self, option: Option, candidate: Terms, *, preferred: bool) -> Terms:
        """Return all factors of the weight of an option of one candidate.

        Parameters
        ----------
        option : Option
            One of the options of the candidate.
        candidate : mapping of str to Fraction
            Weight of the candidate, as of :meth:`candidate_weights`.
        preferred : bool
            Whether the candidate is the one that selecting rows alone would choose.

        Returns
        -------
        terms : mapping of str to Fraction
            By default, those of the candidate and of the option. The products sum to at
            most 1 over all options that all candidates could have.
        """
        return product_of_terms(candidate, option.terms)


@dataclass(frozen=True)
class PacMdl(Method):
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
        weight = language.label_weight(
            counts.sizes[accepted].tolist(), classes[accepted].tolist(), counts.n_classes
        )
        if not isinstance(weight, Fraction) or not 0 < weight <= 1:
            raise ValueError(
                "label_weight of a language must return a Fraction in (0, 1], got "
                f"{weight!r} from {language!r}."
            )
        yield classes, {"label": weight}


@dataclass(frozen=True)
class HoldOut(Method):
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

    # With sets of clusters the mean coverage at targets of 5 and 10% was 7 and 31%. It
    # was larger by 3 and 4 points with 0.5, and by 3 and 9 with 0.3 (standard errors 1 to
    # 4), and smaller with 0.7.
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
class Learned(Method):
    """A random part of the labels sets a prior; the rest chooses and certifies.

    Most of the weight is for the favorite labeling of the selecting rows, the rest for
    their classes of the clusters of each candidate, and for all other labelings. It
    depends on the selecting rows alone, so the bounds of all labelings hold at once. This
    is ``certify="learned"``.

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
    # 10 and 50% of the rows labeled (benchmarks/results/choices/tables.json). Points are
    # percentage points of the bound.
    fraction: float = SELECTING_SHARE
    # 19/20 is better by 0.2, 0.2 and 0.1 points, and 1/2 worse by 2.4, 1.9 and 0.9, since
    # the preferred labeling mostly has the smallest bound. What is left must be enough
    # for other choices to be of use.
    of_preferred: ClassVar[Fraction] = Fraction(9, 10)
    of_named: ClassVar[Fraction] = Fraction(1, 20)
    # Nats by which one more error makes a candidate less likely. From 0.5 to 4 bounds are
    # the same within 0.05 points (tried by hand, as the next three).
    sharpness: ClassVar[float] = 1.0
    # Nats by which a selecting row makes its class more likely for its cluster, and the
    # share of all classes together. From 1 to 3, and 0.005 to 0.1, the same within 0.04.
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
        # Weight of each class of each cluster by the selecting rows, times 2**30: as if
        # each row multiplied the odds of its class by e**certainty.
        shares = softmax(self.certainty * counts.select[:, :-1], axis=1)
        shares = (1 - self.unseen) * shares + self.unseen / shares.shape[1]
        parts = np.floor(_UNIT * _MARGIN * shares).astype(np.int64)
        bits = np.log2(_UNIT / parts)
        errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
        named = majority(counts, counts.select, rng)
        terms_of = {named.tobytes(): (named, {"named": Fraction(1)})}
        noise = rng.uniform(size=parts.shape)
        for trade in self.trades:
            cost = errors + trade * bits
            cheapest = cost == cost.min(axis=1, keepdims=True)
            classes = (cheapest * (1 + noise)).argmax(axis=1)
            named_clusters = counts.labeled[:, :-1].any(axis=1)
            classes = nearest_labeled(classes, named_clusters, counts.distances)
            terms_of.setdefault(classes.tobytes(), (classes, {}))
        where = np.flatnonzero(accepted)
        denominator = _UNIT ** len(where)
        for classes, terms in terms_of.values():
            numerator = prod(parts[where, classes[where]].tolist())
            label = {"label": Fraction(numerator, denominator)}
            yield np.where(accepted, classes, ABSTAIN), label | terms

    def candidate_weights(self, weights, selection_errors):
        # The larger the fewer errors the selecting rows show.
        prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
        nats = np.where(
            np.isnan(selection_errors),
            -np.inf,
            -self.sharpness * selection_errors - np.log(2) * np.array(prior),
        )
        # The other half is the language's: a good candidate that the selecting rows like
        # less than the best is certified nearly as good as it is
        # (benchmarks/compare_weights.py).
        return [
            {"candidate": (by_errors + total_weight(terms)) / 2}
            for by_errors, terms in zip(weights_of_nats(nats), weights, strict=True)
        ]

    def weight(self, option, candidate, *, preferred):
        # The sum of all three parts, as the candidate's and that of its classes.
        terms = dict(option.terms)
        named, prior = terms.pop("named", 0), candidate["candidate"]
        of_other_names = 1 - self.of_preferred - self.of_named
        first = self.of_preferred * preferred
        total = named * (first + self.of_named * prior)
        total += of_other_names * prior * terms["label"]
        share = first + (1 - self.of_preferred) * prior
        return {"candidate": share} | terms | {"label": total / share}


# Cells, for each of some ten ranges, after which only the least number of leaders get
# tables; this takes half a second. With one split all 16 are for 1,800 rows, and four for
# 20,000. In one of 34 settings, with three draws each, candidates are chosen with larger
# bounds than with tables for all, by 0.3 points at most. All together take a quarter of
# the time (benchmarks/bench_leaders.py).
MOST_CELLS, LEAST_LEADERS, MOST_LEADERS = 15 * 10**5, 4, 16


@dataclass(frozen=True)
class Decoupled(Method):
    """All labels certify, for all labelings of the clusters at once.

    The choice of a candidate costs bits, and the classes of its clusters cost none. This
    is ``certify="decoupled"``.

    Parameters
    ----------
    factor : {"table", "closed"}, default="table"
        Form of the bound, as of :func:`~sklearn_pacmdl.bounds.decoupled_bound`. By tables
        only the 16 leading candidates have a bound. With "closed", which is larger, all
        have one. It is always "closed" where clusters may be left out.

    Raises
    ------
    ValueError
        If ``factor`` is none of these.

    See Also
    --------
    PacMdl : Classes of clusters cost bits.

    Examples
    --------
    >>> from sklearn_pacmdl.certification import Decoupled
    >>> Decoupled()
    Decoupled(factor='table')
    """

    # The statement of the tables holds for all candidates at once, so that any number of
    # them may be looked at, and they may be chosen in any way.
    factor: Factor = "table"
    fraction: ClassVar[float] = 0.0
    kind = "decoupled"
    certificate = DecoupledCertificate
    knows_classes = False
    by_cluster = True

    def __post_init__(self) -> None:
        check_option("factor", self.factor, ["table", "closed"])

    def labelings(self, counts, accepted, language, rng):
        yield majority(counts, counts.certify, rng), {}

    def bounds(self, by_split, delta, required=()):
        # Bounds by tables for the leaders, which the closed form picks. The others have
        # none unless the closed form is requested: both forms are separate statements and
        # need not hold together.
        closed = [_decoupled_bounds(each, delta, "closed") for each in by_split]
        if self.factor == "closed":
            return closed
        leaders = [*required, *self._leaders(by_split, closed, delta)]
        return [_decoupled_bounds(each, delta, self.factor, leaders) for each in by_split]

    def _leaders(self, by_split, closed, delta):
        """Candidates that are expected to lead by tables, on average over the splits."""
        on_all = set.intersection(*(set(each.candidates) for each in by_split))
        common = sorted(on_all)
        if not common:  # all rows are noise
            return []
        guides = [
            _guides(options, bounds, common, delta)
            for options, bounds in zip(by_split, closed, strict=True)
        ]
        expected, rates, n_cells = np.sum(guides, axis=0)
        # The best by both guides, then the best by the closed form, and so on.
        orders = [
            np.argsort(values, kind="stable") for values in (expected * rates, rates)
        ]
        in_turn = list(dict.fromkeys(np.stack(orders, axis=1).ravel().tolist()))
        # Fewer where tables take long.
        n_affordable = np.searchsorted(np.cumsum(n_cells[in_turn]), MOST_CELLS)
        n_leaders = np.clip(n_affordable, LEAST_LEADERS, MOST_LEADERS)
        return [common[i] for i in in_turn[:n_leaders]]


def _decoupled_bounds(split, delta, factor, candidates=None):
    """Bounds of the options of one split, of all candidates or of these."""
    bounds = np.full(len(split.options), np.nan)
    for k, (candidate, option, terms) in enumerate(zip(*split, strict=True)):
        if candidates is not None and candidate not in candidates:
            continue
        groups = ClusterKinds(*option.clusters.T)
        level = exact_decimal(delta) * total_weight(terms)
        if factor == "closed":
            bounds[k] = closed_bound(groups, level)
        else:
            bounds[k] = exact_decoupled_bound(groups, level, factor)
    return bounds


def _guides(split, bounds, candidates, delta):
    """The criteria of leaders: expected bounds, bounds, and the size of tables.

    Bounds by tables are expected to follow PAC-MDL bounds with names as cheap as the
    share of agreeing labels; the closed form often excludes next to nothing. Rows of
    clusters without labels count as wrong.
    """
    place = {i: k for k, i in enumerate(split.candidates)}
    places = [place[i] for i in candidates]
    options = [split.options[k] for k in places]
    groups = [ClusterKinds(*option.clusters.T) for option in options]
    n_test = np.array([option.n_test for option in options])
    # Rows of noise that a candidate has more than others count as wrong.
    n_rows = n_test.max()
    rates = (bounds[places] + n_rows - n_test) / n_rows
    n_cells = [group.n_cells for group in groups]
    counts, bits = [], []
    for k, option in zip(places, options, strict=True):
        n, m, a = option.clusters[option.clusters[:, 2] < option.clusters[:, 1]].T
        named = length_in_bits(total_weight(split.weights[k])) - np.log2(1 - a / m).sum()
        counts.append((m.sum(), (n - m).sum(), a.sum()))
        bits.append(named)
    labeled, rest, errors = np.array(counts, dtype=np.int64).T
    bound = pac_mdl_bound(labeled, rest, errors, description_length=bits, delta=delta)
    return np.stack([(bound + n_rows - rest) / n_rows, rates, n_cells])


#: The methods that come with the package, by name.
METHODS: dict[str, type[Method]] = {
    "decoupled": Decoupled,
    "pac-mdl": PacMdl,
    "learned": Learned,
    "holdout": HoldOut,
}
#: What ``certify`` may be: a name, a choice by the number of labels, or an object.
Certify = Literal["decoupled", "pac-mdl", "learned", "holdout", "auto"] | Method

_NAMES = sorted([*METHODS, "auto"])
# With fewer labels "auto" divides none. Of four, each part has one at least.
_FEW_LABELS = 4


def resolve(
    certify: Any,
    goal: Any,
    language: LanguageName | Language | None,
    n_labeled: int | None = None,
) -> Method:
    """The method that ``certify`` stands for; "auto" goes by the number of labels."""
    by_errors = goal.choose == "errors"
    if isinstance(certify, Method):
        method = certify
        if METHODS.get(str(method.kind)) is not type(method):
            _check_method(method)
    elif not isinstance(certify, str) or certify not in _NAMES:
        raise invalid("certify", f"one of {_NAMES} or an instance of Method", certify)
    elif certify == "auto":
        few = n_labeled is not None and n_labeled < _FEW_LABELS
        method = Decoupled() if few or by_errors else Learned()
    else:
        method = METHODS[certify]()
    if by_errors and method.fraction:
        allowed = "'auto' or a method in which all labels certify with choose='errors'"
        raise invalid("certify", allowed, certify)
    if language is not None:
        get_language(language)
        if method.chooses_first:
            raise ValueError(
                f"language must be None with certify={method.kind!r}, where it has no "
                f"effect, got language={shown(language)}."
            )
    # Each set of clusters has other bases, and so would have tables of its own.
    if goal.abstains and isinstance(method, Decoupled):
        return replace(method, factor="closed")
    return method


def _check_method(method):
    """Check a method of the user, whose name is that of a kind of certificates."""
    kind, fraction = method.kind, method.fraction
    if not isinstance(kind, str) or not kind or kind in _NAMES:
        raise invalid("kind", f"a text that is not empty and not one of {_NAMES}", kind)
    if not is_number(fraction) or not 0 <= fraction < 1:
        raise invalid("fraction", "in [0, 1)", fraction)
    if method.chooses_first and fraction == 0:
        raise invalid("fraction", "above 0 where the method chooses first", fraction)
    certificate: Any = getattr(method, "certificate", None)
    if getattr(certificate, "kind", None) != kind:
        raise invalid("certificate", f"a class of certificates of {kind!r}", certificate)
    if certificate.selects != (fraction > 0):
        allowed = "above 0" if certificate.selects else "0"
        raise invalid("fraction", f"{allowed} in certificates of {kind!r}", fraction)
