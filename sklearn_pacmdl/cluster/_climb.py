"""First clusters, and the climb: rows move while that raises an objective."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.utils import check_array

from ..utils._checks import InvalidParameterError, invalid, shown
from ._objective import Clustering, Clusters, Objective
from ._scaled_rows import Rows, batches

# Scores that are computed at once. From 2^14 to 2^20 the time is the same on 20,000 x 128
# dense rows (k = 50); 2^12 takes 15% more. The least memory of these is best.
BATCH_CELLS = 1 << 16
# A step moves at most this many times the rows of the step before if that one held rows
# back. On documents (k = 10) no limit takes 15 to 25% more time for the same objectives,
# because more moves are undone; with 1 the time triples on four overlapping blobs.
GROWTH = 4


def make_starts(
    rows: Rows, objective: Objective, init, n_clusters: int, size_name: str
) -> Callable[[np.random.RandomState], Clusters]:
    """A function that draws first clusters; if ``init`` are centers, they are checked."""
    if isinstance(init, str):
        draw = {"random": _random_rows, "k-means++": _k_means_plus_plus}[init]
        return partial(draw, rows, objective, n_clusters)
    shape = n_clusters, rows.X.shape[1]
    clusters = _of_centers(rows, objective, init, shape, size_name)
    return lambda random_state: clusters


def _of_centers(rows, objective, values, shape, size_name):
    """Clusters with these centers, after a check of them."""
    try:
        centers = check_array(values, dtype=rows.X.dtype, ensure_2d=False, allow_nd=True)
    # They are sparse, ragged, not finite, no numbers or beyond all floats.
    except (TypeError, ValueError, OverflowError) as error:
        why = str(error).rstrip(".")
        raise InvalidParameterError(
            f"init must give finite numbers: {why}, got {shown(values)}."
        ) from error
    if centers.shape != shape:
        raise InvalidParameterError(
            f"init must give centers of shape ({size_name}, n_features) = {shape}, got "
            f"shape {centers.shape}."
        )
    try:
        factors = objective.row_factors(centers)
    except ValueError as error:
        allowed = f"centers that the objective is defined for ({error})"
        raise invalid("init", allowed, centers) from error
    if not factors.all():
        raise invalid("init", "centers that are not zero", centers)
    return _alone(rows, objective, (centers * factors[:, None]).T)


def _alone(rows, objective, columns):
    """Clusters of one row each, of shape (n_features, n_clusters)."""
    return objective.place(rows, columns, np.ones(columns.shape[1]))


def _random_rows(rows, objective, n_clusters, random_state):
    chances = rows.weight / rows.total_weight
    drawn = random_state.choice(chances.size, n_clusters, replace=False, p=chances)
    return _alone(rows, objective, rows.take(drawn))


def _k_means_plus_plus(rows, objective, n_clusters, random_state):
    """Greedy k-means++ with the distances of the objective in place of squared ones."""
    nearest, chosen = None, []  # distances of rows from the nearest of the chosen
    n_trials = 2 + int(np.log(n_clusters))  # for a center, as scikit-learn documents it
    for n_draws in [1] + [n_trials] * (n_clusters - 1):
        chances = rows.weight * (1.0 if nearest is None else nearest)
        if not chances.sum() > 0:  # every row is one of the chosen
            chances = rows.weight.copy()
        chances /= chances.sum()
        drawn = random_state.choice(chances.size, n_draws, p=chances)
        seeds = _alone(rows, objective, rows.take(drawn))
        by_batch, sums = [], np.zeros(n_draws)
        for batch in batches(len(rows.weight), rows.batch_size):
            part = rows.part(batch)
            distances = objective.distances(part, part.products(seeds.directions), seeds)
            if nearest is not None:
                np.minimum(distances, nearest[batch, None], out=distances)
            by_batch.append(distances)
            sums += part.weight @ distances
        best = sums.argmin()
        nearest = np.concatenate([distances[:, best] for distances in by_batch])
        chosen.append(drawn[best])
    return _alone(rows, objective, rows.take(np.array(chosen)))


class Run(NamedTuple):
    """How one start ended."""

    clusters: Clusters
    labels: np.ndarray
    values: list[float]  # of the objective after each iteration, per unit of weight
    converged: bool


def climb(rows, labels, objective, n_clusters, max_iter, tol) -> Run:
    """Improve a clustering of the rows until the objective gains at most `tol`."""
    kind = SoftAssignment if objective.assignment == "soft" else HardAssignment
    assignment = kind(rows, objective, n_clusters)
    now = assignment.start(labels)
    values: list[float] = []
    converged = False
    for _ in range(max_iter):
        value, now = now.value, assignment.step(now)
        values.append(now.value)
        # Moves at once may nearly cancel, so what rows would gain one by one counts too.
        gained = max(now.value - value, now.promised)
        converged = bool(gained <= tol) and not now.n_held
        if converged:
            break
    return Run(now.clusters, assignment.labels(now), values, converged)


@dataclass
class Assignment:
    """How rows are given to clusters: the state of a climb, and its iterations."""

    rows: Rows
    objective: Objective
    n_clusters: int


class HardAssignment(Assignment):
    """Each row is in one cluster; all gaining rows move, or those that gain most."""

    # Leaving a cluster is not the reverse of joining it: a row is part of the center of
    # its own cluster. Lloyd's iterations compare it with that center all the same. With
    # many features they stop at the start: every row is nearest to its own center.

    def start(self, labels):
        counts = self._counts(labels)
        if not np.all(counts):  # an empty cluster receives a row of the largest
            used, labels = np.flatnonzero(self.rows.weight > 0), labels.copy()
            for empty in np.flatnonzero(counts == 0):
                largest = counts.argmax()
                row = used[labels[used] == largest][0]
                labels[row] = empty
                counts[[largest, empty]] += [-1, 1]
        return self._clustering(labels, self.rows.sums(labels, self.n_clusters))

    def step(self, now):
        directions = self.objective.joining_directions(self.rows, now)
        products, then = self._products(directions), now
        for _ in range(self.objective.n_rounds):
            before, then = then, self._exchange(then, products)
            if then is before:
                break
        if then is not now:
            return then
        # The clustering of `predict` if it is better; where exchanges are exact, not.
        labels = self.labels(now)
        lloyd = self._after(now, labels) if np.any(labels != now.labels) else None
        return now._replace(n_held=0, promised=0.0) if lloyd is None else lloyd

    def _products(self, directions):
        """Function that returns the products of a batch of rows with directions."""
        # They are computed batch by batch, unless several rounds need them.
        if self.objective.n_rounds > 1:
            products = self.rows.products(directions)
            return lambda batch: products[batch].copy()
        directions = self.rows.as_factor(directions)
        return lambda batch: self.rows.part(batch).products(directions)

    def labels(self, now):
        """As `predict` gives them; where rows have stopped moving, these are the same."""
        labels = self.rows.labels(now.clusters)
        if self.objective.keeps_labels:
            return np.where(self.rows.weight > 0, now.labels, labels)
        return labels

    def _counts(self, labels):
        """Number of rows of each cluster, without those that take no part."""
        return np.bincount(labels[self.rows.weight > 0], minlength=self.n_clusters)

    def _clustering(self, labels, sums):
        rows, objective = self.rows, self.objective
        sizes = rows.sizes(labels, self.n_clusters)
        clusters = objective.place(rows, sums, sizes)
        products = clusters.lengths
        if products is None:
            products = np.einsum("ij,ij->j", clusters.directions, sums)
        scores = clusters.gain * products + clusters.bias * sizes
        value = float(scores.sum() + clusters.prior) / rows.total_weight
        return Clustering(labels, sums, sizes, clusters, value)

    def _after(self, now, labels):
        """The clustering with other labels, None if that is no better."""
        if not np.all(self.rows.sizes(labels, self.n_clusters)):
            return None
        sums = self.rows.moved_sums(now.sums, now.labels, labels)
        then = self._clustering(labels, sums)
        return then if then.value > now.value else None

    def _exchange(self, now, products):
        """The clustering after those moves that gain most; the same if none gains."""
        wanted, gains = self._gains(now, products)
        promised = gains[gains > 0].sum() / self.rows.total_weight
        n_movers = n_moved = np.count_nonzero(gains > 0)
        if now.n_held:  # what was too much a step ago is likely to be so now
            n_moved = min(n_moved, GROWTH * now.n_moved)
        while n_moved:
            labels = wanted
            if n_moved < n_movers:
                movers = np.flatnonzero(gains > 0)
                # Of several that gain the same, the first ones.
                best = movers[np.argsort(-gains[movers], kind="stable")[:n_moved]]
                labels = now.labels.copy()
                labels[best] = wanted[best]
            then = self._after(now, labels)
            if then is not None:
                n_held = n_movers - n_moved
                return then._replace(n_moved=n_moved, n_held=n_held, promised=promised)
            # Rows that gain alone may lose together: fewer of them move then.
            n_moved //= 2
        return now

    def _gains(self, now, products):
        """Where each row gains most, its own cluster if nowhere, and how much."""
        rows, k = self.rows, self.n_clusters
        counts = self._counts(now.labels)
        wanted = np.empty_like(now.labels)
        gains = np.empty(wanted.size, rows.X.dtype)
        n_rows = max(1, min(BATCH_CELLS // k, rows.batch_size))
        for batch in batches(wanted.size, n_rows):
            scores = self.objective.exchange_scores(rows, batch, products(batch), now)
            each, current = np.arange(len(scores)), now.labels[batch]
            best = scores.argmax(axis=1)
            gained = (scores[each, best] - scores[each, current]) * rows.weight[batch]
            gained[counts[current] == 1] = 0  # no cluster is left empty
            wanted[batch] = np.where(gained > 0, best, current)
            gains[batch] = gained
        return wanted, gains


class SharedClustering(NamedTuple):
    """Where a soft climb stands: the clusters, and the scores of rows in them."""

    clusters: Clusters
    scores: np.ndarray | None = None  # None before the first expectation
    value: float = -np.inf
    n_held: int = 0
    promised: float = 0.0


class SoftAssignment(Assignment):
    """Clusters share each row by the softmax of its scores: expectation maximization."""

    def start(self, labels):
        sums = self.rows.sums(labels, self.n_clusters)
        sizes = self.rows.sizes(labels, self.n_clusters)
        return SharedClustering(self.objective.place(self.rows, sums, sizes))

    def step(self, now):
        rows, objective, clusters = self.rows, self.objective, now.clusters
        if now.scores is not None:
            shares = softmax(now.scores, axis=1)
            sums, sizes = rows.shared_sums(shares), rows.weight @ shares
            clusters = objective.place(rows, sums, sizes)
        scores = clusters.scores(rows.products(clusters.directions))
        likelihood = float(rows.weight @ logsumexp(scores, axis=1))
        value = (likelihood + clusters.prior) / rows.total_weight
        return SharedClustering(clusters, scores, value)

    def labels(self, now):
        return now.scores.argmax(axis=1)
