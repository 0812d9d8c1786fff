"""The PAC-MDL bound: counts in, counts out, exactly; and how many labels to buy."""

from ._finish import tolerated_audit_errors
from ._fisher import fisher_upper_bound, total_lower_bound, total_upper_bound
from ._looks import LooksPlan, looks_plan
from ._pac_mdl import bmax, bucket, log_bucket, pac_mdl_bound
from ._planning import labels_needed, planned_bound

__all__ = [
    "LooksPlan",
    "bmax",
    "bucket",
    "fisher_upper_bound",
    "labels_needed",
    "log_bucket",
    "looks_plan",
    "pac_mdl_bound",
    "planned_bound",
    "tolerated_audit_errors",
    "total_lower_bound",
    "total_upper_bound",
]
