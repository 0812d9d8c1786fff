"""Which way to certify, chosen from sizes alone, before any label is seen."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class SweepSize(NamedTuple):
    """What is known of a sweep before any label is seen."""

    n_labeled: int
    n_rows: int
    n_clusters: Sequence[int]  # of the candidates, as far as they are known
    n_candidates: int
    delta: float
    n_splits: int = 1


class Choice(NamedTuple):
    """A way to certify, and why it was chosen."""

    certify: str
    reason: str


# Where delta is small and clusters are few, learned weights, which leave more labels to
# certify, were better in nine of ten cases, by .9 to 13 points, and worse by .9 in one
# (delta = .001, benchmarks/results/division.json). The limits are guesses: of delta
# between .1 and .001, of clusters above 8, the largest median of these cases.
SMALL_DELTA, FEW_CLUSTERS = 0.01, 10


def choose_way(size: SweepSize) -> Choice:
    """Choose among the ways to certify, for ``certify="auto"``.

    Not by bounds that are planned for guessed error rates: what the ways differ by
    depends on errors that are not known.
    """
    if size.n_labeled < 4:
        return Choice("decoupled", "there are too few labels to divide")
    if size.n_splits > 1:
        return Choice("learned", "hold-out certifies nothing on several splits")
    few = bool(len(size.n_clusters)) and np.median(size.n_clusters) <= FEW_CLUSTERS
    if size.delta <= SMALL_DELTA and few:
        return Choice("learned", "delta is small and clusters are few")
    return Choice("holdout", "its bounds were the tightest, or nearly so, where measured")


def chosen_way(certify: str, size: SweepSize) -> Choice:
    """The way that a parameter ``certify`` stands for."""
    if certify == "auto":
        return choose_way(size)
    return Choice(certify, "as asked for")
