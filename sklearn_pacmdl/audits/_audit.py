"""Audits: rows that are drawn at random for people to label."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import (
    MOST_LISTED,
    MOST_ROWS,
    RANDOM_CHOICE,
    BoundCertificate,
    Comparison,
    JsonRecord,
    Verification,
    check_digests,
    checked_digests,
    digest_of_labels,
    fingerprint_confidence,
    fingerprint_labels,
    has_types,
    verification_of,
)
from ..columns import (
    SEVERAL_LABELS,
    as_labels,
    check_class_names,
    renamed,
    split_unlabeled,
)
from ..estimators import num_samples
from ..utils._checks import (
    as_array,
    check_count,
    check_integer,
    check_open_unit,
    hint_of_image,
    invalid,
    is_integer,
    is_printable,
    shown,
)
from ..utils._docs import substituted
from ..utils._printable import escaped
from ..utils._row_order import check_order_of_rows, check_same_order
from ..utils._table_columns import LABEL, ROW
from ..utils._version import __version__
from ..utils._words import html_result
from ..worksheets import check_answers, placed, read_worksheet, worksheet
from ._designs import DESIGNS, SEED_BITS, Rows, no_rows
from ._surest import by_confidence

if TYPE_CHECKING:
    import pandas as pd

# What an audit may store digests of, by parameter.
NAMES = {"labels": "labeling", "confidence": "confidence"}
_ANSWERS = "audit_labels"
_NO_SEED = (
    "seed is None, and the rows are not those of a search, whose labels are fixed and "
    f"which assumes that {RANDOM_CHOICE}"
)
_ARRAYS = ("rows", "excluded", "doubtful")
# Fields that data do not show: anybody can draw again, by another seed.
_STATED = (
    *(
        "size",
        "seed",
        "seed_text",
        "excluded",
        "known_labels",
        "design",
        "target",
        "delta",
    ),
    *("classes", "provisos", "random_choice_p_value", "random_choice_test"),
    *("date", "version"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(JsonRecord):
    """Rows of a data set that were drawn at random for people to label.

    Audits are made by :func:`draw_audit` or :meth:`of_clusterings`, or are the ``audit_``
    of a search. An altered audit can be read, and :meth:`verify` detects the alteration.

    Attributes
    ----------
    n_rows : int
        Number of rows of the data set.
    rows : ndarray of shape (size,) of int64
        Indices of the drawn rows, in drawing order. Human labels follow this order.
    excluded : ndarray of shape (n_excluded,) of int64
        Sorted indices of the rows that could not be drawn.
    seed : int or None
        Seed of the drawing, from 0 to 2**128 - 1. None if the rows were chosen and
        labeled before, for a search.
    seed_text : str or None
        The text that the seed follows from, if any.
    fingerprints : mapping of str to str
        SHA-256 digests of the "labeling" and the "confidence" if they were passed, and of
        the "audit_labels" if these were known.
    known_labels : ndarray of shape (n_excluded,) or None
        The labels of the excluded rows, if they stay in the data set. A data set that
        gets finished then keeps them, and counts these rows.
    provisos : tuple of str
        What certificates assume of the choice of the rows, besides what they always do.
    random_choice_p_value : float or None
        The p-value, in (0, 1], of the test of the choice of rows that were not drawn.
    random_choice_test : str
        What the test found, if they do not look like a random choice.
    doubtful : ndarray of shape (n_doubtful,) of int64
        Sorted indices of further rows that could not be drawn, since they have no label
        or are in no stratum, or since the others were surer. A data set that gets
        finished leaves them to people.
    target, delta : float or None
        What a data set is to be finished for, in (0, 1), if it was fixed beforehand.
    design : object
        How rows were drawn: its ``kind`` is "audit" for single rows, "groups" or
        "strata", and its ``number`` has the number of each row's group or stratum.
    classes : mapping of str to label
        The name of each class, by the text of its label, if classes were named.
    columns : mapping of str to str
        SHA-256 digests of the columns that annotators were to see, by name.
    version : str
        Version of the package that drew the rows.
    date : str
        Time of the drawing, in ISO 8601 and UTC.
    digest : str
        SHA-256 digest of all other fields.
    size : int
        Number of drawn rows.
    pool : ndarray of shape (n_pool,) of int64
        Sorted indices of the rows that could be drawn, neither excluded nor doubtful.
    not_excluded : ndarray of shape (n_pool + n_doubtful,) of int64
        Sorted indices of the pool and the doubtful rows.

    See Also
    --------
    draw_audit : Draws rows.
    certify_labels : Certifies a labeling by the labels of the drawn rows.
    finish_labels : Labels most rows automatically and leaves the others to people.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import Audit, draw_audit
    >>> audit = draw_audit(1000, 5, random_state=0)
    >>> audit
    Audit(5 of 1000 rows)
    >>> Audit.from_json(audit.to_json()).rows
    array([769, 535, 450, 688, 387])
    >>> bool(audit.verify())
    True
    """

    n_rows: int
    rows: NDArray[np.int64]
    excluded: NDArray[np.int64]
    seed: int | None
    seed_text: str | None = None
    fingerprints: dict[str, str] = field(default_factory=dict)
    known_labels: NDArray[Any] | None = None
    provisos: tuple[str, ...] = ()
    random_choice_p_value: float | None = None
    random_choice_test: str = ""
    doubtful: NDArray[np.int64] = field(default_factory=no_rows)
    target: float | None = None
    delta: float | None = None
    design: Rows = field(default_factory=Rows)
    classes: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    version: str = ""
    date: str = ""
    digest: str = ""

    _title = "an audit"

    @property
    def size(self) -> int:
        return len(self.rows)

    @cached_property
    def pool(self) -> NDArray[np.int64]:
        pool = rows_without(self.not_excluded, self.doubtful)
        pool.flags.writeable = False  # it is kept, and verify draws from it
        return pool

    @cached_property
    def not_excluded(self) -> NDArray[np.int64]:
        return rows_without(np.arange(self.n_rows), self.excluded)

    @classmethod
    def of_clusterings(
        cls, certified: Any, y: ArrayLike, confidence: ArrayLike | None = None
    ) -> Audit:
        """Use the labels that certified clusterings as an audit of the chosen one.

        Parameters
        ----------
        certified : CertifiedClusterings
            Result of :func:`~sklearn_pacmdl.certify_clusterings` with
            ``certify="holdout"``, without a target and with a class for every row. The
            certifying labels of other methods choose, too, and cannot be an audit.
        y : array-like of shape (n_samples,)
            The labels that were passed to that function.
        confidence : array-like of shape (n_samples,), default=None
            How sure each label is, for :func:`finish_labels`. It must not depend on the
            certifying labels.

        Returns
        -------
        audit : Audit
            Its rows are the certifying rows, and the selecting rows are excluded, with
            known labels. It is an audit of ``certified.transduction``. What it certifies
            is a second statement about these labels: at 90% each, both hold together with
            probability at least 80%.

        Raises
        ------
        ValueError
            If the clusterings were certified otherwise, or with other labels, or a class
            is written like a missing label, such as "nan".

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_pacmdl import certify_clusterings
        >>> from sklearn_pacmdl.audits import Audit, class_report
        >>> topics = np.arange(600) % 3
        >>> y = np.where(np.random.RandomState(0).permutation(600) < 200, topics, -1)
        >>> certified = certify_clusterings([topics], y, certify="holdout")
        >>> audit = Audit.of_clusterings(certified, y)
        >>> class_report(certified.transduction, audit, y[audit.rows])
        ClassReport(3 classes, 9 statements, delta=0.1)
        """
        check_same_order(y=y, confidence=confidence)
        names = "certify", "certificate", "division"
        kind, certificate, division = (getattr(certified, n, None) for n in names)
        if kind != "holdout" or certificate is None or division is None:
            allowed = "certified row by row, with certify='holdout' and a certificate"
            raise invalid("certified", allowed, certified)
        left_out = certificate.n_train_abstained + certificate.n_test_abstained
        if left_out or certificate.weights:  # a target chooses by certifying labels
            raise invalid("certified", "without a target or noise left out", certified)
        place = np.isin(np.arange(len(certified.transduction)), division[1])
        if not certificate.verify(y, certified.transduction, certifying=place):
            raise invalid("y", "the labels that were certified", y)
        labeling = certified.transduction, confidence
        return audit_of_holdout(certificate, division, as_labels(y), *labeling)

    def verify(
        self,
        labels: ArrayLike | None = None,
        confidence: ArrayLike | None = None,
        n_rows: int | None = None,
        data: Any = None,
    ) -> Verification:
        """Draw the rows again, and compare them and the digests.

        Parameters
        ----------
        labels : array-like of shape (n_rows,), default=None
            The labeling that the audit was drawn for, to compare with its digest.
        confidence : array-like of shape (n_rows,), default=None
            How sure each label is, likewise.
        n_rows : int, default=None
            Number of rows of the data set, if it is known. Audits of more than 10 million
            rows are drawn again only if this or ``labels`` is given.
        data : data frame of n_rows rows, or mapping of str to str, default=None
            The columns that annotators see, or their digests, to compare with those of
            the audit. Other columns are listed as not checked.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. It "agrees with the data" if the labels
            (or the confidences, where the audit has a digest of these alone) were
            compared. Printed, it lists what was checked and what was not.

        Raises
        ------
        ValueError, TypeError
            If ``labels``, ``confidence`` or ``data`` do not have one entry for each row,
            or there are labels that ``classes`` does not name.

        Notes
        -----
        It cannot be verified that no other audit was drawn. An audit without a seed is
        right only if it may be that of a search: nothing shows how its rows were chosen.
        """
        check_same_order(labels=labels, confidence=confidence, data=data)
        data = checked_digests(data)
        if n_rows is None and labels is not None:
            n_rows = num_samples(labels)
        problems = _wrong_fields(self, n_rows) or self._wrong_digest()
        if problems:
            readable = has_types(self) and (
                n_rows is not None or self.n_rows <= MOST_ROWS
            )
            return verification_of(problems, readable=readable)
        comparison = Comparison(self, "audit")
        if self.seed is not None and not self._is_drawn_again:
            problem = "rows are not those that follow from seed and excluded"
            comparison.wrong_fields([problem])
        comparison.drawing(self.seed)
        try:
            digests = fingerprints_of(self.n_rows, labels, confidence, self.classes)
        except ValueError as error:
            if not self.classes:
                raise
            comparison.problem("labels", str(error))
            return comparison.verification()
        # Without the labels it is not known which rows have one.
        if confidence is not None and (
            labels is not None or "labeling" not in self.fingerprints
        ):
            rows, doubtful = self.not_excluded, self.doubtful
            if labels is not None:
                named = check_labels(labels, self.n_rows, classes=self.classes)
                labeled = split_unlabeled(named, named, "labels")[0]
                rows, doubtful = rows[labeled[rows]], doubtful[labeled[doubtful]]
            order = by_confidence(check_confidence(confidence, self.n_rows), rows)
            if not np.array_equal(np.sort(order[len(self.pool) :]), doubtful):
                comparison.problem(
                    "confidence", "the doubtful rows are not the least sure"
                )
        for name, fingerprint in NAMES.items():
            if fingerprint in digests:
                comparison.digest(name, digests[fingerprint])
            elif fingerprint in self.fingerprints:
                comparison.leave_unchecked(name, "not given")
        if _ANSWERS in self.fingerprints:
            comparison.leave_unchecked(_ANSWERS, "not given")
        comparison.columns(data, self.n_rows, self.columns)
        main = next((n for n in NAMES.values() if n in self.fingerprints), None)
        comparison.compared = main in digests
        if comparison.compared:
            comparison.recorded(_STATED)
        return comparison.verification()

    @property
    def _is_drawn_again(self) -> bool:
        """Whether the rows follow from the seed; drawn once for each digest."""
        # The digest, which was just compared, covers all that the drawing depends on.
        if self.__dict__.get("_digest_drawn_again") != self.digest:
            assert self.seed is not None
            for name in ("pool", "not_excluded"):  # of fields that may have been others
                self.__dict__.pop(name, None)
            size = self.design.size_of(self.rows)
            rows = self.design.draw(self.seed, self.pool, size)
            if not np.array_equal(self.rows, rows):
                return False
            self.__dict__["_digest_drawn_again"] = self.digest
        return True

    def __getstate__(self) -> dict[str, Any]:
        # Copies and pickles are drawn again.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @substituted(worksheet)
    def to_frame(
        self, data: Any = None, path: str | os.PathLike[str] | None = None
    ) -> pd.DataFrame:
        """Make the table of rows to label, which requires pandas.

        Parameters
        ----------
        data : data frame of n_rows rows, default=None
            What people need to see in order to label a row, and your own identifiers,
            in columns of pandas, Polars or Arrow.
        {path}

        Returns
        -------
        frame : DataFrame of shape (size, n_columns + 2)
            That of :func:`~sklearn_pacmdl.worksheets.worksheet`, in drawing order.

        Examples
        --------
        >>> import pandas as pd
        >>> from sklearn_pacmdl.audits import draw_audit
        >>> texts = pd.DataFrame({"text": ["a", "b", "c", "d"]})
        >>> print(draw_audit(4, 2, random_state=0).to_frame(texts))
           row text label
        0    0    a  None
        1    3    d  None
        """
        return worksheet(self.rows, data, path, n_rows=self.n_rows)

    @substituted(read_worksheet)
    def read_labels(
        self,
        source: Any,
        column: str = LABEL,
        *,
        row_column: str = ROW,
        dtype: Any = None,
    ) -> NDArray[Any]:
        """Read the labels in a table that people filled in, all of them.

        Parameters
        ----------
        {source}
        {column}
        {row_column}
        {dtype}

        Returns
        -------
        labels : ndarray of shape (size,)
            In drawing order, as :func:`certify_labels` expects them.

        Raises
        ------
        ValueError
            If a row of the audit is missing, has no label or is there twice, or if there
            are other rows.
        """
        return read_worksheet(
            source,
            self.rows,
            column,
            row_column=row_column,
            dtype=dtype,
            classes=self.classes,
        )

    def rename(self, labels: ArrayLike) -> NDArray[Any]:
        """Name the classes of labels as they were named when the audit was drawn.

        All functions of an audit do so. Certificates without their audit know only the
        names.

        Parameters
        ----------
        labels : array-like of shape (n_labels,)
            Labels. -1 is a class if it was named, and else marks a missing label.

        Returns
        -------
        labels : ndarray of shape (n_labels,)
            The same labels, with the names of the classes that have one.

        Examples
        --------
        >>> from sklearn_pacmdl.audits import draw_audit
        >>> audit = draw_audit(100, 5, classes={-1: "no", 1: "yes"})
        >>> audit.rename([-1, 1, 1]).tolist()
        ['no', 'yes', 'yes']
        """
        return renamed(labels, self.classes, "labels")

    def labels_by_row(self, audit_labels: ArrayLike) -> NDArray[Any]:
        """Put labels that are in drawing order at their rows.

        Parameters
        ----------
        audit_labels : array-like of shape (size,)
            Human labels, in drawing order.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            The labels at the drawn rows. Elsewhere -1, or None if the labels are not
            integers, as ``known_labels`` of :func:`draw_audit` may be.
        """
        name = "audit_labels"
        check_order_of_rows(name, audit_labels, self.rows, "audit.rows")
        values = check_answers(renamed(audit_labels, self.classes, name), self.rows, name)
        return placed(values, self.rows, self.n_rows)

    def _as_json(self) -> dict[str, Any]:
        known = None if self.known_labels is None else self.known_labels.tolist()
        return super()._as_json() | {
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
            "seed": None if self.seed is None else hex(self.seed),
            "known_labels": known,
            "design": {"kind": self.design.kind, "number": self.design.number.tolist()},
        }

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> Audit:
        try:
            if values["seed"] is not None:
                values["seed"] = int(values["seed"], 16)
        except (TypeError, ValueError):
            raise ValueError("its seed is not a hexadecimal number") from None
        for name in _ARRAYS:
            values[name] = _array(name, values[name], "integers", int)
        design = values["design"]
        if {*design} != {"kind", "number"} or design["kind"] not in DESIGNS:
            raise ValueError(f"its design is none of {sorted(DESIGNS)} with numbers")
        number = _array("number", design["number"], "integers", int)
        values["design"] = DESIGNS[design["kind"]](number)
        if (known := values["known_labels"]) is not None:
            values["known_labels"] = _array(
                "known_labels", known, "labels", str, int, bool
            )
        return super()._from_fields(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Audit) and self._as_json() == other._as_json()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        n_left_out = len(self.excluded) + len(self.doubtful)
        n_rows = self.n_rows - n_left_out if is_integer(self.n_rows) else "?"
        return f"{type(self).__name__}({self.size} of {n_rows} rows)"

    def _repr_html_(self) -> str:
        return html_result(repr(self), self._facts() if has_types(self) else ())

    def _facts(self) -> Iterator[tuple[str, str]]:
        """What is known of the drawing, named, as texts."""
        how = "before, for a search" if self.seed is None else "at random, by a seed"
        yield "rows were chosen", how
        if self.seed_text is not None:
            yield "text that the seed follows from", str(self.seed_text)
        for name, rows in ("excluded", self.excluded), ("too doubtful", self.doubtful):
            if len(rows):
                yield f"rows that could not be drawn: {name}", str(len(rows))
        if self.design.kind != "audit":
            number = self.design.number
            yield (
                f"{self.design.kind} that rows were drawn by",
                str(len(np.unique(number[number >= 0]))),
            )
        if self.classes:
            yield "names of classes", shown(dict(self.classes))
        for name in ("target", "delta"):
            if getattr(self, name) is not None:
                yield name, str(getattr(self, name))
        for name, code in self.fingerprints.items():
            yield f"SHA-256 of {name.replace('_', ' ')}", f"{str(code)[:16]}..."
        for name, code in self.columns.items():
            yield f"SHA-256 of column {escaped(name)!r}", f"{str(code)[:16]}..."
        yield "drawn", f"{self.date} by sklearn_pacmdl {self.version}"
        yield "SHA-256 of this audit", f"{str(self.digest)[:16]}..."


def _wrong_fields(audit: Audit, n_rows: int | None) -> list[str]:
    """Fields with which nothing can be drawn; of others no rows are kept in memory."""
    try:
        check_count("n_rows", audit.n_rows, 2)
        if audit.seed is not None:
            check_integer("seed", audit.seed, 0, 2**SEED_BITS - 1)
        for name in ("target", "delta"):
            if (value := getattr(audit, name)) is not None:
                check_open_unit(name, value)
        of_text = audit.seed if audit.seed_text is None else seed_of(audit.seed_text)
    except ValueError as error:
        return [str(error).rstrip(".")]
    if not has_types(audit):
        return ["fields are not of the types that an audit has"]
    if audit.seed != of_text:
        return ["seed is not that of seed_text"]
    if n_rows is None and audit.n_rows > MOST_ROWS:
        reason = f"more than {MOST_ROWS} rows are drawn from again only if the data are"
        return [f"n_rows is {audit.n_rows}: {reason} given"]
    if n_rows not in (None, audit.n_rows):
        return [f"n_rows is {audit.n_rows} here and {n_rows} in the data"]
    n_rows = audit.n_rows
    excluded, doubtful, known = audit.excluded, audit.doubtful, audit.known_labels
    texts = [audit.version, audit.date, audit.digest, audit.random_choice_test]
    texts += audit.provisos
    try:
        check_digests(audit.fingerprints, [*NAMES.values(), _ANSWERS])
        check_digests(audit.columns, None, "columns")
    except ValueError as error:
        return [str(error).rstrip(".")]
    try:
        names = audit.classes
        are_names = names == {} or check_class_names(names) == names
    except (TypeError, ValueError):
        are_names = False
    p_value = audit.random_choice_p_value
    most = n_rows - len(excluded) - len(doubtful) - 1
    of_neither = np.sort(np.concatenate([excluded.ravel(), doubtful.ravel()]))
    right = {
        "rows are not different numbers of rows": _are_rows(np.sort(audit.rows), n_rows),
        "excluded are not sorted numbers of rows": _are_rows(excluded, n_rows),
        "doubtful are not sorted numbers of rows that are not excluded": _are_rows(
            doubtful, n_rows
        )
        and _are_rows(of_neither, n_rows),
        "rows are not fewer than could be drawn": 0 < audit.size <= most,
        "provisos, version, date and digest are not printable texts": all(
            map(is_printable, texts)
        ),
        "random_choice_p_value is not in (0, 1]": p_value is None or 0 < p_value <= 1,
        audit.design.wrong_numbers: audit.design.is_for(n_rows),
        "classes are not different names by the texts of labels": are_names,
        "known_labels are not one for each excluded row": known is None
        or known.shape == excluded.shape,
        _NO_SEED: audit.seed is not None or _may_be_of_a_search(audit),
    }
    return [problem for problem, is_right in right.items() if not is_right]


def _may_be_of_a_search(audit: Audit) -> bool:
    """Whether an audit without a seed is such as audit_of_holdout makes."""
    return (
        {*audit.fingerprints} >= {"labeling", _ANSWERS}
        and audit.known_labels is not None
        and len(audit.excluded) > 0
        and audit.provisos[:1] == (RANDOM_CHOICE,)  # so that every statement says so
        and audit.design.kind == "audit"
        and not len(audit.doubtful)
    )


def _are_rows(array: NDArray[Any], n_rows: int) -> bool:
    """Whether these are increasing numbers of rows."""
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        return False
    increasing = np.all(array[1:] > array[:-1])
    return bool(increasing and np.all(array[:1] >= 0) and np.all(array[-1:] < n_rows))


def _array(name: str, values: Any, what: str, *types: type) -> NDArray[Any]:
    """A list of integers or labels as an array."""
    if not isinstance(values, list) or not {*map(type, values)} <= {*types}:
        raise ValueError(f"its {name} are not a list of {what}")
    whole = all(type(value) is int for value in values)
    try:
        return np.array(values, dtype=np.int64 if whole else object)
    except OverflowError:
        raise ValueError(f"its {name} are not a list of integers of 64 bits") from None


def fingerprints_of(
    n_rows: int,
    labels: ArrayLike | None,
    confidence: ArrayLike | None,
    classes: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Digests of what was given, by the names under which an audit stores them."""
    digests = {}
    if labels is not None:
        named = check_labels(labels, n_rows, classes=classes)
        digests["labeling"] = digest_of_labels(named, "labels")
    if confidence is not None:
        checked = check_confidence(confidence, n_rows)
        digests["confidence"] = fingerprint_confidence(checked)
    return digests


