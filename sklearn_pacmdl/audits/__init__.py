"""Audits: certify any labeling, finish a data set, stop early."""

from ._agreement import Agreement, compare_annotators
from ._audit import Audit
from ._audit import audit_of_holdout as audit_of_holdout  # for searches; not public
from ._audit_size import AuditSize, audit_size
from ._audited import AuditedCertificate as AuditedCertificate  # not public
from ._certify import (
    AuditCertificate,
    GroupsCertificate,
    StrataCertificate,
    certify_labels,
)
from ._certify_difference import DifferenceCertificate, certify_difference
from ._certify_share import ShareCertificate, certify_share
from ._class_report import ClassReport, class_report
from ._draw import draw_audit
from ._finish import FinishedCertificate, FinishedLabels, finish_labels
from ._monitor import AuditMonitor
from ._plan_finish import FinishPlan, plan_finish

__all__ = [
    "Agreement",
    "Audit",
    "AuditCertificate",
    "AuditMonitor",
    "AuditSize",
    "ClassReport",
    "DifferenceCertificate",
    "FinishPlan",
    "FinishedCertificate",
    "FinishedLabels",
    "GroupsCertificate",
    "ShareCertificate",
    "StrataCertificate",
    "audit_size",
    "certify_difference",
    "certify_labels",
    "certify_share",
    "class_report",
    "compare_annotators",
    "draw_audit",
    "finish_labels",
    "plan_finish",
]
