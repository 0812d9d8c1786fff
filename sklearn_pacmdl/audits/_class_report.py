"""What an audit says of each class: precision, recall, F1 and size, all at once."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import BEFOREHAND, caveats_of, sentence
from ..columns import in_type_of
from ..reports import ReportMixin, classes_report
from ..utils._checks import (
    check_integer,
    check_open_unit,
    exact_decimal,
    invalid,
    is_iterable,
)
from ..utils._docs import substituted
from ..utils._printable import escaped
from ..utils._words import PrintedTable, as_frame, joined, percent, percent_below
from ._audit import Audit, check_audit
from ._audited import assumed_of_people
from ._certify import audited_labels, certify_labels, named_classes
from ._class_bounds import Statements, count_classes

if TYPE_CHECKING:
    import pandas as pd

Metric = Literal["precision", "recall", "f1", "total", "macro_error"]
_SCORES = {"precision": "precision", "recall": "recall", "f1": "F1"}
_OTHERS = {"total": "the bounds of totals", "macro_error": "the bound of the macro error"}
_METRICS = (*_SCORES, *_OTHERS)


@dataclass(frozen=True, eq=False, repr=False)
class ClassReport(PrintedTable, ReportMixin):
    """Bounds for each class: result of :func:`class_report`.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_classes,)
        The columns of :meth:`to_frame`.
    n_statements : int
        Number of statements that share delta.
    delta : float
        Probability with which anything in the report may be wrong.
    metrics : tuple of str
        What is stated.
    choice, provisos : tuple of str
        What the probability is over, and assumptions, as clauses.
    caveat : str
        What speaks against the assumptions, as a clause.
    sides : int
        1 if scores are bounded from below only, 2 if from above, too.
    macro_error_bound : float or None
        Upper bound on the mean over the predicted classes of the share of wrong labels;
        in [0, 1], lower is better. None if it is not stated.
    macro_error_lower_bound : float or None
        Lower bound on the same, in [0, 1]; None if ``sides`` is 1 or it is not stated.
    statement : str
        What is guaranteed, in words.

    See Also
    --------
    class_report : Makes the report of an audit.

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
    """

    columns: dict[str, NDArray[Any]]
    n_statements: int
    delta: float
    metrics: tuple[str, ...]
    choice: tuple[str, ...]
    provisos: tuple[str, ...]
    caveat: str = ""
    sides: int = 1
    macro_error_bound: float | None = None
    macro_error_lower_bound: float | None = None

    @property
    def statement(self) -> str:
        n_classes, n_statements = self._counts
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
        caveats = [self.caveat] * bool(self.caveat)
        text = sentence(self.delta, self.choice, claim, self.provisos, caveats)
        return f"{text} Numbers of predicted and of audited rows are counted."

    @property
    def _counts(self) -> tuple[str, str]:
        """Numbers of classes and of statements, in words."""
        n, m = len(self.columns["class"]), self.n_statements
        return f"{n} class{'es' * (n != 1)}", f"{m} statement{'s' * (m != 1)}"

    _report = classes_report
    _has_names = True

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
        return as_frame(self.columns, "class")

    def to_json(self, **kwargs: Any) -> str:
        """Write the statement, the columns and all other fields as JSON text.

        Parameters
        ----------
        **kwargs : dict
            For :func:`json.dumps`, such as ``indent``.

        Returns
        -------
        text : str
            One object. Classes that JSON does not know are texts.
        """
        values = vars(self) | {"statement": self.statement}
        values["columns"] = {name: v.tolist() for name, v in self.columns.items()}
        return json.dumps(values, **{"default": str} | kwargs)

    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        """The statement, and columns of texts; rates have three decimals."""

        def texts(name: str, rounded: Any = None) -> list[str]:
            values = self.columns[name].tolist()
            if rounded is None:
                return [*map(str, values)]
            return [f"{rounded(1000 * exact_decimal(v)) / 1000:.3f}" for v in values]

        def limits(name: str, down: Any = None, up: Any = None) -> list[str]:
            ends = texts(f"{name}_lower_bound", down), texts(f"{name}_upper_bound", up)
            return [*map("{} to {}".format, *ends)]

        table = {"class": [*map(escaped, texts("class"))]}
        table |= {head: texts(name) for name, head in _HEADS.items()}
        if "errors_lower_bound" in self.columns:
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
        return self.statement, table

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._counts)}, delta={self.delta})"


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


@substituted(certify_labels)
def class_report(
    labels: ArrayLike,
    audit: Audit,
    audit_labels: ArrayLike,
    *,
    delta: float = 0.1,
    classes: ArrayLike | None = None,
    metrics: Sequence[Metric] | None = None,
    sides: Literal[1, 2] = 1,
) -> ClassReport:
    """Bound precision, recall, F1 and size of every class, by an audit.

    All bounds of the report hold together, with probability at least ``1 - delta``, in
    finite samples: no normal approximation is used.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        The labeling: integers, text or booleans. -1 or a missing value marks a row
        without a label, which is predicted to be in no class.
    {audit}
    {audit_labels}
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

    Returns
    -------
    report : ClassReport
        The table and the statement.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or a label of an audited row is missing. If
        the audit was drawn for another labeling, or no human label is predicted or in
        ``classes``. If there are more ``classes`` than rows, or one is a class of
        ``labels`` in another writing.

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
    strata. Both together bound recall, F1 and totals; see :doc:`/theory`. Classes with
    few audited rows have low lower bounds: with 30 rows the bound on precision cannot
    exceed about 0.9, even if all 30 are right.

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
    >>> report
    ClassReport(3 classes, 9 statements, delta=0.1)
    >>> print(str(report).partition("\\n\\n")[2])
    class  predicted  audited  truly  right  precision >=  recall >=  F1 >=
    ham          979      200    204    195         0.940      0.916  0.940
    news         595      121    118    115         0.892      0.927  0.927
    spam         426       79     78     73         0.838      0.873  0.879
    """
    check_open_unit("delta", delta)
    check_integer("sides", sides, 1, 2)
    chosen = _check_metrics(metrics)
    check_audit(audit, "class_report")
    none: NDArray[Any] = np.array([], dtype=object)
    named = none if classes is None else named_classes("classes", classes, audit)
    checked = audited_labels(labels, audit, audit_labels, alternatives=named)
    if not np.any(checked.predicted[audit.pool] >= 0):
        raise invalid("labels", "labels of which some are not missing", labels)
    named = in_type_of(named, checked.classes, "labels and classes")
    names = sorted({*checked.classes.tolist(), *named.tolist()})
    # Codes that are -1 stay what they are.
    code = np.array([names.index(name) for name in checked.classes.tolist()] + [-1])
    predicted, truth = code[checked.predicted[audit.pool]], code[checked.truth]
    rows = np.searchsorted(audit.pool, audit.rows)
    counts = count_classes(predicted, rows, truth, len(names))
    in_order = np.array(names, dtype=checked.classes.dtype)
    declared = np.isin(in_order, named)
    statements = Statements(chosen, declared, float(delta), int(sides))
    assumed = assumed_of_people(0, audit.seed_text)
    n_pool, n_doubtful = len(audit.pool), checked.n_less_sure
    pool = f"the surest {n_pool} of {n_pool + n_doubtful}" if n_doubtful else f"{n_pool}"
    return ClassReport(
        **statements.bounds(counts, in_order),
        delta=float(delta),
        metrics=chosen,
        choice=(f"the {audit.size} audited rows of {pool}",),
        provisos=(*assumed, *checked.provisos, BEFOREHAND),
        caveat="".join(caveats_of([audit])),
        sides=int(sides),
    )


def _check_metrics(metrics: Any) -> tuple[str, ...]:
    """What is stated, in a fixed order."""
    if metrics is None:
        return (*_SCORES,)  # the rest follows from these
    chosen = list(metrics) if is_iterable(metrics) else []
    if not chosen or not all(isinstance(m, str) and m in _METRICS for m in chosen):
        raise invalid("metrics", f"None or a sequence of {sorted(_METRICS)}", metrics)
    return tuple(name for name in _METRICS if name in chosen)
