"""Certificates of audits, which are verified by certifying again."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, ClassVar, Self, TypeAlias

from numpy.typing import ArrayLike

from ..bounds import MAX_COUNT
from ..certificates import (
    Certificate,
    Comparison,
    ErrorsCertificate,
    Verification,
    are_texts,
    check_digests,
    checked_digests,
    clauses,
    digest_of_numbers,
    lines_beyond,
    number_labels,
    verification_of,
    with_counts,
)
from ..estimators import num_samples
from ..reports import ReportMixin, certificate_report
from ..utils._checks import PRINTABLE, invalid, is_integer, is_iterable, shown
from ..utils._row_order import check_same_order
from ..utils._words import PrintedTable, between, counted, joined, percent, percent_below
from ._audit import Audit, check_audit
from ._audited_labels import AuditedLabels, not_drawn_for
from ._pool import check_labels, check_seed_text, fingerprints_of

#: Numbers of rows, of audited rows, and of those among these that are counted.
Counts: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class AuditedCertificate(Certificate, ReportMixin):
    """Base class of certificates that rest on human labels of audited rows."""

    seed_text: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    segment: str | None = None

    _fingerprinted: ClassVar[tuple[str, ...]] = ("labels", "labeling", "audit")
    # Parameters of the function that made the certificate, which only this tells.
    _settings: ClassVar[tuple[str, ...]] = ("delta",)
    _has_digests: ClassVar[bool] = True
    _labelings: ClassVar[Mapping[str, str]] = {"labels": "labeling"}  # and digests
    _report = certificate_report
    # In tables of segments, "" of classes; None of what is not in these.
    _counted_as: ClassVar[str | None] = None

    def _assumed_of_people(self, *further: str) -> tuple[str, ...]:
        """What is assumed of human labels of audited rows, and of the drawing."""
        most = getattr(self, "max_annotator_errors", 0)
        right = clauses.PEOPLE.format(most) if most else clauses.RIGHT
        segments = [clauses.SEGMENTS] * (self.segment is not None)
        text = self.seed_text
        texts = [] if text is None else [clauses.SEED_TEXT.format(text)]
        return (right, clauses.ONCE, *further, *segments, *texts)

    @property
    def _answers(self) -> Mapping[str, str]:
        """Arguments that are labels of the audited rows, and their digests."""
        return {"audit_labels": "labels"}

    @property
    def _digested(self) -> tuple[str, ...]:
        """The digests that it has to have."""
        return self._fingerprinted

    @property
    def _may_be_missing(self) -> tuple[str, ...]:
        """Arguments of verify that need not be given with the others."""
        return ("finished_labels",)

    @property
    def _of_kind(self) -> str:
        """The rows whose number is bounded."""
        return "rows that are labeled wrongly"

    @property
    def _in_table(self) -> str:
        """What is stated of each segment of a table."""
        return f"the number of {self._of_kind} is within the bounds of the table"

    @property
    def _drawn_by(self) -> str:
        return ""

    @property
    def _of_segment(self) -> str:
        return "" if self.segment is None else f" of segment {self.segment!r}"

    @classmethod
    def _of(cls, checked: AuditedLabels, **values: Any) -> Self:
        """Issue it with those of its fields that are about the audit, and others."""
        about = {n: value for n, value in checked.fields.items() if n in cls._names()}
        return cls._made(**about | values)

    @abstractmethod
    def verify(self) -> Verification:
        """Compute the bounds again, and certify again if the data are given."""

    @abstractmethod
    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Self:
        """What the function that made this certificate makes of its arguments."""

    def _checked(self) -> Self:
        checked = super()._checked()
        check_seed_text(self.seed_text)
        if self.segment is not None and not are_texts([self.segment]):
            raise invalid("segment", f"None or a text {PRINTABLE}", self.segment)
        if self._has_digests and {*checked.fingerprints} != {*self._digested}:
            allowed = f"digests of {joined(self._digested)}"
            raise invalid("fingerprints", allowed, self.fingerprints)
        return replace(checked, columns=check_digests(self.columns, None, "columns"))

    def _verified(self, data: Any, **given: Any) -> Verification:
        """Verify with the arguments of the function that made this certificate."""
        data = checked_digests(data)
        required = [name for name in given if name not in self._may_be_missing]
        missing = [f"{name}=None" for name in required if given[name] is None]
        is_given = any(each is not None for each in given.values())
        if is_given and self.segment is not None:
            what = "data are compared with the certificate of all segments, of which this"
            raise ValueError(f"{what} is one: verify that one with them.")
        if missing and is_given:
            what = f"verify requires all of {joined(required)}, or none"
            raise ValueError(f"{what}, got {joined(missing)}.")
        if problems := self._problems():
            return verification_of(problems, readable=self._is_readable())
        problems = self._wrong_bounds()
        if problems and not is_given and data is None:
            return verification_of(problems, self._arithmetic)
        comparison = Comparison(self)
        comparison.check("certificate", "fields, bound and SHA-256 digest")
        comparison.wrong_fields(problems)
        if not is_given:
            for name in required:
                comparison.leave_unchecked(name, "not given")
        n_rows = given["audit"].n_rows if isinstance(given["audit"], Audit) else None
        comparison.columns(data, n_rows, self.columns)
        if is_given:
            self._compare(comparison, given, data)
        return comparison.verification(self._arithmetic)

    def _compare(self, comparison, given, data) -> None:
        """Certify again, and compare the result with this certificate."""
        audit, n_before = given["audit"], len(comparison.problems)
        check_audit(audit)
        of_audit = {"audit", *self._answers}
        by_row = {name: given[name] for name in given if name not in of_audit}
        table = None if isinstance(data, Mapping) else data
        check_same_order(**{comparison.name(n): v for n, v in by_row.items()}, data=table)
        for name, values in by_row.items():
            if values is None:
                continue
            try:
                n = num_samples(values)
            except TypeError:  # which names no parameter
                raise invalid(name, f"of {audit.n_rows} rows", values) from None
            if n != audit.n_rows:
                what = f"it has {n} rows, and the audit is of {audit.n_rows}"
                comparison.problem(name, what)
        problems = [*audit.verify(n_rows=audit.n_rows).problems]
        if self.fingerprints.get("audit") not in (None, audit.digest):
            problems.append("it is not the audit of the certificate")
        for problem in problems:
            comparison.problem("audit", problem)
        if len(comparison.problems) > n_before:
            return
        comparison.drawing(audit.source)
        if "audit" not in self.fingerprints:
            comparison.digest("audit", audit.digest)
        if self._compare_labelings(comparison, given):
            self._compare_again(comparison, given)

    def _compare_labelings(self, comparison, given) -> bool:
        """Compare labels with their digests; whether the audit was drawn for them."""
        audit: Audit = given["audit"]
        for name, of in self._labelings.items():
            if name in self._answers:
                continue
            labels = check_labels(given[name], audit.n_rows, name, audit.classes)
            labels = labels[audit.pool] if of == "labeling" else labels
            numbered = number_labels(labels, name)
            comparison.check(name, f"{(numbered.codes >= 0).sum()} labels counted")
            comparison.digest(name, digest_of_numbers(numbered), of=of)
        parts = given.get("labels"), given.get("confidence")
        digests = fingerprints_of(audit.n_rows, *parts, audit.classes)
        others = not_drawn_for(audit, digests)
        for name in others:
            what = "they are not those that the audit was drawn for"
            comparison.problem(name, what)
        return not others

    def _compare_again(self, comparison, given) -> None:
        try:
            with warnings.catch_warnings():  # which were for those who certified
                warnings.simplefilter("ignore")
                again = self._certified_again({**given, **self._set()}, comparison)
        except ValueError as error:  # such as for a class that no row has
            comparison.wrong_fields([f"nothing like it can be certified: {error}"])
            return
        if again.kind != self.kind:
            ours = f"kind is {self.kind!r} here and {again.kind!r} in the data"
            comparison.wrong_fields([ours])
            return
        comparison.compared = True
        audit: Audit = given["audit"]
        for name, of in self._answers.items():
            comparison.check(name, f"{audit.size} labels counted")
            comparison.digest(name, again.fingerprints[of], of=of)
        comparison.wrong_fields(self._differing(again))
        comparison.recorded([*self._unshown(given), "date", "version"])

    def _set(self) -> dict[str, Any]:
        """Arguments that only this tells."""
        return {name: getattr(self, name) for name in self._settings}

    def _differing(self, again: Self) -> Iterator[str]:
        """What another certificate says otherwise, besides what follows from fields."""
        # Digests and certificates inside are compared by themselves; since it was issued,
        # people may have labeled rows that were left.
        elsewhere = {"fingerprints", "certificates", "n_left"}
        for name in [f.name for f in fields(self) if f.compare]:
            ours, theirs = getattr(self, name), getattr(again, name)
            if name not in self._following | elsewhere and ours != theirs:
                yield f"{name} is {shown(ours)} here and {shown(theirs)} in the data"

    def _unshown(self, given: Mapping[str, Any]) -> Iterator[str]:
        """Fields that these data do not show."""
        yield from self._settings


@dataclass(frozen=True, kw_only=True)
class LabelingCertificate(AuditedCertificate):
    """Base class of audit certificates of one labeling of all rows."""

    @property
    def _may_be_missing(self) -> tuple[str, ...]:
        return ("confidence",)

    def verify(
        self,
        labels: ArrayLike | None = None,
        audit: Audit | None = None,
        audit_labels: ArrayLike | None = None,
        *,
        confidence: ArrayLike | None = None,
        data: Any = None,
    ) -> Verification:
        """Compute the bounds again, and certify again if the data are given.

        Parameters
        ----------
        labels, audit, audit_labels : object, default=None
            What the function that made the certificate was called with: all of them, or
            none.
        confidence : array-like of shape (n_rows,), default=None
            How sure each label is, where the statement is about the surest rows.
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
        given: Any = {"labels": labels, "audit": audit, "audit_labels": audit_labels}
        return self._verified(data, **given, confidence=confidence)

    def _compare_labelings(self, comparison, given) -> bool:
        """Also whether the statement is about the surest rows, if it says so."""
        is_right = super()._compare_labelings(comparison, given)
        if not is_right or not getattr(self, "n_doubtful", 0):
            return is_right
        confidence, n_before = given["confidence"], len(comparison.problems)
        if confidence is None:
            comparison.leave_unchecked("confidence", "not given")
            return True
        given["audit"]._compare_surest(comparison, given["labels"], confidence)
        comparison.check("confidence", "compared with the order of the rows")
        return len(comparison.problems) == n_before

    def _compare_again(self, comparison, given) -> None:
        made_by = {name: given[name] for name in given if name != "confidence"}
        super()._compare_again(comparison, made_by)


