"""The one door to what scikit-learn keeps private or has only in some versions, and
checks of meta-estimators."""

from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import fields
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.metrics._scorer import _BaseScorer
from sklearn.pipeline import Pipeline
from sklearn.utils import InputTags, check_array, get_tags
from sklearn.utils import _safe_indexing as row_subset
from sklearn.utils._repr_html.estimator import _VisualBlock
from sklearn.utils.metadata_routing import _raise_for_params, process_routing
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.validation import (
    _check_sample_weight,
    _get_feature_names,
    indexable,
    validate_data,
)
from sklearn.utils.validation import _num_samples as num_samples

from ..utils._checks import refuse_masked

try:  # from scikit-learn 1.8
    from sklearn.utils._dataframe import is_df_or_series
except ImportError:
    from ._stand_ins import is_df_or_series
try:  # from scikit-learn 1.9
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:
    from ._stand_ins import CallbackSupportMixin
    from ._stand_ins import with_callbacks as _with_callbacks

# What is imported here for others.
__all__ = ["BaseComposition", "CallbackSupportMixin", "is_df_or_series", "num_samples"]
__all__ += ["row_subset"]

Method = TypeVar("Method", bound=Callable[..., Any])


class DocumentedEstimator:
    """Links the HTML representation to the page of the estimator on our site."""

    _doc_link_module = "sklearn_pacmdl"
    # Read the Docs leads from here to the page of the default version.
    _doc_link_template = (
        "https://sklearn-pacmdl.readthedocs.io/page/api/generated/"
        "{estimator_module}.{estimator_name}.html"
    )


def with_callbacks(method: Method) -> Method:
    """Decorator that sets up callbacks around a method and keeps the type of it."""
    return _with_callbacks(method)


def batches(n, size):
    """Slices that cover the range of n."""
    # scikit-learn's gen_batches checks its parameters, which takes long compared with an
    # iteration of a millisecond.
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def visual_block(estimators, names):
    """Side-by-side boxes in the HTML representation."""
    return _VisualBlock("parallel", estimators, names=names, dash_wrapped=False)


def is_frame(X):
    """Whether this is a data frame, of pandas or of another library."""
    return is_df_or_series(X) or hasattr(X, "__dataframe__")


def refuse_annotated(name, value, parts):
    """Refuse a whole AnnData, whose parts are what may be passed."""
    if hasattr(value, "obs") and hasattr(value, "obsm"):
        kind = type(value).__name__
        raise TypeError(f"{name} must not be a whole {kind}: pass {parts}.")


def input_tags(estimator):
    """Tags of the input that the estimator takes; defaults if it has no tags."""
    if hasattr(estimator, "__sklearn_tags__"):
        return get_tags(estimator).input_tags
    return InputTags()


def inherited_input_tags(estimators):
    """Tags of what any of the estimators takes; missing values only if all take them."""
    inner = [input_tags(estimator) for estimator in estimators] or [InputTags()]
    together = InputTags(
        **{
            field.name: (all if field.name == "allow_nan" else any)(
                getattr(tags, field.name) for tags in inner
            )
            for field in fields(InputTags)
        }
    )
    # By this tag scikit-learn takes columns along with rows.
    together.pairwise = any(map(is_pairwise, estimators))
    return together


def is_known(estimator):
    """Whether the estimator and all within it are scikit-learn's or this package's."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return False
    within = estimator.get_params(deep=True).values()
    parts = [estimator, *(part for part in within if hasattr(part, "get_params"))]
    ours = {"sklearn", __name__.partition(".")[0]}
    return all(type(part).__module__.partition(".")[0] in ours for part in parts)


def has_callbacks(estimator):
    """Whether callbacks are set on the estimator."""
    return bool(getattr(estimator, "_skl_callbacks", None))


def last_step(estimator):
    """The last step of a Pipeline, or the estimator itself, and what its parameters are
    prefixed with."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator


# Where scikit-learn keeps the steps of what it composes: Pipeline, FeatureUnion and
# ColumnTransformer.
_STEPS = ("steps", "transformer_list", "transformers")


def steps_that_need_labels(estimator):
    """Names of the types of the steps, at any depth, that cannot be fitted without y."""
    if not isinstance(estimator, BaseComposition):
        return []
    names = []
    for _, step, *_ in (step for name in _STEPS for step in getattr(estimator, name, [])):
        if _needs_labels(step):
            names.append(type(step).__name__)
        names += steps_that_need_labels(step)
    return names


