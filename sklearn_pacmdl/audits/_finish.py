"""Data sets that are finished: most rows labeled automatically, the others by people."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import MAX_COUNT, bmax, tolerated_audit_errors
from ..certificates import (
    Comparison,
    Verification,
    clauses,
    digest_of_codes,
    digest_of_labels,
    fingerprint_labels,
    number_labels,
    with_counts,
)
from ..columns import (
    check_writing,
    completed,
    decode,
    in_type_of,
    renamed,
    split_unlabeled,
)
from ..reports import ReportMixin, finished_report
from ..utils._checks import check_open_unit, first_of, invalid, is_iterable, shown, warn
from ..utils._row_order import check_order_of_rows, check_same_order
from ..utils._table_columns import LABEL, ROW
from ..utils._words import as_frame, html_result
from ..worksheets import (
    check_answers,
    listed,
    placed,
    read_worksheet,
    refuse_gaps,
    split_answers,
    worksheet,
)
from ._audit import Audit, check_audit
from ._audit_size import least_errors, reachable, tolerated_errors
from ._audited import AuditedErrorsCertificate
from ._audited_labels import AuditedLabels, audited_labels
from ._pool import check_confidence, rows_without
from ._segments import Segments, SegmentsCertificate
from ._surest import by_confidence

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class FinishedCertificate(AuditedErrorsCertificate, kind="finished"):
    """Certificate of a data set that a machine and people label together.

    ``n_train_errors`` is the largest number of audited errors among accepted rows.
    Audited rows keep their human labels, errors included, and people also label the
    ``n_doubtful`` rows.

    Its other attributes are those of :class:`AuditCertificate`, without ``sides`` and
    ``min_test_errors``.

    Attributes
    ----------
    target : float
        The error rate, in (0, 1), that the data set was finished for.
    n_automatic : int
        Number of unaudited rows that the machine labels.
    n_left : int
        Number of the other rows without a human label so far.
    n_known : int, default=0
        Number of further rows with earlier human labels, which are assumed to be right.

    See Also
    --------
    finish_labels : Makes it.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import FinishedCertificate
    >>> FinishedCertificate.from_counts(
    ...     200, 800, 4, target=0.05, n_automatic=600, n_left=200
    ... ).claim
    'once people have labeled the 200 rows that are left, at most 33 of all 1000 rows \
(3.30%) are labeled wrongly, and these are among the 600 rows that were labeled \
automatically'
    """

    target: float
    n_automatic: int
    n_left: int
    n_known: int = 0

    _of_errors = " that may be accepted"
    _counted_as = "n_automatic"
    _fingerprinted = "labels", "labeling", "audit", "finished"
    _settings = "target", "delta", "max_annotator_errors"
    _labelings: ClassVar = {}  # the digest is that of the accepted labels

    @property
    def assumed(self) -> tuple[str, ...]:
        known = (clauses.KNOWN,) if self.n_known else ()
        return (*self._assumed_of_people(clauses.REST, clauses.TARGET), *known)

    def _checked(self) -> Self:
        target = check_open_unit("target", self.target)
        checked = with_counts(
            super()._checked(),
            n_automatic=self.n_test,
            n_known=MAX_COUNT,
            n_train_abstained=0,  # all rows get a label in the end
            n_test_abstained=0,
        )
        most_left = checked.n_test - checked.n_automatic + checked.n_doubtful
        return replace(with_counts(checked, n_left=most_left), target=target)

    @property
    def _of_kind(self) -> str:
        return f"{super()._of_kind} once people have labeled the rows that are left"

    @property
    def _counts(self) -> tuple[int, int, int]:
        return self.stated[1], self.n_train, self.n_automatic

    @property
    def stated(self) -> tuple[int, int]:
        n_rows = self.n_known + self.n_train + self.n_test + self.n_doubtful
        return self.max_test_errors + self.max_annotator_errors, n_rows

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        counts = {"labeled automatically": [self.n_automatic], "left": [self.n_left]}
        return super().numbers[0] | counts, {"target": self.target}

    def _which(self) -> list[str]:
        if self.n_excluded and self.n_doubtful:
            return ["were not excluded"]
        return ["could be drawn"] if self.n_excluded else []

    @property
    def claim(self) -> str:
        among = f"the {self.n_automatic} rows that were labeled automatically"
        where = f"these are among {among}"
        if self.max_annotator_errors:
            where = (
                f"at most {self.max_test_errors} of these are among {among}, and the "
                "others among the audited rows"
            )
        rows = f"the {self.n_left} rows that are left"
        once = f"once people have labeled {rows}, " if self.n_left else ""
        return f"{once}{self._wrong()}, and {where}"

    def verify(
        self,
        labels: ArrayLike | None = None,
        confidence: ArrayLike | None = None,
        audit: Audit | None = None,
        audit_labels: ArrayLike | None = None,
        *,
        finished_labels: ArrayLike | None = None,
        data: Any = None,
    ) -> Verification:
        """Compute the bound again, and finish again if the data are given.

        Parameters
        ----------
        labels, confidence, audit, audit_labels : object, default=None
            What :func:`finish_labels` was called with: all of them, or none.
        finished_labels : array-like of shape (n_rows,), default=None
            The labels of the finished data set as people use them; -1 or a missing value
            marks a row that is still left to people. They are compared row by row with
            the human labels and the automatic ones, and with their digest.
        data : data frame or mapping of str to str, default=None
            The columns that annotators saw, of all rows of the data set, or their
            digests, to compare with those of the audit. Other columns are listed as not
            checked.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. Its outcome says whether data were
            compared. Printed, it lists what was checked and what was not.

        Raises
        ------
        ValueError
            If only some of the data are given, or they do not fit together.
        """
        of_audit: Any = {"audit": audit, "audit_labels": audit_labels}
        of_rows: Any = {"labels": labels, "confidence": confidence}
        return self._verified(
            data, **of_rows, **of_audit, finished_labels=finished_labels
        )

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        finished_labels = arguments.pop("finished_labels")
        certificates = arguments.pop("certificates", {"": self})
        finished = finish_labels(**arguments)
        again = finished.certificate
        if again is None:
            raise ValueError("the audit is too small for the target.")
        comparison.check("labels", f"{finished.accepted.sum()} labels accepted again")
        comparison.digest("labels", again.fingerprints["labeling"])
        comparison.check("confidence", "the surest labels accepted again")
        if finished_labels is None:
            comparison.leave_unchecked("finished_labels", "not given")
        else:
            values = finished_labels, certificates
            _compare_finished(comparison, finished, *values)
        return again

    def _unshown(self, given: Mapping[str, Any]) -> Iterator[str]:
        held = {name: getattr(given["audit"], name, None) for name in self._settings}
        yield from ["n_left"] * (given["finished_labels"] is None)
        yield from (name for name in self._settings if held[name] is None)


def _with_left(certificate: Any, n_left: Mapping[str, int], digest: str) -> Any:
    """The same with so many rows that are left, of all rows ("") or of each segment."""
    prints = {**certificate.fingerprints, "finished": digest}
    if isinstance(certificate, FinishedCertificate):
        left = n_left.get(certificate.segment or "", certificate.n_left)
        return replace(certificate, n_left=left, fingerprints=prints)
    inside = {
        name: _with_left(each, n_left, digest)
        for name, each in certificate.certificates.items()
    }
    return replace(certificate, certificates=inside, fingerprints=prints)


def _compare_finished(comparison, finished, values, certificates) -> None:
    """Whether the labels of a finished data set are those of their sources.

    Certificates are those of segments, or of all rows ("").
    """
    name, audit = "finished_labels", finished._rule.checked.audit
    labels = renamed(values, audit.classes, name)
    ours, theirs = _texts(finished.labels), _texts(labels)
    is_labeled, rows = theirs != None, np.arange(audit.n_rows)  # noqa: E711 (by element)
    audited, left = (np.isin(rows, each) for each in (audit.rows, finished.to_annotators))
    sources = {"audit_labels": audited, "labels": finished.accepted & ~audited}
    for source, mask in sources.items():
        differing = np.flatnonzero(mask & (theirs != ours)).tolist()
        if differing:
            what = f"{len(differing)} of {mask.sum()} labels are not those of"
            of = f"{comparison.name(source)}: rows {shown(differing)}"
            comparison.problem(name, f"{what} {of}")
    how = "labels compared with their sources"
    comparison.check(name, f"{is_labeled[audit.not_excluded].sum()} {how}")
    if len(audit.excluded):
        text = f"{len(audit.excluded)} rows that could not be drawn"
        comparison.leave_unchecked(name, text)
    problems = [
        problem
        for segment in certificates.keys() & finished._rules.keys()
        for problem in _wrong_rest(
            certificates[segment],
            *(
                finished._rules[segment].checked.of_these(np.flatnonzero(mask)).tolist()
                for mask in (left & ~is_labeled, left & is_labeled)
            ),
        )
    ]
    for problem in problems:
        comparison.problem(name, problem)
    if not problems:
        digest = digest_of_labels(labels[audit.not_excluded], name)
        comparison.digest(name, digest, required=True)


def _wrong_rest(certificate, without, labeled) -> Iterator[str]:
    """What is wrong with the numbers of rows that people have labeled and have not."""
    n_left, of = certificate.n_left, certificate._of_segment
    n_known = len(without) + len(labeled) - n_left
    if len(labeled) > n_known:
        yield (
            f"{len(labeled)} rows{of} that were left to people have labels, of which the "
            f"certificate knows {n_known}: rows {shown(labeled)}; finishing again "
            "with these labels (add_labels, or --rest in the shell) makes a "
            "certificate that knows them"
        )
    elif len(without) != n_left:
        yield f"n_left{of} is {n_left}, and {len(without)} rows have no label"


def _texts(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels as texts, and None where there is none."""
    numbered = number_labels(labels, "finished_labels")
    return np.array([*map(str, numbered.names), None], dtype=object)[numbered.codes]


