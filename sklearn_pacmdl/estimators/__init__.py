"""The only door to scikit-learn's private parts; stand-ins; rows in an order."""

# What is imported as itself is for other rooms, and not public.

from ._rows import check_follows_rows as check_follows_rows
from ._rows import is_symmetric as is_symmetric
from ._rows import permute_rows as permute_rows
from ._rows import permuted_parameters as permuted_parameters
from ._rows import rows_of_metadata as rows_of_metadata
from ._rows import split_rows as split_rows
from ._rows import takes_pairs as takes_pairs
from ._rows import unable_to_write as unable_to_write
from ._rows import without_duplicates as without_duplicates
from ._sklearn import BaseComposition as BaseComposition
from ._sklearn import CallbackSupportMixin as CallbackSupportMixin
from ._sklearn import DocumentedEstimator as DocumentedEstimator
from ._sklearn import batches as batches
from ._sklearn import check_sample_weight as check_sample_weight
from ._sklearn import check_X as check_X
from ._sklearn import computing_dtype as computing_dtype
from ._sklearn import has_callbacks as has_callbacks
from ._sklearn import import_containers as import_containers
from ._sklearn import in_dtype as in_dtype
from ._sklearn import inherited_input_tags as inherited_input_tags
from ._sklearn import input_tags as input_tags
from ._sklearn import is_df_or_series as is_df_or_series
from ._sklearn import is_frame as is_frame
from ._sklearn import is_known as is_known
from ._sklearn import is_metric_scorer as is_metric_scorer
from ._sklearn import is_of_classes as is_of_classes
from ._sklearn import is_pairwise as is_pairwise
from ._sklearn import kind_of_X as kind_of_X
from ._sklearn import last_step as last_step
from ._sklearn import needs_probabilities as needs_probabilities
from ._sklearn import num_samples as num_samples
from ._sklearn import refuse_annotated as refuse_annotated
from ._sklearn import restored_on_failure as restored_on_failure
from ._sklearn import route as route
from ._sklearn import steps_that_need_labels as steps_that_need_labels
from ._sklearn import takes_affinities as takes_affinities
from ._sklearn import visual_block as visual_block
from ._sklearn import with_callbacks as with_callbacks