def _needs_labels(step):
    if not hasattr(step, "__sklearn_tags__"):  # such as "passthrough"
        return False
    if get_tags(step).target_tags.required:
        return True
    if not hasattr(step, "get_support"):
        return False
    # Selectors of features say that they do not, which depends on what they select by.
    params = step.get_params(deep=False)
    if "score_func" in params:
        try:
            signature(params["score_func"]).bind(None)
        except TypeError:  # it requires a second argument
            return True
        return False
    inner = None if params.get("prefit") else params.get("estimator")
    return hasattr(inner, "__sklearn_tags__") and get_tags(inner).target_tags.required


def working_steps(estimator):
    """The steps of a Pipeline that do something, or the estimator itself."""
    if not isinstance(estimator, Pipeline):
        return [estimator]
    return [step for _, step in estimator.steps if step not in (None, "passthrough")]


def is_pairwise(estimator):
    """Whether the estimator takes distances or affinities between rows."""
    # Not all that do are tagged so: of scikit-learn's clusterers half are not. What
    # metric, affinity, kernel, ... is called differs, and "precomputed" does not.
    if isinstance(estimator, Pipeline):
        return any(map(is_pairwise, working_steps(estimator)[:1]))
    if input_tags(estimator).pairwise:
        return True
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return False  # errors say what it must be
    kinds = estimator.get_params(deep=False).values()
    return any(isinstance(kind, str) and kind.startswith("precomputed") for kind in kinds)


def takes_affinities(estimator):
    """Whether these are affinities, of which higher is nearer."""
    params = estimator.get_params(deep=False)
    # A graph of "precomputed_nearest_neighbors" holds distances.
    kinds = (params.get(name) for name in ("affinity", "kernel", "similarity"))
    return any(isinstance(kind, str) and kind == "precomputed" for kind in kinds)


def kind_of_X(estimator):
    """What the estimator takes X for: features, distances or affinities."""
    if not is_pairwise(estimator):
        return "features"
    return "affinities" if takes_affinities(estimator) else "distances"


def check_X(estimator, X, clusterers):
    """X as its clusterers may take it, with ``n_features_in_`` set on the estimator.

    Data are validated once, here: as numbers, unless all clusterers take strings or
    categories. Data for a Pipeline (documents, mixed columns, gaps) are left to it.
    """
    refuse_masked("X", X)
    refuse_annotated("X", X, 'its .X, or an embedding such as .obsm["X_pca"]')
    has_pipeline = any(isinstance(clusterer, Pipeline) for clusterer in clusterers)
    _refuse_column(X, has_pipeline)
    if has_pipeline:
        (X,) = indexable(X)  # sparse formats become row-indexable
        if getattr(X, "ndim", None) == 2:
            validate_data(estimator, X, skip_check_array=True)
        return X
    tags = [input_tags(clusterer) for clusterer in clusterers]
    numeric = not all(tag.string or tag.categorical for tag in tags)
    try:
        checked = validate_data(
            estimator,
            X,
            dtype="numeric" if numeric else None,
            accept_sparse="csr" if any(tag.sparse for tag in tags) else False,
            ensure_all_finite=not all(tag.allow_nan for tag in tags),
            ensure_min_samples=2,
        )
        if numeric and checked.dtype.kind == "O":  # from frames that pandas did not make
            checked.astype(np.float64)
    except (TypeError, ValueError) as error:
        others = _columns_without_numbers(X)
        if others:
            raise ValueError(
                f"X must hold numbers, got text, dates or categories in the columns "
                f"{others}: {error}. Encode them in a Pipeline, such as "
                "skrub.tabular_pipeline(clusterer) or one that begins with "
                "make_column_transformer, or leave them out, as the column of labels. "
                "A clusterer of text goes into make_pipeline('passthrough', clusterer)."
            ) from error
        if "contains NaN" in str(error):
            raise ValueError(
                "X must hold no missing values: Input X contains NaN. Fill them within a "
                "Pipeline, such as make_pipeline(SimpleImputer(), clusterer), or leave "
                "out their rows."
            ) from error
        if getattr(X, "ndim", None) == 3:
            n_bands = X.shape[2]
            raise ValueError(
                f"{error} If X is an image with {n_bands} bands, pass "
                f"X.reshape(-1, {n_bands}), and y.ravel() for labels of the same shape."
            ) from error
        raise
    return X if is_frame(X) else checked