@dataclass(frozen=True, kw_only=True, repr=False)
class TableCertificate(PrintedTable, AuditedCertificate):
    """Base class of audit certificates that are shown as a table."""

    @property
    @abstractmethod
    def _in_short(self) -> str:
        """What is certified, in a few words."""

    def __str__(self) -> str:
        return self._states_nothing() or PrintedTable.__str__(self)

    def _repr_html_(self) -> str:
        return escape(self._states_nothing()) or PrintedTable._repr_html_(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._states_nothing() or self._in_short})"


def check_counts(name: str, parts: object, length: int = 3) -> Any:
    """Counts of parts, of which the last three are rows, audited and found ones."""
    items = [*parts] if is_iterable(parts) else [parts]
    given = [(*each,) if is_iterable(each) else () for each in items]
    are_counts = all(
        len(each) == length
        and all(is_integer(v) and 0 <= v <= MAX_COUNT for v in each)
        and each[-1] <= each[-2] <= each[-3]
        and min(each[0], each[-3]) > 0
        for each in given
    )
    if not are_counts:
        many = {3: "three", 4: "four"}[length]
        allowed = f"tuples of {many} counts, the last of rows, audited and found ones"
        raise invalid(name, allowed, parts)
    return tuple(tuple(map(int, each)) for each in given)


