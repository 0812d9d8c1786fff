"""Weights of all that may be claimed: favorites, equal clusterings, names and sets.

They are functions of the rows, of the selecting rows and of their labels, and sum to at
most 1 over all labelings of all candidates.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..utils._weights import total_weight
from ._folds import N_DIVISIONS, N_FOLDS
from ._methods import Option, Terms

# Of the favorites' weight, the share of the best candidate of the other kind, where some
# are clusterers and some are classifiers. With a tenth, the smallest bound is larger by
# 0.1 to 0.2 points, and with nothing, that of the other kind by 4 to 5 (as in _folds).
_OF_OTHER_KIND = Fraction(1, 32)


def weigh(
    sweep: Any, split: int, claimed: Iterable[int]
) -> Iterator[tuple[int, Option, Terms]]:
    """Options of candidates on one split, with all terms of their weights."""
    # Another split's selecting rows may certify here.
    errors = sweep.of_each("selection_errors")[:, split]
    weights = sweep.method._candidate_weights(sweep.weights.of_candidates, errors)
    known = pooled(sweep, split, dict(enumerate(weights)), favorites(sweep, split))
    for i in claimed:
        for option in sweep.counted[i].options[split] if sweep.counted[i] else ():
            if option.n_test:
                yield i, option, sweep.method._weight(option, *known[i])


def pooled(
    sweep: Any, split: int, weights: dict[int, Terms], shares: dict[Any, Fraction]
) -> dict[int, tuple[Terms, Fraction]]:
    """Weights and shares of candidates; equal clusterings have the sum of all of them.

    They have the same labelings, whose weights add up.
    """
    known = {i: (own, shares.get(i, Fraction(0))) for i, own in weights.items()}
    equal = defaultdict(list)
    for i, counted in enumerate(sweep.counted):
        if counted is not None and counted.equal:
            equal[counted.equal[split]].append(i)
    for members in equal.values():
        if len(members) > 1:
            own = [total_weight(known[i][0]) for i in members]
            share = sum((known[i][1] for i in members), start=Fraction(0))
            sums = {"candidate": sum(own, start=Fraction(0))}, share
            known |= dict.fromkeys(members, sums)
    return known


def favorites(sweep: Any, split: int) -> dict[Any, Fraction]:
    """Shares of the favorites' weight on one split, by candidate."""
    values = sweep.of_each("preferences")[:, split]
    if not sweep.two_kinds:
        return {best_of_kinds(sweep, values)[0]: Fraction(1)}
    kind = preferred_kind(sweep, values, [split])
    shares = {kind: 1 - _OF_OTHER_KIND, 1 - kind: _OF_OTHER_KIND}
    # Kinds do not depend on which fits fail: nobody has the share of those that all do.
    best = enumerate(best_of_kinds(sweep, values))
    return {i: shares[kind] for kind, i in best if i is not None}


def preferred_kind(sweep: Any, values: NDArray, splits: list[int]) -> int:
    """Index of the kind with fewest errors in nested cross-validation, on some splits.

    The smallest estimate of dozens of clusterings is too small, and the fits by which
    classifiers are cross-validated lack a fold. So on each fold of the selecting rows the
    errors of the candidates count that the other folds choose.
    """
    if sweep.goal.abstains:
        best = best_of_kinds(sweep, values)
        return int(np.nanargmin([np.nan if i is None else values[i] for i in best]))
    nothing = np.full((len(sweep.sizes), 2, N_DIVISIONS * N_FOLDS), np.nan)
    nested = np.array([nothing if c is None else c.nested for c in sweep.counted])
    by_fold = np.moveaxis(nested[:, splits], 2, 0).reshape(2, len(nested), -1)
    errors = np.zeros(2)
    for expected, found in zip(by_fold[0].T, by_fold[1].T, strict=True):
        for kind, best in enumerate(best_of_kinds(sweep, expected)):
            errors[kind] += np.inf if best is None else found[best]
    return int(errors.argmin())


def best_of_kinds(sweep: Any, values: NDArray) -> list[Any]:
    """The candidate of each kind with the smallest value; None if all have failed."""
    kinds = np.array(sweep.learns if sweep.two_kinds else [False] * len(values))
    means = means_over_starts(sweep.candidates, values)
    best: list[Any] = []
    for kind in range(1 + sweep.two_kinds):
        filled = np.where(np.isnan(means) | (kinds != kind), np.inf, means)
        first = int(np.lexsort((values, filled))[0])
        best.append(None if np.isinf(filled[first]) else first)
    return best


def means_over_starts(candidates: Any, values: NDArray) -> NDArray[np.floating]:
    """The mean value of all starts of each candidate; NaN for those that failed.

    The best of many starts on few labels is mostly luck.
    """
    names = [(c.algorithm, c.n_clusters, c.grid) for c in candidates]
    of_starts = defaultdict(list)
    for name, value in zip(names, values, strict=True):
        if not np.isnan(value):
            of_starts[name].append(value)
    means = {name: float(np.mean(own)) for name, own in of_starts.items()}
    found = np.array([means.get(name, np.nan) for name in names])
    found[np.isnan(values)] = np.nan
    return found
