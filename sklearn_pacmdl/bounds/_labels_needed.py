"""How many labels are needed: the bound to expect before any label is seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log2, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..utils._checks import (
    check_integer,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
    is_number,
    shown,
)
from ..utils._weights import weight_of_length
from ._arrays import Floats, as_counts, check_at_most
from ._expected import ClusterSizes
from ._pac_mdl import pac_mdl_bound
from ._shares import selecting_share
from ._tail import MAX_COUNT, log_tail, tolerance

Certify = Literal["decoupled", "pac-mdl", "holdout", "learned"]
_DIVIDED = ("holdout", "learned")  # ways in which some labels do not certify


def choice_bits(n_candidates: int) -> float:
    """Bits of a choice under "decoupled", if all candidates have the same weight."""
    return log2(n_candidates)


# Bits by way to certify, of n_clusters, n_classes and n_candidates, unless the caller
# knows better.
_BITS: dict[str, Callable[[int, int, int], float]] = {
    "decoupled": lambda c, k, choices: choice_bits(choices),
    "pac-mdl": lambda c, k, choices: c * log2(k) + log2(choices),
    "holdout": lambda c, k, choices: 0.0,
    "learned": lambda c, k, choices: float(c),
}

# Both decide about speed alone; measured on 10**4 to 10**10 rows.
_PIECES = 16  # that a range of label counts is cut into: 32 are as fast, 4 half as fast
_BATCH = 512  # ranges looked at together, the last first: 32 to 8192 are as fast


# Bits of the choice among candidates whose weights were learned, if there are as many.
_LEARNED_CHOICE = 2.0


@dataclass(frozen=True)
class PlannedWays:
    """Bounds to expect by kind of certificate, for clusters of which the labels are not
    known."""

    clusters: ClusterSizes
    n_classes: int | None
    delta: float
    choice: float  # bits of the clustering, where its choice costs any
    shares: Mapping[str, float]  # of labels that do not certify, where not the default
    paid: float = 0.0  # bits of the clustering and of classes, where both cost bits

    def _share(self, kind: str) -> float:
        if kind == "pac-mdl":
            return 0.0
        return selecting_share(float(self.clusters.times.sum()))

    def bound(self, kind: str, n_labeled: int) -> float:
        """The bound as a rate, for "decoupled", "pac-mdl", "learned" or "holdout"."""
        every = self.clusters.labeled(n_labeled)
        if kind == "decoupled":
            level = exact_decimal(self.delta) * weight_of_length(self.choice)
            return every.decoupled_bound(n_labeled, level)
        share = exact_decimal(self.shares.get(kind, self._share(kind)))
        select = self.clusters.labeled(int(share * n_labeled))
        bits = {"pac-mdl": self.paid, "holdout": 0.0}.get(kind)
        if bits is None:
            bits = select.learned_bits(self.n_classes or max(n_labeled, 2))
            bits += min(self.choice, _LEARNED_CHOICE)
        # In a cluster without labels any class is as likely; the nearest's does better.
        blind = 1 - 1 / self.n_classes if self.n_classes else 1.0
        named = select if kind == "holdout" else every
        rate = exact_decimal(named.named_rate(blind))
        plan = _Plan(self.clusters.n_rows, rate, 0.5, share, bits, self.delta)
        return float(plan.bounds(np.array([float(n_labeled)]))[0])


def _floor(fraction: Fraction, counts: Floats) -> Floats:
    """``fraction * counts`` rounded down, in integers."""
    exact = counts.astype(np.int64).astype(object)
    return (exact * fraction.numerator // fraction.denominator).astype(float)


def _error_quantile(
    n_rows: Floats, n_errors: Floats, n_drawn: Floats, quantile: float
) -> Floats:
    """Smallest number of errors that random rows do not exceed with this probability.

    ``n_drawn`` of ``n_rows`` are drawn, without replacement; flat float64 arrays.
    """
    rate = n_errors / n_rows
    mean = n_drawn * rate
    undrawn = n_rows - n_drawn
    spread = np.sqrt(mean * (1 - rate) * undrawn / np.maximum(n_rows - 1, 1))
    # Cantelli's inequality, widened by one for rounding errors.
    odds = np.sqrt(quantile / (1 - quantile))
    least, most = np.maximum(n_errors - undrawn, 0), np.minimum(n_errors, n_drawn)
    low = np.clip(np.floor(mean - spread / odds) - 1, least, most)
    high = np.clip(np.ceil(mean + spread * odds) + 1, least, most)
    probe, step = np.clip(np.round(mean + spread * ndtri(quantile) - 0.5), low, high), 1
    log_quantile = np.log(quantile)
    while np.any(low < high):
        log_cdf, _ = log_tail(n_drawn, undrawn, probe, n_errors - probe)
        # Within rounding error of the quantile, a probability counts as reaching it.
        reached = log_cdf >= log_quantile - tolerance(n_rows, log_cdf, log_quantile)
        low, high = np.where(reached, low, probe + 1), np.where(reached, probe, high)
        # In growing steps away from the Gaussian's quantile, then by halves.
        probe += np.where(reached, -step, step)
        inside = (low <= probe) & (probe < high)
        probe, step = np.where(inside, probe, np.floor((low + high) / 2)), 2 * step
    return high


@dataclass(frozen=True)
class _Plan:
    """What is known, or supposed, before rows are labeled."""

    n_total: int
    expected_error: Fraction
    quantile: float
    set_aside: Fraction
    description_length: float
    delta: float

    def bound(self, first: Floats, last: Floats) -> Floats:
        """A rate that the bounds for ``first`` to ``last`` labels are not above."""
        # Where both are the same: the bound. Otherwise every argument is taken where, in
        # this range, it makes the bound largest. The number of errors falls with
        # certifying labels and rises with unlabeled rows and with errors seen. These rise
        # with the labels drawn and the errors there are, and fall with the rows drawn
        # from.
        aside = _floor(self.set_aside, first), _floor(self.set_aside, last)
        n_train = first - aside[0]
        n_rows = self.n_total - aside[1]
        n_errors = -_floor(-self.expected_error, self.n_total - aside[0])  # rounded up
        n_seen = _error_quantile(
            n_rows, np.minimum(n_errors, n_rows), last - aside[1], self.quantile
        )
        most = pac_mdl_bound(
            n_train,
            self.n_total - first,
            np.minimum(n_seen, n_train),
            description_length=self.description_length,
            delta=self.delta,
        )
        return most / (self.n_total - last)

    def bounds(self, n_labeled: Floats) -> Floats:
        """The bounds for numbers of labels."""
        return self.bound(n_labeled, n_labeled)

    def last_violation(self, target: float) -> int:
        """Largest number of labels, up to half the rows, with a bound above it, or 0."""
        # Ranges in which no bound can be above the target are given up, the others are
        # cut, down to single numbers. The last ranges come first, and those below a
        # violation are not looked at.
        violation = 0
        first, last = np.array([1.0]), np.array([float(self.n_total // 2)])
        while first.size:
            head, tail = first[-_BATCH:], last[-_BATCH:]
            open_ = self.bound(head, tail) > target
            violation = max(violation, int(head[open_ & (head == tail)].max(initial=0)))
            pieces = cut(head[open_], tail[open_])
            first = np.concatenate([first[:-_BATCH], pieces[0]])
            last = np.concatenate([last[:-_BATCH], pieces[1]])
            later = last > violation
            first, last = first[later], last[later]
        return violation


def cut(first: Floats, last: Floats) -> tuple[Floats, Floats]:
    """Each range of integers in up to ``_PIECES`` pieces, in increasing order."""
    edges = np.linspace(first, last + 1, _PIECES + 1, axis=1).round()
    starts, stops = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return starts[starts < stops], stops[starts < stops] - 1


@dataclass(frozen=True)
class _DecoupledPlan:
    """The same where all labels certify, and the classes of clusters cost no bits."""

    clusters: ClusterSizes
    expected_error: float
    quantile: float
    level: Fraction

    def bounds(self, n_labeled: Floats) -> Floats:
        """The bounds for numbers of labels, each computed once."""
        numbers, which = np.unique(n_labeled.astype(int), return_inverse=True)
        return np.array([self._bound(m) for m in numbers.tolist()], dtype=float)[which]

    def _bound(self, n_labeled: int) -> float:
        expected = self.clusters.labeled(n_labeled, self._errors(n_labeled))
        return expected.decoupled_bound(n_labeled, self.level)

    def _errors(self, n_labeled: int) -> float:
        """A quantile of the errors seen, by Gauss's law, relative to their mean."""
        p, n_rows = self.expected_error, self.clusters.n_rows
        if not p or not n_labeled:
            return 1.0
        unseen = (n_rows - n_labeled) / max(n_rows - 1, 1)
        spread = sqrt((1 - p) / p * unseen / n_labeled)
        return max(0.0, 1 + float(ndtri(self.quantile)) * spread)

    def last_violation(self, target: float) -> int:
        """Number of labels with a bound above the target that one more is not above."""
        # From half the rows downward in steps of a third, and by halving the last step. A
        # lower target never gives a smaller number: where two searches part, that for the
        # lower one goes on above.
        low = high = self.clusters.n_rows // 2
        while low and self._bound(low) <= target:
            low, high = low * 2 // 3, low
        while high - low > 1:
            middle = (low + high) // 2
            if self._bound(middle) > target:
                low = middle
            else:
                high = middle
        return low


