"""A prior by part of the labels: all labelings of all candidates are bounded at once.

Exhaustively for a few rows: every truth, and every choice of the rows that set the prior
and of those that certify. Whoever claims has seen all these labels, and may claim any
labeling of any candidate. Beside it controls that break one rule and must be caught.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import exp, prod

import numpy as np
import pytest
import sweeps
from sweeps import every_truth, worst_ratios

from sklearn_pacmdl.certification._counts import majority
from sklearn_pacmdl.certification._goals import LabelAll

# --- All that may be claimed ----------------------------------------------------------


class Every:
    """Offers all labelings, so that whoever claims may choose any."""

    def _labelings(self, counts, accepted, language, rng):
        if counts.names is not None:  # a classifier
            yield from super()._labelings(counts, accepted, language, rng)
            return
        by = self.names(counts)
        named = np.where(accepted, majority(by, by.select, rng), -1)
        where, learned = np.flatnonzero(accepted), self.learns(counts)
        odds = np.exp(self.certainty * learned.select[:, :-1])
        shares = odds / odds.sum(axis=1, keepdims=True)
        shares = (1 - self.unseen) * shares + self.unseen / shares.shape[1]
        parts = np.floor(2**30 * (1 - 1e-9) * shares).astype(np.int64)
        for own in product(range(counts.n_classes), repeat=len(where)):
            classes = np.full(len(accepted), -1)
            classes[where] = own
            label = Fraction(prod(parts[where, own].tolist()), 2 ** (30 * len(own)))
            share = self.named_share(classes, named, counts)
            yield classes, {"label": label} | ({"named": share} if share else {})

    def named_share(self, classes, named, counts):
        """Of the weight for the names by selecting rows."""
        return Fraction(int(classes.tolist() == named.tolist()))

    def names(self, counts):
        """What names clusters."""
        return counts

    def learns(self, counts):
        """What classes are weighed by."""
        return counts


class EveryByErrors(Every):
    """Where errors choose, half is for names, and half for what keeps some of them."""

    def named_share(self, classes, named, counts):
        kept = Fraction(1)
        for own, name, rows in zip(classes, named, counts.select.tolist(), strict=True):
            if not sum(rows[:-1]):  # of selecting rows
                kept /= counts.n_classes
            elif own != name:
                return Fraction(0)
        return (kept + super().named_share(classes, named, counts)) / 2


#: Weight is spread, and that of classes does not follow their labels closely.
SPREAD = {"of_preferred": Fraction(1, 3), "of_named": Fraction(1, 3)}
SPREAD |= {"certainty": 0.7, "unseen": 0.5, "sharpness": 0.3}
WITHIN = {"within": 0.6, "delta": 0.3}
WAYS = {
    "default": sweeps.way("learned", rule=Every),
    "spread": sweeps.way("learned", rule=Every, **SPREAD),
    "sets": sweeps.way("learned", rule=Every, **WITHIN),
    "spread sets": sweeps.way("learned", rule=Every, **WITHIN, **SPREAD),
}
BY_ERRORS = {
    "errors": sweeps.way(sweeps.BY_ERRORS, rule=EveryByErrors),
    "spread errors": sweeps.way(sweeps.BY_ERRORS, rule=EveryByErrors, **SPREAD),
}


def random_counts(rng, n_classes=3):
    """Of three partitions of the same rows; the last is by a classifier's predictions."""
    n_rows = 40
    codes, part = rng.integers(n_classes, size=n_rows), rng.permutation(n_rows) // 10
    counts = []
    for n_clusters in (2, 3, n_classes):
        cells = np.zeros((4, n_clusters, n_classes), dtype=np.int64)
        clusters = np.r_[range(n_clusters), rng.integers(n_clusters, size=n_rows)]
        np.add.at(cells, (part, clusters[:n_rows], codes), 1)
        select, certify, *rest = cells
        counts.append(sweeps.counts_of(select, certify, test=np.sum(rest, axis=(0, 2))))
    counts[-1] = replace(counts[-1], names=np.arange(n_classes))
    return counts


def weights_of(way, counts):
    """Weight of every option of every candidate."""
    weights: dict = {}
    for i, option, terms in sweeps.offers_of(sweeps.sweep_of_numbers(way, counts)):
        key = i, tuple(option.classes.tolist())
        weights[key] = weights.get(key, 0) + prod(terms.values())
    return weights


@pytest.mark.parametrize("kind", [*WAYS, *BY_ERRORS])
@pytest.mark.parametrize("seed", range(10))
def test_weights_of_all_labelings_of_all_candidates_sum_to_one(kind, seed):
    """But for rounding: with sets of clusters, and with a classifier among them."""
    way = (WAYS | BY_ERRORS)[kind]
    counts = random_counts(np.random.default_rng(seed))
    weights = weights_of(way, counts)
    assert len(weights) >= 3**2 + 3**3 + 1
    assert 1 - Fraction(1, 10**6) < sum(weights.values()) <= 1
    # What the method itself offers is among them, at the same weights.
    changes = {name: getattr(way.method, name) for name in SPREAD}
    name = sweeps.BY_ERRORS if kind in BY_ERRORS else "learned"
    offered = weights_of(sweeps.way(name, **changes)._replace(goal=way.goal), counts)
    assert len(offered) >= 3
    assert all(weights[labeling] == weight for labeling, weight in offered.items())


