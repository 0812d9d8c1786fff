"""Audits that stop as soon as the labels so far are enough."""

from __future__ import annotations

from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import LooksPlan, looks_plan
from ..certificates import FORMAT, JsonRecord
from ..utils._checks import check_integer, check_open_unit, invalid, is_integer
from ..utils._words import confidence, counted, joined, percent
from ._audit_size import audit_size, errors_at, tolerated_errors

State = Literal["certified", "go on", "cannot succeed any more"]

_PROVISOS = (
    "the labeling and this plan were fixed before the first row was drawn",
    "the rows were labeled in drawing order",
    "none was left out",
    "the labels that people gave them are right",
)
# What a plan is made from, as it is written.
_PLAN = ("n_rows", "target", "delta", "max_labels")


class AuditMonitor(JsonRecord):
    """Audit that may be looked at after any label, and stops once these are enough.

    People label rows in a random order. After any label one may look: if there are few
    enough errors so far, the target is certified, and the audit can end. The thresholds
    are fixed in advance, and one ``delta`` covers all looks together.

    Parameters
    ----------
    n_rows : int
        Rows of the data set, without those excluded from the audit; from 2 to 2**51.
    target : float
        Tolerated share of wrong labels in the whole data set, in (0, 1). By its printed
        decimal, ``floor(target * n_rows)`` errors are tolerated; a product within 1e-9 of
        a whole number, as of 5 / 6500, counts as that.
    delta : float, default=0.1
        Probability, in (0, 1), of ever certifying a labeling that misses the target.
    max_labels : int
        Labels after which the audit ends in any case; at most ``n_rows`` and 10**6.
        Times the errors that they may have and still certify, they are at most 5e9. They
        must be enough to certify a labeling without errors.

    Attributes
    ----------
    boundaries : ndarray of shape (n_boundaries,) of int64
        Entry a is the number of labels from which on a errors certify.
    n_tolerated : int
        Errors that the target tolerates.
    n_labels, n_errors : int
        Labels so far, and errors among them.
    history : ndarray of shape (n_updates + 1, 2) of int64
        Labels and errors after each update, from (0, 0).
    certified_at : int or None
        Labels at the update that certified, if one has.
    state : {"certified", "go on", "cannot succeed any more"}
        "certified" from the first update with few enough errors; "cannot succeed any
        more" if ``max_labels`` would not be enough even without further errors.
    labels_still_needed : int or None
        Number of further labels that would certify if there were no more errors; 0 if
        certified, None if the audit cannot succeed any more.
    false_certification : float
        Probability, computed exactly, that the target is ever certified although more
        rows are wrong; the largest over all numbers of errors. At most ``delta``.
    statement : str
        What is certified, with what has to be assumed, or that nothing is certified yet.

    See Also
    --------
    audit_size : Plans an audit with a number of labels that is fixed before.
    certify_labels : Certifies such an audit.

    Notes
    -----
    Draw the rows once, for instance by ``draw_audit(n_rows, max_labels)``, and label them
    in the order of ``audit.rows``: a skipped row spoils the random order. If some rows
    could not be drawn, ``n_rows`` is ``len(audit.pool)``, for the pool only.

    An update with several labels is one look, after the last of them: if you know the
    order of the errors, update label by label. After a certificate, the audit may go on.
    More errors than are tolerated then refute it ("cannot succeed any more").

    Examples
    --------
    At most 5% of 10,000 labels may be wrong:

    >>> from sklearn_pacmdl.audits import AuditMonitor
    >>> monitor = AuditMonitor(10_000, 0.05, max_labels=2000)
    >>> monitor.boundaries[:4]
    array([ 77, 126, 165, 199])
    >>> print(monitor.expected_labels([0.01, 0.02, 0.03]).round())
    [130. 235. 491.]
    >>> monitor.update(100, 2)
    AuditMonitor(2 errors in 100 labels: go on)
    >>> monitor.labels_still_needed
    65
    >>> monitor.update(50, 0).update(50, 1)
    AuditMonitor(3 errors in 200 labels: certified)
    >>> print(monitor.statement)
    With probability at least 90% over the random order of the rows, at most 500 of all \
10000 rows (5.00%) are labeled wrongly, provided the labeling and this plan were fixed \
before the first row was drawn, the rows were labeled in drawing order, none was left \
out and the labels that people gave them are right.
    """

    _title = "a monitor"

    def __init__(
        self, n_rows: int, target: float, *, delta: float = 0.1, max_labels: int
    ) -> None:
        plan = looks_plan(
            n_rows, _check_target(n_rows, target, delta), max_labels, delta=delta
        )
        if not plan.boundaries.size:
            least = audit_size(n_rows, target, 0.0, delta=delta).n_labels
            reason = "since fewer labels do not certify the target even without errors"
            raise invalid("max_labels", f"at least {least}, {reason},", max_labels)
        self._begin(plan, target, delta)

    def _begin(self, plan: LooksPlan, target: float, delta: float) -> None:
        self.plan, self.target, self.delta = plan, float(target), float(delta)
        self.certified_at: int | None = None
        self._history = [(0, 0)]

    n_rows = property(attrgetter("plan.n_rows"))
    max_labels = property(attrgetter("plan.max_labels"))
    n_tolerated = property(attrgetter("plan.n_tolerated"))
    boundaries = property(attrgetter("plan.boundaries"))
    false_certification = property(attrgetter("plan.false_certification"))

    @property
    def history(self) -> NDArray[np.int64]:
        return np.array(self._history, dtype=np.int64)

    @property
    def n_labels(self) -> int:
        return self._history[-1][0]

    @property
    def n_errors(self) -> int:
        return self._history[-1][1]

    def update(self, n_labels: int, n_errors: int) -> AuditMonitor:
        """Add labels, in drawing order, and look.

        Parameters
        ----------
        n_labels : int
            New labels; not more than are left of ``max_labels``.
        n_errors : int
            Errors among the new labels: rows for which people gave another label.

        Returns
        -------
        monitor : AuditMonitor
            The monitor itself.

        Raises
        ------
        ValueError
            If a count is negative, not an integer or too large. Nothing is added then.

        Examples
        --------
        Label by label, where the order of the answers is known:

        >>> from sklearn_pacmdl.audits import AuditMonitor
        >>> monitor = AuditMonitor(1000, 0.1, max_labels=100)
        >>> for wrong in [False, False, True, False]:
        ...     monitor.update(1, int(wrong)).state
        'go on'
        'go on'
        'go on'
        'go on'
        """
        left = self.max_labels - self.n_labels
        n_labels = check_integer("n_labels", n_labels, 0, left)
        n_errors = check_integer("n_errors", n_errors, 0, n_labels)
        labels, errors = self.n_labels + n_labels, self.n_errors + n_errors
        self._history.append((labels, errors))
        if self.certified_at is None and errors <= self.plan.most_errors(labels):
            self.certified_at = labels
        return self

    @property
    def state(self) -> State:
        if self.certified_at is not None and not self._is_refuted:
            return "certified"
        if self.certified_at is None and self.n_errors < self.boundaries.size:
            return "go on"
        return "cannot succeed any more"

    @property
    def _is_refuted(self) -> bool:
        """Whether labels after the certificate showed more errors than it tolerates."""
        return self.certified_at is not None and self.n_errors > self.n_tolerated

    @property
    def labels_still_needed(self) -> int | None:
        if self.state == "cannot succeed any more":
            return None
        if self.state == "certified":
            return 0
        return int(self.boundaries[self.n_errors]) - self.n_labels

    @property
    def statement(self) -> str:
        if self.certified_at is None:
            text = f"Nothing is certified by {self._so_far()}"
            more, most = self.labels_still_needed, self.boundaries.size - 1
            if more is not None:
                needed = counted(more, "more label")
                return f"{text}; {needed} without an error would do."
            few = f"{counted(most, 'error')} in {self.max_labels} labels"
            return f"{text}, and nothing can be: {few} would have been few enough."
        if self._is_refuted:
            what = f"What {self.certified_at} labels certified"
            return f"{what} is refuted by {self._so_far()}."
        return (
            f"{confidence(self.delta)} over the random order of the rows, "
            f"at most {self.n_tolerated} of all {self.n_rows} rows "
            f"({percent(self.n_tolerated, self.n_rows)}) are labeled wrongly, provided "
            f"{joined(_PROVISOS)}."
        )

    def _so_far(self) -> str:
        errors = counted(self.n_errors, "error")
        return f"{errors} in {counted(self.n_labels, 'label')}"

    def expected_labels(self, error_rate: ArrayLike) -> Any:
        """Mean number of labels until the target is certified, or the audit ends.

        Parameters
        ----------
        error_rate : float or array-like of any shape of float
            Share of wrongly labeled rows, in [0, 1]; their number is rounded up.

        Returns
        -------
        n_labels : float or ndarray of the same shape of float64
            From 1 to ``max_labels``, the number of an audit without success. Looks are
            after each label.
        """
        errors = errors_at("error_rate", error_rate, self.n_rows)
        return self.plan.expected_labels(errors)

    def probability_of_success(self, error_rate: ArrayLike) -> Any:
        """Probability that the target is certified within ``max_labels``.

        Parameters
        ----------
        error_rate : float or array-like of any shape of float
            Share of wrongly labeled rows, in [0, 1]; their number is rounded up.

        Returns
        -------
        probability : float or ndarray of the same shape of float64
            In [0, 1], before the first label, and with a look after each one.
        """
        return self.plan.success(errors_at("error_rate", error_rate, self.n_rows))

    def _as_json(self) -> dict[str, Any]:
        plan = {name: getattr(self, name) for name in _PLAN}
        progress = {"history": self._history, "format": FORMAT}
        return plan | {"boundaries": self.boundaries.tolist()} | progress

    @classmethod
    def _names(cls) -> set[str]:
        return {*_PLAN, "boundaries", "history"}

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> AuditMonitor:
        n_rows, target, delta, max_labels = (values[name] for name in _PLAN)
        boundaries, history = values["boundaries"], values["history"]
        tolerated = _check_target(n_rows, target, delta)
        plan = LooksPlan(n_rows, tolerated, max_labels, boundaries)
        monitor = cls.__new__(cls)
        monitor._begin(plan, target, delta)
        # Boundaries of another version may differ by roundings, but were fixed in time.
        if monitor.false_certification > monitor.delta:
            allowed = f"such that at most delta={monitor.delta} is spent"
            raise invalid("boundaries", allowed, boundaries)
        are_pairs = all(len(each) == 2 for each in history)
        are_integers = all(map(is_integer, chain(*history)))
        if not are_pairs or not are_integers or any(history[0]):
            allowed = "a list that begins with [0, 0], of pairs of integers"
            raise invalid("history", allowed, history)
        for before, after in pairwise(history):
            monitor.update(after[0] - before[0], after[1] - before[1])
        return monitor

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._so_far()}: {self.state})"


def _check_target(n_rows: int, target: float, delta: float) -> int:
    """Errors that the target tolerates, once all three are what they must be."""
    check_integer("n_rows", n_rows, 2)
    check_open_unit("target", target)
    check_open_unit("delta", delta)
    return tolerated_errors(n_rows, target)
