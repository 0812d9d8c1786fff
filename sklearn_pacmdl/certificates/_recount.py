"""Comparison of a certificate with data: labels are counted again, digests compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, invalid
from ..utils._labels import as_labels, split_unlabeled
from ._arithmetic import grouped
from ._fingerprint import as_token, fingerprint_labels, fingerprint_row_order
from ._kinds import kind_of

if TYPE_CHECKING:
    from ._certificate import BoundCertificate


def contradicted_by_labels(
    certificate: BoundCertificate,
    y: ArrayLike,
    labels: ArrayLike,
    certifying: ArrayLike | None,
) -> list[str]:
    """Problems that a comparison with labels and a labeling of the rows reveals."""
    seen, answers = as_labels(y), as_labels(labels, "labels")
    if seen.shape != answers.shape or seen.ndim != 1:
        raise ValueError(
            "y and labels must be 1-dimensional and of the same length, got shapes "
            f"{seen.shape} and {answers.shape}."
        )
    declared = certificate.classes or None
    labeled, truth = split_unlabeled(seen, declared)
    accepted, given = split_unlabeled(answers, declared, "labels")
    chosen = _certifying_rows(certifying, labeled)
    found = _counted(labeled, truth, accepted, given, chosen)
    problems = kind_of(certificate.kind).recounted(certificate, found)
    classes = {as_token(name) for name in certificate.classes}
    if classes and not classes.issuperset(map(as_token, given.tolist())):
        problems.append("labels have classes that are none of the certificate's")
    problems += _mistaken(certificate, {"labels": seen, "labeling": answers})
    if problems and certificate.drawn:
        problems.append(
            "the certificate is about one split of labels that are all known: y must be "
            "missing on the held-out rows, and labels must be the labeling of this "
            "split, from split_transductions_ rather than transduction_"
        )
    return problems


def contradicted_by_clusters(
    certificate: BoundCertificate,
    y: ArrayLike,
    labels: ArrayLike,
    clusters: ArrayLike,
) -> list[str]:
    """Problems that counting again cluster by cluster reveals."""
    if not certificate.clusters:
        return ["there are no counts of clusters that could be compared"]
    rows, declared = as_array("clusters", clusters), certificate.classes or None
    labeled, truth = split_unlabeled(as_labels(y), declared)
    accepted, given = split_unlabeled(as_labels(labels, "labels"), declared, "labels")
    if rows.shape != labeled.shape:
        allowed = f"a cluster for each of the {len(labeled)} rows"
        raise invalid("clusters", allowed, clusters)
    names, codes = np.unique(rows, return_inverse=True)
    answers = np.full(len(rows), None, dtype=object)
    answers[accepted] = given
    wrong = np.zeros(len(rows), dtype=bool)
    wrong[labeled] = answers[labeled] != truth
    said = [set(answers[codes == j].tolist()) for j in range(len(names))]
    if any(len(own) > 1 for own in said):
        return ["labels differ within a cluster"]
    kept = [own != {None} for own in said]
    counts = [
        np.bincount(codes[mask], minlength=len(names)) for mask in _masks(labeled, wrong)
    ]
    found = grouped(np.stack(counts, axis=1)[kept])
    if found != certificate.clusters:
        return ["clusters are not those of the data"]
    return []


def _masks(labeled, wrong):
    return [np.ones(len(labeled), dtype=bool), labeled, labeled & wrong]


def contradicted_by_order(
    certificate: BoundCertificate, row_order: ArrayLike
) -> list[str]:
    """Whether the rows were seen in another order than the certificate records."""
    expected = certificate.fingerprints.get("row_order")
    if expected is None:
        return ["there is no fingerprint that row_order could be compared with"]
    if expected != fingerprint_row_order(row_order):
        return ["the fingerprint of the row_order is not that of the data"]
    return []


def _certifying_rows(
    certifying: ArrayLike | None, labeled: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Mask of the labeled rows that certify, from indices or a mask."""
    if certifying is None:
        return labeled
    rows, n_rows = as_array("certifying", certifying), len(labeled)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return rows & labeled
    inside = rows.dtype.kind in "iu" and np.all((rows >= 0) & (rows < n_rows))
    if rows.ndim != 1 or not (inside or not rows.size):
        allowed = f"a mask of {n_rows} rows or indices of such"
        raise invalid("certifying", allowed, certifying)
    return np.isin(np.arange(n_rows), rows) & labeled


def _counted(
    labeled: NDArray[np.bool_],
    truth: NDArray[Any],
    accepted: NDArray[np.bool_],
    given: NDArray[Any],
    chosen: NDArray[np.bool_],
) -> dict[str, int]:
    """The counts that a certificate states, from data."""
    seen = np.flatnonzero(labeled)
    answers = dict(zip(np.flatnonzero(accepted), given, strict=True))
    counted = [i for i, row in enumerate(seen) if chosen[row] and row in answers]
    return {
        "n_train": len(counted),
        "n_test": int(np.sum(~labeled & accepted)),
        "n_train_errors": int(sum(truth[i] != answers[seen[i]] for i in counted)),
        "n_select": int(np.sum(labeled & ~chosen)),
        "n_train_abstained": int(np.sum(labeled & chosen & ~accepted)),
        "n_test_abstained": int(np.sum(~labeled & ~accepted)),
    }


def _mistaken(certificate: BoundCertificate, data: dict[str, NDArray[Any]]) -> list[str]:
    return [
        f"the fingerprint of the {name} is not that of the data"
        for name, values in data.items()
        if name in certificate.fingerprints
        and certificate.fingerprints[name]
        != fingerprint_labels(values, certificate.classes or None)
    ]
