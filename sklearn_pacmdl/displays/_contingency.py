"""Clusters against classes, in an order that shows what agrees."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from ..utils._checks import as_array, invalid
from ..utils._cluster_names import is_column, number_clusters
from ..utils._labels import as_labels, split_unlabeled
from ._base import Display, check_search, documented, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from sklearn.base import BaseEstimator

# Cells up to which their counts are written into them: more could not be read.
_MOST_TEXTS = 600
# Clusters up to which each is named on its axis.
_MOST_TICKS = 40


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ContingencyDisplay(Display):
    """Numbers of rows by cluster and class, aligned so that what agrees lies together.

    Each class is given one cluster of its own by the assignment that agrees in most rows
    (Hungarian method), and the clusters that are left follow the one of their most common
    class. If clusters and classes agree, all rows are on a staircase.

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
    {ax_}
    {figure_}
    image_ : matplotlib AxesImage
        The colored cells: shares of the rows of each cluster.

    See Also
    --------
    sklearn_pacmdl.metrics.ContingencyTable : The counts, for measures.
    sklearn.metrics.ConfusionMatrixDisplay : Predicted against true classes.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_pacmdl.displays import ContingencyDisplay
    >>> display = ContingencyDisplay.from_labels(
    ...     ["a", "a", "b", "b", "b"], [2, 2, 0, 1, 1]
    ... )
    >>> display.clusters, display.counts
    ([2, 1, 0], array([[2, 0],
           [0, 2],
           [0, 1]]))
    >>> plt.close(display.figure_)
    """

    percent_axes: ClassVar = ""

    counts: NDArray[np.integer]
    clusters: list[Any]
    classes: list[Any]
    image_: "AxesImage" = field(init=False)

    @classmethod
    @documented
    def from_labels(
        cls, y: ArrayLike, labels: ArrayLike, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the classes and the clusters of the same rows.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Classes of the rows. -1 and missing values mark rows without a class, which
            are left out.
        labels : array-like of shape (n_rows,)
            Clusters of the rows; -1 and missing values are one cluster of noise.
        {ax}

        {Returns}

        Raises
        ------
        ValueError, TypeError
            If the arrays differ in length, are not of one type, or no row has a class.
        """
        column = labels if is_column(labels) else as_array("labels", labels)
        clusters, marks = number_clusters(column, "labels"), as_labels(y)
        if marks.ndim != 1:
            raise invalid("y", "an array with one entry for each row", y)
        if clusters.codes.shape != marks.shape:
            raise invalid(
                "labels", f"{len(marks)} clusters, one for each row of y", labels
            )
        labeled, known = split_unlabeled(marks)
        if not labeled.any():
            raise invalid("y", "classes of some rows", y)
        classes, of_class = np.unique(known, return_inverse=True)
        numbers, of_cluster = np.unique(clusters.labels[labeled], return_inverse=True)
        counts = np.zeros((len(numbers), len(classes)), dtype=np.int64)
        np.add.at(counts, (of_cluster, of_class), 1)
        order = _aligned(counts)
        return cls(
            counts=counts[order],
            clusters=[clusters.names.get(i, i) for i in numbers[order].tolist()],
            classes=classes.tolist(),
        ).plot(ax)

    @classmethod
    @documented
    def from_estimator(
        cls, search: "BaseEstimator", y: ArrayLike, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the clusters that a search chose.

        Parameters
        ----------
        search : estimator
            Fitted, with ``labels_``.
        y : array-like of shape (n_rows,)
            Classes of the rows, as above; those passed to ``fit``, or the true ones.
        {ax}

        {Returns}

        Raises
        ------
        ValueError, TypeError
            If ``search`` is not fitted, or ``y`` is not as described.
        """
        check_search(search, ["labels_"])
        # Labelings made elsewhere have names, and noise has none.
        names = getattr(getattr(search, "best_estimator_", None), "names_", None)
        labels = vars(search)["labels_"]
        if names is not None:
            numbers, codes = np.unique(labels, return_inverse=True)
            named = [names.get(number) for number in numbers.tolist()]
            labels = np.array(named, dtype=object)[codes]
        return cls.from_labels(y, labels, ax=ax)

    def _draw(self, ax):
        from matplotlib.ticker import PercentFormatter

        shares = self.counts / self.counts.sum(axis=1, keepdims=True)
        # A map that ends in the color of the paper, so that empty cells do not stand out.
        self.image_ = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        ax.figure.colorbar(
            self.image_,
            ax=ax,
            label="Share of the rows of the cluster",
            format=PercentFormatter(1),
        )
        ax.set(xlabel="Class", ylabel="Cluster")
        ax.set_xticks(range(len(self.classes)), map(literal, self.classes))
        names = self.clusters if len(self.clusters) <= _MOST_TICKS else []
        ax.set_yticks(range(len(names)), map(literal, names))
        if self.counts.size <= _MOST_TEXTS:
            for (i, j), count in np.ndenumerate(self.counts):
                if count:
                    ink = "white" if shares[i, j] > 0.5 else "black"
                    ax.text(
                        j, i, count, ha="center", va="center", color=ink, size="small"
                    )


def _aligned(counts: NDArray[np.integer]) -> NDArray[np.integer]:
    """Order of the clusters: by class, first the one that is assigned to the class."""
    assigned, to_class = linear_sum_assignment(counts, maximize=True)
    follows = counts.argmax(axis=1)
    follows[assigned] = to_class
    others = np.ones(len(counts), dtype=bool)
    others[assigned] = False
    return np.lexsort((-counts.max(axis=1), others, follows))
