"""First clusters of a climb: drawn, from centers, or made by a function."""

from collections.abc import Callable
from functools import partial
from traceback import extract_tb

import numpy as np
from sklearn.utils import check_array

from ..estimators import number_of_trials
from ..utils._checks import InvalidParameterError, invalid, shown
from ._objective import Clusters, Objective
from ._scaled_rows import Rows, batches


def make_starts(
    rows: Rows, objective: Objective, init, n_clusters: int, size_name: str
) -> Callable[[np.random.RandomState], Clusters]:
    """A function that draws first clusters; if ``init`` are centers, they are checked."""
    if isinstance(init, str):
        draw = {"random": _random_rows, "k-means++": _k_means_plus_plus}[init]
        return partial(draw, rows, objective, n_clusters)
    shape = n_clusters, rows.X.shape[1]
    if not callable(init):
        clusters = _of_centers(rows, objective, init, shape, size_name)
        return lambda random_state: clusters

    def clusters_of_callable(random_state):
        try:
            centers = init(rows.X, n_clusters, random_state=random_state)
        except TypeError as error:
            if len(extract_tb(error.__traceback__)) > 1:  # raised inside of the callable
                raise
            allowed = "callable as init(X, n_clusters, random_state=...)"
            raise invalid("init", allowed, init) from error
        source = f" from {shown(init)}"
        return _of_centers(rows, objective, centers, shape, size_name, source)

    return clusters_of_callable


def _of_centers(rows, objective, given, shape, size_name, source=""):
    """Clusters with these centers, after a check of them."""
    try:
        centers = check_array(given, dtype=rows.X.dtype, ensure_2d=False, allow_nd=True)
    # They are sparse, ragged, not finite, no numbers or beyond all floats.
    except (TypeError, ValueError, OverflowError) as error:
        why = str(error).rstrip(".")
        raise InvalidParameterError(
            f"init must give finite numbers: {why}, got {shown(given)}{source}."
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
    nearest, chosen = None, []
    for n_draws in [1] + [number_of_trials(n_clusters)] * (n_clusters - 1):
        drawn = _distant_rows(rows, nearest, n_draws, random_state)
        seeds = _alone(rows, objective, rows.take(drawn))
        best, nearest = _nearest_with_best(rows, objective, seeds, nearest)
        chosen.append(drawn[best])
    return _alone(rows, objective, rows.take(np.array(chosen)))


def _distant_rows(rows, nearest, n_draws, random_state):
    """Rows drawn in proportion to their weights times distances from those chosen."""
    chances = rows.weight * (1.0 if nearest is None else nearest)
    if not chances.sum() > 0:  # every row is one of the chosen
        chances = rows.weight.copy()
    chances /= chances.sum()
    return random_state.choice(chances.size, n_draws, p=chances)


def _nearest_with_best(rows, objective, seeds, nearest):
    """The seed that makes rows nearest to one of those chosen, and their distances."""
    by_batch, sums = [], np.zeros(seeds.directions.shape[1])
    for batch in batches(len(rows.weight), rows.batch_size):
        part = rows.part(batch)
        distances = objective.distances(part, part.products(seeds.directions), seeds)
        if nearest is not None:
            np.minimum(distances, nearest[batch, None], out=distances)
        by_batch.append(distances)
        sums += part.weight @ distances
    best = sums.argmin()
    return best, np.concatenate([distances[:, best] for distances in by_batch])
