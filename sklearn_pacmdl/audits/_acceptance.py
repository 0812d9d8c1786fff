"""Rows that are labeled automatically, from the surest until too many were wrong."""

import numpy as np
from numpy.typing import NDArray


def by_confidence(
    confidence: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows, the surest first, and those that are equally sure by their indices."""
    # The order, ties included, must not depend on labels that certify.
    rows = np.sort(rows)
    return rows[np.argsort(-confidence[rows], kind="stable")]


def positions_of_errors(
    order: NDArray[np.int64], audited: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Sorted positions of wrong audited rows in ``order``."""
    is_wrong = np.zeros(order.max(initial=-1) + 1, dtype=bool)
    is_wrong[np.intersect1d(audited[wrong], order)] = True
    return np.flatnonzero(is_wrong[order])


def n_accepted(
    order: NDArray[np.int64], errors: NDArray[np.int64], n_tolerated: int
) -> int:
    """How many rows of the order come before one audited error too many.

    ``errors`` are sorted positions of wrong audited rows, of which ``n_tolerated`` may be
    accepted; -1 accepts nothing.
    """
    if n_tolerated < 0:
        return 0
    return int(errors[n_tolerated]) if n_tolerated < len(errors) else len(order)
