"""The bound for all labelings of clusters at once: known answers, proof by trying."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import _decoupled, decoupled_bound
from sklearn_pacmdl.bounds._decoupled import (
    LEVELS,
    bases,
    closed_factor,
    rounded_down,
    table_factor,
)

TAUS = [Fraction(11, 10), Fraction(13, 10), Fraction(3, 2), Fraction(2)]


def closed(n, m, tau):
    a = np.arange(m + 1)
    return closed_factor(np.full(m + 1, n), np.full(m + 1, m), a, tau)


def exactly(log_factor):
    """Factors as they are used, as ratios."""
    integers, exponents = rounded_down(np.asarray(log_factor))
    return [
        int(i) * Fraction(2) ** int(e) for i, e in zip(integers, exponents, strict=True)
    ]


def test_closed_form():
    assert closed(20, 8, Fraction(3, 2))[[0, 2]] == pytest.approx([0, log(3 / 196)])
    assert closed(20, 8, Fraction(13, 10))[[0, 1, 2, 4]] == pytest.approx(
        [0, -0.856, -1.732, -3.582], abs=1e-3
    )
    assert closed(20, 0, Fraction(3, 2))[0] == pytest.approx(20 * log(2 / 3))
    assert closed(20, 20, Fraction(3, 2)).tolist() == [0] * 21
    assert closed(20, 1, Fraction(3, 2)) == pytest.approx([19 * log(2 / 3)] * 2)


def test_table():
    found = table_factor(20, 8, Fraction(13, 10), 0.05)
    assert found[[0, 1, 2, 4]] == pytest.approx(
        [-0.003, -0.632, -1.265, -3.185], abs=0.01
    )
    assert found[8] == -np.inf


@pytest.mark.parametrize(
    ("n", "m", "a", "level", "taus", "expected"),
    [
        ([60] * 3, [30] * 3, [0] * 3, "1/10", "7/5 9/5", 4),
        ([60] * 3, [30] * 3, [0, 3, 1], "1/10", "7/5 9/5", 14),
        ([100, 50, 30], [52, 21, 17], [2, 0, 6], "1/100", "6/5 13/10 3/2", 25),
        ([40, 40, 5, 3], [20, 19, 1, 0], [1, 0, 0, 0], "1/20", "5/4 3/2", 17),
        ([100] * 20, [50] * 20, [2] * 20, "1/100", "6/5 13/10 7/5", 77),
        ([1000] * 10, [100] * 10, [5] * 10, "1/50", "51/50 26/25 27/25", 710),
        ([30] * 4, [15] * 4, [7] * 4, "1/10", "6/5 7/5", 60),
    ],
)
def test_known_answers_for_given_bases(monkeypatch, n, m, a, level, taus, expected):
    taus = [Fraction(tau) for tau in taus.split()]
    monkeypatch.setattr(_decoupled, "bases", lambda *_: taus)
    monkeypatch.setattr(_decoupled, "LEVELS", LEVELS[: len(taus)])
    monkeypatch.setattr(_decoupled, "_GIVEN_UP", 0)
    delta = float(Fraction(level))
    assert decoupled_bound(n, m, a, delta=delta, factor="closed") == expected


@pytest.mark.parametrize(
    ("n", "m", "a", "delta", "taus", "closed", "table"),
    [
        ([60] * 3, [30] * 3, [0, 3, 1], 0.1, [1.707, 1.56, 1.42], 13, 12),
        ([100] * 20, [50] * 20, [2] * 20, 0.01, [1.406, 1.284, 1.195], 78, 71),
        ([1000] * 10, [100] * 10, [5] * 10, 0.02, [1.0507, 1.0366, 1.0257], 698, 673),
    ],
)
def test_known_answers_by_the_rules(n, m, a, delta, taus, closed, table):
    found = bases(sum(n), sum(m), Fraction(repr(delta)))
    assert [float(tau) for tau in found] == taus
    assert decoupled_bound(n, m, a, delta=delta, factor="closed") == closed
    assert decoupled_bound(n, m, a, delta=delta) == table


def partitions(n, largest=None):
    """Numbers of rows of the classes, from the largest."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


def mean_of_worst(classes, m, tau, phi):
    """Exact mean of max_k tau**b_k phi(a_k) over all choices of m rows."""
    n, total = sum(classes), Fraction(0)
    for seen in product(*(range(k + 1) for k in classes)):
        if sum(seen) != m:
            continue
        chance = Fraction(1, comb(n, m))
        for k, x in zip(classes, seen, strict=True):
            chance *= comb(k, x)
        worst = max(
            tau ** (n - k - (m - x)) * phi[m - x]
            for k, x in zip(classes, seen, strict=True)
        )
        # A class that has no row at all.
        total += chance * max(worst, tau ** (n - m) * phi[m])
    return total


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("n", [1, 2, 5, 9, 11])
def test_every_factor_has_a_mean_of_at_most_one(n, tau):
    """For every composition of a cluster, in exact ratios, whatever was rounded."""
    largest = 0
    for m in range(n + 1):
        logs = [closed(n, m, tau)] + [table_factor(n, m, tau, p) for p in LEVELS]
        none = np.full(m + 1, (m - n) * log(tau))
        logs += [_decoupled._never_zero(log_factor, none) for log_factor in logs]
        for log_factor in logs:
            phi = exactly(log_factor)
            for classes in partitions(n):
                mean = mean_of_worst(classes, m, tau, phi)
                assert mean <= 1
                largest = max(largest, mean)
    assert largest > 0.99


