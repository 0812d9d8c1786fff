"""Any score of a sweep against number of clusters: silhouettes, elbows."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import invalid
from ._base import GRAY, Display, check_search, columns_of, documented, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Curve = dict[str, NDArray]
# Scores that differ by less are equal: those of informativeness differ by up to 1e-9
# where only the number of clusters breaks a tie.
_EQUAL = 1e-8


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ScoresDisplay(Display):
    """A score of all candidates against number of clusters, by algorithm.

    The score is one that the search recorded because of its parameter ``scoring``: the
    silhouette, the sum of squared errors of an elbow curve, an external measure. Each
    curve is the mean over starts and parameters, with their range. The star is the
    candidate that the search chose, by its bound and not by the score. Rings are around
    candidates that share the highest score, which does not tell them apart.

    Use :meth:`from_estimator`, rather than the constructor.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray
        By algorithm: ``n_clusters``, that the candidates found, and for each of these
        numbers ``mean``, ``smallest`` and ``largest`` of the score.
    score : str
        Name of the score.
    best : tuple of float
        Number of clusters and score of the chosen candidate.

    Attributes
    ----------
    {ax_}
    {figure_}
    lines_ : dict of str to matplotlib Line2D
        The curve of each algorithm.

    See Also
    --------
    PACMDLDisplay : Bound against number of clusters.
    sklearn_pacmdl.metrics.make_labeling_scorer : Makes scorers of labelings.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import silhouette_score
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.displays import ScoresDisplay
    >>> from sklearn_pacmdl.metrics import make_labeling_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> silhouette = make_labeling_scorer(silhouette_score, kind="internal")
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(),
    ...     n_clusters=range(2, 10),
    ...     scoring={"silhouette": silhouette},
    ...     random_state=0,
    ... ).fit(X, y)
    >>> display = ScoresDisplay.from_estimator(search)
    >>> float(display.lines_["agglomerativeclustering"].get_ydata()[0].round(2))
    0.69
    >>> plt.close(display.figure_)
    """

    percent_axes: ClassVar = ""
    integer_axes: ClassVar = "x"

    curves: dict[str, Curve]
    score: str
    best: tuple[float, float]
    lines_: dict[str, "Line2D"] = field(init=False)

    @classmethod
    @documented
    def from_estimator(
        cls,
        search: Any,
        *,
        score: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a score of a fitted search.

        Parameters
        ----------
        search : estimator
            A fitted search with ``scoring``.
        score : str, default=None
            Name of the score, as in ``scoring``; None for the only one.
        {ax}

        {Returns}

        Raises
        ------
        ValueError, TypeError
            If ``search`` is not fitted or recorded no such score.
        """
        check_search(search, ["cv_results_", "best_index_"])
        results = search.cv_results_
        recorded = [c for c in results if c.startswith("score")]
        names = {
            c.removeprefix("score").removeprefix("_") or "score": c for c in recorded
        }
        if not names:
            raise invalid("search", "a search with scores (scoring=...)", search)
        if score is None and len(names) == 1:
            (score,) = names
        if not isinstance(score, str) or score not in names:
            raise invalid("score", f"one of {sorted(names)}", score)
        needed = ("algorithm", "n_clusters_found", names[score])
        column = columns_of("cv_results_", results, needed)
        values, numbers = column[names[score]], column["n_clusters_found"]
        usable = np.isfinite(values + numbers)
        curves = {
            name: _curve(numbers[rows], values[rows])
            for name in dict.fromkeys(column["algorithm"])
            for rows in [usable & (column["algorithm"] == name)]
            if rows.any()
        }
        best = float(numbers[search.best_index_]), float(values[search.best_index_])
        return cls(curves=curves, score=score, best=best).plot(ax)

    def _draw(self, ax):
        self.lines_ = {}
        for name, curve in self.curves.items():
            points = curve["n_clusters"], curve["mean"]
            ends = curve["smallest"], curve["largest"]
            self.lines_[name] = self._curve(name, points, ends, marker="o")
        if any(np.any(c["smallest"] < c["largest"]) for c in self.curves.values()):
            ax.fill([], [], color=GRAY, alpha=0.3, label="from worst to best")
        self._ring(self._highest(), label="share the highest score")
        self._mark(*self.best, label="chosen by the bound")
        ax.set(xlabel="Number of clusters", ylabel=literal(self.score.replace("_", " ")))

    def _highest(self):
        """Numbers of clusters with the highest score, which may not tell them apart."""
        points = [
            (number, value)
            for curve in self.curves.values()
            for number, value in zip(curve["n_clusters"], curve["largest"], strict=True)
        ]
        top = max(value for _, value in points)
        return [point for point in points if point[1] > top - _EQUAL]


def _curve(numbers: NDArray, values: NDArray) -> Curve:
    distinct = np.unique(numbers)
    groups = [values[numbers == number] for number in distinct]
    return {
        "n_clusters": distinct,
        "mean": np.array([group.mean() for group in groups]),
        "smallest": np.array([group.min() for group in groups]),
        "largest": np.array([group.max() for group in groups]),
    }