@dataclass(frozen=True, kw_only=True)
class AuditedErrorsCertificate(AuditedCertificate, ErrorsCertificate):
    """Base class of certificates of how many rows are labeled wrongly, by an audit."""

    max_annotator_errors: int = 0
    n_excluded: int = 0
    n_doubtful: int = 0

    _counted_as = "n_wrong"
    labeled_rows = "audited"
    other_rows = "unaudited"
    _has_digests = False  # counts alone have none

    @property
    def assumed(self) -> tuple[str, ...]:
        return self._assumed_of_people()

    @property
    def _chosen(self) -> str:
        n_audited = self.n_train + self.n_train_abstained
        return f"the {counted(n_audited, 'audited row')}{self._of_segment}"

    def _checked(self) -> Self:
        checked = super()._checked()
        checked = with_counts(checked, n_excluded=MAX_COUNT, n_doubtful=MAX_COUNT)
        n_audited = checked.n_train + checked.n_train_abstained
        return with_counts(checked, max_annotator_errors=n_audited)

    @property
    def stated(self) -> tuple[int, int]:
        n_rows = self.n_train + self.n_test
        return min(self.n_train_errors + self.max_test_errors, n_rows), n_rows

    @property
    def _counts(self) -> tuple[int, int, int]:
        """Rows, audited rows, and those among these that are counted."""
        return self.stated[1], self.n_train, self.n_train_errors

    @property
    def _the_audited(self) -> str:
        return f"the {counted(self.n_train, 'audited row')}"

    def _which(self) -> list[str]:
        """What is true of the rows that are stated, if they are not all rows."""
        if not self.n_doubtful:
            return ["could be drawn"] if self.n_excluded else []
        n_rows = self.n_train + self.n_test
        n_rows += self.n_train_abstained + self.n_test_abstained
        return [f"belong to the surest {n_rows} of {n_rows + self.n_doubtful}"]

    def _wrong(self) -> str:
        """How many of all rows that the statement is about are labeled wrongly."""
        errors, n_rows = self.stated
        which = self._which()
        if self.n_train_abstained + self.n_test_abstained:
            which.append("are given a label")
        rows = f"{n_rows} rows{self._of_segment}"
        rows += f" that {' and '.join(which)}" if which else ""
        most, share = f"at most {errors}", percent(errors, n_rows)
        if (fewest := self.fewest) is not None:
            most = between(fewest, errors)
            if fewest < errors:
                share = f"{percent_below(fewest, n_rows)} to {share}"
        return f"{most} of all {rows} ({share}) are labeled wrongly"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "certified by", self.kind
        yield from self._lines_of_counts()
        yield from self._lines_of_bounds()
        yield from lines_beyond(self, ErrorsCertificate)
