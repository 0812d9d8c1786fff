"""Splits into labeled and unlabeled rows, and whether the theorem covers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, check_cv

from ..estimators import num_samples
from ..utils._checks import is_integer, shown
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order


def make_splits(cv, X, y, codes, metadata, seed):
    """Labeled and unlabeled rows of each split, and why they certify nothing, or None."""
    unlabeled = codes < 0
    if unlabeled.any():
        if cv is not None:
            raise ValueError(
                "cv must be None when y has unlabeled rows, since the labeled rows are "
                f"then the only split, got cv={shown(cv)}."
            )
        return [(np.flatnonzero(~unlabeled), np.flatnonzero(unlabeled))], None
    if len(codes) < 2:
        raise ValueError(
            "y has no unlabeled rows, and 1 sample cannot be split into labeled and "
            "unlabeled rows."
        )
    cv = 1 if cv is None else cv
    if is_integer(cv):
        if cv < 1:
            raise ValueError(f"cv must be at least 1 when it is an int, got {shown(cv)}.")
        cv = ShuffleSplit(int(cv), train_size=0.5, test_size=None, random_state=seed)
        metadata = {}
    splitter = check_cv(cv)
    splits = [
        tuple(_check_rows(rows, len(codes)) for rows in split)
        for split in splitter.split(X, y, **metadata)
    ]
    for train, test in splits:
        if not len(train) or not len(test) or len(np.intersect1d(train, test)):
            raise ValueError(
                "cv must give every split labeled and unlabeled rows that do not "
                f"overlap, got {len(train)} and {len(test)} rows, "
                f"{len(np.intersect1d(train, test))} of them in both."
            )
    if not splits:
        raise ValueError(f"cv must give at least one split, got none from {cv!r}.")
    kind = repr(cv) if hasattr(cv, "split") else "an iterable of splits"
    return splits, None if _is_uniform(cv) else _OBJECTION.format(cv=kind)


def _check_rows(rows, n_samples):
    """Row indices, from indices or a mask, each row once."""
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n_samples,):
        return np.flatnonzero(rows)
    distinct = np.unique(rows)
    inside = rows.dtype.kind in "iu" and np.all((rows >= 0) & (rows < n_samples))
    if rows.ndim != 1 or (rows.size and not inside) or len(distinct) < len(rows):
        raise ValueError(
            "cv must give row indices, integers between 0 and the number of rows "
            f"({n_samples}) of which each occurs once, or masks; got {shown(rows)}."
        )
    return rows.astype(np.intp)


_OBJECTION = (
    "Bounds under cv={cv} are scores, not guarantees: the labeled rows must be a "
    "uniformly random choice, as they are under an int, ShuffleSplit, "
    "KFold(shuffle=True) and RepeatedKFold. No certificate is issued."
)


def _is_uniform(cv):
    """Whether each split, by itself, labels a uniformly random set of rows."""
    kind = type(cv)  # a subclass may choose otherwise
    return kind in (ShuffleSplit, RepeatedKFold) or (kind is KFold and cv.shuffle)


class TransductiveSplit:
    """Splitter with one split, whose training and test rows are both all rows.

    The rows are in one random order, unless X is square. With this splitter,
    scikit-learn's searches and ``cross_validate`` evaluate a clustering on its own rows,
    as clusterers without ``predict`` require.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=0
        Determines the order of the rows; not used for a square X.

    See Also
    --------
    sklearn_pacmdl.metrics.make_labeling_scorer : Make scorers for this splitter.
        sklearn_pacmdl.PACMDLSearchCV : Search that withholds labels, and certifies.

    Notes
    -----
    A square X may hold distances between rows, whose axes must have one order. Its rows
    stay in their order: shuffle both axes alike if it tells which rows are labeled.

    scikit-learn's searches pass ``y`` to every step of a Pipeline. Scores are too
    optimistic where a step uses labels, and ``best_score_`` is not a guarantee.

    Examples
    --------
    >>> from sklearn_pacmdl.model_selection import TransductiveSplit
    >>> ((train, test),) = TransductiveSplit().split([[0], [1], [2], [3]])
    >>> train, test
    (array([1, 3, 2, 0]), array([1, 3, 2, 0]))
    """

    def __init__(self, random_state: int | np.random.RandomState | None = 0):
        self.random_state = random_state

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.integer], NDArray[np.integer]]]:
        """Generate the one split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : object, default=None
            Only its index is used, if it has one.
        groups : object, default=None
            Only its index is used, if it has one.

        Yields
        ------
        train, test : ndarray of shape (n_samples,)
            The same permutation of all rows.

        Raises
        ------
        ValueError
            If the index of ``y`` or ``groups`` has the rows of X in another order.
        """
        check_same_order(X=X, y=y, groups=groups)
        shape = getattr(X, "shape", None)
        if shape is None and isinstance(X, list | tuple) and num_samples(X):
            shape = len(X), *np.shape(X[0])
        order = np.arange(num_samples(X))
        # The columns of a square X may be its rows, as those of distances are.
        if shape is None or len(shape) != 2 or shape[0] != shape[1]:
            # A seed of its own: a permutation drawn from the user's seed itself may be
            # the one that chose the labeled rows.
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            order = np.random.RandomState(seed).permutation(num_samples(X))
        yield order, order

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X : object, default=None
            Not used.
        y : object, default=None
            Not used.
        groups : object, default=None
            Not used.

        Returns
        -------
        n_splits : int
            Always 1.
        """
        return 1

    def __repr__(self):
        return f"TransductiveSplit(random_state={self.random_state!r})"
