"""What may be claimed of a clustering, from its counts; then it can be forgotten."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..languages import Language
from ..utils._checks import invalid
from ..utils._labels import ABSTAIN
from ..utils._random import seeded_again
from ..utils._weights import total_weight
from ._counts import ClusterCounts
from ._goals import Goal
from ._naming import estimated_errors
from ._strategy import Option, Strategy

# Floats that sum to less cannot be of ratios that sum to more than 1: a clustering has at
# most thousands of options, and each float is off by a part in 10**16.
_NEARLY_ONE = 1 - 1e-9


class Counted(NamedTuple):
    """What is left of a clustering once it has been counted."""

    n_clusters: int  # 0 of a classifier
    options: Sequence[Sequence[Option]]  # by split
    train_errors: NDArray[np.integer]  # of the majority classes of all labels, by split
    estimated_errors: NDArray[np.floating]  # of these, to be expected on other rows
    selection_errors: NDArray[np.floating]  # by split, on the selecting rows
    preferences: NDArray[np.floating]  # by split: what these alone would choose by
    partition: bytes  # its fingerprint
    sizes: NDArray[np.integer] = np.zeros(0, dtype=int)  # of clusters
    labeled: csr_array = csr_array((0, 0), dtype=int)  # by cluster and class, of split 0


def count_options(
    strategy: Strategy,
    goal: Goal,
    by_split: Sequence[ClusterCounts],
    language: Language,
    seed: int,
    partition: bytes,
    noise: int | None = None,
) -> Counted:
    """What may be claimed of a clustering, from its counts on each split.

    If one of the clusters is ``noise`` that is given no class, all is claimed of the
    other rows as if there were no more. They are the same whatever the labels are, and
    given how many of them certify, these are a uniformly random choice.

    The fingerprint of the partition, four bytes or a multiple, is a part of the seed of
    ties, so that equal partitions break them alike and give the same labeling.
    """
    words = np.frombuffer(partition, dtype=np.uint32).tolist()
    options, errors, preferences, estimated = [], [], [], []
    for split, whole in enumerate(by_split):
        counts = whole if noise is None else _without(whole, noise)
        seen, classes = _seen_by(strategy, counts)
        rng = seeded_again([seed, split, *words])
        offered: Sequence[Option] = []  # where all rows are noise
        if len(seen.sizes):
            own = goal.options(strategy, seen, language, rng)
            offered = _check_options(strategy, own)
        options.append([_of_classes(option, classes, noise) for option in offered])
        # Labeled noise counts as errors to expect: else the fewest would be those of a
        # clusterer that calls nearly every row noise.
        labeled = whole.labeled.sum() - counts.labeled.sum()
        selecting = whole.select.sum() - counts.select.sum()
        estimated.append(estimated_errors(counts, counts.labeled) + labeled)
        if strategy.fraction:
            errors.append(estimated_errors(seen, seen.select) + selecting)
            preferences.append(goal.selection(seen, errors[-1]))
    tables = [counts.labeled for counts in by_split]
    return Counted(
        n_clusters=len(by_split[0].sizes),
        options=options,
        train_errors=np.array(
            [int(table.sum() - table[:, :-1].max(axis=1).sum()) for table in tables]
        ),
        estimated_errors=np.array(estimated),
        selection_errors=_by_split(errors, by_split),
        preferences=_by_split(preferences, by_split),
        partition=partition,
        sizes=by_split[0].sizes,
        labeled=csr_array(tables[0]),
    )


def _without(counts, noise):
    """The counts of all other clusters, with those of all rows."""

    def others(table, *axes):
        for axis in axes:
            table = None if table is None else np.delete(table, noise, axis)
        return table

    names = "sizes", "select", "certify", "test", "hidden"
    tables = {name: others(getattr(counts, name), 0) for name in names}
    known = {"distances": lambda: others(counts.distances(), 0, 1), "whole": counts}
    return replace(counts, **tables, **known)


def _by_split(values, by_split):
    """A number for each split; 0 where no rows select."""
    return np.array(values or [0.0] * len(by_split), dtype=float)


def _seen_by(
    strategy: Strategy, counts: ClusterCounts
) -> tuple[ClusterCounts, NDArray[np.integer]]:
    """The counts that a way to certify may look at, and the codes of their classes.

    Where classes need not be known beforehand and some rows select, labels of a class
    that only certifying rows have are of no class: else names of clusters, ties and
    choices would depend on which classes there are among the rows that certify.
    """
    if strategy.fraction and not strategy.knows_classes:
        return counts.of_selecting_classes()
    return counts, np.arange(counts.n_classes)


def _of_classes(option, classes, noise):
    """The option with codes of classes, from places among those that were looked at."""
    given = option.classes
    codes = np.where(given == ABSTAIN, ABSTAIN, classes[given])
    codes = codes if noise is None else np.insert(codes, noise, ABSTAIN)
    return option._replace(classes=codes)


def _check_options(strategy, options):
    """Each labeling once, with weights that could be part of a sum of at most 1."""
    if not options:
        raise ValueError(f"{strategy!r} must offer at least one labeling, got none.")
    largest: dict[tuple[bool, bytes], tuple[Fraction, Option]] = {}
    for option in options:
        for term, weight in option.terms.items():
            if not isinstance(weight, Fraction) or not 0 < weight <= 1:
                name = f"The term {term!r} of {strategy!r}"
                raise invalid(name, "a Fraction in (0, 1]", weight)
        weight = total_weight(option.terms)
        key = option.clusters is None, option.classes.tobytes()
        if key not in largest or weight > largest[key][0]:
            largest[key] = weight, option
    # Exact sums of long ratios are slow, and mostly the sum is far from 1.
    total = sum(float(weight) for weight, _ in largest.values())
    if total > _NEARLY_ONE and sum(weight for weight, _ in largest.values()) > 1:
        raise ValueError(
            f"The weights of the {len(largest)} labelings that {strategy!r} offers of "
            f"one clustering sum to {total:.12g}; they must sum to at most 1."
        )
    return [option for _, option in largest.values()]