def _check_set_aside(certify: str, fraction: Any, n_clusters: int) -> Fraction:
    """Share of the labels that is set aside, exactly."""
    if fraction is None:
        if certify not in _DIVIDED:
            return Fraction(0)
        return exact_decimal(selecting_share(n_clusters))
    if certify not in _DIVIDED:
        raise ValueError(
            f"select_fraction must be None where certify is {certify!r}, which sets no "
            f"labels aside, got {shown(fraction)}."
        )
    check_open_unit("select_fraction", fraction)
    return exact_decimal(fraction)


def _check_clusters(n_total: int, n_clusters: Any, cluster_sizes: Any) -> Floats | None:
    """Sizes of the clusters; None where only their number is known."""
    if (n_clusters is None) == (cluster_sizes is None):
        raise ValueError(
            "Either n_clusters or cluster_sizes must be given, got "
            f"n_clusters={shown(n_clusters)} and cluster_sizes={shown(cluster_sizes)}."
        )
    if cluster_sizes is None:
        check_integer("n_clusters", n_clusters, 1, MAX_COUNT)
        return None
    (sizes,) = as_counts(cluster_sizes=cluster_sizes)
    if sizes.ndim != 1 or sizes.sum() != n_total:
        allowed = f"counts of n_total = {n_total} rows, by cluster"
        raise invalid("cluster_sizes", allowed, cluster_sizes)
    return sizes