@pytest.mark.parametrize("tau", TAUS)
def test_a_factor_without_a_naming_row_would_be_wrong(tau):
    """The control: the majority treated as if it had been fixed beforehand."""
    n, m = 4, 2
    q = Fraction(n - (n - m) * tau, m)
    if q > 0:
        assert mean_of_worst((2, 2), m, tau, [q**a for a in range(m + 1)]) > 1


@pytest.mark.parametrize(("n", "m"), [(40, 10), (150, 30), (600, 60)])
def test_tables_keep_their_budget_in_integers(n, m):
    """The sum over all classes, from which the mean of the worst follows."""
    tau = Fraction(1097, 1000)
    for level in LEVELS:
        phi = exactly(table_factor(n, m, tau, level))
        p, q = tau.as_integer_ratio()
        means = [
            sum(
                comb(k, m - a) * comb(n - k, a) * p ** (n - k - a) * q ** (k + a) * phi[a]
                for a in range(m)
                if m - a <= k and a <= n - k
            )
            for k in range(1, n + 1)
        ]
        scale = comb(n, m) * q**n
        assert any(
            all(mean <= budget(k, n, power) * scale for k, mean in enumerate(means, 1))
            for power in (1, 2)
        )


def budget(k, n, power):
    small = Fraction(2 * min(k, n - k), n) ** power / 2
    return small if 2 * k <= n else 1 - small


@pytest.mark.parametrize("power", [1, 2])
def test_budgets_sum_to_at_most_one(power):
    for n in range(1, 25):
        for classes in partitions(n):
            assert sum(budget(k, n, power) for k in classes) <= 1


def shares_broken(sizes, m, deltas, bound):
    """For every truth: shares of all choices that break the bound of any labeling."""
    n, known = sum(sizes), {}
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    for parts in product(*(partitions(size) for size in sizes)):
        # Whether classes of different clusters are the same changes nothing.
        truth = np.concatenate([np.repeat(np.arange(len(p)), p) for p in parts])
        broken = dict.fromkeys(deltas, 0)
        for chosen in combinations(range(n), m):
            is_seen = np.isin(np.arange(n), chosen)
            seen = np.bincount(cluster[is_seen], minlength=len(sizes))
            failed = set()
            for names in product(*(range(len(p) + 1) for p in parts)):
                wrong = truth != np.array(names)[cluster]
                errors = np.bincount(cluster[is_seen & wrong], minlength=len(sizes))
                for delta in deltas:
                    key = (*seen, *errors, delta)
                    if key not in known:
                        known[key] = bound(seen, errors, delta)
                    if np.sum(wrong & ~is_seen) > known[key]:
                        failed.add(delta)
            for delta in failed:
                broken[delta] += 1
        yield {delta: Fraction(k, comb(n, m)) for delta, k in broken.items()}


SMALL = [((6, 3), 7), ((9,), 7), ((10,), 7), ((5, 4), 7), ((4, 2, 2), 6), ((2,) * 4, 4)]


@pytest.mark.parametrize(("sizes", "m"), SMALL)
@pytest.mark.parametrize("factor", ["table", "closed"])
def test_every_truth_and_every_choice(sizes, m, factor):
    """Also for the worst labeling of each draw, chosen with a look at everything."""
    found = set()

    def bound(seen, errors, delta):
        found.add(decoupled_bound(sizes, seen, errors, delta=delta, factor=factor))
        return decoupled_bound(sizes, seen, errors, delta=delta, factor=factor)

    for shares in shares_broken(sizes, m, [0.1, 0.3, 0.5], bound):
        for delta, share in shares.items():
            assert share <= Fraction(repr(delta))
    if len(sizes) < 3:  # the bounds are below n, which holds whatever it rests on
        assert min(found) < sum(sizes) - m


