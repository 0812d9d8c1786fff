"""Certificates of labelings of which a random choice of rows was audited."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import float_below, groups_upper_bound, stratified_upper_bound
from ..certificates import Comparison, with_counts
from ..utils._checks import check_integer, check_open_unit, exact_decimal, invalid, shown
from ..utils._words import between, counted
from ._audit import Audit
from ._audited import AuditedErrorsCertificate, LabelingCertificate, check_counts
from ._audited_labels import AuditedLabels, audited_labels
from ._segments import of_each_segment

# Groups that were not drawn are written by their sizes; more are no data set.
_MOST_GROUPS = 10**7


@dataclass(frozen=True, kw_only=True)
class LabelsCertificate(LabelingCertificate, AuditedErrorsCertificate):
    """Base class of certificates that :func:`certify_labels` makes."""

    sides: int = 1
    min_test_errors: int = 0

    _following = AuditedErrorsCertificate._following | {"min_test_errors"}
    _settings = "sides", "delta", "max_annotator_errors"

    @abstractmethod
    def _most_right(self) -> int:
        """Bound on the unaudited rows that are labeled rightly."""

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        return certify_labels(**arguments)

    def _checked(self) -> Self:
        sides, checked = check_integer("sides", self.sides, 1, 2), super()._checked()
        return replace(with_counts(checked, min_test_errors=self.n_test), sides=sides)

    @property
    def fewest(self) -> int | None:
        if self.sides == 1:
            return None
        return self._fewest_audited + self.min_test_errors

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        columns, marks = super().numbers
        return columns | {"estimate": [self.n_train_errors / (self.n_train or 1)]}, marks

    @property
    def _fewest_audited(self) -> int:
        """Fewest audited rows that are labeled wrongly, whatever people got wrong."""
        # Lower limit: n_train_errors minus the allowance for annotators' errors.
        return max(self.n_train_errors - 2 * self.max_annotator_errors, 0)

    @property
    def claim(self) -> str:
        two_sides = self.sides == 2
        audited, unaudited = f"{self.n_train_errors}", f"at most {self.max_test_errors}"
        if two_sides:
            unaudited = between(self.min_test_errors, self.max_test_errors)
        if self.max_annotator_errors:
            least = f"between {self._fewest_audited} and" if two_sides else "at most"
            audited = f"{least} {audited}"
        return (
            f"{self._wrong()}: {audited} of {self._the_audited} and {unaudited} of the "
            f"{self.n_test} others"
        )

    @property
    def _weight(self) -> Fraction:
        return Fraction(1, self.sides)

    def _bounded(self) -> Self:
        bounded, least = super()._bounded(), 0
        if self.sides == 2:  # one may be above the other where one of them is wrong
            least = min(self.n_test - self._most_right(), bounded.max_test_errors)
        return replace(bounded, min_test_errors=least)


@dataclass(frozen=True, kw_only=True)
class AuditCertificate(LabelsCertificate, kind="audit"):
    """Certificate of one labeling of all rows, of which single rows were audited.

    Attributes
    ----------
    n_train, n_test : int
        Numbers of audited rows (m) and of unaudited rows (n).
    n_train_errors : int
        Number of errors of the labeling on the labeled rows (a).
    max_test_errors : int
        The bound b: a count in [0, n_test]; lower is better.
    bound : float
        The bound as a rate in [0, 1], of the ``n_test`` rows.
    stated_bound : float
        The rate in [0, 1] of the statement, to compare with a target. It differs from
        ``bound`` where the statement is about all rows, as after an audit.
    n_train_abstained, n_test_abstained : int, default=0
        Numbers of further labeled and unlabeled rows, which are given no class.
    max_annotator_errors : int, default=0
        Number of audited rows that may have a wrong human label. ``n_train_errors``
        allows for them: it is an upper limit of the errors, whichever rows these are.
    n_excluded : int, default=0
        Rows of the data set that could not be drawn; nothing is said about them. They
        were excluded, have no label or are in no stratum.
    n_doubtful : int, default=0
        Further rows that could not be drawn, since the others were surer.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.
    segment : str, default=None
        The segment of the rows that the statement is about; None if it is about all.
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.
    sides : {1, 2}, default=1
        1 if errors are bounded from above; 2 if also from below, at ``delta / 2`` each.
    min_test_errors : int, default=0
        Lower bound on the errors of the unaudited rows; 0 with one side.

    See Also
    --------
    certify_labels : Makes it.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import AuditCertificate
    >>> AuditCertificate.from_counts(200, 800, 4, sides=2).claim
    'between 8 and 42 of all 1000 rows (0.80% to 4.20%) are labeled wrongly: 4 of the \
200 audited rows and between 4 and 38 of the 800 others'
    """

    def _most_right(self) -> int:
        return self._most_unseen(self.n_train - self._fewest_audited)


@dataclass(frozen=True, kw_only=True)
class PartsCertificate(LabelsCertificate):
    """Base class of certificates whose bound follows from counts of parts of the rows."""

    parts: tuple[tuple[int, int, int, int], ...]

    _n_exact = 0  # bounds are decided in floats

    @abstractmethod
    def _most_of(self, parts: NDArray[np.int64], delta: float) -> int:
        """Bound on all rows of a kind, of which the audited ones are counted last."""

    def _most(self) -> int:
        return self._most_of(self._by_part, self._level) - self.n_train_errors

    def _most_right(self) -> int:
        times, n_rows, n_audited, n_wrong = self._by_part.T
        right = np.column_stack([times, n_rows, n_audited, n_audited - n_wrong])
        return self._most_of(right, self._level) - (self.n_train - self.n_train_errors)

    @property
    def _by_part(self) -> NDArray[np.int64]:
        return np.array(self.parts, dtype=np.int64).reshape(-1, 4)

    @property
    def _level(self) -> float:
        return float_below(exact_decimal(self.delta) * self._weight)

    def _lines(self) -> Iterator[tuple[str, str]]:
        for name, text in super()._lines():
            yield (self.kind if name == "parts" else name), text

    def _checked(self) -> Self:
        checked = super()._checked()
        if self.max_annotator_errors:
            allowed = f"0 where {self.kind} were audited"
            raise invalid("max_annotator_errors", allowed, self.max_annotator_errors)
        parts: Any = check_counts("parts", self.parts, 4)
        rows, m, a = (sum(each[0] * each[i] for each in parts) for i in (1, 2, 3))
        if (rows - m, m, a) != (self.n_test, self.n_train, self.n_train_errors):
            what = "parts do not add up to n_test, n_train and n_train_errors"
            raise ValueError(f"{what}, got {shown(self.parts)}.")
        return replace(checked, parts=parts)


@dataclass(frozen=True, kw_only=True)
class GroupsCertificate(PartsCertificate, kind="groups"):
    """Certificate of one labeling, by an audit of whole groups of rows.

    Its other attributes are those of :class:`AuditCertificate`.

    Attributes
    ----------
    parts : tuple of tuple of int
        For each audited group, in drawing order: 1, its rows twice, since all are
        audited, and its errors. For the other groups, by size: how many, their rows, 0,
        0.

    See Also
    --------
    sklearn_pacmdl.certificates.Certificate : The other attributes.
    draw_audit : Draws whole groups.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import GroupsCertificate
    >>> parts = [(1, 20, 20, 1), (1, 30, 30, 0), (1, 25, 25, 0), (9, 25, 0, 0)]
    >>> GroupsCertificate.from_counts(75, 225, 1, parts=parts).claim
    'at most 173 of all 300 rows (57.67%) are labeled wrongly: 1 of the 75 audited rows \
and at most 172 of the 225 others'
    """

    @property
    def _drawn_by(self) -> str:
        return " in whole groups"

    def _checked(self) -> Self:
        checked = super()._checked()
        are_groups = all(
            n_audited == 0 or (n_audited == n_rows and times == 1)
            for times, n_rows, n_audited, _ in checked.parts
        )
        n_groups = sum(times for times, *_ in checked.parts)
        if not are_groups or n_groups > _MOST_GROUPS or not self.n_train:
            allowed = (
                "audited groups, at least one, each on its own, and others without "
                f"audited rows, of at most {_MOST_GROUPS} in all"
            )
            raise invalid("parts", allowed, self.parts)
        return checked

    @property
    def _chosen(self) -> str:
        n_groups = sum(n_audited > 0 for _, _, n_audited, _ in self.parts)
        return f"the {counted(n_groups, 'audited group')}{self._of_segment}"

    def _most_of(self, parts: NDArray[np.int64], delta: float) -> int:
        audited = parts[:, 2] > 0
        _, n_rows, _, found = parts[audited].T
        times, rows_of_others, _, _ = parts[~audited].T
        of_others = np.repeat(rows_of_others, times)
        return groups_upper_bound(found, n_rows, of_others, delta)


@dataclass(frozen=True, kw_only=True)
class StrataCertificate(PartsCertificate, kind="strata"):
    """Certificate of one labeling, by an audit of a number of rows of each stratum.

    Its other attributes are those of :class:`AuditCertificate`.

    Attributes
    ----------
    parts : tuple of tuple of int
        For each stratum, 1 and the numbers of its rows, of audited rows and of errors.

    See Also
    --------
    sklearn_pacmdl.certificates.Certificate : The other attributes.
    draw_audit : Draws strata.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import StrataCertificate
    >>> parts = [(1, 900, 100, 2), (1, 100, 50, 3)]
    >>> StrataCertificate.from_counts(150, 850, 5, parts=parts).claim
    'at most 49 of all 1000 rows (4.90%) are labeled wrongly: 5 of the 150 audited rows \
and at most 44 of the 850 others'
    """

    @property
    def _drawn_by(self) -> str:
        return " in strata"

    def _checked(self) -> Self:
        checked = super()._checked()
        if not all(times == 1 for times, *_ in checked.parts):
            raise invalid("parts", "strata, one by one", self.parts)
        return checked

    @property
    def _chosen(self) -> str:
        n = len(self.parts)
        return f"{super()._chosen} in {n} {'strata' if n > 1 else 'stratum'}"

    def _most_of(self, parts: NDArray[np.int64], delta: float) -> int:
        _, n_rows, n_audited, found = parts.T
        return stratified_upper_bound(found, n_audited, n_rows, delta)


_CERTIFICATES: dict[str, type[LabelsCertificate]] = {
    each.kind: each for each in (AuditCertificate, GroupsCertificate, StrataCertificate)
}


def certify_labels(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    delta: float = 0.1,
    max_annotator_errors: int = 0,
    sides: Literal[1, 2] = 1,
    by: ArrayLike | None = None,
) -> Any:
    """Certify how many rows are labeled wrongly, by an audit.

    The labels may come from anywhere, if they were fixed before the audit was drawn.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The labeling: integers, text or booleans. -1 or a missing value marks a row
        without a label; such rows are not counted.
    audit : Audit
        The audited rows, as :func:`draw_audit` returned them.
    audit_labels : array-like of shape (audit.size,)
        Labels that people gave to the audited rows, in drawing order: those of
        ``audit.rows``. None may be missing.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.
    max_annotator_errors : int, default=0
        Maximum number of audited rows to which people may have given a wrong label,
        from 0 to ``audit.size``. The certificate states this assumption.
    sides : {1, 2}, default=1
        Whether the errors are bounded from above only, or from both sides, which hold
        together: half of ``delta`` is spent on each. Fix it before the audit.
    by : array-like of shape (n_rows,), default=None
        The segment of each row, such as its year or source, made without the human
        labels and decided on before these are seen. Each segment gets a statement, and
        all hold together: with k segments, ``delta / k`` is the delta of each. Rows of no
        segment (-1 or a missing value) are left out.

    Returns
    -------
    certificate : AuditCertificate, GroupsCertificate, StrataCertificate or \
            SegmentsCertificate
        The guarantee, by how the audit was drawn. ``max_test_errors`` is about the rows
        that were not audited; the errors of the audited ones are known. With ``by``, a
        table with a certificate for each segment.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, a label of an audited row is missing, or the
        audit was drawn for another labeling.

    See Also
    --------
    finish_labels : Leaves doubtful rows to people until a target is met.
    AuditMonitor : Stops as soon as the labels so far are enough.
    sklearn_pacmdl.certify_clusterings : Certifies clusterings by labels that were there
        before, and chooses among them.

    Notes
    -----
    The number a of errors among m audited rows of N is hypergeometric. So except with
    probability delta, at most ``bmax(m, N - m, a, delta)`` of the other rows are wrong;
    see :func:`~sklearn_pacmdl.bounds.bmax`. For whole groups the bound is
    :func:`~sklearn_pacmdl.bounds.groups_upper_bound`, and for strata
    :func:`~sklearn_pacmdl.bounds.stratified_upper_bound`, without errors of people. If
    rows could not be drawn, also since they were not among the surest, N is the number of
    the others.

    A wrong human label hides at most one error, so with at most R of them the bound is
    stated for a + R errors. With two sides, each bound is at ``delta / 2``;
    ``min_test_errors`` follows from the right rows, with a - R errors.

    Given how many rows of a segment were audited, they are a uniform choice of its rows.
    So k is the number of segments of which some rows were audited, and some not. Whole
    groups may have rows of several segments: k is then the number of all segments. A
    second call with another ``by`` is another statement, with a delta of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import certify_labels, draw_audit
    >>> rng = np.random.RandomState(0)
    >>> truth = rng.choice(["ham", "spam"], size=2000)
    >>> labels = np.where(rng.uniform(size=2000) < 0.03, "spam", truth)
    >>> audit = draw_audit(2000, 300, labels=labels, random_state=0)
    >>> certificate = certify_labels(labels, audit, truth[audit.rows])
    >>> print(certificate.statement)
    With probability at least 90% over the random choice of the 300 audited rows, at \
