"""Further scorers, whose scores are recorded besides the bound."""

import re
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from ..columns import split_unlabeled
from ..estimators import (
    is_metric_scorer,
    is_of_classes,
    needs_probabilities,
    rows_of_metadata,
    unable_to_write,
)
from ..utils._checks import shown, warn

#: Metrics by name, or scorers, whose scores are recorded.
Scoring = str | Callable[..., Any] | Sequence[str] | Mapping[str, Any] | None

# Messages that differ in their numbers only, such as those of convergence, are one kind.
NUMBER = re.compile(r"\d[\d.]*(e[+-]?\d+)?")
# Causes that one message names: a choice of length, and nothing else.
_MOST_CAUSES = 5


class Failure(NamedTuple):
    """A fit or a scorer that raised."""

    cause: str
    details: str

    @classmethod
    def of(cls, error):
        return cls(f"{type(error).__name__}: {error}", traceback.format_exc())


def causes(failures):
    """First lines of the distinct error messages, the most frequent first."""
    lines = [failure.cause.partition("\n")[0].rstrip(".") for failure in failures]
    first = {NUMBER.sub("#", line): line for line in reversed(lines)}
    counts = Counter(NUMBER.sub("#", line) for line in lines).most_common()
    named = [f"{count} with {first[kind]}" for kind, count in counts[:_MOST_CAUSES]]
    more = len(counts) - _MOST_CAUSES
    return "; ".join([*named, *([f"{more} other causes"] if more > 0 else [])])


class FittedPartition:
    """A fitted clusterer whose prediction for given rows is the labels it gave them."""

    # With it, the scorer of a metric can score clusterers that have no ``predict``. All
    # other attributes are those of the clusterer.

    def __init__(self, estimator, labels):
        self._estimator = estimator
        self._labels = labels

    def __getattr__(self, name):
        if name.startswith("__") and name != "__sklearn_tags__":
            raise AttributeError(name)
        return getattr(self.__dict__["_estimator"], name)

    def predict(self, X):
        return self._labels


@dataclass(frozen=True)
class CandidateScorer:
    """A scorer with the labels that it may see, and the order of rows of clusterers."""

    # The scorer of a metric of classes (a name, or one made by ``make_scorer``) compares
    # certifying labels with the classes by the other labels. That of a metric of
    # clusterings compares the clusters with all labels. A scorer with ``score_labels``,
    # as of ``make_labeling_scorer``, gets the clusters and all labels. Any other callable
    # gets the fitted clusterer, all rows and all labels, which are -1 or missing for
    # unlabeled rows. Metadata are those of the rows that the scorer gets.

    score: Callable[..., float]
    y: np.ndarray
    order: np.ndarray
    classes: np.ndarray
    metadata: Mapping[str, Any]

    def __call__(self, estimator, labels, names, X):
        """Score clusters of rows in the clusterers' order; ``names`` returns classes."""
        y = self.y[self.order]
        if is_of_classes(self.score):
            return np.mean([self._score_classes(estimator, *pair) for pair in names()])
        if hasattr(self.score, "score_labels"):  # else it would cluster the rows again
            return self.score.score_labels(
                X, labels, y, classes=self.classes, estimator=estimator
            )
        if not is_metric_scorer(self.score):
            return self.score(estimator, X, y, **self._metadata(self.order))
        labeled, values = split_unlabeled(y, self.classes)
        partition = FittedPartition(estimator, labels[labeled])
        return self.score(partition, X, values, **self._metadata(self.order[labeled]))

    def _score_classes(self, estimator, rows, codes):
        _, y_true = split_unlabeled(self.y[rows], self.classes)
        y_pred = self.classes[codes]
        if hasattr(self.score, "score_classes"):
            return self.score.score_classes(y_true, y_pred)
        partition = FittedPartition(estimator, y_pred)
        return self.score(partition, None, y_true, **self._metadata(rows))

    def _metadata(self, rows):
        return rows_of_metadata(self.metadata, rows, len(self.order))


def make_scorers(scoring, y, classes, order, metadata):
    """Scorers by name, which get labels and metadata in the clusterers' order of rows."""
    scorers = named_scorers(scoring)
    routed = process_routing(scorer_routing(scorers), "score", **metadata)
    return {
        name: CandidateScorer(scorer, y, order, classes, routed[name].score)
        for name, scorer in scorers.items()
    }


