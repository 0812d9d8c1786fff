"""How labeled rows are spent: on the choice, on its weights, on its certification.

Every way makes *options* of the counts of a partition: labelings of its clusters, some
perhaps left without label, each with a weight that was fixed before the certifying labels
were seen. The weights of all options that a sweep could have sum to at most 1, so the
bounds of all of them hold at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import comb, floor, prod
from typing import Any, NamedTuple

import numpy as np

from ..bounds import pac_mdl_bound
from ..labeling import majority_classes, nearest_labeled
from ..labeling._majority import ABSTAIN
from ..utils._checks import shown
from ..utils._weights import length_in_bits, weight_of_length

# Part of a label that every class of every cluster is thought to have been seen with.
_SMOOTHING = Fraction(1, 1000)
# Errors on certifying rows that a bit is traded for, when a cluster's class is chosen.
_TRADES = (1e-6, 0.3, 1.0, 2.0, 4.0, 8.0, 1e6)
# Nats by which an error more makes a candidate less likely.
_SHARPNESS = 2.0
# Errors that a cluster more must save for a candidate to be chosen.
_PENALTY = 0.1
# Nested sets of clusters are those that promise these multiples of the target, and
# those with these shares of the rows of the set that promises the target.
_LEVELS = (0.7, 1.0, 1.3, 1.6, 2.0)
_SHARES = (0.4, 0.7, 0.9)


class Counts(NamedTuple):
    """What is counted of a partition on one split, cluster by cluster.

    Tables have a column for each class and a last one for labels that are none of them.
    """

    sizes: np.ndarray  # (c,) all rows
    select: np.ndarray  # (c, l + 1) labeled rows that may set weights
    certify: np.ndarray  # (c, l + 1) the other labeled rows
    test: np.ndarray  # (c,) unlabeled rows
    hidden: np.ndarray | None  # (c, l + 1) their labels, where known
    distances: Callable[[], np.ndarray | None] = lambda: None  # (c, c), where there are

    @property
    def n_classes(self):
        return self.select.shape[1] - 1


class Option(NamedTuple):
    """A labeling of the clusters of a partition, and its weight among such labelings."""

    classes: np.ndarray  # (c,) class codes, or ABSTAIN
    terms: Mapping[str, Fraction]  # what its weight is the product of
    n_train: int  # certifying rows with a class
    n_test: int  # unlabeled rows with a class
    train_errors: int
    test_errors: int  # -1 where unknown


def make_option(counts, classes, **terms):
    """Count what a labeling does."""
    accepted = np.flatnonzero(classes != ABSTAIN)

    def errors(table):
        return int(table[accepted].sum() - table[accepted, classes[accepted]].sum())

    return Option(
        classes=classes,
        terms=terms,
        n_train=int(counts.certify[accepted].sum()),
        n_test=int(counts.test[accepted].sum()),
        train_errors=errors(counts.certify),
        test_errors=-1 if counts.hidden is None else errors(counts.hidden),
    )


def left_out_errors(table):
    """Expected errors when each row's class is guessed from the others of its cluster.

    Parameters
    ----------
    table : ndarray of shape (n_clusters, n_classes + 1)
        As in :class:`Counts`; rows of the last column are always errors.

    Returns
    -------
    errors : ndarray of shape (n_clusters,)
        Leave-one-out errors of the majority class, ties by chance.
    """
    counts = table[:, :-1]
    rest = counts - 1  # of a row's own class
    others = np.where(
        np.eye(counts.shape[1], dtype=bool), -1, counts[:, None, :]
    )  # [cluster, own class, other class]
    most = others.max(axis=2)
    tied = (others == rest[:, :, None]).sum(axis=2)
    right = np.where(rest > most, 1.0, np.where(rest == most, 1 / (1 + tied), 0.0))
    return (counts * (1 - right)).sum(axis=1) + table[:, -1]


def _majority(counts, table, rng):
    """Most common class of each cluster, for clusters without labels the nearest's."""
    return _like_nearest(counts, majority_classes(table[:, :-1], rng), table)


def _like_nearest(counts, classes, table):
    """Any rule will do that sees rows, and labels that name clusters, and no others."""
    return nearest_labeled(classes, table[:, :-1].any(axis=1), counts.distances)


