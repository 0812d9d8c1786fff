"""Counts in, counts out: the Bucket tail, its inversion, the PAC-MDL bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import exact_decimal
from ._arrays import as_counts, as_ints, as_problem, check_at_most
from ._exact import exact_bmax
from ._tail import invert, log_tail, tolerance

# Up to this many rows a tail within rounding error of delta is decided in integers:
# a few milliseconds for each tie. Ties of more rows need weights made for them.
_DECIDABLE = 10_000


def log_bucket(n_train, n_test, n_train_errors, n_test_errors) -> Any:
    """Natural logarithm of :func:`bucket`, which does not underflow."""
    m, n, a, b = as_counts(
        n_train=n_train,
        n_test=n_test,
        n_train_errors=n_train_errors,
        n_test_errors=n_test_errors,
    )
    check_at_most(a, m, "n_train_errors", "n_train")
    check_at_most(b, n, "n_test_errors", "n_test")
    tail, _ = log_tail(m.ravel(), n.ravel(), a.ravel(), b.ravel())
    return tail.reshape(m.shape)[()]


def log_chance(n_rows, n_labels, most_errors, n_errors) -> NDArray[np.float64]:
    """Log probability that at most so many of the errors are among the labels."""
    m, a, errors = np.broadcast_arrays(n_labels, most_errors, n_errors)
    left = n_rows - m
    log_chances = np.where(np.minimum(m, errors) <= a, 0.0, -np.inf)
    open_ = (log_chances < 0) & (errors - a <= left)
    unlabeled_errors = errors[open_] - a[open_]
    log_chances[open_] = log_bucket(m[open_], left[open_], a[open_], unlabeled_errors)
    return log_chances


def bucket(
    n_train: ArrayLike,
    n_test: ArrayLike,
    n_train_errors: ArrayLike,
    n_test_errors: ArrayLike,
) -> Any:
    """Compute the probability of at least ``n_test_errors`` under a random split.

    From a bucket of ``n_train`` red and ``n_test`` blue balls, ``n_train_errors +
    n_test_errors`` balls are drawn without replacement. This is the probability that at
    least ``n_test_errors`` of them are blue. Array arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled rows, m and n in [1]_; each at most 2**51.
    n_train_errors, n_test_errors : int or array-like of int
        Errors among them, a and b in [1]_; at most ``n_train`` and ``n_test``.

    Returns
    -------
    probability : float or ndarray of float64
        In [0, 1]; decreasing in ``n_test_errors``. Values below 1e-308 underflow to 0.

    Raises
    ------
    ValueError
        If a count is negative, not an integer, or larger than allowed.

    See Also
    --------
    scipy.stats.hypergeom : The law of the number of blue balls.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, section 2.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import bucket
    >>> print(f"{bucket(2, 3, 0, 3):.12f}")  # all three blue: 1 of 10 subsets
    0.100000000000
    """
    log_probability = log_bucket(n_train, n_test, n_train_errors, n_test_errors)
    return np.exp(log_probability)


def bmax(
    n_train: ArrayLike, n_test: ArrayLike, n_train_errors: ArrayLike, delta: ArrayLike
) -> Any:
    """Bound the number of errors among unlabeled rows, for one labeling fixed in advance.

    This is the largest b with ``bucket(n_train, n_test, n_train_errors, b) >= delta``.
    Array arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled rows, m and n in [1]_; each at most 2**51.
    n_train_errors : int or array-like of int
        Errors among the labeled rows, a in [1]_; at most ``n_train``.
    delta : float or array-like of float
        Probability, in (0, 1), with which the bound may fail. It stands for its printed
        decimal: 0.1 is one tenth.

    Returns
    -------
    n_test_errors : int or ndarray of int64
        In [0, n_test]; lower is better. Exact for up to 10,000 rows. Beyond, never below
        the exact value. It is above it, by at most one for up to 1e12 rows and ``delta``
        <= 0.9, only where a tail is within rounding error of ``delta``.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    pac_mdl_bound : The same with a description length, whose weight may underflow.
    scipy.stats.nhypergeom : The law that is inverted here.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, section 2.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import bmax
    >>> bmax(1430, 1430, 5, 0.1 / 480)
    24
    >>> bmax(1500, 1500, 45, [0.1 / 27, 0.1 / 270, 0.1 / 1620])
    array([74, 83, 89])
    """
    counts = n_train, n_test, n_train_errors
    shape, (m, n, a, deltas, log_delta) = as_problem(*counts, delta)
    b = invert(m, n, a, log_delta)
    # Near ties were counted as reaching delta, which integers decide.
    tail, _ = log_tail(m, n, a, b)
    near = np.abs(tail - log_delta) <= tolerance(m + n, tail, log_delta)
    for i in np.flatnonzero(near & (m + n <= _DECIDABLE)):
        level = exact_decimal(deltas[i])
        b[i] = exact_bmax(int(m[i]), int(n[i]), int(a[i]), level, int(b[i]))
    return as_ints(b.reshape(shape))


def tolerated_audit_errors(
    n_audited: ArrayLike,
    n_unaudited: ArrayLike,
    n_tolerated: ArrayLike,
    delta: ArrayLike = 0.1,
) -> Any:
    """Largest a with ``bmax(n_audited, n_unaudited, a, delta) <= n_tolerated``, or -1.

    Rows are accepted in an order that was fixed before the audit, until the (a + 1)-th
    audited error. More than ``n_tolerated`` of the unaudited ones are then wrong with
    probability at most delta: only if more than ``n_tolerated`` of the first
    ``n_tolerated + 1 + a`` errors in the order were not audited, wherever the rule stops.
    """
    m, n, tolerated = as_counts(
        n_audited=n_audited, n_unaudited=n_unaudited, n_tolerated=n_tolerated
    )
    m, n, tolerated, delta = np.broadcast_arrays(m, n, tolerated, delta)
    a = np.full(m.shape, -1.0)
    for power in reversed(range(int(m.max(initial=0) + 1).bit_length())):
        more = a + 2**power
        within = (more <= m) & (bmax(m, n, np.minimum(more, m), delta) <= tolerated)
        a = np.where(within, more, a)
    return as_ints(a)


def pac_mdl_bound(
    n_train: ArrayLike,
    n_test: ArrayLike,
    n_train_errors: ArrayLike,
    *,
    description_length: ArrayLike = 0.0,
    delta: ArrayLike = 0.1,
) -> Any:
    """Compute the PAC-MDL bound on the number of errors among unlabeled rows.

    With probability at least ``1 - delta`` over the random choice of the ``n_train``
    labeled rows, the number of errors on the other ``n_test`` rows is at most this
    bound. This holds simultaneously for all labelings (Theorem 1 of [1]_). Array
    arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled rows, m and n in [1]_; each at most 2**51.
    n_train_errors : int or array-like of int
        Errors of the labeling on the labeled rows; at most ``n_train``.
    description_length : float or array-like of float, default=0.0
        Length of the labeling's description in bits, at least 0: minus the base-2 log
        of the weight it was given before any label was seen.
    delta : float or array-like of float, default=0.1
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_test_errors : int or ndarray of int64
        In [0, n_test]; lower is better. Never below the exact value. It is above it, by
        at most one for up to 1e12 rows and ``delta`` <= 0.9, only where a tail is within
        rounding error of its level.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, delta outside (0, 1), or a
        description length negative or not a number.

    See Also
    --------
    sklearn_pacmdl.languages : Description lengths for clusterings.

    Notes
    -----
    It is a guarantee only if the labeled rows are a uniformly random choice and the
    description lengths satisfy Kraft's inequality over all possible labelings.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Theorem 1.
    .. [2] A. Blum and J. Langford, "PAC-MDL Bounds", COLT 2003.

    Examples
    --------
    Two clusters, two classes, one clustering: two bits.

    >>> from sklearn_pacmdl.bounds import pac_mdl_bound
    >>> pac_mdl_bound(1430, 1430, 5, description_length=2)
    14
    >>> pac_mdl_bound(2500, 2500, [10, 100], description_length=2000)
    array([1556, 1777])
    """
    counts = n_train, n_test, n_train_errors
    shape, (m, n, a, _, level) = as_problem(*counts, delta, description_length)
    b = invert(m, n, a, level)
    return as_ints(b.reshape(shape))
