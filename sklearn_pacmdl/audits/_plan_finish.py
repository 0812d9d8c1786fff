"""What a budget of checks can be expected to give, before the first check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import bmax, log_chance
from ..utils._checks import as_array, check_integer, check_open_unit, invalid
from ..utils._row_order import check_same_order
from ..utils._words import PrintedTable, as_frame
from ._audit import Audit
from ._audit_size import audit_size, tolerated_errors
from ._audited_labels import audited_labels
from ._pool import check_confidence
from ._surest import (
    GAIN,
    GAIN_BY_PILOT,
    are_probabilities,
    by_confidence,
    fitted_errors,
    planned_share,
    supposed_errors,
)

if TYPE_CHECKING:
    import pandas as pd

# Numbers of checks that are compared with the budget, in eighths of it.
_EIGHTHS = np.array([1, 2, 4, 6, 8, 12, 16, 32])
# Standard deviations around the mean of the number of audited errors; numbers outside
# have a probability near 10**-9.
_FAR = 6
_HEADS = {
    "n_audited": "checks",
    "share_automatic": "rows spared",
    "n_to_annotators": "rows to people",
    "error_bound": "all labels: wrong <=",
    "surest": "surest",
}
_NO_GUARANTEE = "This is a plan and guarantees nothing: it supposes that"


@dataclass(frozen=True, eq=False, repr=False)
class FinishPlan(PrintedTable):
    """Expected results of numbers of checks: result of :func:`plan_finish`.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_plans,)
        The columns of :meth:`to_frame`.
    budget : int
        Number of checks that was asked for, which is one of the lines.
    n_rows : int
        Number of rows that the plan is about: all without those of a pilot.
    target, delta : float
        What the data set is to be finished for, in (0, 1).
    error_rate : float
        Supposed share of wrong labels, in [0, 1].
    supposed : str
        The assumption about the labels, as a clause after "it supposes that".
    n_to_certify : int or None
        Number of checks by which all labels, as they are, are certified for the target
        with probability 0.9. None if they are supposed to be worse than the target.
    surest : float
        The share of the rows for ``draw_audit(surest=)``, in (0, 1], for the budget.
    sentence : str
        What the budget is expected to give, in words.

    See Also
    --------
    plan_finish : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import plan_finish
    >>> confidence = [1 - (i / 1000) ** 3 for i in range(1000)]
    >>> plan = plan_finish(confidence, 200, expected_accuracy=0.8)
    >>> plan.surest
    1.0
    """

    columns: dict[str, NDArray[Any]]
    budget: int
    n_rows: int
    target: float
    delta: float
    error_rate: float
    supposed: str
    n_to_certify: int | None

    @property
    def surest(self) -> float:
        return float(self._at_budget["surest"])

    @property
    def _at_budget(self) -> dict[str, Any]:
        (at,) = np.flatnonzero(self.columns["n_audited"] == self.budget)
        return {name: column[at] for name, column in self.columns.items()}

    @property
    def sentence(self) -> str:
        here, target = self._at_budget, f"{100 * self.target:g}%"
        if self.n_to_certify is None:
            rest = "is not possible: more of them are expected to be wrong"
        else:
            rest = f"takes about {self.n_to_certify:,} checks"
        pool = f"To spare rows, draw from the surest {self.surest:.0%} of them. "
        return (
            f"{self.budget:,} checks: an error rate of about "
            f"{_short(here['error_bound'])} certified for all labels, or about "
            f"{_short(here['share_automatic'])} of the rows spared at {target}. People "
            f"then label the {here['n_to_annotators']:,} others. "
            f"Certifying all labels at {target} {rest}. "
            f"{pool if self.surest < 1 else ''}{_NO_GUARANTEE} {self.supposed}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Make the table of numbers of checks, which requires pandas.

        Returns
        -------
        frame : DataFrame, indexed by n_audited
            Expected results. ``share_automatic`` is the share of the rows that people
            need not label; higher is better. ``n_to_annotators`` rows are left to people,
            besides the checked ones. ``error_bound`` is the bound of
            :func:`certify_labels` on the error rate of all labels as they are; lower is
            better. To finish the data set, draw from the ``surest`` share of the rows.
        """
        return as_frame(self.columns, "n_audited")

    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        forms = dict.fromkeys(["n_audited", "n_to_annotators"], "{:,}".format)
        return self.sentence, {
            head: [*map(forms.get(name, _short), self.columns[name].tolist())]
            for name, head in _HEADS.items()
        }

    def __repr__(self) -> str:
        spared = self._at_budget["share_automatic"]
        expected = f"share_automatic={spared:.3f}, surest={self.surest:g}"
        return f"{type(self).__name__}({self.budget} of {self.n_rows} rows, {expected})"


