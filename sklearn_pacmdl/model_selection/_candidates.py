"""The candidates of a sweep: what they are, how each is fitted, what is counted."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import sort_graph_by_row_values
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from ..labeling._majority import check_cluster_labels, class_counts, majority_classes
from ..languages import Candidate, Language
from ..utils._checks import is_integer

# A fit uses one thread whatever n_jobs is: sums, and with them partitions, depend on it.
_THREADS = 1

# Parameters with one entry per row, and the axes along which rows lie.
_ROW_AXES = {"connectivity": (0, 1), "preference": (0,)}
# Parameters that hold points or components; these may happen to be as many as rows.
_NOT_ROWS = {"init", "means_init", "weights_init", "precisions_init", "seeds"}


@dataclass(frozen=True)
class Algorithm:
    """A named clusterer and what the sweep tries of it."""

    name: str
    estimator: Any
    prefix: str  # of its parameters in best_params_: "" or "name__"
    n_clusters: Sequence[int | None]
    n_clusters_parameter: str | None
    n_init: int
    grid: Sequence[Mapping[str, Any]] = field(default_factory=lambda: [{}])

    def candidates(self):
        for g, params in enumerate(self.grid):
            for n_clusters in self.n_clusters:
                for init in range(self.n_init):
                    yield Candidate(self.name, n_clusters, init, g, params)

    def parameters(self, candidate, seeds):
        """Parameters that turn the estimator into the candidate."""
        parameters = dict(candidate.params)
        if candidate.n_clusters is not None and self.n_clusters_parameter:
            parameters[self.n_clusters_parameter] = candidate.n_clusters
        seed = int(seeds[candidate.init])
        return parameters | dict.fromkeys(seed_parameters(self.estimator), seed)


def seed_parameters(estimator):
    """Names of the parameters that hold a random state; none: deterministic."""
    return [
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]


def n_clusters_parameter(estimator):
    """Name of the parameter that sets the number of clusters, or None."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    params = estimator.get_params(deep=False)
    if params.get("distance_threshold") is not None:  # cuts by height instead
        return None
    for name in ("n_clusters", "n_components"):
        if name in params:
            return prefix + name
    return None


def named_estimators(estimator):
    """(name, estimator) pairs of a single clusterer or a list of named ones."""
    if not isinstance(estimator, list | tuple):
        return [(type(estimator).__name__.lower(), estimator)]
    if not estimator or not all(
        isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)
        for item in estimator
    ):
        raise ValueError(
            "estimator must be a clusterer or a non-empty list of (name, clusterer) "
            f"pairs, got {estimator!r}."
        )
    return [tuple(item) for item in estimator]


def make_algorithms(estimator, n_clusters, n_init, param_grid, n_samples):
    """The algorithms of a sweep, with every parameter checked.

    Raises
    ------
    ValueError, TypeError
        Naming the parameter, its value and what is allowed.
    """
    pairs = named_estimators(estimator)
    several = isinstance(estimator, list | tuple)
    grids = _grids(param_grid, [name for name, _ in pairs] if several else None)
    algorithms = []
    for name, clusterer in pairs:
        if isinstance(clusterer, type) or not hasattr(clusterer, "fit_predict"):
            raise TypeError(
                f"estimator must have fit_predict, as scikit-learn's clusterers do; "
                f"{name!r} is {clusterer!r}."
            )
        parameter = n_clusters_parameter(clusterer)
        algorithm = Algorithm(
            name=name,
            estimator=clusterer,
            prefix=f"{name}__" if several else "",
            n_clusters=_numbers_of_clusters(
                _of_algorithm(n_clusters, name, "n_clusters"),
                clusterer,
                parameter,
                n_samples,
            ),
            n_clusters_parameter=parameter,
            n_init=_number_of_starts(_of_algorithm(n_init, name, "n_init"), clusterer),
            grid=grids[name] if several else grids[None],
        )
        _check_grid(algorithm)
        algorithms.append(algorithm)
    return algorithms


def _of_algorithm(value, name, parameter):
    if not isinstance(value, Mapping):
        return value
    if name not in value:
        raise ValueError(
            f"{parameter} has no entry for {name!r}; it has entries for {list(value)}."
        )
    return value[name]


def _numbers_of_clusters(value, clusterer, parameter, n_samples):
    if parameter is None:
        return [None]
    if value is None:
        return [_own_number_of_clusters(clusterer, parameter)]
    values = [value] if is_integer(value) else list(value)
    for v in values:
        if not is_integer(v) or not 1 <= v <= n_samples:
            raise ValueError(
                "n_clusters must hold integers between 1 and the number of rows "
                f"({n_samples}), got {v!r}."
            )
    if not values or len(set(values)) < len(values):
        raise ValueError(
            f"n_clusters must hold one or more different numbers, got {values!r}."
        )
    return [int(v) for v in values]


