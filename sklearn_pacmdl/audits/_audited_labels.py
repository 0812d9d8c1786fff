"""The labels, the audit and the human labels that a statement is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import (
    NumberedLabels,
    are_texts,
    clauses,
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
from ..utils._checks import PRINTABLE, check_integer, invalid
from ..utils._row_order import check_order_of_rows, check_same_order
from ..worksheets import check_answers
from ._audit import Audit, check_audit
from ._pool import NAMES, check_labels, fingerprints_of


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
    segments: NumberedLabels | None = None  # of all rows
    # Rows that a statement is about, and the name of their segment; None if all are.
    within: NDArray[np.bool_] | None = None
    segment: str | None = None

    def of_segment(self, name: str, within: NDArray[np.bool_]) -> Self:
        """The same for the rows of a segment, in each of which all errors may be."""
        most = min(self.max_annotator_errors, int(within[self.audit.rows].sum()))
        return replace(self, segment=name, within=within, max_annotator_errors=most)

    def of_these(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the rows that a statement is about."""
        return rows if self.within is None else rows[self.within[rows]]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which audited rows are labeled wrongly or not at all, in drawing order."""
        return self.predicted[self.audit.rows] != self.truth

    @property
    def n_less_sure(self) -> int:
        """Rows with a label that could not be drawn, since the others were surer."""
        if self.audit.design.kind != "audit":  # then these rows are in no stratum
            return 0
        return int(np.sum(self.predicted[self.of_these(self.audit.doubtful)] >= 0))

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a certificate that are about the audit."""
        audit, n_less_sure = self.audit, self.n_less_sure
        n_others = sum(len(self.of_these(e)) for e in (audit.excluded, audit.doubtful))
        return audit._of_certificates | {
            "max_annotator_errors": self.max_annotator_errors,
            "n_excluded": n_others - n_less_sure,
            "n_doubtful": n_less_sure,
            "segment": self.segment,
            "provisos": self.provisos,
        }

    def fingerprints(self, predicted, rows: NDArray[np.int64]) -> dict[str, str]:
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


def known_classes(classes: NDArray[Any], known: NDArray[Any], of: Any, where: str):
    """Classes that a user named by ``of``, as those that are known are written."""
    names = in_type_of(classes, known, f"{where} and of").tolist()
    check_same_writing("of", names, {*known.tolist()}, where)
    if not {*names} <= {*known.tolist()}:
        allowed = f"of classes that were given to some row, {known.tolist()}"
        named = "or that were named when the audit was drawn"
        raise invalid("of", f"{allowed}, {named}", of)
    return names


def audited_labels(
    labels,
    audit: Audit,
    audit_labels,
    confidence=None,
    *,
    by=None,
    max_annotator_errors=0,
    alternatives=None,
    others_count_as="errors",
) -> AuditedLabels:
    """Labels, audit and human labels, after a check that they belong together.

    Human labels may also be among the ``alternatives``; a warning says what others are.
    """
    check_audit(audit)
    labeling = check_labels(labels, audit.n_rows, classes=audit.classes)
    index = check_same_order(labels=labels, confidence=confidence, by=by)
    segments = None if by is None else _segments(by, audit.n_rows)
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
    assumed = [clauses.FIXED[name] for name in clauses.FIXED if name in undated]
    return AuditedLabels(
        audit=audit,
        classes=classes,
        predicted=predicted,
        truth=codes[len(names) :][answer_codes],
        provisos=(*assumed, *audit.provisos),
        max_annotator_errors=int(max_annotator_errors),
        index=index,
        segments=segments,
    )


# Bounds of more segments take minutes, also to verify files from anybody.
MOST_SEGMENTS = 1000


def _segments(by: ArrayLike, n_rows: int) -> NumberedLabels:
    """The segment of each row, of which statements can quote the names."""
    codes, names = number_labels(check_labels(by, n_rows, "by"), "by")
    texts = [*map(str, names)]
    if not 0 < len(texts) <= MOST_SEGMENTS or not are_texts(texts):
        allowed = f"names {PRINTABLE} of 1 to {MOST_SEGMENTS} segments, one for each row"
        raise invalid("by", allowed, by)
    return NumberedLabels(codes, texts)


def not_drawn_for(audit: Audit, digests: Mapping[str, str]) -> list[str]:
    """Parameters that are not what the audit was drawn for, by their digests."""
    stored = audit.fingerprints
    both = {name: of for name, of in NAMES.items() if of in stored and of in digests}
    return [name for name, of in both.items() if stored[of] != digests[of]]


def _check_digests(audit: Audit, digests: dict[str, str]) -> None:
    """Refuse labels and confidences that came later."""
    for name in not_drawn_for(audit, digests):
        raise ValueError(
            f"{name} must be what the audit was drawn for, got others, or the same "
            f"{name} in another order: their SHA-256 digest is not that in the "
            "audit. For another labeling, draw another audit. Classes are named only "
            "when an audit is drawn, by draw_audit(..., classes=...)."
        )
