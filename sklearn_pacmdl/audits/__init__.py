"""Audits: certify any labeling, finish a data set, stop when it is enough."""

from ._agreement import Agreement, compare_annotators
from ._audit import Audit, draw_audit
from ._certify import certify_labels
from ._finish import CompletedLabels, FinishedLabels, finish_labels
from ._rounds import certify_changed_labels

__all__ = [
    "Agreement",
    "Audit",
    "CompletedLabels",
    "FinishedLabels",
    "certify_changed_labels",
    "certify_labels",
    "compare_annotators",
    "draw_audit",
    "finish_labels",
]
