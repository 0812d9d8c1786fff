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
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..bounds import SELECTING_SHARE
from ..certificates import BoundCertificate, HoldoutCertificate, LearnedCertificate
from ..columns import ABSTAIN
from ..labeling import nearest_labeled
from ..languages import Language, LanguageName, get_language
from ..utils._checks import check_open_unit, invalid, shown
from ..utils._weights import length_in_bits, total_weight, weights_of_nats
from ._counts import ClusterCounts, majority

Terms = Mapping[str, Fraction]  # factors of a weight, by name


class Option(NamedTuple):
    """A labeling of clusters that may be claimed, with its counts and its weight."""

    classes: NDArray[np.integer]  # codes by cluster; -1 for those that are left out
    terms: Terms  # of the weight of the labeling
    n_train: int  # certifying rows that are given a class
    n_test: int  # unlabeled rows that are given a class
    train_errors: int  # among the n_train rows
    test_errors: int  # among the n_test rows; -1 if unknown

    @classmethod
    def of(cls, counts: ClusterCounts, classes: NDArray, terms: Terms) -> Option:
        """Count the rows and errors of a labeling."""
        accepted = np.flatnonzero(classes != ABSTAIN)
        given, test_errors = classes[accepted], -1
        certifying = counts.certify[accepted].sum(axis=1)
        wrong = certifying - counts.certify[accepted, given]
        if counts.hidden is not None:
            right = counts.hidden[accepted, given].sum()
            test_errors = int(counts.hidden[accepted].sum() - right)
        return cls(
            classes=classes,
            terms=terms,
            n_train=int(certifying.sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=int(wrong.sum()),
            test_errors=test_errors,
        )


class Method(ABC):
    """How labeled rows are used: what each gives clusters, and what that weighs."""

    # Weights are functions of sizes, selecting labels, distances and names of clusters.
    # So are the classes of a method that chooses first; those of others may depend on
    # certifying labels, too, since their weights account for it. If some rows select,
    # counts have only the classes of these, and certifying rows of other classes are in
    # the last column, as errors.

    kind: ClassVar[str]  # its name, and that of its certificates
    certificate: ClassVar[type[BoundCertificate]]
    fraction: float  # share of labeled rows, in [0, 1), that select; the others certify
    # Whether selecting rows alone choose the candidate, by the errors to expect among
    # them. The choice then costs no bits, and the other candidates have no bounds.
    chooses_first: ClassVar[bool] = False

    @abstractmethod
    def _labelings(
        self,
        counts: ClusterCounts,
        accepted: NDArray[np.bool_],
        language: Language,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[NDArray, Terms]]:
        """Generate labelings of the accepted clusters, with the terms of their weights.

        Classes of other clusters are ignored. The language weighs labels that cost bits;
        random numbers decide ties between classes.
        """

    def _candidate_weights(
        self, weights: Sequence[Terms], selection_errors: NDArray
    ) -> Sequence[Terms]:
        """Weights of candidates from those of the language and their selecting errors.

        The errors that selecting rows let expect are NaN for candidates that failed.
        """
        return weights

    def _weight(self, option: Option, candidate: Terms, favored: Fraction) -> Terms:
        """All terms of an option of a candidate, with its share of what favorites have.

        The products sum to at most 1 over all options that all candidates could have.
        """
        return {**candidate, **option.terms}  # a language has no terms of labelings


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

    fraction = 0.0
    kind = "pac-mdl"
    certificate = BoundCertificate

    def _labelings(self, counts, accepted, language, rng):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "fraction", check_open_unit("fraction", self.fraction))

    def _labelings(self, counts, accepted, language, rng):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "fraction", check_open_unit("fraction", self.fraction))

    def _labelings(self, counts, accepted, language, rng):
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
            if share := self._named_share(classes, named, counts):
                terms["named"] = share
            yield np.where(accepted, classes, ABSTAIN), terms

    def _named_share(
        self, classes: NDArray, named: NDArray, counts: ClusterCounts
    ) -> Fraction:
        """What a labeling has of the weight for the names that selecting rows give."""
        return Fraction(int(np.array_equal(classes, named)))

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

    def _candidate_weights(self, weights, selection_errors):
        # The larger the fewer errors the selecting rows show.
        prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
        nats = np.where(
            np.isnan(selection_errors),
            -np.inf,
            -self.sharpness * selection_errors - np.log(2) * np.array(prior),
        )
        # The other half is the language's: a good candidate that the selecting rows like
        # less than the best is certified nearly as good as it is. On 26 data sets the
        # median bound was 52.0% on average with it and 56.5% without, and the best 29.3%
        # either way (three draws, tried by hand).
        return [
            {"candidate": (by_errors + total_weight(terms)) / 2}
            for by_errors, terms in zip(weights_of_nats(nats), weights, strict=True)
        ]

    def _weight(self, option, candidate, favored):
        # The sum of all three parts, as the candidate's and that of its classes.
        terms = dict(option.terms)
        named, prior = terms.pop("named", 0), candidate["candidate"]
        of_other_names = 1 - self.of_preferred - self.of_named
        first = self.of_preferred * favored
        total = named * (first + self.of_named * prior)
        total += of_other_names * prior * terms["label"]
        share = first + (1 - self.of_preferred) * prior
        return {"candidate": share} | terms | {"label": total / share}


class _NamedByAll(Learned):
    """A prior by selecting rows, of which all labels choose and name a clustering."""

    # The prior has a weight for every labeling, so that a choice may look at the labels
    # that certify. Classes are those that the prior knows.
    #
    # All labels seldom give every cluster the name that selecting rows give it: only 4 of
    # 10 times on the 26 data sets of benchmarks/compare_choices.py. So a third of the
    # weight of a clustering is for these names, a third for all labelings that keep them
    # where rows select, and a third for all others. Mean bounds with 5, 10 and 50% of the
    # rows labeled are 60.6, 47.4 and 29.3%, and 61.5, 48.7 and 30.4% by the parts above;
    # without the first third 62.6, 49.0 and 29.8%. Parts of 0.5 to 0.8 for the favorite
    # differ by 0.1 (four draws, tried by hand).
    of_preferred = Fraction(7, 10)
    of_named = Fraction(2, 3)

    def _named_share(self, classes, named, counts):
        selects = counts.select[:, :-1].any(axis=1)
        kept = Fraction(1, counts.n_classes ** int(np.sum(~selects)))
        kept *= int(np.array_equal(classes[selects], named[selects]))
        return (super()._named_share(classes, named, counts) + kept) / 2

    def _weight(self, option, candidate, favored):
        terms = dict(option.terms)
        share = self.of_preferred * favored
        share += (1 - self.of_preferred) * candidate["candidate"]
        label = self.of_named * terms.pop("named", 0)
        label += (1 - self.of_named) * terms["label"]
        return {"candidate": share} | terms | {"label": label}

    def _offered(self, counts, named, parts, rng):
        yield majority(counts, counts.labeled, rng)


#: The methods that come with the package, by name.
METHODS: dict[str, type[Method]] = {
    "pac-mdl": PacMdl,
    "learned": Learned,
    "holdout": HoldOut,
}
#: What ``certify`` may be: a name, a choice by the number of labels, or an object.
Certify = Literal["pac-mdl", "learned", "holdout", "auto"] | PacMdl | Learned | HoldOut

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
    if type(certify) in METHODS.values():
        method = certify
    elif not isinstance(certify, str) or certify not in _NAMES:
        allowed = f"one of {_NAMES} or an instance of Learned, HoldOut or PacMdl"
        raise invalid("certify", allowed, certify)
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
