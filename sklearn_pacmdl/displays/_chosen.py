"""The clusters of a clustering against classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from ..columns import as_column, as_labels, number_clusters, split_unlabeled
from ..utils._checks import invalid
from ..utils._row_order import check_same_order
from ._display import Display, check_search, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from sklearn.base import BaseEstimator


# Clusters, and digits in a line of counts, up to which counts fit into their cells.
_MOST_LINES, _MOST_DIGITS = 25, 60
# Clusters up to which each is named on its axis.
_MOST_TICKS = 40
# How bright red, green and blue are seen.
_LIGHT = 0.299, 0.587, 0.114
# More clusters or classes are no picture, and their table may not fit in memory.
_MOST_DRAWN = 2000


@dataclass(kw_only=True, eq=False, repr=False)
class ContingencyDisplay(Display):
    """Numbers of rows by cluster and class, aligned so that what agrees lies together.

    Each class gets one cluster, by the assignment with the most agreeing rows (Hungarian
    method). The other clusters follow the one of their most common class. If clusters and
    classes agree, all rows are on a staircase.

    Use :meth:`from_labels` or :meth:`from_estimator`, rather than the constructor.

    Parameters
    ----------
    counts : ndarray of shape (n_clusters, n_classes) of int
        Numbers of rows, as they are to be drawn.
    clusters : sequence
        Names of the clusters, in this order.
    classes : sequence
        Names of the classes, in this order.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    image_ : matplotlib AxesImage
        The colored cells: shares of the rows of each cluster.

    Examples
    --------
    >>> from sklearn_pacmdl.displays import ContingencyDisplay
    >>> display = ContingencyDisplay.from_labels(
    ...     ["a", "a", "b", "b", "b"], [2, 2, 0, 1, 1]
    ... )
    >>> display.clusters, display.counts
    ([2, 1, 0], array([[2, 0],
           [0, 2],
           [0, 1]]))
    """

    percent_axes: ClassVar = ""

    counts: NDArray[np.integer]
    clusters: list[Any]
    classes: list[Any]
    image_: AxesImage = field(init=False)

    @classmethod
    def from_labels(
        cls, y: ArrayLike, labels: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Draw the classes and the clusters of the same rows.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Classes of the rows; rows with -1 or a missing value are left out.
        labels : array-like of shape (n_rows,)
            Clusters of the rows; -1 and missing values are one cluster of noise.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If the arrays differ in length, are not of one type, no row has a class, or
            there are more than 2000 classes or clusters.
        """
        check_same_order(y=y, labels=labels)
        clusters = number_clusters(as_column("labels", labels), "labels")
        marks = as_labels(y)
        if marks.ndim != 1:
            raise invalid("y", "an array with one entry for each row", y)
        if clusters.codes.shape != marks.shape:
            allowed = f"{len(marks)} clusters, one for each row of y"
            raise invalid("labels", allowed, labels)
        labeled, known = split_unlabeled(marks)
        if not labeled.any():
            raise invalid("y", "classes of some rows", y)
        classes, of_class = np.unique(known, return_inverse=True)
        numbers, of_cluster = np.unique(clusters.labels[labeled], return_inverse=True)
        if len(classes) > _MOST_DRAWN:
            raise invalid("y", f"at most {_MOST_DRAWN} classes to draw", classes)
        if len(numbers) > _MOST_DRAWN:
            raise invalid("labels", f"at most {_MOST_DRAWN} clusters to draw", numbers)
        counts = np.zeros((len(numbers), len(classes)), dtype=np.int64)
        np.add.at(counts, (of_cluster, of_class), 1)
        order = _aligned(counts)
        return cls(
            counts=counts[order],
            clusters=[clusters.names.get(i, i) for i in numbers[order].tolist()],
            classes=classes.tolist(),
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls, search: BaseEstimator, y: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Draw the clusters that a search chose.

        Parameters
        ----------
        search : estimator
            Fitted, with ``labels_``.
        y : array-like of shape (n_rows,)
            Classes of the rows, as above; those passed to ``fit``, or the true ones.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If ``search`` is not fitted, or ``y`` is not as described.
        """
        check_search(search, ["labels_"])
        check_same_order(X=getattr(search, "_index_", None), y=y)
        return cls.from_labels(y, vars(search)["labels_"], ax=ax)

    def _draw(self, ax):
        from matplotlib.colors import LinearSegmentedColormap, to_rgba
        from matplotlib.ticker import PercentFormatter

        shares = self.counts / self.counts.sum(axis=1, keepdims=True)
        # A map that ends in the color of the paper, so that empty cells do not stand out.
        ends = [ax.get_facecolor(), "C0"]
        cmap = LinearSegmentedColormap.from_list("share", ends)
        self.image_ = ax.imshow(shares, cmap, aspect="auto", vmin=0, vmax=1)
        label, percent = "Share of the cluster", PercentFormatter(1)
        bar = ax.figure.colorbar(self.image_, ax=ax, label=label, format=percent)
        ax.set(xlabel="Class", ylabel="Cluster")
        ax.set_xticks(range(len(self.classes)), map(literal, self.classes))
        names = self.clusters if len(self.clusters) <= _MOST_TICKS else []
        ax.set_yticks(range(len(names)), map(literal, names))
        self._fit_below()
        self._fit_beside(bar.ax)
        n_clusters, n_classes = self.counts.shape
        n_digits = n_classes * len(str(self.counts.max()))
        if n_clusters > _MOST_LINES or n_digits > _MOST_DIGITS:
            return
        paper, ink = ax.get_facecolor(), ax.xaxis.label.get_color()
        style: dict[str, Any] = {"ha": "center", "va": "center", "size": "small"}
        light = {to_rgba(of): np.dot(to_rgba(of)[:3], _LIGHT) for of in (paper, ink)}
        for i, j in np.argwhere(self.counts):
            cell = np.dot(cmap(shares[i, j])[:3], _LIGHT)
            color = max(light, key=lambda of: abs(light[of] - cell))
            ax.text(j, i, self.counts[i, j], color=color, **style)


def _aligned(counts: NDArray[np.integer]) -> NDArray[np.integer]:
    """Order of the clusters: by class, first the one that is assigned to the class."""
    assigned, to_class = linear_sum_assignment(counts, maximize=True)
    follows = counts.argmax(axis=1)
    follows[assigned] = to_class
    is_left = ~np.isin(np.arange(len(counts)), assigned)
    return np.lexsort((-counts.max(axis=1), is_left, follows))
