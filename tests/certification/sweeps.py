"""Sweeps of a few candidates, made of counts as they are made of clusterings.

What is claimed of all of them at once can be enumerated and simulated so, which no
public function tells: it returns what is best.
"""

from dataclasses import replace
from fractions import Fraction
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from sklearn_pacmdl.certification._counting import (
    CandidateCounts,
    Partition,
    SplitCounter,
    SplitSizes,
    cells_of_rows,
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

__all__ = ["Folds", "estimated_errors"]  # which tests take from here
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


def counts_of_rows(clusters, codes, n_classes, split, division):
    """Counts of one clustering, from the class of each row."""
    cells = cells_of_rows(codes, n_classes, split, division)
    order = np.argsort(clusters, kind="stable")
    return Partition(clusters, order).count(cells, n_classes)


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


def ranking_of(sweep):
    """The order of the candidates, and the best of them."""
    return rank(bound(sweep))


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


def best_claim(sweep):
    """What a search would certify."""
    return bound(sweep).best[0][0]


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
