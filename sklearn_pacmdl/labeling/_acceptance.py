"""Rows that are labeled automatically, from the surest until too many were wrong."""

import numpy as np
from numpy.typing import NDArray


def by_confidence(
    confidence: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows, from the surest; those that are as sure in the order of their indices.

    The order must not depend on labels that certify, ties included.
    """
    rows = np.sort(rows)
    return rows[np.argsort(-confidence[rows], kind="stable")]


def positions_of_errors(
    order: NDArray[np.int64], audited: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Positions in the order at which audited rows are that are wrong, sorted."""
    is_wrong = np.zeros(order.max(initial=-1) + 1, dtype=bool)
    is_wrong[np.intersect1d(audited[wrong], order)] = True
    return np.flatnonzero(is_wrong[order])


def n_accepted(
    order: NDArray[np.int64], errors: NDArray[np.int64], n_tolerated: int
) -> int:
    """How many rows of the order come before one audited error too many.

    Parameters
    ----------
    order : ndarray of int
        Rows, from the surest.
    errors : ndarray of int
        Positions in the order of audited rows that are wrong, sorted.
    n_tolerated : int
        How many of these may be accepted, as of
        :func:`~sklearn_pacmdl.bounds.tolerated_audit_errors`; -1 accepts nothing.

    Returns
    -------
    n_accepted : int
    """
    if n_tolerated < 0:
        return 0
    return int(errors[n_tolerated]) if n_tolerated < len(errors) else len(order)