def _check_bits(
    kind: str, description_length: Any, n_clusters: int, n_classes: Any, choices: Any
) -> float:
    """Bits that the labeling is supposed to cost."""
    check_integer("n_candidates", choices, 1, MAX_COUNT)
    if n_classes is not None:
        check_integer("n_classes", n_classes, 1, MAX_COUNT)
    if description_length is not None:
        allowed = "None or a non-negative number of bits"
        if not is_number(description_length) or description_length < 0:
            raise invalid("description_length", allowed, description_length)
        return float(description_length)
    if n_classes is None and kind == "pac-mdl":
        allowed = "an integer where certify is 'pac-mdl', since classes cost bits"
        raise invalid("n_classes", allowed, n_classes)
    return _BITS[kind](n_clusters, n_classes or 1, choices)


def _make_plan(
    n_total,
    expected_error,
    n_clusters,
    cluster_sizes,
    n_classes,
    delta,
    quantile,
    n_candidates,
    certify,
    select_fraction,
    description_length,
) -> _Plan | _DecoupledPlan:
    check_option("certify", certify, list(_BITS))
    if not is_number(expected_error) or not 0 <= expected_error < 1:
        raise invalid("expected_error", "a number in [0, 1)", expected_error)
    check_integer("n_total", n_total, 2, MAX_COUNT)
    check_open_unit("quantile", quantile)
    check_open_unit("delta", delta)
    sizes = _check_clusters(n_total, n_clusters, cluster_sizes)
    number = n_clusters if sizes is None else int(np.count_nonzero(sizes))
    set_aside = _check_set_aside(certify, select_fraction, number)
    bits = _check_bits(certify, description_length, number, n_classes, n_candidates)
    if certify != "decoupled":
        error = exact_decimal(expected_error)
        return _Plan(n_total, error, quantile, set_aside, bits, delta)
    clusters = (
        ClusterSizes.even(n_total, n_clusters, expected_error)
        if sizes is None
        else ClusterSizes.of(sizes, expected_error)
    )
    level = exact_decimal(delta) * weight_of_length(bits)
    return _DecoupledPlan(clusters, expected_error, quantile, level)


