"""How many labels a search needs: labels, names and errors are drawn, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, softmax

from ..utils._checks import (
    check_integer,
    check_open_unit,
    check_option,
    invalid,
    is_number,
    rows_of_rate,
    shown,
)
from ._arrays import Floats, as_counts
from ._pac_mdl import pac_mdl_bound
from ._tail import MAX_COUNT

Certify = Literal["learned", "holdout"]

# Default share of the selecting labels. Over 26 data sets with 5, 10 and 50% of the rows
# labeled, mean bounds are larger by 0.3, 1.1 and 4.4 points with 0.4, 0.7 and 0.8, and
# smaller by 0.4 with 0.5; true errors fall the more labels select
# (benchmarks/results/choices). Shares that grow with the number of clusters, or follow
# from a first part of the labels, gain nothing on 49 pairs of a data set and a share of
# labeled rows. With 2 to 8 clusters 0.5 has bounds smaller by 0.5 (tried by hand).
SELECTING_SHARE = 0.6
# Bits of the labeling that the selecting labels prefer: mostly it has the smallest bound.
_BITS = {"learned": log2(1 / 0.9), "holdout": 0.0}
# Concentrations of classes that are compared with labels, and supposed errors.
_SEEN, _SUPPOSED = 2.0 ** np.arange(-4, 6), 2.0 ** np.arange(-12, 6.5, 0.5)
# Draws, and the fewest where these would have more shares of classes in clusters. Rare
# classes are counted as one where there would be more cells of clusters and classes.
_DRAWS, _FEWEST, _MOST_SHARES, _MOST_CELLS = 128, 20, 4 * 10**5, 5 * 10**4
# One in so many clusterings is left out as too good to be true: by few labels, clusters
# of the best of many look purer than they are. Where pilots were lucky, targets were met
# in up to 0.17 more of the cases than with the best, 0.07 on average
# (benchmarks/results/planning_lucky.json).
_TOO_GOOD = 10
# Below this share of draws that meet a target with half of the rows it is out of reach.
_HOPE = 0.05
# Classes where nothing is known of them, and the most clusters of unknown sizes.
_SOME_CLASSES, _MOST_CLUSTERS = 10, 10_000
# Steps of the search for numbers, and its relative precision.
_STEP, _PRECISION = 1.15, 50


@dataclass(frozen=True)
class SimulatedClusters:
    """A clustering with shares of classes in its clusters, as they may be."""

    sizes: Floats
    shares: Floats  # of shape (n_draws, n_clusters, n_classes)

    @classmethod
    def seen(cls, sizes: ArrayLike, labeled: ArrayLike) -> SimulatedClusters:
        """Clusters of which some rows are labeled, by Bayes' rule.

        The shares of classes are drawn around those of all labels, by Dirichlet's law.
        All clusters have one concentration, which is learned from the labels.
        """
        counts = np.asarray(labeled, dtype=float)
        counts = counts[:, np.argsort(-counts.sum(axis=0), kind="stable")]
        rare = counts[:, (most := _most_classes(len(counts)) - 1) :].sum(axis=1)
        counts = np.column_stack([counts[:, :most], rare])
        counts = counts[:, counts.any(axis=0)]
        base = counts.sum(axis=0) + 0.5
        base /= base.sum()
        fits = np.array([_log_likelihood(counts, a * base) for a in _SEEN])
        cumulative = np.cumsum(softmax(fits))
        n_draws = _number_of_draws(counts.shape)
        levels = (np.arange(n_draws) + 0.5) / n_draws
        found = np.minimum(np.searchsorted(cumulative, levels), len(_SEEN) - 1)
        around = _SEEN[found][:, None, None] * base
        return cls(np.asarray(sizes, dtype=float), _drawn(counts + around))

    @classmethod
    def supposed(cls, sizes, expected_error, n_classes) -> SimulatedClusters:
        """Clusters without labels, of the concentration that leads to these errors."""
        part = sizes / sizes.sum()
        shape = _number_of_draws((len(sizes), n_classes)), len(sizes), n_classes
        shares, least = np.zeros(shape), np.full(shape[0], np.inf)
        for a in _SUPPOSED:
            drawn = _drawn(np.full(shape, a / n_classes))
            off = abs((1 - drawn.max(axis=2)) @ part - expected_error)
            shares[off < least] = drawn[off < least]
            least = np.minimum(least, off)
        # Of what is not of the most common classes, as much more or less as is missing.
        uncommon = (1 - shares.max(axis=2)) @ part
        ratio = (expected_error / np.maximum(uncommon, 1e-9))[:, None, None]
        common = shares == shares.max(axis=2, keepdims=True)
        shares = np.maximum(ratio * shares + (1 - ratio) * common, 0)
        return cls(sizes, shares / shares.sum(axis=2, keepdims=True))

    def errors(self, n_select: int, n_certify: int) -> np.ndarray:
        """Errors on certifying labels, where others name the clusters, in each draw."""
        rng = np.random.default_rng(0)  # draws of few labels resemble those of many
        part = self.sizes / self.sizes.sum()
        labels = rng.multinomial(n_select, part, size=len(self.shares))
        by_class = rng.multinomial(labels, self.shares)
        # Ties are broken at random, and clusters without labels are named so.
        names = (by_class + rng.uniform(0, 0.5, by_class.shape)).argmax(axis=2)
        right = np.take_along_axis(self.shares, names[..., None], axis=2)[..., 0] @ part
        return rng.binomial(n_certify, np.clip(1 - right, 0, 1))


def _log_likelihood(counts, parameters):
    """Of the labels in all clusters, by Polya's law."""
    of_classes = gammaln(counts + parameters) - gammaln(parameters)
    n, total = counts.sum(axis=1), parameters.sum()
    return of_classes.sum() - (gammaln(n + total) - gammaln(total)).sum()


