"""The candidates of a sweep, and the clusterers or classifiers that they stand for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid

from ..columns import Labelings
from ..estimators import last_step, num_samples, steps_that_need_labels
from ..languages import Candidate
from ..utils._checks import check_count, is_integer, is_iterable, shown


@dataclass(frozen=True)
class Variant:
    """A named clusterer or classifier at one point of its parameter grid."""

    name: str
    prefix: str  # of its parameters in best_params_: "" or "name__"
    grid: int  # index of the point
    params: Mapping[str, Any]  # the point
    estimator: Any  # with the point set
    n_clusters: Sequence[int | None]
    n_clusters_parameter: str | None
    n_init: int
    seed_parameters: Sequence[str]
    learns: bool  # whether it is a classifier

    def candidates(self):
        """All of them, with each number of clusters and each start."""
        return [
            Candidate(self.name, n_clusters, init, self.grid, self.params)
            for n_clusters in self.n_clusters
            for init in range(self.n_init)
        ]

    def swept(self, candidate, seeds):
        """Parameters of a candidate besides the point of the grid."""
        swept = dict.fromkeys(self.seed_parameters, int(seeds[candidate.init]))
        if self.n_clusters_parameter is not None and candidate.n_clusters is not None:
            swept[self.n_clusters_parameter] = candidate.n_clusters
        return swept


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
            f"pairs, got {shown(estimator)}."
        )
    return [tuple(item) for item in estimator]


def learns(estimator):
    """Whether this is a classifier, which is fitted to labels."""
    return hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)


def check_clusterers(estimator):
    """Refuse anything that is neither a clusterer nor a classifier, named or not."""
    for name, clusterer in named_estimators(estimator):
        if isinstance(clusterer, type):
            raise TypeError(
                "estimator must hold instances of clusterers, got the class "
                f"{clusterer.__name__}; pass {clusterer.__name__}() instead."
            )
        needed = "predict" if learns(clusterer) else "fit_predict"
        if not all(hasattr(clusterer, m) for m in (needed, "get_params", "set_params")):
            raise TypeError(
                f"estimator must have {needed}, get_params and set_params, as "
                "instances of scikit-learn's clusterers do, or be a classifier; "
                f"{name!r} is {shown(clusterer)}."
            )


def make_variants(search, X):
    """By name and point of the grid: every clusterer, with all parameters checked."""
    # Where X holds labelings, the grid of each clusterer is one point for each of them.
    pairs, n_samples = named_estimators(search.estimator), num_samples(X)
    names = [name for name, _ in pairs]
    several = isinstance(search.estimator, list | tuple)
    if isinstance(X, Labelings):
        grids = {name: [{"column": key} for key in X.columns] for name in names}
    else:
        grids = _grids(search.param_grid, names, several)
    numbers = _by_name(search.n_clusters, names, "n_clusters", None)
    starts = _by_name(search.n_init, names, "n_init", 1)
    variants = {}
    for name, clusterer in pairs:
        asked = _check_numbers(numbers[name], n_samples)
        n_starts = check_count("n_init", starts[name], 1)
        _check_swept_names(clusterer, name, grids[name])
        for g, params in enumerate(grids[name]):
            configured = _configured(clusterer, name, params)
            _check_without_labels(configured, name)
            parameter = n_clusters_parameter(configured)
            seeds = seed_parameters(configured)
            variants[name, g] = Variant(
                name=name,
                prefix=f"{name}__" if several else "",
                grid=g,
                params=params,
                estimator=configured,
                n_clusters=_numbers(asked, configured, parameter, n_samples),
                n_clusters_parameter=parameter,
                n_init=n_starts if seeds else 1,
                seed_parameters=seeds,
                learns=learns(configured),
            )
    swept = search.n_clusters
    if swept is not None and not any(v.n_clusters_parameter for v in variants.values()):
        raise ValueError(
            f"n_clusters must be None for clusterers that take no number of clusters "
            f"({', '.join(names)}), got {shown(swept)}. Their own parameters are "
            "varied by param_grid."
        )
    return variants


def seed_parameters(estimator):
    """Names of the parameters that hold a random state; empty if it is deterministic."""
    return [
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]


def n_clusters_parameter(estimator):
    """Name of the parameter that sets the number of clusters, or None."""
    prefix, estimator = last_step(estimator)
    params = estimator.get_params(deep=False)
    if params.get("distance_threshold") is not None:  # cuts by height instead
        return None
    # Of classifiers, components are something else.
    names = ("n_clusters",) if learns(estimator) else ("n_clusters", "n_components")
    for name in names:
        # Birch takes a clusterer there too, which then has its own number.
        if name in params and not hasattr(params[name], "fit_predict"):
            return prefix + name
    return None


def _by_name(value, names, parameter, default):
    """A value for each clusterer, from one for all or a dict by name."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(names, value)
    unknown = set(value) - set(names)
    if unknown:
        raise ValueError(
            f"{parameter} has entries for {sorted(map(str, unknown))}, which are not "
            f"among the clusterers {names}."
        )
    return {name: value.get(name, default) for name in names}


