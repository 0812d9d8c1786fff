"""Counts in, counts out: the Bucket tail, its inversion, the PAC-MDL bound."""

from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np

from ._exact import exact_bmax
from ._tail import MAX_COUNT, invert, log_tail, tolerance

# Up to this many objects a tail within rounding error of delta is decided in integers.
_DECIDABLE = 10_000


def _as_counts(**named):
    """Each argument as an integer-valued float64 array, all broadcast together."""
    counts = []
    for name, value in named.items():
        array = np.asarray(value)
        if array.dtype.kind not in "iuf" or np.any(array != np.floor(array)):
            raise ValueError(f"{name} must hold integer counts, got {_shown(value)}.")
        if np.any(array < 0) or np.any(array > MAX_COUNT):
            raise ValueError(f"{name} must be between 0 and 2**51, got {_shown(value)}.")
        counts.append(array.astype(float))
    return np.broadcast_arrays(*counts)


def _check_at_most(count, limit, name, limit_name):
    if np.any(count > limit):
        i = np.unravel_index(np.argmax(count > limit), count.shape)
        raise ValueError(
            f"{name} must be at most {limit_name}, got {name}={count[i]:.0f} "
            f"and {limit_name}={limit[i]:.0f}."
        )


def _shown(value):
    return repr(value.item() if isinstance(value, np.generic) else value)


def _as_real(name, value, interval):
    """A float64 array of numbers; text is none, though NumPy might read it as one."""
    array = np.asarray(value)
    exact = array.dtype == object and all(isinstance(v, Real) for v in array.flat)
    if array.dtype.kind not in "iuf" and not exact:
        raise ValueError(f"{name} must be a number {interval}, got {_shown(value)}.")
    return array.astype(float)


def _as_delta(delta):
    array = _as_real("delta", delta, "in the open interval (0, 1)")
    if not np.all((array > 0) & (array < 1)):
        raise ValueError(
            f"delta must be in the open interval (0, 1), got {_shown(delta)}."
        )
    return array


def log_bucket(n_train, n_test, n_train_errors, n_test_errors):
    """Natural log of :func:`bucket`; stays finite where the probability underflows.

    Parameters
    ----------
    n_train, n_test, n_train_errors, n_test_errors : int or array-like of int
        As in :func:`bucket`.

    Returns
    -------
    log_probability : float or ndarray of float64
        In nats, in (-inf, 0].

    See Also
    --------
    bucket : The probability itself.
    scipy.stats.hypergeom.logsf : The same tail, slower and only up to moderate sizes.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, section 2.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import log_bucket
    >>> print(f"{log_bucket(2500, 2500, 50, 2000):.3f}")
    -1890.497
    """
    m, n, a, b = _as_counts(
        n_train=n_train,
        n_test=n_test,
        n_train_errors=n_train_errors,
        n_test_errors=n_test_errors,
    )
    _check_at_most(a, m, "n_train_errors", "n_train")
    _check_at_most(b, n, "n_test_errors", "n_test")
    tail, _ = log_tail(*(v.ravel() for v in (m, n, a, b)))
    return tail.reshape(a.shape)[()]


