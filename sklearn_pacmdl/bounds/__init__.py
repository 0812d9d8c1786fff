"""Exact bounds computed from counts, and the number of labels that they need."""

from ._classes import (
    class_total_bounds,
    f1_lower_bound,
    macro_error_upper_bound,
    precision_lower_bound,
    recall_lower_bound,
)
from ._decoupled import decoupled_bound
from ._finish import tolerated_audit_errors
from ._fisher import fisher_upper_bound, total_lower_bound, total_upper_bound
from ._looks import LooksPlan, looks_plan
from ._pac_mdl import bmax, bucket, log_bucket, pac_mdl_bound
from ._planning import labels_needed, planned_bound
from ._strata import stratified_upper_bound

__all__ = [
    "LooksPlan",
    "bmax",
    "bucket",
    "class_total_bounds",
    "decoupled_bound",
    "f1_lower_bound",
    "fisher_upper_bound",
    "labels_needed",
    "log_bucket",
    "looks_plan",
    "macro_error_upper_bound",
    "pac_mdl_bound",
    "planned_bound",
    "precision_lower_bound",
    "recall_lower_bound",
    "stratified_upper_bound",
    "tolerated_audit_errors",
    "total_lower_bound",
    "total_upper_bound",
]
