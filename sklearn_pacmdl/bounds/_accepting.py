"""How many errors an audit may show while a data set is labeled automatically."""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import as_counts, as_delta, as_ints
from ._pac_mdl import bmax


@overload
def tolerated_audit_errors(
    n_audited: int, n_unaudited: int, n_tolerated: int, delta: float = 0.1
) -> int: ...
@overload
def tolerated_audit_errors(
    n_audited: ArrayLike,
    n_unaudited: ArrayLike,
    n_tolerated: ArrayLike,
    delta: ArrayLike = 0.1,
) -> Any: ...
def tolerated_audit_errors(n_audited, n_unaudited, n_tolerated, delta=0.1):
    """Compute how many audited errors rows that are labeled automatically may contain.

    Rows are put in an order, the surest first, and a uniformly random choice of them is
    audited. With a result of a, rows are accepted in this order until the (a + 1)-th
    audited error, which is excluded; people label the other rows. With probability at
    least ``1 - delta`` over the random choice, at most ``n_tolerated`` of the accepted
    rows that were not audited are labeled wrongly. Array arguments broadcast.

    Parameters
    ----------
    n_audited, n_unaudited : int or array-like of int
        Rows whose labels people checked, and all other rows; each at most 2**51.
    n_tolerated : int or array-like of int
        Errors that are tolerated among the accepted rows that were not audited.
    delta : float or array-like of float, default=0.1
        Probability, in (0, 1), with which the statement may fail. Means the decimal that
        is printed for it: 0.1 is one tenth.

    Returns
    -------
    n_audit_errors : int or ndarray of int64
        From -1 to ``n_audited``; higher is better. -1: the audit is too small to accept
        any row. ``n_audited``: every row may be, because no more are unaudited than are
        tolerated. As exact as :func:`bmax`, and never above the exact value.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    bmax : The bound that this inverts, and the reason why the statement holds.

    Notes
    -----
    This is the largest a with ``bmax(n_audited, n_unaudited, a, delta) <= n_tolerated``.
    More than ``n_tolerated`` errors are accepted only if, of the first ``n_tolerated +
    1 + a`` errors in the order, more than ``n_tolerated`` were not audited. This is a
    single event, wherever the rule stops. So the audit may choose the threshold at no
    cost.

    The order must be fixed before the audit, ties included. The statement counts errors;
    it says nothing about their share of the accepted rows.

    Examples
    --------
    2000 rows, of which 200 are audited and at most 60 may be wrong in the end:

    >>> from sklearn_pacmdl.bounds import tolerated_audit_errors
    >>> tolerated_audit_errors(200, 1800, 60)
    2
    >>> tolerated_audit_errors([100, 200, 400], [1900, 1800, 1600], 60)
    array([0, 2, 9])
    """
    m, n, tolerated, delta = np.broadcast_arrays(
        *as_counts(n_audited=n_audited, n_unaudited=n_unaudited, n_tolerated=n_tolerated),
        as_delta(delta),
    )
    # The bound rises with the errors seen: it is within what is tolerated at ``low``,
    # and above it at ``high``. One beyond all audited rows there is no bound.
    low, high = np.full(m.shape, -1.0), m + 1
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        a = np.clip(middle, 0, m)  # elements that are done already may be at -1
        within = bmax(m, n, a, delta) <= tolerated
        open_ = high - low > 1
        low, high = (
            np.where(open_ & within, middle, low),
            np.where(open_ & ~within, middle, high),
        )
    return as_ints(low)