def bucket(n_train, n_test, n_train_errors, n_test_errors):
    """Probability of so many test errors among all errors, were the split random.

    From a bucket of ``n_train`` red and ``n_test`` blue balls, ``n_train_errors +
    n_test_errors`` are drawn without replacement: the probability that at least
    ``n_test_errors`` of them are blue. Array arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled objects, m and n in [1]_; each at most 2**51.
    n_train_errors, n_test_errors : int or array-like of int
        Errors among them, a and b in [1]_; at most ``n_train`` and ``n_test``.

    Returns
    -------
    probability : float or ndarray of float64
        In [0, 1]; decreasing in ``n_test_errors``. Values below 1e-308 underflow to 0:
        see :func:`log_bucket`.

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


def _log(delta):
    """Log of the decimals, which below 2.3e-308 their doubles are far from."""
    log_delta = np.log(delta)
    for i in np.flatnonzero(delta < np.finfo(float).tiny):
        log_delta[i] = float(Decimal(repr(float(delta[i]))).ln())
    return log_delta


def _exact_ties(b, m, n, a, delta, log_delta):
    """Decide in integers where a near tie was counted as reaching delta."""
    tail, _ = log_tail(m, n, a, b)
    near = np.abs(tail - log_delta) <= tolerance(m + n, tail, log_delta)
    for i in np.flatnonzero(near & (m + n <= _DECIDABLE)):
        counts = int(m[i]), int(n[i]), int(a[i])
        b[i] = exact_bmax(*counts, Fraction(repr(float(delta[i]))), int(b[i]))
    return b


def bmax(n_train, n_test, n_train_errors, delta):
    """Largest number of test errors that is not too improbable.

    The largest b with ``bucket(n_train, n_test, n_train_errors, b) >= delta``.
    Array arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled objects, m and n in [1]_; each at most 2**51.
    n_train_errors : int or array-like of int
        Errors among the labeled objects, a in [1]_; at most ``n_train``.
    delta : float or array-like of float
        In (0, 1). Means the decimal that is printed for it: 0.1 is one tenth.

    Returns
    -------
    n_test_errors : int or ndarray of int64
        In [0, n_test]; lower is better. Exact for up to 10,000 objects. Beyond, never
        below the exact value, and above it only where tails miss ``delta`` by less than
        rounding error: by at most one for up to 1e12 objects and ``delta`` <= 0.9.

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
    m, n, a = _as_counts(n_train=n_train, n_test=n_test, n_train_errors=n_train_errors)
    _check_at_most(a, m, "n_train_errors", "n_train")
    m, n, a, delta = np.broadcast_arrays(m, n, a, _as_delta(delta))
    shape = a.shape
    m, n, a, delta = (v.ravel() for v in (m, n, a, delta))
    log_delta = _log(delta)
    b = invert(m, n, a, log_delta)
    return _as_int(_exact_ties(b, m, n, a, delta, log_delta), shape)


def _as_int(b, shape):
    b = b.astype(np.int64).reshape(shape)
    return b if shape else int(b)


def pac_mdl_bound(n_train, n_test, n_train_errors, *, description_length=0.0, delta=0.1):
    """PAC-MDL bound on the number of errors among the unlabeled objects.

    With probability at least ``1 - delta`` over which ``n_train`` of the objects are
    labeled, simultaneously for all labelings: the errors on the other ``n_test`` are
    at most this bound (Theorem 1 of [1]_). Array arguments broadcast.

    Parameters
    ----------
    n_train, n_test : int or array-like of int
        Labeled and unlabeled objects, m and n in [1]_; each at most 2**51.
    n_train_errors : int or array-like of int
        Errors of the labeling on the labeled objects; at most ``n_train``.
    description_length : float or array-like of float, default=0.0
        Length of the labeling's description in bits, at least 0: minus the base-2 log
        of the weight it was given before any label was seen.
    delta : float or array-like of float, default=0.1
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_test_errors : int or ndarray of int64
        In [0, n_test]; lower is better. Never below the exact value, and above it only
        where tails miss the level by less than rounding error: by at most one for up to
        1e12 objects and ``delta`` <= 0.9.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, delta outside (0, 1), or a
        description length negative or not a number.

    See Also
    --------
    sklearn_pacmdl.languages : Description lengths for clusterings.
    sklearn_pacmdl.PACMDLSearchCV : Selection of a clustering by this bound.

    Notes
    -----
    It is a guarantee only if which objects are labeled is a uniformly random choice
    and the description lengths satisfy Kraft's inequality over all labelings that
    could have been chosen.

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
    m, n, a = _as_counts(n_train=n_train, n_test=n_test, n_train_errors=n_train_errors)
    _check_at_most(a, m, "n_train_errors", "n_train")
    bits = _as_real("description_length", description_length, "of bits, at least 0")
    if not np.all(bits >= 0):
        raise ValueError(
            "description_length must be a non-negative number of bits, "
            f"got {_shown(description_length)}."
        )
    m, n, a, bits, delta = np.broadcast_arrays(m, n, a, bits, _as_delta(delta))
    shape = a.shape
    m, n, a, bits, delta = (v.ravel() for v in (m, n, a, bits, delta))
    return _as_int(invert(m, n, a, _log(delta) - bits * np.log(2)), shape)