def share(*seen):
    """Of the first class of a cluster, of which so many rows were seen by class."""
    odds = [exp(2 * n) for n in seen]
    return 0.98 * odds[0] / sum(odds) + 0.02 / len(seen)


def test_weights_are_those_of_the_formula():
    """By hand: of rows of two classes, seen in two clusters, and in three."""
    two, three = (
        sweeps.counts_of(*map(np.array, tables[:2]), test=np.array(tables[2]))
        for tables in (
            ([[2, 0], [1, 2]], [[1, 1], [0, 2]], [5, 5]),
            ([[2, 0], [1, 0], [0, 2]], [[0, 1], [1, 0], [0, 2]], [4, 1, 5]),
        )
    )
    # Half of the errors seen and half of those if rows are left out, and .3 for the
    # cluster that one row names. Of two numbers of clusters either has a quarter, and
    # half is proportional to 1 / 2 and 1 / 3. By errors goes half of the weight.
    prior = 1 / 4 + 3 / 10, 1 / 4 + 2 / 10
    rates = (1 + 2) / 2, (0 + 0.5) / 2 + 0.3
    odds = [p * exp(-rate) for p, rate in zip(prior, rates, strict=True)]
    first, second = (
        (own / sum(odds) + p) / 2 for own, p in zip(odds, prior, strict=True)
    )
    expected = {
        (0, (0, 0)): 0.05 * first * share(2, 0) * share(1, 2),
        (0, (0, 1)): 0.05 * first * (1 + share(2, 0) * share(2, 1)),
        (0, (1, 0)): 0.05 * first * share(0, 2) * share(1, 2),
        (0, (1, 1)): 0.05 * first * share(0, 2) * share(2, 1),
    }
    for classes in product(range(2), repeat=3):
        q = prod(
            share(*(own if k == 0 else own[::-1]))
            for own, k in zip([(2, 0), (1, 0), (0, 2)], classes, strict=True)
        )
        expected[1, classes] = 0.05 * second * q
    expected[1, (0, 0, 1)] += 0.9 + 0.05 * second  # it has the fewest errors
    found = weights_of(WAYS["default"], [two, three])
    assert len(found) == len(expected) == 4 + 8
    for labeling, weight in expected.items():
        assert (1 - 1e-7) * weight < found[labeling] < weight


# --- Every truth and every division -----------------------------------------------------

SIX = [(0, 0, 0, 0, 1, 1), (0, 0, 1, 1, 1, 2)]
EIGHT = [(0, 0, 0, 0, 1, 1, 1, 1), (0, 0, 1, 1, 1, 1, 2, 2)]


@pytest.mark.parametrize("sizes", [(2, 2), (1, 3), (3, 1), (1, 2)])
@pytest.mark.parametrize("kind", [*WAYS, *BY_ERRORS])
def test_no_claim_is_wrong_more_often_than_it_may(kind, sizes):
    way = (WAYS | BY_ERRORS)[kind]
    assert max(worst_ratios(way, sizes, SIX, every_truth(6))) <= 1


@pytest.mark.parametrize("declared", [False, True])
def test_nor_of_classes_that_only_certifying_rows_show(declared):
    """Which name clusters only if they are declared."""
    goal = LabelAll("errors", declared=declared)
    way = BY_ERRORS["spread errors"]._replace(goal=goal)
    given = {"seen_classes_only": not declared}
    assert max(worst_ratios(way, (1, 3), SIX, every_truth(6, 3), **given)) <= 1


@pytest.mark.parametrize(
    ("sizes", "partitions", "truths"),
    [((2, 3), EIGHT, every_truth(8)), ((2, 2), SIX, every_truth(6, 3))],
)
def test_nor_of_more_rows_or_classes(sizes, partitions, truths):
    ratios = worst_ratios(WAYS["default"], sizes, partitions, truths)
    assert max(ratios) <= 1
    assert max(ratios) > 0.5  # little is given away: the enumeration is no weak test


# --- Controls -------------------------------------------------------------------------


class LeakedNames(Every):
    """What the certifying rows call the clusters has the weight of being named."""

    def names(self, counts):
        return replace(counts, select=counts.certify)


def test_control_names_by_certifying_rows():
    leaked = sweeps.way("learned", rule=LeakedNames)
    assert max(worst_ratios(leaked, (2, 2), SIX, every_truth(6))) > 1


class LooksAhead(Every):
    """Classes that certifying rows have weigh more."""

    def learns(self, counts):
        return replace(counts, select=counts.select + counts.certify)


#: Nearly all weight is that of classes.
OF_CLASSES = {"of_preferred": Fraction(1, 10**6), "of_named": Fraction(1, 10**6)}