def _refuse_column(X, has_pipeline):
    """Refuse a column, unless it has texts for a Pipeline."""
    is_column = is_frame(X) and np.ndim(row_subset(X, [0])) != 2
    if is_column and not (has_pipeline and _holds_texts(X)):
        raise TypeError(
            "X must be an array, a sparse matrix, a list, a data frame of pandas or "
            f"Polars, or a Table of PyArrow, got {type(X).__name__}. A column of numbers "
            "goes into a data frame. Texts go into a Pipeline such as "
            "make_pipeline(TfidfVectorizer(), KMeans()), as a list, an array or a Series "
            "of pandas or Polars."
        )


def _holds_texts(column):
    """Whether a column is for a vectorizer: no numbers, and no scalars of Arrow."""
    first = row_subset(column, [0])
    return not hasattr(first, "to_pylist") and np.asarray(first).dtype.kind not in "biuf"


def _columns_without_numbers(X):
    """Names of the columns of a data frame that do not hold numbers."""
    names = _get_feature_names(X) if is_frame(X) else None
    others = []
    for name in [] if names is None else names:
        column = np.asarray(X[name])
        try:
            column.astype(np.float64)
        except (TypeError, ValueError):
            others.append(name)
        else:
            others += [name] * (column.dtype.kind in "mM")  # dates are cast
    return others


def check_sample_weight(sample_weight, X):
    """Weights of the rows as float64, at least 0, 1 each where none are given."""
    refuse_masked("sample_weight", sample_weight)
    if isinstance(sample_weight, Real):  # of which scikit-learn takes NaN and infinity
        sample_weight = np.full(num_samples(X), sample_weight)
    return _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )


def computing_dtype(X):
    """Float dtype in which a clusterer computes on X, None if X is not numeric."""
    try:
        first = check_array(
            X.tocsr()[:1] if issparse(X) else row_subset(X, slice(0, 1)),
            accept_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_2d=False,
            ensure_min_samples=0,
        )
    # Text, or columns of several kinds.
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return first.dtype


def in_dtype(X, dtype):
    """New rows in the float dtype of ``fit``, which compiled clusterers require."""
    current = computing_dtype(X)
    if dtype is None or current is None or current == dtype:
        return X
    return X.astype(dtype) if hasattr(X, "astype") else np.asarray(X, dtype=dtype)


def import_containers(estimators):
    """Import what steps are told to return by set_output: Polars cannot be imported for
    the first time in several threads at once."""
    parts = (part for each in estimators for part in each.get_params().values())
    outputs = [getattr(part, "_sklearn_output_config", {}) for part in parts]
    names = {output.get("transform") for output in outputs}
    names.add(get_config()["transform_output"])
    for name in ("pandas", "polars"):
        if name in names:
            with suppress(ImportError):  # of which scikit-learn tells
                import_module(name)


def route(estimator, method, params):
    """Metadata by consumer; an error if there are any while routing is disabled."""
    _raise_for_params(params, estimator, method)
    return process_routing(estimator, method, **params)


def is_metric_scorer(scorer):
    """Whether this is a metric behind a method, as ``make_scorer`` returns."""
    return isinstance(scorer, _BaseScorer)


def needs_probabilities(scorer):
    """Whether this is a metric of what classifiers return besides classes."""
    return is_metric_scorer(scorer) and scorer._response_method != "predict"


def is_of_classes(scorer):
    """Whether a metric is of classes; those of clusterings have arguments "labels"."""
    if not is_metric_scorer(scorer):
        return getattr(scorer, "kind", None) == "classes"
    try:
        first_two = [*signature(scorer._score_func).parameters][:2]
    except (TypeError, ValueError):  # compiled functions may have none
        return True
    return not any(name.startswith("labels") for name in first_two)


@contextmanager
def restored_on_failure(estimator):
    """Drop the attributes of an earlier fit, but restore them if this fit fails."""
    state = vars(estimator)
    before = dict(state)
    for name in [name for name in state if name.endswith("_")]:
        del state[name]
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise
