"""What a certificate still says after labels have been changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..certificates import BoundCertificate, digest_of_labels
from ..utils._checks import invalid, shown
from ..utils._labels import split_unlabeled
from ._audit import check_labels


def certify_changed_labels(
    certificate: BoundCertificate, labels: ArrayLike, new_labels: ArrayLike
) -> BoundCertificate:
    """Restate the certificate of a labeling for a labeling that differs in some rows.

    Each changed row may be wrong and adds one error, however the changes were chosen:
    errors in rows that were not changed are among the errors that were certified. If many
    rows are changed, draw a new audit instead.

    Parameters
    ----------
    certificate : BoundCertificate
        Of kind "audit", as :func:`certify_labels` returns it.
    labels : array-like of shape (n_rows,)
        The labeling that it certifies, of the rows that could be drawn.
    new_labels : array-like of shape (n_rows,)
        The same rows with the new labels. The same rows have a label.

    Returns
    -------
    certificate : BoundCertificate
        For the new labels. The fact "n_changed" counts all rows that were changed since
        the audit.

    Raises
    ------
    ValueError
        If ``certificate`` is not about ``labels``, or other rows have a label.

    See Also
    --------
    certify_labels : Certifies labels by an audit.

    Notes
    -----
    The statement is that the number of errors is at most that of the old labeling plus
    the number of changes, for certain given that the old statement is true. It holds at
    the same delta.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import (
    ...     certify_changed_labels, certify_labels, draw_audit
    ... )
    >>> labels = np.zeros(1000, dtype=int)
    >>> audit = draw_audit(1000, 200, random_state=0)
    >>> certificate = certify_labels(labels, audit, np.zeros(200, dtype=int))
    >>> new_labels = np.where(np.arange(1000) < 5, 1, labels)
    >>> changed = certify_changed_labels(certificate, labels, new_labels)
    >>> print(changed.claim)
    at most 15 of all 1000 rows (1.50%) are labeled wrongly: 0 of the 200 audited rows \
and at most 10 of the 800 others before 5 rows were changed, which may be wrong
    """
    if not isinstance(certificate, BoundCertificate) or certificate.kind != "audit":
        raise invalid("certificate", "a BoundCertificate of kind 'audit'", certificate)
    c = certificate
    n_rows = c.n_train + c.n_test + c.n_train_abstained + c.n_test_abstained
    old, new = (
        check_labels(labels, n_rows),
        check_labels(new_labels, n_rows, "new_labels"),
    )
    if digest_of_labels(old, "labels") != certificate.fingerprints.get("labeling"):
        raise ValueError(
            "labels must be those that the certificate is about, whose SHA-256 digest is "
            f"another one, got {shown(labels)}. If rows were excluded from the audit, "
            "pass labels[audit.pool]."
        )
    labeled, values = split_unlabeled(old, None, "labels")
    again, changed = split_unlabeled(new, None, "new_labels")
    if not np.array_equal(labeled, again):
        raise ValueError(
            "new_labels must have a label in the same rows as labels, got "
            f"{shown(new_labels)}."
        )
    n_changed = int(np.sum(values.astype(object) != changed.astype(object)))
    n_changed += int(certificate.facts.get("n_changed", 0))
    return certificate._amended(
        facts={"n_changed": n_changed},
        fingerprints={"labeling": digest_of_labels(new, "new_labels")},
    )