def scorer_routing(scorers):
    """Routing of metadata to scorers by name, which the routing of a search contains."""
    mapping = MethodMapping().add(caller="score", callee="score")
    return MetadataRouter(owner="scorer").add(**scorers, method_mapping=mapping)


def named_scorers(scoring):
    """Scorers by name, checked."""
    if scoring is None:
        named = {}
    elif isinstance(scoring, Mapping):
        named = dict(scoring)
    elif isinstance(scoring, list | tuple | set):
        named = {name if isinstance(name, str) else None: name for name in scoring}
    else:
        named = {"score": scoring}
    for name, scorer in named.items():
        if not isinstance(name, str) or not (isinstance(scorer, str) or callable(scorer)):
            raise ValueError(
                "scoring must be a scorer name, a callable scorer(estimator, X, y), a "
                f"list of names or a dict of these, got {shown(scoring)}."
            )
        _refuse_metric(scorer)
    scorers = {name: get_scorer(scorer) for name, scorer in named.items()}
    for name, scorer in scorers.items():
        if needs_probabilities(scorer):
            raise ValueError(
                "scoring must hold scorers of predict, since clusters have no "
                f"probabilities, got {name}={shown(scorer)}."
            )
    return scorers


def _refuse_metric(scorer):
    """Refuse a function that takes fewer arguments than a scorer, such as a metric."""
    if isinstance(scorer, str):
        return
    try:
        parameters = signature(scorer)
    except (TypeError, ValueError):  # compiled functions may have none
        return
    try:  # what else a scorer requires may be metadata
        parameters.bind_partial(None, None, None)
    except TypeError as error:
        name = getattr(scorer, "__name__", shown(scorer))
        raise ValueError(
            "scoring must hold scorers, which are called with (estimator, X, y), got the "
            f"function {name}. Make a scorer of a metric: "
            f"make_labeling_scorer({name}, kind=...) of sklearn_pacmdl.metrics."
        ) from error


def check_label_scorers(scoring):
    """Refuse scorers that would need rows or a fitted clusterer."""
    for name, scorer in named_scorers(scoring).items():
        of_labels = is_metric_scorer(scorer) or hasattr(scorer, "score_labels")
        if not of_labels or getattr(scorer, "kind", "") == "internal":
            raise ValueError(
                "scoring must hold scorers of labels, since there are no rows X and no "
                "clusterer: names such as 'adjusted_rand_score', or what "
                "make_labeling_scorer(metric, kind='external', 'classes' or 'bound') "
                f"returns, got {name}={shown(scorer)}."
            )


def score_all(scorers, estimator, labels, names, X, error_score=np.nan):
    """The number that each scorer returns for a candidate, or how it failed."""
    scores: dict[str, Any] = {}
    for name, scorer in scorers.items():
        # It may not write into the rows: scorers see labels, and candidates yet to be
        # fitted see the rows.
        function = partial(scorer, estimator, labels.copy(), names)
        try:
            scores[name] = float(unable_to_write(function, X))
        except Exception as error:
            if error_score == "raise":
                raise
            scores[name] = Failure.of(error)
    return scores


def report_scores(scorers, scores):
    """Warn of scorers that failed, or returned NaN, for some of the candidates."""
    for name in scorers:
        values = [of_one[name] for of_one in scores]
        failed = [value for value in values if isinstance(value, Failure)]
        n_missing = sum(not isinstance(v, Failure) and np.isnan(v) for v in values)
        problems = []
        if failed:
            problems.append(
                f"failed for {len(failed)} of {len(values)} candidates, recorded as nan: "
                f"{causes(failed)}"
            )
        if n_missing:
            problems.append(f"returned nan for {n_missing} of {len(values)} candidates")
        if problems:
            warn(f"Scorer {name!r} {' and '.join(problems)}.")


def score_columns(scorers, scores):
    """Columns of results: scores of the candidates, NaN where there is none."""
    columns = {}
    for name in scorers:
        values = [of_one.get(name, np.nan) for of_one in scores]
        columns[name if name == "score" else f"score_{name}"] = np.array(
            [np.nan if isinstance(value, Failure) else value for value in values]
        )
    return columns