def test_the_majority_must_not_be_treated_as_fixed(monkeypatch):
    """The control: without the row that names the cluster, the bound fails."""

    def fixed(n, m, a, tau):
        q = (n - (n - m) * float(tau)) / np.maximum(m, 1)
        usable = (m > 0) & (q > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            named = a * np.log(q)
        return np.where(usable, named, -(n - m) * log(tau))

    def bound(seen, errors, delta):
        return decoupled_bound([2] * 4, seen, errors, delta=delta, factor="closed")

    monkeypatch.setattr(_decoupled, "closed_factor", fixed)
    worst = max(shares[0.1] for shares in shares_broken([2] * 4, 4, [0.1], bound))
    assert worst > Fraction(1, 10)


def by_definition(n, m, a, delta, factor):
    """Largest B below the limit, one by one, in ratios."""
    level = Fraction(repr(delta))
    taus = bases(sum(n), sum(m), level)
    products = []
    for tau, p in zip(taus, LEVELS, strict=True):
        product_ = Fraction(1, 3)
        for size, seen, wrong in zip(n, m, a, strict=True):
            if factor == "closed":
                log_factor = closed(size, seen, tau)
            else:
                log_factor = table_factor(size, seen, tau, p)
            none = np.full(seen + 1, (seen - size) * log(tau))
            product_ *= exactly(_decoupled._never_zero(log_factor, none))[wrong]
        products.append(product_)
    n_test = sum(n) - sum(m)
    below = [
        b
        for b in range(n_test + 1)
        if sum(t**b * f for t, f in zip(taus, products, strict=True)) < 1 / level
    ]
    return n_test if 0 in products else max(below)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_is_what_the_definition_says(data):
    n = data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=5))
    m = [data.draw(st.integers(0, size)) for size in n]
    if not 0 < sum(m) < sum(n):
        return
    a = [data.draw(st.integers(0, seen)) for seen in m]
    delta = data.draw(st.sampled_from([0.01, 0.1, 0.3]))
    for factor in ("table", "closed"):
        expected = by_definition(n, m, a, delta, factor)
        assert decoupled_bound(n, m, a, delta=delta, factor=factor) == expected


def test_grows_with_errors_and_with_bits():
    n, m = [50] * 10, [20] * 10
    bounds = [decoupled_bound(n, m, [a] * 10) for a in range(5)]
    assert bounds == sorted(bounds)
    bounds = [decoupled_bound(n, m, [1] * 10, description_length=b) for b in (0, 5, 50)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[2]


def test_a_cluster_of_other_classes_does_not_spoil_all_others():
    """All four labels of a cluster may be of classes that it is not given."""
    n, m = [30] * 60, [15] * 60
    plain = decoupled_bound(n, m, [0] * 60)
    for factor in ("table", "closed"):
        given_up = decoupled_bound([*n, 8], [*m, 4], [0] * 60 + [4], factor=factor)
        assert given_up <= plain + 4 + 40


def test_without_labels_or_without_other_rows():
    assert decoupled_bound([5, 5], [0, 0], [0, 0]) == 10
    assert decoupled_bound([5, 5], [5, 5], [1, 0]) == 0


def test_large_data_take_a_moment_and_the_bound_stays_near():
    n, m = [10_000] * 100, [1_000] * 100
    found = decoupled_bound(n, m, [50] * 100)
    assert 45_000 < found < 49_000


def test_many_rows_and_few_labels_do_not_overflow():
    assert decoupled_bound([40_000] * 2, [2, 2], [0, 0]) <= 79_996
    assert np.isfinite(table_factor(40_000, 2, Fraction(1011, 1000), 0.05)[:2]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cluster_sizes": [-1, 2]}, "cluster_sizes must be integer counts"),
        ({"n_labeled": [1, 11]}, "n_labeled must be at most cluster_sizes"),
        ({"n_errors": [2, 0]}, "n_errors must be at most n_labeled"),
        ({"delta": 1}, "delta must be in the open interval"),
        ({"description_length": -1}, "description_length must be a finite number"),
        ({"factor": "best"}, "factor must be one of"),
    ],
)
def test_bad_input_is_refused(given, message):
    known = {"cluster_sizes": [10, 10], "n_labeled": [1, 2], "n_errors": [0, 0]}
    with pytest.raises(ValueError, match=message):
        decoupled_bound(**known | given)


def test_rounding_loses_little():
    logs = np.array([0.0, -0.3, -700.5, -5000.0, -np.inf])
    integers, exponents = rounded_down(logs)
    back = np.log(integers[:4]) + exponents[:4] * log(2)
    assert np.all(back <= logs[:4])
    assert np.all(back > logs[:4] - 3e-7)
    assert integers[4] == 0
    assert exp(0) == 1


def test_a_cluster_that_is_given_up_is_paid_for():
    """The two factors of the mixture share a weight of 1."""
    factor = np.log([0.5, 2.0, 7.0, 1e-9])
    found = _decoupled._never_zero(factor, np.log([0.5, 1.0, 14.0, 0.25]))
    assert found[0] == pytest.approx(factor[0], abs=1e-15)
    expected = [0.5, 2 - 1e-4, 7 + 7e-4, 1e-9 + 0.25e-4 - 1e-13]
    assert np.exp(found) == pytest.approx(expected, rel=1e-12)
