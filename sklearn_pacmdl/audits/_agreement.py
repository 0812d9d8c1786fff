"""Labels that several people gave to the same rows: agreement, and one label of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import cohen_kappa_score

from ..columns import (
    as_labels,
    check_same_writing,
    check_writing,
    decode,
    in_type_of,
    most_common,
    refuse_other_names,
    report_minus_one,
    split_unlabeled,
)
from ..utils._checks import check_flag, invalid, is_iterable, shown
from ..utils._row_order import check_order_of_rows, check_same_order
from ..worksheets import check_rows, columns_of, is_table, listed, split_answers


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of several annotators: result of :func:`compare_annotators`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted labels that occur.
    codes : ndarray of shape (n_rows, n_annotators) of int64
        Index of each label in ``classes``, and -1 where a person gave none.
    kappa : float
        Mean of Cohen's kappa over all pairs of annotators, on the rows that both labeled,
        in [-1, 1]; higher is better, 0 is chance. NaN if all labels are the same.
    rows : ndarray of shape (n_rows,) of int64
        Indices of the rows in the data set.
    n_rows, n_annotators : int
        Numbers of rows and of people.
    n_shared : int
        Rows that have labels from at least two people.
    n_agreed : int
        Rows that have labels from at least two people, all of them the same.

    See Also
    --------
    compare_annotators : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import compare_annotators
    >>> agreement = compare_annotators([["a", "b", "b"], ["a", "b", "a"]])
    >>> agreement.n_agreed, agreement.undecided().tolist()
    (2, [2])
    >>> agreement.labels(settled=[None, None, "b"]).tolist()
    ['a', 'b', 'b']
    """

    classes: NDArray[Any]
    codes: NDArray[np.int64]
    kappa: float
    rows: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        return self.codes.shape[0]

    @property
    def n_annotators(self) -> int:
        return self.codes.shape[1]

    @property
    def n_shared(self) -> int:
        return int(np.sum(self._n_labels > 1))

    @property
    def n_agreed(self) -> int:
        return self.n_shared - len(self.undecided())

    def undecided(self, majority: bool = False) -> NDArray[np.int64]:
        """Find the rows for which people have not settled on a label.

        Parameters
        ----------
        majority : bool, default=False
            Whether more than half of the labels of a row settle it, instead of all.

        Returns
        -------
        positions : ndarray of shape (n_undecided,) of int64
            Positions of the rows in the labels that were compared, sorted.
        """
        enough = check_flag("majority", majority)
        needed = self._n_labels // 2 + 1 if enough else self._n_labels
        votes = np.sum(self.codes == self._middle[:, None], axis=1)
        return np.flatnonzero(votes < needed)

    def labels(
        self, majority: bool = False, *, settled: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Give each row the label on which people have settled.

        Parameters
        ----------
        majority : bool, default=False
            Whether more than half of the labels of a row settle it, instead of all.
        settled : array-like of shape (n_rows,), default=None
            Agreed labels of rows on which annotators disagree, and -1 or missing values
            elsewhere, as by :func:`~sklearn_pacmdl.worksheets.read_worksheet`.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            For :func:`certify_labels` and :func:`finish_labels`. Rows that nobody has
            labeled have -1, or None if labels are not integers.

        Raises
        ------
        ValueError
            If annotators do not agree on a row without a label in ``settled``, or
            ``settled`` contradicts a label on which all agree.
        """
        labels = decode(self._middle, self.classes)
        at = np.array([], dtype=np.int64)
        if settled is not None:
            listed_in = "agreement.rows"
            labeled, values = split_answers(
                settled, self.rows, "settled", listed_in=listed_in
            )
            values = in_type_of(values, self.classes, "answers and settled")
            known = {*self.classes.tolist()}
            check_same_writing("settled", {*values.tolist()}, known, "answers")
            # One other class may be that of all disputes, such as "undecidable".
            if len(counts := Counter(values.tolist())) > 1:
                refuse_other_names("settled", counts, known, "answers")
            at = np.flatnonzero(labeled)
            # As objects, so that text is compared with text whatever arrays hold it.
            differs = labels[at].astype(object) != values.astype(object)
            against = at[differs & ~np.isin(at, self.undecided())]
            if len(against):
                raise ValueError(
                    "settled must have no other labels where all agree, got some for "
                    f"rows {listed(self.rows[against])}: {shown(settled)}."
                )
            labels[at] = values
        undecided = np.setdiff1d(self.undecided(majority), at)
        if len(undecided):
            how = " by majority" if majority else ""
            raise ValueError(
                f"Annotators must agree on every row{how}, but do not at "
                f"{len(undecided)} positions: {listed(undecided)}. Pass settled= with "
                "the agreed labels."
            )
        return labels

    @property
    def _n_labels(self) -> NDArray[np.int64]:
        return np.sum(self.codes >= 0, axis=1)

    @property
    def _middle(self) -> NDArray[np.int64]:
        # A label of more than half of the people is in the middle of the sorted ones,
        # which come after the gaps.
        middle = self.n_annotators - self._n_labels + self._n_labels // 2
        at = np.minimum(middle, self.n_annotators - 1)[:, None]
        return np.take_along_axis(np.sort(self.codes, axis=1), at, axis=1)[:, 0]

    def __str__(self) -> str:
        kappa = "is not defined" if np.isnan(self.kappa) else f"{self.kappa:.2f}"
        n, n_agreed = self.n_shared, self.n_agreed
        which = "" if n == self.n_rows else " that several of them labeled"
        return (
            f"{self.n_annotators} people agree on {n_agreed} of {n} rows{which} "
            f"({n_agreed / max(n, 1):.1%}); mean Cohen's kappa {kappa}."
        )


def compare_annotators(answers: Any, rows: ArrayLike | None = None) -> Agreement:
    """Compare the labels that several people gave to the same rows.

    Agreement does not prove that people are right: they may share a mistake.
    ``max_annotator_errors`` of :func:`certify_labels` allows for wrong labels.

    Parameters
    ----------
    answers : sequence of array-like of shape (n_rows,), or data frame
        The labels of at least two annotators, in the same order, or a data frame with a
        column for each. Labels are integers, text or booleans; -1 or a missing value
        marks a row without one. If -1 is a class, pass what :meth:`Audit.rename` returns.
    rows : array-like of shape (n_rows,) of int, default=None
        Indices of the rows in the data set, such as the ``rows`` of an audit. By default
        they are counted from 0.

    Returns
    -------
    agreement : Agreement
        Number of rows on which annotators agree, Cohen's kappa, the agreed labels, and
        the undecided rows, for :func:`~sklearn_pacmdl.worksheets.worksheet`.

    Raises
    ------
    ValueError, TypeError
        If the labels are not as described, or of more people than rows. If people write a
        label in different ways, or somebody has other names for all classes.

    Warns
    -----
    UserWarning
        If a few labels are written in another way than the others, or some are -1.

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
    people = columns_of(answers, "answers").values() if is_table(answers) else answers
    if not is_iterable(people):
        raise invalid("answers", allowed, answers)
    people = [*people]
    check_same_order(answers=people, rows=rows)
    columns = [as_labels(labels, "answers") for labels in people]
    if len(columns) < 2 or any(labels.ndim != 1 for labels in columns):
        raise invalid("answers", allowed, answers)
    sizes = [len(labels) for labels in columns]
    if len(set(sizes)) > 1 or not sizes[0]:
        raise ValueError(f"answers must be about the same rows, got {sizes} labels.")
    if len(people) > sizes[0]:
        got = f"{len(people)} people and {sizes[0]} rows"
        raise ValueError(
            "answers must be the labels of one person after those of another, and not of "
            f"more people than rows, got {got}. If there is an entry for each row, pass "
            "np.asarray(answers).T."
        )
    # As a list, because NumPy would make numbers and text one type: text.
    all_labels = as_labels([label for labels in columns for label in labels.tolist()])
    labeled, values = split_unlabeled(all_labels, None, "answers")
    codes = np.full(len(labeled), -1)
    classes, codes[labeled] = np.unique(values, return_inverse=True)
    counts = Counter(values.tolist())
    check_writing("answers", counts, most_common(counts), "its most common labels")
    table = codes.reshape(len(columns), -1).T
    _refuse_other_names(table, classes)
    if np.any(np.all(table < 0, axis=0)):
        raise invalid("answers", "at least one label of each person", answers)
    renamed = "give it another name in all answers"
    report_minus_one(all_labels, len(classes), "answers", renamed)
    n_rows = sizes[0]
    indices = np.arange(n_rows) if rows is None else check_rows("rows", rows, n_rows)
    for i, labels in enumerate(people):
        check_order_of_rows(f"answers[{i}]", labels, indices, "rows")
    return Agreement(classes, table, _mean_kappa(table), indices)


def _refuse_other_names(codes: NDArray[np.int64], classes: NDArray[Any]) -> None:
    """Refuse the labels of somebody whose classes nobody else has in the same rows."""
    for i, own in enumerate(codes.T):
        others = np.delete(codes, i, axis=1)
        shared = (own >= 0) & np.any(others >= 0, axis=1)
        own, others = own[shared], others[shared]
        counts = Counter(classes[own].tolist())
        known = classes[np.unique(others[others >= 0])].tolist()
        refuse_other_names(f"answers[{i}]", counts, known, "the other answers")


def _mean_kappa(codes: NDArray[np.int64]) -> float:
    pairs = [np.array(pair) for pair in combinations(codes.T, 2)]
    shared = [pair[:, np.all(pair >= 0, axis=0)] for pair in pairs]
    # Chance alone would agree everywhere where all labels of both are the same.
    kappas = [cohen_kappa_score(*pair) for pair in shared if len(np.unique(pair)) > 1]
    return float(np.mean(kappas)) if kappas else float("nan")
