"""Numbers of clusters that a search tries."""

import numpy as np

from ..estimators import last_step, num_samples
from ..languages import PREFERRED_NUMBERS, PaperLanguage, get_language
from ..utils._checks import is_integer, is_iterable, shown

# "auto" tries the preferred numbers up to the smaller of these: a number of clusters, and
# a share of the rows. Single components of mixtures have as many parameters as features
# at least, and fits with few rows for each fail. Bounds of this list and of others:
# benchmarks/lists_of_numbers.py.
_MOST, _ROWS_OF_A_CLUSTER, _ROWS_OF_A_COMPONENT = 200, 4, 10
# Cells of X times clusters of all fits of a list. Above, every other number is tried,
# with bounds larger by at most 0.5 points. k-means takes some five minutes for as many on
# one core (52 s for 1.7e9).
_MOST_WORK = 10**10


def automatic_numbers(X, parameter):
    """Numbers of clusters by the size of X alone, so that they see no label."""
    n_rows = num_samples(X)
    mixture = parameter.endswith("n_components")
    of_each = _ROWS_OF_A_COMPONENT if mixture else _ROWS_OF_A_CLUSTER
    most = max(2, min(n_rows // of_each, _MOST))
    numbers = [c for c in sorted(PREFERRED_NUMBERS) if 2 <= c <= most]
    # Of sparse rows, those that are stored.
    shape = getattr(X, "shape", [n_rows])
    n_cells = getattr(X, "nnz", None) or np.prod(shape, dtype=float)
    return numbers[::2] if n_cells * sum(numbers) > _MOST_WORK else numbers


def describes_numbers(language):
    """Whether sweeps over numbers of clusters have weights."""
    described = None if language is None else get_language(language)
    return not isinstance(described, PaperLanguage) or "n_clusters" in described.terms


def n_clusters_parameter(estimator, learns):
    """Name of the parameter that sets the number of clusters, or None."""
    prefix, estimator = last_step(estimator)
    params = estimator.get_params(deep=False)
    if params.get("distance_threshold") is not None:  # cuts by height instead
        return None
    # Of classifiers, components are something else.
    names = ("n_clusters",) if learns else ("n_clusters", "n_components")
    for name in names:
        # Birch takes a clusterer there too, which then has its own number.
        if name in params and not hasattr(params[name], "fit_predict"):
            return prefix + name
    return None


def check_numbers(value, n_rows):
    """Numbers of clusters as a list, "auto", or None if each clusterer keeps its own."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    values = list(value) if is_iterable(value) else [value]
    for v in values:
        if not is_integer(v) or not 1 <= v <= n_rows:
            raise ValueError(
                "n_clusters must be 'auto', None, or hold integers between 1 and the "
                f"number of rows ({n_rows}), got {shown(v)}."
            )
    if not values or len(set(values)) < len(values):
        raise ValueError(
            f"n_clusters must hold one or more different numbers, got {shown(values)}."
        )
    return [int(v) for v in values]


def numbers_of(configured, parameter, wanted, X):
    """The tried numbers of a clusterer with set parameters."""
    if parameter is None:
        return [None]
    if isinstance(wanted, list):
        return wanted
    number, n_rows = configured.get_params(deep=True)[parameter], num_samples(X)
    if not is_integer(number):  # such as None for Birch: no number is wanted
        return [None]
    params = last_step(configured)[1].get_params(deep=False)
    # Centers in an array are for one number of clusters.
    fixed = any(key.endswith("init") and is_iterable(v) for key, v in params.items())
    automatic = wanted == "auto" and not fixed
    if not 1 <= number <= (np.inf if automatic else n_rows):
        raise ValueError(
            f"{parameter} of a clusterer must be between 1 and the number of rows "
            f"({n_rows}), got {shown(number)}."
        )
    if not automatic:
        return [int(number)]
    # The clusterer's may be a default, above the rows. One cluster is no clustering.
    more = {int(number)} if 2 <= number <= n_rows else set()
    return sorted({*automatic_numbers(X, parameter), *more})