def _own_number_of_clusters(clusterer, parameter):
    own = clusterer.get_params(deep=True)[parameter]
    return int(own) if is_integer(own) else None


def _number_of_starts(value, clusterer):
    if not is_integer(value) or value < 1:
        raise ValueError(f"n_init must be an integer of at least 1, got {value!r}.")
    return int(value) if seed_parameters(clusterer) else 1


def _grids(param_grid, names):
    """Grid points per algorithm; key None for a single one."""
    if param_grid is None:
        return {name: [{}] for name in names or [None]}
    sources = [param_grid] if isinstance(param_grid, Mapping) else list(param_grid)
    if names is None:
        return {None: list(ParameterGrid(sources))}
    grids = {}
    for name in names:
        own = [
            {
                key.removeprefix(f"{name}__"): values
                for key, values in source.items()
                if key.startswith(f"{name}__")
            }
            for source in sources
        ]
        own = [source for source in own if source]
        grids[name] = list(ParameterGrid(own)) if own else [{}]
    strange = [
        key for s in sources for key in s if key.partition("__")[0] not in set(names)
    ]
    if strange:
        raise ValueError(
            "With several clusterers the keys of param_grid are name__parameter with a "
            f"name among {names}, got {strange}."
        )
    return grids


def _check_grid(algorithm):
    known = algorithm.estimator.get_params(deep=True)
    swept = {algorithm.n_clusters_parameter: "n_clusters"}
    swept |= dict.fromkeys(seed_parameters(algorithm.estimator), "n_init")
    for key in {key for params in algorithm.grid for key in params}:
        if key in swept:
            raise ValueError(
                f"param_grid holds {key!r}, which the search sets itself: use "
                f"{swept[key]}= instead."
            )
        if key not in known and "__" not in key:
            raise ValueError(
                f"param_grid holds {key!r}, which is no parameter of "
                f"{algorithm.name!r}; those are {sorted(known)}."
            )


def is_pairwise(estimator):
    """Whether X holds distances or affinities between rows, aligned on both axes."""
    if get_tags(estimator).input_tags.pairwise:
        return True
    if isinstance(estimator, Pipeline):
        return len(estimator.steps) == 1 and is_pairwise(estimator.steps[0][1])
    params = estimator.get_params(deep=False)
    kinds = (params.get("metric"), params.get("affinity"))
    return any(isinstance(kind, str) and kind.startswith("precomputed") for kind in kinds)


def permute(array, order, axes):
    """Reorder the rows of an array along all the axes on which rows lie."""
    array = array.tocsr() if sp.issparse(array) else np.asarray(array)
    for axis in axes:
        array = array[order] if axis == 0 else array[:, order]
    return array


def permute_pairwise(X, order):
    """Distances or affinities in the new row order, graphs with sorted rows."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "X must be square where the clusterer takes precomputed distances or "
            f"affinities, got shape {X.shape}."
        )
    X = permute(X, order, axes=(0, 1))
    return (
        sort_graph_by_row_values(X, warn_when_not_sorted=False) if sp.issparse(X) else X
    )


def permuted_parameters(estimator, order):
    """Parameters of the estimator that lie along rows, in the new row order.

    Raises
    ------
    ValueError
        For a parameter that has as many entries as there are rows and is not known to
        be row-aligned or not: left as it is, it would belong to other rows.
    """
    permuted = {}
    for name, value in estimator.get_params(deep=True).items():
        leaf = name.rpartition("__")[2]
        if leaf in _NOT_ROWS or not _along_rows(value, len(order)):
            continue
        if leaf not in _ROW_AXES:
            raise ValueError(
                f"Parameter {name!r} has one entry per row, but rows are permuted before "
                "clustering and only these are known to lie along rows: "
                f"{sorted(_ROW_AXES)}. Pass it as metadata of fit, or compute it in a "
                "Pipeline."
            )
        permuted[name] = permute(value, order, _ROW_AXES[leaf])
    return permuted


def _along_rows(value, n_samples):
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):  # of an array, not of a type such as float64
        return n_samples in shape
    return (
        isinstance(value, list)
        and len(value) == n_samples
        and all(isinstance(v, int | float | list | np.number) for v in value)
    )


def permute_metadata(params, order):
    """Metadata with one entry per row, in the new row order; the rest as it is."""
    return {
        name: permute(value, order, axes=(0,)) if _per_row(name, value, order) else value
        for name, value in params.items()
    }


def _per_row(name, value, order):
    shape = getattr(value, "shape", None)
    if shape is None:
        return isinstance(value, list | tuple) and len(value) == len(order)
    if shape[1:2] == (len(order),):
        raise ValueError(
            f"Metadata {name!r} has one column per row of X; only metadata with one "
            "entry or one row per row of X can be permuted along with it."
        )
    return shape[:1] == (len(order),)


def fit_clusterer(estimator, X, order, fit_params, keep):
    """Fit on permuted rows; the partition comes back in the rows' own order.

    Returns
    -------
    labels : ndarray of shape (n_samples,) of int
    fit_time : float
        In seconds.
    estimator : estimator or None
        The fitted clusterer if it is to be kept.
    """
    start = time.perf_counter()
    with threadpool_limits(limits=_THREADS):
        permuted = check_cluster_labels(
            estimator.fit_predict(X, **fit_params), len(order)
        )
    fit_time = time.perf_counter() - start
    labels = np.empty_like(permuted)
    labels[order] = permuted
    return labels, fit_time, estimator if keep else None


@dataclass(frozen=True)
class Task:
    """What every candidate of a sweep is counted on; none of it reaches a ``fit``."""

    order: np.ndarray  # row order in which clusterers see the rows
    codes: np.ndarray  # class code of each row, -1 unlabelled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    language: Language
    seed: int  # of ties between classes
    scorers: Mapping[str, Callable]
    fit_clusterer: Callable  # fit_clusterer, or a cached form of it


class Outcome(NamedTuple):
    """What is left of a candidate once its partition has been counted."""

    n_clusters: int
    train_errors: np.ndarray  # counts, one per split
    test_errors: np.ndarray  # counts, -1 where the labels are unknown
    label_weights: Sequence[Fraction]  # one per split
    digest: bytes  # of the partition
    fit_time: float
    scores: Mapping[str, Any]  # a number, or a Failure


class Failure(NamedTuple):
    """A fit, or a scorer, that raised."""

    message: str


class Labeling(NamedTuple):
    """Classes given to the clusters of a partition on the labels of one split."""

    clusters: np.ndarray  # cluster index of each row
    cluster_classes: np.ndarray  # class code of each cluster

    @property
    def codes(self):
        return self.cluster_classes[self.clusters]


def label_split(labels, task, index, split):
    """The labeling that a split's labelled rows give to a partition."""
    names, clusters = np.unique(labels, return_inverse=True)
    train, _ = task.splits[split]
    counts = class_counts(clusters[train], task.codes[train], len(names), task.n_classes)
    random_state = np.random.RandomState([task.seed, index, split])
    return Labeling(clusters, majority_classes(counts, random_state))


