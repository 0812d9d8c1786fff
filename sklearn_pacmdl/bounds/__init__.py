"""Exact bounds computed from counts, and the number of labels that they need."""

# What is imported as itself is for other rooms, and not public.

from ._arrays import float_above as float_above
from ._arrays import float_below as float_below
from ._class_scores import MOST_DIVIDED as MOST_DIVIDED
from ._class_scores import ClassCounts as ClassCounts
from ._class_scores import class_score_lower_bound
from ._class_scores import f1_of as f1_of
from ._class_scores import macro_error_upper_bound as macro_error_upper_bound
from ._difference import difference_bounds as difference_bounds
from ._exact import QUICK as QUICK
from ._exact import exact_bmax as exact_bmax
from ._labels_needed import SELECTING_SHARE as SELECTING_SHARE
from ._labels_needed import LabelPlan as LabelPlan
from ._labels_needed import SimulatedClusters as SimulatedClusters
from ._labels_needed import label_plan as label_plan
from ._labels_needed import labels_needed
from ._looks import LooksPlan as LooksPlan
from ._looks import looks_plan as looks_plan
from ._pac_mdl import bmax, bucket, pac_mdl_bound
from ._pac_mdl import log_chance as log_chance
from ._pac_mdl import tolerated_audit_errors as tolerated_audit_errors
from ._strata import stratified_upper_bound, total_upper_bound
from ._tail import MAX_COUNT as MAX_COUNT
from ._whole_groups import groups_upper_bound

__all__ = [
    "bmax",
    "bucket",
    "class_score_lower_bound",
    "groups_upper_bound",
    "labels_needed",
    "pac_mdl_bound",
    "stratified_upper_bound",
    "total_upper_bound",
]
