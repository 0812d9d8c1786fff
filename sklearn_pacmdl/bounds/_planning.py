"""How many labels to buy: the bound that can be expected before any label is seen."""

from dataclasses import dataclass
from fractions import Fraction
from math import log2

import numpy as np
from scipy.special import ndtri

from ..utils._checks import is_integer, is_number, shown
from ._pac_mdl import _as_counts, _check_at_most, pac_mdl_bound
from ._tail import MAX_COUNT, log_tail, tolerance

# Share of the labels that is set aside, to name the clusters or to learn weights.
_SET_ASIDE = {"pac-mdl": 0.0, "holdout": 0.5, "learned": 0.3}

_PIECES = 4  # parts that a range of label counts is cut into at once
_BATCH = 512  # ranges looked at together, the last first


def _floor(fraction, counts):
    """``fraction * counts`` rounded down, in integers."""
    exact = counts.astype(np.int64).astype(object)
    return (exact * fraction.numerator // fraction.denominator).astype(float)


def _error_quantile(n_rows, n_errors, n_drawn, quantile):
    """Smallest number of errors that random rows do not exceed with this probability.

    ``n_drawn`` of ``n_rows`` are drawn, without replacement; flat float64 arrays. A
    probability within rounding error of ``quantile`` counts as reaching it.
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
        reached = log_cdf >= log_quantile - tolerance(n_rows, log_cdf, log_quantile)
        low, high = np.where(reached, low, probe + 1), np.where(reached, probe, high)
        # In growing steps away from the Gaussian's quantile, then by halves.
        probe += np.where(reached, -step, step)
        inside = (low <= probe) & (probe < high)
        probe, step = np.where(inside, probe, np.floor((low + high) / 2)), 2 * step
    return high


@dataclass(frozen=True)
class _Plan:
    """What is known, or supposed, before labels are bought."""

    n_total: int
    expected_error: Fraction
    quantile: float
    set_aside: Fraction
    description_length: float
    delta: float

    def bound(self, first, last):
        """A rate that the bounds for ``first`` to ``last`` labels are not above.

        Where both are the same: the bound. Otherwise every argument is taken where, in
        this range, it makes the bound largest. The number of errors falls with certifying
        labels and rises with unlabeled rows and with errors seen; these rise with the
        labels drawn and with the errors there are, and fall with the rows drawn from.
        """
        aside = _floor(self.set_aside, first), _floor(self.set_aside, last)
        n_train = first - aside[0]
        n_rows = self.n_total - aside[1]
        # Rounded up.
        n_errors = -_floor(-self.expected_error, self.n_total - aside[0])
        seen = _error_quantile(
            n_rows, np.minimum(n_errors, n_rows), last - aside[1], self.quantile
        )
        most = pac_mdl_bound(
            n_train,
            self.n_total - first,
            np.minimum(seen, n_train),
            description_length=self.description_length,
            delta=self.delta,
        )
        return most / (self.n_total - last)

    def last_violation(self, target):
        """Largest number of labels, up to half the rows, whose bound is above target.

        0 if there is none. Ranges in which no bound can be above the target are given
        up, the others are cut, down to single numbers; the last ranges come first, and
        those below a violation are not looked at.
        """
        violation = 0
        first, last = np.array([1.0]), np.array([float(self.n_total // 2)])
        while first.size:
            head, tail = first[-_BATCH:], last[-_BATCH:]
            open_ = self.bound(head, tail) > target
            violation = max(violation, int(head[open_ & (head == tail)].max(initial=0)))
            pieces = _cut(head[open_], tail[open_])
            first = np.concatenate([first[:-_BATCH], pieces[0]])
            last = np.concatenate([last[:-_BATCH], pieces[1]])
            later = last > violation
            first, last = first[later], last[later]
        return violation


def _cut(first, last):
    """Each range of integers in up to four pieces, in increasing order."""
    edges = np.linspace(first, last + 1, _PIECES + 1, axis=1).round()
    starts, stops = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return starts[starts < stops], stops[starts < stops] - 1


def _as_exact(value):
    """The decimal that is printed for a number."""
    return Fraction(repr(float(value)))


def _check_count(name, value, least, most=MAX_COUNT):
    if not is_integer(value) or not least <= value <= most:
        raise ValueError(
            f"{name} must be an integer from {least} to {most}, got {shown(value)}."
        )


def _check_share(name, value, *, zero=False):
    if not is_number(value) or not (0 < value < 1 or (zero and value == 0)):
        interval = "[0, 1)" if zero else "(0, 1)"
        raise ValueError(f"{name} must be a number in {interval}, got {shown(value)}.")


def _check_set_aside(certify, fraction):
    """Share of the labels that is set aside, exactly."""
    if certify not in _SET_ASIDE:
        raise ValueError(f"certify must be one of {[*_SET_ASIDE]}, got {shown(certify)}.")
    if fraction is None:
        return _as_exact(_SET_ASIDE[certify])
    if certify == "pac-mdl":
        raise ValueError(
            "select_fraction must be None where certify is 'pac-mdl', which sets no "
            f"labels aside, got {shown(fraction)}."
        )
    _check_share("select_fraction", fraction)
    return _as_exact(fraction)


def _check_bits(certify, n_clusters, n_classes, n_candidates, description_length):
    """Bits that the labeling is supposed to cost."""
    _check_count("n_clusters", n_clusters, 1)
    _check_count("n_classes", n_classes, 1)
    _check_count("n_candidates", n_candidates, 1)
    if description_length is None:
        formulas = {
            "pac-mdl": n_clusters * log2(n_classes) + log2(n_candidates),
            "holdout": 0.0,
            "learned": float(n_clusters),
        }
        return formulas[certify]
    if not is_number(description_length) or description_length < 0:
        raise ValueError(
            "description_length must be None or a non-negative number of bits, got "
            f"{description_length!r}."
        )
    return float(description_length)


def _make_plan(
    n_total, expected_error, delta, quantile, certify, select_fraction, **description
):
    _check_count("n_total", n_total, 2)
    _check_share("expected_error", expected_error, zero=True)
    _check_share("delta", delta)
    _check_share("quantile", quantile)
    return _Plan(
        n_total=int(n_total),
        expected_error=_as_exact(expected_error),
        quantile=float(quantile),
        set_aside=_check_set_aside(certify, select_fraction),
        description_length=_check_bits(certify, **description),
        delta=float(delta),
    )


def planned_bound(
    n_total,
    n_labeled,
    *,
    expected_error=0.0,
    n_clusters,
    n_classes,
    delta=0.1,
    quantile=0.5,
    n_candidates=1,
    certify="pac-mdl",
    select_fraction=None,
    description_length=None,
):
    """PAC-MDL bound to expect, as a rate, for numbers of labels not yet bought.

    It is reached with a probability of at least ``quantile`` if the rows to label are
    drawn at random and the labeling is wrong on ``expected_error`` of all rows.

    Parameters
    ----------
    n_total : int
        Rows, labeled or not; from 2 to 2**51.
    n_labeled : int or array-like of int
        Rows that get a label, from 0 to ``n_total - 1``.
    expected_error : float, default=0.0
        As in :func:`labels_needed`.
    n_clusters, n_classes : int
        As in :func:`labels_needed`.
    delta, quantile : float
        As in :func:`labels_needed`.
    n_candidates : int, default=1
        As in :func:`labels_needed`.
    certify : {"pac-mdl", "holdout", "learned"}, default="pac-mdl"
        As in :func:`labels_needed`.
    select_fraction, description_length : float, default=None
        As in :func:`labels_needed`.

    Returns
    -------
    bound : float or ndarray of float64
        Share of the unlabeled rows, in [0, 1]; lower is better. Not decreasing
        throughout: with every further error that is seen it jumps up.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    labels_needed : The number of labels from which on this is below a target.
    pac_mdl_bound : The bound once the labels are there.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Theorem 1.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import planned_bound
    >>> bound = planned_bound(
    ...     50_000, [100, 1000, 10_000], expected_error=0.05, n_clusters=10, n_classes=5
    ... )
    >>> print(bound.round(3))
    [0.272 0.1   0.065]
    """
    plan = _make_plan(
        n_total,
        expected_error,
        delta,
        quantile,
        certify,
        select_fraction,
        n_clusters=n_clusters,
        n_classes=n_classes,
        n_candidates=n_candidates,
        description_length=description_length,
    )
    (m,) = _as_counts(n_labeled=n_labeled)
    _check_at_most(m, np.full_like(m, n_total - 1), "n_labeled", "n_total - 1")
    flat = m.ravel()
    return plan.bound(flat, flat).reshape(m.shape)[()]


def labels_needed(
    n_total,
    *,
    target,
    expected_error=0.0,
    n_clusters,
    n_classes,
    delta=0.1,
    quantile=0.5,
    n_candidates=1,
    certify="pac-mdl",
    select_fraction=None,
    description_length=None,
):
    """Smallest number of labels that is expected to certify a target error rate.

    From this number on, up to half the rows, :func:`planned_bound` is at most ``target``.
    The rows to label are to be drawn at random, and the labeling is supposed to be wrong
    on ``expected_error`` of all rows; what is certified in the end depends on the errors
    seen.

    Parameters
    ----------
    n_total : int
        Rows, labeled or not; from 2 to 2**51.
    target : float
        Bound wanted on the error rate of the unlabeled rows, in (0, 1).
    expected_error : float, default=0.0
        Share of all rows that the labeling will name wrongly, in [0, 1). The number of
        errors is rounded up.
    n_clusters, n_classes : int
        Clusters to be named, and classes to name them by; at least 1. Not used where
        ``description_length`` is given.
    delta : float, default=0.1
        Probability, in (0, 1), with which the certificate may be wrong.
    quantile : float, default=0.5
        Probability, in (0, 1), of not seeing more errors than planned for: one half
        meets the target in one purchase out of two, 0.9 in nine out of ten.
    n_candidates : int, default=1
        Clusterings among which the labels choose; at least 1.
    certify : {"pac-mdl", "holdout", "learned"}, default="pac-mdl"
        What the labels are used for:

        - "pac-mdl": all of them choose, name and certify, at ``n_clusters *
          log2(n_classes) + log2(n_candidates)`` bits;
        - "holdout": some choose and name, the others certify at no cost;
        - "learned": some set the weights of candidates and classes, the others choose,
          name and certify, at one bit for each cluster whatever ``n_classes`` and
          ``n_candidates`` are. That is about right where one or two labels set aside
          fall into each cluster, too little where fewer do, several times too much
          where many do.
    select_fraction : float, default=None
        Share of the labels that do not certify, in (0, 1), rounded down to whole labels;
        0.5 for "holdout" and 0.3 for "learned" by default. None for "pac-mdl".
    description_length : float, default=None
        Bits that the labeling costs, at least 0, in place of those named above. Learned
        weights cost less than a bit for each cluster where clusters are pure and the
        labels set aside are many, up to ``log2(n_classes)`` where they say little.

    Returns
    -------
    n_labeled : int
        From 1 to ``n_total // 2``. As exact as :func:`pac_mdl_bound`.

    Raises
    ------
    ValueError
        If a parameter is not as described, or if labels for half the rows would not do;
        the message then says which bound they reach.

    See Also
    --------
    planned_bound : The bound to expect for given numbers of labels.

    Notes
    -----
    The number of errors seen is a quantile of the hypergeometric law. In the number of
    labels the bound is a saw-tooth, so that fewer labels than returned may meet the
    target, too, but one more of them might miss it again. No such number is overlooked:
    ranges are passed over only where arguments in which the bound is monotone show that
    all of it is below the target.

    With "holdout" and "learned" as many errors are expected among the rows that are not
    set aside as among all. What the labels set aside are too few to choose or to name
    well has to be allowed for in ``expected_error``: a cluster in which none of them
    lies is named blindly.

    Fix the number of labels before the first bound is looked at. Buying labels until the
    bound meets the target favors bounds that are wrong: at delta = 0.1, 12 to 14 of 100
    simulated projects ended with one. If a second round is to be possible, plan both
    rounds with half of delta.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Theorem 1.

    Examples
    --------
    Ten clusters, five classes, 50 clusterings to choose from; one row in twenty wrong:

    >>> from sklearn_pacmdl.bounds import labels_needed
    >>> plan = dict(
    ...     expected_error=0.05, n_clusters=10, n_classes=5, n_candidates=50, target=0.1
    ... )
    >>> labels_needed(50_000, **plan)
    1235
    >>> labels_needed(50_000, quantile=0.9, **plan)
    1705
    >>> labels_needed(50_000, certify="holdout", **plan)
    155
    """
    plan = _make_plan(
        n_total,
        expected_error,
        delta,
        quantile,
        certify,
        select_fraction,
        n_clusters=n_clusters,
        n_classes=n_classes,
        n_candidates=n_candidates,
        description_length=description_length,
    )
    _check_share("target", target)
    most = plan.n_total // 2
    violation = plan.last_violation(target)
    if violation == most:
        (reached,) = plan.bound(np.array([most]), np.array([most])).tolist()
        raise ValueError(
            f"target must be at least {reached}, the bound to expect with n_total // 2 = "
            f"{most} labels, got {shown(target)}."
        )
    return violation + 1
