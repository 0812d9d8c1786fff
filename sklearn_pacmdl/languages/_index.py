"""Candidates weighed by what the clusterings look like without labels."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..utils._checks import is_number, shown
from ..utils._weights import length_in_bits, weight_of_length
from ._mixture import WithBase
from ._selection import get_fixed_language, get_language, label_languages


@dataclass(frozen=True)
class IndexPrior(WithBase):
    """Any language, with candidates weighed by an internal index of their clusters too.

    The weight of a candidate is proportional to its weight under the base language
    times ``exp(strength * index)``. An index such as the silhouette knows rows and
    clusters but no labels, so the weights may follow it at will; bits are saved if
    clusterings that look good are those whose clusters share a class.

    Parameters
    ----------
    index : callable
        ``index(X, labels)`` gives a number, higher for better clusters; such as
        :func:`sklearn.metrics.silhouette_score`. It gets the rows in the permuted order,
        as the steps of a Pipeline before the clusterer transform them, and must not know
        labels of the data in any other way.
    strength : float, default=10.0
        Nats per unit of the index, at least 0: for the silhouette, in [-1, 1], ten. An
        index of another scale needs another strength.
    base : str or Language, default="auto"
        What weighs candidates besides, and labels; no other IndexPrior.

    Raises
    ------
    ValueError, TypeError
        If ``index`` cannot be called, ``strength`` is negative or ``base`` no language.

    Notes
    -----
    Candidates for which the index is no finite number, or raises as many indices do for
    a single cluster (unless the search has ``error_score="raise"``), are weighed like
    the worst of the others; the search warns where it raised for more clusters. Where
    clusterers take precomputed distances the index gets these, and should be told so.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import silhouette_score
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.languages import IndexPrior
    >>> X, y = load_iris(return_X_y=True)
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(),
    ...     n_clusters=[2, 3, 4],
    ...     language=IndexPrior(silhouette_score),
    ...     random_state=0,
    ... ).fit(X, y)
    >>> search.cv_results_["index_bits"].round(2)
    array([0.15, 3.65, 5.59])
    """

    index: Callable
    strength: float = 10.0
    base: Any = "auto"

    def __post_init__(self):
        get_fixed_language(self.base)
        if not callable(self.index):
            raise TypeError(f"index must be callable, got {shown(self.index)}.")
        if not is_number(self.strength) or self.strength < 0:
            raise ValueError(
                f"strength must be a number of at least 0, got {shown(self.strength)}."
            )

    def label_languages(self, candidates):
        """Those of the base language.

        Parameters
        ----------
        candidates : sequence of Candidate
            All of the sweep.

        Returns
        -------
        languages : list of object
            Each has a ``label_weight``.
        """
        return label_languages(get_language(self.base), candidates)

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        """Weight of one labeling of the clusters, as of the base language.

        Parameters
        ----------
        cluster_sizes, cluster_classes : sequence of int
            Rows in each cluster, and the class given to it.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            In (0, 1].
        """
        described = cluster_sizes, cluster_classes, n_classes
        return get_language(self.base).label_weight(*described)

    def reweigh(self, weights, values):
        """Weights that follow the index.

        Parameters
        ----------
        weights : list of dict of str to Fraction
            Of the base language.
        values : array-like of shape (n_candidates,)
            The index of each candidate; NaN where there is none.

        Returns
        -------
        weights : list of dict of str to Fraction
            One term, "index", for each; they sum to 1 but for rounding down.
        """
        values = np.asarray(values, dtype=float)
        known = np.isfinite(values)
        values = np.where(known, values, values[known].min() if known.any() else 0.0)
        prior = np.array([length_in_bits(prod(terms.values())) for terms in weights])
        nats = self.strength * (values - values.max()) - np.log(2) * prior
        nats -= nats.max()
        bits = (np.logaddexp.reduce(nats) - nats) / np.log(2)
        # Far less than what rounding down leaves for those that hardly count.
        return [{"index": weight_of_length(min(b, 10_000.0))} for b in bits]