def planned_bound(
    n_total: int,
    n_labeled: ArrayLike,
    *,
    expected_error: float = 0.0,
    n_clusters: int | None = None,
    cluster_sizes: ArrayLike | None = None,
    n_classes: int | None = None,
    delta: float = 0.1,
    quantile: float = 0.5,
    n_candidates: int = 1,
    certify: Certify = "decoupled",
    select_fraction: float | None = None,
    description_length: float | None = None,
) -> Any:
    """Compute the bound to expect, as a rate, for given numbers of labels.

    This is a plan and not a guarantee. It is reached with a probability of about
    ``quantile`` if the rows to label are drawn at random and the labeling is wrong on
    ``expected_error`` of all rows. See the notes of :func:`labels_needed`.

    Parameters
    ----------
    n_total : int
        Rows, labeled or not; from 2 to 2**51.
    n_labeled : int or array-like of int
        Rows that get a label, from 0 to ``n_total - 1``.
    expected_error : float, default=0.0
        As in :func:`labels_needed`.
    n_clusters, cluster_sizes, n_classes : int or array-like of int, default=None
        As in :func:`labels_needed`.
    delta, quantile : float
        As in :func:`labels_needed`.
    n_candidates : int, default=1
        As in :func:`labels_needed`.
    certify : {"decoupled", "pac-mdl", "holdout", "learned"}, default="decoupled"
        As in :func:`labels_needed`.
    select_fraction, description_length : float, default=None
        As in :func:`labels_needed`.

    Returns
    -------
    bound : float or ndarray of float64
        Share of the unlabeled rows, in [0, 1]; lower is better. Where all labels certify
        and classes cost no bits it falls steadily, up to about half the rows; else it
        jumps up with each additional expected error.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    labels_needed : The number of labels from which on this is below a target.
    decoupled_bound, pac_mdl_bound : The bounds once the labels are there.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Theorem 1.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import planned_bound
    >>> bound = planned_bound(
    ...     50_000, [100, 1000, 10_000], expected_error=0.05, n_clusters=10
    ... )
    >>> print(bound.round(3))
    [0.131 0.071 0.056]
    """
    clusters = expected_error, n_clusters, cluster_sizes, n_classes
    costs = certify, select_fraction, description_length
    plan = _make_plan(n_total, *clusters, delta, quantile, n_candidates, *costs)
    (m,) = as_counts(n_labeled=n_labeled)
    check_at_most(m, np.full_like(m, n_total - 1), "n_labeled", "n_total - 1")
    return plan.bounds(m.ravel()).reshape(m.shape)[()]


