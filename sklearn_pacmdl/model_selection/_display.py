"""Bounds as curves."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

_COLUMNS = (
    "n_clusters",
    "n_clusters_found",
    "mean_test_bound",
    "mean_test_error",
    "mean_constant_error",
    "description_length",
)
# What curves are of: columns of the value, and of what tells apart those as good.
_CRITERIA = {
    "bound": ("mean_test_bound", "description_length"),
    "selection_error": ("mean_selection_error", "mean_selection_error"),
}


class PACMDLDisplay:
    """Bound against number of clusters, a curve for each algorithm.

    A search that holds out labels has a bound for the chosen candidate alone; then the
    curves are of the selection error, a mean over starts, by which it was chosen.

    Made by :meth:`from_estimator` or :meth:`from_cv_results`; the constructor stores.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray
        By algorithm; each curve holds ``n_clusters`` (asked for), and for each of these
        the ``smallest`` and the ``largest`` bound (or selection error, see
        ``criterion``) over starts and parameters, what ``decides``, and the
        ``test_error`` of the candidate that would be chosen; rates in [0, 1], NaN where
        unknown. What decides is the smallest bound, or of the selection errors the
        smallest mean over starts.
    points : dict of str to dict of str to float
        The same for algorithms that are not asked for a number of clusters, at the
        number found by the candidate that would be chosen.
    best : tuple of float
        Number of clusters and bound of the chosen candidate.
    constant_error : float
        Error rate of the best constant classifier.
    note : str
        What the bounds are if not those of a single certified split.
    criterion : {"bound", "selection_error"}, default="bound"
        What the curves are of.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to matplotlib Line2D
        The curve, or the point, of each algorithm.

    See Also
    --------
    PACMDLSearchCV : The search whose results are drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(), n_clusters=range(2, 10), random_state=0
    ... ).fit(X, y)
    >>> display = PACMDLDisplay.from_estimator(search)
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, curves, points, best, constant_error, note, criterion="bound"):
        self.curves = curves
        self.points = points
        self.best = best
        self.constant_error = constant_error
        self.note = note
        self.criterion = criterion

    @classmethod
    def from_estimator(cls, search, *, ax=None, test_error=True):
        """Draw the results of a fitted search.

        Parameters
        ----------
        search : PACMDLSearchCV
            Fitted.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        test_error : bool, default=True
            Whether to draw the errors on the hidden rows where they are known.

        Returns
        -------
        display : PACMDLDisplay
        """
        check_is_fitted(search)
        display = cls._from_table(search.cv_results_)
        if not search.certificates_:
            display.note = "not certified"
        return display.plot(ax=ax, test_error=test_error)

    @classmethod
    def from_cv_results(cls, cv_results, *, ax=None, test_error=True):
        """Draw the table of a search.

        Parameters
        ----------
        cv_results : mapping of str to array-like
            ``cv_results_`` of a search; a DataFrame of it too.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        test_error : bool, default=True
            Whether to draw the errors on the hidden rows where they are known.

        Returns
        -------
        display : PACMDLDisplay

        Raises
        ------
        ValueError
            If a column is missing, all candidates failed, or the table is that of a
            :class:`SelectiveClusterLabeler`.
        """
        return cls._from_table(cv_results).plot(ax=ax, test_error=test_error)

    @classmethod
    def _from_table(cls, cv_results):
        held_out = "rank_selection_error" in cv_results
        criterion = "selection_error" if held_out else "bound"
        value, tie = _CRITERIA[criterion]
        missing = {"algorithm", value, *_COLUMNS} - set(cv_results)
        if missing:
            raise ValueError(
                f"cv_results must be the cv_results_ of a PACMDLSearchCV; it has no "
                f"{sorted(missing)}."
            )
        if "mean_coverage" in cv_results:
            raise ValueError(
                "cv_results must be the cv_results_ of a PACMDLSearchCV, whose bounds "
                "are of all rows; see CoverageDisplay for a SelectiveClusterLabeler."
            )
        column = {name: _as_float(cv_results[name]) for name in _COLUMNS}
        column["value"] = column["decides"] = _as_float(cv_results[value])
        column["tie"] = _as_float(cv_results[tie])
        if held_out:
            rank = np.asarray(cv_results["rank_selection_error"])
            column["decides"] = _mean_of_equals(column["value"], rank)
        usable = ~np.isnan(column["value"]) & ~np.isnan(column["n_clusters_found"])
        if not usable.any():
            raise ValueError("cv_results must hold a candidate that has a bound.")
        curves, points = _curves(np.asarray(cv_results["algorithm"]), column, usable)
        # Under hold-out the chosen candidate is the only one that has a bound.
        certified = np.flatnonzero(usable & ~np.isnan(column["mean_test_bound"]))
        best = _best(column, certified)
        asked, found = column["n_clusters"][best], column["n_clusters_found"][best]
        return cls(
            curves=curves,
            points=points,
            best=(
                float(found if np.isnan(asked) else asked),
                float(column["mean_test_bound"][best]),
            ),
            constant_error=float(np.nanmin(column["mean_constant_error"])),
            note="mean over splits" if "split1_test_bound" in cv_results else "",
            criterion=criterion,
        )

    def plot(self, ax=None, *, test_error=True):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        test_error : bool, default=True
            Whether to draw the errors on the hidden rows where they are known.

        Returns
        -------
        display : PACMDLDisplay
            Itself.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_: dict = {}
        ylabel, star = self._labels()
        for name, curve in self.curves.items():
            self._draw(name, curve, test_error, marker="o")
            color = self.lines_[name].get_color()
            ax.fill_between(
                curve["n_clusters"],
                curve["smallest"],
                curve["largest"],
                color=color,
                alpha=0.12,
                linewidth=0,
            )
        for name, point in self.points.items():
            self._draw(name, point, test_error, marker="D", linestyle="none")
        ax.axhline(
            self.constant_error,
            color="0.4",
            linestyle=":",
            label="best constant classifier",
        )
        ax.plot(
            *self.best, marker="*", markersize=15, color="black", linestyle="none",
            label=star,
        )  # fmt: skip
        if test_error and self._test_errors_known():
            ax.plot([], [], color="0.4", linestyle="--", label="error on hidden rows")
        ax.set(
            xlabel="Number of clusters",
            ylabel=ylabel,
            ylim=(0, min(1.0, 1.08 * max(self.constant_error, self.best[1]))),
        )
        ax.legend(fontsize="small")
        return self

    def _labels(self):
        """Of the y axis, and of the star; what the bounds are goes with the bounds."""
        note = f"({self.note})" if self.note else ""
        if self.criterion == "bound":
            bounds = "Bound on the error rate of the unlabeled rows"
            return f"{bounds}\n{note}".strip(), "chosen"
        star = f"chosen: bound on the unlabeled rows {note}".strip()
        return "Leave-one-out error on the selecting rows", star

    def _draw(self, name, curve, test_error, *, marker, linestyle="-"):
        (line,) = self.ax_.plot(
            curve["n_clusters"],
            curve["decides"],
            marker=marker,
            markersize=3.5,
            linestyle=linestyle,
            label=name,
        )
        self.lines_[name] = line
        if test_error:
            self.ax_.plot(
                curve["n_clusters"],
                curve["test_error"],
                color=line.get_color(),
                linestyle="--",
                linewidth=1,
                marker=None if linestyle == "-" else "_",
            )

    def _test_errors_known(self):
        drawn = [*self.curves.values(), *self.points.values()]
        return any(np.isfinite(curve["test_error"]).any() for curve in drawn)