most 59 of all 2000 rows (2.95%) are labeled wrongly: 5 of the 300 audited rows and at \
most 54 of the 1700 others, provided the labels that people gave to the audited rows are \
right and the audit was not drawn again or chosen because of its result.
    >>> print(certify_labels(labels, audit, truth[audit.rows], sides=2).claim)
    between 15 and 66 of all 2000 rows (0.75% to 3.30%) are labeled wrongly: 5 of the \
300 audited rows and between 10 and 61 of the 1700 others
    """
    delta = check_open_unit("delta", delta)
    check_integer("sides", sides, 1, 2)
    checked = audited_labels(
        labels, audit, audit_labels, by=by, max_annotator_errors=max_annotator_errors
    )
    labeled = checked.predicted >= 0
    if labeled[audit.pool].sum() == labeled[audit.rows].sum():
        raise ValueError(
            "labels must have a label for some rows that were not audited, or there is "
            f"nothing to certify, got {shown(labels)}."
        )
    if max_annotator_errors:
        audit.design.refuse("max_annotator_errors", max_annotator_errors)
    if audit.design.kind != "audit" and not labeled[audit.rows].any():
        raise invalid("labels", "labeled in some audited rows", labels)
    digests = checked.fingerprints(checked.predicted, audit.pool)
    found = checked.wrong & labeled[audit.rows]
    fields: Any = {"sides": sides, "fingerprints": digests}
    return of_each_segment(_certified, checked, delta, found, labeled, **fields)


def _certified(checked: AuditedLabels, delta: float, **further: Any) -> LabelsCertificate:
    """The certificate of the rows that are labeled, all of them or those of a segment."""
    audit, labeled = checked.audit, checked.predicted >= 0
    pool, rows = checked.of_these(audit.pool), checked.of_these(audit.rows)
    wrong = np.isin(pool, audit.rows[checked.wrong])
    audited = np.isin(pool, rows)
    n_labeled, n_audited, n_wrong = (
        int(np.sum(labeled[pool] & mask)) for mask in (True, audited, audited & wrong)
    )
    # With one error more in all rows, at most one more is audited. So P(at most a + 1
    # audited | E + 1 errors) >= P(at most a audited | E errors), and the bound for a + 1
    # is no lower than that for a. The true number of audited errors is at most the one
    # here, whoever chose which labels are wrong, and with what knowledge.
    n_errors = min(n_wrong + checked.max_annotator_errors, n_audited)
    parts = audit.design.parts(pool, rows, labeled[pool], wrong)
    further |= {} if parts is None else {"parts": parts}
    return _CERTIFICATES[audit.design.kind]._of(
        checked,
        n_train=n_audited,
        n_test=n_labeled - n_audited,
        n_train_errors=n_errors,
        n_train_abstained=len(rows) - n_audited,
        n_test_abstained=len(pool) - len(rows) - (n_labeled - n_audited),
        delta=delta,
        **further,
    )
