"""A dendrogram with the cut that is certified."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram

from ..utils._checks import invalid
from ._base import GRAY, Display, check_search

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

# Leaves below which the tree is not drawn: each is a cluster of the cut, or a part.
_MOST_LEAVES = 100
# Leaves up to which their names fit side by side in letters of the usual size.
_MOST_LARGE = 40


@dataclass(kw_only=True, eq=False, repr=False)
class DendrogramDisplay(Display):
    """The upper part of a dendrogram, with the clusters of the certified cut.

    Every leaf is a cluster of the cut, and below it stands the class that it is given.
    Classes have colors. The heights are ranks of the merges, one step for each, so that
    the tree is readable whatever its distances are.

    Use :meth:`from_estimator`, rather than the constructor.

    Parameters
    ----------
    linkage : ndarray of shape (n_leaves - 1, 4)
        Linkage matrix of SciPy over the clusters of the cut.
    names : sequence of str
        The class of each cluster, which stands below it.
    title : str
        What is certified of the cut.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.

    See Also
    --------
    sklearn_pacmdl.DendrogramLabeler : Chooses the cut.
    scipy.cluster.hierarchy.dendrogram : Draws whole dendrograms.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import DendrogramLabeler
    >>> from sklearn_pacmdl.displays import DendrogramDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> labeled = np.random.RandomState(0).permutation(150) < 75
    >>> labeler = DendrogramLabeler(classes=[0, 1, 2], random_state=0)
    >>> labeler = labeler.fit(X, np.where(labeled, y, -1))
    >>> display = DendrogramDisplay.from_estimator(labeler)
    >>> len(display.names) == labeler.n_clusters_
    True
    >>> plt.close(display.figure_)
    """

    percent_axes: ClassVar = ""
    integer_axes: ClassVar = "y"

    linkage: NDArray[np.floating]
    names: list[str]
    title: str
    leaves_: list[int] = field(init=False)

    @classmethod
    def from_estimator(
        cls, labeler: "BaseEstimator", *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the cut that a labeler chose.

        Parameters
        ----------
        labeler : DendrogramLabeler
            Fitted, with 2 to 100 clusters.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : DendrogramDisplay
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If ``labeler`` is not fitted, or its cut has one cluster or more than 100.
        """
        needed = ["children_", "labels_", "cluster_classes_", "certificate_"]
        check_search(labeler, needed, "labeler")
        fitted: Any = labeler
        names = [str(name) for name in fitted.cluster_classes_]
        if not 2 <= len(names) <= _MOST_LEAVES:
            allowed = f"a labeler whose cut has 2 to {_MOST_LEAVES} clusters"
            raise invalid("labeler", allowed, labeler)
        certificate = fitted.certificate_
        return cls(
            linkage=_above(fitted.children_, fitted.labels_),
            names=names,
            title=f"{len(names)} clusters: at most {certificate.max_test_errors} of "
            f"{certificate.n_test} labels wrong",
        ).plot(ax)

    def _draw(self, ax):
        drawn = dendrogram(
            self.linkage,
            labels=self.names,
            ax=ax,
            link_color_func=lambda _: GRAY,
            leaf_rotation=0,
            leaf_font_size=9 if len(self.names) <= _MOST_LARGE else 5,
        )
        self.leaves_ = drawn["leaves"]
        # Links rarely lie within one class, which a tight cut would not divide.
        color = {name: f"C{i}" for i, name in enumerate(sorted(set(self.names)))}
        for text in ax.get_xticklabels():
            text.set(color=color[text.get_text()], weight="bold")
        ax.set(title=self.title, ylabel="Merge", xlabel="Class of each cluster")


def _above(children: NDArray[np.integer], labels: NDArray[np.integer]) -> NDArray:
    """Linkage matrix of the merges above the clusters of a cut, which are its leaves."""
    n_rows, n_leaves = len(labels), int(labels.max()) + 1
    # The cluster that a node lies in; nodes above the cut have none, but a new number.
    of_node = np.concatenate([labels, np.full(len(children), -1)])
    n_below = np.ones(2 * n_leaves - 1, dtype=int)  # leaves, not rows, as SciPy has it
    linkage: list[list[int]] = []
    for i, (left, right) in enumerate(children):
        a, b = of_node[left], of_node[right]
        if a == b:
            of_node[n_rows + i] = a
            continue
        node = n_leaves + len(linkage)
        n_below[node] = n_below[a] + n_below[b]
        of_node[n_rows + i] = node
        linkage.append([a, b, len(linkage) + 1, n_below[node]])
    return np.array(linkage, dtype=float)
