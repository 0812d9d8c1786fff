"""Comparison of a certificate with data: labels are counted again, digests compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, as_mask, invalid, shown
from ..utils._labels import as_labels
from ..utils._words import joined
from ._arithmetic import grouped
from ._audits import n_changed, n_left
from ._fingerprint import (
    NumberedLabels,
    as_token,
    digest_of_labels,
    digest_of_numbers,
    fingerprint_row_order,
    number_labels,
)
from ._kinds import kind_of
from ._verification import FINGERPRINT_OF, Comparison


class Data(NamedTuple):
    """What a certificate is compared with: parameters of its method verify."""

    y: ArrayLike | None = None
    labels: ArrayLike | None = None
    certifying: ArrayLike | None = None
    row_order: ArrayLike | None = None
    clusters: ArrayLike | None = None
    finished_labels: ArrayLike | None = None
    audit: Any = None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The labels that are given, one for each row."""
        columns = {name: getattr(self, name) for name in FINGERPRINT_OF}
        arrays = {
            name: as_labels(values, name)
            for name, values in columns.items()
            if values is not None
        }
        shapes = [array.shape for array in arrays.values()]
        if len(set(shapes)) > 1 or any(len(shape) != 1 for shape in shapes):
            raise ValueError(
                f"{joined([*arrays])} must be 1-dimensional and of the same length, got "
                f"shapes {joined([*map(str, shapes)])}."
            )
        return arrays


@dataclass(frozen=True)
class Rows:
    """What data say of each row that the certificate is about, each of (n_samples,)."""

    index: NDArray[np.int64]  # of the row in the data
    # Numbers of labels, equal ones by the same number, and -1 where there is none: those
    # that were seen, of the labeling, and of the finished data set.
    y: NDArray[np.int64]
    labels: NDArray[np.int64]
    finished: NDArray[np.int64]
    certifies: NDArray[np.bool_]  # labeled rows that certify

    @property
    def counts(self) -> dict[str, int]:
        """The counts that a certificate states."""
        labeled, accepted = self.y >= 0, self.labels >= 0
        counted = {
            "n_train": self.certifies & accepted,
            "n_test": ~labeled & accepted,
            "n_train_errors": self.certifies & accepted & (self.y != self.labels),
            "n_select": labeled & ~self.certifies,
            "n_train_abstained": self.certifies & ~accepted,
            "n_test_abstained": ~labeled & ~accepted,
        }
        return {name: int(mask.sum()) for name, mask in counted.items()}


def compare(comparison: Comparison, data: Data) -> None:
    """Compare a certificate with all data that are given, and list what is not."""
    certificate, arrays = comparison.record, data.arrays()
    _list_what_is_missing(comparison, data)
    index = np.arange(max(map(len, arrays.values()), default=0))
    if data.audit is not None:
        if not _has_audit(comparison, data.audit, arrays):
            return  # which rows the certificate is about is not known
        index = data.audit.pool if arrays else index
    numbered = {
        name: number_labels(array[index], name, certificate.classes or None)
        for name, array in arrays.items()
    }
    rows = None
    if "y" in numbered:
        rows = _rows(numbered, index, data.certifying)
        _compare_labels(comparison, rows, numbered)
        if data.clusters is not None:
            _compare_clusters(comparison, rows, data.clusters)
    if "finished_labels" in numbered:
        _compare_finished(comparison, rows, numbered["finished_labels"])
    if data.row_order is not None:
        digest = fingerprint_row_order(data.row_order)
        comparison.digest("row_order", digest, required=True)


def _list_what_is_missing(comparison: Comparison, data: Data) -> None:
    """List what is not given although the certificate says something of it."""
    kept, clusters = comparison.record.fingerprints, comparison.record.clusters
    names = ["y", "labels"] + ["finished_labels"] * ("finished" in kept)
    names += [name for name in ("audit", "row_order") if name in kept]
    for name in names + ["clusters"] * bool(clusters):
        if getattr(data, name) is None:
            comparison.leave(name, "not given")
        elif name == "labels" and "finished" in kept:
            text = "whether they are the surest, which finishing again would show"
            comparison.leave(name, text)


def _has_audit(
    comparison: Comparison, audit: Any, arrays: Mapping[str, NDArray[Any]]
) -> bool:
    """Whether the audit is that of the certificate, and was drawn as it says."""
    if not hasattr(audit, "pool"):  # audits are known only to a room above
        raise invalid("audit", "None or an Audit", audit)
    lengths = {len(array) for array in arrays.values()} or {audit.n_rows}
    if lengths != {audit.n_rows}:
        raise ValueError(
            f"{joined([*arrays])} must have a label for each of the {audit.n_rows} rows "
            f"of the audit, got {lengths.pop()}."
        )
    problems = [*audit.verify(n_rows=audit.n_rows if arrays else None).problems]
    if comparison.record.fingerprints.get("audit") != audit.digest:
        problems.append("it is not the audit of the certificate")
    if comparison.record.facts.get("seed_text") != audit.seed_text:
        problems.append("its seed_text is not that of the certificate")
    for problem in problems:
        comparison.problem("audit", problem)
    comparison.check("audit", "rows, drawn again from the seed, and SHA-256 digest")
    if "finished_labels" in arrays and len(audit.excluded):
        text = f"{len(audit.excluded)} rows that could not be drawn"
        comparison.leave("finished_labels", text)
    expected = audit.fingerprints.get("labeling")
    is_whole = comparison.record.kind == "audit" and not n_changed(comparison.record)
    if expected is None or not is_whole or "labels" not in arrays:
        comparison.leave("audit", "the labels and confidences that it was drawn for")
    elif digest_of_labels(arrays["labels"], "labels") != expected:
        comparison.problem("labels", "they are not those that the audit was drawn for")
    return not problems


