"""Rows that are labeled automatically: the surest, until too many were wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import tolerated_audit_errors
from ..certificates import FinishedCertificate
from ._audit import rows_without
from ._audit_size import tolerated_errors
from ._audited_labels import AuditedLabels
from ._surest import by_confidence


def stops_at(
    order: NDArray[np.int64], audited: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Sorted positions of wrong audited rows in the order, and behind them its end."""
    is_wrong = np.zeros(order.max(initial=-1) + 1, dtype=bool)
    is_wrong[np.intersect1d(audited[wrong], order)] = True
    return np.append(np.flatnonzero(is_wrong[order]), len(order))


def n_accepted(stops: NDArray[np.int64], n_tolerated: ArrayLike) -> Any:
    """How many rows come before one audited error more than tolerated; none for -1."""
    tolerated = np.asarray(n_tolerated)
    at = np.clip(tolerated, 0, len(stops) - 1)
    return np.where(tolerated < 0, 0, stops[at])[()]


class AcceptanceRule:
    """Which rows are accepted for each number of errors that may be left.

    Of ``n_rows`` rows, m were audited and n others could have been; the doubtful ones and
    the known ones could not. People may have given a wrong label to ``hidden`` audited
    ones.
    """

    def __init__(
        self, checked: AuditedLabels, confidence: NDArray[np.float64], delta: float
    ) -> None:
        audit = checked.audit
        self.checked, self.delta = checked, delta
        self.hidden = checked.max_people_errors
        self.m, self.n = audit.size, len(checked.unaudited)
        self.n_known = 0 if audit.known_labels is None else len(audit.known_labels)
        self.n_doubtful = len(audit.doubtful)
        self.n_not_excluded = self.m + self.n + self.n_doubtful
        self.n_rows = self.n_not_excluded + self.n_known
        # All rows without a label of people, and those that cannot be accepted.
        self.unaudited = rows_without(audit.not_excluded, audit.rows)
        doubtful = audit.doubtful[checked.predicted[audit.doubtful] >= 0]
        self.never_accepted = by_confidence(confidence, doubtful)
        labeled = audit.pool[checked.predicted[audit.pool] >= 0]
        self.order = by_confidence(confidence, labeled)
        self.stops = stops_at(self.order, audit.rows, checked.wrong)
        self.is_unaudited = ~np.isin(self.order, audit.rows)
        # How many of the first rows of the order, by their number.
        self.n_unaudited = np.concatenate([[0], np.cumsum(self.is_unaudited)])

    def max_errors(self, target: float) -> int:
        return tolerated_errors(self.n_rows, target)

    def tolerated(self, max_errors: ArrayLike) -> Any:
        """How many errors of audited rows may be accepted; -1 if no row may be."""
        # Audited rows keep human labels, so R errors may be left among them. Of the rows
        # before audited error c + 1, at most c + R are audited and wrong: these rows are
        # no more than those that are accepted by the rule for c + R.
        n, hidden = self.n, self.hidden
        left = np.minimum(np.asarray(max_errors) - hidden, n)
        audited = tolerated_audit_errors(self.m, n, np.maximum(left, 0), self.delta)
        return np.where(left < 0, -1, np.maximum(audited - hidden, -1))[()]

    def n_accepted(self, tolerated: ArrayLike) -> Any:
        return n_accepted(self.stops, tolerated)

    def certificate(self, tolerated: int, **fields: Any) -> FinishedCertificate:
        fields = self.checked.fields | fields
        if self.n_known:  # these are in the data set, with labels of people
            fields |= {"n_known": self.n_known, "n_excluded": 0}
        return FinishedCertificate.from_counts(
            n_train=self.m,
            n_test=self.n,
            n_train_errors=tolerated + self.hidden,
            weights={},
            delta=self.delta,
            **fields,
        )
