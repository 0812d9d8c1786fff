"""Labels that several people gave to the same rows: agreement, and one label of each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from ..utils._checks import check_flag, invalid, is_iterable
from ..utils._labels import as_labels, split_unlabeled
from ..utils._sklearn import is_frame
from ._worksheet import columns_of, listed


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far several people agree: result of :func:`compare_annotators`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted labels that occur.
    codes : ndarray of shape (n_rows, n_annotators) of int64
        Index of each label in ``classes``.
    kappa : float
        Mean of Cohen's kappa over all pairs of people, in [-1, 1]; higher is better, and
        0 is what chance alone would give. NaN if all pairs gave one and the same label
        only.

    Attributes
    ----------
    n_rows, n_annotators : int
        Numbers of rows and of people.
    n_agreed : int
        Rows that have the same label from all people.

    See Also
    --------
    compare_annotators : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import compare_annotators
    >>> agreement = compare_annotators([["a", "b", "b"], ["a", "b", "a"]])
    >>> agreement.n_agreed, agreement.undecided().tolist()
    (2, [2])
    """

    classes: NDArray[Any]
    codes: NDArray[np.int64]
    kappa: float

    @property
    def n_rows(self) -> int:
        return self.codes.shape[0]

    @property
    def n_annotators(self) -> int:
        return self.codes.shape[1]

    @property
    def n_agreed(self) -> int:
        return self.n_rows - len(self.undecided())

    def undecided(self, majority: bool = False) -> NDArray[np.int64]:
        """Find the rows for which people have not settled on a label.

        Parameters
        ----------
        majority : bool, default=False
            Whether more than half of the people settle a label, instead of all.

        Returns
        -------
        positions : ndarray of int64
            Positions of the rows in the labels that were compared, sorted.
        """
        enough = check_flag("majority", majority)
        needed = self.n_annotators // 2 + 1 if enough else self.n_annotators
        votes = np.sum(self.codes == self._middle[:, None], axis=1)
        return np.flatnonzero(votes < needed)

    def labels(self, majority: bool = False) -> NDArray[Any]:
        """Give each row the label on which people have settled.

        Parameters
        ----------
        majority : bool, default=False
            Whether more than half of the people settle a label, instead of all.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Without gaps, for :func:`certify_labels` and :func:`finish_labels`.

        Raises
        ------
        ValueError
            If a row has no such label.
        """
        undecided = self.undecided(majority)
        if len(undecided):
            raise ValueError(
                f"{'More than half' if majority else 'All'} of the people must agree on "
                f"each row, but do not at {len(undecided)} positions: "
                f"{listed(undecided)}."
            )
        return self.classes[self._middle]

    @property
    def _middle(self) -> NDArray[np.int64]:
        # A label of more than half of the people is in the middle of the sorted ones.
        return np.sort(self.codes, axis=1)[:, self.n_annotators // 2]

    def __str__(self) -> str:
        kappa = "is not defined" if np.isnan(self.kappa) else f"{self.kappa:.2f}"
        return (
            f"{self.n_annotators} people agree on {self.n_agreed} of {self.n_rows} rows "
            f"({self.n_agreed / self.n_rows:.1%}); mean Cohen's kappa {kappa}."
        )


def compare_annotators(answers: Any) -> Agreement:
    """Compare the labels that several people gave to the same rows.

    Agreement does not prove that people are right: they may share a mistake. If some of
    their labels may be wrong, ``max_people_errors`` of :func:`certify_labels` allows for
    that.

    Parameters
    ----------
    answers : sequence of array-like of shape (n_rows,), or data frame
        For each of at least two people, the labels of all rows, in the same order:
        integers, text or booleans, none missing. A data frame has a column for each.

    Returns
    -------
    agreement : Agreement
        On how many rows people agree, Cohen's kappa, and the labels they settled on.

    Raises
    ------
    ValueError, TypeError
        If the labels are not as described.

    See Also
    --------
    sklearn.metrics.cohen_kappa_score : The agreement of two people.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import compare_annotators
    >>> agreement = compare_annotators(
    ...     [["ham", "spam", "ham"], ["ham", "spam", "spam"], ["ham", "spam", "ham"]]
    ... )
    >>> print(agreement)
    3 people agree on 2 of 3 rows (66.7%); mean Cohen's kappa 0.60.
    >>> agreement.labels(majority=True)
    array(['ham', 'spam', 'ham'], dtype=object)
    """
    allowed = "labels of at least 2 people, in a sequence or as columns of a data frame"
    framed = is_frame(answers) and hasattr(answers, "columns")  # a Series has none
    people = columns_of(answers).values() if framed else answers
    if not is_iterable(people):
        raise invalid("answers", allowed, answers)
    given = [as_labels(labels, "answers") for labels in people]
    if len(given) < 2 or any(labels.ndim != 1 for labels in given):
        raise invalid("answers", allowed, answers)
    sizes = [len(labels) for labels in given]
    if len(set(sizes)) > 1 or not sizes[0]:
        raise ValueError(f"answers must be about the same rows, got {sizes} labels.")
    # As a list, because NumPy would make numbers and text one type: text.
    all_labels = as_labels([label for labels in given for label in labels.tolist()])
    labeled, values = split_unlabeled(all_labels, None, "answers")
    if not labeled.all():
        missing = np.unique(np.flatnonzero(~labeled) % sizes[0])
        raise ValueError(f"answers must have no gaps, got some at {listed(missing)}.")
    classes, codes = np.unique(values, return_inverse=True)
    table = codes.reshape(len(given), sizes[0]).T
    return Agreement(classes, table, _mean_kappa(table))


def _mean_kappa(codes: NDArray[np.int64]) -> float:
    kappas = [
        cohen_kappa_score(first, second)
        for first, second in combinations(codes.T, 2)
        # Chance alone would agree everywhere where all labels of both are the same.
        if len({*first.tolist(), *second.tolist()}) > 1
    ]
    return float(np.mean(kappas)) if kappas else float("nan")
