"""The sweep as a whole, laid out: what is asked is checked here, before work starts."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import column_or_1d

from ..labeling._choice_of_rows import partitions_to_test
from ..languages import (
    auto,
    check_kraft,
    check_language,
    get_language,
    is_checked,
    label_languages,
)
from ..utils._checks import shown
from ..utils._labels import as_labels, encode_labels
from ..utils._rows import (
    check_follows_rows,
    permute_rows,
    permuted_parameters,
    rows_of_metadata,
    takes_pairs,
)
from ..utils._sklearn import is_known, num_samples, route, takes_functions
from ._candidates import make_variants
from ._certify import divide
from ._evaluation import Task
from ._memory import code_digest, make_cache
from ._results import candidate_params
from ._scoring import make_scorers
from ._split import make_splits

_SHARED_LABELS = (
    "No certificate is issued under certify='holdout' with {} splits: labels that "
    "certify on one split choose the clustering on others. Use one split, or a search "
    "for each."
)
_UNPROVEN = (
    "the weights of the language sum to at most 1 over all labelings, which was checked "
    "on small cases only"
)


class Plan:
    """A sweep, checked and laid out before any clustering starts."""

    def __init__(self, search, X, y, params, strategy):
        random_state = check_random_state(search.random_state)
        row_seed, split_seed, tie_seed = random_state.randint(2**31 - 1, size=3)
        if y is None:
            raise ValueError(
                f"{type(search).__name__} requires y to be passed, but the target y is "
                "None."
            )
        self.classes, codes = encode_labels(y, search.classes)
        check_consistent_length(X, codes)
        n_samples = num_samples(X)
        self._enumerate(search, n_samples)
        self._weigh(search, strategy)
        # Drawn last: more starts repeat the earlier ones.
        most = max(variant.n_init for variant in self._variants.values())
        self.seeds = random_state.randint(2**31 - 1, size=most)

        routed = route(search, "fit", params)
        splits, self.objection = make_splits(
            search.cv, X, y, codes, routed["cv"].split, int(split_seed)
        )
        order = np.random.RandomState(row_seed).permutation(n_samples)
        if strategy.abstains and len(splits) > 1:
            raise ValueError(
                f"cv must give one split, got {len(splits)} from {search.cv!r}."
            )
        if strategy.by_selection and len(splits) > 1 and not self.objection:
            self.objection = _SHARED_LABELS.format(len(splits))
        cache = make_cache(search.memory)
        self._lay_out(X, order, routed, cached=cache is not None)
        self.labels = column_or_1d(as_labels(y)).copy()
        # Whether the labeled rows are a random choice is our own doing, or to be tested.
        self.drawn = bool(np.all(codes >= 0))
        self.tested = {} if self.drawn else partitions_to_test(self.candidates)
        self.task = Task(
            order=order,
            codes=codes,
            n_classes=len(self.classes),
            splits=splits,
            divisions=[
                divide(train, strategy, [int(tie_seed), split])
                for split, (train, _) in enumerate(splits)
            ],
            strategy=strategy,
            languages=self.label_languages,
            seed=int(tie_seed),
            index=self.index,
            scorers=make_scorers(
                search.scoring,
                self.labels[order],
                codes[order] >= 0,
                self.classes,
                order,
                routed["scoring"].score,
            ),
            cache=cache,
            kept=frozenset(self.tested),
        )
        self._check_unknown()

    def _enumerate(self, search, n_samples):
        """Candidates."""
        variants = make_variants(
            search.estimator,
            search.n_clusters,
            search.n_init,
            search.param_grid,
            n_samples,
        )
        self._variants = {(v.name, v.grid): v for v in variants}
        self.candidates = [c for variant in variants for c in variant.candidates()]

    def _weigh(self, search, strategy):
        """Weights of candidates, and what weighs their labels; none under hold-out."""
        self.assumed: tuple[str, ...] = ()  # of the language
        language = get_language(search.language)
        # A clusterer without seed may give another partition when it is fitted again, and
        # what is certified is that one: weights pooled with runs that gave the first
        # could then sum to more than 1.
        reproducible = all(variant.reproducible for variant in self._variants.values())
        self.pooled = getattr(language, "pooled", True) and reproducible
        if strategy.by_selection:
            if language != auto:
                raise ValueError(
                    f"language must be 'auto' with certify={strategy.kind!r}, where no "
                    f"choice is paid for, got language={shown(search.language)}."
                )
            self.weights: list = [{} for _ in self.candidates]
            self.index = self._reweigh = None
            self.label_languages = [None] * len(self.candidates)
            return
        self.weights = list(language.candidate_weights(self.candidates))
        if len(self.weights) != len(self.candidates):
            raise ValueError(
                "candidate_weights of a language must return one dict per candidate "
                f"({len(self.candidates)}), got {len(self.weights)} from "
                f"{search.language!r}."
            )
        check_kraft(self.weights)
        if strategy.kind == "pac-mdl" and not is_checked(language):
            check_language(language, [self.candidates])
            self.assumed = (_UNPROVEN,)
        self.index = getattr(language, "index", None)
        self._reweigh = getattr(language, "reweigh", None)
        self.label_languages = label_languages(language, self.candidates)

    def _lay_out(self, X, order, routed, cached):
        """Rows, parameters and metadata in the permuted order."""
        rows = {}  # as different variants see them; mostly all see the same
        self._inputs = {}
        for key, variant in self._variants.items():
            pairs = takes_pairs(variant.estimator, X)
            if pairs not in rows:
                rows[pairs] = permute_rows(X, order, pairs)
            parameters = permuted_parameters(variant.estimator, order)
            metadata = routed[router_name(variant.name, variant.prefix)].fit_predict
            self._inputs[key] = (
                variant.estimator.set_params(**parameters),
                rows[pairs],
                rows_of_metadata(metadata, order, len(order)),
                code_digest(variant.estimator) if cached else None,
            )

    def _check_unknown(self):
        """Try whether the labels of clusterers that others wrote follow the rows."""
        for key, variant in self._variants.items():
            estimator, X, metadata, _ = self._inputs[key]
            if is_known(estimator) and not takes_functions(estimator):
                continue
            first = variant.swept(next(variant.candidates()), self.seeds)
            check_follows_rows(clone(estimator).set_params(**first), X, metadata)

    def seen(self, split):
        """Rows of a split, and their labels as they are seen: missing where held out."""
        train, test = self.task.splits[split]
        rows = np.sort(np.concatenate([train, test]))
        labels = self.labels[rows]
        if self.drawn:
            labels = labels.astype(object)
            labels[np.isin(rows, test)] = None
        return rows, labels

    def naming(self, split):
        """Labeled rows of a split that name its clusters, and those that certify only."""
        train, _ = self.task.splits[split]
        if self.task.strategy.kind == "holdout":
            return self.task.divisions[split]
        return train, train[:0]

    def weigh(self, values):
        """Weights once the clusterings are known, for a language that looks at them."""
        if self._reweigh is not None:
            self.weights = self._reweigh(self.weights, values)
            check_kraft(self.weights)

    def grid_keys(self):
        """Parameters that come from the grid, addressed as in the search."""
        variants = self._variants.values()
        return [f"{v.prefix}{key}" for v in variants for key in v.params]

    def variant(self, index):
        """The clusterer, at its point of the grid, that a candidate is a start of."""
        candidate = self.candidates[index]
        return self._variants[candidate.algorithm, candidate.grid]

    def inputs(self, index):
        """Estimator, swept parameters, rows, metadata and digest of its code."""
        candidate, variant = self.candidates[index], self.variant(index)
        estimator, X, fit_params, code = self._inputs[variant.name, variant.grid]
        return estimator, variant.swept(candidate, self.seeds), X, fit_params, code

    def params(self, index):
        """Parameters of a candidate, addressed as in the search."""
        return candidate_params(self.variant(index), self.candidates[index], self.seeds)


def router_name(name, prefix):
    """Name of a clusterer among the consumers of metadata."""
    return name if prefix else "estimator"