def test_control_weights_that_look_at_certifying_rows():
    sharp, pairs = OF_CLASSES | {"certainty": 6.0}, [(0, 0, 1, 1, 2, 2)]
    rows = (2, 2), pairs, every_truth(6), (0.35,)
    right, ahead = (sweeps.way("learned", rule=r, **sharp) for r in (Every, LooksAhead))
    assert max(worst_ratios(right, *rows)) <= 1
    assert max(worst_ratios(ahead, *rows)) > 1


@pytest.mark.parametrize(
    ("kind", "rule", "deltas"),
    [("learned", {"rule": Every}, sweeps.DELTAS), (sweeps.BY_ERRORS, {}, (0.41,))],
)
def test_control_classes_of_certifying_rows(kind, rule, deltas):
    """Each of six rows is of its own class; two are known, and half the weight is each's.

    If classes are known beforehand, all six share the weight. The rule is broken if names
    are of any class that is listed, and not only of those of selecting rows.
    """
    even = OF_CLASSES | {"certainty": 0.0, "unseen": 1.0} | rule
    way, right = (
        sweeps.way(kind, knows_classes=knows, **even) for knows in (True, False)
    )
    given = (1, 1), [(0, 0, 0, 0, 0, 0)], np.arange(6)[None], deltas
    assert max(worst_ratios(way, *given)) <= 1
    assert max(worst_ratios(right, *given, seen_classes_only=True)) <= 1
    assert max(worst_ratios(way, *given, seen_classes_only=True)) > 1


# --- All weights together, of rows ------------------------------------------------------
#
# Equal clusterings, which distances name alike or not, another one and a classifier. Of
# ten rows three select, of which the third cluster has none.

EQUAL = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
LINE, TURNED = (abs(np.subtract.outer(*[place] * 2)) for place in ([0, 3, 1], [0, 3, 2]))
OTHER = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
CLUSTERINGS = [(EQUAL, LINE), (2 - EQUAL, LINE), (OTHER, LINE[:2, :2]), (EQUAL, TURNED)]
SELECT, REST = [0, 1, 3], [2, 4, 6, 7]
ALL_WEIGHTS = {
    "bound": WAYS["default"],
    "errors": BY_ERRORS["errors"],
    "declared": BY_ERRORS["errors"]._replace(goal=LabelAll("errors", declared=True)),
    "sets": WAYS["sets"],
}


def weights_of_rows(way, selecting, certify, labels, n_classes=3, equal=None):
    """Largest weight of each labeling of each partition, and of the classifier."""
    codes = np.full(10, -1)
    codes[SELECT], codes[list(certify)] = selecting, labels
    predicted = np.where(np.arange(10) % 3 == 0, *selecting[:2])
    division = np.array(SELECT), np.array(certify)
    known = CLUSTERINGS, predicted, codes, division, n_classes, equal
    sweep, weights = sweeps.sweep_of_rows(way, *known), {}
    for i, option, terms in sweeps.offers_of(sweep):
        key = "classifier" if i == 4 else "other" if i == 2 else "equal", *option.classes
        weights[key] = max(weights.get(key, 0), prod(terms.values()))
    return weights


def weights_of_all_labels(way, selecting, n_classes=lambda labels: 3):
    """The same for all certifying rows, of one number, and all their labels."""
    return [
        weights_of_rows(way, selecting, certify, labels, n_classes(labels))
        for certify in combinations(REST, 2)
        for labels in [(0, 0), (0, 1), (1, 2)]
    ]


@pytest.mark.parametrize("kind", ALL_WEIGHTS)
@pytest.mark.parametrize("selecting", [(0, 1, 1), (0, 0, 1)])
def test_all_weights_sum_to_one_whatever_certifies(kind, selecting):
    """Of favorites of both kinds, pooled, by errors, and of sets of clusters."""
    first, *others = weights_of_all_labels(ALL_WEIGHTS[kind], selecting)
    assert 0.8 < sum(first.values()) <= 1
    assert all(own == first for own in others)


def test_control_equal_clusterings_by_their_rows_alone():
    """Distances name the third cluster otherwise: both names had the favorite's share."""
    weights = weights_of_rows(
        WAYS["default"],
        (0, 0, 1),
        REST[:2],
        (0, 0),
        equal=lambda c: c._replace(equal=(c.partition,)),
    )
    assert sum(weights.values()) > 1.5


class TrustedByAll(EveryByErrors):
    """Names are free in clusters without any label: certifying rows decide which."""

    def named_share(self, classes, named, counts):
        return super().named_share(classes, named, replace(counts, select=counts.labeled))


@pytest.mark.parametrize(
    ("way", "n_classes"),
    [
        (ALL_WEIGHTS["declared"], lambda labels: max(*labels, 1) + 1),
        (sweeps.way(sweeps.BY_ERRORS, rule=TrustedByAll), lambda labels: 3),
    ],
)
def test_control_what_is_counted_on_all_labels_changes_weights(way, n_classes):
    """Classes, or the threshold of names that are free."""
    first, *others = weights_of_all_labels(way, (0, 1, 1), n_classes)
    assert any(own != first for own in others)