def _short(share: float) -> str:
    return f"{share:.0%}" if share >= 0.095 else f"{share:.1%}"


def plan_finish(
    confidence: ArrayLike,
    budget: int,
    target: float = 0.05,
    delta: float = 0.1,
    *,
    expected_accuracy: float | None = None,
    pilot: Audit | None = None,
    labels: ArrayLike | None = None,
    audit_labels: ArrayLike | None = None,
) -> FinishPlan:
    """Estimate what a budget of checks can give, before the first check.

    Estimates how many of the other rows :func:`finish_labels` will accept, and what error
    rate :func:`certify_labels` can certify. Both depend on supposed error rates, so this
    is a plan, and guarantees nothing.

    Parameters
    ----------
    confidence : array-like of shape (n_rows,)
        How sure each label is; higher is surer. Numbers in [0, 1] with a mean of at least
        0.8 are treated as probabilities of being right. Of others, only the order counts.
    budget : int
        Number of rows that people can check, at least 1 and fewer than all rows.
    target : float, default=0.05
        Share of wrong labels, in (0, 1), that the finished data set may have.
    delta : float, default=0.1
        Probability, in (0, 1), with which a statement may be wrong.
    expected_accuracy : float, default=None
        Guess of the share of all labels that are right, in (0, 1), such as that of the
        model on other data. Not together with ``pilot``.
    pilot : Audit, default=None
        An earlier, small audit of the same labels, from which the plan learns how often
        labels are wrong. The plan is about the other rows: ``draw_audit(exclude=pilot)``.
    labels : array-like of shape (n_rows,), default=None
        The labeling of which the pilot is an audit. Only with ``pilot``.
    audit_labels : array-like of shape (pilot.size,), default=None
        Human labels of the pilot's rows, in drawing order. Only with ``pilot``.

    Returns
    -------
    plan : FinishPlan
        Printed, it says what the budget is expected to give, and has a table of smaller
        and larger budgets. ``plan.surest`` is the share of the rows to draw from.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or the pilot was for other labels.

    See Also
    --------
    draw_audit : Draws the audit; ``surest="auto"`` plans by the confidences alone.
    audit_size : Plans the number of checks, if the error rate is known.
    finish_labels : Finishes the data set.

    Notes
    -----
    Without a pilot, the supposed error rate of a row is one minus its confidence if
    confidences are probabilities; ``expected_accuracy`` shifts the log odds of all rates
    to this mean. For other numbers, it grows with a power of the rank, from 0 for the
    surest row to 1: the fourth power, or the one with the expected mean. All rows are
    supposed to have a label.

    With a pilot, a logistic regression (``C=10``) predicts errors from these log odds. If
    all labels of the pilot are right, or all wrong, its accuracy takes the place of
    ``expected_accuracy``, with half a right and half a wrong label added. A smaller share
    than all rows must be expected to spare 10% more (in :func:`draw_audit`, 5%). Pass it
    on: ``draw_audit(..., exclude=pilot, surest=plan.surest)``.

    Audited errors are expected to come as in a Poisson process. :doc:`/audits` says how
    well plans come true.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import draw_audit, plan_finish
    >>> rng = np.random.RandomState(0)
    >>> confidence = rng.beta(8, 1, size=3000)
    >>> plan = plan_finish(confidence, 100)
    >>> plan
    FinishPlan(100 of 3000 rows, share_automatic=0.569, surest=0.75)
    >>> plan.to_frame().round(2).loc[[50, 100, 400]]
               share_automatic  n_to_annotators  error_bound  surest
    n_audited
    50                    0.51         1433            0.19    0.65
    100                   0.57         1194            0.16    0.75
    400                   0.62          744            0.13    1.00
    >>> audit = draw_audit(3000, 100, confidence=confidence, surest=plan.surest)
    """
    check_same_order(confidence=confidence, labels=labels)
    array = as_array("confidence", confidence)
    if pilot is not None and not isinstance(pilot, Audit):
        raise invalid("pilot", "None or an Audit, as draw_audit returns it", pilot)
    n_given = (array.size if array.ndim else 1) if pilot is None else pilot.n_rows
    numbers = check_confidence(confidence, n_given)
    of_pilot = {"labels": labels, "audit_labels": audit_labels}
    for name, value in of_pilot.items():
        if pilot is None and value is not None:
            raise invalid("pilot", f"given with {name}", pilot)
        if pilot is not None and value is None:
            raise invalid(name, "given with pilot", value)
    if expected_accuracy is not None:
        check_open_unit("expected_accuracy", expected_accuracy)
        if pilot is not None:
            allowed = "left out with pilot, which tells how often labels are right"
            raise invalid("expected_accuracy", allowed, expected_accuracy)
    target, delta = check_open_unit("target", target), check_open_unit("delta", delta)
    errors, supposed = _supposed(numbers, expected_accuracy, pilot, labels, audit_labels)
    n_rows = len(errors)
    if n_rows < 2:
        allowed = "that of at least 2 rows to draw from"
        raise invalid("confidence", allowed, confidence)
    budget = check_integer("budget", budget, 1, n_rows - 1)
    sizes = np.unique([min(-(-budget * k // 8), n_rows - 1) for k in _EIGHTHS.tolist()])
    gain = GAIN if pilot is None else GAIN_BY_PILOT
    plans = [planned_share(errors, m, target, delta, gain) for m in sizes.tolist()]
    surest, spared = np.array(plans).T
    n_wrong = round(float(np.sum(errors)))
    rates = [_certified(n_rows, n_wrong, size, delta) for size in sizes.tolist()]
    n_to_certify = None
    if n_wrong <= tolerated_errors(n_rows, target):
        sized = audit_size(n_rows, target, n_wrong / n_rows, delta=delta)
        n_to_certify = sized.n_labels
    return FinishPlan(
        columns={
            "n_audited": sizes,
            "share_automatic": spared / n_rows,
            "n_to_annotators": n_rows - sizes - np.rint(spared).astype(np.int64),
            "error_bound": np.array(rates),
            "surest": surest,
        },
        budget=budget,
        n_rows=n_rows,
        target=target,
        delta=delta,
        error_rate=float(np.mean(errors)),
        supposed=supposed,
        n_to_certify=n_to_certify,
    )


def _supposed(confidence, accuracy, pilot, labels, audit_labels):
    """Error rates of the rows that may be drawn, the surest first, and words for them."""
    order = by_confidence(confidence, np.arange(len(confidence)))
    if pilot is None:
        errors = supposed_errors(confidence[order], accuracy)
        if accuracy is not None:
            right = f"{100 * accuracy:.3g}% of the labels are right"
            return errors, f"{right}, the surer ones more often"
        if not are_probabilities(confidence):
            power = "the fourth power of the rank, from 0 to 1"
            return errors, f"the error rate grows with {power}"
        right = "labels are right as often as their confidences say"
        return errors, f"{right}, which many models overstate"
    checked = audited_labels(labels, pilot, audit_labels, confidence)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    # Rows without an automatic label say nothing about those that have one.
    labeled = checked.predicted[pilot.rows] >= 0
    at = place[pilot.rows[labeled]]
    errors = fitted_errors(confidence[order], at, checked.wrong[labeled])
    errors = np.delete(errors, place[np.concatenate([pilot.rows, pilot.excluded])])
    return errors, f"labels are as often wrong as in the pilot of {pilot.size:,} rows"


def _certified(n_rows: int, n_wrong: int, size: int, delta: float) -> float:
    """Expected bound on the error rate of all labels, by an audit of all rows."""
    mean = size * n_wrong / n_rows
    far = _FAR * (np.sqrt(mean) + 1)
    first, last = max(0, size - (n_rows - n_wrong)), min(size, n_wrong)
    audited = np.arange(max(first, int(mean - far)), min(last, int(mean + far)) + 1)
    below = np.exp(log_chance(n_rows, size, audited, n_wrong))
    chance = np.diff(below, prepend=0.0)
    bounds = audited + bmax(size, n_rows - size, audited, delta)
    return float(chance @ bounds / np.sum(chance) / n_rows)
