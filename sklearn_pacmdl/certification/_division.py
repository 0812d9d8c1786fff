"""Division of the labeled rows into those that select and those that certify."""

from hashlib import sha256
from math import floor

import numpy as np

from ..utils._checks import exact_decimal


def divide(train, strategy, seed):
    """Divide the labeled rows at random into those that select and those that certify.

    The set of labeled rows is part of the seed, so every set has a division of its own.
    Were it a fixed pattern of ranks or of places in the file, then at some seeds the
    selecting rows of a file sorted by class would miss whole classes, whichever rows are
    labeled, and the guarantee would fail far more often than delta.

    Parameters
    ----------
    train : ndarray of shape (n_labeled,) of int
        Row indices.
    strategy : Strategy
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
    n_select = floor(exact_decimal(strategy.fraction) * len(rows))
    if not 0 < n_select < len(rows):
        raise ValueError(
            f"certify={strategy.kind!r} needs labeled rows to select and others to "
            f"certify, but select_fraction={strategy.fraction} of {len(rows)} labeled "
            f"rows is {n_select}."
        )
    code = sha256(rows.astype("<i8").tobytes()).digest()
    words = np.frombuffer(code, dtype="<u4")
    order = np.random.RandomState([*seed, *words]).permutation(len(rows))
    return np.sort(rows[order[:n_select]]), np.sort(rows[order[n_select:]])


def naming_rows(strategy, select, certify):
    """The labeled rows that give clusters their classes, sorted."""
    return select if strategy.chooses_first else np.sort(np.r_[select, certify])
