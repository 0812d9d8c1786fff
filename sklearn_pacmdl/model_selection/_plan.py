"""Plan of a sweep: candidates, parameters and data are checked before work."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ..certification import (
    LanguageWeights,
    SplitCounter,
    divide,
    make_goal,
    resolve,
    weigh_candidates,
)
from ..columns import Labelings, as_labels, encode_labels
from ..estimators import (
    check_follows_rows,
    has_callbacks,
    index_type,
    is_known,
    num_samples,
    number_of_trials,
    permute_rows,
    permuted_parameters,
    route,
    rows_of_metadata,
    steps_that_need_labels,
    takes_functions,
    takes_pairs,
)
from ..languages import Candidate
from ..random_choice import check_groups, partitions_to_test
from ..utils._checks import check_count, is_integer, is_iterable, shown
from ..utils._random import check_random_state
from ._evaluation import Evaluator, Job
from ._memory import code_digest, make_cache
from ._numbers import check_numbers, describes_numbers, n_clusters_parameter, numbers_of
from ._scoring import make_scorers
from ._shared import SharedResults, bytes_of_each, shared_part
from ._split import make_splits

# Fits that share first centers are divided into parts of at most this share of what a
# process has to do. With the times of k-means on 60,000 x 30 rows (six lists of numbers
# to 40, 1 to 10 starts, 2 to 8 processes) that is 1.00 to 1.5 times as fast as a loop of
# fits, 1.11 in the median. With 1 it is 0.79 at worst, since processes wait in the end;
# if every fit is alone, 1.05 in the median.
_SHARE_OF_A_PART = 1 / 4


@dataclass(frozen=True)
class Variant:
    """A named clusterer or classifier at one point of its parameter grid."""

    name: str
    prefix: str  # of its parameters in best_params_: "" or "name__"
    grid: int  # index of the point
    params: Mapping[str, Any]  # the point
    estimator: Any  # with the point set
    n_clusters: Sequence[int | None]
    automatic: bool  # whether these are the default
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


@dataclass(frozen=True)
class Plan:
    """A sweep, checked and laid out before any clustering starts."""

    classes: np.ndarray
    labels: np.ndarray  # as the user wrote them
    variants: Mapping[tuple, Variant]  # by name and point of the grid
    candidates: Sequence[Candidate]
    weights: LanguageWeights
    counter: SplitCounter
    evaluator: Evaluator
    jobs: Sequence[Job]
    objection: str | None  # why nothing can be certified
    tested: Mapping[int, str]  # names of candidates that the choice of rows is tested by
    row_groups: Any  # of rows that may have been labeled together, or None
    drawn: bool  # whether the search itself drew the labeled rows: they need no test

    def groups(self, n_jobs):
        """Indices of the candidates, together where these share a part of their fits."""
        # What takes longest is likely to be what has most clusters. If that begins last,
        # processes wait for it in the end; and first centers of smaller fits are among
        # its own.
        #
        # Groups are divided. A part makes no more bisections than its largest fit does
        # alone, so processes that would be idle take one. A part draws centers once,
        # which takes less than processes may wait in the end. Parts that build a tree
        # would each take as long as the whole.
        size_of = [candidate.n_clusters or 1 for candidate in self.candidates]
        groups: dict[tuple, list[int]] = {}
        key: tuple
        for i, (job, c) in enumerate(zip(self.jobs, self.candidates, strict=True)):
            shared = shared_part(job.estimator)
            key = (shared, c.algorithm, c.grid, c.init) if shared else (shared, i)
            if shared == "first centers":
                key = (*key, number_of_trials(size_of[i]))
            groups.setdefault(key, []).append(i)
        numbers = Counter(shared for shared, *_ in groups)
        size_of_process = sum(size_of) / n_jobs
        size_of_part = size_of_process * _SHARE_OF_A_PART if n_jobs > 1 else 1
        parts: list[list[int]] = []
        for (shared, *_), group in groups.items():
            n_parts = 1
            if shared == "bisections":
                n_parts = ceil(n_jobs / numbers[shared])
            elif shared == "first centers":
                group.sort(key=size_of.__getitem__, reverse=True)
                n_parts = ceil(sum(size_of[i] for i in group) / size_of_part)
            n_parts = min(n_parts, len(group))
            parts += [group[k::n_parts] for k in range(n_parts)]
        if n_jobs > 1:
            parts.sort(key=lambda part: sum(size_of[i] for i in part), reverse=True)
        return parts

    def without_rows(self) -> "Plan":
        """The plan without rows in the permuted order, once they are not needed."""
        jobs = [replace(job, X=None) for job in self.jobs]
        evaluator = replace(self.evaluator, shared=SharedResults())
        return replace(self, jobs=jobs, evaluator=evaluator)

    def params(self, index):
        """Parameters of a candidate, under the names by which the search knows them."""
        candidate = self.candidates[index]
        variant = self.variants[candidate.algorithm, candidate.grid]
        parameters = dict(variant.params) | self.jobs[index].swept
        return {f"{variant.prefix}{key}": value for key, value in parameters.items()}


def make_plan(search, X, y, groups, params):
    """Check the parameters and data of a search, and plan its sweep."""
    classes, codes = _encoded(search, X, y, groups)
    random_state = check_random_state(search.random_state)
    row_seed, split_seed, seed = random_state.randint(2**31 - 1, size=3).tolist()
    variants = make_variants(search, X)
    candidates = [c for variant in variants.values() for c in variant.candidates()]
    # Drawn last, so that a search with more starts repeats the clusterings of fewer.
    most = max(variant.n_init for variant in variants.values())
    seeds = random_state.randint(2**31 - 1, size=most)
    routed, for_splitter = _routed(search, groups, params)
    splits, objection = make_splits(search.cv, X, y, codes, for_splitter, split_seed)
    goal = make_goal(search.target, search.choose, search.noise, search.delta)
    # The method may depend on sizes, which are known here, and not on labels.
    method = resolve(search.certify, goal, len(splits[0][0]))
    of_method = _check_method(search, variants, splits, goal, method)
    objection = objection or of_method
    weights = weigh_candidates(search.language, candidates, method)
    order = np.random.RandomState(row_seed).permutation(len(codes))
    order = order.astype(index_type(len(codes)))
    cache = make_cache(search.memory)
    inputs = _lay_out(X, order, variants, seeds, routed, classes, cache)
    labels = column_or_1d(as_labels(y))
    if search.scoring is not None or has_callbacks(search):
        labels = labels.copy()  # since code of the user might write into y
    divisions = [divide(rows, method, [seed, i]) for i, (rows, _) in enumerate(splits)]
    known = method, goal, weights.language, order, codes, len(classes), splits, divisions
    counter = SplitCounter(*known, seed)
    drawn = bool(np.all(codes >= 0))
    tested = {} if drawn else _tested(variants, candidates)
    return Plan(
        classes=classes,
        labels=labels,
        variants=variants,
        candidates=candidates,
        weights=weights,
        counter=counter,
        evaluator=_evaluator(search, counter, classes, labels, routed, cache, candidates),
        jobs=_jobs(inputs, variants, candidates, seeds, tested),
        objection=objection,
        tested=tested,
        row_groups=groups,
        drawn=drawn,
    )


def _encoded(search, X, y, groups):
    """Classes and codes of the labels, once rows, labels and groups go together."""
    if y is None:
        raise ValueError(
            f"{type(search).__name__} requires y to be passed, but the target y is None."
        )
    classes, codes = encode_labels(y, search.classes)
    check_consistent_length(X, codes)
    if groups is not None:
        check_groups(groups, len(codes))
    if isinstance(X, Labelings):
        X.check_not_made_of(codes < 0)
    return classes, codes


def _routed(search, groups, params):
    """Parameters of fit by the object that takes them, and those for the splitter."""
    # Groups reach the splitter without routing, too, as in scikit-learn's searches.
    for_splitter = {} if groups is None else {"groups": groups}
    if not get_config()["enable_metadata_routing"]:
        return route(search, "fit", params), for_splitter
    routed = route(search, "fit", {**params, **for_splitter})
    return routed, routed["splitter"].split


def _jobs(inputs, variants, candidates, seeds, tested):
    """The job of each candidate."""
    return [
        Job(
            **inputs[c.algorithm, c.grid],
            swept=variants[c.algorithm, c.grid].swept(c, seeds),
            keeps_partition=i in tested,
        )
        for i, c in enumerate(candidates)
    ]


def _check_method(search, variants, splits, goal, method):
    """Why several splits certify nothing; refuse what does not go with the method."""
    # Classifiers need labels that are set aside, to which they may be fitted.
    names = list(dict.fromkeys(v.name for v in variants.values() if v.learns))
    if names and not method.fraction:
        raise ValueError(
            "estimator must hold no classifier where all labels certify, as under "
            f"certify={method.kind!r}, got {shown(names)}. Classifiers are fitted to "
            "the labels that select: pass certify='learned' or 'holdout', with "
            "choose='bound' and four labels or more."
        )
    if len(splits) == 1:
        return None
    if goal.abstains:
        raise ValueError(f"cv must give one split, got {len(splits)} from {search.cv!r}.")
    if not method.chooses_first:
        return None
    return (
        f"No certificate is issued under certify={method.kind!r} with {len(splits)} "
        "splits: labels that certify on one split choose the clustering on others. Use "
        "one split, or one search for each split."
    )


def _tested(variants, candidates):
    """Clusterings that the choice of rows is tested by; classifiers have seen labels."""
    blind = [
        i
        for i, candidate in enumerate(candidates)
        if not variants[candidate.algorithm, candidate.grid].learns
    ]
    chosen = partitions_to_test([candidates[i] for i in blind])
    return {blind[place]: name for place, name in chosen.items()}


def _evaluator(search, counter, classes, labels, routed, cache, candidates):
    order, scorers, keeps = counter.order, {}, 0
    if search.scoring is not None:
        metadata = routed["scorer"].score
        scorers = make_scorers(search.scoring, labels, classes, order, metadata)
    # Fits are kept unless they are cached. Callbacks expect the last fit, and could
    # change an estimator that is kept.
    if search.refit and search.memory is None and not has_callbacks(search):
        keeps = bytes_of_each(len(order), len(candidates))
    known = counter, scorers, cache, SharedResults(), search.error_score, search
    return Evaluator(*known, keeps)


def _lay_out(X, order, variants, seeds, routed, classes, cache):
    """By variant: clusterer, rows and metadata in the permuted order, digest of code."""
    permuted = {}  # variants share one copy, unless only some take distances
    inputs = {}
    for key, variant in variants.items():
        pairs = takes_pairs(variant.estimator, X)
        if pairs not in permuted:
            permuted[pairs] = permute_rows(X, order, pairs)
        rows = permuted[pairs]
        if isinstance(rows, Labelings):  # of which it needs no others
            rows = rows.only(variant.params["column"])
        parameters = permuted_parameters(variant.estimator, order)
        estimator = variant.estimator.set_params(**parameters)
        metadata = routed[variant.name if variant.prefix else "estimator"]
        metadata = metadata.fit if variant.learns else metadata.fit_predict
        inputs[key] = {
            "estimator": estimator,
            "X": rows,
            "fit_params": rows_of_metadata(metadata, order, len(order)),
            "code": None if cache is None else code_digest(estimator),
            "classes": classes if variant.learns else None,
        }
        # Do the labels of clusterers written elsewhere follow their rows?
        known = is_known(estimator) and not takes_functions(estimator)
        if not known and not variant.learns:
            first = variant.swept(variant.candidates()[0], seeds)
            clusterer = clone(estimator).set_params(**first)
            check_follows_rows(clusterer, rows, inputs[key]["fit_params"])
    return inputs


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
    pairs, n_samples = named_estimators(search.estimator), num_samples(X)
    names = [name for name, _ in pairs]
    several = isinstance(search.estimator, list | tuple)
    if isinstance(X, Labelings):  # each of its columns is a point
        grids = {name: [{"column": key} for key in X.columns] for name in names}
    else:
        grids = _grids(search.param_grid, names, several)
    numbers = _by_name(search.n_clusters, names, "n_clusters", "auto")
    numbers = {name: check_numbers(numbers[name], n_samples) for name in names}
    if not describes_numbers(search.language):
        numbers = {
            n: None if of_one == "auto" else of_one for n, of_one in numbers.items()
        }
    starts = _by_name(search.n_init, names, "n_init", 1)
    variants = {}
    for name, clusterer in pairs:
        n_starts = check_count("n_init", starts[name], 1)
        swept = dict.fromkeys(seed_parameters(clusterer), "n_init")
        swept[n_clusters_parameter(clusterer, learns(clusterer))] = "n_clusters"
        for key in {key for point in grids[name] for key in point} & set(swept):
            raise ValueError(
                f"param_grid holds {key!r} of {name!r}, which the search sets itself. "
                f"Use {swept[key]}= instead."
            )
        for g, point in enumerate(grids[name]):
            configured = _configured(clusterer, name, point)
            parameter = n_clusters_parameter(configured, learns(configured))
            seeds = seed_parameters(configured)
            variants[name, g] = Variant(
                name=name,
                prefix=f"{name}__" if several else "",
                grid=g,
                params=point,
                estimator=configured,
                n_clusters=numbers_of(configured, parameter, numbers[name], X),
                automatic=numbers[name] == "auto",
                n_clusters_parameter=parameter,
                n_init=n_starts if seeds else 1,
                seed_parameters=seeds,
                learns=learns(configured),
            )
    varied = any(variant.n_clusters_parameter for variant in variants.values())
    if not varied and any(isinstance(v, list) for v in numbers.values()):
        raise ValueError(
            "n_clusters must be 'auto' or None for clusterers that take no number of "
            f"clusters ({', '.join(names)}), got {shown(search.n_clusters)}. Their own "
            "parameters are varied by param_grid."
        )
    return variants


def _configured(clusterer, name, params):
    """The clusterer at a point of its grid; a Pipeline has no step that needs labels."""
    try:
        configured = clone(clusterer).set_params(**clone(params, safe=False))
    except ValueError as error:
        raise ValueError(
            f"param_grid holds {shown(params)}, which {name!r} does not take: {error}"
        ) from None
    steps = [] if learns(configured) else steps_that_need_labels(configured)
    if steps:
        raise ValueError(
            "estimator must have no step that is fitted to labels, since clusterings are "
            f"made without them, got {shown(steps)} in {name!r}. Steps that need no "
            "labels, such as PCA or VarianceThreshold, are allowed."
        )
    return configured


def seed_parameters(estimator):
    """Names of the parameters that hold a random state; empty if it is deterministic."""
    return [
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]


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


def _grids(param_grid, names, several):
    """Grid points by clusterer."""
    if param_grid is None:
        return {name: [{}] for name in names}
    sources = [param_grid] if isinstance(param_grid, Mapping) else param_grid
    try:
        if not isinstance(sources, list | tuple) or not sources:
            raise TypeError("this is no dict, and no non-empty list.")
        points = list(ParameterGrid(list(sources)))
        if not all(isinstance(key, str) for source in sources for key in source):
            raise TypeError("names of parameters must be texts.")
    except (TypeError, ValueError) as error:
        numbers = is_iterable(param_grid) and all(map(is_integer, param_grid))
        hint = " Pass numbers of clusters as n_clusters=." if numbers else ""
        raise ValueError(
            "param_grid must be a dict of parameter names to lists of values, or a "
            f"non-empty list of such dicts, got {shown(param_grid)}: {error}{hint}"
        ) from error
    if not several:
        return {names[0]: points}
    pairs = [key.partition("__") for source in sources for key in source]
    strange = ["".join(pair) for pair in pairs if pair[0] not in names or not pair[2]]
    if strange:
        raise ValueError(
            "With several clusterers, the keys of param_grid must be name__parameter "
            f"with a name among {names}, got {strange}."
        )
    return {name: _grid_of(sources, name) for name in names}


def _grid_of(sources, name):
    """Points of the parameters of one of several clusterers."""
    start = f"{name}__"
    grids = [
        {k.removeprefix(start): values for k, values in s.items() if k.startswith(start)}
        for s in sources
    ]
    return list(ParameterGrid([grid for grid in grids if grid] or [{}]))
