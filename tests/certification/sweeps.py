"""Sweeps of a few candidates, made of counts as they are made of clusterings.

What is claimed of all of them at once can be enumerated and simulated so, which no
public function tells: it returns what is best.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from inspect import signature
from itertools import combinations, product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from sklearn_pacmdl.certification._counting import (
    CandidateCounts,
    SplitCounter,
    SplitSizes,
    count_options,
    divide,
)
from sklearn_pacmdl.certification._counts import ClusterCounts, estimated_errors
from sklearn_pacmdl.certification._folds import Folds
from sklearn_pacmdl.certification._goals import LabelAll, LabelWithin
from sklearn_pacmdl.certification._methods import METHODS, Option, _NamedByAll
from sklearn_pacmdl.certification._pipeline import Sweep, bound, rank, weigh_candidates
from sklearn_pacmdl.certification._sources import divide_contents
from sklearn_pacmdl.languages import Candidate, Prior

__all__ = ["Folds", "estimated_errors", "rank"]  # which tests take from here
DELTA = 0.1


class Way(NamedTuple):
    """How labels certify, and what is to be certified."""

    method: Any
    goal: Any

    def options(self, counts, language=None, seed=0):
        """What may be claimed of one clustering."""
        rng = np.random.RandomState(seed)
        return self.goal.options(self.method, counts, language or Prior(), rng)

    def labelings(self, counts, accepted, language, seed=0):
        """Labelings of accepted clusters, with the terms of their weights."""
        rng = np.random.RandomState(seed)
        return [*self.method._labelings(counts, np.array(accepted), language, rng)]

    def divided(self, labeled, seeds):
        """Which labeled rows select, and which certify."""
        return divide(labeled, self.method, seeds)

    def divided_by_contents(self, contents, seed):
        """The same of rows that have no numbers, as what is in them."""
        return divide_contents(contents, self.method, seed)


#: The default where candidates are chosen by errors.
BY_ERRORS = "learned by errors"


class AllClasses(LabelAll):
    """Clusters may have classes that no selecting row has."""

    names_all_classes = True


def way(
    kind,
    *,
    within=None,
    delta=DELTA,
    rule=None,
    drops_noise=False,
    knows_classes=False,
    **changes,
):
    """A method of certification, in which ``rule`` takes the place of its own methods.

    With ``within`` clusters may be left out, and with ``drops_noise`` noise is.
    """
    cls = _NamedByAll if kind == BY_ERRORS else METHODS[kind]
    own = [name for name in changes if name in signature(cls).parameters]
    fields = {name: changes.pop(name) for name in own}
    if rule is not None or changes:
        cls = type("Changed", (cls,) if rule is None else (rule, cls), changes)
    choose = "errors" if kind == BY_ERRORS else "bound"
    goal = (AllClasses if knows_classes else LabelAll)(choose, drops_noise)
    if within is not None:
        goal = LabelWithin("bound", drops_noise, within, delta)
    return Way(cls(**fields), goal)


def counts_of(select, certify, *, test=None, hidden=None):
    """Counts of one clustering, from tables of clusters by classes."""

    def padded(table):  # no label is of no class
        return np.column_stack([table, np.zeros(len(table), dtype=np.int64)])

    if hidden is not None:
        test, hidden = hidden.sum(axis=1), padded(hidden)
    sizes = (select + certify).sum(axis=1) + test
    return ClusterCounts(sizes, padded(select), padded(certify), test, hidden)


def swept(own, candidates, counted, sizes, n_classes, delta=DELTA, learns=()):
    """A sweep over counted candidates, some of which may be classifiers."""
    weights = weigh_candidates(None, candidates, own.method)
    counts = candidates, counted, weights, sizes
    return Sweep(*own, *counts, n_classes, delta, learns)


def sweep_of(own, counts, *, delta=DELTA, seed=0, candidates=None, noise=None):
    """A sweep over clusterings with these counts of the same rows, on one split.

    ``noise`` is the cluster of each that is given no class, or None.
    """
    noise = noise or [None] * len(counts)
    if candidates is None:
        candidates = [Candidate("a", len(c.sizes), i) for i, c in enumerate(counts)]
    known, first = {"language": Prior(), "seed": seed}, counts[0]
    counted = [
        count_options(*own, [c], partition=bytes([i] * 16), noise=noise[i], **known)
        for i, c in enumerate(counts)
    ]
    sizes = [SplitSizes(*map(np.sum, (first.select, first.certify, first.test)))]
    return swept(own, candidates, counted, sizes, first.n_classes, delta)


def sweep_of_numbers(own, counts, **kwargs):
    """The same over numbers of clusters of which each has weight of its own."""
    candidates = [Candidate("a", i + 2) for i in range(len(counts))]
    return sweep_of(own, counts, candidates=candidates, **kwargs)


def counted_by_folds(estimate, nested, n_splits=1):
    """A candidate with one named option, its estimated errors, and errors by fold.

    They are the same for each of five divisions into folds.
    """
    terms = {"label": Fraction(1), "named": Fraction(1)}
    option = Option(np.array([0, 1]), terms, 40, 60, 3, -1)
    estimates, nothing = np.full(n_splits, float(estimate)), np.zeros(n_splits)
    known = nothing, nothing, estimates, estimates, b""
    nested = np.tile(np.array([nested] * n_splits, dtype=float), 5)
    return CandidateCounts(2, [[option]] * n_splits, *known, nested=nested)


def sweep_of_kinds(method, candidates, found, learns):
    """A sweep over candidates that are counted, some of which are classifiers."""
    n_splits = next(len(own.options) for own in found if own is not None)
    sizes = [SplitSizes(30, 40, 60)] * n_splits
    return swept(Way(method, LabelAll()), candidates, found, sizes, 2, learns=learns)


def offers_of(sweep):
    """Candidates, options and the terms of their weights."""
    return [
        (i, claim.option, claim.terms)
        for i, claims in claims_of(sweep).items()
        for claim in claims
    ]


def claims_of(sweep, delta=None):
    """All that is claimed, by candidate."""
    if delta is not None:
        sweep = replace(sweep, delta=delta)
    (offered,) = bound(sweep).offered
    return offered


def sweep_of_rows(own, clusterings, predicted, codes, division, n_classes, equal=None):
    """A sweep over clusterings, with distances between clusters, and over a classifier.

    ``equal`` may change what equal clusterings share.
    """
    rest = np.setdiff1d(np.arange(len(codes)), np.concatenate(division))
    split = np.sort(np.concatenate(division)), rest
    known = Prior(), np.arange(len(codes)), codes, n_classes, [split], [division], 0
    counter = SplitCounter(*own, *known, two_kinds=True)
    counted = [
        counter.count(clusters, lambda own=between: own)
        for clusters, between in clusterings
    ]
    counted = counted if equal is None else [*map(equal, counted)]
    counted.append(counter.count_predictions(predicted[None]))
    candidates = [Candidate("a", i + 2) for i in range(len(counted))]
    learns = [False] * len(clusterings) + [True]
    return swept(own, candidates, counted, counter.sizes, n_classes, learns=learns)


def is_wrong(claim):
    """Whether more rows are wrong than is claimed."""
    return claim.option.test_errors > claim.bound * claim.option.n_test + 1e-9


DELTAS = (0.3, 0.6)


@cache
def _claims_on(way, deltas, tables, noise, seen_classes_only):
    """Candidates, classes and largest numbers of errors of all claims on these counts."""
    arrays = [tuple(map(np.array, own)) for own in tables]
    kept = np.arange(arrays[0][0].shape[1])
    if seen_classes_only:
        (kept,) = np.nonzero((arrays[0][0] + arrays[0][1]).any(axis=0))
    counts = [counts_of(s[:, kept], c[:, kept], test=t) for s, c, t in arrays]
    sweep, claims = sweep_of_numbers(way, counts, noise=noise), {}
    for delta in deltas:
        for i, own in claims_of(sweep, delta).items():
            for k, claim in enumerate(own):
                classes, n_test = claim.option.classes, claim.option.n_test
                classes = np.where(classes < 0, -1, kept[classes])
                _, _, errors = claims.setdefault((i, k), (i, classes, []))
                errors.append(round(claim.bound * n_test))
    return [*claims.values()]


def worst_ratios(
    way, sizes, partitions, truths, deltas=DELTAS, noise=None, seen_classes_only=False
):
    """The probability that any claim is wrong, by delta, at worst over the truths.

    ``sizes`` are the numbers of rows that select and that certify.
    """
    n_classes, n_rows = truths.max() + 1, truths.shape[1]
    members = [np.eye(max(own) + 1, dtype=int)[list(own)].T for own in partitions]
    is_class = np.eye(n_classes, dtype=int)[truths]
    n_wrong, n_divisions = np.zeros((len(truths), len(deltas)), dtype=int), 0
    for labeled in combinations(range(n_rows), sum(sizes)):
        rest = [row for row in range(n_rows) if row not in labeled]
        for select in map(list, combinations(labeled, sizes[0])):
            certify = [row for row in labeled if row not in select]
            parts = [
                [own[:, rows] @ is_class[:, rows] for rows in (select, certify, rest)]
                for own in members
            ]
            n_wrong += _wrong(parts, way, deltas, noise, seen_classes_only)
            n_divisions += 1
    assert n_divisions == comb(n_rows, sizes[0]) * comb(n_rows - sizes[0], sizes[1])
    return [
        Fraction(int(most), n_divisions) / Fraction(repr(delta))
        for most, delta in zip(n_wrong.max(axis=0), deltas, strict=True)
    ]


def _wrong(parts, way, deltas, *rules):
    """Whether any claim is wrong, by truth and delta."""
    seen = np.hstack([t.reshape(len(t), -1) for own in parts for t in own[:2]])
    _, first, group = np.unique(seen, axis=0, return_index=True, return_inverse=True)
    found = np.zeros((len(seen), len(deltas)), dtype=bool)
    for number, k in enumerate(first.tolist()):
        truths = np.flatnonzero(group.ravel() == number)
        tables = tuple(
            (_as_tuples(s[k]), _as_tuples(c[k]), tuple(t[k].sum(axis=1).tolist()))
            for s, c, t in parts
        )
        for i, classes, most in _claims_on(way, deltas, tables, *rules):
            hidden, own = parts[i][2][truths], np.flatnonzero(classes >= 0)
            right = hidden[:, own, classes[own]].sum(axis=1)
            n_errors = hidden[:, own].sum(axis=(1, 2)) - right
            found[truths] |= n_errors[:, None] > most
    return found


def _as_tuples(table):
    return tuple(map(tuple, table.tolist()))


def every_truth(n_rows, n_classes=2):
    """All, but for the names of the classes: the first row is of the first."""
    return np.array([(0, *own) for own in product(range(n_classes), repeat=n_rows - 1)])
