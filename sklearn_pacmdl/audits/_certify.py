"""Certificates of labelings of which a random choice of rows was audited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import groups_upper_bound, stratified_upper_bound
from ..certificates import (
    FIXED,
    Comparison,
    Part,
    check_parts,
    digest_of_codes,
    digest_of_numbers,
    number_labels,
)
from ..columns import (
    as_labels,
    check_same_writing,
    check_writing,
    counts_by_label,
    in_type_of,
    renamed,
    split_unlabeled,
    unique_inverse,
)
from ..utils._checks import check_integer, check_open_unit, invalid, shown
from ..utils._docs import substituted
from ..utils._row_order import check_order_of_rows, check_same_order
from ..utils._words import between
from ..worksheets import check_answers
from ._audit import Audit, check_audit
from ._audited import AuditedErrorsCertificate, LabelingCertificate
from ._pool import NAMES, check_labels, fingerprints_of

# Groups that were not drawn are written by their sizes; more are no data set.
_MOST_GROUPS = 10**7


@dataclass(frozen=True)
class AuditedLabels:
    """A labeling of all rows, and the human labels for the audited ones."""

    audit: Audit
    classes: NDArray[Any]  # sorted labels of the labeling and of people
    predicted: NDArray[np.int32]  # index in classes by row; -1 without a label
    truth: NDArray[np.int64]  # index in classes of each human label, in drawing order
    provisos: tuple[str, ...]  # about the time when the labeling was fixed
    max_annotator_errors: int  # limit of wrong human labels
    index: Any  # of the labeling or the confidence; None without one

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which audited rows are labeled wrongly or not at all, in drawing order."""
        return self.predicted[self.audit.rows] != self.truth

    @property
    def n_less_sure(self) -> int:
        """Rows with a label that could not be drawn, since the others were surer."""
        if self.audit.design.kind != "audit":  # then these rows are in no stratum
            return 0
        return int(np.sum(self.predicted[self.audit.doubtful] >= 0))

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a certificate that are about the audit."""
        audit, n_less_sure = self.audit, self.n_less_sure
        return {
            "max_annotator_errors": self.max_annotator_errors,
            "n_excluded": len(audit.excluded) + len(audit.doubtful) - n_less_sure,
            "n_doubtful": n_less_sure,
            "seed_text": audit.seed_text,
            "columns": audit.columns,
            "random_choice_p_value": audit.random_choice_p_value,
            "random_choice_test": audit.random_choice_test,
            "provisos": self.provisos,
        }

    def fingerprints(
        self, predicted: NDArray[np.int32], rows: NDArray[np.int64]
    ) -> dict[str, str]:
        """Digests of the human labels and of a labeling at the rows, and of the audit."""
        truth = np.full(self.audit.n_rows, -1, dtype=np.int32)
        truth[self.audit.rows] = self.truth
        return {
            "labels": digest_of_codes(truth, self.classes, rows),
            "labeling": digest_of_codes(predicted, self.classes, rows),
            "audit": self.audit.digest,
        }


def named_classes(name: str, values: Any, audit: Audit) -> NDArray[Any]:
    """Different classes that a parameter names, as they are named in the audit."""
    allowed = "a 1-dimensional array of different labels, and none missing"
    if as_labels(values, name).ndim != 1:
        raise invalid(name, allowed, values)
    if len(values) > audit.n_rows:
        raise invalid(name, f"at most as many as rows, {audit.n_rows}", values)
    named = renamed(values, audit.classes, name)
    classes = split_unlabeled(named, named, name)[1]
    if not len(classes) or len({*classes.tolist()}) < len(named):
        raise invalid(name, allowed, values)
    return classes


def audited_labels(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    confidence: ArrayLike | None = None,
    *,
    max_annotator_errors: int = 0,
    alternatives: NDArray[Any] | None = None,
    others_count_as: str = "errors",
) -> AuditedLabels:
    """Labels, audit and human labels, after a check that they belong together.

    Human labels may also be among the ``alternatives``; a warning says what others are.
    """
    check_audit(audit)
    labeling = check_labels(labels, audit.n_rows, classes=audit.classes)
    index = check_same_order(labels=labels, confidence=confidence)
    if problems := "; ".join(audit.verify(n_rows=len(labeling)).problems):
        raise ValueError(f"audit must be as it was drawn, but {problems}.")
    check_integer("max_annotator_errors", max_annotator_errors, 0, audit.size)
    check_order_of_rows("audit_labels", audit_labels, audit.rows, "audit.rows", index)
    numbered = number_labels(labeling, "labels")
    answers = renamed(audit_labels, audit.classes, "audit_labels")
    answers = check_answers(answers, audit.rows, "audit_labels")
    is_text = any(isinstance(name, str) for name in numbered.names)
    names = np.array(numbered.names, dtype=object if is_text else None)
    names = names if len(names) else answers[:0]
    digests = fingerprints_of(audit.n_rows, None, confidence)
    digests["labeling"] = digest_of_numbers(numbered)
    _check_digests(audit, digests)
    answers = in_type_of(answers, names, "labels and audit_labels")
    if alternatives is not None:
        alternatives = in_type_of(alternatives, names, "labels and classes").tolist()
        check_same_writing("classes", alternatives, {*names.tolist()}, "labels")
    whole = answers.dtype.kind in "biu"
    answer_names, answer_codes = unique_inverse(
        answers if whole else answers.astype(object)
    )
    counts = counts_by_label(answer_names, np.bincount(answer_codes))
    written = {*names.tolist(), *(alternatives or []), *audit.classes.values()}
    check_writing("audit_labels", counts, written, "labels", count_as=others_count_as)
    classes, codes = unique_inverse(np.concatenate([names, answer_names]))
    predicted = np.append(codes[: len(names)], -1).astype(np.int32)[numbered.codes]
    # Of rows that were drawn elsewhere, provisos say that labels are without answers.
    undated = {*digests} - {*audit.fingerprints} if audit.source is None else ()
    assumed = [FIXED[name] for name in FIXED if name in undated]
    return AuditedLabels(
        audit=audit,
        classes=classes,
        predicted=predicted,
        truth=codes[len(names) :][answer_codes],
        provisos=(*assumed, *audit.provisos),
        max_annotator_errors=int(max_annotator_errors),
        index=index,
    )


def _check_digests(audit: Audit, digests: dict[str, str]) -> None:
    """Refuse labels and confidences that came later, by their digests."""
    for name, fingerprint in NAMES.items():
        code, digest = audit.fingerprints.get(fingerprint), digests.get(fingerprint)
        if None not in (code, digest) and code != digest:
            raise ValueError(
                f"{name} must be what the audit was drawn for, got others, or the same "
                f"{name} in another order: their SHA-256 digest is not that in the "
                "audit. For another labeling, draw another audit. Classes are named only "
                "when an audit is drawn, by draw_audit(..., classes=...)."
            )


@dataclass(frozen=True, kw_only=True)
class LabelsCertificate(LabelingCertificate, AuditedErrorsCertificate):
    """Base class of certificates that :func:`certify_labels` makes."""

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        return certify_labels(**arguments)


@substituted(AuditedErrorsCertificate)
@dataclass(frozen=True, kw_only=True)
class AuditCertificate(LabelsCertificate, kind="audit"):
    """Certificate of one labeling of all rows, of which single rows were audited.

    {Attributes}
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

    sides: int = 1
    min_test_errors: int = 0

    _following = LabelsCertificate._following | {"min_test_errors"}
    _settings = "sides", "delta", "max_annotator_errors"

    def _checked(self) -> Self:
        sides, checked = check_integer("sides", self.sides, 1, 2), super()._checked()
        least = check_integer("min_test_errors", self.min_test_errors, 0, self.n_test)
        return replace(checked, sides=sides, min_test_errors=least)

    @property
    def fewest(self) -> int | None:
        if self.sides == 1:
            return None
        return self._fewest_audited + self.min_test_errors

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
        least = 0
        if self.sides == 2:  # all but the most that can be right
            n_right = self.n_train - self._fewest_audited
            least = self.n_test - self._most_unseen(n_right)
        return replace(super()._bounded(), min_test_errors=least)


