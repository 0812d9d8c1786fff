"""Further scorers, whose scores are recorded besides the bound."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from ..utils._checks import shown
from ..utils._rows import rows_of_metadata
from ..utils._sklearn import is_metric_scorer, row_subset


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
    """A scorer with the labels that it may see, in the row order of the clusterers."""

    # The scorer of a metric (a name, or one made by ``make_scorer``) compares the
    # clusters with the labels on the labeled rows, since metrics know no unlabeled rows.
    # A scorer with ``score_labels``, as of ``make_labeling_scorer``, gets the clusters
    # and all labels. Any other callable gets the fitted clusterer, all rows and all
    # labels, which are -1 or missing for unlabeled rows. Metadata are those of the rows
    # that the scorer gets.

    score: Callable[..., float]
    y: Any
    labeled: np.ndarray
    classes: np.ndarray
    metadata: Mapping[str, Any]

    def __call__(self, estimator, X, labels):
        if hasattr(self.score, "score_labels"):  # else it would cluster the rows again
            return self.score.score_labels(
                X, labels, self.y, classes=self.classes, estimator=estimator
            )
        if not is_metric_scorer(self.score):
            return self.score(estimator, X, self.y, **self.metadata)
        rows = np.flatnonzero(self.labeled)
        partition = FittedPartition(estimator, labels[rows])
        return self.score(partition, row_subset(X, rows), self.y[rows], **self.metadata)


def make_scorers(scoring, y, labeled, classes, order, metadata):
    """Scorers by name, which get labels and metadata in the clusterers' order of rows."""
    scorers = _named(scoring)
    routed = process_routing(_route(scorers), "score", **metadata)
    labeled_rows = order[labeled]
    return {
        name: CandidateScorer(
            scorer,
            y,
            labeled,
            classes,
            rows_of_metadata(
                routed[name].score,
                labeled_rows if is_metric_scorer(scorer) else order,
                len(order),
            ),
        )
        for name, scorer in scorers.items()
    }


def scorer_routing(scoring):
    """Routing of metadata to the scorers, which the routing of a search contains."""
    return _route(_named(scoring))


def _route(scorers):
    mapping = MethodMapping().add(caller="score", callee="score")
    return MetadataRouter(owner="scoring").add(**scorers, method_mapping=mapping)


def _named(scoring):
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
    return {name: get_scorer(scorer) for name, scorer in named.items()}
