"""Plan of a sweep: candidates, parameters and data are checked before work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ..certification import (
    LanguageWeights,
    SplitCounter,
    divide,
    make_goal,
    make_scorers,
    report_reach,
    resolve,
    weigh_candidates,
)
from ..columns import as_labels, encode_labels
from ..estimators import (
    check_follows_rows,
    has_callbacks,
    last_step,
    num_samples,
    permute_rows,
    permuted_parameters,
    route,
    rows_of_metadata,
    steps_that_need_labels,
    takes_pairs,
)
from ..languages import PREFERRED_NUMBERS, Candidate, PaperLanguage, get_language
from ..random_choice import check_groups, clusterings_to_test
from ..utils._checks import check_count, is_integer, is_iterable, shown, warn
from ..utils._random import check_random_state
from ._default_candidates import default_candidates, every_candidate
from ._evaluation import Evaluator, Job, make_cache
from ._shared import SharedResults, shared_part
from ._split import make_splits

# "auto" tries the preferred numbers up to the smaller of these: a number of clusters, and
# a share of the rows. Single components of mixtures have as many parameters as features
# at least, and fits with few rows for each fail. Bounds of this list and of others:
# benchmarks/lists_of_numbers.py.
_MOST_CLUSTERS, _ROWS_OF_A_CLUSTER, _ROWS_OF_A_COMPONENT = 200, 4, 10
# Cells of X times clusters of all fits of a list. Above, every other number is tried,
# with bounds larger by at most 0.5 points. k-means takes some five minutes for as many on
# one core (52 s for 1.7e9), and spherical k-means of sparse rows, whose stored cells
# count, three times as long (65 s for 0.7e9).
_MOST_WORK, _MOST_SPARSE_WORK = 10**10, 10**9
# Bytes that all fitted clusterers and their labels may take to be kept until one is
# chosen. With fewer than 30 candidates, where another fit is more than 3% of a sweep,
# that is enough for k-means on a million rows; with more, another fit is a small part.
_MOST_KEPT = 2**28


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

    def swept(self, n_clusters, seed):
        """Parameters of a candidate besides the point of the grid."""
        swept = dict.fromkeys(self.seed_parameters, seed)
        if self.n_clusters_parameter is not None and n_clusters is not None:
            swept[self.n_clusters_parameter] = n_clusters
        return swept


@dataclass(frozen=True)
class Plan:
    """A sweep, checked and laid out before any clustering starts."""

    search: Any
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

    def parts(self, n_jobs):
        """Indices of the candidates, together where these share a part of their fits."""
        # A group that builds a tree is not divided, since each part would take as long as
        # the whole. Steps of a Pipeline are fitted once for each part, so there are as
        # many parts as keep all processes busy.
        size_of = [candidate.n_clusters or 1 for candidate in self.candidates]
        groups: dict[tuple, list[int]] = {}
        for i, (job, c) in enumerate(zip(self.jobs, self.candidates, strict=True)):
            shared = shared_part(job.estimator)
            key = (shared, c.algorithm, c.grid, c.init) if shared else (shared, i)
            groups.setdefault(key, []).append(i)
        n_groups_of_steps = sum(shared == "steps" for shared, *_ in groups)
        parts: list[list[int]] = []
        for (shared, *_), group in groups.items():
            n_parts = 1
            if shared == "steps":
                n_parts = min(ceil(n_jobs / n_groups_of_steps), len(group))
            parts += [group[k::n_parts] for k in range(n_parts)]
        # What takes longest is likely to be what has most clusters. If that began last,
        # processes would wait for it in the end.
        if n_jobs > 1:
            parts.sort(key=lambda part: sum(size_of[i] for i in part), reverse=True)
        return parts

    def name(self, index):
        """A candidate by what tells it from others, without seeds."""
        candidate = self.candidates[index]
        variant = self.variants[candidate.algorithm, candidate.grid]
        point = (f"{key}={shown(value)}" for key, value in variant.params.items())
        parts = [candidate.algorithm, *point]
        if candidate.n_clusters is not None:
            parts.append(f"{candidate.n_clusters} clusters")
        if variant.n_init > 1:
            parts.append(f"start {candidate.init}")
        return ", ".join(parts)

    def params(self, index):
        """Parameters of a candidate, under the names by which the search knows them."""
        candidate = self.candidates[index]
        variant = self.variants[candidate.algorithm, candidate.grid]
        parameters = dict(variant.params) | self.jobs[index].swept
        return {f"{variant.prefix}{key}": value for key, value in parameters.items()}


def make_plan(search, X, y, groups, params):
    """Check the parameters and data of a search, and plan its sweep."""
    classes, codes = encode_labels(y, search.classes)
    check_consistent_length(X, codes)
    if groups is not None:
        check_groups(groups, len(codes))
    random_state = check_random_state(search.random_state)
    row_seed, split_seed, seed = random_state.randint(2**31 - 1, size=3).tolist()
    variants = make_variants(search, X)
    # Drawn last, so that a search with more starts repeats the clusterings of fewer.
    n_seeds = max(variant.n_init for variant in variants.values())
    seeds = random_state.randint(2**31 - 1, size=n_seeds).tolist()
    routed, for_splitter = _routed(search, groups, params)
    splits, objection = make_splits(search.cv, X, y, codes, for_splitter, split_seed)
    kind = _kind_of_integers(len(codes))
    splits = [tuple(rows.astype(kind) for rows in split) for split in splits]
    is_drawn = bool(np.all(codes >= 0))
    goal, method = _goal_and_method(search, len(splits[0][0]), is_drawn)
    variants = _that_can_be_fitted(search, variants, method, len(splits[0][0]))
    of_method = _check_splits(search, splits, goal, method)
    candidates = _candidates_of(variants)
    weights = weigh_candidates(search.language, candidates, method)
    order = np.random.RandomState(row_seed).permutation(len(codes)).astype(kind)
    labels = _labels_of(search, y)
    counter = SplitCounter(
        method=method,
        goal=goal,
        language=weights.language,
        order=order,
        codes=codes,
        n_classes=len(classes),
        splits=splits,
        divisions=[divide(rows, method, [seed, i]) for i, (rows, _) in enumerate(splits)],
        seed=seed,
        two_kinds=len({variant.learns for variant in variants.values()}) > 1,
    )
    report_reach(goal, counter.sizes[0], search.delta)
    return Plan(
        search=search,
        classes=classes,
        labels=labels,
        variants=variants,
        candidates=candidates,
        weights=weights,
        counter=counter,
        evaluator=_evaluator(search, counter, classes, labels, routed, len(candidates)),
        jobs=_jobs(X, order, variants, candidates, seeds, routed, classes),
        objection=objection or of_method,
        tested={} if is_drawn else _tested(candidates, variants),
        row_groups=groups,
        drawn=is_drawn,
    )


def _kind_of_integers(n_rows):
    """That of numbers of rows, which are many: 32 bits number two billion."""
    return np.result_type(np.int32, np.min_scalar_type(-n_rows))


def _goal_and_method(search, n_labeled, is_drawn):
    """What is to be claimed, and by which method."""
    goal = make_goal(search.target, search.choose, search.noise, search.delta)
    goal = replace(goal, declared=search.classes is not None or is_drawn)
    # The method may depend on sizes, which are known here, and not on labels.
    return goal, resolve(search.certify, goal, search.language, n_labeled)


def _candidates_of(variants):
    """Each variant with each of its numbers of clusters and starts."""
    return [
        Candidate(v.name, n_clusters, init, v.grid, v.params)
        for v in variants.values()
        for n_clusters in v.n_clusters
        for init in range(v.n_init)
    ]


def _labels_of(search, y):
    """The labels as the user wrote them."""
    labels = column_or_1d(as_labels(y))
    # Code of the user might write into y.
    runs_code = search.scoring is not None or has_callbacks(search)
    return labels.copy() if runs_code else labels


def _routed(search, groups, params):
    """Metadata as they are routed, and those of the splitter."""
    # Groups reach the splitter without routing, too, as in scikit-learn's searches.
    for_splitter = {} if groups is None else {"groups": groups}
    if not get_config()["enable_metadata_routing"]:
        return route(search, "fit", params), for_splitter
    routed = route(search, "fit", params | for_splitter)
    return routed, routed["splitter"].split


def _tested(candidates, variants):
    """Names of the candidates that the choice of rows is tested by, by their index."""
    # Classifiers have seen labels.
    of_each = enumerate(candidates)
    blind = [i for i, c in of_each if not variants[c.algorithm, c.grid].learns]
    tested = clusterings_to_test([candidates[i] for i in blind])
    return {blind[k]: name for k, name in tested.items()}


def _evaluator(search, counter, classes, labels, routed, n_candidates):
    """What fits and counts a candidate, with the scorers of the search."""
    cache = None if search.memory is None else make_cache(search.memory)
    scorers, watched = {}, has_callbacks(search)
    if search.scoring is not None:
        metadata = routed["scorer"].score
        scorers = make_scorers(search.scoring, labels, classes, counter.order, metadata)
    # A scorer or a callback may change a fitted clusterer, so that it is fitted again.
    is_kept = search.refit and cache is None and not scorers and not watched
    return Evaluator(
        counter=counter,
        scorers=scorers,
        cache=cache,
        shared=SharedResults(steps=not watched),
        error_score=search.error_score,
        search=search,
        keeps=_MOST_KEPT // n_candidates if is_kept else 0,
    )


def _that_can_be_fitted(search, variants, method, n_labeled):
    """The variants without classifiers, which need labels that do not certify."""
    names = list(dict.fromkeys(v.name for v in variants.values() if v.learns))
    if not names or method.fraction:
        return variants
    blind = {key: v for key, v in variants.items() if not v.learns}
    chosen_by_user = search.certify != "auto" and search.estimator is not None
    if chosen_by_user or not blind:
        raise ValueError(
            "estimator must hold no classifier where all labels certify, as under "
            f"certify={method.kind!r}, got {shown(names)}. Classifiers are fitted to "
            "the labels that select: pass certify='learned' or 'holdout', with four "
            "labels or more."
        )
    of = "estimator" if search.estimator is not None else "the default candidates"
    warn(
        f"With {n_labeled} labels all of them certify, by {method.kind!r}, and none is "
        f"left to fit classifiers to: {shown(names)} of {of} are left out."
    )
    return blind


def _check_splits(search, splits, goal, method):
    """Why several splits certify nothing; refuse them with a target."""
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


def _jobs(X, order, variants, candidates, seeds, routed, classes):
    """The job of each candidate, with rows and metadata in the permuted order."""
    permuted: dict[bool, Any] = {}  # variants share one copy, unless only some take pairs
    of_variants = {}
    for key, variant in variants.items():
        pairs = takes_pairs(variant.estimator, X)
        if pairs not in permuted:
            permuted[pairs] = permute_rows(X, order, pairs)
        rows = permuted[pairs]
        parameters = permuted_parameters(variant.estimator, order)
        estimator = variant.estimator.set_params(**parameters)
        metadata = routed[variant.name if variant.prefix else "estimator"]
        metadata = metadata.fit if variant.learns else metadata.fit_predict
        metadata = rows_of_metadata(metadata, order, len(order))
        first = variant.swept(variant.n_clusters[0], seeds[0])
        job = Job(estimator, first, rows, metadata, variant.learns, classes)
        of_variants[key] = job
        if not variant.learns:
            check_follows_rows(job.configured(), rows, metadata)
    jobs = []
    for c in candidates:
        key = c.algorithm, c.grid
        swept = variants[key].swept(c.n_clusters, seeds[c.init])
        jobs.append(replace(of_variants[key], swept=swept))
    return jobs


def named_estimators(estimator):
    """(name, estimator) pairs of a single clusterer or a list of named ones."""
    if estimator is None:
        return every_candidate()
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


def is_list(estimator):
    """Whether parameters of candidates have names in front; None is a list, too."""
    return estimator is None or isinstance(estimator, list | tuple)


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
    if search.estimator is None:
        pairs = default_candidates(X)
    names = [name for name, _ in pairs]
    several = is_list(search.estimator)
    grids = _grids(search.param_grid, names, several)
    numbers = _by_name(search.n_clusters, names, "n_clusters", "auto")
    numbers = {name: check_numbers(numbers[name], n_samples) for name in names}
    language = None if search.language is None else get_language(search.language)
    if isinstance(language, PaperLanguage) and "n_clusters" not in language.terms:
        # Sweeps over numbers of clusters have no weights.
        numbers = {
            n: None if of_one == "auto" else of_one for n, of_one in numbers.items()
        }
    starts = _by_name(search.n_init, names, "n_init", 1)
    variants = {}
    for name, clusterer in pairs:
        n_starts = check_count("n_init", starts[name], 1)
        seeded = {key for grid in grids[name] for key in grid}
        for key in seeded.intersection(seed_parameters(clusterer)):
            raise ValueError(
                f"param_grid holds {key!r} of {name!r}, which the search sets itself. "
                "Use n_init= instead."
            )
        parameter = n_clusters_parameter(clusterer, learns(clusterer))
        points = _points(grids[name], parameter, numbers[name], n_samples)
        for g, (point, wanted) in enumerate(points):
            configured = _configured(clusterer, name, point)
            parameter = n_clusters_parameter(configured, learns(configured))
            seeds = seed_parameters(configured)
            variants[name, g] = Variant(
                name=name,
                prefix=f"{name}__" if several else "",
                grid=g,
                params=point,
                estimator=configured,
                n_clusters=numbers_of(configured, parameter, wanted, X),
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
    """Grids by clusterer, each a dict of parameters to lists of values."""
    if param_grid is None:
        return {name: [{}] for name in names}
    sources = _sources(param_grid)
    if not several:
        return {names[0]: sources}
    pairs = [key.partition("__") for source in sources for key in source]
    strange = ["".join(pair) for pair in pairs if pair[0] not in names or not pair[2]]
    if strange:
        raise ValueError(
            "With several clusterers, the keys of param_grid must be name__parameter "
            f"with a name among {names}, got {strange}."
        )
    grids = {}
    for name in names:
        start = f"{name}__"
        of_one = [
            {k.removeprefix(start): v for k, v in source.items() if k.startswith(start)}
            for source in sources
        ]
        grids[name] = [grid for grid in of_one if grid] or [{}]
    return grids


def _sources(param_grid):
    """The dicts of lists that a grid is written as, checked."""
    sources = param_grid
    if isinstance(param_grid, ParameterGrid):
        sources = param_grid.param_grid
    elif isinstance(param_grid, Mapping):
        sources = [param_grid]
    try:
        if isinstance(param_grid, ParameterSampler):
            sources = [{k: [v] for k, v in point.items()} for point in param_grid]
        if not isinstance(sources, list | tuple) or not sources:
            raise TypeError("this is no dict, and no non-empty list.")
        ParameterGrid(list(sources))
        if not all(isinstance(key, str) for source in sources for key in source):
            raise TypeError("names of parameters must be texts.")
    except (TypeError, ValueError) as error:
        why = str(error)
        listed = list(sources) if is_iterable(sources) else []
        dicts = [each for each in listed if isinstance(each, Mapping)]
        if listed and all(map(is_integer, listed)):
            why += " Pass numbers of clusters as n_clusters=."
        elif any(hasattr(v, "rvs") for each in dicts for v in each.values()):
            why = (
                "values must be listed. Pass values that are drawn from distributions "
                "as param_grid=ParameterSampler(distributions, n_iter=10, random_state=0)"
                " of sklearn.model_selection."
            )
        raise ValueError(
            "param_grid must be a dict of parameter names to lists of values, or a "
            f"non-empty list of such dicts, got {shown(param_grid)}: {why}"
        ) from error
    return list(sources)


def _points(grids, parameter, numbers, n_rows):
    """Points of grids, and the numbers of clusters to try at each: its own or these."""
    points: list[tuple] = []
    for grid in grids:
        # As a parameter of its own, None says that another one sets the number.
        own = [value for value in grid.get(parameter, ()) if value is not None]
        wanted = numbers
        if own:
            if isinstance(numbers, list):
                raise ValueError(
                    f"n_clusters must be 'auto' or None if param_grid has {parameter!r}, "
                    f"got {shown(numbers)}. Both are numbers of clusters to try."
                )
            wanted = check_numbers(grid[parameter], n_rows, f"param_grid[{parameter!r}]")
            grid = {key: values for key, values in grid.items() if key != parameter}
        points += [(point, wanted) for point in ParameterGrid(grid)]
    return points


def automatic_numbers(X, parameter):
    """Numbers of clusters by the size of X alone, so that they see no label."""
    n_rows = num_samples(X)
    mixture = parameter.endswith("n_components")
    of_each = _ROWS_OF_A_COMPONENT if mixture else _ROWS_OF_A_CLUSTER
    most = max(2, min(n_rows // of_each, _MOST_CLUSTERS))
    numbers = [c for c in sorted(PREFERRED_NUMBERS) if 2 <= c <= most]
    # Of sparse rows, those that are stored.
    n_cells, most_work = getattr(X, "nnz", None), _MOST_SPARSE_WORK
    if n_cells is None:
        shape = getattr(X, "shape", [n_rows])
        n_cells, most_work = np.prod(shape, dtype=float), _MOST_WORK
    return numbers[::2] if n_cells * sum(numbers) > most_work else numbers


def n_clusters_parameter(estimator, learns):
    """Name of the parameter that sets the number of clusters, or None."""
    prefix, estimator = last_step(estimator)
    params = estimator.get_params(deep=False)
    if params.get("distance_threshold") is not None:  # cuts by height instead
        return None
    # Of classifiers, components are something else.
    names = ("n_clusters",) if learns else ("n_clusters", "n_components")
    for name in names:
        # Birch takes a clusterer there too, which then has its own number.
        if name in params and not hasattr(params[name], "fit_predict"):
            return prefix + name
    return None


def check_numbers(value, n_rows, name="n_clusters"):
    """Numbers of clusters as a list, "auto", or None if each clusterer keeps its own."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    values = list(value) if is_iterable(value) else [value]
    for v in values:
        if not is_integer(v) or not 1 <= v <= n_rows:
            allowed = "be 'auto', None, or hold" if name == "n_clusters" else "hold"
            raise ValueError(
                f"{name} must {allowed} integers between 1 and the number of rows "
                f"({n_rows}), got {shown(v)}."
            )
    if not values or len(set(values)) < len(values):
        raise ValueError(
            f"{name} must hold one or more different numbers, got {shown(values)}."
        )
    return [int(v) for v in values]


def numbers_of(configured, parameter, wanted, X):
    """The tried numbers of a clusterer with set parameters."""
    if parameter is None:
        return [None]
    if isinstance(wanted, list):
        return wanted
    number, n_rows = configured.get_params(deep=True)[parameter], num_samples(X)
    if not is_integer(number):  # such as None for Birch: no number is wanted
        return [None]
    params = last_step(configured)[1].get_params(deep=False)
    # Centers in an array are for one number of clusters.
    fixed = any(key.endswith("init") and is_iterable(v) for key, v in params.items())
    automatic = wanted == "auto" and not fixed
    if not 1 <= number <= (np.inf if automatic else n_rows):
        raise ValueError(
            f"{parameter} of a clusterer must be between 1 and the number of rows "
            f"({n_rows}), got {shown(number)}."
        )
    if not automatic:
        return [int(number)]
    # The clusterer's may be a default, above the rows. One cluster is no clustering.
    more = {int(number)} if 2 <= number <= n_rows else set()
    return sorted({*automatic_numbers(X, parameter), *more})