def tightest(claims):
    """The claim with the smallest bound; of equals, the shortest description."""
    return min(claims, key=lambda c: (c.bound, c.description_length), default=None)


@dataclass(frozen=True)
class PacMdl:
    """All labels certify; whatever is chosen is paid for in bits."""

    kind = "pac-mdl"
    chosen_by = "test_bound"  # column of the table
    by_selection = False  # whether the candidate is chosen before certification
    fraction = 0.0
    abstains = False
    best = staticmethod(tightest)

    def options(self, counts, language, rng):
        classes = _majority(counts, counts.certify, rng)
        weight = _label_weight(language, counts, classes)
        return [make_option(counts, classes, label=weight)]

    def candidate_terms(self, weights, selection_errors):
        """Weights of the candidates, by term."""
        return weights

    def selection_errors(self, counts):
        """What a candidate is chosen or weighed by, without the certifying labels."""
        return 0.0

    def selection_columns(self, errors, n_select, n_others):
        """Columns of the table that say so."""
        return {}


@dataclass(frozen=True)
class Learned:
    """Some labels set the weights of candidates and of labels, the others certify."""

    fraction: float = 0.3
    kind = "learned"
    chosen_by = "test_bound"
    abstains = False
    by_selection = False
    best = staticmethod(tightest)

    def options(self, counts, language, rng):
        every = np.ones(len(counts.sizes), dtype=bool)
        return [
            make_option(counts, classes, label=weight)
            for classes, weight in learned_labelings(counts, every, rng)
        ]

    def candidate_terms(self, weights, selection_errors):
        return learned_candidate_terms(weights, selection_errors)

    def selection_errors(self, counts):
        return left_out_errors(counts.select).sum()

    def selection_columns(self, errors, n_select, n_others):
        return {"selection_error": errors / n_select}


@dataclass(frozen=True)
class HoldOut:
    """Some labels choose and label one clustering, the others certify just that."""

    fraction: float = 0.5
    kind = "holdout"
    chosen_by = "selection_error"
    abstains = False
    by_selection = True
    best = staticmethod(tightest)

    def options(self, counts, language, rng):
        return [make_option(counts, _majority(counts, counts.select, rng))]

    def candidate_terms(self, weights, selection_errors):
        return [{} for _ in weights]

    def selection_errors(self, counts):
        # Of many candidates the luckiest has too many clusters rather than too few.
        return left_out_errors(counts.select).sum() + _PENALTY * len(counts.sizes)

    def selection_columns(self, errors, n_select, n_others):
        return {"selection_error": errors / n_select}


def _label_weight(language, counts, classes):
    """The language's, checked."""
    weight = language.label_weight(
        counts.sizes.tolist(), classes.tolist(), counts.n_classes
    )
    if not isinstance(weight, Fraction) or not 0 < weight <= 1:
        raise ValueError(
            "label_weight of a language must return a Fraction in (0, 1], got "
            f"{weight!r} from {language!r}."
        )
    return weight


def learned_labelings(counts, accepted, rng):
    """Labelings of the accepted clusters, with weights learned from selecting rows.

    The weight of a class of a cluster is its share among the cluster's selecting rows,
    smoothed. Which class is given depends on the certifying rows too, which is what the
    weights pay for: several trades of errors against bits are offered.
    """
    seen, n_classes = counts.select[:, :-1], counts.n_classes
    unit = _SMOOTHING.denominator
    parts = unit * seen + _SMOOTHING.numerator  # weights are ratios of whole numbers
    totals = parts.sum(axis=1)
    bits = np.log2(totals[:, None] / parts)
    errors = counts.certify.sum(axis=1, keepdims=True) - counts.certify[:, :-1]
    noise = rng.uniform(size=(len(seen), n_classes))
    offered: dict[bytes, np.ndarray] = {}
    for trade in _TRADES:
        cost = errors + trade * bits
        cheapest = cost == cost.min(axis=1, keepdims=True)
        classes = (cheapest * (1 + noise)).argmax(axis=1)
        classes = _like_nearest(counts, classes, counts.select + counts.certify)
        classes = np.where(accepted, classes, ABSTAIN)
        offered.setdefault(classes.tobytes(), classes)
    where = np.flatnonzero(accepted)
    denominator = prod(totals[where].tolist())
    for classes in offered.values():
        numerator = prod(parts[where, classes[where]].tolist())
        yield classes, Fraction(numerator, denominator)


