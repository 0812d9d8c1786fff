"""The one door to what scikit-learn keeps private, and checks of meta-estimators."""

from sklearn.metrics._scorer import _BaseScorer
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing as row_subset
from sklearn.utils import get_tags
from sklearn.utils._repr_html.estimator import _VisualBlock
from sklearn.utils.metadata_routing import _raise_for_params, process_routing
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import _num_samples as num_samples
from sklearn.utils.validation import indexable, validate_data

__all__ = [
    "BaseComposition",
    "as_in_fit",
    "check_X",
    "float_dtype",
    "is_metric_scorer",
    "num_samples",
    "route",
    "row_subset",
    "visual_block",
]


def visual_block(estimators, names):
    """Side-by-side boxes in the HTML representation."""
    return _VisualBlock("parallel", estimators, names=names, dash_wrapped=False)


def _is_frame(X):
    return hasattr(X, "iloc") or hasattr(X, "__dataframe__")


def check_X(estimator, X, clusterers):
    """X as its clusterers may take it, with ``n_features_in_`` set on the estimator.

    Numeric data are validated once, here. Data frames stay data frames, and what goes
    into a Pipeline (documents, mixed columns, gaps to be filled) is left to its steps.
    """
    if any(isinstance(clusterer, Pipeline) for clusterer in clusterers):
        (X,) = indexable(X)  # sparse formats become row-indexable
        if hasattr(X, "ndim") and X.ndim == 2:
            validate_data(estimator, X, skip_check_array=True)
        return X
    tags = [get_tags(clusterer).input_tags for clusterer in clusterers]
    checked = validate_data(
        estimator,
        X,
        accept_sparse="csr" if any(tag.sparse for tag in tags) else False,
        ensure_all_finite=not all(tag.allow_nan for tag in tags),
        ensure_min_samples=2,
    )
    return X if _is_frame(X) else checked


def float_dtype(X):
    """dtype of an array or sparse matrix of floats, else None."""
    dtype = getattr(X, "dtype", None)
    return dtype if getattr(dtype, "kind", None) == "f" else None


def as_in_fit(estimator, X, dtype):
    """New rows, refused if their features differ from those of ``fit``.

    Floats are given the dtype of ``fit``, on which compiled clusterers insist.
    """
    if getattr(X, "ndim", None) == 2 and hasattr(estimator, "n_features_in_"):
        validate_data(estimator, X, reset=False, skip_check_array=True)
    if dtype is not None and float_dtype(X) is not None:
        return X.astype(dtype, copy=False)
    return X


def route(estimator, method, params):
    """Metadata by consumer; none is accepted unless routing is enabled."""
    _raise_for_params(params, estimator, method)
    return process_routing(estimator, method, **params)


def is_metric_scorer(scorer):
    """Whether this is a metric behind ``predict``, as ``make_scorer`` returns."""
    return isinstance(scorer, _BaseScorer)