def check_labels(
    labels: ArrayLike,
    n_rows: int,
    name: str = "labels",
    classes: Mapping[str, Any] | None = None,
) -> NDArray[Any]:
    """Labels of all rows, of any type; rows without one have -1 or a missing value.

    Classes have the names that an audit gave to them, if any.
    """
    array = as_labels(labels, name)
    if array.shape != (n_rows,):
        what = f"{name} must have one label for each of the {n_rows} rows"
        hint = hint_of_image(name, array, n_rows) or SEVERAL_LABELS * (array.ndim == 2)
        raise ValueError(f"{what}, got shape {array.shape}: {shown(labels)}.{hint}")
    return renamed(array, classes or {}, name, complete=True)


def check_confidence(confidence: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Numbers that say how sure the label of each row is; infinity is allowed."""
    array = as_array("confidence", confidence)
    if (
        array.shape != (n_rows,)
        or array.dtype.kind not in "iuf"
        or np.any(array != array)
    ):
        what = f"{n_rows} numbers without NaN, one for each row"
        raise invalid("confidence", what, confidence)
    return array.astype(np.float64, copy=False)


def check_audit(audit: Any, function: str = "") -> None:
    """Refuse what is no audit, or none of single rows where a function requires these."""
    if not isinstance(audit, Audit):
        raise invalid("audit", "an Audit, as draw_audit returns it", audit)
    kind = audit.design.kind
    if function and kind != "audit":
        reason = f"{kind} bound the errors of all rows, and nothing else"
        raise invalid("audit", f"one without {kind} for {function} ({reason})", audit)


def check_seed_text(text: object) -> None:
    """Refuse a text that rows cannot be drawn by, or that statements cannot have."""
    is_text = isinstance(text, str) and text.isprintable() and text == text.strip()
    if text is not None and not (is_text and 0 < len(str(text)) <= 200):
        allowed = "a text of 1 to 200 printable characters without spaces around them"
        raise invalid("seed_text", f"None or {allowed}", text)


def seed_of(text: str) -> int:
    """The seed that follows from a text."""
    check_seed_text(text)
    return int.from_bytes(sha256(text.encode()).digest()[: SEED_BITS // 8], "big")


def sealed(audit: Audit) -> Audit:
    """The audit with version, date and digest, if it is not too long to be read again."""
    lists = audit.rows, audit.excluded, audit.doubtful, audit.design.number
    if (n_listed := sum(map(len, lists))) > MOST_LISTED:
        raise ValueError(
            "Drawn rows, exclude, groups, strata, rows without a label and the rows "
            "outside of surest must be "
            f"at most {MOST_LISTED} rows together, got {n_listed}. Leave rows that must "
            "not be drawn out of the data."
        )
    audit.rows.flags.writeable = False
    date = datetime.now(UTC).isoformat(timespec="seconds")
    audit = replace(audit, version=__version__, date=date)
    return replace(audit, digest=audit._fingerprint())


def audit_of_holdout(
    certificate: BoundCertificate,
    division: tuple[NDArray[np.integer], NDArray[np.integer]],
    y: NDArray[Any],
    labels: ArrayLike,
    confidence: ArrayLike | None,
) -> Audit:
    """The certifying rows as an audit of a labeling, with the selecting rows as known."""
    # Given the selecting rows, which chose and named, the certifying rows are a uniformly
    # random choice of all other rows.
    select, certify = (rows.astype(np.int64) for rows in division)
    labeled, values = split_unlabeled(y, certificate.classes)
    place = np.cumsum(labeled) - 1
    known, answers = (
        np.array(values[place[rows]].tolist()) for rows in (select, certify)
    )
    digests = fingerprints_of(len(y), labels, confidence)
    answers = check_answers(answers, certify, "audit_labels")
    digests[_ANSWERS] = fingerprint_labels(answers)
    audit = Audit(
        n_rows=len(y),
        rows=certify,
        excluded=select,
        seed=None,
        fingerprints=digests,
        known_labels=known,
        # Also of rows that the search drew itself, since the audit has no seed.
        provisos=tuple(dict.fromkeys([RANDOM_CHOICE, *certificate.provisos])),
        random_choice_p_value=certificate.random_choice_p_value,
        random_choice_test=certificate.random_choice_test,
    )
    return sealed(audit)


def rows_without(
    rows: NDArray[np.int64], excluded: NDArray[np.int64]
) -> NDArray[np.int64]:
    return np.setdiff1d(rows, excluded, assume_unique=True) if len(excluded) else rows
