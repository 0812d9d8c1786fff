"""Certificates whose labeled rows select in part, or are counted cluster by cluster."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from ..bounds import (
    DECIDABLE,
    MAX_COUNT,
    ClusterKinds,
    exact_decoupled_bound,
    table_cells,
)
from ..utils._checks import check_option, invalid, is_iterable
from ._bound_certificate import BoundCertificate
from ._fields import Part, check_parts

# Cells of the tables of all clusters for a range of numbers of errors, at 10 ns each, and
# what each table takes besides. A thousand clusters of 10,000 rows have fewer if up to
# 100 are labeled in each.
MOST_CELLS, CELLS_OF_A_TABLE = 3 * 10**8, 30_000


class LearnedCertificate(BoundCertificate, kind="learned"):
    """Certificate by labeled rows of which others set the weights of labelings.

    See Also
    --------
    BoundCertificate : The attributes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.certificates import LearnedCertificate
    >>> LearnedCertificate.from_counts(
    ...     120, 900, 6, weights={"label": Fraction(9, 10)}, n_select=180
    ... ).claim
    'at most 81 of the 900 unlabeled rows (9.00%) are labeled wrongly'
    """

    selects = True
    also_random = "of their division"


class HoldoutCertificate(BoundCertificate, kind="holdout"):
    """Certificate by labeled rows of which others chose the labeling.

    See Also
    --------
    BoundCertificate : The attributes.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import HoldoutCertificate
    >>> HoldoutCertificate.from_counts(120, 900, 6, weights={}, n_select=180).claim
    'at most 79 of the 900 unlabeled rows (8.78%) are labeled wrongly'
    """

    selects = True
    also_random = "of their division"


@dataclass(frozen=True, kw_only=True)
class DecoupledCertificate(BoundCertificate, kind="decoupled"):
    """Certificate whose bound follows from counts of each cluster.

    Attributes
    ----------
    clusters : tuple of tuple of int, default=()
        For each kind of clusters how many there are, and the numbers of rows, of labeled
        rows and of errors among these in each. Empty only if a weight "label" is for the
        classes of clusters; the bound is then that of all rows.
    factor : {"table", "closed"}, default="table"
        The factors of clusters, as in :func:`~sklearn_pacmdl.bounds.decoupled_bound`.

    See Also
    --------
    BoundCertificate : The other attributes.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import DecoupledCertificate
    >>> clusters = [(1, 700, 200, 3), (3, 100, 20, 1)]
    >>> DecoupledCertificate.from_counts(
    ...     260, 740, 6, weights={}, clusters=clusters
    ... ).claim
    'at most 44 of the 740 unlabeled rows (5.95%) are labeled wrongly'
    """

    clusters: tuple[Part, ...] = ()
    factor: Literal["table", "closed"] = "table"

    def _checked(self) -> Self:
        checked = super()._checked()
        check_option("factor", self.factor, ["table", "closed"])
        clusters = [*self.clusters] if is_iterable(self.clusters) else self.clusters
        none = isinstance(clusters, list) and not clusters
        if none and "label" in checked.weights:
            return replace(checked, clusters=())
        if none:
            allowed = 'counts where no weight is for the classes of clusters ("label")'
            raise invalid("clusters", allowed, self.clusters)
        counts = checked.n_test, checked.n_train, checked.n_train_errors
        # Equal ones together, and sorted.
        times: Counter[tuple[int, int, int]] = Counter()
        for k, n, m, a in check_parts("clusters", clusters, counts):
            times[n, m, a] += k
        parts = tuple((times[kind], *kind) for kind in sorted(times))
        return replace(checked, clusters=parts)

    def _most(self) -> int:
        if not self.clusters:
            return super()._most()
        times, n, m, a = np.array(self.clusters, dtype=np.int64).T
        return exact_decoupled_bound(
            ClusterKinds(n, m, a, times), self._level, self.factor
        )

    @property
    def _n_exact(self) -> int:
        return DECIDABLE if self.clusters else super()._n_exact

    def _too_long(self) -> list[str]:
        n_rows = sum(times * n for times, n, _, _ in self.clusters)
        if n_rows > MAX_COUNT:
            return [f"clusters have more than {MAX_COUNT} rows: {n_rows}"]
        # Clusters without labels, and those with labels only, say nothing.
        sizes = {(n, m) for _, n, m, _ in self.clusters if 0 < m < n}
        of_each = table_cells(*np.array([*sizes]).reshape(-1, 2).T)
        cells = round(np.sum(of_each[of_each > 0] + CELLS_OF_A_TABLE))
        if cells > MOST_CELLS and self.factor == "table":
            return [f"clusters need tables of more than {MOST_CELLS} cells: {cells}"]
        return []
