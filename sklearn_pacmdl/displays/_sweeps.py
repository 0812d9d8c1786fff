"""Estimates and bounds of all candidates of a sweep against number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_flag, check_number
from ..utils._words import candidate_name, confidence, rate_in_percent
from ._display import BAND, GRAY, MARKERS, SearchDisplay, columns_of, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


# Heights, by what candidates are ranked by: bounds, or estimates by these labels.
_RANKED_BY = {
    "test_bound": "bounds",
    "uncertified": "bounds",
    "estimated_error": "all labels",
    "selection_error": "the selecting labels",
}
_OPTIONAL = (
    *("clustering", "params", "errors by", "mean_coverage", "mean_test_error"),
    *("mean_certifying_error", *(f"mean_{name}" for name in _RANKED_BY)),
)
_CERTIFYING, _CERTIFIED = "the certifying labels", "certified"
_TITLE = (
    "Points are estimates, not certified: errors among {}. The lowest is optimistic{}. "
    "The line from the chosen one ends at its {}bound, the star."
)
# What the certificate counts, and what is said of it beside the vertical axis.
_WRONG, _LOST = "wrong", "without a class or wrong"
_YLABELS = {_WRONG: "Error rate", _LOST: f"Unlabeled rows\n{_LOST}"}
# The range ends at the best bound times one of these. Above the first, candidates are
# hardly compared with the best; above the second, the best would be at the lower edge. Of
# values that are next to none, the picture shows as much as of the last.
_NEAR, _FAR, _LEAST = 4, 12, 0.01


# Columns of the table of a figure.
_DRAWN = (
    *("algorithm", "name", "row", "n_clusters", "is_swept"),
    *("value", "start", "bound", "true"),
)


@dataclass(kw_only=True, eq=False, repr=False)
class PACMDLDisplay(SearchDisplay):
    """Estimated error rates of all candidates, and the one bound that is certified.

    Points are estimates: with "learned", shares of the certifying labels that a candidate
    has wrong; under hold-out and with ``choose="errors"``, the errors by which candidates
    are ranked. The star is the certified bound of the chosen candidate, and its line
    begins at the estimate. With "pac-mdl", which has no estimates, points are bounds.

    A curve passes through the best start of each number of clusters. Clusterers that find
    the number themselves are points there. Classifiers are marks at the right, with lines
    across. Curves that end at the upper edge go on above it.

    Use :meth:`from_estimator` or :meth:`from_cv_results`, rather than the constructor.
    Both, as well as :meth:`plot`, take two options. ``details=True`` adds the bounds of
    the best candidate of each algorithm, bands from the best start to the worst, and the
    best constant classifier. ``test_error=False`` leaves out the true error rate of the
    chosen candidate, which is a dashed line if it is known.

    Parameters
    ----------
    table : dict of str to ndarray of shape (n_points,)
        A row for each candidate, the chosen one first, then by rank. Its columns are
        ``algorithm``, ``name``, ``row`` (of the results), ``n_clusters`` (NaN for a
        classifier) and ``is_swept`` (whether this number was requested). ``value`` is the
        height, ``start`` the same of this start alone, ``bound`` the bound and ``true``
        the true error rate, in [0, 1] or NaN where unknown.
    heights : {"bounds", "the certifying labels", "the selecting labels", "all labels"}
        What is drawn: bounds, or estimates by these labels.
    what : str, default="wrong"
        What the certificate counts.
    constant_error : float or None, default=None
        Error rate of the best constant classifier.
    bounds : str, default="certified"
        What the bounds are, in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    lines_ : dict of str to matplotlib Line2D
        The curve, or the points, of each algorithm.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(), n_clusters=range(2, 10), random_state=0
    ... ).fit(X, y)
    >>> display = PACMDLDisplay.from_estimator(search)
    """

    attributes: ClassVar = ("cv_results_", "constant_error_")
    columns: ClassVar = (
        "algorithm",
        "n_clusters",
        "n_clusters_found",
        "ranking_value",
        "mean_test_bound",
        "description_length",
    )

    table: dict[str, NDArray]
    heights: str
    what: str = _WRONG
    constant_error: float | None = None
    bounds: str = _CERTIFIED
    lines_: dict[str, Line2D] = field(init=False)

    @classmethod
    def from_estimator(
        cls, search: Any, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw a fitted search, or clusterings that were certified.

        Parameters
        ----------
        search : PACMDLSearchCV or CertifiedClusterings
            A fitted search without a target, or what
            :func:`~sklearn_pacmdl.certify_clusterings` returned.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If ``search`` is neither of them, is not fitted, or has a target.
        """
        if not hasattr(search, "cluster_classes"):
            return super().from_estimator(search, ax=ax, **options)
        certificates = [search.certificate] if search.certificate else []
        return cls._from_table(search.results, None, certificates).plot(ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, ArrayLike],
        *,
        constant_error: float | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the table of a search.

        Parameters
        ----------
        cv_results : mapping of str to array-like
            ``cv_results_`` of a :class:`PACMDLSearchCV`, or a DataFrame of it.
        constant_error : float, default=None
            ``constant_error_`` of the search.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError
            If a parameter is not as described, a column is missing, or all fits failed.
        """
        return cls._from_table(cv_results, constant_error).plot(ax, **options)

    @classmethod
    def _read(cls, search: Any) -> Self:
        of_search = search.constant_error_, search.certificates_
        return cls._from_table(search.cv_results_, *of_search)

    @classmethod
    def _from_table(cls, results, constant_error, certificates=None):
        if constant_error is not None:
            check_number("constant_error", constant_error, least=0)
        column = columns_of("cv_results", results, cls.columns, _OPTIONAL)
        ranked_by = next((name for name in _RANKED_BY if f"rank_{name}" in results), None)
        if ranked_by is None:
            raise ValueError(
                "cv_results must be those of a search without a target, whose bounds are "
                "about all rows; see CoverageDisplay for one with a target."
            )
        heights, rank = _RANKED_BY[ranked_by], f"mean_{ranked_by}"
        if heights == "bounds" and "mean_certifying_error" in results:
            heights = _CERTIFYING
        rates = _rates(column, rank, heights == _CERTIFYING)
        table = _in_order(column | rates, rank)
        table["name"] = _words(table, results)
        single = ~table["is_swept"] & np.isfinite(table["n_clusters"])
        if len(set(table["algorithm"][single])) > len(MARKERS):
            table["algorithm"] = np.where(single, "clusterings", table["algorithm"])
        return cls(
            table=table,
            heights=heights,
            what=_LOST if "mean_coverage" in results else _WRONG,
            constant_error=constant_error,
            bounds=_bounds("split1_test_bound" in results, certificates),
        )

    def _draw(self, ax, *, test_error=True, details=False):
        check_flag("test_error", test_error)
        check_flag("details", details)
        table = self.table
        if missing := [name for name in _DRAWN if name not in table]:
            raise ValueError(
                f"table must have the columns {list(_DRAWN)}, but these are missing: "
                f"{missing}. from_estimator and from_cv_results make one."
            )
        # In the order of the results, so that figures of the same ones look alike.
        names = dict.fromkeys(table["algorithm"][np.argsort(table["row"])])
        x = self._places(ax, names)
        true = table["true"][0] if test_error else np.nan
        top = self._top(true)
        # Below 0 is room for the lower halves of marks.
        ax.set(ylabel=_YLABELS[self.what], ylim=(-0.03 * top, top))
        is_sure = self.bounds.startswith(_CERTIFIED)
        decide = "; bounds decide, by all labels" * (self.heights == _CERTIFYING)
        certified = f"{_CERTIFIED} " * is_sure
        self.legend_title = _TITLE.format(self.heights, decide, certified)
        if self.heights == "bounds":
            ax.set_ylabel(f"Bound on the {ax.get_ylabel().lower()}")
            self.legend_title = "Points are bounds, by which candidates are ranked."
        marks = zip(names, MARKERS * len(names), strict=False)
        self.lines_ = {name: self._draw_algorithm(name, x, mark) for name, mark in marks}
        self.lines_[table["algorithm"][0]].set_zorder(2.2)  # the curve with the star
        self._draw_chosen(x)
        if np.isfinite(true):
            label = f"truly {self.what}, chosen: {rate_in_percent(true)}"
            ax.axhline(true, color=GRAY, linestyle="--", linewidth=1.2, label=label)
        if details:
            self._draw_details(x)

    def _places(self, ax: Axes, algorithms: Iterable[str]) -> NDArray:
        """Where candidates are: classifiers beside the largest number of clusters."""
        from matplotlib.ticker import MaxNLocator

        names, number = self.table["algorithm"], self.table["n_clusters"].copy()
        known = number[np.isfinite(number)]
        low, high = (known.min(), known.max()) if known.size else (1.0, 1.0)
        is_log = high >= 10 * low
        ax.set_xscale("log" if is_log else "linear")
        scale = ax.xaxis.get_transform()
        left, right = scale.transform([low, high])
        step, without = 0.07 * max(right - left, 1.0), set(names[np.isnan(number)])
        beside = [name for name in algorithms if name in without]
        ends = [left - step / 2, *(right + step * np.arange(0.5, len(beside) + 1))]
        first, edge, *_, last = scale.inverted().transform([*ends, ends[-1]])
        for i, name in enumerate(beside, start=1):
            number[names == name] = scale.inverted().transform([right + i * step])
        if beside and known.size:  # so that none seems to have a number
            ax.axvline(edge, color=GRAY, linewidth=0.5)
        ax.set_xlim(first, last)
        few = MaxNLocator(7, steps=[1, 2, 5, 10], integer=True)
        rounded = np.outer(10.0 ** np.arange(9), [1, 2, 5]).ravel()
        every = rounded if is_log else few.tick_values(low, high)
        ticks = [tick for tick in every if known.size and low <= tick <= high]
        ax.set_xticks(ticks, [f"{tick:.0f}" for tick in ticks])
        ax.set_xticks([], minor=True)
        how = " (log scale)" if is_log else ""
        ax.set_xlabel(f"Number of clusters{how}" if known.size else "")
        return number

    def _top(self, true: float) -> float:
        """Upper end of the range, which holds half of all and the best of each."""
        value, bound = self.table["value"], self.table["bound"][0]
        best = value[_firsts(self.table["algorithm"])]
        value = value[np.isfinite(value)]
        scale = max(bound, _LEAST)
        in_sight = max(np.median(value), *best, np.nan_to_num(true))
        wanted = min(_FAR * scale, max(_NEAR * scale, in_sight))
        return min(1.0, 1.08 * min(wanted, max(value.max(), scale)))

    def _draw_algorithm(self, name: str, x: NDArray, marker: str) -> Line2D:
        """A curve, or points; of a classifier a line across as well."""
        rows = np.flatnonzero(self.table["algorithm"] == name)
        value = self.table["value"]
        style: dict[str, Any] = {"marker": marker, "markersize": 4}
        learns = np.isnan(self.table["n_clusters"][rows[0]])
        if self.table["is_swept"][rows[0]]:
            # Candidates are in order of their rank: the first of a number is the best.
            numbers, first = np.unique(x[rows], return_index=True)
            points = numbers, value[rows[first]]
        else:
            points, style["linestyle"] = (x[rows], value[rows]), "none"
        label = f"{name} (a classifier)" if learns else name
        least, top = np.nanmin(points[1]), self.ax_.get_ylim()[1]
        if least > top:
            label += f", above the picture: {rate_in_percent(least)}"
        (line,) = self.ax_.plot(*points, label=literal(label), **style)
        if learns:  # its legend has the mark on the line
            line.set_label("")
            style |= {"color": line.get_color(), "linestyle": "-", "markevery": []}
            style |= {"label": literal(label), "linewidth": 0.8, "zorder": 1}
            self.ax_.axhline(value[rows[0]], **style)
        return line

    def _draw_chosen(self, x: NDArray) -> None:
        """The star at the bound of the chosen candidate, and a line from its estimate."""
        name, value, bound = (self.table[n][0] for n in ("name", "value", "bound"))
        most = rate_in_percent(bound, ceil)
        claim = f"{self.bounds}: {most}"
        if self.bounds.startswith(_CERTIFIED):
            claim = f"{self.bounds}: at most {most} of the unlabeled rows {self.what}"
        self._mark([x[0]] * 2, [value, bound], f"chosen: {name}\n{claim}")

    def _draw_details(self, x: NDArray) -> None:
        """Bounds of the best of each algorithm, ranges of starts, a constant class."""
        ax, table, rate = self.ax_, self.table, self.constant_error
        bound, start, algorithm = table["bound"], table["start"], table["algorithm"]
        firsts = _firsts(algorithm)
        for row in firsts[(firsts > 0) & np.isfinite(bound[firsts])]:
            color = self.lines_[algorithm[row]].get_color()
            ax.plot(x[row], bound[row], "_", color=color, markersize=9)
        for name, line in self.lines_.items():
            rows = np.flatnonzero((algorithm == name) & table["is_swept"])
            numbers = np.unique(x[rows])
            groups = [start[rows[x[rows] == number]] for number in numbers]
            low, high = (
                np.array([end(g) for g in groups])
                for end in (np.fmin.reduce, np.fmax.reduce)
            )
            style: dict[str, Any] = {"color": line.get_color(), "alpha": BAND}
            if np.any(low < high):
                ax.fill_between(numbers, low, high, linewidth=0, **style)
        style = {"linestyle": "none", "color": GRAY, "marker": "_", "markersize": 9}
        ax.plot([], [], label="best bound of each other algorithm", **style)
        if ax.collections:
            ax.fill([], [], color=GRAY, alpha=0.3, label="from best to worst start")
        if rate is not None:
            label = f"best constant classifier: {rate_in_percent(rate)}"
            ax.axhline(rate, color=GRAY, linestyle=":", label=label)
        others = bound[firsts][np.isfinite(bound[firsts])]
        ax.set_ylim(top=min(1.0, max(ax.get_ylim()[1], *1.08 * others)))


def _rates(column, ranked_by, estimates):
    """Of each candidate what is drawn, the same of its start alone, bound and truth."""
    covered = np.where(np.isnan(column["mean_coverage"]), 1.0, column["mean_coverage"])

    def of_all(rate):  # rows without a class count like wrong ones
        return np.where(covered == 0, 1.0, 1 - covered + covered * rate)

    lost = column["mean_uncertified"]
    bound = np.where(np.isnan(lost), column["mean_test_bound"], lost)
    value, start = column["ranking_value"], column[ranked_by]
    if estimates:
        start = of_all(column["mean_certifying_error"])
        start = value = np.where(np.isnan(start), bound, start)  # none certifies
    true = of_all(column["mean_test_error"])
    # Candidates that failed have an error score, but no clusters.
    usable = np.isfinite(column["n_clusters_found"])
    usable |= column["errors by"] == "cross-validation"  # classifiers have none
    usable &= np.isfinite(column["ranking_value"])
    rates = {"value": value, "start": start, "bound": bound, "true": true}
    return {name: np.where(usable, rate, np.nan) for name, rate in rates.items()}


def _in_order(column, ranked_by):
    """The table of a display: candidates by rank, and gaps of curves."""
    usable, asked = np.isfinite(column["value"]), column["n_clusters"]
    if not usable.any():
        raise ValueError("cv_results must hold a candidate that did not fail.")
    # The last key decides first; of equal errors of all labels, the first one is chosen.
    keys = ["description_length"] * (ranked_by != "mean_estimated_error")
    order = np.lexsort([column[key] for key in (*keys, ranked_by, "ranking_value")])
    order = order[np.argsort(~usable[order], kind="stable")]
    # Numbers without a candidate are gaps, which no line may bridge.
    names = column["algorithm"]
    gaps = np.isfinite(asked) & np.isin(names, names[usable])
    order = order[(usable | gaps)[order]]
    found = np.where(np.isnan(asked), column["n_clusters_found"], asked)
    table = column | {"n_clusters": found, "is_swept": np.isfinite(asked)}
    table["row"] = np.arange(len(found))
    return {name: values[order] for name, values in table.items()}


def _firsts(names):
    """The first row of each name."""
    return np.unique(names.astype(str), return_index=True)[1]


def _words(table, results):
    """Names of candidates with their numbers of clusters."""
    given = {name: values for name, values in table.items() if name in results}
    words = []
    for i, number in enumerate(table["n_clusters"]):
        clusters = f", {number:.0f} cluster{'s' * int(number != 1)}"
        words.append(candidate_name(given, i) + clusters * int(np.isfinite(number)))
    return np.array(words)


def _bounds(is_mean, certificates):
    """What bounds are; a table alone does not tell whether they are certified."""
    if is_mean:
        return "mean of bounds, not certified"
    if certificates is None:
        return "bound"
    if not certificates:
        return "bound, not certified"
    if certificates[0].caveat:
        return "doubtful bound"
    return f"{_CERTIFIED} {confidence(certificates[0].delta).lower()}"
