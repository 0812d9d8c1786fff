"""Replacements for what older supported versions of scikit-learn lack.

The signatures are scikit-learn's, so that rooms are written for the newest version only.
"""

from contextlib import nullcontext
from functools import wraps


class CallbackContext:
    """Context of a task that nobody follows; its subtasks share it."""

    def subcontext(self, **task):
        """Context of a subtask."""
        return self

    def call_on_fit_task_begin(self, **task):
        """Tell nobody."""

    def call_on_fit_task_end(self, **task):
        """Tell nobody, and never ask a fit to stop."""
        return False

    def propagate_callback_context(self, sub_estimator):
        """Hand nothing on to an inner estimator."""
        return nullcontext()


class CallbackSupportMixin:
    """Has no ``set_callbacks``, so that callbacks are refused rather than ignored."""

    def _init_callback_context(self, **task):
        return CallbackContext()


def with_callbacks(method):
    """Add a stack frame as scikit-learn's decorator does, for the level of warnings."""

    @wraps(method)
    def managed(estimator, *args, **kwargs):
        return method(estimator, *args, **kwargs)

    return managed


def is_df_or_series(X):
    """Whether this is a data frame or a column of pandas, Polars or PyArrow."""
    libraries = {"pandas", "polars", "pyarrow"}
    kinds = {"DataFrame", "Series", "Table", "RecordBatch", "Array", "ChunkedArray"}
    return any(
        base.__name__ in kinds and base.__module__.partition(".")[0] in libraries
        for base in type(X).__mro__
    )
