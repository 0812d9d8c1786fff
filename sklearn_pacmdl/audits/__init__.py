"""Audits: certify any labeling, finish a data set, stop early."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from ._agreement import Agreement as Agreement
from ._agreement import compare_annotators
from ._audit import Audit
from ._audit_size import AuditSize as AuditSize
from ._audit_size import audit_size
from ._audited import AuditedCertificate as AuditedCertificate
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
from ._finish import FinishedCertificate, finish_labels
from ._finish import FinishedLabels as FinishedLabels
from ._monitor import AuditMonitor
from ._plan_finish import FinishPlan as FinishPlan
from ._plan_finish import plan_finish
from ._segments import SegmentsCertificate
from ._share_size import ShareSize as ShareSize

__all__ = [
    "Audit",
    "AuditCertificate",
    "AuditMonitor",
    "ClassReport",
    "DifferenceCertificate",
    "FinishedCertificate",
    "GroupsCertificate",
    "SegmentsCertificate",
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
