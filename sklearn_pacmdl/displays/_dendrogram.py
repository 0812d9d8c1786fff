"""A dendrogram with the clusters that a search chose."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram

from ..utils._checks import invalid
from ._base import GRAY, Display, check_search, documented, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

# Clusters up to which the tree is drawn.
_MOST_LEAVES = 100
# Leaves up to which their names fit side by side in letters of the usual size.
_MOST_LARGE = 40


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DendrogramDisplay(Display):
    """The upper part of a dendrogram, with the clusters that a search chose.

    Every leaf is a cluster, and below it stands the class that it is assigned.
    Classes have colors. The heights are ranks of the merges, one step for each, so that
    the tree is readable whatever its distances are.

    Use :meth:`from_estimator`, rather than the constructor.

    Parameters
    ----------
    linkage : ndarray of shape (n_leaves - 1, 4)
        Linkage matrix of SciPy over the clusters.
    names : sequence of str
        The class of each cluster, which stands below it.
    title : str
        What is certified.

    Attributes
    ----------
    {ax_}
    {figure_}

    See Also
    --------
    PACMDLDisplay : The bound against the number of clusters.
    scipy.cluster.hierarchy.dendrogram : Draws whole dendrograms.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.displays import DendrogramDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> labeled = np.random.RandomState(0).permutation(150) < 75
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(), n_clusters=range(2, 9), random_state=0
    ... )
    >>> search = search.fit(X, np.where(labeled, y, -1))
    >>> display = DendrogramDisplay.from_estimator(search)
    >>> len(display.names) == search.best_params_["n_clusters"]
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
    @documented
    def from_estimator(cls, search: "BaseEstimator", *, ax: "Axes | None" = None) -> Self:
        """Draw the clusters that a search chose.

        Parameters
        ----------
        search : PACMDLSearchCV
            Fitted with unlabeled rows, and with ``refit=True``. The chosen clusterer is a
            hierarchical one that keeps its whole tree, such as
            :class:`~sklearn.cluster.AgglomerativeClustering`, with 2 to 100 clusters.
        {ax}

        {Returns}

        Raises
        ------
        ValueError, TypeError
            If ``search`` is not as described.
        """
        check_search(search, ["best_estimator_", "row_order_", "certificate_"], "search")
        fitted: Any = search
        names = [str(name) for name in fitted.clusters_["class"]]
        if not 2 <= len(names) <= _MOST_LEAVES:
            raise invalid(
                "search", f"one that chose 2 to {_MOST_LEAVES} clusters", search
            )
        chosen = fitted.best_estimator_
        clusterer = chosen[-1] if hasattr(chosen, "steps") else chosen
        _, labels = np.unique(fitted.labels_, return_inverse=True)
        children: Any = getattr(clusterer, "children_", ())
        if len(children) != len(labels) - 1:
            allowed = (
                "one whose chosen clusterer has the whole tree in children_ "
                "(compute_full_tree=True)"
            )
            raise invalid("search", allowed, search)
        certificate = fitted.certificate_
        return cls(
            linkage=_above(children, labels[fitted.row_order_]),
            names=names,
            title=f"{len(names)} clusters: at most {certificate.max_test_errors} of "
            f"{certificate.n_test} labels wrong",
        ).plot(ax)

    def _draw(self, ax):
        names = [literal(name) for name in self.names]
        drawn = dendrogram(
            self.linkage,
            labels=names,
            ax=ax,
            link_color_func=lambda _: GRAY,
            leaf_rotation=0,
            leaf_font_size=9 if len(self.names) <= _MOST_LARGE else 5,
        )
        self.leaves_ = drawn["leaves"]
        # Links rarely lie within one class, which tight clusters would not divide.
        color = {name: f"C{i}" for i, name in enumerate(sorted(set(names)))}
        for text in ax.get_xticklabels():
            text.set(color=color[text.get_text()], weight="bold")
        ax.set(title=self.title, ylabel="Merge", xlabel="Class of each cluster")


def _above(children: NDArray[np.integer], labels: NDArray[np.integer]) -> NDArray:
    """Linkage matrix of the merges above the clusters, which are its leaves."""
    n_rows, n_leaves = len(labels), int(labels.max()) + 1
    # The cluster that a node lies in; nodes above clusters have none, but a new number.
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
