"""A clustering becomes options with counts; then it can be forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b, sha256
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..languages import Language
from ..utils._checks import exact_decimal, invalid
from ..utils._labels import ABSTAIN
from ..utils._random import seeded_again
from ..utils._weights import total_weight
from ._counts import ClusterCounts, Partition, cells_of_rows, no_distances
from ._goals import Goal, LabelAll
from ._naming import estimated_errors
from ._strategy import Option, Strategy


def divide(train, strategy, seed):
    """Divide the labeled rows at random into those that select and those that certify.

    The set of labeled rows is part of the seed, so every set has a division of its own.
    Were it a fixed pattern of ranks or of places in the file, then at some seeds the
    selecting rows of a file sorted by class would miss whole classes, whichever rows are
    labeled, and the guarantee would fail far more often than delta.

    Parameters
    ----------
    train : ndarray of shape (n_labeled,) of int
        Row indices.
    strategy : Strategy
        Its ``fraction`` of the rows selects.
    seed : sequence of int
        Must not be chosen by looking at the data.

    Returns
    -------
    select, certify : ndarray of int
        Row indices, sorted.

    Raises
    ------
    ValueError
        If one of the two would be empty.
    """
    rows = np.sort(train)
    if strategy.fraction == 0:
        return rows[:0], rows
    n_select = floor(exact_decimal(strategy.fraction) * len(rows))
    if not 0 < n_select < len(rows):
        raise ValueError(
            f"certify={strategy.kind!r} needs labeled rows to select and others to "
            f"certify, but select_fraction={strategy.fraction} of {len(rows)} labeled "
            f"rows is {n_select}."
        )
    code = sha256(rows.astype("<i8").tobytes()).digest()
    words = np.frombuffer(code, dtype="<u4")
    order = np.random.RandomState([*seed, *words]).permutation(len(rows))
    return np.sort(rows[order[:n_select]]), np.sort(rows[order[n_select:]])


def naming_rows(strategy, select, certify):
    """The labeled rows that give clusters their classes, sorted."""
    return select if strategy.chooses_first else np.sort(np.r_[select, certify])


# Floats that sum to less cannot be of ratios that sum to more than 1: a clustering has at
# most thousands of options, and each float is off by a part in 10**16.
_NEARLY_ONE = 1 - 1e-9


class SplitSizes(NamedTuple):
    """Numbers of rows of one split."""

    n_select: int
    n_certify: int
    n_test: int

    @property
    def n_labeled(self) -> int:
        return self.n_select + self.n_certify

    @property
    def n_rows(self) -> int:
        return self.n_labeled + self.n_test


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


@dataclass(frozen=True)
class Assessment:
    """What every clustering of a sweep is assessed on; none of it reaches a ``fit``."""

    strategy: Strategy
    goal: Goal
    language: Language  # that weighs labels, where these cost bits
    order: NDArray[np.integer]  # row order in which clusterers see the rows
    codes: NDArray[np.integer]  # class of each row, -1 unlabeled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    divisions: Sequence[tuple[np.ndarray, np.ndarray]]  # labeled: select, certify
    seed: int  # of ties between classes
    cells: Sequence[np.ndarray] = field(init=False)  # of rows, by split

    def __post_init__(self) -> None:
        parts = zip(self.splits, self.divisions, strict=True)
        cells = [cells_of_rows(self.codes, self.n_classes, *both) for both in parts]
        object.__setattr__(self, "cells", cells)

    @property
    def sizes(self) -> list[SplitSizes]:
        """Numbers of rows, by split."""
        return [
            SplitSizes(len(select), len(certify), len(test))
            for (_, test), (select, certify) in zip(
                self.splits, self.divisions, strict=True
            )
        ]

    def partition(self, labels: np.ndarray) -> Partition:
        """The partition that labels make of the rows."""
        return Partition(labels, self.order)

    def count(self, labels: np.ndarray, distances=no_distances) -> Counted:
        """Count a clustering on every split.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,) of int
            Cluster of each row.
        distances : callable, default=no_distances
            Returns the distances between the clusters of :meth:`partition`, or None.
        """
        partition = self.partition(labels)
        counts = [partition.count(own, self.n_classes, distances) for own in self.cells]
        return self._counted(counts, partition.fingerprint(self.seed))

    def count_predictions(self, codes: np.ndarray) -> Counted:
        """Count a classifier, whose clusters are the classes that it predicts.

        Parameters
        ----------
        codes : ndarray of shape (n_splits, n_samples) of int
            Class of each row, and a multiple of the number of classes; for rows that
            select, predicted without their own labels.
        """
        counts = []
        for own, cells in zip(codes, self.cells, strict=True):
            partition = self.partition(own)
            names = predicted_by(partition, own) % self.n_classes
            counts.append(replace(partition.count(cells, self.n_classes), names=names))
        return self._counted(counts, digest(codes))._replace(n_clusters=0)

    def _counted(self, by_split, fingerprint):
        return count_options(
            self.strategy, self.goal, by_split, self.language, self.seed, fingerprint
        )


def predicted_by(partition: Partition, codes: np.ndarray) -> np.ndarray:
    """Code that the rows of each cluster of a partition by such codes have."""
    own = np.empty(partition.n_clusters, dtype=np.int64)
    own[partition.clusters] = codes
    return own


def count_options(
    strategy: Strategy,
    goal: Goal,
    by_split: Sequence[ClusterCounts],
    language: Language,
    seed: int,
    partition: bytes,
) -> Counted:
    """What may be claimed of a clustering, from its counts on each split.

    The fingerprint of the partition, four bytes or a multiple, is a part of the seed of
    ties, so that equal partitions break them alike and give the same labeling.
    """
    words = np.frombuffer(partition, dtype=np.uint32).tolist()
    shown = [seen_by(strategy, counts) for counts in by_split]
    options = []
    for split, (counts, classes) in enumerate(shown):
        rng = seeded_again([seed, split, *words])
        found = goal.options(strategy, counts, language, rng)
        offered = _check_options(strategy, found)
        options.append(
            [o._replace(classes=codes_of(o.classes, classes)) for o in offered]
        )
    selecting = [counts for counts, _ in shown if strategy.fraction]
    return Counted(
        n_clusters=len(by_split[0].sizes),
        options=options,
        train_errors=np.array([majority_errors(counts) for counts in by_split]),
        estimated_errors=np.array(
            [estimated_errors(c.labeled, c.names) for c in by_split]
        ),
        selection_errors=_by_split(LabelAll().selection, selecting, len(shown)),
        preferences=_by_split(goal.selection, selecting, len(shown)),
        partition=partition,
        sizes=by_split[0].sizes,
        labeled=csr_array(by_split[0].labeled),
    )


def _by_split(value, counts, n_splits):
    """A number for each split; 0 where no rows select."""
    return np.array([value(each) for each in counts] or [0.0] * n_splits, dtype=float)


def seen_by(
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


def codes_of(given: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Class codes of clusters, from places among the classes that were looked at."""
    return np.where(given == ABSTAIN, ABSTAIN, classes[given])


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


def majority_errors(counts: ClusterCounts) -> int:
    """Errors on labeled rows of the majority classes of all of them."""
    right = counts.labeled[:, :-1].max(axis=1)
    return int(counts.labeled.sum() - right.sum())


def digest(numbers: np.ndarray) -> bytes:
    """Fingerprint of a partition, or of counts and classes."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return blake2b(whole.data, digest_size=16).digest()