def _as_float(values):
    """Floats of a column, masked or missing values as NaN."""
    return np.ma.filled(np.ma.asarray(values).astype(float), np.nan)


def _mean_of_equals(values, rank):
    """For each value the mean of those of its rank: the starts of one setting."""
    _, kind = np.unique(rank, return_inverse=True)
    return (np.bincount(kind, values) / np.bincount(kind))[kind]


def _curves(algorithm, column, usable):
    """Curves and points by algorithm, see :class:`PACMDLDisplay`."""
    curves, points = {}, {}
    for name in dict.fromkeys(algorithm):
        rows = np.flatnonzero((algorithm == name) & usable)
        asked = column["n_clusters"][rows]
        if np.isnan(asked).all() and rows.size:
            found = column["n_clusters_found"][_best(column, rows)]
            points[name] = {"n_clusters": found} | _summary(column, rows)
        elif rows.size:
            numbers = np.unique(asked)
            summaries = [_summary(column, rows[asked == c]) for c in numbers]
            curves[name] = {"n_clusters": numbers} | {
                key: np.array([s[key] for s in summaries]) for key in summaries[0]
            }
    return curves, points


def _best(column, rows):
    """The candidate that the search would choose of these."""
    return rows[np.lexsort((column["tie"][rows], column["decides"][rows]))[0]]


def _summary(column, rows):
    """Of some candidates, for a point of a curve."""
    best = _best(column, rows)
    return {
        "smallest": column["value"][rows].min(),
        "largest": column["value"][rows].max(),
        "decides": column["decides"][best],
        "test_error": column["mean_test_error"][best],
    }