def learned_candidate_terms(weights, selection_errors):
    """Weights of candidates, the larger the fewer errors selecting rows show."""
    prior = [sum(map(length_in_bits, terms.values())) for terms in weights]
    nats = np.where(
        np.isnan(selection_errors),
        -np.inf,
        -_SHARPNESS * selection_errors - np.log(2) * np.array(prior),
    )
    nats -= nats.max()
    bits = (np.logaddexp.reduce(nats) - nats) / np.log(2)
    # Far less than what rounding down leaves for a candidate that failed.
    return [{"candidate": weight_of_length(min(b, 10_000.0))} for b in bits]


# ---- With clusters left unlabeled


@dataclass(frozen=True)
class Selective:
    """Options that leave some clusters unlabeled, for a target error."""

    base: Any  # PacMdl, Learned or HoldOut
    target: float
    delta: float
    abstains = True

    @property
    def kind(self):
        return self.base.kind

    @property
    def chosen_by(self):
        return "expected_coverage" if self.by_selection else "coverage"

    @property
    def fraction(self):
        return self.base.fraction

    @property
    def by_selection(self):
        return self.base.by_selection

    def candidate_terms(self, weights, selection_errors):
        return self.base.candidate_terms(weights, selection_errors)

    def best(self, claims):
        """The claim that labels most rows within the target, or None."""
        within = [claim for claim in claims if claim.bound <= self.target]
        return min(within, key=lambda c: (-c.option.n_test, c.bound), default=None)

    def options(self, counts, language, rng):
        if self.kind == "pac-mdl":
            return list(self._paid_subsets(counts, language, rng))
        return list(self._nested_sets(counts, rng))

    def _paid_subsets(self, counts, language, rng):
        """For every number k of clusters the k that look purest on certifying rows.

        Any subset may have been chosen: 1 / c for how many, 1 / (c over k) for which.
        """
        majority = _majority(counts, counts.certify, rng)
        c = len(majority)
        seen = counts.certify.sum(axis=1)
        wrong = seen - counts.certify[np.arange(c), majority]
        order = np.lexsort((-counts.sizes, (wrong + 1) / (seen + 2)))
        for k in range(1, c + 1):
            subset = np.sort(order[:k])
            accepted = counts._replace(sizes=counts.sizes[subset])
            weight = _label_weight(language, accepted, majority[subset])
            classes = np.full(c, ABSTAIN)
            classes[subset] = majority[subset]
            subset_weight = Fraction(1, c * comb(c, k))
            yield make_option(counts, classes, label=weight, subset=subset_weight)

    def _nested_sets(self, counts, rng):
        """A few nested sets, fixed by selecting rows; each is paid for alike."""
        order, bounds, rest = self._promise(counts)
        reached = {int(np.sum(bounds <= level * self.target)) for level in _LEVELS}
        rows = np.cumsum(rest)
        kept = rows[max(np.sum(bounds <= self.target), 1) - 1]
        reached |= {int(np.searchsorted(rows, share * kept)) for share in _SHARES}
        sizes = sorted(reached - {0}) or [1]
        paid = Fraction(1, len(sizes))
        label = self._label_learned if self.kind == "learned" else self._label_majority
        for size in sizes:
            accepted = np.zeros(len(counts.sizes), dtype=bool)
            accepted[order[:size]] = True
            yield from label(counts, accepted, paid, rng)

    @staticmethod
    def _label_majority(counts, accepted, paid, rng):
        majority = _majority(counts, counts.select, rng)
        yield make_option(counts, np.where(accepted, majority, ABSTAIN), subset=paid)

    @staticmethod
    def _label_learned(counts, accepted, paid, rng):
        for classes, weight in learned_labelings(counts, accepted, rng):
            yield make_option(counts, classes, label=weight, subset=paid)

    def selection_errors(self, counts):
        errors = self.base.selection_errors(counts)
        if self.kind != "holdout":
            return errors
        # Among candidates that leave out as many rows the one with fewest errors.
        return self._rows_left(counts) + errors / (errors + counts.sizes.sum())

    def selection_columns(self, errors, n_select, n_others):
        if self.kind == "holdout":
            return {"expected_coverage": 1 - np.floor(errors) / n_others}
        return self.base.selection_columns(errors, n_select, n_others)

    def _rows_left(self, counts):
        """Rows in clusters that could not be certified, by the selecting rows."""
        _, bounds, rest = self._promise(counts)
        kept = np.sum(bounds <= self.target)
        return float(rest.sum() - rest[:kept].sum())

    def _promise(self, counts):
        """Clusters from the purest, with the bounds that so many of them promise.

        Nothing here knows which rows certify: of the rows that do not select, the same
        share of every cluster is taken to.

        Returns
        -------
        order : ndarray of shape (c,)
        bounds : ndarray of shape (c,)
            Expected bound for the first k clusters, k = 1..c, made to grow with k.
        rest : ndarray of shape (c,)
            Rows of each, in that order, that do not select.
        """
        seen, wrong = counts.select.sum(axis=1), left_out_errors(counts.select)
        rest = counts.sizes - seen
        order = np.lexsort((-rest, (wrong + 0.5) / (seen + 1)))
        certifying = counts.certify.sum() / max(rest.sum(), 1)
        rows = np.cumsum(rest[order])
        m = np.floor(certifying * rows).astype(np.int64)
        rates = np.cumsum(wrong[order]) / np.maximum(np.cumsum(seen[order]), 1)
        a = np.minimum(np.ceil(m * rates).astype(np.int64), m)
        n = np.maximum(rows - m, 1)
        bits = np.log2(len(_LEVELS) + len(_SHARES))
        bounds = pac_mdl_bound(m, n, a, description_length=bits, delta=self.delta) / n
        # Suffixes' minima: a larger set that promises as much is preferred.
        bounds = np.minimum.accumulate(bounds[::-1])[::-1]
        return order, bounds, rest[order]


