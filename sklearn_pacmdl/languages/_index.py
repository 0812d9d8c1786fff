"""A language that weighs candidates by how good their clusters look without labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_number, invalid
from ..utils._weights import length_in_bits, total_weight, weights_of_nats
from ._base import Candidate, Language, Terms, proven
from ._mixture import WrappingLanguage, inner_language
from ._registry import LanguageName


@proven
@dataclass(frozen=True, repr=False)
class IndexPrior(WrappingLanguage):
    """Any language, with candidates also weighed by an internal index of their clusters.

    The weight of a candidate is proportional to its weight under ``language`` times
    ``exp(strength * index)``. An index such as the silhouette depends on rows and
    clusters but not on labels, so the weights may follow it freely. It saves bits if
    clusterings with a high index are those whose clusters share a class.

    Parameters
    ----------
    index : callable
        ``index(X, labels)`` returns a number, higher for better clusters, such as
        :func:`sklearn.metrics.silhouette_score`. It gets the rows in the permuted order,
        transformed by the steps of a Pipeline before the clusterer. It must not know the
        labels of the data in any other way.
    strength : float, default=10.0
        Nats per unit of the index, at least 0. The default suits the silhouette, which is
        in [-1, 1]; an index of another scale needs another strength.
    language : str or Language, default="auto"
        The language that weighs the labels, and the candidates before the index does;
        not another IndexPrior.

    Attributes
    ----------
    uses_clusterings : bool
        True.

    Raises
    ------
    ValueError, TypeError
        If ``index`` is not callable, ``strength`` is not a number of at least 0, or
        ``language`` is not a language.

    Notes
    -----
    If the index of a candidate is not a finite number, or the index raises an error, the
    candidate is weighed like the worst of the others. Many indices raise an error for a
    single cluster; for more clusters the search warns of it. With
    ``error_score="raise"`` the search raises these errors. If clusterers take precomputed
    distances, the index gets these instead of rows.

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
    >>> [round(bits["index"], 2) for bits in search.cv_results_["bits"]]
    [0.15, 3.65, 5.59]
    """

    index: Callable[[Any, NDArray], float]
    # With the silhouette and 10, mean bounds are lower than without an index by 0.1 to
    # 0.3 points on five of six data sets, and higher by 4.2 on iris, where two clusters
    # look best and three classes are. It grows with the strength: 3 loses 1.4 on iris;
    # 30 gains up to 0.8 and loses up to 11, 100 gains up to 2.2 and loses up to 17
    # (benchmarks/bench_constants.py, benchmarks/results/constants.json).
    strength: float = 10.0
    language: LanguageName | Language = "auto"
    uses_clusterings = True

    def __post_init__(self) -> None:
        inner_language(self.language)
        if not callable(self.index):
            raise invalid("index", "callable", self.index)
        check_number("strength", self.strength, least=0)

    def label_languages(self, candidates: Sequence[Candidate]) -> list[Language]:
        return self._parts[0].label_languages(candidates)

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        described = cluster_sizes, cluster_classes, n_classes
        return self._parts[0].label_weight(*described)

    def clustering_index(self, X: Any, labels: NDArray) -> float:
        return self.index(X, labels)

    def reweigh(self, weights: list[Terms], values: ArrayLike) -> list[Terms]:
        """Weights of the candidates that follow the index.

        Parameters
        ----------
        weights : list of dict of str to Fraction
            The ``candidate_weights`` of the sweep.
        values : array-like of shape (n_candidates,)
            The index of each candidate; NaN where it is unknown.

        Returns
        -------
        weights : list of dict of str to Fraction
            Each has one term, "index". They sum to 1, except that each is rounded down to
            a ratio.
        """
        values = np.asarray(values, dtype=float)
        known = np.isfinite(values)
        values = np.where(known, values, values[known].min() if known.any() else 0.0)
        prior = np.array([length_in_bits(total_weight(terms)) for terms in weights])
        nats = self.strength * (values - values.max()) - np.log(2) * prior
        return [{"index": weight} for weight in weights_of_nats(nats)]
