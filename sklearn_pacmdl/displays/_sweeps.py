"""Bounds of all candidates of a sweep against number of clusters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_flag, check_number, check_option
from ..utils._words import candidate_name, rate_in_percent
from ._display import (
    GRAY,
    MARKERS,
    SearchDisplay,
    columns_of,
    documented,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


Curve = dict[str, NDArray]
# What candidates are ranked by, as the label of the axis.
_RANKED_BY = {
    "mean_test_bound": "Bound on the error rate of the unlabeled rows",
    "mean_estimated_error": "Error rate expected from all labels",
    "mean_selection_error": "Error rate expected from the selecting labels",
    "mean_uncertified": "Share of rows not certified right",
}
_RankedBy = Literal[
    "mean_test_bound", "mean_estimated_error", "mean_selection_error", "mean_uncertified"
]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PACMDLDisplay(SearchDisplay):
    """Bound against number of clusters, with one curve for each algorithm.

    All curves show the same quantity, the one by which candidates were ranked. Under
    hold-out, which gives a bound to the chosen candidate only, this is the selection
    error, a mean over starts; with ``choose="errors"`` it is the estimated error. Numbers
    of clusters without a bound are gaps. Rings are around candidates that share the best
    rank, of which the shorter description is chosen.

    The vertical axis is limited to the best candidates. A triangle at the upper edge
    stands for an algorithm that is entirely above it, and the legend has the error rate
    of the best constant classifier.

    Use :meth:`from_estimator` or :meth:`from_cv_results`, rather than the constructor.
    Both, as well as :meth:`plot`, take the option ``test_error`` (True by default): False
    leaves out the error rates on the hidden rows.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray
        By algorithm. Each curve holds the requested ``n_clusters``, and for each of these
        numbers the following. Rates are in [0, 1], NaN where unknown.

        - ``smallest`` and ``largest``: the range of bounds (or selection errors, see
          ``ranked_by``) over starts and parameters;
        - ``decides``: the value by which the best candidate with this number is ranked;
        - ``test_error``: its error rate on the hidden rows.
    points : dict of str to dict of str to ndarray
        The same for algorithms that find the number of clusters themselves, and for given
        labelings. There is one entry for each candidate, at the number of clusters that
        it found. The number is NaN for
        classifiers, which have none, and are drawn as horizontal lines.
    best : tuple of float
        Number of clusters (NaN for a classifier) and bound of the chosen candidate.
    best_name : str, default=""
        Name of the chosen candidate, which is beside its star.
    constant_error : float or None, default=None
        Error rate of the best constant classifier; drawn unless None.
    note : str, default=""
        What the bounds are if they are not those of a single certified split.
    ranked_by : {"mean_test_bound", "mean_estimated_error", "mean_selection_error", \
"mean_uncertified"}, default="mean_test_bound"
        What the curves show.

    Attributes
    ----------
    {ax_}
    {figure_}
    lines_ : dict of str to matplotlib Line2D
        The curve, or the points, of each algorithm; of a classifier its lines.

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

    attributes: ClassVar = ("cv_results_", "ranked_by_", "constant_error_")
    columns: ClassVar = (
        "algorithm",
        "n_clusters",
        "n_clusters_found",
        "ranking_value",
        "mean_test_bound",
        "description_length",
    )
    integer_axes: ClassVar = "x"

    curves: dict[str, Curve]
    points: dict[str, Curve]
    best: tuple[float, float]
    best_name: str = ""
    constant_error: float | None = None
    note: str = ""
    ranked_by: _RankedBy = "mean_test_bound"
    lines_: dict[str, "Line2D"] = field(init=False)

    @classmethod
    @documented
    def from_cv_results(
        cls,
        cv_results: Mapping[str, ArrayLike],
        *,
        ranked_by: _RankedBy = "mean_test_bound",
        constant_error: float | None = None,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw the table of a search.

        Parameters
        ----------
        cv_results : mapping of str to array-like
            ``cv_results_`` of a :class:`PACMDLSearchCV`, or a DataFrame of it.
        ranked_by : {"mean_test_bound", "mean_estimated_error", \
                "mean_selection_error", "mean_uncertified"}, default="mean_test_bound"
            ``ranked_by_`` of the search.
        constant_error : float, default=None
            ``constant_error_`` of the search.
        {ax}
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        {Returns}

        Raises
        ------
        ValueError
            If a parameter is not as described, a column is missing, or all candidates
            failed.
        """
        return cls._from_table(cv_results, ranked_by, constant_error).plot(ax, **options)

    @classmethod
    def _read(cls, search: Any) -> Self:
        if search.ranked_by_ not in _RANKED_BY:
            raise ValueError(
                "search must be one without a target, whose bounds are about all rows; "
                "see CoverageDisplay for one with a target."
            )
        display = cls._from_table(
            search.cv_results_, search.ranked_by_, search.constant_error_
        )
        if not search.certificates_:
            display.note = "not certified"
        return display

    @classmethod
    def _from_table(cls, cv_results, ranked_by, constant_error):
        check_option("ranked_by", ranked_by, _RANKED_BY)
        if constant_error is not None:
            check_number("constant_error", constant_error, least=0)
        # A table that is ranked by something else lacks this rank.
        needed = (*cls.columns, ranked_by, ranked_by.replace("mean", "rank"))
        optional = ["mean_test_error", "params", "errors by", "mean_uncertified"]
        column = columns_of("cv_results", cv_results, needed, optional)
        # Where noise has no class, bounds on all rows count it.
        lost = column["mean_uncertified"]
        column["bound"] = np.where(np.isnan(lost), column["mean_test_bound"], lost)
        # Candidates that failed have an error score, but no clusters.
        usable = np.isfinite(column["n_clusters_found"])
        usable |= column["errors by"] == "cross-validation"  # classifiers have none
        usable &= np.isfinite(column["ranking_value"])
        if not usable.any():
            raise ValueError("cv_results must hold a candidate that did not fail.")
        names = dict.fromkeys(column["algorithm"][usable])
        # Numbers without a candidate are gaps, which no line may bridge.
        requested = {
            name: np.unique(column["n_clusters"][column["algorithm"] == name])
            for name in names
        }
        # Those that the search prefers come first; the last key decides first.
        keys = ("description_length", ranked_by, "ranking_value")
        order = np.flatnonzero(usable)[np.lexsort([column[k][usable] for k in keys])]
        column = {name: values[order] for name, values in column.items()}
        curves, points = _curves(requested, column, ranked_by)
        # Under hold-out only the chosen candidate has a bound.
        chosen = np.flatnonzero(~np.isnan(column["bound"]))[0]
        number, n_errors, bound = (
            float(column[name][chosen])
            for name in ("n_clusters", "n_clusters_found", "bound")
        )
        return cls(
            curves=curves,
            points=points,
            best=(n_errors if np.isnan(number) else number, bound),
            best_name=candidate_name(column, chosen),
            constant_error=constant_error,
            note="mean over splits" if "split1_test_bound" in cv_results else "",
            ranked_by=ranked_by,
        )

    def _draw(self, ax, *, test_error=True):
        check_flag("test_error", test_error)
        self.lines_ = {}
        curves = self.curves | self.points
        marks = MARKERS * len(curves)
        for marker, (name, curve) in zip(marks, curves.items(), strict=False):
            self._draw_algorithm(name, curve, marker, test_error)
        if any(np.any(c["smallest"] < c["largest"]) for c in self.curves.values()):
            ax.fill([], [], color=GRAY, alpha=0.3, label="from best to worst")
        drawn = [*curves.values()]
        if test_error and any(np.isfinite(c["test_error"]).any() for c in drawn):
            ax.plot([], [], color=GRAY, linestyle="--", label="error on hidden rows")
        points = _points(drawn)
        least = min(value for _, value in points)
        note, (number, bound) = f"({self.note})" if self.note else "", self.best
        ylabel = _RANKED_BY[self.ranked_by]
        star = f"chosen: {self.best_name}"
        if self.ranked_by in ("mean_test_bound", "mean_uncertified"):
            ylabel, height = f"{ylabel}\n{note}".strip(), bound
        else:
            height = least
            star = f"{star}, bound {rate_in_percent(bound, ceil)} {note}".strip()
        top = _top(drawn, height, self.constant_error)
        self._draw_constant(top)
        # Below 0 is room for the lower halves of marks.
        ax.set(xlabel="Number of clusters", ylabel=ylabel, ylim=(-0.03 * top, top))
        self._draw_above(top)
        numbers = [x for x, _ in points if np.isfinite(x)]
        if not numbers:  # classifiers alone
            ax.set_xlabel("")
            ax.tick_params(bottom=False, labelbottom=False)
        self._ring([p for p in points if p[1] == least], label="share the best rank")
        number = max(numbers, default=1.0) if np.isnan(number) else number
        self._mark(number, height, star)

    def _draw_algorithm(self, name, curve, marker, test_error):
        """A curve with its range, points, or lines across where there is no number."""
        x, y, error = (curve[c] for c in ("n_clusters", "decides", "test_error"))
        dashed: dict[str, Any] = {"linestyle": "--", "linewidth": 1}
        style: dict[str, Any] = {"marker": marker, "linestyle": "none"}
        ends, error_style = None, style | {"marker": "_"}
        if name in self.curves:
            ends = curve["smallest"], curve["largest"]
            style, error_style = {"marker": marker}, dashed
        elif np.isnan(x).all():
            x, y, error = np.tile([0, 1, np.nan], len(y)), y.repeat(3), error.repeat(3)
            style = {"linestyle": "-.", "transform": self.ax_.get_yaxis_transform()}
            error_style = style | dashed
        line = self.lines_[name] = self._curve(name, (x, y), ends, **style)
        if test_error:
            self.ax_.plot(x, error, color=line.get_color(), **error_style)

    def _draw_constant(self, top: float) -> None:
        """The best constant classifier: its line, or its rate where that is too high."""
        rate, name = self.constant_error, "best constant classifier"
        if rate is not None and rate <= top:
            self.ax_.axhline(rate, color=GRAY, linestyle=":", label=name)
        elif rate is not None:
            label = f"{name}: {100 * rate:.3g}%"
            self.ax_.plot([], [], "^", color=GRAY, label=label)

    def _draw_above(self, top: float) -> None:
        """Triangles at the upper edge, where points and whole curves are above it."""
        for name, curve in (self.curves | self.points).items():
            x, value = curve["n_clusters"], curve["decides"]
            above = value > top
            if name in self.curves:  # which is seen to leave the picture, if any of it is
                above &= (value == np.nanmin(value)) & (np.nanmin(value) > top)
            style: dict[str, Any] = {"color": self.lines_[name].get_color()}
            for at in np.where(np.isnan(x), self.ax_.get_xlim()[0], x)[above]:
                self.ax_.plot(at, top, "^", clip_on=False, **style)


# Best values times these are in sight: what is above the first is hardly compared with
# the best, and with what is above the second the best would be at the lower edge. Of
# values that are next to none, the picture shows as much as of the last.
_NEAR, _FAR, _LEAST = 4, 12, 0.01


def _top(curves: Sequence[Curve], best: float, constant_error: float | None) -> float:
    """Upper end of what is shown: half of all, the best of each, but the best first."""
    values = [curve["decides"][np.isfinite(curve["decides"])] for curve in curves]
    in_sight = [np.median(np.concatenate(values)), *map(np.min, values)]
    scale = max(best, _LEAST)
    wanted = min(_FAR * scale, max(_NEAR * scale, *in_sight))
    most = max(np.concatenate(values).max(), constant_error or 0.0, best)
    return min(1.0, 1.08 * min(wanted, most))


def _points(curves: Iterable[Curve]) -> list[tuple[float, float]]:
    """Numbers of clusters and values of all curves, as far as there are such."""
    each = (zip(c["n_clusters"], c["decides"], strict=True) for c in curves)
    return [point for points in each for point in points if np.isfinite(point[1])]


def _curves(requested, column, ranked_by):
    """Curves and points by algorithm, see :class:`PACMDLDisplay`."""
    curves, points = {}, {}
    for name, numbers in requested.items():  # of which one is NaN if none is requested
        rows = column["algorithm"] == name
        if np.isnan(numbers).all():
            rows = np.flatnonzero(rows)
            each = {"n_clusters": column["n_clusters_found"][rows]}
            points[name] = each | _summary(column, [[i] for i in rows], ranked_by)
        else:
            groups = [rows & (column["n_clusters"] == number) for number in numbers]
            curves[name] = {"n_clusters": numbers} | _summary(column, groups, ranked_by)
    return curves, points


def _summary(column, groups, ranked_by):
    """Of each group of candidates its range and its first, which is its best."""
    each = [np.arange(len(column[ranked_by]))[group] for group in groups]

    def of(name, pick):
        return np.array([pick(column[name][i]) if len(i) else np.nan for i in each])

    return {
        "smallest": of(ranked_by, np.min),
        "largest": of(ranked_by, np.max),
        "decides": of("ranking_value", lambda values: values[0]),
        "test_error": of("mean_test_error", lambda values: values[0]),
    }