def count(labels, task, index, fit_time, scores):
    """Count a partition on every split."""
    train_errors, test_errors, weights = [], [], []
    for split, (train, test) in enumerate(task.splits):
        labeling = label_split(labels, task, index, split)
        wrong = labeling.codes != task.codes
        train_errors.append(np.count_nonzero(wrong[train]))
        known = np.all(task.codes[test] >= 0)
        test_errors.append(np.count_nonzero(wrong[test]) if known else -1)
        sizes = np.bincount(labeling.clusters)
        weights.append(_label_weight(task, sizes, labeling.cluster_classes))
    return Outcome(
        n_clusters=len(sizes),
        train_errors=np.array(train_errors),
        test_errors=np.array(test_errors),
        label_weights=weights,
        digest=digest(labels),
        fit_time=fit_time,
        scores=scores,
    )


def _label_weight(task, sizes, cluster_classes):
    weight = task.language.label_weight(
        sizes.tolist(), cluster_classes.tolist(), task.n_classes
    )
    if not isinstance(weight, Fraction) or not 0 < weight <= 1:
        raise ValueError(
            "label_weight of a language must return a Fraction in (0, 1], got "
            f"{weight!r} from {task.language!r}."
        )
    return weight


def digest(labels):
    """Fingerprint of a partition, cluster names included."""
    return blake2b(labels.astype(np.int64).tobytes(), digest_size=16).digest()


def evaluate(
    estimator, parameters, X, fit_params, task, index, error_score, caller, context
):
    """Fit one candidate and count its errors: the unit of parallel work."""
    try:
        estimator = clone(estimator).set_params(**clone(parameters, safe=False))
        estimator.set_params(**permuted_parameters(estimator, task.order))
        with reported(estimator, caller, context):
            labels, fit_time, fitted = task.fit_clusterer(
                estimator, X, task.order, fit_params, bool(task.scorers)
            )
    except Exception:
        if error_score == "raise":
            raise
        return Failure(traceback.format_exc())
    scores = {
        name: _score(scorer, fitted, X, labels[task.order], error_score)
        for name, scorer in task.scorers.items()
    }
    return count(labels, task, index, fit_time, scores)


def _score(scorer, fitted, X, labels, error_score):
    try:
        return scorer(fitted, X, labels)
    except Exception:
        if error_score == "raise":
            raise
        return Failure(traceback.format_exc())


@contextmanager
def reported(estimator, caller, context):
    """Tell the caller's callbacks of a fit, and hand them on to who can take them."""
    takes_callbacks = hasattr(estimator, "set_callbacks")
    handed_on = context.propagate_callback_context(estimator)
    with handed_on if takes_callbacks else nullcontext():
        context.call_on_fit_task_begin(estimator=caller)
        yield
        context.call_on_fit_task_end(estimator=caller)
