"""Audits: rows that are drawn at random for people to label."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import (
    MOST_LISTED,
    MOST_ROWS,
    Comparison,
    JsonRecord,
    Verification,
    check_digests,
    checked_digests,
    clauses,
    has_types,
    verification_of,
)
from ..columns import check_class_names, renamed, split_unlabeled
from ..estimators import num_samples
from ..random_choice import RandomChoiceTest
from ..reports import ReportMixin, audit_report
from ..utils._checks import (
    as_mask,
    check_count,
    check_integer,
    check_open_unit,
    invalid,
    is_integer,
    is_printable,
    shown,
)
from ..utils._printable import escaped
from ..utils._row_order import check_order_of_rows, check_same_order
from ..utils._table_columns import LABEL, ROW
from ..utils._version import __version__
from ..utils._words import html_result
from ..worksheets import check_answers, placed, read_worksheet, worksheet
from ._designs import DESIGNS, SEED_BITS, Rows, no_rows
from ._foreign_rows import check_drawn, check_source, drawn_rows, tested
from ._pool import (
    NAMES,
    check_confidence,
    check_labels,
    fingerprints_of,
    pool_of,
    rows_without,
    seed_from,
    seed_of,
)
from ._surest import by_confidence

if TYPE_CHECKING:
    import pandas as pd

_ARRAYS = ("rows", "excluded", "doubtful")
# Fields that data do not show: anybody can draw again, by another seed.
_STATED = (
    *("size", "seed", "seed_text", "excluded", "known_labels", "design", "target"),
    *("delta", "classes", "source", "random_choice_p_value", "random_choice_test"),
    *("date", "version"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(JsonRecord, ReportMixin):
    """Rows of a data set that were drawn at random for people to label.

    Audits are made by :func:`draw_audit`, or by :meth:`of_rows` from rows that were drawn
    elsewhere, such as the ``audit_`` of a search. An altered audit can be read, and
    :meth:`verify` detects the alteration.

    Attributes
    ----------
    n_rows : int
        Number of rows of the data set.
    rows : ndarray of shape (size,) of int64
        Indices of the drawn rows, in drawing order. Human labels follow this order.
    excluded : ndarray of shape (n_excluded,) of int64
        Sorted indices of the rows that could not be drawn.
    seed : int or None
        Seed of the drawing, from 0 to 2**128 - 1. None if the rows were drawn elsewhere;
        of groups it is then the seed by which they were shuffled.
    seed_text : str or None
        The text that the seed follows from, if any.
    source : str or None
        Who drew the rows, if they were drawn elsewhere.
    fingerprints : mapping of str to str
        SHA-256 digests of the "labeling" and the "confidence" if they were passed.
    known_labels : ndarray of shape (n_excluded,) or None
        The labels of the excluded rows, if they stay in the data set. A data set that
        gets finished then keeps them, and counts these rows.
    provisos : tuple of str
        What certificates assume of rows that were drawn elsewhere, besides what they
        always do.
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
        "strata", and its ``number`` has the number of each row's group or stratum. That
        of strata has their ``allocation``, of which a mapping is a tuple by number.
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
    source: str | None = None
    fingerprints: dict[str, str] = field(default_factory=dict)
    known_labels: NDArray[Any] | None = None
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
    _report = audit_report

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

    @property
    def provisos(self) -> tuple[str, ...]:
        if self.source is None:
            return ()
        drawn = clauses.DRAWN[self.design.kind]
        return clauses.DRAWN_BY.format(drawn, self.source), clauses.WITHOUT_ANSWERS

    @property
    def _of_certificates(self) -> dict[str, Any]:
        """Fields of certificates that are about the drawing."""
        names = ("seed_text", "columns", "random_choice_p_value", "random_choice_test")
        return {name: getattr(self, name) for name in (*names, "provisos")}

    @classmethod
    def of_rows(
        cls,
        rows: ArrayLike,
        n_rows: int,
        *,
        source: str,
        labels: ArrayLike | None = None,
        confidence: ArrayLike | None = None,
        exclude: Audit | ArrayLike | Sequence[Audit] | None = None,
        known_labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        classes: Mapping[Any, Any] | None = None,
        test: RandomChoiceTest | None = None,
        random_state: int | np.random.RandomState | None = None,
        data: Any = None,
    ) -> Audit:
        """Make an audit of rows that were drawn elsewhere, uniformly at random.

        This is for rows that an annotation tool or a colleague has drawn already, and for
        rows that certified by hold-out, if the selecting rows, which have chosen, are
        excluded. To draw new rows, use :func:`draw_audit`: only there a seed shows how
        rows were chosen.

        Parameters
        ----------
        rows : array-like of int, or of shape (n_rows,) of bool
            All rows that were *drawn*, as different indices or as a mask, and not only
            those that have an answer: what people did not want to decide is seldom
            random. Human labels are in the order of ``rows`` of the audit.
        n_rows : int
            Number of rows of the data set, at least 2.
        source : str
            Who drew the rows, in 1 to 200 characters, such as "Label Studio, random
            sampling". Statements quote it.
        labels, confidence : array-like of shape (n_rows,), default=None
            As in :func:`draw_audit`, but rows without a label belong to the audit.
        exclude, known_labels : object, default=None
            Rows that could not be drawn, as in :func:`draw_audit`.
        groups : array-like of shape (n_rows,), default=None
            The group of each row, if whole groups were drawn. Their order is shuffled.
        strata : array-like of shape (n_rows,), default=None
            The stratum of each row, if rows of each stratum were drawn by themselves, any
            number of them.
        classes, data : object, default=None
            As in :func:`draw_audit`.
        test : RandomChoiceTest, default=None
            A test of the choice that was made already. By default, the places of the
            rows, and ``labels``, are compared with random choices.
        random_state : int or RandomState instance, default=None
            Seed by which groups are shuffled; by default from the system.

        Returns
        -------
        audit : Audit
            Functions take it as they take one of :func:`draw_audit`. Their statements
            assume that these are all rows that the source drew, uniformly at random, and
            that labels were made without the answers. ``verify`` lists the choice of the
            rows as not checked.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described, rows are repeated, excluded, or only a
            part of a group, or all rows were drawn.

        Warns
        -----
        UserWarning
            If the rows do not look like a random choice, or as :func:`draw_audit` does.

        Notes
        -----
        The labels of one audit do not show in which order rows were drawn, so
        :class:`AuditMonitor`, which requires an order, cannot use it.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_pacmdl.audits import Audit, certify_labels
        >>> labels = np.arange(1000) % 3
        >>> sampled = np.random.RandomState(0).permutation(1000) < 200
        >>> audit = Audit.of_rows(sampled, 1000, labels=labels, source="project 7")
        >>> certificate = certify_labels(labels, audit, labels[audit.rows])
        >>> certificate.provisos[2]
        "the audited rows are all that were drawn, uniformly at random, by 'project 7'"
        """
        n_rows = check_count("n_rows", n_rows, 2)
        check_source(source)
        by_row: dict[str, Any] = {"labels": labels, "confidence": confidence}
        by_row |= {"groups": groups, "strata": strata, "known_labels": known_labels}
        drawn = drawn_rows(rows, n_rows)
        excluded = exclude, excluded_rows(exclude, n_rows)[0]
        can = pool_of(n_rows, excluded, by_row, classes, data, drawn=False)
        if confidence is not None:
            can.design.refuse("confidence", confidence)
        check_drawn(drawn, can)
        seed = None
        if groups is not None:  # bets on groups need an order that nobody chose
            seed = seed_from(random_state)
            drawn = can.design.draw(seed, np.sort(drawn), can.design.size_of(drawn))
        elif random_state is not None:
            raise invalid("random_state", "None without groups to shuffle", random_state)
        fields = can.fields | {"seed": seed, "source": source, "doubtful": can.of_none}
        return sealed(cls(rows=drawn, **fields, **tested(drawn, can, test)))

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
        It cannot be verified that no other audit was drawn, nor how rows were chosen that
        were drawn elsewhere, which is listed.
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
        comparison.drawing(self.source)
        try:
            digests = fingerprints_of(self.n_rows, labels, confidence, self.classes)
        except ValueError as error:
            if not self.classes:
                raise
            comparison.problem("labels", str(error))
            return comparison.verification()
        # Without the labels it is not known which rows have one.
        is_known = labels is not None or "labeling" not in self.fingerprints
        if confidence is not None and is_known:
            self._compare_surest(comparison, labels, confidence)
        for name, fingerprint in NAMES.items():
            if fingerprint in digests:
                comparison.digest(name, digests[fingerprint])
            elif fingerprint in self.fingerprints:
                comparison.leave_unchecked(name, "not given")
        comparison.columns(data, self.n_rows, self.columns)
        main = next((n for n in NAMES.values() if n in self.fingerprints), None)
        comparison.compared = main in digests
        if comparison.compared:
            comparison.recorded(_STATED)
        return comparison.verification()

    def _compare_surest(self, comparison: Comparison, labels, confidence) -> None:
        """Compare rows that were too doubtful with the least sure that have labels."""
        if self.design.kind != "audit":  # no confidence has left a row out
            return
        rows, doubtful = self.not_excluded, self.doubtful
        if labels is not None:
            named = check_labels(labels, self.n_rows, classes=self.classes)
            labeled = split_unlabeled(named, named, "labels")[0]
            rows, doubtful = rows[labeled[rows]], doubtful[labeled[doubtful]]
        order = by_confidence(check_confidence(confidence, self.n_rows), rows)
        if not np.array_equal(np.sort(order[len(self.pool) :]), doubtful):
            comparison.problem("confidence", "the doubtful rows are not the least sure")

    @property
    def _is_drawn_again(self) -> bool:
        """Whether the rows follow from the seed; drawn once for each digest."""
        # The digest, which was just compared, covers all that the drawing depends on.
        if self.__dict__.get("_digest_drawn_again") != self.digest:
            assert self.seed is not None
            for name in ("pool", "not_excluded"):  # of fields that may have been others
                self.__dict__.pop(name, None)
            pool = self.pool if self.source is None else np.sort(self.rows)
            rows = self.design.draw(self.seed, pool, self.design.size_of(self.rows))
            if not np.array_equal(self.rows, rows):
                return False
            self.__dict__["_digest_drawn_again"] = self.digest
        return True

    def __getstate__(self) -> dict[str, Any]:
        # Copies and pickles are drawn again.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def to_frame(
        self, data: Any = None, path: str | os.PathLike[str] | None = None
    ) -> pd.DataFrame:
        """Make the table of rows to label, which requires pandas.

        Parameters
        ----------
        data : data frame of n_rows rows, default=None
            What people need to see in order to label a row, and your own identifiers,
            in columns of pandas, Polars or Arrow.
        path : str or path-like, default=None
            Where to write the table as a CSV file in UTF-8, or, if the name ends in
            ".xlsx", as an Excel workbook. Texts that spreadsheets would treat as formulas
            get an apostrophe in front, which :func:`read_worksheet` removes. For
            annotation tools, a name that ends in ".json" makes a list of records without
            labels, and ".jsonl" one record in each line. By default the table is only
            returned.

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
        source : data frame, str or path
            The table of :func:`worksheet`, in any order of its lines. It is a data frame
            of pandas, Polars or Arrow, or the path of a CSV file, which requires pandas.
            The file may have commas, semicolons or tabs, in UTF-8, UTF-16 or, with a
            warning, Windows-1252. Of an Excel workbook (".xlsx"), which requires
            openpyxl, the first sheet is read. Annotation tools write records as JSON
            (".json", or ".jsonl" with one record in each line).
        column : str, default="label"
            Column that holds the labels. In JSON, it is a path of keys, positions in
            lists, and "key=value" for the item of a list that has this value, such as
            "annotations.0.result.from_name=topic.value.choices.0". It must lead to at
            most one value in each record.
        row_column : str, default="row"
            Column that holds the index of each row, such as "data.row" in JSON.
        dtype : dtype, default=None
            Type of the labels in a CSV or Excel file, such as ``str`` if "007" is a
            label.

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
            "design": self.design.as_json(),
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
        further = {*design} - {"kind", "number"}
        if len({*design}) < 2 + len(further) or design["kind"] not in DESIGNS:
            raise ValueError(f"its design is none of {sorted(DESIGNS)} with numbers")
        if further and (further != {"allocation"} or design["kind"] != "strata"):
            raise ValueError(f"its design has {sorted(further)}")
        number = _array("number", design.pop("number"), "integers", int)
        if isinstance(design.get("allocation"), list):
            sizes = _array("allocation", design["allocation"], "integers", int)
            design["allocation"] = tuple(sizes.tolist())
        values["design"] = DESIGNS[design.pop("kind")](number, **design)
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
        return html_result(repr(self), self.facts if has_types(self) else ())

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """What is known of the drawing, named, as texts."""
        how = f"by {self.source}" if self.source else "at random, by a seed"
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
    """Fields that are not those of an audit."""
    try:
        _check_numbers(audit, n_rows)
    except ValueError as error:
        return [str(error).rstrip(".")]
    return _wrong_rows(audit) or _wrong_rest(audit)


def _check_numbers(audit: Audit, n_rows: int | None) -> None:
    """Refuse fields with which nothing can be drawn, before rows are kept in memory."""
    check_count("n_rows", audit.n_rows, 2)
    if audit.seed is not None:
        check_integer("seed", audit.seed, 0, 2**SEED_BITS - 1)
    for name in ("target", "delta"):
        if (value := getattr(audit, name)) is not None:
            check_open_unit(name, value)
    if audit.source is not None:
        check_source(audit.source)
    of_text = audit.seed if audit.seed_text is None else seed_of(audit.seed_text)
    if not has_types(audit):
        raise ValueError("fields are not of the types that an audit has")
    if audit.seed != of_text:
        raise ValueError("seed is not that of seed_text")
    if n_rows is None and audit.n_rows > MOST_ROWS:
        reason = f"more than {MOST_ROWS} rows are drawn from again only if the data are"
        raise ValueError(f"n_rows is {audit.n_rows}: {reason} given")
    if n_rows not in (None, audit.n_rows):
        raise ValueError(f"n_rows is {audit.n_rows} here and {n_rows} in the data")
    check_digests(audit.fingerprints, [*NAMES.values()])
    check_digests(audit.columns, None, "columns")


def _wrong_rows(audit: Audit) -> list[str]:
    """Rows that are none of the data set, or in two lists."""
    n_rows, excluded, doubtful = audit.n_rows, audit.excluded, audit.doubtful
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
        audit.design.wrong_numbers: audit.design.is_for(n_rows),
    }
    return [problem for problem, is_right in right.items() if not is_right]


def _wrong_rest(audit: Audit) -> list[str]:
    """Other fields that no audit has; its rows are right."""
    texts = [audit.version, audit.date, audit.digest, audit.random_choice_test]
    known, p_value = audit.known_labels, audit.random_choice_p_value
    try:
        names = audit.classes
        are_names = names == {} or check_class_names(names) == names
    except (TypeError, ValueError):
        are_names = False
    # Of rows that were drawn elsewhere only the order of groups follows from a seed.
    has_seed = audit.source is None or audit.design.kind == "groups"
    right = {
        "version, date and digest are not printable texts": all(map(is_printable, texts)),
        "random_choice_p_value is not in (0, 1]": p_value is None or 0 < p_value <= 1,
        "classes are not different names by the texts of labels": are_names,
        "known_labels are not one for each excluded row": known is None
        or known.shape == audit.excluded.shape,
        f"seed is {audit.seed} and source is {audit.source!r}": has_seed
        == (audit.seed is not None)
        and (audit.source is None or audit.seed_text is None),
        "rows are not all of those that could be drawn together": audit.source is None
        or audit.design.are_whole(audit.rows, audit.pool),
    }
    return [problem for problem, is_right in right.items() if not is_right]


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


def check_audit(audit: Any, function: str = "", also: str = "") -> None:
    """Refuse what is no audit, or none of single rows where a function requires these.

    The function may ``also`` take another design.
    """
    if not isinstance(audit, Audit):
        raise invalid("audit", "an Audit, as draw_audit returns it", audit)
    kind = audit.design.kind
    if function and kind not in ("audit", also):
        needed = f"needs rows drawn one by one{f' or by {also}' * bool(also)}"
        instead = f"certify_labels takes {kind}"
        allowed = f"one without {kind} for {function}, which {needed}; {instead}"
        raise invalid("audit", allowed, audit)


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


def excluded_rows(exclude: Any, n_rows: int) -> tuple[NDArray[np.int64], list[Audit]]:
    """Sorted indices of the rows that must not be drawn, and the audits that had them."""
    items = exclude if isinstance(exclude, list | tuple) else [exclude]
    audits = [each for each in items if isinstance(each, Audit)]
    if audits and (len(audits) < len(items) or any(a.n_rows != n_rows for a in audits)):
        raise invalid("exclude", f"audits of the same {n_rows} rows", exclude)
    if audits:
        rows = np.concatenate([(*a.rows, *a.excluded) for a in audits])
        return np.unique(rows), audits
    mask = as_mask("exclude", [] if exclude is None else exclude, n_rows, "audits, ")
    return np.flatnonzero(mask), audits
