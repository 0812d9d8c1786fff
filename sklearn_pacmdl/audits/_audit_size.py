"""How many rows to audit, for a number that is fixed before the audit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import MAX_COUNT, bmax, float_below, log_chance
from ..utils._checks import (
    as_array,
    check_integer,
    check_open_unit,
    exact_decimal,
    invalid,
    is_number,
    rows_of_rate,
    shown,
)
from ._share_size import Guess

# Both decide about speed alone; measured on 10**4 to 10**10 rows.
_BATCH = 256  # first ranges that are searched together; 64 to 1024 are as fast
_PIECES = 16  # of a range; 32 are as fast, 4 half as fast


def tolerated_errors(n_rows: int, target: float) -> int:
    """Errors that a rate allows."""
    return floor(rows_of_rate(target, n_rows))


def least_errors(m: int, n: int, delta: float, hidden: int = 0) -> int:
    """Fewest errors that an audit of m rows can certify, besides n others."""
    return int(bmax(m, n, min(hidden, m), delta)) + hidden


def reachable(errors: int, n_rows: int) -> str:
    """The smallest target that allows some errors, rounded up, for a message."""
    if errors >= n_rows:
        return "no target below 1 can be reached"
    places = 3 + len(str(n_rows // max(errors, 1)))  # four digits, but for zeros
    target = Fraction(-(-errors * 10**places // n_rows), 10**places)
    return f"the smallest target that can be reached is {float(target)}"


def errors_at(name: str, rate: Any, n_rows: int) -> NDArray[np.int64]:
    """Numbers of errors of these rates, rounded up to whole rows."""
    rates = as_array(name, rate)
    if not all(is_number(value) and 0 <= value <= 1 for value in rates.ravel().tolist()):
        raise invalid(name, "in the interval [0, 1]", rate)
    errors = [ceil(rows_of_rate(value, n_rows)) for value in rates.ravel().tolist()]
    return np.array(errors, dtype=np.int64).reshape(rates.shape)


@dataclass(frozen=True)
class AuditSize:
    """Size of an audit, and what can be expected of it.

    Attributes
    ----------
    n_labels : int
        Rows to audit.
    n_errors : int
        Errors among these rows up to which the audit succeeds.
    power : float
        Probability that it succeeds with the error rate that was expected, in [0, 1].
    n_rows : int
        Rows of the data set.
    n_tolerated : int
        Errors that the target tolerates.

    See Also
    --------
    audit_size : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import audit_size
    >>> audit_size(10_000, 0.05, expected_error=0.01).n_labels
    105
    """

    n_labels: int
    n_errors: int
    power: float
    n_rows: int
    n_tolerated: int

    def power_at(self, error_rate: ArrayLike) -> Any:
        """Probability that the audit succeeds with other error rates.

        Parameters
        ----------
        error_rate : float or array-like of any shape of float
            Share of wrongly labeled rows, in [0, 1]; their number is rounded up.

        Returns
        -------
        power : float or ndarray of the same shape of float64
            In [0, 1]; higher is better.
        """
        errors = errors_at("error_rate", error_rate, self.n_rows)
        power = np.exp(log_chance(self.n_rows, self.n_labels, self.n_errors, errors))
        return power[()]


def audit_size(
    n_rows: int,
    target: float,
    expected_error: float | tuple[float, float],
    *,
    n_predicted: int | None = None,
    delta: float = 0.1,
    power: float = 0.9,
) -> Any:
    """Compute the smallest audit that certifies a target with a given probability.

    If the guess of the error rate is right, :func:`certify_labels` then shows with this
    probability that the labeling as it is has no more errors than tolerated. The number
    of labels is fixed before the audit. See :class:`AuditMonitor` for audits that stop as
    soon as the labels are enough.

    With ``n_predicted``, it is the smallest audit by which :func:`certify_share` bounds
    the share of a class up to the target on either side.

    Parameters
    ----------
    n_rows : int
        Rows of the data set, without those excluded from the audit; from 2 to 2**51.
    target : float
        Tolerated share of wrong labels in the whole data set, in (0, 1). By its printed
        decimal, ``floor(target * n_rows)`` errors are tolerated; a product within 1e-9 of
        a whole number, as of 5 / 6500, counts as that. Of a share, half of the distance
        of its bounds: 0.03 for 3 points on either side.
    expected_error : float or tuple of float
        Guess of the share of rows that is labeled wrongly, from 0 to the target. The
        number of errors is rounded up. Of a share, in [0, 1]: of the rows that are of the
        class by the labels, and of the others, if there are two numbers.
    n_predicted : int, default=None
        Rows that are of a class by the labels, from 1 to ``n_rows - 1``. The audit is
        drawn from these and the others, equally many rows of each: ``strata=`` of
        :func:`draw_audit`.
    delta : float, default=0.1
        Probability, in (0, 1), with which the certificate may be wrong.
    power : float, default=0.9
        Probability, in (0, 1), with which the audit is to succeed if the guess is right.

    Returns
    -------
    size : AuditSize or ShareSize
        The number of labels, the number of errors among them up to which the audit
        succeeds, and the probability that it does. Of a share, its expected bounds, too.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    plan_finish : Plans an audit by which a data set is finished.
    AuditMonitor : Better without a good guess: stops earlier if there are fewer errors
        than guessed, and continues if there are more.
    sklearn_pacmdl.bounds.labels_needed : For labels that also choose a clustering.

    Notes
    -----
    The probability is hypergeometric, without approximation. A slightly larger audit may
    have less power, since one more label is one more chance of an error. Of a share,
    bounds are computed for three outcomes, and others are compared with the widest.

    Examples
    --------
    10,000 labels, of which at most 5% may be wrong and about 2% are:

    >>> from sklearn_pacmdl.audits import audit_size
    >>> size = audit_size(10_000, 0.05, expected_error=0.02)
    >>> size.n_labels, size.n_errors
    (232, 7)
    >>> print(size.power_at([0.01, 0.03, 0.06]).round(2))
    [1.   0.6  0.03]

    The share of a class up to 6 points on either side:

    >>> audit_size(500, 0.06, expected_error=(0.3, 0.02), n_predicted=80).n_labels
    72
    """
    check_integer("n_rows", n_rows, 2, MAX_COUNT)
    check_open_unit("target", target)
    check_open_unit("delta", delta)
    check_open_unit("power", power)
    if n_predicted is not None:
        return _share_size(n_rows, target, expected_error, n_predicted, delta, power)
    if not is_number(expected_error) or not 0 <= expected_error < 1:
        raise invalid("expected_error", "a number in [0, 1)", expected_error)
    tolerated = tolerated_errors(n_rows, target)
    n_errors = int(errors_at("expected_error", expected_error, n_rows))
    if n_errors > tolerated:
        most = f"{tolerated / n_rows}, the rate of the {tolerated} tolerated errors"
        raise ValueError(
            f"expected_error must be at most {most}, got {shown(expected_error)}: a "
            "labeling that misses the target cannot be certified."
        )

    def least_labels(most_errors: NDArray[np.int64]) -> NDArray[np.int64]:
        """Smallest audits in which so many errors are few enough, by bisection."""
        # The margin is far above rounding errors: with these labels, the bound holds.
        level = log(delta) - 1e-9
        low, high = most_errors, np.full_like(most_errors, n_rows)
        while np.any(high - low > 1):  # with more labels, no fewer are enough
            m = (low + high) // 2
            enough = log_chance(n_rows, m, most_errors, tolerated + 1) < level
            low, high = np.where(enough, low, m), np.where(enough, m, high)
        return high

    few, n_labels = _first_with_power(n_rows, tolerated, n_errors, power, least_labels)
    # All errors that are few enough in this audit, often the same number.
    while few < tolerated and least_labels(np.array([few + 1]))[0] <= n_labels:
        few += 1
    (log_power,) = log_chance(n_rows, [n_labels], few, n_errors)
    return AuditSize(n_labels, few, float(np.exp(log_power)), n_rows, tolerated)


def _share_size(n_rows, target, expected, n_predicted, delta, power):
    n_predicted = check_integer("n_predicted", n_predicted, 1, n_rows - 1)
    rows = n_predicted, n_rows - n_predicted
    rates = as_array("expected_error", expected)
    if rates.ndim > 1 or rates.size not in (1, 2):
        raise invalid("expected_error", "a number in [0, 1] or two", expected)
    pairs = zip(np.broadcast_to(rates, 2).tolist(), rows, strict=True)
    false, missed = (int(errors_at("expected_error", rate, n)) for rate, n in pairs)
    half = float_below(exact_decimal(delta) / 2)
    guess = Guess(rows, (rows[0] - false, missed), half)
    size = guess.size(floor(rows_of_rate(2 * target, n_rows)), power)
    if size is None:
        raise invalid("target", "reached by an audit of fewer than all rows", target)
    return size


def _first_with_power(n_rows, n_tolerated, n_errors, power, least_labels):
    """Errors that are few enough, and labels, in the first audit with the power.

    Over a range of error counts, no power is above that of the largest count in the
    smallest of the audits. So ranges are dropped, or cut down to single counts.
    """
    # Small numbers are frequent: the ranges are one number long, two, four and so on.
    ends = 2 ** np.arange(1, (n_tolerated + 1).bit_length()) - 1
    first = np.concatenate([[0], ends])
    last = np.concatenate([ends - 1, [n_tolerated]])
    # All errors that are tolerated are few enough in some audit.
    while True:
        head, tail = first[:_BATCH], last[:_BATCH]
        n_labels = least_labels(head)
        log_powers = log_chance(n_rows, n_labels, tail, n_errors)
        # A probability within rounding error of the power counts as reaching it.
        open_ = np.flatnonzero(log_powers >= log(power) - 1e-9)
        if open_.size and head[open_[0]] == tail[open_[0]]:
            return int(head[open_[0]]), int(n_labels[open_[0]])
        head, tail = head[open_], tail[open_]
        edges = np.linspace(head, tail + 1, _PIECES + 1, axis=1).round().astype(np.int64)
        starts, stops = edges[:, :-1].ravel(), edges[:, 1:].ravel()
        is_piece = starts < stops
        first = np.concatenate([starts[is_piece], first[_BATCH:]])
        last = np.concatenate([stops[is_piece] - 1, last[_BATCH:]])