def _rows(
    numbered: Mapping[str, NumberedLabels],
    index: NDArray[np.int64],
    certifying: ArrayLike | None,
) -> Rows:
    """Labels by numbers that all columns have in common."""
    names = [name for labels in numbered.values() for name in labels.names]
    number = {name: i for i, name in enumerate(names)}
    columns = {
        name: np.array([*map(number.__getitem__, labels.names), -1])[labels.codes]
        for name, labels in numbered.items()
    }
    certifies = columns["y"] >= 0
    if certifying is not None:
        certifies &= as_mask("certifying", certifying, len(index))
    finished = columns.get("finished_labels", np.full(len(index), -1))
    return Rows(index, columns["y"], columns["labels"], finished, certifies)


def _compare_labels(
    comparison: Comparison, rows: Rows, numbered: Mapping[str, NumberedLabels]
) -> None:
    """Count again, and compare classes and digests."""
    certificate, n_before = comparison.record, len(comparison.problems)
    comparison.problems += kind_of(certificate.kind).recounted(certificate, rows.counts)
    classes = {as_token(name) for name in certificate.classes}
    names = map(as_token, numbered["labels"].names)
    if classes and not classes.issuperset(names):
        comparison.problem(
            "labels", "there are classes that are none of the certificate's"
        )
    for name, column in {"y": rows.y, "labels": rows.labels}.items():
        comparison.check(name, f"{np.sum(column >= 0)} labels counted")
        comparison.digest(name, digest_of_numbers(numbered[name]))
    if len(comparison.problems) > n_before and certificate.drawn:
        comparison.problems.append(
            "the certificate is about one split of labels that are all known: y must be "
            "missing on the held-out rows, and labels must be the labeling of this "
            "split, from split_transductions_ rather than transduction_"
        )


def _compare_finished(
    comparison: Comparison, rows: Rows | None, labels: NumberedLabels
) -> None:
    """Whether the labels of a finished data set are those of their sources."""
    name, c = "finished_labels", comparison.record
    if "finished" not in c.fingerprints:
        comparison.problem(name, "there is no SHA-256 digest to compare with")
        return
    n_labels = np.sum(labels.codes >= 0)
    if rows is None:
        comparison.check(name, f"{n_labels} labels")
        comparison.digest(name, digest_of_numbers(labels))
        return
    audited, automatic = rows.y >= 0, (rows.y < 0) & (rows.labels >= 0)
    sources = {"y": (audited, rows.y), "labels": (automatic, rows.labels)}
    for source, (of_source, column) in sources.items():
        others = rows.index[of_source & (rows.finished != column)].tolist()
        if others:
            comparison.problem(
                name,
                f"{len(others)} of {of_source.sum()} labels are not those of "
                f"{comparison.name(source)}: rows {shown(others)}",
            )
    left = ~audited & ~automatic
    by_people = left & (rows.finished >= 0)
    n_known = int(left.sum()) - n_left(c)
    comparison.check(name, f"{n_labels} labels compared with their sources")
    if by_people.sum() > n_known:
        what = f"{by_people.sum()} labels of rows that were left to people"
        comparison.leave(name, f"{what}, of which the certificate knows {n_known}")
    else:
        comparison.digest(name, digest_of_numbers(labels))


def _compare_clusters(comparison: Comparison, rows: Rows, clusters: ArrayLike) -> None:
    """Count again cluster by cluster."""
    if not comparison.record.clusters:
        comparison.problem("clusters", "there are no counts that could be compared")
        return
    names = as_array("clusters", clusters)
    if names.shape != rows.y.shape:
        allowed = f"a cluster for each of the {len(rows.y)} rows"
        raise invalid("clusters", allowed, clusters)
    different, codes = np.unique(names, return_inverse=True)
    class_of = np.empty(len(different), dtype=np.int64)
    class_of[codes] = rows.labels  # that of one of its rows
    if np.any(class_of[codes] != rows.labels):
        comparison.problem("clusters", "labels differ within a cluster")
        return
    labeled = rows.y >= 0
    masks = np.full(len(codes), True), labeled, labeled & (rows.y != rows.labels)
    counts = [np.bincount(codes[mask], minlength=len(different)) for mask in masks]
    kept = grouped(np.stack(counts, axis=1)[class_of >= 0])
    if kept != comparison.record.clusters:
        comparison.problem("clusters", "their counts are not those of the data")
    comparison.check("clusters", "rows, labels and errors of each cluster counted")
