"""Columns of labels or clusters, from any container or engine."""

# What is imported as itself is for other rooms, and not public.

from ._class_names import check_class_names as check_class_names
from ._class_names import renamed as renamed
from ._class_names import report_minus_one as report_minus_one
from ._clusterings import NOISE as NOISE
from ._clusterings import as_column as as_column
from ._clusterings import cells_of as cells_of
from ._clusterings import different as different
from ._clusterings import frame_columns as frame_columns
from ._clusterings import is_column as is_column
from ._clusterings import number_clusters as number_clusters
from ._clusterings import place_of_noise as place_of_noise
from ._clusterings import refuse_columns as refuse_columns
from ._clusterings import why_copy_of_labels as why_copy_of_labels
from ._clusterings import why_no_clusters as why_no_clusters
from ._clusterings import why_too_many as why_too_many
from ._engines import column_names as column_names
from ._engines import count_pairs as count_pairs
from ._engines import count_values as count_values
from ._engines import labeled_rows as labeled_rows
from ._engines import open_frame as open_frame
from ._labels import ABSTAIN as ABSTAIN
from ._labels import SEVERAL_LABELS as SEVERAL_LABELS
from ._labels import as_labels as as_labels
from ._labels import class_codes as class_codes
from ._labels import complete_labels as complete_labels
from ._labels import completed as completed
from ._labels import counts_by_label as counts_by_label
from ._labels import decode as decode
from ._labels import encode_labels as encode_labels
from ._labels import in_type_of as in_type_of
from ._labels import is_minus_one as is_minus_one
from ._labels import is_missing as is_missing
from ._labels import small_integers as small_integers
from ._labels import split_unlabeled as split_unlabeled
from ._labels import unique_inverse as unique_inverse
from ._spelling import check_same_writing as check_same_writing
from ._spelling import check_writing as check_writing
from ._spelling import folded as folded
from ._spelling import is_text_of_gap as is_text_of_gap
from ._spelling import most_common as most_common
from ._spelling import plain_writing as plain_writing
from ._spelling import refuse_other_names as refuse_other_names
from ._spelling import report_alike as report_alike