def _check_numbers(value, n_samples):
    """Numbers of clusters as a list; None if each clusterer keeps its own."""
    if value is None:
        return None
    values = list(value) if is_iterable(value) else [value]
    for v in values:
        if not is_integer(v) or not 1 <= v <= n_samples:
            raise ValueError(
                "n_clusters must hold integers between 1 and the number of rows "
                f"({n_samples}), got {shown(v)}."
            )
    if not values or len(set(values)) < len(values):
        raise ValueError(
            f"n_clusters must hold one or more different numbers, got {shown(values)}."
        )
    return [int(v) for v in values]


def _numbers(asked, configured, parameter, n_samples):
    if parameter is None:
        return [None]
    if asked is not None:
        return asked
    own = configured.get_params(deep=True)[parameter]
    if not is_integer(own):  # such as None for Birch: no number is asked for
        return [None]
    if not 1 <= own <= n_samples:
        raise ValueError(
            f"{parameter} of a clusterer must be between 1 and the number of rows "
            f"({n_samples}), got {shown(own)}."
        )
    return [int(own)]


def _points(sources, param_grid):
    """All points of these grids."""
    try:
        return list(ParameterGrid(list(sources)))
    except (TypeError, ValueError) as error:
        raise ValueError(
            "param_grid must be a dict of parameter names to lists of values, or a "
            f"list of such dicts, got {shown(param_grid)}: {error}"
        ) from error


def _grids(param_grid, names, several):
    """Grid points by clusterer."""
    if param_grid is None:
        return {name: [{}] for name in names}
    sources = [param_grid] if isinstance(param_grid, Mapping) else param_grid
    if (
        not isinstance(sources, list | tuple)
        or not sources
        or not all(isinstance(source, Mapping) for source in sources)
        or not all(isinstance(key, str) for source in sources for key in source)
    ):
        listed = not isinstance(param_grid, Mapping) and is_iterable(param_grid)
        numbers = listed and all(map(is_integer, param_grid))
        hint = " Pass numbers of clusters as n_clusters=." if numbers else ""
        raise ValueError(
            "param_grid must be a dict of parameter names to lists of values, or a "
            f"non-empty list of such dicts, got {shown(param_grid)}.{hint}"
        )
    if not several:
        return {names[0]: _points(sources, param_grid)}
    strange = [key for s in sources for key in s if not _addresses(key, names)]
    if strange:
        raise ValueError(
            "With several clusterers, the keys of param_grid must be name__parameter "
            f"with a name among {names}, got {strange}."
        )
    return {name: _own_grid(sources, name) for name in names}


def _addresses(key, names):
    name, _, parameter = key.partition("__")
    return name in names and parameter


def _own_grid(sources, name):
    own = [
        {
            key.removeprefix(f"{name}__"): values
            for key, values in source.items()
            if key.startswith(f"{name}__")
        }
        for source in sources
    ]
    own = [source for source in own if source]
    return _points(own, sources) if own else [{}]


def _check_swept_names(clusterer, name, grid):
    """Refuse a grid that sets a parameter which the search itself sweeps."""
    swept = dict.fromkeys(seed_parameters(clusterer), "n_init")
    swept[n_clusters_parameter(clusterer)] = "n_clusters"
    for key in {key for params in grid for key in params} & set(swept):
        raise ValueError(
            f"param_grid holds {key!r} of {name!r}, which the search sets itself. Use "
            f"{swept[key]}= instead."
        )


def _check_without_labels(configured, name):
    """Refuse a Pipeline with a step that cannot be fitted without labels."""
    needing = [] if learns(configured) else steps_that_need_labels(configured)
    if needing:
        raise ValueError(
            "estimator must have no step that is fitted to labels, since clusterings are "
            f"made without them, got {shown(needing)} in {name!r}. Steps that need no "
            "labels, such as PCA or VarianceThreshold, are allowed."
        )


def _configured(clusterer, name, params):
    try:
        return clone(clusterer).set_params(**clone(params, safe=False))
    except ValueError as error:
        raise ValueError(
            f"param_grid holds {shown(params)}, which {name!r} does not take: {error}"
        ) from None
