"""Certificates of labelings of which a random choice of rows was audited."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..certificates import AuditedCertificate
from ..utils._checks import check_integer, check_open_unit, invalid, shown
from ._audit import Audit
from ._audited_labels import audited_labels


def certify_labels(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    delta: float = 0.1,
    max_annotator_errors: int = 0,
    sides: Literal[1, 2] = 1,
) -> AuditedCertificate:
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
    people. If rows could not be drawn, N is the number of the others, and
    ``certificate.verify`` takes their labels: ``y[audit.pool]``, ``labels[audit.pool]``.
    The same applies if the audit was drawn from the surest rows.

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
    return design.certificate.from_counts(
        n_train=n_audited, n_test=n_others, weights={}, delta=delta, **fields
    )