def stops_at(order, audited, wrong) -> NDArray[np.int64]:
    """Sorted positions of wrong audited rows in the order, and behind them its end."""
    is_wrong = np.zeros(max(order.max(initial=-1), audited.max()) + 1, dtype=bool)
    is_wrong[audited[wrong]] = True
    return np.append(np.flatnonzero(is_wrong[order]), len(order))


# Share of the rows that are equally sure from which their order is said to decide. A few
# rows alike are in most tables.
_MOST_TIED = 0.05


def n_accepted(stops: NDArray[np.int64], n_tolerated: ArrayLike) -> Any:
    """How many rows come before one audited error more than tolerated; none for -1."""
    tolerated = np.asarray(n_tolerated)
    at = np.clip(tolerated, 0, len(stops) - 1)
    return np.where(tolerated < 0, 0, stops[at])[()]


class AcceptanceRule:
    """Which rows are accepted for each number of errors that may be left.

    Of ``n_rows`` rows, m were audited and n others could have been. Up to ``hidden``
    human labels may be wrong. For the target, ``n_tolerated`` errors of audited rows may
    be accepted, and so the rows of the order up to the cut.
    """

    def __init__(self, checked: AuditedLabels, confidence, delta, target) -> None:
        audit, of_these = checked.audit, checked.of_these
        self.checked, self.delta, self.target = checked, delta, target
        self.hidden = checked.max_annotator_errors
        pool, doubtful = of_these(audit.pool), of_these(audit.doubtful)
        self.m = len(of_these(audit.rows))
        self.n, self.n_doubtful = len(pool) - self.m, len(doubtful)
        self.n_excluded = len(of_these(audit.excluded))
        self.n_known = 0 if audit.known_labels is None else self.n_excluded
        self.n_not_excluded = self.m + self.n + self.n_doubtful
        self.n_rows = self.n_not_excluded + self.n_known
        # Those that cannot be accepted.
        doubtful = doubtful[checked.predicted[doubtful] >= 0]
        self.never_accepted = by_confidence(confidence, doubtful)
        is_blank = checked.predicted[pool] < 0
        labeled = pool[~is_blank] if is_blank.any() else pool
        self.order = by_confidence(confidence, labeled).astype(np.int32)
        self.confidence = confidence
        self.stops = stops_at(self.order, audit.rows, checked.wrong)
        self.is_unaudited = ~np.isin(self.order, audit.rows)
        self.n_tolerated = int(self.tolerated(tolerated_errors(self.n_rows, target)))
        self.cut = int(n_accepted(self.stops, self.n_tolerated))

    def tolerated(self, max_errors: ArrayLike) -> Any:
        """How many errors of audited rows may be accepted; -1 if no row may be."""
        # Audited rows keep human labels: R errors may be left among them. At most c + R
        # of the rows before audited error c + 1 are wrong audited ones. So the rule for c
        # + R accepts all of these rows.
        n, hidden = self.n, self.hidden
        left = np.minimum(np.asarray(max_errors) - hidden, n)
        audited = tolerated_audit_errors(self.m, n, np.maximum(left, 0), self.delta)
        return np.where(left < 0, -1, np.maximum(audited - hidden, -1))[()]

    def left(self, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Rows for people: those without a label, and then the most doubtful first."""
        is_blank, audit = self.checked.predicted < 0, self.checked.audit
        is_blank[audit.rows] = is_blank[audit.excluded] = False
        is_left = ~accepted[self.order] & self.is_unaudited
        doubtful = self.never_accepted[::-1], self.order[is_left][::-1]
        return np.concatenate([np.flatnonzero(is_blank), *doubtful])

    def certificate(self, digests: Mapping[str, str]) -> FinishedCertificate:
        n_automatic = int(np.sum(self.is_unaudited[: self.cut]))
        return FinishedCertificate._of(
            self.checked,
            n_train=self.m,
            n_test=self.n,
            n_train_errors=self.n_tolerated + self.hidden,
            delta=self.delta,
            target=self.target,
            n_automatic=n_automatic,
            n_left=self.n + self.n_doubtful - n_automatic,
            fingerprints=digests,
            n_doubtful=self.n_doubtful,
            # Known rows are in the data set, with labels of people.
            n_excluded=0 if self.n_known else self.n_excluded,
            n_known=self.n_known,
        )


@dataclass(frozen=True, eq=False, repr=False)
class FinishedLabels(ReportMixin):
    """Result of :func:`finish_labels`: what is labeled automatically, and what is left.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Human labels of audited rows, accepted automatic labels, and elsewhere -1, or None
        if labels are not integers.
    accepted : ndarray of shape (n_rows,) of bool
        Rows whose automatic labels are accepted, audited ones included.
    to_annotators : ndarray of shape (n_to_annotators,) of int64
        Indices of the rows that are left to people, the most doubtful first.
    share_automatic : float
        Share of accepted unaudited rows among all rows that were not excluded, in [0, 1].
        People need not label these rows; higher is better.
    certificate : FinishedCertificate, SegmentsCertificate or None
        The guarantee. None, and no row is accepted, if the audit is too small.
    target : float
        Requested error rate of the finished data set.
    _rule, _rules : object
        What the methods work with.
    by_annotators : ndarray of shape (n_rows,) of bool
        Rows whose label is from a person.

    See Also
    --------
    finish_labels : The function that returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import draw_audit, finish_labels
    >>> truth = np.arange(500) % 2
    >>> labels = np.where(np.arange(500) < 100, 0, truth)  # half of a hundred are wrong
    >>> audit = draw_audit(500, 100, random_state=0)
    >>> finished = finish_labels(
    ...     labels, np.arange(500), audit, truth[audit.rows], target=0.05
    ... )
    >>> today = np.where(np.arange(55) < 20, truth[finished.to_annotators], -1)
    >>> finished = finished.add_labels(today)
    >>> len(finished.to_annotators)
    35
    """

    labels: NDArray[Any]
    accepted: NDArray[np.bool_]
    to_annotators: NDArray[np.int64]
    share_automatic: float
    certificate: FinishedCertificate | SegmentsCertificate | None
    target: float
    _rule: AcceptanceRule  # of all rows
    _rules: Mapping[str, AcceptanceRule]  # of each segment, or the same for ""

    def _repr_html_(self) -> str:
        by_annotators = int(self.by_annotators.sum())
        n_audited = len(self._rule.checked.audit.rows)
        return html_result(
            str(self).partition("\n")[0],
            [
                ("target", str(self.target)),
                ("labeled automatically", f"{self.share_automatic:.1%} of the rows"),
                ("audited", f"{n_audited:,} rows"),
                ("labeled by people, audited rows included", f"{by_annotators:,} rows"),
                ("left to people", f"{len(self.to_annotators):,} rows"),
            ],
        )

    _report = finished_report

    @property
    def by_annotators(self) -> NDArray[np.bool_]:
        by_annotators = ~self.accepted
        by_annotators[self._rule.checked.audit.rows] = True
        return by_annotators & split_unlabeled(self.labels, None, "labels")[0]

    def at_targets(
        self, targets: Sequence[float] | None = None, *, y_true: ArrayLike | None = None
    ) -> pd.DataFrame:
        """Show how many rows would be labeled automatically for other targets.

        Parameters
        ----------
        targets : sequence of float, default=None
            Error rates, each in (0, 1). By default, the lowest rates for which one more
            audited error may be accepted.
        y_true : array-like of shape (n_rows,), default=None
            The right label of each row, if it is known: in experiments, or later.

        Returns
        -------
        frame : DataFrame, indexed by target
            ``max_errors`` (count) and ``error_bound`` in the finished data set,
            ``n_automatic`` and ``share_automatic``, ``n_to_annotators``, and
            ``certified``: whether the certificate covers the line. It does not cover a
            target that is picked because of this table. With ``y_true`` also
            ``true_error_rate``, of the finished data set if people are right.

        Raises
        ------
        ValueError
            If a target is not in (0, 1), a label of ``y_true`` is missing, or the data
            set was finished by segments.
        """
        rule, n_rows = self._rule, self._rule.n_rows
        if rule.checked.segments is not None:
            what = "at_targets is about all rows, and not about each segment"
            raise ValueError(f"{what}: finish the data set again without by=.")
        if targets is None:
            # The errors of the finished data set, by those of audited rows.
            most = min(len(rule.stops) + rule.hidden, rule.m + 1)
            audited = np.arange(rule.hidden, most)
            counts = bmax(rule.m, rule.n, audited, rule.delta) + rule.hidden
            rates = (counts / n_rows).tolist()
        else:
            rates = list(targets) if is_iterable(targets) else []
            if not rates:
                raise invalid("targets", "None or a sequence of error rates", targets)
            rates = [check_open_unit("targets", target) for target in rates]
            counts = np.array([tolerated_errors(n_rows, target) for target in rates])
        # All at once: one by one they take minutes for an audit of thousands of rows.
        tolerated = rule.tolerated(counts)
        n_unaudited = np.concatenate([[0], np.cumsum(rule.is_unaudited)])
        automatic = n_unaudited[n_accepted(rule.stops, tolerated)]
        table = {
            "target": rates,
            "max_errors": counts,
            "error_bound": counts / n_rows,
            "n_automatic": automatic,
            "share_automatic": automatic / rule.n_not_excluded,
            "n_to_annotators": rule.n + rule.n_doubtful - automatic,
            "certified": (tolerated == rule.n_tolerated) & (rule.n_tolerated >= 0),
        }
        if y_true is not None:
            table["true_error_rate"] = self._true_errors(y_true)[automatic] / n_rows
        return as_frame(table, "target")

    def _true_errors(self, y_true: ArrayLike) -> NDArray[np.int64]:
        """Errors among the surest rows that were not audited, by the number of rows."""
        checked = self._rule.checked
        check_same_order(labels=checked.index, y_true=y_true)
        truth = renamed(y_true, checked.audit.classes, "y_true")
        truth = check_answers(truth, np.arange(len(self.labels)), "y_true")
        truth = in_type_of(truth, checked.classes, "labels and y_true")
        self._check_writing("y_true", truth)
        rows = self._rule.order[self._rule.is_unaudited]
        # As objects, so that text is compared with text whatever arrays hold it.
        labels = checked.classes.astype(object)[checked.predicted[rows]]
        wrong = labels != truth.astype(object)[rows]
        return np.concatenate([[0], np.cumsum(wrong)])

    def to_frame(
        self, data: Any = None, path: str | os.PathLike[str] | None = None
    ) -> pd.DataFrame:
        """Make the table of the rows that are left to people, the most doubtful first.

        Parameters
        ----------
        data : data frame of n_rows rows, default=None
            What people need to see in order to label a row.
        path : str or path-like, default=None
            Where to write the table as a CSV file in UTF-8, or, if the name ends in
            ".xlsx", as an Excel workbook. Texts that spreadsheets would treat as formulas
            get an apostrophe in front, which :func:`read_worksheet` removes. For
            annotation tools, a name that ends in ".json" makes a list of records without
            labels, and ".jsonl" one record in each line. By default the table is only
            returned.

        Returns
        -------
        frame : DataFrame of shape (n_to_annotators, n_columns + 2)
            As that of :func:`~sklearn_pacmdl.worksheets.worksheet`.
        """
        check_same_order(labels=self._rule.checked.index, data=data)
        return worksheet(self.to_annotators, data, path, n_rows=len(self.labels))

    def read_labels(
        self,
        source: Any,
        column: str = LABEL,
        *,
        row_column: str = ROW,
        dtype: Any = None,
    ) -> NDArray[Any]:
        """Read the labels in a table that people filled in, or a part of them.

        Parameters
        ----------
        source : data frame, str or path
            The table of :meth:`to_frame`, or the path of a CSV, Excel or JSON file of it.
            It may repeat labels that were added before.
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
        labels : ndarray of shape (n_to_annotators,)
            In the order of ``to_annotators``, for :meth:`complete`, or for
            :meth:`add_labels` if some are missing: -1, or None if not integers.

        Raises
        ------
        ValueError
            If the table is not as described, has unexpected rows, or changes labels that
            were added before.
        """
        audit, n_left = self._rule.checked.audit, len(self.to_annotators)
        unaudited = rows_without(audit.not_excluded, audit.rows)
        left = unaudited[~self.accepted[unaudited]]
        added = np.setdiff1d(left, self.to_annotators)
        labels = read_worksheet(
            source,
            np.concatenate([self.to_annotators, added]),
            column,
            row_column=row_column,
            dtype=dtype,
            partial=True,
            classes=audit.classes,
        )
        labeled = split_unlabeled(labels, None, column)[0][n_left:]
        before, now = self.labels[added].astype(object), labels[n_left:].astype(object)
        changed = added[labeled & (before != now)]
        if len(changed):
            what = "source must have the labels that were added before"
            raise ValueError(f"{what}, got others for rows {listed(changed)}.")
        return labels[:n_left]

    def add_labels(self, human_labels: ArrayLike) -> FinishedLabels:
        """Fill in a part of the human labels, and leave the other rows to people.

        Parameters
        ----------
        human_labels : array-like of shape (n_to_annotators,)
            Labels in the order of ``to_annotators``. -1 or a missing value marks a row
            that is not labeled yet.

        Returns
        -------
        finished : FinishedLabels
            The same with these labels, and with the other rows in ``to_annotators``. The
            certificate says how many rows are left.

        Raises
        ------
        ValueError
            If labels are of another type than those of the audit, or write its classes in
            another way. If the index of a Series says that they are in another order.

        Warns
        -----
        UserWarning
            If a label is none of the automatic labels, nor of those of audited rows.
        """
        name, rows, checked = "human_labels", self.to_annotators, self._rule.checked
        check_order_of_rows(name, human_labels, rows, "to_annotators", checked.index)
        named = renamed(human_labels, checked.audit.classes, name)
        labeled, values = split_answers(named, rows, name)
        values = in_type_of(values, checked.classes, f"labels and {name}")
        self._check_writing(name, values)
        labels = self.labels.copy()
        labels[rows[labeled]] = values
        left, certificate = rows[~labeled], self.certificate
        if certificate is not None:
            digest = fingerprint_labels(labels[checked.audit.not_excluded])
            n_left = {k: len(r.checked.of_these(left)) for k, r in self._rules.items()}
            certificate = _with_left(certificate, n_left, digest)._issued()
        return replace(self, labels=labels, to_annotators=left, certificate=certificate)

    def _check_writing(self, name: str, values: NDArray[Any]) -> None:
        """Compare further labels that people gave with those that there are."""
        checked = self._rule.checked
        known = {*checked.classes.tolist(), *checked.audit.classes.values()}
        counts = Counter(values.tolist())
        check_writing(name, counts, known, "labels and audit_labels")

    def complete(self, human_labels: ArrayLike) -> FinishedLabels:
        """Fill in the human labels of all rows that were left to people.

        Parameters
        ----------
        human_labels : array-like of shape (n_to_annotators,)
            Labels in the order of ``to_annotators``.

        Returns
        -------
        finished : FinishedLabels
            The same with all labels, and a certificate for the whole data set. Its
            ``verify`` takes these labels as ``finished_labels``.

        Raises
        ------
        ValueError
            If a label is missing, or :meth:`add_labels` refuses the labels.

        Warns
        -----
        UserWarning
            If a label is none of the automatic labels, nor of those of audited rows.
        """
        finished = self.add_labels(human_labels)
        name, advice = "human_labels", "add_labels takes a part of them."
        refuse_gaps(name, finished.to_annotators, human_labels, advice)
        return finished

    def __str__(self) -> str:
        if self.certificate is None:
            return "No row is labeled automatically: the audit is too small."
        if isinstance(self.certificate, SegmentsCertificate):
            return str(self.certificate)
        return self.certificate.statement

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(share_automatic={self.share_automatic:.3f}, "
            f"{len(self.to_annotators)} rows to people)"
        )


def finish_labels(
    labels: ArrayLike,
    confidence: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    target: float,
    delta: float = 0.1,
    max_annotator_errors: int = 0,
    by: ArrayLike | None = None,
) -> FinishedLabels:
    """Label as many rows automatically as a target error rate allows.

    The surest labels are accepted, people label the other rows, and at most the target
    share of all rows is then labeled wrongly.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The automatic labels: integers, text or booleans. Rows without one (-1 or a
        missing value) are left to people.
    confidence : array-like of shape (n_rows,)
        How sure each label is; higher is surer. Only the order counts, and of equally
        sure rows the place in the table.
    audit : Audit
        The audited rows, as :func:`draw_audit` returned them.
    audit_labels : array-like of shape (audit.size,)
        Labels that people gave to the audited rows, in drawing order: those of
        ``audit.rows``. None may be missing.
    target : float
        Share of wrong labels, in (0, 1), that the finished data set may have:
        ``floor(target * N)`` of N rows, by its printed decimal (a product within 1e-9 of
        a whole number is that). Excluded rows count only with ``known_labels`` of the
        audit. Fix it before you see a result.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.
    max_annotator_errors : int, default=0
        Maximum number of audited rows to which people may have given a wrong label,
        from 0 to ``audit.size``. The certificate states this assumption.
        Labels that people give later are assumed to be right.
    by : array-like of shape (n_rows,), default=None
        The segment of each row, as in :func:`certify_labels`: the target then holds in
        each. Rows of no segment, or of one with too small an audit, are left to people.

    Returns
    -------
    finished : FinishedLabels
        Accepted labels, rows that are left to people, and the certificate.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, a label of an audited row is missing, or the
        audit was drawn for other labels, confidences, target or delta.

    Warns
    -----
    UserWarning
        If the audit is too small for any row to be labeled automatically.

    See Also
    --------
    plan_finish : Plans how many rows to audit.

    Notes
    -----
    Rows are accepted from the surest up to the (a + 1)-th audited error, with the largest
    a for which :func:`~sklearn_pacmdl.bounds.bmax` is within the target. This does not
    bound the error rate among the accepted rows. If people may be wrong about R audited
    rows, R errors fewer are tolerated elsewhere, and the rule stops R audited errors
    earlier. If the surest rows were drawn from, only these can be accepted; the statement
    is about all rows.

    References
    ----------
    .. [1] E. J. Candès, A. Ilyas and T. Zrnic, "Probably Approximately Correct Labels",
           2025 (the same aim, with an asymptotic or looser rule).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import draw_audit, finish_labels
    >>> rng = np.random.RandomState(0)
    >>> truth, guess = rng.randint(4, size=(2, 3000))
    >>> confidence = rng.uniform(size=3000)
    >>> labels = np.where(rng.uniform(size=3000) < confidence, truth, guess)
    >>> audit = draw_audit(3000, 400, labels=labels, random_state=0)
    >>> given = labels, confidence, audit, truth[audit.rows]
    >>> finished = finish_labels(*given, target=0.1)
    >>> finished.complete(truth[finished.to_annotators]).certificate.claim
    'at most 300 of all 3000 rows (10.00%) are labeled wrongly, and these are among the \
1312 rows that were labeled automatically'
    """
    target, delta = check_open_unit("target", target), check_open_unit("delta", delta)
    check_audit(audit, "finish_labels")
    further: Any = {"by": by, "max_annotator_errors": max_annotator_errors}
    checked = audited_labels(labels, audit, audit_labels, confidence, **further)
    for name, value in {"target": target, "delta": delta}.items():
        planned = getattr(audit, name)
        if planned not in (None, value):
            what = f"{name} must be {planned}, for which the audit was drawn"
            raise ValueError(f"{what}, got {value}.")
    sure = check_confidence(confidence, audit.n_rows)
    rule, segments = AcceptanceRule(checked, sure, delta, target), None
    rules = {"": rule}
    if checked.segments is not None:
        segments = Segments(checked, delta, np.zeros(audit.size, dtype=bool), rest=True)
        rules = {
            name: AcceptanceRule(part, sure, segments.share, target)
            for name, part in segments.parts()
        }
        rules = {name: each for name, each in rules.items() if each.n}
    _warn_too_small([each for each in rules.values() if each.n_tolerated < 0])
    _tell_of_ties(rules.values())
    accepted = np.zeros(audit.n_rows, dtype=bool)
    for each in rules.values():
        accepted[each.order[: each.cut]] = True
    so_far, digests = _labels_so_far(checked, accepted)
    certificates = {
        name: each.certificate(digests)
        for name, each in rules.items()
        if each.n_tolerated >= 0
    }
    certificate: Any = certificates.get("")
    if segments is not None and certificates:
        certificate = segments.certificate(certificates)
    n_automatic = int(np.sum(accepted[rule.order] & rule.is_unaudited))
    return FinishedLabels(
        labels=so_far,
        accepted=accepted,
        to_annotators=rule.left(accepted),
        share_automatic=n_automatic / rule.n_not_excluded,
        certificate=certificate,
        target=target,
        _rule=rule,
        _rules=rules,
    )


def _labels_so_far(checked, accepted):
    """Accepted labels and those of people, and digests of both, and of all together."""
    audit = checked.audit
    codes = np.where(accepted, checked.predicted, np.int32(-1))
    rows, digests = audit.not_excluded, checked.fingerprints(codes, audit.not_excluded)
    codes[audit.rows] = checked.truth
    digests["finished"] = digest_of_codes(codes, checked.classes, rows)
    so_far = decode(codes, checked.classes)
    if audit.known_labels is not None:
        known = in_type_of(audit.known_labels, checked.classes, "labels and known_labels")
        known = placed(known, audit.excluded, audit.n_rows)
        so_far = completed(known, so_far, checked.classes)
    return so_far, digests


def _tell_of_ties(rules: Iterable[AcceptanceRule]) -> None:
    """Say that places in the table decide if many rows at a cut are equally sure."""
    for rule in rules:
        if not 0 < rule.cut < len(rule.order):
            continue
        sure = rule.confidence[rule.order]
        tied = sure == sure[rule.cut]
        n_accepted, n_tied = np.count_nonzero(tied[: rule.cut]), np.count_nonzero(tied)
        if n_accepted and n_tied > _MOST_TIED * len(sure):
            warn(
                f"{n_tied} rows are equally sure, and the first {n_accepted} are "
                "accepted. In a table that is sorted, by class for instance, the others "
                "are not like these. Finer confidences decide otherwise, if they were "
                "fixed before the audit was drawn."
            )
            return


def _warn_too_small(rules: Sequence[AcceptanceRule]) -> None:
    """Warn of audits that are too small for any row to be labeled automatically."""
    if not rules:
        return
    rule, *others = rules
    name = rule.checked.segment
    of = "" if name is None else f" of segment {name!r}"
    further = first_of(repr(each.checked.segment) for each in others)
    hidden = f", max_annotator_errors={rule.hidden}" if rule.hidden else ""
    least = least_errors(rule.m, rule.n, rule.delta, rule.hidden)
    warn(
        f"An audit of {rule.m} of {rule.n_rows} rows{of} is too small for "
        f"target={rule.target}{hidden} and delta={rule.delta}, so no row{of} is labeled "
        f"automatically: {reachable(least, rule.n_rows)}."
        f"{f' Nor is any of {further}.' * bool(others)} "
        "sklearn_pacmdl.audits.plan_finish tells what more audited rows give."
    )
