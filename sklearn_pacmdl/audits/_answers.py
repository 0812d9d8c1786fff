"""A labeling and what people found in an audit of it, checked and as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import fingerprint_labels
from ..utils._checks import check_integer, invalid, shown
from ..utils._labels import split_unlabeled
from ._audit import Audit, check_labels, fingerprints_of
from ._worksheet import check_answers

# What an audit proves if it stored digests, and has to be assumed otherwise.
FIXED = {
    "labeling": "the labeling was fixed before the audit was drawn",
    "confidence": "the confidences were fixed before the audit was drawn",
}


@dataclass(frozen=True)
class Answers:
    """A labeling of all rows, and the labels of people for the audited ones.

    Parameters
    ----------
    audit : Audit
    labels : ndarray of shape (n_rows,)
        The labeling.
    classes : ndarray of shape (n_classes,)
        Sorted labels that occur, in the labeling or among those of people.
    predicted : ndarray of shape (n_rows,) of int64
        Index of the label of each row in ``classes``; -1 where the labeling has none.
    truth : ndarray of shape (audit.size,) of int64
        Index of the label that people gave to each audited row, in drawing order.
    provisos : tuple of str
        What has to be assumed about the time when the labeling was fixed.
    max_people_errors : int
        To how many of the audited rows people may have given a wrong label.
    """

    audit: Audit
    labels: NDArray[Any]
    classes: NDArray[Any]
    predicted: NDArray[np.int64]
    truth: NDArray[np.int64]
    provisos: tuple[str, ...]
    max_people_errors: int

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which audited rows are labeled wrongly or not at all, in drawing order."""
        return self.predicted[self.audit.rows] != self.truth

    @property
    def unaudited(self) -> NDArray[np.int64]:
        """Sorted indices of the rows that might have been drawn but were not."""
        return np.setdiff1d(self.audit.pool, self.audit.rows, assume_unique=True)

    @property
    def facts(self) -> dict[str, float | str]:
        """What a certificate records of the audit."""
        counts = {
            "n_excluded": len(self.audit.excluded),
            "max_people_errors": self.max_people_errors,
        }
        facts: dict[str, float | str] = {k: count for k, count in counts.items() if count}
        text = self.audit.seed_text
        return facts if text is None else facts | {"seed_text": text}

    def fingerprints(self, labels: NDArray[Any]) -> dict[str, str]:
        """Digests of the labels of people, of a labeling, and of the audit."""
        y = self.audit.labels_by_row(self.classes[self.truth])
        pool = self.audit.pool
        return {
            "labels": fingerprint_labels(y[pool]),
            "labeling": fingerprint_labels(labels[pool]),
            "audit": self.audit.digest,
        }


def compare(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    confidence: ArrayLike | None = None,
    *,
    max_people_errors: int = 0,
) -> Answers:
    """Check that labels, audit and labels of people belong together."""
    if not isinstance(audit, Audit):
        raise invalid("audit", "an Audit, as draw_audit returns it", audit)
    given = check_labels(labels, audit.n_rows)
    verification = audit.verify(n_rows=len(given))
    if not verification:
        found = "; ".join(verification.problems)
        raise ValueError(f"audit must be as it was drawn, but {found}.")
    check_integer("max_people_errors", max_people_errors, 0, audit.size)
    check_order("audit_labels", audit_labels, audit.rows, "audit.rows", labels)
    answers = check_answers(audit_labels, audit.rows, "audit_labels")
    _check_fingerprints(audit, fingerprints_of(audit.n_rows, given, confidence))
    labeled, values = split_unlabeled(given, None, "labels")
    check_one_type("labels and audit_labels", values, answers)
    classes, codes = _coded(np.concatenate([answers, values]))
    predicted = np.full(audit.n_rows, -1, dtype=np.int64)
    predicted[labeled] = codes[len(answers) :]
    stated = {"labeling"} if confidence is None else {"labeling", "confidence"}
    assumed = sorted(stated - set(audit.fingerprints), reverse=True)
    return Answers(
        audit=audit,
        labels=given,
        classes=classes,
        predicted=predicted,
        truth=codes[: len(answers)],
        provisos=tuple(FIXED[name] for name in assumed),
        max_people_errors=int(max_people_errors),
    )


def check_order(
    name: str,
    answers: Any,
    rows: NDArray[np.int64],
    listed_in: str,
    labels: Any = None,
) -> None:
    """Refuse a Series whose index says that the labels are in another order."""
    at, names = _index_of(answers), _index_of(labels)
    if at is None:
        return
    orders = {listed_in: rows, f"range({len(rows)})": np.arange(len(rows))}
    if names is not None and len(names) > rows.max(initial=-1):
        orders[f"labels.index[{listed_in}]"] = names[rows]
    if any(np.array_equal(at, order) for order in orders.values()):
        return
    found = set(at.tolist())
    for order, wanted in orders.items():
        if found == set(wanted.tolist()):
            raise ValueError(
                f"{name} must be in the order of {listed_in}, but its index has the same "
                f"rows in another order; pass {name}.loc[{order}]."
            )


def _index_of(labels: Any) -> NDArray[Any] | None:
    """The index of a Series; of a list, it is a method."""
    index = getattr(labels, "index", None)
    return None if index is None or callable(index) else np.asarray(index)


def _check_fingerprints(audit: Audit, found: dict[str, str]) -> None:
    names = {"labeling": "labels", "confidence": "confidence"}
    for name, code in audit.fingerprints.items():
        if name in found and found[name] != code:
            raise ValueError(
                f"{names[name]} must be what the audit was drawn for: the SHA-256 digest "
                f"that it stored is {code}, and that of {names[name]} is {found[name]}. "
                "For another labeling, draw another audit."
            )


def check_one_type(names: str, first: NDArray[Any], second: NDArray[Any]) -> None:
    """Refuse labels of which none could equal one of the others, if there are any."""
    if first.size and second.size and not _comparable(first, second):
        raise ValueError(
            f"{names} must be of one type, or each label counts as wrong; got "
            f"{_examples(first)} and {_examples(second)}."
        )


def _comparable(first: NDArray[Any], second: NDArray[Any]) -> bool:
    kinds = {"b": "bool", "i": "number", "u": "number"}
    return kinds.get(first.dtype.kind, "text") == kinds.get(second.dtype.kind, "text")


def _examples(values: NDArray[Any]) -> str:
    return f"{type(values.tolist()[0]).__name__} such as {shown(values.tolist()[0])}"


def _coded(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sorted distinct labels, and the index of each label among them."""
    listed = values.tolist()
    classes = sorted(set(listed))
    index = {label: i for i, label in enumerate(classes)}
    codes = np.fromiter(map(index.__getitem__, listed), np.int64, len(listed))
    whole = values.dtype.kind in "biu"
    return np.array(classes, dtype=values.dtype if whole else object), codes
