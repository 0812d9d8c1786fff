"""What an audit says of each class: precision, recall, F1 and size, all at once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import MAX_COUNT, ClassCounts
from ..certificates import Comparison, check_classes, clauses, with_counts
from ..columns import in_type_of
from ..utils._checks import (
    check_integer,
    check_open_unit,
    exact_decimal,
    invalid,
    is_integer,
    is_iterable,
    is_number,
    shown,
)
from ..utils._printable import escaped
from ..utils._words import as_frame, counted, joined, percent, percent_below
from ._audit import Audit, check_audit
from ._audited import AuditedCertificate, LabelingCertificate, TableCertificate
from ._audited_labels import AuditedLabels, audited_labels, named_classes
from ._class_bounds import Statements, count_classes
from ._segments import of_each_segment

if TYPE_CHECKING:
    import pandas as pd

Metric = Literal["precision", "recall", "f1", "total", "macro_error"]
_SCORES = {"precision": "precision", "recall": "recall", "f1": "F1"}
_OTHERS = {"total": "the bounds of totals", "macro_error": "the bound of the macro error"}
_METRICS = (*_SCORES, *_OTHERS)
#: Four numbers of rows for each class, as in ClassReport.counts.
Counts: TypeAlias = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ClassReport(TableCertificate, LabelingCertificate, kind="classes"):
    """Result of :func:`class_report`: a certificate with bounds for each class.

    Attributes
    ----------
    classes : tuple of str, int, float or bool
        The classes.
    counts : tuple of tuple of int
        For each class, the numbers of rows predicted to be in it, of audited rows among
        these, of audited rows truly in it, and of audited rows that are both.
    n_rows, n_audited : int
        Numbers of rows that could be drawn, and of audited rows.
    metrics : tuple of str
        What is stated.
    sides : int, default=1
        1 if scores are bounded from below only, 2 if from above, too.
    named : tuple of str, int, float or bool, default=()
        Classes that were named before the audit.
    n_excluded : int, default=0
        Rows of the data set that could not be drawn; nothing is said about them.
    n_doubtful : int, default=0
        Further rows that could not be drawn, since the others were surer.
    strata : tuple of tuple, default=()
        For each stratum that rows were drawn from, the numbers of its rows and of its
        audited rows, and ``counts`` within it. Empty if all rows had one drawing.
    bounds : mapping of str to tuple of float or int, default={}
        What is stated, by the columns of :meth:`to_frame`: a bound of each class.
        "macro_error_bound" and "macro_error_lower_bound" are one each.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.
    segment : str, default=None
        The segment of the rows that the statement is about; None if it is about all.
    fingerprints : mapping of str to str
        SHA-256 digests of the human "labels", of the "labeling" and of the "audit".
    n_statements : int
        Number of statements that share delta.
    macro_error_bound : float or None
        Upper bound on the mean over the predicted classes of the share of wrong labels;
        in [0, 1], lower is better. None if it is not stated.
    macro_error_lower_bound : float or None
        Lower bound on the same, in [0, 1]; None if ``sides`` is 1 or it is not stated.
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.

    See Also
    --------
    class_report : Makes the report of an audit.
    sklearn_pacmdl.certificates.Certificate : The other attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import class_report, draw_audit
    >>> labels = np.arange(500) % 2
    >>> audit = draw_audit(500, 100, labels=labels, random_state=0)
    >>> report = class_report(labels, audit, labels[audit.rows], metrics=["total"])
    >>> report.to_frame()[["n_predicted", "total_upper_bound"]]
           n_predicted  total_upper_bound
    class
    0              250                266
    1              250                266
    >>> bool(report.verify(labels, audit, labels[audit.rows]))
    True
    """

    classes: tuple[str | int | float | bool, ...]
    counts: tuple[tuple[int, int, int, int], ...]
    n_rows: int
    n_audited: int
    metrics: tuple[str, ...]
    sides: int = 1
    named: tuple[str | int | float | bool, ...] = ()
    n_excluded: int = 0
    n_doubtful: int = 0
    strata: tuple[tuple[int, int, Counts], ...] = ()
    bounds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    _title = "a report by class"
    _following = AuditedCertificate._following | {"bounds"}
    _settings = "metrics", "sides", "named", "delta"
    _has_names = True
    _counted_as = ""

    @property
    def assumed(self) -> tuple[str, ...]:
        return (*self._assumed_of_people(), clauses.BEFOREHAND)

    @property
    def _chosen(self) -> str:
        n, n_all = self.n_rows, self.n_rows + self.n_doubtful
        pool = f"the surest {n} of {n_all}" if self.n_doubtful else f"{n}"
        rows = f"the {counted(self.n_audited, 'audited row')} of {pool}"
        strata = f" in {len(self.strata)} strata" if self.strata else ""
        return f"{rows}{self._of_segment}{strata}"

    @property
    def _drawn_by(self) -> str:
        return " in strata" if self.strata else ""

    @property
    def _in_table(self) -> str:
        bounds = _bounds_of(self.metrics, self.sides)
        return f"{bounds} in the table hold"

    @property
    def _statements(self) -> Statements:
        declared = [name in self.named for name in self.classes]
        return Statements(self.metrics, declared, self.delta, self.sides)

    @property
    def _counts_of_classes(self) -> list[ClassCounts]:
        return _sums(self.strata or ((self.n_rows, self.n_audited, self.counts),))

    @property
    def n_statements(self) -> int:
        by_class = self._statements.n_statements(self._counts_of_classes)
        return sum(by_class) + ("macro_error" in self.metrics)

    @property
    def macro_error_bound(self) -> float | None:
        return self.bounds.get("macro_error_bound", (None,))[0]

    @property
    def macro_error_lower_bound(self) -> float | None:
        return self.bounds.get("macro_error_lower_bound", (None,))[0]

    def _sentence(self) -> str:
        counted = "Numbers of predicted and of audited rows are counted."
        return f"{super()._sentence()} {counted}"

    @property
    def claim(self) -> str:
        n_classes, n_statements = self._numbers
        halves = ", half of each share for either side" * (self.sides == 2)
        claim = (
            f"all bounds of {n_classes} hold together: "
            f"{_bounds_of(self.metrics, self.sides)} "
            f"({n_statements} that share delta{halves})"
        )
        if self.macro_error_bound is not None:
            least, most = (
                exact_decimal(bound or 0).as_integer_ratio()
                for bound in (self.macro_error_lower_bound, self.macro_error_bound)
            )
            limits = (
                f"from {percent_below(*least)} to " if self.sides == 2 else "at most "
            )
            claim += f"; the macro error is {limits}{percent(*most)}"
        return claim

    @property
    def _numbers(self) -> tuple[str, str]:
        """Numbers of classes and of statements, in words."""
        n, m = len(self.classes), self.n_statements
        return f"{n} class{'es' * (n != 1)}", f"{m} statement{'s' * (m != 1)}"

    def _checked(self) -> Self:
        checked = super()._checked()
        checked = with_counts(checked, n_excluded=MAX_COUNT, n_doubtful=MAX_COUNT)
        n_rows = check_integer("n_rows", self.n_rows, 2, MAX_COUNT)
        n_audited = check_integer("n_audited", self.n_audited, 1, n_rows - 1)
        classes, named = check_classes(self.classes), check_classes(self.named)
        if len(classes) > _MOST_CLASSES:
            raise invalid("classes", f"at most {_MOST_CLASSES} classes", len(classes))
        if not {*named} <= {*classes}:
            raise invalid("named", f"of the classes {shown(classes)}", self.named)
        counts = _check_counts(self.counts, len(classes), n_rows, n_audited)
        strata = _check_strata(self.strata, counts, n_rows, n_audited)
        if self.metrics != _check_metrics(self.metrics):
            raise invalid(
                "metrics", f"a tuple of {_METRICS}, in this order", self.metrics
            )
        return replace(
            checked,
            classes=classes,
            named=named,
            counts=counts,
            strata=strata,
            n_rows=n_rows,
            n_audited=n_audited,
            sides=check_integer("sides", self.sides, 1, 2),
            bounds=_check_bounds(self.bounds, self.metrics, self.sides, len(classes)),
        )

    def _bounded(self) -> Self:
        return replace(self, bounds=self._statements.bounds(self._counts_of_classes))

    def _certified_again(self, arguments: dict[str, Any], comparison: Comparison) -> Any:
        named = arguments.pop("named")
        return class_report(**arguments, classes=named or None)

    def to_frame(self) -> pd.DataFrame:
        """Make the table of the classes, which requires pandas.

        Returns
        -------
        frame : DataFrame, indexed by class
            Counts: ``n_predicted`` (all rows predicted to be in the class),
            ``audited_predicted``, ``audited_true`` and ``audited_right`` (audited rows
            that are predicted to be in it, truly are, or both). Bounds of what was asked
            for, which hold together at delta: ``precision_lower_bound``,
            ``recall_lower_bound`` and ``f1_lower_bound``, in [0, 1];
            ``total_lower_bound`` and ``total_upper_bound`` of the number of rows truly in
            the class. ``delta``: what is spent on the class. With two sides also
            ``precision_upper_bound``, ``recall_upper_bound``, ``f1_upper_bound``, and
            ``errors_lower_bound`` and ``errors_upper_bound`` of the number of rows
            wrongly predicted to be in the class.
        """
        return as_frame(self._columns(), "class")

    def _columns(self) -> dict[str, Sequence[Any]]:
        """The columns of the table."""
        counts, statements = self._counts_of_classes, self._statements
        columns: dict[str, Sequence[Any]] = {"class": self.classes}
        columns |= zip(_HEADS, zip(*self.counts, strict=True), strict=True)
        columns |= {n: b for n, b in self.bounds.items() if not n.startswith("macro")}
        share = statements.share(counts)
        return columns | {"delta": [share * n for n in statements.n_statements(counts)]}

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        drawn = self.strata or ((self.n_rows, self.n_audited, self.counts),)
        weighted = sum(n / m * np.array(counts) for n, m, counts in drawn if m)
        _, audited, true, right = np.asarray(weighted).T
        parts = {"precision": (right, audited), "recall": (right, true)}
        parts["f1"] = 2 * right, audited + true
        with np.errstate(invalid="ignore"):  # of classes without an audited row
            scores = {n: x / y for n, (x, y) in parts.items() if n in self.metrics}
        estimates = {f"{n}_estimate": s.tolist() for n, s in scores.items()}
        return self._columns() | estimates, {}

    def _columns_of_segment(self) -> dict[str, Sequence[Any]]:
        """The columns in a table of segments, and the macro error in each line."""
        macro = {n: b for n, b in self.bounds.items() if n.startswith("macro")}
        return self._columns() | {n: b * len(self.classes) for n, b in macro.items()}

    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        """The statement, and columns of texts; rates have three decimals."""
        columns = self._columns()

        def texts(name: str, rounded: Any = None) -> list[str]:
            values = columns[name]
            if rounded is None:
                return [*map(str, values)]
            return [f"{rounded(1000 * exact_decimal(v)) / 1000:.3f}" for v in values]

        def limits(name: str, down: Any = None, up: Any = None) -> list[str]:
            ends = texts(f"{name}_lower_bound", down), texts(f"{name}_upper_bound", up)
            return [*map("{} to {}".format, *ends)]

        table = {"class": [*map(escaped, texts("class"))]}
        table |= {head: texts(name) for name, head in _HEADS.items()}
        if "errors_lower_bound" in columns:
            table["wrong"] = limits("errors")
        for name, head in _SCORES.items():
            if name not in self.metrics:
                continue
            if self.sides == 2:
                table[head] = limits(name, math.floor, math.ceil)
            else:
                table[f"{head} >="] = texts(f"{name}_lower_bound", math.floor)
        if "total" in self.metrics:
            table["total"] = limits("total")
        return self._sentence(), table

    @property
    def _in_short(self) -> str:
        return f"{', '.join(self._numbers)}, delta={self.delta}"


# Bounds of more classes, or pairs of a class and a stratum, take minutes, also to verify
# files from anybody.
_MOST_CLASSES, _MOST_PAIRS = 1000, 10_000


def _sums(strata: Iterable[tuple[int, int, Counts]]) -> list[ClassCounts]:
    """Counts of each class in all strata together, as they are bounded."""
    by_stratum = [
        [ClassCounts(g, m - g, t - g, n, n_audited, n_rows) for n, m, t, g in counts]
        for n_rows, n_audited, counts in strata
    ]
    return [*map(ClassCounts.of_strata, zip(*by_stratum, strict=True))]


def _as_counts(of_classes: Iterable[ClassCounts]) -> Counts:
    """Counts of each class, as they are written."""
    return tuple((c.n_predicted, c.tp + c.fp, c.tp + c.fn, c.tp) for c in of_classes)


def _strata(of_classes: Sequence[ClassCounts]) -> tuple[tuple[int, int, Counts], ...]:
    """Sizes of each stratum, and counts of the classes in it."""
    return tuple(
        (each[0].n_rows, each[0].n_audited, _as_counts(each))
        for each in zip(*(c.strata for c in of_classes), strict=True)
    )


def _check_counts(counts, n_classes, n_rows, n_audited, least=1) -> Counts:
    """Counts of classes that can be those of one audit, with some predicted rows."""
    classes = [*counts] if is_iterable(counts) else []
    checked = [(*each,) if is_iterable(each) else () for each in classes]
    allowed = f"four counts for each of {n_classes} classes that fit together"
    are_counts = all(
        len(each) == 4 and all(is_integer(v) and 0 <= v <= MAX_COUNT for v in each)
        for each in checked
    )
    if len(checked) != n_classes or not n_classes or not are_counts:
        raise invalid("counts", allowed, counts)
    n, audited, true, _ = (sum(column) for column in zip(*checked, strict=True))
    others = n_audited - audited <= n_rows - n
    if not (least <= n and audited <= n_audited == true and others) or not all(
        right <= min(audited, true) and audited <= n and n_audited - audited <= n_rows - n
        for n, audited, true, right in checked
    ):
        raise invalid("counts", allowed, counts)
    return tuple((int(n), int(m), int(t), int(g)) for n, m, t, g in checked)


def _check_strata(strata, counts, n_rows, n_audited):
    """Counts of no strata, or of several that make up those of all rows."""
    if strata == ():
        return ()
    items = [*strata] if is_iterable(strata) else []
    given = [(*each,) if is_iterable(each) else () for each in items]
    allowed = "counts of several strata whose sums are those of all rows"
    are_sizes = all(len(each) == 3 and all(map(is_integer, each[:2])) for each in given)
    if not are_sizes or not 2 <= len(given) <= _MOST_PAIRS / len(counts):
        raise invalid("strata", allowed, strata)
    checked = tuple(
        (int(n), int(m), _check_counts(of, len(counts), n, m, 0)) for n, m, of in given
    )
    sums = _sums(checked)
    sizes = {(each.n_rows, each.n_audited) for each in sums}
    if _as_counts(sums) != counts or sizes != {(n_rows, n_audited)}:
        raise invalid("strata", allowed, strata)
    return checked


def _check_bounds(bounds, metrics, sides, n_classes):
    """Bounds of all that is stated, or zeros before they are computed."""
    ends = ["lower", "upper"][:sides]
    scores = [name for name in metrics if name in _SCORES]
    if sides == 2 and "precision" in metrics:
        scores.append("errors")
    names = [f"{name}_{end}_bound" for name in scores for end in ends]
    if "total" in metrics:
        names += ["total_lower_bound", "total_upper_bound"]
    lengths = dict.fromkeys(names, n_classes)
    if "macro_error" in metrics:
        macro = ["macro_error_bound", "macro_error_lower_bound"][:sides]
        lengths |= dict.fromkeys(macro, 1)
    if bounds == {}:
        return {name: (0.0,) * n for name, n in lengths.items()}
    if not isinstance(bounds, Mapping) or bounds.keys() != lengths.keys():
        raise invalid("bounds", f"bounds with the names {[*lengths]}", bounds)
    for name, n in lengths.items():
        values = bounds[name]
        are_numbers = isinstance(values, tuple) and all(map(is_number, values))
        if not are_numbers or len(values) != n:
            raise invalid("bounds", f"tuples of {n} numbers in {name}", values)
    return dict(bounds)


# Counts in texts, by shorter names.
_HEADS = {
    "n_predicted": "predicted",
    "audited_predicted": "audited",
    "audited_true": "truly",
    "audited_right": "right",
}


def _bounds_of(metrics: Collection[str], sides: int) -> str:
    """The bounds of metrics, in words."""
    scores = [words for name, words in _SCORES.items() if name in metrics]
    bounds = [words for name, words in _OTHERS.items() if name in metrics]
    if sides == 2:
        bounds = [words.replace("bound of", "bounds of") for words in bounds]
    if scores:
        which = "lower and upper" if sides == 2 else "lower"
        bounds.insert(0, f"the {which} bounds of {joined(scores)}")
    return joined(bounds) if bounds else ""


def class_report(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    delta: float = 0.1,
    classes: ArrayLike | None = None,
    metrics: Sequence[Metric] | None = None,
    sides: Literal[1, 2] = 1,
    by: ArrayLike | None = None,
) -> Any:
    """Bound precision, recall, F1 and size of every class, by an audit.

    All bounds hold together with probability at least ``1 - delta``, in finite samples.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The labeling: integers, text or booleans. -1 or a missing value marks a row
        without a label, which is predicted to be in no class.
    audit : Audit
        The audited rows, as :func:`draw_audit` returned them.
    audit_labels : array-like of shape (audit.size,)
        Labels that people gave to the audited rows, in drawing order: those of
        ``audit.rows``. None may be missing.
    delta : float, default=0.1
        Probability, in (0, 1), with which anything in the report may be wrong.
    classes : array-like of shape (n_classes,), default=None
        Classes besides the predicted ones, to be named before the audit.
    metrics : sequence of {"precision", "recall", "f1", "total", "macro_error"}, \
            default=None
        What to bound, to be chosen before the audit. Delta is divided equally among the
        statements: of each metric one for each class, and one about the macro error. None
        is ("precision", "recall", "f1").
    sides : {1, 2}, default=1
        Whether scores and the macro error are bounded from one side only, or from both.
        Each side then gets half of the statement's share of delta. Totals have two sides
        always. Fix it before the audit.
    by : array-like of shape (n_rows,), default=None
        The segment of each row, such as its year or source, made without the human
        labels and decided on before these are seen. Each segment gets a statement, and
        all hold together: with k segments, ``delta / k`` is the delta of each. Rows of no
        segment (-1 or a missing value) are left out.

    Returns
    -------
    report : ClassReport or SegmentsCertificate
        The table and the statement. With ``by``, a table with a report for each segment.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, a label of an audited row is missing, or the
        audit was drawn for another labeling or by groups.

    Warns
    -----
    UserWarning
        If people gave labels that are neither predicted nor in ``classes``.

    See Also
    --------
    certify_labels : Bounds the number of errors in all rows.
    sklearn_pacmdl.bounds.class_score_lower_bound : The bounds, from counts.
    sklearn.metrics.classification_report : Precision, recall and F1 of the audited rows,
        without a guarantee.

    Notes
    -----
    Statements must not depend on human labels, so only classes that are predicted or in
    ``classes`` have statements. Another class that people gave has trivial bounds.

    The audited rows predicted to be in a class, and the others, are samples of two
    strata. Both together bound recall, F1 and totals; see :doc:`/theory`. If rows were
    drawn by strata, each of these is divided so; where more than three parts have rows,
    wrongly predicted and missed rows get half of a statement's delta each.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import class_report, draw_audit
    >>> rng = np.random.RandomState(0)
    >>> truth = rng.choice(["ham", "news", "spam"], size=2000, p=[0.5, 0.3, 0.2])
    >>> guess = rng.choice(["ham", "news", "spam"], size=2000)
    >>> labels = np.where(rng.uniform(size=2000) < 0.05, guess, truth)
    >>> audit = draw_audit(2000, 400, labels=labels, random_state=0)
    >>> report = class_report(labels, audit, truth[audit.rows])
    >>> print(str(report).partition("\\n\\n")[2])
    class  predicted  audited  truly  right  precision >=  recall >=  F1 >=
    ham          979      200    204    195         0.940      0.916  0.940
    news         595      121    118    115         0.892      0.927  0.927
    spam         426       79     78     73         0.838      0.873  0.879
    """
    delta = check_open_unit("delta", delta)
    check_integer("sides", sides, 1, 2)
    chosen = _check_metrics(metrics)
    check_audit(audit, "class_report", "strata")
    none: NDArray[Any] = np.array([], dtype=object)
    named = none if classes is None else named_classes("classes", classes, audit)
    checked = audited_labels(labels, audit, audit_labels, by=by, alternatives=named)
    if not np.any(checked.predicted[audit.pool] >= 0):
        raise invalid("labels", "labels of which some are not missing", labels)
    named = in_type_of(named, checked.classes, "labels and classes")
    settings: Any = {"metrics": chosen, "sides": int(sides), "named": (*named.tolist(),)}
    return of_each_segment(_certified, checked, delta, ~checked.wrong, **settings)


def _certified(checked: AuditedLabels, delta: float, **settings: Any) -> ClassReport:
    """The report of all rows, or of those of a segment."""
    audit = checked.audit
    pool, rows = checked.of_these(audit.pool), checked.of_these(audit.rows)
    names = sorted({*checked.classes.tolist(), *settings["named"]})
    # Codes that are -1 stay what they are.
    code = np.array([names.index(name) for name in checked.classes.tolist()] + [-1])
    predicted, truth = code[checked.predicted[pool]], code[checked.truth]
    if not np.any(predicted >= 0):
        allowed = "segments of which some rows have a label, and missing for other rows"
        raise invalid("by", allowed, f"{checked.segment!r} without one")
    by_strata = audit.design.kind == "strata"
    number = audit.design.number[pool] if by_strata else np.zeros_like(pool)
    strata, stratum = np.unique(number, return_inverse=True)
    if by_strata and len(names) * len(strata) > _MOST_PAIRS:
        most = _MOST_PAIRS // len(names)
        allowed = f"one of at most {most} strata, with so many classes"
        raise invalid("audit", allowed, f"{len(strata)} strata")
    places, is_here = np.searchsorted(pool, rows), np.isin(audit.rows, rows)
    counts = count_classes(predicted, places, truth[is_here], len(names), stratum)
    return ClassReport._of(
        checked,
        classes=tuple(names),
        counts=_as_counts(counts),
        strata=_strata(counts),
        n_rows=len(pool),
        n_audited=len(rows),
        delta=delta,
        fingerprints=checked.fingerprints(checked.predicted, audit.pool),
        **settings,
    )


def _check_metrics(metrics: Any) -> tuple[str, ...]:
    """What is stated, in a fixed order."""
    if metrics is None:
        return (*_SCORES,)  # the rest follows from these
    chosen = list(metrics) if is_iterable(metrics) else []
    if not chosen or not all(isinstance(m, str) and m in _METRICS for m in chosen):
        raise invalid("metrics", f"None or a sequence of {sorted(_METRICS)}", metrics)
    return tuple(name for name in _METRICS if name in chosen)
