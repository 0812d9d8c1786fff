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
from ._display import GRAY, MARKERS, STAR, SearchDisplay, columns_of, documented

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
_CERTIFYING, _CERTIFIED = "the certifying labels", "certified bound"
_TITLE = "Points are errors among {}. The lowest is optimistic."
# What the certificate counts, and what is said of it beside the vertical axis.
_WRONG, _LOST = "wrong", "without a class or wrong"
_YLABELS = {_WRONG: "Error rate", _LOST: f"Unlabeled rows\n{_LOST}"}
# The range ends at the best bound times one of these. Above the first, candidates are
# hardly compared with the best; above the second, the best would be at the lower edge. Of
# values that are next to none, the picture shows as much as of the last.
_NEAR, _FAR, _LEAST = 4, 12, 0.01


# Columns of the table of a figure.
_DRAWN: tuple[str, ...] = (
    "algorithm",
    "name",
    "row",
    "n_clusters",
    "is_swept",
    "has_bar",
)
_DRAWN += ("value", "start", "bound", "true")


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PACMDLDisplay(SearchDisplay):
    """Error rates of all candidates against number of clusters, and certified bounds.

    If the labels are divided and candidates are chosen by bounds ("learned"), points are
    estimates: shares of the certifying labels that a candidate has wrong. Bars reach from
    the estimate up to the certified bound, for the chosen candidate and for the best one
    of each algorithm. The chosen one has the smallest bound; a bound is higher if the
    selecting labels preferred another candidate. A ring is around the smallest estimate,
    unless that is of the chosen one or of another start of it. With "pac-mdl", points are
    bounds. Under hold-out and with ``choose="errors"``, points are the errors by which
    candidates are ranked, and the chosen one has a bar.

    A line passes through the best start of each number of clusters, and the band is from
    the best start to the worst. Clusterers that find the number themselves are points
    there. Classifiers are lines across, with a mark at the right. The vertical axis is
    limited to the best candidates, and triangles show where others leave it.

    Use :meth:`from_estimator` or :meth:`from_cv_results`, rather than the constructor.
    Both, as well as :meth:`plot`, take the option ``test_error`` (True by default): False
    leaves out the true error rate of the chosen candidate, if that is known.

    Parameters
    ----------
    table : dict of str to ndarray of shape (n_points,)
        A row for each candidate, the chosen one first, then by rank. Its columns are
        ``algorithm``, ``name``, ``row`` (of the results), ``n_clusters`` (NaN for a
        classifier), ``is_swept`` (whether this number was requested) and ``has_bar``.
        ``value`` is the height, ``start`` the same of this start alone, ``bound`` the
        bound and ``true`` the true error rate, in [0, 1] or NaN where unknown.
    heights : {"bounds", "the certifying labels", "the selecting labels", "all labels"}
        What is drawn: bounds, or estimates by these labels.
    what : str, default="wrong"
        What the certificate counts.
    constant_error : float or None, default=None
        Error rate of the best constant classifier; drawn unless None.
    bounds : str, default="certified bound"
        What the bounds are, in the legend.

    Attributes
    ----------
    {ax_}
    {figure_}
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
    @documented
    def from_estimator(
        cls, search: Any, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw a fitted search, or clusterings that were certified.

        Parameters
        ----------
        search : PACMDLSearchCV or CertifiedClusterings
            A fitted search without a target, or what
            :func:`~sklearn_pacmdl.certify_clusterings` returned.
        {ax}
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        {Returns}

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
    @documented
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
        {ax}
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        {Returns}

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
        table["has_bar"] = np.zeros(len(table["name"]), dtype=bool)
        bars = {"bounds": [], _CERTIFYING: _firsts(table["algorithm"])}
        table["has_bar"][bars.get(heights, [0])] = True
        return cls(
            table=table,
            heights=heights,
            what=_LOST if "mean_coverage" in results else _WRONG,
            constant_error=constant_error,
            bounds=_bounds("split1_test_bound" in results, certificates),
        )

    def _draw(self, ax, *, test_error=True):
        check_flag("test_error", test_error)
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
        if self.heights == "bounds":
            ax.set_ylabel(f"Bound on the {ax.get_ylabel().lower()}")
        else:
            self.legend_title = _TITLE.format(self.heights)
        marks = zip(names, MARKERS * len(names), strict=False)
        n_before = len(ax.collections)
        self.lines_ = {name: self._draw_algorithm(name, x, mark) for name, mark in marks}
        self.lines_[table["algorithm"][0]].set_zorder(2.2)  # the curve with the star
        if len(ax.collections) > n_before:
            ax.fill([], [], color=GRAY, alpha=0.3, label="from best to worst start")
        self._draw_chosen(x)
        self._draw_bars(x)
        if np.isfinite(true):
            label = f"truly {self.what}, chosen: {rate_in_percent(true)}"
            ax.axhline(true, color=GRAY, linestyle="--", linewidth=1.2, label=label)
        rate, name = self.constant_error, "best constant classifier"
        if rate is not None and rate <= top:
            ax.axhline(rate, color=GRAY, linestyle=":", label=name)
        elif rate is not None:
            ax.plot([], [], " ", label=f"{name}:\n{100 * rate:.3g}% wrong")
        self._draw_above(x, top)

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
        ax.set_xlabel("Number of clusters" if known.size else "")
        return number

    def _top(self, true: float) -> float:
        """Upper end of the range, which holds half of all and the best of each."""
        value, bound, bars = (self.table[n] for n in ("value", "bound", "has_bar"))
        value = value[np.isfinite(value)]
        best = _firsts(self.table["algorithm"])
        scale = max(bound[0], _LEAST)
        in_sight = max(np.median(value), *value[best], *bound[bars], np.nan_to_num(true))
        wanted = min(_FAR * scale, max(_NEAR * scale, in_sight))
        most = max(value.max(), self.constant_error or 0.0, *bound[bars], scale)
        return min(1.0, 1.08 * min(wanted, most))

    def _draw_algorithm(self, name: str, x: NDArray, marker: str) -> Line2D:
        """A curve with its range, or points; of a classifier a line across as well."""
        rows = np.flatnonzero(self.table["algorithm"] == name)
        value, start = self.table["value"], self.table["start"]
        if not self.table["is_swept"][rows[0]]:
            points = x[rows], value[rows]
            line = self._curve(name, points, None, marker=marker, linestyle="none")
            if np.isnan(self.table["n_clusters"][rows[0]]):
                color = line.get_color()
                self.ax_.axhline(value[rows[0]], color=color, linewidth=0.8, zorder=1)
            return line
        numbers = np.unique(x[rows])
        groups = [rows[x[rows] == number] for number in numbers]  # each the best first
        values = value[[group[0] for group in groups]]
        low, high = (
            [end(start[g]) for g in groups] for end in (np.fmin.reduce, np.fmax.reduce)
        )
        ends = (low, high) if np.any(np.less(low, high)) else None
        return self._curve(name, (numbers, values), ends, marker=marker)

    def _draw_chosen(self, x: NDArray) -> None:
        """The star, and a ring where an estimate is smaller."""
        name, value, bound = (self.table[n] for n in ("name", "value", "bound"))
        most = rate_in_percent(bound[0], ceil)
        claim = f"{self.bounds}: {most}"
        if self.bounds.startswith(_CERTIFIED):
            claim = f"certified: at most {most}\nof the unlabeled rows {self.what}"
        self._mark(x[0], value[0], f"chosen: {name[0]}\n{claim}")
        least = np.nanargmin(value)
        if value[least] < value[0] and name[least] != name[0]:
            label = f"smallest estimate:\n{name[least]}"
            ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": GRAY}
            ring |= {"markersize": STAR, "clip_on": False, "label": label}
            self.ax_.plot(x[least], value[least], "o", **ring)

    def _draw_bars(self, x: NDArray) -> None:
        """From estimates up to bounds, side by side where the number is the same."""
        from matplotlib.transforms import offset_copy

        ax, table = self.ax_, self.table
        rows = np.flatnonzero(table["has_bar"])
        style: dict[str, Any] = {"marker": "_", "markevery": [1], "markersize": 9}
        style |= {"linewidth": 1.6, "markeredgewidth": 1.6, "zorder": 2.5}
        for i, row in enumerate(rows):
            n_beside = np.sum(x[rows[:i]] == x[row])  # 6 points to the right, left, ...
            aside = (n_beside + 1) // 2 * 6 * (-1) ** n_beside
            style["transform"] = offset_copy(
                ax.transData, self._page, -aside, units="points"
            )
            style["color"] = self.lines_[table["algorithm"][row]].get_color()
            ends = table["value"][row], table["bound"][row]
            ax.plot([x[row]] * 2, ends, **style)
        if len(rows):
            label = f"end of a bar: {self.bounds}"
            ax.plot([], [], linestyle="none", color=GRAY, marker=r"$\top$", label=label)

    def _draw_above(self, x: NDArray, top: float) -> None:
        """Triangles at the upper edge, where curves, points and bars leave the range."""
        ax, bars = self.ax_, self.table["has_bar"] & (self.table["bound"] > top)
        style: dict[str, Any] = {"marker": "^", "linestyle": "none", "markersize": 5}
        n_before = len(ax.lines)
        for name, line in self.lines_.items():
            of_bars = x[bars & (self.table["algorithm"] == name)]
            for at in (*self._leaving(line, top), *of_bars):
                ax.plot(at, top, color=line.get_color(), clip_on=False, **style)
        if len(ax.lines) > n_before:
            ax.plot([], [], color=GRAY, label="above the range", **style)

    def _leaving(self, line: Line2D, top: float) -> NDArray:
        """Where points are above the range, or a curve crosses its upper edge."""
        x, y = np.transpose(line.get_xydata())
        if line.get_linestyle() == "None":
            return x[y > top]
        if not np.any(y <= top):
            return x[[np.nanargmin(y)]]
        scale = self.ax_.xaxis.get_transform()
        (at,), u = np.nonzero(np.diff(y > top)), scale.transform(x)
        share = (top - y[at]) / (y[at + 1] - y[at])
        return scale.inverted().transform(u[at] + share * (u[at + 1] - u[at]))


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
    return f"{_CERTIFIED}\n({confidence(certificates[0].delta).lower()})"