STRATEGIES = {"pac-mdl": PacMdl, "learned": Learned, "holdout": HoldOut}


def make_strategy(certify, fraction, default=None):
    """The strategy of this name, with the default fraction where None is given.

    Defaults may be other than the strategy's own.

    Raises
    ------
    ValueError
        If there is no such strategy, or the fraction is not in (0, 1) or not used.
    """
    if not isinstance(certify, str) or certify not in STRATEGIES:
        raise ValueError(
            f"certify must be one of {sorted(STRATEGIES)}, got {shown(certify)}."
        )
    if fraction is None:
        fraction = (default or {}).get(certify)
    if fraction is None:
        return STRATEGIES[certify]()
    if certify == "pac-mdl":
        raise ValueError(
            "select_fraction must be None with certify='pac-mdl', where all labeled "
            f"rows certify, got {shown(fraction)}."
        )
    if not isinstance(fraction, float | np.floating) or not 0 < fraction < 1:
        raise ValueError(
            f"select_fraction must be in the open interval (0, 1), got {shown(fraction)}."
        )
    return STRATEGIES[certify](float(fraction))


def divide(train, strategy, seed):
    """Labeled rows that select and labeled rows that certify, at random.

    The set of labeled rows is part of the seed, so every set has a division of its own.
    Were it a fixed pattern of ranks or of places in the file, then at some seeds the
    selecting rows of a file sorted by class would miss whole classes, whichever rows are
    labeled, and the guarantee would fail far more often than delta.

    Parameters
    ----------
    train : ndarray of shape (n_labeled,) of int
        Row indices.
    strategy : object
        Its ``fraction`` of the rows selects.
    seed : sequence of int
        Must not be chosen by looking at the data.

    Returns
    -------
    select, certify : ndarray of int
        Row indices, sorted.

    Raises
    ------
    ValueError
        If one of the two would be empty.
    """
    rows = np.sort(train)
    if strategy.fraction == 0:
        return rows[:0], rows
    n_select = floor(Fraction(repr(strategy.fraction)) * len(rows))
    if not 0 < n_select < len(rows):
        raise ValueError(
            f"certify={strategy.kind!r} needs labeled rows to select and others to "
            f"certify; select_fraction={strategy.fraction} of {len(rows)} labeled "
            f"rows is {n_select}."
        )
    code = sha256(rows.astype("<i8").tobytes()).digest()
    words = np.frombuffer(code, dtype="<u4")
    order = np.random.RandomState([*seed, *words]).permutation(len(rows))
    return np.sort(rows[order[:n_select]]), np.sort(rows[order[n_select:]])
