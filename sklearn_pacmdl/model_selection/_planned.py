"""What more labels, or another way to certify, would be expected to give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import ClusterSizes, PlannedWays, as_counts, choice_bits
from ..utils._checks import invalid, is_number, shown
from ._missing import why_missing

# As many labels of the error rate of all clusters are added to those of each. Measured
# for searches on digits, blobs and wine, 8 choices of rows each: between .5 and 6, plans
# for two or three times the labels are as near to what new searches certify (within .6
# points), and those for the same labels, which can be compared with the bound at hand,
# are nearer the less is added (1: 1.2 points on average, 6: 1.6).
_ADDED = 1.0


@dataclass(frozen=True)
class SearchPlan:
    """The clustering that a search has chosen, as one to certify with other labels."""

    ways: PlannedWays
    kind: str  # of the certificate
    n_labeled: int

    @property
    def kinds(self) -> list[str]:
        """The kind in use, and the others that can be planned for."""
        return list(dict.fromkeys([self.kind, "decoupled", "learned", "holdout"]))

    def needed(self, target: float) -> int:
        """First number of labels, from one more than there are, that meets the target.

        Looked for upward in steps of a quarter; the last step is halved.
        """
        n_rows = self.ways.clusters.n_rows
        low, bounds = self.n_labeled, {}
        while low < n_rows - 1:
            high = min(low + low // 4 + 1, n_rows - 1)
            bounds[high] = self.ways.bound(self.kind, high)
            if bounds[high] <= target:
                return self._first(low, high, target)
            low = high
        if not bounds:
            raise ValueError(
                f"target must be at least the bound, since all rows but one are labeled, "
                f"got {shown(target)}."
            )
        best = min(bounds, key=lambda number: bounds[number])
        raise ValueError(
            f"target must be at least about {bounds[best]:.3g}, the smallest bound to "
            f"expect of this clustering, with {best} of {n_rows} rows labeled, got "
            f"{shown(target)}."
        )

    def table(self, n_labeled: Any) -> dict[str, NDArray]:
        """Bounds by kind of certificate, for numbers of labels."""
        (counts,) = as_counts(
            n_labeled=self.n_labeled if n_labeled is None else n_labeled
        )
        most = self.ways.clusters.n_rows - 1
        if counts.ndim > 1 or counts.max(initial=0) > most:
            raise invalid("n_labeled", f"integers from 0 to {most}", n_labeled)
        numbers, which = np.unique(counts.astype(int), return_inverse=True)
        bounds = {
            kind: np.array([self.ways.bound(kind, m) for m in numbers.tolist()], float)
            for kind in self.kinds
        }
        columns = {"n_labeled": numbers} | bounds
        return {name: column[which.ravel()] for name, column in columns.items()}

    def _first(self, low: int, high: int, target: float) -> int:
        while high - low > 1:
            middle = (low + high) // 2
            if self.ways.bound(self.kind, middle) <= target:
                high = middle
            else:
                low = middle
        return high


def search_plan(search: Any, expected_error: float | None) -> SearchPlan:
    """The plan for a fitted search, with these or the observed error rates."""
    if expected_error is not None and (
        not is_number(expected_error) or not 0 <= expected_error < 1
    ):
        raise invalid("expected_error", "None or a number in [0, 1)", expected_error)
    certificate = search.certificate_
    if "_clusters_" not in vars(search):
        raise AttributeError(why_missing(search, "clusters_"))
    known = ("decoupled", "pac-mdl", "learned", "holdout")
    if certificate.kind not in known:
        allowed = f"one of {list(known)} for plans"
        raise invalid("certify", allowed, certificate.kind)
    clusters = search._clusters_
    rates = observed_rates(clusters) if expected_error is None else expected_error
    bits = certificate.description_length
    decoupled = bool(certificate.clusters)
    # Or its classes cost bits, as under "pac-mdl".
    kind = "pac-mdl" if certificate.kind == "decoupled" else certificate.kind
    kind = "decoupled" if decoupled else kind
    fraction = search._select_fraction_
    ways = PlannedWays(
        ClusterSizes.of(clusters["size"], rates),
        len(search.classes_),
        search.delta,
        choice=bits if decoupled else choice_bits(len(search.cv_results_["params"])),
        shares={kind: fraction} if fraction else {},
        paid=bits,
    )
    return SearchPlan(ways, kind, len(search.splits_[0][0]))


def observed_rates(clusters: Mapping[str, NDArray]) -> NDArray[np.floating]:
    """Error rates of clusters as they were seen, drawn to the rate of all.

    That rate is of all labels, with half an error among one label more; each cluster gets
    as many labels of that rate as ``_ADDED``.
    """
    n_labels = clusters["n_labels"]
    right = np.where(n_labels > 0, n_labels * np.nan_to_num(clusters["purity"]), 0.0)
    wrong = np.rint(n_labels - right)
    if "n_certifying" in clusters:
        n_labels = n_labels + clusters["n_certifying"]
        wrong = wrong + clusters["n_certifying_errors"]
    overall = (wrong.sum() + 0.5) / (n_labels.sum() + 1)
    return (wrong + _ADDED * overall) / (n_labels + _ADDED)