def labels_needed(
    n_total: int,
    *,
    target: float,
    expected_error: float = 0.0,
    n_clusters: int | None = None,
    cluster_sizes: ArrayLike | None = None,
    n_classes: int | None = None,
    delta: float = 0.1,
    quantile: float = 0.5,
    n_candidates: int = 1,
    certify: Certify = "decoupled",
    select_fraction: float | None = None,
    description_length: float | None = None,
) -> int:
    """Compute the smallest number of labels expected to certify a target error rate.

    From this number on, up to half the rows, :func:`planned_bound` is at most ``target``.
    It is assumed that the rows to label are drawn at random, and that the labeling is
    wrong on a share ``expected_error`` of all rows. This is a plan and not a guarantee:
    what is certified in the end depends on the errors seen.

    Parameters
    ----------
    n_total : int
        Rows, labeled or not; from 2 to 2**51.
    target : float
        Target bound on the error rate of the unlabeled rows, in (0, 1).
    expected_error : float, default=0.0
        Share of all rows that the labeling will label wrongly, in [0, 1), about the same
        in all clusters.
    n_clusters : int, default=None
        Number of clusters, at least 1, which are taken to be of the same size. Not used
        with ``description_length``, unless ``certify`` is "decoupled".
    cluster_sizes : array-like of int of shape (n_clusters,), default=None
        Rows of each cluster, labeled or not, ``n_total`` together; instead of
        ``n_clusters`` where the clusters are known.
    n_classes : int, default=None
        Number of classes, at least 1. Required with "pac-mdl", where the classes of
        clusters cost bits.
    delta : float, default=0.1
        Probability, in (0, 1), with which the certificate may be wrong.
    quantile : float, default=0.5
        Probability, in (0, 1), of seeing no more errors than planned for. At 0.5 the
        target is met in at least half of all cases, at 0.9 in nine out of ten.
    n_candidates : int, default=1
        Clusterings among which the labels choose; at least 1.
    certify : {"decoupled", "pac-mdl", "holdout", "learned"}, default="decoupled"
        What the labels are used for:

        - "decoupled": all of them choose, name and certify. The choice costs
          ``log2(n_candidates)`` bits, and the classes of clusters cost none, see
          :func:`decoupled_bound`;
        - "pac-mdl": the same, but the classes of clusters cost
          ``n_clusters * log2(n_classes)`` bits, as in languages that describe them;
        - "holdout": some choose and name, the others certify at no cost;
        - "learned": some set the weights of candidates and classes, the others choose,
          name and certify. This is planned with one bit for each cluster, whatever
          ``n_classes`` and ``n_candidates`` are. That is about right if one or two of
          the labels set aside fall into each cluster, too little if fewer do, and
          several times too much if many do.
    select_fraction : float, default=None
        Share of the labels that do not certify, in (0, 1), rounded down to whole labels;
        by default what :class:`~sklearn_pacmdl.PACMDLSearchCV` takes for this number of
        clusters, from 0.25 to 0.65. None where all labels certify.
    description_length : float, default=None
        Bits that the labeling costs, at least 0, instead of those named above. With
        learned weights, a cluster costs less than one bit if clusters are pure and many
        labels are set aside, and up to ``log2(n_classes)`` bits if these say little.

    Returns
    -------
    n_labeled : int
        From 1 to ``n_total // 2``.

    Raises
    ------
    ValueError
        If a parameter is not as described, or if labels for half the rows do not meet
        the target; the message then says which bound they reach.

    See Also
    --------
    planned_bound : The bound to expect for given numbers of labels.

    Notes
    -----
    Under "decoupled", the plan is the decoupled bound with, for each cluster, the mean
    logarithm of its factor. A cluster of share s of all rows gets a share s of the labels
    on average. If these are at most five, the mean is over the numbers of labels that a
    random choice of rows may give it (the lowest and highest 5 % count as the next
    ones). If they are more, the mean is over three numbers: the average and sqrt(3)
    standard deviations below and above it, with weights 2/3, 1/6 and 1/6. Of a cluster's
    labels, as many are errors as the expected error rate says, but no more than half if
    that rate is below half. Nothing is rounded: where a number is not whole, the mean is
    taken over the whole numbers below and above. Sizes that are close count as equal, so
    that four to eight are left.

    ``quantile`` is that of Gauss's law for the number of errors seen. Nothing else that
    varies from choice to choice is taken into account. "Certificates" in the
    documentation compares plans with bounds.

    This plan falls steadily with the number of labels, except for a small rise where
    clusters get too many labels for a table. Numbers are looked at from half the rows
    down in steps of a third, and the last step is halved until a single number is left.

    Otherwise the number of errors seen is a quantile of the hypergeometric law, and the
    plan is as exact as :func:`pac_mdl_bound`. The number of errors is rounded up, and
    the bound is not monotone: it jumps up with each additional expected error. So fewer
    labels than returned may meet the target too, but with one label more it might be
    missed again. No such number is overlooked: a range of numbers is skipped only if a
    bound on all of its bounds is below the target.

    With "holdout" and "learned", the rows that are not set aside are expected to have
    the same error rate as all rows. If the labels set aside are too few to choose a
    clustering or to name its clusters well, allow for that in ``expected_error``: a
    cluster without any of them gets a guessed class.

    Fix the number of labels before you look at the first bound. Adding labels until the
    bound meets the target favors bounds that are wrong. If you may need a second round,
    plan both rounds with half of delta.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Theorem 1.

    Examples
    --------
    Ten clusters, 50 clusterings to choose from, and one row in twenty wrong:

    >>> from sklearn_pacmdl.bounds import labels_needed
    >>> plan = dict(expected_error=0.05, n_clusters=10, n_candidates=50, target=0.1)
    >>> labels_needed(50_000, **plan)
    499
    >>> labels_needed(50_000, quantile=0.9, **plan)
    805
    >>> labels_needed(50_000, certify="pac-mdl", n_classes=5, **plan)
    1235
    >>> labels_needed(50_000, certify="holdout", **plan)
    149
    """
    clusters = expected_error, n_clusters, cluster_sizes, n_classes
    costs = certify, select_fraction, description_length
    plan = _make_plan(n_total, *clusters, delta, quantile, n_candidates, *costs)
    check_open_unit("target", target)
    most = n_total // 2
    violation = plan.last_violation(target)
    if violation == most:
        (reached,) = plan.bounds(np.array([float(most)])).tolist()
        raise ValueError(
            f"target must be at least {reached}, the bound to expect with n_total // 2 = "
            f"{most} labels, got {shown(target)}."
        )
    return violation + 1
