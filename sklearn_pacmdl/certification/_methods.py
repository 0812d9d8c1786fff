"""Methods of certification: which labeled rows choose, set weights and certify.

Every method makes *options* from the counts of a clustering. An option is a labeling of
its clusters, some perhaps without a class, with a weight that was fixed before the
certifying labels were seen. The weights of all options that a sweep could have sum to at
most 1, so the bounds of all of them hold at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from types import new_class
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..bounds import SELECTING_SHARE
from ..certificates import BoundCertificate, HoldoutCertificate, LearnedCertificate
from ..columns import ABSTAIN
from ..labeling import nearest_labeled
from ..languages import Language, LanguageName, get_language
from ..utils._checks import (
    as_array,
    check_open_unit,
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

    @classmethod
    def of(cls, counts: ClusterCounts, classes: np.ndarray, terms: Mapping) -> Option:
        """Make an option by counting the rows and errors of a labeling.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.
        terms : mapping of str to Fraction
            Factors of the weight of the labeling, by name.

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
        accepted = np.flatnonzero(codes != ABSTAIN)
        given, test_errors = codes[accepted], -1
        certifying = counts.certify[accepted].sum(axis=1)
        wrong = certifying - counts.certify[accepted, given]
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
        )


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
    certificate : type
        Class of certificates, with the same ``kind``. By default, a subclass of
        :class:`~sklearn_pacmdl.certificates.BoundCertificate`, made for the method.

    See Also
    --------
    Learned, HoldOut, PacMdl : Those that come with the package.

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
    Learned : Mostly tighter.

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
        if counts.names is not None:  # a classifier has one labeling only
            named = np.where(accepted, counts.names, ABSTAIN)
            yield named, dict.fromkeys(("label", "named"), Fraction(1))
            return
        # Weight of each class of each cluster by the selecting rows, times 2**30: as if
        # each row multiplied the odds of its class by e**certainty.
        shares = softmax(self.certainty * counts.select[:, :-1], axis=1)
        shares = (1 - self.unseen) * shares + self.unseen / shares.shape[1]
        parts = np.floor(_UNIT * _MARGIN * shares).astype(np.int64)
        named = majority(counts, counts.select, rng)
        offered = {own.tobytes(): own for own in self._offered(counts, named, parts, rng)}
        where = np.flatnonzero(accepted)
        denominator = _UNIT ** len(where)
        for classes in offered.values():
            numerator = prod(parts[where, classes[where]].tolist())
            terms = {"label": Fraction(numerator, denominator)}
            if np.array_equal(classes, named):
                terms["named"] = Fraction(1)
            yield np.where(accepted, classes, ABSTAIN), terms

    def _offered(
        self,
        counts: ClusterCounts,
        named: np.ndarray,
        parts: NDArray[np.integer],
        rng: np.random.RandomState,
    ) -> Iterable[np.ndarray]:
        """What the selecting rows call the clusters, and trades of errors for bits."""
        yield named
        bits = np.log2(_UNIT / parts)
        errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
        noise = rng.uniform(size=parts.shape)
        for trade in self.trades:
            cost = errors + trade * bits
            cheapest = cost == cost.min(axis=1, keepdims=True)
            classes = (cheapest * (1 + noise)).argmax(axis=1)
            named_clusters = counts.labeled[:, :-1].any(axis=1)
            yield nearest_labeled(classes, named_clusters, counts.distances)

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


class _NamedByAll(Learned):
    """The same prior, of which clusters get their most common class of all labels."""

    # The prior has a weight for every labeling, so that a choice may look at the labels
    # that certify. Classes are those that the prior knows.

    def _offered(self, counts, named, parts, rng):
        yield majority(counts, counts.labeled, rng)


#: The methods that come with the package, by name.
METHODS: dict[str, type[Method]] = {
    "pac-mdl": PacMdl,
    "learned": Learned,
    "holdout": HoldOut,
}
#: What ``certify`` may be: a name, a choice by the number of labels, or an object.
Certify = Literal["pac-mdl", "learned", "holdout", "auto"] | Method

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
        method = PacMdl() if few else Learned()
    else:
        method = METHODS[certify]()
    if by_errors and method.chooses_first:
        allowed = (
            f"'bound' with certify={method.kind!r}, where labels that certify must not "
            "choose"
        )
        raise invalid("choose", allowed, goal.choose)
    if language is not None:
        get_language(language)
        if method.chooses_first:
            raise ValueError(
                f"language must be None with certify={method.kind!r}, where it has no "
                f"effect, got language={shown(language)}."
            )
    if by_errors and type(method) is Learned:
        return _NamedByAll(method.fraction)
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
