"""Audits: certify any labeling, finish a data set, stop early."""

# What is imported as itself is for other rooms, and not public.

from ..worksheets import NO_CHOICE as NO_CHOICE
from ..worksheets import TEXTS as TEXTS
from ..worksheets import as_csv as as_csv
from ..worksheets import as_worksheet as as_worksheet
from ..worksheets import import_pandas as import_pandas
from ..worksheets import is_for_records as is_for_records
from ..worksheets import listed as listed
from ..worksheets import plain_texts as plain_texts
from ..worksheets import read_csv as read_csv
from ..worksheets import read_records as read_records
from ..worksheets import read_worksheet as read_worksheet
from ..worksheets import refuse_labels_of_people as refuse_labels_of_people
from ._agreement import Agreement, compare_annotators
from ._audit import Audit
from ._audit_size import AuditSize, audit_size
from ._certify import certify_changed_labels, certify_labels
from ._certify_difference import DifferenceCertificate, certify_difference
from ._class_report import ClassReport, class_report
from ._draw import audit_of_choice as audit_of_choice
from ._draw import draw_audit
from ._finish import FinishedLabels, finish_labels
from ._monitor import AuditMonitor
from ._plan_finish import FinishPlan, plan_finish

__all__ = [
    "Agreement",
    "Audit",
    "AuditMonitor",
    "AuditSize",
    "ClassReport",
    "DifferenceCertificate",
    "FinishPlan",
    "FinishedLabels",
    "audit_size",
    "certify_changed_labels",
    "certify_difference",
    "certify_labels",
    "class_report",
    "compare_annotators",
    "draw_audit",
    "finish_labels",
    "plan_finish",
]