@dataclass(frozen=True, kw_only=True)
class PartsCertificate(LabelsCertificate):
    """Base class of certificates whose bound follows from counts of parts of the rows."""

    parts: tuple[Part, ...]

    _n_exact = 0  # bounds are decided in floats

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        columns, marks = super().numbers
        del columns["estimate"]  # parts are not drawn alike
        return columns, marks

    def _lines(self) -> Iterator[tuple[str, str]]:
        for name, text in super()._lines():
            yield (self.kind if name == "parts" else name), text

    def _checked(self) -> Self:
        checked = super()._checked()
        if self.max_annotator_errors:
            allowed = f"0 where {self.kind} were audited"
            raise invalid("max_annotator_errors", allowed, self.max_annotator_errors)
        counts = checked.n_test, checked.n_train, checked.n_train_errors
        return replace(checked, parts=check_parts("parts", self.parts, counts))


@substituted(AuditedErrorsCertificate)
@dataclass(frozen=True, kw_only=True)
class GroupsCertificate(PartsCertificate, kind="groups"):
    """Certificate of one labeling, by an audit of whole groups of rows.

    {Attributes}
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

    def _checked(self) -> Self:
        checked = super()._checked()
        are_groups = all(
            n_rows > 0 and (n_audited == 0 or (n_audited == n_rows and times == 1))
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
        return f"the {n_groups} audited {'groups' if n_groups > 1 else 'group'}"

    def _most(self) -> int:
        parts = np.array(self.parts, dtype=np.int64).reshape(-1, 4)
        audited = parts[:, 2] > 0
        _, n_rows, _, errors = parts[audited].T
        times, rows_of_others, _, _ = parts[~audited].T
        of_others = np.repeat(rows_of_others, times)
        most_of_all = groups_upper_bound(errors, n_rows, of_others, self.delta)
        return most_of_all - self.n_train_errors


@substituted(AuditedErrorsCertificate)
@dataclass(frozen=True, kw_only=True)
class StrataCertificate(PartsCertificate, kind="strata"):
    """Certificate of one labeling, by an audit of a number of rows of each stratum.

    {Attributes}
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

    def _checked(self) -> Self:
        checked = super()._checked()
        if not all(times == 1 and n_rows > 0 for times, n_rows, *_ in checked.parts):
            raise invalid("parts", "strata with rows, one by one", self.parts)
        return checked

    @property
    def _chosen(self) -> str:
        n = len(self.parts)
        return f"{super()._chosen} in {n} {'strata' if n > 1 else 'stratum'}"

    def _most(self) -> int:
        _, n_rows, n_audited, errors = np.array(self.parts, dtype=np.int64).T
        most_of_all = stratified_upper_bound(errors, n_audited, n_rows, self.delta)
        return most_of_all - self.n_train_errors


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
) -> LabelsCertificate:
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

    Returns
    -------
    certificate : AuditCertificate, GroupsCertificate or StrataCertificate
        The guarantee, by how the audit was drawn. ``max_test_errors`` is about the rows
        that were not audited; the errors of the audited ones are known.

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
    :func:`~sklearn_pacmdl.bounds.stratified_upper_bound`, with one side and no errors of
    people. If rows could not be drawn, also since they were not among the surest, N is
    the number of the others.

    A wrong human label hides at most one error, so with at most R of them the bound is
    stated for a + R errors. With two sides, each bound is at ``delta / 2``;
    ``min_test_errors`` follows from the right rows, with a - R errors.

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
        labels, audit, audit_labels, max_annotator_errors=max_annotator_errors
    )
    labeled = checked.predicted >= 0
    audited, n_labeled = labeled[audit.rows], int(np.sum(labeled[audit.pool]))
    n_audited, n_wrong = int(audited.sum()), int(np.sum(checked.wrong & audited))
    n_others = n_labeled - n_audited
    if not n_others:
        raise ValueError(
            "labels must have a label for some rows that were not audited, or there is "
            f"nothing to certify, got {shown(labels)}."
        )
    design, pool = audit.design, audit.pool
    if sides == 2:
        design.refuse("sides", sides)
    if max_annotator_errors:
        design.refuse("max_annotator_errors", max_annotator_errors)
    wrong = np.isin(pool, audit.rows[checked.wrong])
    fields = checked.fields | {
        # With one error more in all rows, at most one more is audited. So P(at most a + 1
        # audited | E + 1 errors) >= P(at most a audited | E errors), and the bound for
        # a + 1 is no lower than that for a. The true number of audited errors is at most
        # the one here, whoever chose which labels are wrong, and with what knowledge.
        "n_train_errors": min(n_wrong + checked.max_annotator_errors, n_audited),
        "n_train_abstained": int(np.sum(~audited)),
        "n_test_abstained": len(pool) - len(audited) - n_others,
        "fingerprints": checked.fingerprints(checked.predicted, pool),
    }
    parts = design.parts(pool, audit.rows, labeled[pool], wrong)
    if parts is not None and not n_audited:
        raise invalid("labels", "labeled in some audited rows", labels)
    fields |= {"sides": sides} if parts is None else {"parts": parts}
    return _CERTIFICATES[design.kind].from_counts(
        n_train=n_audited, n_test=n_others, delta=delta, **fields
    )
