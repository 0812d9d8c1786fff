"""Rows in the order in which a search labels them, so that a data set gets finished."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from ..bounds import bmax, tolerated_audit_errors
from ..labeling import by_confidence, n_accepted, positions_of_errors
from ..utils._checks import exact_decimal, invalid
from ..utils._labels import ABSTAIN
from ._counting import (
    Assessment,
    Counted,
    SplitSizes,
    digest,
    majority_errors,
    seen_by,
)
from ._counts import ClusterCounts, no_distances
from ._naming import left_out_rates, majority
from ._selective import Selective
from ._strategy import Option

# Kind of the certificates.
KIND = "finished by a search"


def no_margins(classes):
    """Return no margins, for clusters that are only names."""


@dataclass(frozen=True)
class Finishing(Selective):
    """Selecting rows put all others in an order; certifying rows say where to stop.

    The bound is on the errors in the whole data set, once people have labeled the rows
    that are left.
    """

    # Means over 30 choices of labels of the share that is automatic, for digits, breast
    # cancer and synthetic documents (benchmarks/bench_finished.py,
    # benchmarks/results/finished.json; standard errors are 1 to 5 points).
    #
    # Rows of either kind, right and wrong, that are added to what was seen of a cluster:
    # Jeffreys' prior, as in NestedSets. .1 and 1 differ by less than two points.
    smoothing: float = 0.5
    # Share of errors in a cluster that weighs as much as one typical margin. With .5 it
    # is .74, .80 and .92; with 1, .69, .81 and .94; with .25, .74, .73 and .89; by purity
    # alone .43, .54 and .85, by margins alone .58, .68 and .92.
    margin_weight: float = 0.5

    def tolerated(self, sizes: SplitSizes) -> int:
        """Certifying errors up to which rows may be accepted; -1 if no row may be."""
        most = math.floor(exact_decimal(self.target) * sizes.n_rows)
        m, n = sizes.n_certify, sizes.n_test
        return tolerated_audit_errors(m, n, min(most, n), self.delta)

    def selection_columns(self, errors, n_select, n_others):
        return {"expected_coverage": 1 - errors / n_others}

    def rank(self, sweep):
        n_rows = float(np.mean([s.n_rows - s.n_select for s in sweep.sizes]))
        ranking = self.base.rank(sweep)
        return replace(ranking, column="expected_coverage", n_rows=n_rows)

    def bounds(self, options, weights, sizes, delta):
        # Wherever the order was cut, the same number of errors is certified.
        a = max(self.tolerated(sizes), 0)
        return np.full(len(options), bmax(sizes.n_certify, sizes.n_test, a, delta))

    def _n_stated(self, option, sizes):
        return sizes.n_rows


def finishing(base, target, delta):
    """A way to certify finished data sets.

    Raises
    ------
    ValueError
        Unless it is hold-out.
    """
    if base.kind != "holdout":
        raise invalid(
            "certify",
            "'holdout' with target_of='dataset', since rows that audit the labels must "
            "have had no part in them",
            base.kind,
        )
    return Finishing(base, target, delta)


@dataclass(frozen=True, eq=False)
class RowOrder:
    """A labeled clustering, and its rows in the order in which they are accepted.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,) of int
        Class code of each row, by its cluster.
    confidence : ndarray of shape (n_samples,)
        Depends on the rows, the clusters and the selecting labels only. Higher is surer.
    order : ndarray of int
        Certifying and unlabeled rows, from the surest.
    unlabeled : ndarray of bool
        Which rows of the order are unlabeled.
    errors : ndarray of int
        Positions in the order of certifying rows that are labeled wrongly, sorted.
    expected_share : float
        Share of the order that the selecting rows promise to be accepted, in [0, 1].
    n_tolerated : int
        Certifying errors that may be accepted; -1 if no row may be.
    sizes : SplitSizes
    delta : float
    """

    codes: NDArray[np.integer]
    confidence: NDArray[np.floating]
    order: NDArray[np.int64]
    unlabeled: NDArray[np.bool_]
    errors: NDArray[np.int64]
    expected_share: float
    n_tolerated: int
    sizes: SplitSizes
    delta: float

    @cached_property
    def _n_unlabeled(self):
        """Of every number of rows of the order, how many are unlabeled."""
        return np.concatenate([[0], np.cumsum(self.unlabeled)])

    @property
    def n_automatic(self) -> int:
        """Unlabeled rows that are accepted."""
        return self.n_automatic_at(self.n_tolerated)

    def n_automatic_at(self, n_tolerated: int) -> int:
        """Unlabeled rows that are accepted with so many certifying errors."""
        cut = n_accepted(self.order, self.errors, n_tolerated)
        return int(self._n_unlabeled[cut])

    def accepted(self, n_automatic: int) -> NDArray[np.bool_]:
        """The rows of the order up to so many unlabeled ones.

        Certifying rows that follow are included as long as they are right.
        """
        last = int(np.searchsorted(self._n_unlabeled, n_automatic))
        ends = np.sort(np.concatenate([np.flatnonzero(self.unlabeled), self.errors]))
        place = np.searchsorted(ends, last)
        cut = ends[place] if place < len(ends) else len(self.order)
        accepted = np.zeros(len(self.codes), dtype=bool)
        if n_automatic:
            accepted[self.order[:cut]] = True
        return accepted

    def labeled(self, n_automatic: int) -> NDArray[np.integer]:
        """Class codes of the accepted rows, ABSTAIN for the others."""
        return np.where(self.accepted(n_automatic), self.codes, ABSTAIN)

    def to_people(self, n_automatic: int) -> NDArray[np.integer]:
        """The other unlabeled rows, from the most doubtful."""
        return self.order[self.unlabeled][n_automatic:][::-1]

    def option(self, certify, test, codes) -> Option:
        """What is accepted, in the form in which sweeps keep it."""
        given = self.labeled(self.n_automatic)

        def errors(rows):
            own = given[rows]
            return int(np.sum((own != ABSTAIN) & (own != codes[rows])))

        return Option(
            classes=given,
            terms={},
            n_train=int(np.sum(given[certify] != ABSTAIN)),
            n_test=self.n_automatic,
            train_errors=errors(certify),
            test_errors=errors(test) if np.all(codes[test] >= 0) else -1,
        )

    def curve(self, wrong: NDArray[np.bool_] | None) -> dict[str, NDArray]:
        """Coverage and bound by the number of certifying errors that are tolerated.

        Parameters
        ----------
        wrong : ndarray of shape (n_samples,) of bool or None
            Which rows are labeled wrongly; None if hidden labels are unknown.

        Returns
        -------
        curve : dict of str to ndarray
            Points that label no row automatically are left out.
        """
        # Without any further error in the order all rows are accepted; what is certified
        # of them is what was fixed before that was known.
        last = max(len(self.errors), self.n_tolerated)
        points = np.array([*range(len(self.errors)), last])
        rows = np.array([self.n_automatic_at(a) for a in points.tolist()])
        points, rows = points[rows > 0], rows[rows > 0]
        test_errors = np.full(len(rows), np.nan)
        if wrong is not None:
            found = np.cumsum(wrong[self.order[self.unlabeled]])
            test_errors = found[rows - 1] / self.sizes.n_rows
        bounds = bmax(self.sizes.n_certify, self.sizes.n_test, points, self.delta)
        return {
            "coverage": rows / self.sizes.n_test,
            "bound": bounds / self.sizes.n_rows,
            "test_error": test_errors,
        }


@dataclass(frozen=True)
class RowAssessment(Assessment):
    """What clusterings are assessed on, row by row, where a data set is finished."""

    strategy: Finishing

    def count(self, labels, language, distances=no_distances, margins=no_margins):
        partition = self.partition(labels)
        ordered = self.order_rows(labels, distances, margins)
        (_, certify), (_, test) = self.divisions[0], self.splits[0]
        option = ordered.option(certify, test, self.codes)
        others = len(certify) + len(test)
        # The labeling itself is not kept of every candidate: rows may be many.
        return Counted(
            n_clusters=partition.n_clusters,
            options=[[option._replace(classes=option.classes[:0])]],
            labelings=[[digest(option.classes)]],
            train_errors=np.array([majority_errors(self._counts(partition))]),
            selection_errors=np.array([others * (1 - ordered.expected_share)]),
            partition=digest(partition.clusters),
        )

    def order_rows(self, labels, distances=no_distances, margins=no_margins) -> RowOrder:
        """Name the clusters by selecting rows, and put the other rows in order.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,) of int
            Cluster of each row.
        distances : callable, default=no_distances
            Returns the distances between the clusters of :meth:`partition`, or None.
        margins : callable, default=no_margins
            From the classes of these clusters to the margins of the rows, or None.
        """
        partition, strategy, (sizes,) = self.partition(labels), self.strategy, self.sizes
        clusters = partition.clusters
        counts, seen = seen_by(strategy, self._counts(partition, distances))
        words = np.frombuffer(digest(clusters), dtype=np.uint32)
        rng = np.random.RandomState([self.seed, 0, *words])
        classes = majority(counts, counts.select, rng)
        guessed_wrong = left_out(counts, classes)
        confidence = -impurities(counts.select, guessed_wrong, strategy.smoothing)[
            clusters
        ]
        found = margins(classes)
        typical = 0.0 if found is None else np.sqrt(np.mean(found**2))
        if typical > 0 and np.isfinite(typical):
            confidence = confidence + strategy.margin_weight * found / typical
        (select, certify), (_, test) = self.divisions[0], self.splits[0]
        order = by_confidence(confidence, np.concatenate([certify, test]))
        codes, n_tolerated = seen[classes][clusters], strategy.tolerated(sizes)
        places = np.searchsorted(seen, self.codes[select])  # labels of no class are last
        promised = guessed_wrong[clusters[select], places]
        return RowOrder(
            codes=codes,
            confidence=confidence,
            order=order,
            unlabeled=np.isin(order, test),
            errors=positions_of_errors(
                order, certify, codes[certify] != self.codes[certify]
            ),
            expected_share=_expected_share(
                confidence, order, select, promised, len(certify), n_tolerated
            ),
            n_tolerated=n_tolerated,
            sizes=sizes,
            delta=strategy.delta,
        )

    def _counts(self, partition, distances=no_distances):
        (cells,) = self.cells
        return partition.count(cells, self.n_classes, distances)


def left_out(counts: ClusterCounts, classes: NDArray[np.integer]) -> NDArray:
    """Probability that a selecting row is given a wrong class without its own label.

    Its cluster is then named by its other labels, and if there are none, by the nearest
    cluster that has labels: where labels are few, most are alone in their clusters, and a
    guess among all classes would make these look alike.

    Parameters
    ----------
    counts : ClusterCounts
    classes : ndarray of shape (n_clusters,) of int

    Returns
    -------
    rates : ndarray of shape (n_clusters, n_classes + 1)
        By cluster and class of the row; meaningless where there is none.
    """
    named = counts.select[:, :-1]
    rates = np.column_stack([left_out_rates(counts.select), np.ones(len(named))])
    alone = np.flatnonzero(named.sum(axis=1) == 1)
    labeled = np.flatnonzero(named.any(axis=1))
    between = counts.distances() if len(alone) and len(labeled) > 1 else None
    if between is not None:
        others = np.where(alone[:, None] == labeled, np.inf, between[alone][:, labeled])
        nearest = classes[labeled[others.argmin(axis=1)]]
        rates[alone] = np.arange(rates.shape[1]) != nearest[:, None]
    return rates


def impurities(select, guessed_wrong, smoothing):
    """Share of errors that is expected in each cluster."""
    wrong, seen = (select * guessed_wrong).sum(axis=1), select.sum(axis=1)
    return (wrong + smoothing) / (seen + 2 * smoothing)


def _expected_share(confidence, order, select, promised, n_certify, n_tolerated):
    """Expected share of the order that comes before one certifying error too many.

    Certifying rows are taken to err as often along the order as selecting rows do, and
    their errors up to a place to be a Poisson number. Nothing here knows which rows
    certify, or whether they are right.
    """
    if n_tolerated < 0 or not len(order):
        return 0.0
    surest = np.argsort(-confidence[select], kind="stable")
    rate = np.cumsum(promised[surest]) * n_certify / len(select)
    before = np.searchsorted(-confidence[select][surest], -confidence[order], "right")
    return float(np.mean(pdtr(n_tolerated, np.concatenate([[0.0], rate])[before])))