def _drawn(parameters):
    """Shares by Dirichlet's law; in logs, since most gammas of tiny parameters are 0."""
    rng = np.random.default_rng(0)
    log_gammas = np.log(rng.standard_gamma(parameters + 1))
    log_gammas += np.log(rng.uniform(size=parameters.shape)) / parameters
    return softmax(log_gammas, axis=-1)


def _most_classes(n_clusters):
    return max(2, _MOST_CELLS // n_clusters)


def _number_of_draws(shape):
    return int(np.clip(_MOST_SHARES // np.prod(shape), _FEWEST, _DRAWS))


@dataclass(frozen=True)
class LabelPlan:
    """Clusterings to choose from, and how one of them is to be certified."""

    clusterings: Sequence[SimulatedClusters]
    kind: str
    select_fraction: float
    delta: float
    quantile: float
    error: float = 0.0  # that is supposed, so that no bound is below it

    @property
    def n_rows(self) -> int:
        return round(float(self.clusterings[0].sizes.sum()))

    def bound(self, n_labeled: int, quantile: float | None = None) -> float:
        """What the bound is at most with the probability of the quantile, as a rate."""
        level = self.quantile if quantile is None else quantile
        n_select = floor(rows_of_rate(self.select_fraction, n_labeled))
        n_certify, n_test = n_labeled - n_select, self.n_rows - n_labeled
        by_clustering = sorted(
            np.quantile(each.errors(n_select, n_certify), level, method="higher")
            for each in self.clusterings
        )
        errors = int(by_clustering[len(by_clustering) // _TOO_GOOD])
        options = {"description_length": _BITS[self.kind], "delta": self.delta}
        return pac_mdl_bound(n_certify, n_test, errors, **options) / n_test

    def needed(self, target: float, above: int = 3) -> int | None:
        """The number of labels above the given one that is enough, see labels_needed."""
        most = self.n_rows // 2
        if target <= self.error or above >= most or self.bound(most, _HOPE) > target:
            return None
        # Downward, since bounds jump where one error more is to be expected, and smaller
        # numbers may meet the target by chance.
        low = high = most
        while low > above and self.bound(low) <= target:
            low, high = max(above, round(low / _STEP)), low
        while high - low > max(1, low // _PRECISION):
            middle = (low + high) // 2
            is_few = self.bound(middle) > target
            low, high = (middle, high) if is_few else (low, middle)
        return high


def label_plan(
    n_rows: Any,
    expected_error: Any = 0.0,
    n_clusters: Any = None,
    cluster_sizes: Any = None,
    n_classes: Any = None,
    delta: Any = 0.1,
    quantile: Any = 0.5,
    certify: Any = "learned",
    select_fraction: Any = SELECTING_SHARE,
) -> LabelPlan:
    """The plan for one clustering without labels, see :func:`labels_needed`."""
    check_option("certify", certify, list(_BITS))
    if not is_number(expected_error) or not 0 <= expected_error < 1:
        raise invalid("expected_error", "a number in [0, 1)", expected_error)
    check_integer("n_rows", n_rows, 2, MAX_COUNT)
    check_open_unit("quantile", quantile)
    check_open_unit("delta", delta)
    sizes = _check_sizes(n_rows, n_clusters, cluster_sizes)
    check_open_unit("select_fraction", select_fraction)
    if n_classes is not None:
        check_integer("n_classes", n_classes, 2, MAX_COUNT)
    if cluster_sizes is None:
        quantile = quantile**0.5  # nobody knows whether these are their sizes
    wanted = n_classes or max(_SOME_CLASSES, ceil(2 / (1 - expected_error)))
    n_classes = min(wanted, _most_classes(len(sizes)))
    clusters = SimulatedClusters.supposed(sizes, expected_error, n_classes)
    return LabelPlan(
        [clusters], certify, select_fraction, delta, quantile, expected_error
    )


def _check_sizes(n_rows, n_clusters, cluster_sizes):
    """Sizes of the clusters; uneven ones where only their number is known."""
    if (n_clusters is None) == (cluster_sizes is None):
        raise ValueError(
            "Either n_clusters or cluster_sizes must be given, got "
            f"n_clusters={shown(n_clusters)} and cluster_sizes={shown(cluster_sizes)}."
        )
    if cluster_sizes is None:
        check_integer("n_clusters", n_clusters, 1, min(n_rows, _MOST_CLUSTERS))
        shares = 1 / np.arange(1, n_clusters + 1)
        return n_rows * shares / shares.sum()
    (sizes,) = as_counts(cluster_sizes=cluster_sizes)
    if sizes.ndim != 1 or sizes.sum() != n_rows:
        allowed = f"counts of n_rows = {n_rows} rows, by cluster"
        raise invalid("cluster_sizes", allowed, cluster_sizes)
    return sizes[sizes > 0]


def labels_needed(
    n_rows: int,
    *,
    target: float,
    expected_error: float = 0.0,
    n_clusters: int | None = None,
    cluster_sizes: ArrayLike | None = None,
    n_classes: int | None = None,
    delta: float = 0.1,
    quantile: float = 0.5,
    certify: Certify = "learned",
    select_fraction: float = SELECTING_SHARE,
) -> int | None:
    """Plan how many labels a clustering needs for a bound, before there are any.

    The number is an estimate by simulation: labels are drawn many times, some of them
    name the clusters, wrongly where they are few, and the others certify.

    Parameters
    ----------
    n_rows : int
        Number of rows, labeled or not; from 2 to 2**51.
    target : float
        Target bound on the error rate of the unlabeled rows, in (0, 1).
    expected_error : float, default=0.0
        Share of all rows, in [0, 1), outside the most common class of their cluster.
    n_clusters : int, default=None
        Number of clusters, from 1 to 10,000, if their sizes are not known. Then the i-th
        largest is supposed to have 1 / i of the largest, and the square root of
        ``quantile`` is planned for. This or ``cluster_sizes`` is required.
    cluster_sizes : array-like of shape (n_clusters,) of int, default=None
        Numbers of rows of the clusters, which sum to ``n_rows``.
    n_classes : int, default=None
        Number of classes, at least 2; by default 10, or more for large expected errors.
    delta : float, default=0.1
        Probability, in (0, 1), with which the certificate may be wrong.
    quantile : float, default=0.5
        Probability, in (0, 1), with which the bound is to meet the target.
    certify : {"learned", "holdout"}, default="learned"
        How the labels are used, see :class:`~sklearn_pacmdl.PACMDLSearchCV`.
    select_fraction : float, default=0.6
        Share of the labels that does not certify, in (0, 1).

    Returns
    -------
    n_labeled : int or None
        From 4 to ``n_rows // 2``, the number even if it may be too small; lower is
        better. None if the target cannot be reached: it is not above the expected error,
        or less than one of twenty draws meets it.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV.labels_needed : The same by the labels of a search.
    sklearn_pacmdl.LabelBudgetDisplay : The bounds to expect, drawn.
    sklearn_pacmdl.audits.audit_size : The same for a labeling that is there already.

    Notes
    -----
    The shares of classes in the clusters are drawn by Dirichlet's law, with the
    concentration that leads to the expected error. Fix the number of labels before you
    look at the first bound: adding labels until the bound meets the target favors bounds
    that are wrong. If you may need a second round, plan both rounds with half of delta.

    Examples
    --------
    Ten clusters, and one row in twenty wrong:

    >>> from sklearn_pacmdl.bounds import labels_needed
    >>> plan = dict(expected_error=0.05, n_clusters=10)
    >>> few, many = (labels_needed(50_000, target=t, **plan) for t in (0.2, 0.1))
    >>> 50 < few < many < 500
    True
    >>> labels_needed(50_000, target=0.02, **plan) is None
    True
    """
    check_open_unit("target", target)
    clusters = expected_error, n_clusters, cluster_sizes, n_classes
    plan = label_plan(n_rows, *clusters, delta, quantile, certify, select_fraction)
    return plan.needed(target)
