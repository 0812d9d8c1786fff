"""A labeling and the human labels of an audit of it, checked and as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import (
    FIXED,
    digest_of_codes,
    digest_of_numbers,
    fingerprint_labels,
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
from ..utils._checks import check_integer, invalid
from ..utils._row_order import check_order_of_rows, check_same_order
from ..worksheets import check_answers
from ._audit import NAMES, Audit, check_labels, fingerprints_of, rows_without


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
    def unaudited(self) -> NDArray[np.int64]:
        """Sorted indices of the rows that might have been drawn but were not."""
        return rows_without(self.audit.pool, self.audit.rows)

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a certificate that are about the audit."""
        audit = self.audit
        return {
            "max_annotator_errors": self.max_annotator_errors,
            "n_excluded": len(audit.excluded),
            "n_doubtful": len(audit.doubtful),
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


def check_audit(audit: Any, function: str = "") -> None:
    """Refuse what is no audit, or none of single rows where a function requires these."""
    if not isinstance(audit, Audit):
        raise invalid("audit", "an Audit, as draw_audit returns it", audit)
    if function:
        audit.design.refuse_function(function, audit)


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
    known = audit.fingerprints.get("audit_labels")
    if known is not None and fingerprint_labels(answers) != known:
        raise invalid("audit_labels", "the labels of the rows of the audit", audit_labels)
    answers = in_type_of(answers, names, "labels and audit_labels")
    if alternatives is not None:
        alternatives = in_type_of(alternatives, names, "labels and classes").tolist()
        check_same_writing("classes", alternatives, {*names.tolist()}, "labels")
    whole = answers.dtype.kind in "biu"
    answer_names, answer_codes = unique_inverse(
        answers if whole else answers.astype(object)
    )
    counts = counts_by_label(answer_names, np.bincount(answer_codes))
    written = {*names.tolist(), *(alternatives or [])}
    check_writing("audit_labels", counts, written, "labels", count_as=others_count_as)
    classes, codes = unique_inverse(np.concatenate([names, answer_names]))
    predicted = np.append(codes[: len(names)], -1).astype(np.int32)[numbered.codes]
    stated = {"labeling"} if confidence is None else {"labeling", "confidence"}
    assumed = sorted(stated - set(audit.fingerprints), reverse=True)
    return AuditedLabels(
        audit=audit,
        classes=classes,
        predicted=predicted,
        truth=codes[len(names) :][answer_codes],
        provisos=(*(FIXED[name] for name in assumed), *audit.provisos),
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
