"""Rows in the order in which they are accepted, against a walk along the order."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import poisson

from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.certification import ClusterCounts
from sklearn_pacmdl.certification._counting import SplitSizes
from sklearn_pacmdl.certification._finish import (
    RowAssessment,
    RowOrder,
    _expected_share,
    finishing,
    impurities,
    left_out,
)
from sklearn_pacmdl.certification._holdout import HoldOut
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.certification._pac_mdl import PacMdl
from sklearn_pacmdl.languages import Candidate


@st.composite
def orders(draw):
    """Rows 0 and 1 select; the others come in any order, some of them certify."""
    n = draw(st.integers(1, 10))
    order = 2 + np.array(draw(st.permutations(range(n))), dtype=np.int64)
    unlabeled = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    wrong = np.array(draw(st.lists(st.booleans(), min_size=n + 2, max_size=n + 2)))
    codes = np.array(draw(st.lists(st.integers(0, 2), min_size=n + 2, max_size=n + 2)))
    errors = np.flatnonzero(~unlabeled & wrong[order])
    sizes = SplitSizes(2, int(np.sum(~unlabeled)), int(np.sum(unlabeled)))
    tolerated = draw(st.integers(-1, sizes.n_certify))
    given = codes, np.zeros(n + 2), order, unlabeled, errors, 0.5, tolerated, sizes, 0.2
    return RowOrder(*given), wrong


def walked(order, n_tolerated):
    """Unlabeled rows before one certifying error too many."""
    taken, seen = [], 0
    for place, row in enumerate(order.order.tolist()):
        seen += place in order.errors
        if seen > n_tolerated or n_tolerated < 0:
            break
        if order.unlabeled[place]:
            taken.append(row)
    return taken


@given(orders())
def test_rows_are_those_of_a_walk_along_the_order(drawn):
    order, _ = drawn
    for tolerated in range(-1, 5):
        assert order.n_automatic_at(tolerated) == len(walked(order, tolerated))
    taken = walked(order, order.n_tolerated)
    assert order.n_automatic == len(taken)
    everyone = order.order[order.unlabeled].tolist()
    for n in range(len(everyone) + 1):
        given_a_label = np.flatnonzero(order.accepted(n)).tolist()
        assert [row for row in everyone if row in given_a_label] == everyone[:n]
        assert order.to_people(n).tolist() == everyone[n:][::-1]
        labels = order.labeled(n)
        assert_array_equal(labels, np.where(order.accepted(n), order.codes, -1))
        assert not order.accepted(n)[:2].any()
        # Beyond the last of them, certifying rows up to the first error.
        expected, left = set(), n
        for place, row in enumerate(order.order.tolist()):
            after = left == 0
            if n == 0 or (after and (order.unlabeled[place] or place in order.errors)):
                break
            left -= order.unlabeled[place]
            expected.add(row)
        assert set(given_a_label) == expected


@given(orders())
def test_what_is_accepted_is_counted_as_it_is_labeled(drawn):
    order, wrong = drawn
    truth = np.where(wrong, (order.codes + 1) % 3, order.codes)
    certify, test = order.order[~order.unlabeled], order.order[order.unlabeled]
    option = order.option(certify, test, truth)
    labels = order.labeled(order.n_automatic)
    taken = walked(order, order.n_tolerated)
    assert_array_equal(option.classes, labels)
    assert option.n_test == len(taken)
    assert option.test_errors == sum(wrong[row] for row in taken)
    accepted = [row for row in certify if labels[row] != -1]
    assert option.n_train == len(accepted)
    assert option.train_errors == sum(wrong[row] for row in accepted)
    assert option.train_errors <= max(order.n_tolerated, 0)
    unknown = np.where(np.isin(np.arange(len(truth)), test[:1]), -1, truth)
    known = len(test) == 0
    assert (order.option(certify, test, unknown).test_errors == -1) != known


@given(orders())
def test_points_of_the_curve(drawn):
    order, wrong = drawn
    if not order.unlabeled.any():
        return
    points = [*range(len(order.errors)), max(len(order.errors), order.n_tolerated)]
    points = [a for a in points if walked(order, a)]
    taken = [walked(order, a) for a in points]
    curve = order.curve(wrong)
    n_certify, n_test = order.sizes.n_certify, order.sizes.n_test
    assert_allclose(curve["coverage"], [len(rows) / n_test for rows in taken])
    bounds = [bmax(n_certify, n_test, a, 0.2) for a in points]
    assert_allclose(order.sizes.n_rows * curve["bound"], bounds)
    errors = [sum(wrong[row] for row in rows) for rows in taken]
    assert_allclose(order.sizes.n_rows * curve["test_error"], errors)
    assert np.isnan(order.curve(None)["test_error"]).all()


def test_selecting_rows_alone_in_their_clusters_are_guessed_from_the_nearest():
    select = np.array([[3, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0]])
    counts = ClusterCounts.from_tables(
        np.zeros((6, 2), int),
        np.full(6, 5),
        selecting=select[:, :-1],
        selecting_others=select[:, -1],
    )
    near = np.abs(np.subtract.outer([0.0, 9, 10, 4, 5, 20], [0.0, 9, 10, 4, 5, 20]))
    classes = np.array([0, 0, 1, 0, 0, 1])
    found = left_out(replace(counts, distances=lambda: near), classes)
    # By majority: of three and one, a row of the first class meets two and one.
    assert found[0].tolist() == [0, 1, 1]
    # Alone, and the nearest cluster with labels is of the class 1, or 0.
    assert found[1].tolist() == [1, 0, 1]
    assert found[2].tolist() == [0, 1, 1]
    assert found[5].tolist() == [1, 1, 1]
    without = left_out(counts, classes)
    assert without[1, 0] == without[2, 1] == 0.5
    rates = impurities(select, found, 0.5)
    expected = [(1 + 0.5) / 5, 1.5 / 2, 1.5 / 2, 0.5, 1.5 / 2, 2.5 / 3]
    assert_allclose(rates, expected)


@pytest.mark.parametrize("n_tolerated", [-1, 0, 1, 3])
def test_the_expected_share_is_that_of_poisson_errors(n_tolerated):
    rng = np.random.default_rng(5 + n_tolerated)
    confidence = rng.integers(5, size=40) / 4
    rows = rng.permutation(40)
    select, order = rows[:12], rows[12:]
    promised = rng.uniform(size=12)
    found = _expected_share(confidence, order, select, promised, 9, n_tolerated)
    rates = [
        9 / 12 * promised[confidence[select] >= confidence[row]].sum() for row in order
    ]
    expected = np.mean(poisson.cdf(n_tolerated, rates)) if n_tolerated >= 0 else 0.0
    assert found == pytest.approx(expected)
    nothing = _expected_share(confidence, order[:0], select, promised, 9, n_tolerated)
    assert nothing == 0.0


# ---- From labels to the order

CODES = np.array([0, 0, 1, 1, 0, -1, -1, 1, -1, 1, 0, -1])
CLUSTERS = np.array([0, 0, 0, 1, 1, 0, 1, 1, 2, 2, 2, 2])
SELECT, CERTIFY = np.array([0, 1, 2, 3, 7, 9]), np.array([4, 10])


def assessment(target=0.5):
    labeled, test = np.flatnonzero(CODES >= 0), np.flatnonzero(CODES < 0)
    return RowAssessment(
        finishing(HoldOut(), target, 0.2),
        order=np.arange(12),
        codes=CODES,
        n_classes=2,
        splits=[(labeled, test)],
        divisions=[(SELECT, CERTIFY)],
        seed=0,
    )


MARGINS = np.arange(12.0)[::-1] - 3
TYPICAL = np.sqrt(np.mean(MARGINS**2))
# Clusters of 0, 0 and 1; of two times 1; and of a 1 that is alone, so guessed by chance.
# A row of the first: 0 is guessed right or wrong by chance, 1 always wrongly.
PURITY = -np.array([(0.5 + 0.5 + 1 + 0.5) / 4, 0.5 / 3, (0.5 + 0.5) / 2])


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        (MARGINS, PURITY[CLUSTERS] + 0.5 * MARGINS / TYPICAL),
        (None, PURITY[CLUSTERS]),
        (np.zeros(12), PURITY[CLUSTERS]),
        (np.where(np.arange(12) == 3, np.inf, MARGINS), PURITY[CLUSTERS]),
        (np.where(np.arange(12) == 3, np.nan, MARGINS), PURITY[CLUSTERS]),
    ],
)
def test_the_order_is_by_margins_and_purity(margins, expected):
    asked = []

    def measured(classes):
        asked.append(classes.tolist())
        return margins

    found = assessment().order_rows(CLUSTERS, margins=measured)
    assert asked == [[0, 1, 1]]
    assert_allclose(found.confidence, expected)
    rows = [4, 5, 6, 8, 10, 11]
    by_hand = sorted(rows, key=lambda row: (-round(expected[row], 9), row))
    assert found.order.tolist() == by_hand
    assert found.unlabeled.tolist() == [CODES[row] < 0 for row in by_hand]
    # Both certifying rows are of the class 0, in clusters that are named 1.
    places = [place for place, row in enumerate(by_hand) if row in CERTIFY]
    assert found.errors.tolist() == places
    assert_array_equal(found.codes, np.array([0, 1, 1])[CLUSTERS])
    assert (found.sizes, found.delta) == (SplitSizes(6, 2, 4), 0.2)


@pytest.mark.parametrize("target", [0.001, 0.2, 0.3, 0.4, 0.9])
def test_errors_that_are_tolerated(target):
    """Of all twelve rows, also those that select; the bound is among unlabeled rows."""
    made = assessment(target)
    (sizes,) = made.sizes
    most = min(int(12 * target), 4)
    a = made.strategy.tolerated(sizes)
    assert a == tolerated_audit_errors(2, 4, most, 0.2)
    bounds = made.strategy.bounds([None, None], None, sizes, 0.2)
    assert bounds.tolist() == [bmax(2, 4, max(a, 0), 0.2)] * 2
    assert made.order_rows(CLUSTERS).n_tolerated == a


def test_what_is_counted_of_an_order():
    made = assessment(0.9)
    order = made.order_rows(CLUSTERS)
    found = made.count(CLUSTERS, None)
    ((option,),) = found.options
    expected = order.option(CERTIFY, np.flatnonzero(CODES < 0), CODES)
    assert option[2:] == expected[2:]
    assert option.classes.size == 0
    assert found.n_clusters == 3
    assert_allclose(found.selection_errors, [6 * (1 - order.expected_share)])
    columns = made.strategy.selection_columns(found.selection_errors, 6, 6)
    assert_allclose(columns["expected_coverage"], order.expected_share)
    # Of all labels the majority is 0 with one error, 1 with one, and 0 or 1 with one.
    assert found.train_errors.tolist() == [3]


def test_only_hold_out_finishes():
    for base in (Learned(), PacMdl()):
        with pytest.raises(ValueError, match="certify must be 'holdout' with target_of"):
            finishing(base, 0.1, 0.1)


def test_the_rank_is_by_the_expected_share_of_all_other_rows():
    sweep = SimpleNamespace(
        sizes=[SplitSizes(6, 2, 4), SplitSizes(5, 3, 4)],
        candidates=[Candidate("a", 3), Candidate("a", 4)],
        selection=np.array([[3.0, 4.0], [1.0, 2.0]]),
    )
    ranking = finishing(HoldOut(), 0.1, 0.1).rank(sweep)
    assert (ranking.column, ranking.n_rows, ranking.best) == ("expected_coverage", 6.5, 1)
