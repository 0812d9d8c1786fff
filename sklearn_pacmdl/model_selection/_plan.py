"""Plan of a sweep: all parameters and data are checked here, before work starts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from ..certification import (
    Assessment,
    Weighing,
    divide,
    make_goal,
    make_weighing,
    resolve,
)
from ..languages import Candidate
from ..random_choice import check_groups, partitions_to_test
from ..utils._checks import shown
from ..utils._label_tables import Labelings
from ..utils._labels import as_labels, encode_labels
from ..utils._random import check_random_state
from ..utils._rows import (
    check_follows_rows,
    index_type,
    permute_rows,
    permuted_parameters,
    rows_of_metadata,
    takes_pairs,
)
from ..utils._sklearn import (
    has_callbacks,
    is_known,
    number_of_trials,
    route,
    takes_functions,
)
from ._candidates import Variant, make_variants
from ._evaluation import Evaluator, Job
from ._memory import code_digest, make_cache
from ._scoring import make_scorers
from ._shared import SharedResults, bytes_of_each, shared_part
from ._split import make_splits

# Fits that share first centers are divided into parts of at most this share of what a
# process has to do. With the times of k-means on 60,000 x 30 rows (six lists of numbers
# to 40, 1 to 10 starts, 2 to 8 processes) that is 1.00 to 1.5 times as fast as a loop of
# fits, 1.11 in the median. With 1 it is .79 at worst, since processes wait in the end; if
# every fit is alone, 1.05 in the median.
_SHARE_OF_A_PART = 1 / 4

_SHARED_LABELS = (
    "No certificate is issued under certify={!r} with {} splits: labels that "
    "certify on one split choose the clustering on others. Use one split, or one search "
    "for each split."
)


@dataclass(frozen=True)
class Plan:
    """A sweep, checked and laid out before any clustering starts."""

    classes: np.ndarray
    labels: np.ndarray  # as they were given
    variants: Mapping[tuple, Variant]  # by name and point of the grid
    candidates: Sequence[Candidate]
    weighing: Weighing
    assessment: Assessment
    evaluator: Evaluator
    jobs: Sequence[Job]
    objection: str | None  # why nothing can be certified
    tested: Mapping[int, str]  # names of candidates that the choice of rows is tested by
    row_groups: Any  # of rows that may have been labeled together, or None
    drawn: bool  # whether the search itself drew the labeled rows: they need no test

    def groups(self, n_jobs):
        """Indices of the candidates, together where these share a part of their fits."""
        # What takes longest is likely to be what has most clusters. If that begins last,
        # processes wait for it in the end; and first centers of others are among its own.
        #
        # Groups are divided. A part makes no more bisections than its largest fit does
        # alone, so processes that would be idle take one. A part draws centers once,
        # which takes less than processes may wait in the end. Parts that build a tree
        # would each take as long as the whole.
        groups: dict[tuple, list[int]] = {}
        for i, job in enumerate(self.jobs):
            shared = shared_part(job.estimator)
            groups.setdefault((shared, *self._users(i, shared)), []).append(i)
        numbers = Counter(shared for shared, *_ in groups)
        own_size = self._sizes(range(len(self.jobs))) / n_jobs  # of a process
        size = own_size * _SHARE_OF_A_PART if n_jobs > 1 else 1
        parts: list[list[int]] = []
        for (shared, *_), own in groups.items():
            if shared == "first centers":
                own.sort(key=self._size_of, reverse=True)
            n_parts = {
                "bisections": ceil(n_jobs / numbers[shared]),
                "first centers": ceil(self._sizes(own) / size),
            }
            n = min(n_parts.get(shared, 1), len(own))
            parts += [own[k::n] for k in range(n)]
        if n_jobs > 1:
            parts.sort(key=self._sizes, reverse=True)
        return parts

    def _users(self, index, shared):
        """What candidates have in common that share something; else their own index."""
        c = self.candidates[index]
        if shared is None:
            return (index,)
        if shared == "first centers":
            return c.algorithm, c.grid, c.init, number_of_trials(self._size_of(index))
        return c.algorithm, c.grid, c.init

    def _sizes(self, indices):
        return sum(map(self._size_of, indices))

    def _size_of(self, index):
        return self.candidates[index].n_clusters or 1

    def without_rows(self) -> "Plan":
        """The plan without rows in the permuted order, once they are not needed."""
        jobs = [replace(job, X=None) for job in self.jobs]
        evaluator = replace(self.evaluator, shared=SharedResults())
        return replace(self, jobs=jobs, evaluator=evaluator)

    def seen(self, split):
        """Rows of a split, and the labels that are seen: those held out are missing."""
        train, test = self.assessment.splits[split]
        rows = np.sort(np.concatenate([train, test]))
        labels = self.labels[rows]
        if self.drawn:
            labels = labels.astype(object)
            labels[np.isin(rows, test)] = None
        return rows, labels

    def grid_keys(self):
        """Names of the parameters in the grid, as they are addressed in the search."""
        return dict.fromkeys(
            f"{v.prefix}{key}" for v in self.variants.values() for key in v.params
        )

    def params(self, index):
        """Parameters of a candidate, under the names by which the search knows them."""
        candidate = self.candidates[index]
        variant = self.variants[candidate.algorithm, candidate.grid]
        parameters = dict(variant.params) | self.jobs[index].swept
        return {f"{variant.prefix}{key}": value for key, value in parameters.items()}


def make_plan(search, X, y, groups, params):
    """Check the parameters and data of a search, and plan its sweep."""
    # The way to certify may depend on sizes, which are known here, and not on labels.
    classes, codes = _check_y(search, X, y)
    if groups is not None:
        check_groups(groups, len(codes))
    if isinstance(X, Labelings):
        X.check_not_made_of(codes < 0)
    random_state = check_random_state(search.random_state)
    row_seed, split_seed, seed = random_state.randint(2**31 - 1, size=3).tolist()
    variants = make_variants(search, X)
    candidates = [c for variant in variants.values() for c in variant.candidates()]
    # Drawn last, so that a search with more starts repeats the clusterings of fewer.
    most = max(variant.n_init for variant in variants.values())
    seeds = random_state.randint(2**31 - 1, size=most)
    routed, for_splitter = _route(search, params, groups)
    splits, objection = make_splits(search.cv, X, y, codes, for_splitter, split_seed)
    goal = make_goal(search.target, search.choose, search.noise, search.delta)
    strategy = resolve(search.certify, goal, len(splits[0][0]))
    _check_classifiers(variants, strategy)
    objection = objection or _objection(search.cv, splits, goal, strategy)
    weighing = make_weighing(search.language, candidates, strategy)
    order = np.random.RandomState(row_seed).permutation(len(codes))
    order = order.astype(index_type(len(codes)))
    cache = make_cache(search.memory)
    inputs = _lay_out(X, order, variants, routed, classes, cached=cache is not None)
    labels = _labels(search, y)
    divisions = [divide(rows, strategy, [seed, i]) for i, (rows, _) in enumerate(splits)]
    assessment = Assessment(
        strategy=strategy,
        goal=goal,
        language=weighing.language,
        order=order,
        codes=codes,
        n_classes=len(classes),
        splits=splits,
        divisions=divisions,
        seed=seed,
    )
    drawn = bool(np.all(codes >= 0))
    tested = {} if drawn else _tested(variants, candidates)
    evaluator = _evaluator(
        search, assessment, classes, labels, routed, cache, len(candidates)
    )
    jobs = [
        Job(
            **inputs[c.algorithm, c.grid],
            swept=variants[c.algorithm, c.grid].swept(c, seeds),
            keeps_partition=i in tested,
        )
        for i, c in enumerate(candidates)
    ]
    _check_unknown(variants, inputs, seeds)
    return Plan(
        classes=classes,
        labels=labels,
        variants=variants,
        candidates=candidates,
        weighing=weighing,
        assessment=assessment,
        evaluator=evaluator,
        jobs=jobs,
        objection=objection,
        tested=tested,
        row_groups=groups,
        drawn=drawn,
    )


def _check_y(search, X, y):
    if y is None:
        raise ValueError(
            f"{type(search).__name__} requires y to be passed, but the target y is None."
        )
    classes, codes = encode_labels(y, search.classes)
    check_consistent_length(X, codes)
    return classes, codes


def _route(search, params, groups):
    """Metadata by consumer, and those of the splitter."""
    # Groups reach the splitter without routing, too, as in scikit-learn's searches.
    given = {} if groups is None else {"groups": groups}
    if not get_config()["enable_metadata_routing"]:
        return route(search, "fit", params), given
    routed = route(search, "fit", {**params, **given})
    return routed, routed["splitter"].split


def _check_classifiers(variants, strategy):
    """Refuse classifiers where no labels are set aside that they may be fitted to."""
    names = list(dict.fromkeys(v.name for v in variants.values() if v.learns))
    if names and not strategy.fraction:
        raise ValueError(
            "estimator must hold no classifier where all labels certify, as under "
            f"certify={strategy.kind!r}, got {shown(names)}. Classifiers are fitted to "
            "the labels that select: pass certify='learned' or 'holdout', with "
            "choose='bound' and four labels or more."
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


def _labels(search, y):
    """The labels as they are given, copied where code of the user might write into y."""
    labels = column_or_1d(as_labels(y))
    seen = search.scoring is not None or has_callbacks(search)
    return labels.copy() if seen else labels


def _objection(cv, splits, goal, strategy):
    """Why nothing can be certified on several splits, or None."""
    if len(splits) == 1:
        return None
    if goal.abstains:
        raise ValueError(f"cv must give one split, got {len(splits)} from {cv!r}.")
    if strategy.chooses_first:
        return _SHARED_LABELS.format(strategy.kind, len(splits))
    return None


def _evaluator(search, assessment, classes, labels, routed, cache, n_candidates):
    order, scorers, keeps = assessment.order, {}, 0
    if search.scoring is not None:
        metadata = routed["scorer"].score
        scorers = make_scorers(search.scoring, labels, classes, order, metadata)
    # Fits are kept unless they are cached. Callbacks expect the last fit, and could
    # change an estimator that is kept.
    if search.refit and search.memory is None and not has_callbacks(search):
        keeps = bytes_of_each(len(order), n_candidates)
    known = assessment, scorers, cache, SharedResults(), search.error_score, search
    return Evaluator(*known, keeps)


def _lay_out(X, order, variants, routed, classes, cached):
    """By variant: clusterer, rows and metadata in the permuted order, digest of code."""
    rows = {}  # variants share one permuted copy, unless only some take distances
    inputs = {}
    for key, variant in variants.items():
        pairs = takes_pairs(variant.estimator, X)
        if pairs not in rows:
            rows[pairs] = permute_rows(X, order, pairs)
        parameters = permuted_parameters(variant.estimator, order)
        metadata = routed[router_name(variant.name, variant.prefix)]
        metadata = metadata.fit if variant.learns else metadata.fit_predict
        own = rows[pairs]
        if isinstance(own, Labelings):  # of which it needs no others
            own = own.only(variant.params["column"])
        inputs[key] = {
            "estimator": variant.estimator.set_params(**parameters),
            "X": own,
            "fit_params": rows_of_metadata(metadata, order, len(order)),
            "code": code_digest(variant.estimator) if cached else None,
            "classes": classes if variant.learns else None,
        }
    return inputs


def _check_unknown(variants, inputs, seeds):
    """Check that the labels of clusterers written elsewhere follow their rows."""
    for key, variant in variants.items():
        estimator = inputs[key]["estimator"]
        known = is_known(estimator) and not takes_functions(estimator)
        if known or variant.learns:
            continue
        first = variant.swept(variant.candidates()[0], seeds)
        check_follows_rows(
            clone(estimator).set_params(**first),
            inputs[key]["X"],
            inputs[key]["fit_params"],
        )


def router_name(name: str, prefix: Any) -> str:
    """Name of a clusterer among the consumers of metadata."""
    return name if prefix else "estimator"
