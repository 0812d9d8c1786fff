"""The bound for all labelings of clusters at once: known answers, proof by trying."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import ceil, comb, log

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.optimize import LinearConstraint, minimize
from scipy.stats import betabinom, hypergeom

from sklearn_pacmdl.bounds import _decoupled_bound, _factors, decoupled_bound
from sklearn_pacmdl.bounds._decoupled_bound import (
    ClusterKinds,
    closed_bound,
    exact_decoupled_bound,
    rounded_down,
)
from sklearn_pacmdl.bounds._factors import (
    COSINES,
    PERIOD,
    SINES,
    ErrorRange,
    closed_factor,
    error_ranges,
    log_tail,
    table,
)

TAUS = [Fraction(11, 10), Fraction(13, 10), Fraction(3, 2), Fraction(2)]
GIVEN_UP = Fraction(1, 10_000)


def closed(n, m, tau):
    a = np.arange(m + 1)
    return closed_factor(np.full(m + 1, n), np.full(m + 1, m), a, float(tau))


def some_range(tau, rate=0.05, low=10):
    return ErrorRange(low, 2 * low, Fraction(tau), rate)


def exactly(log_factor):
    """Factors as they are used, as ratios."""
    integers, exponents = rounded_down(np.asarray(log_factor))
    return [
        int(i) * Fraction(2) ** int(e) for i, e in zip(integers, exponents, strict=True)
    ]


def closed_by_hand(n, m, a, tau):
    """The closed form as doc/theory.md has it, in ratios."""
    none = (1 / tau) ** (n - m)
    if a == m:
        return GIVEN_UP * none
    q = Fraction(n - 1 - (n - m) * tau, m - 1) if m > 1 else 0
    of_errors = q**a if q > 0 else none
    mixed = (1 - GIVEN_UP) * of_errors + GIVEN_UP * none
    return (1 - GIVEN_UP) * (1 - Fraction(a, m)) * mixed


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize(("n", "m"), [(20, 8), (20, 1), (7, 6), (60, 30), (9, 2)])
def test_closed_form(n, m, tau):
    expected = [log(closed_by_hand(n, m, a, tau)) for a in range(m + 1)]
    assert closed(n, m, tau) == pytest.approx(expected, abs=1e-9)


def means_of_classes(n, m, tau):
    """Mean of tau**b for each number of rows of a class and of seen errors a < m."""
    a, k = np.arange(m), np.arange(1, n + 1)[:, None]
    return hypergeom.pmf(m - a, n, k, m) * float(tau) ** (n - k - a)


def limits(n, m, low):
    """What means are kept below: budgets, lowered where errors gather."""
    k = np.arange(1, n + 1)
    budgets = np.array([float(budget(each, n, 1 if m < 5 else 2)) for each in k])
    missing = n - k
    return budgets * np.exp(-3.5 * missing / low * (missing / n) ** 3)


@pytest.mark.parametrize(
    ("n", "m", "rate"), [(20, 8, 0.05), (12, 3, 0.05), (30, 6, 0.15)]
)
def test_tables_are_the_best_on_average(n, m, rate):
    """Found again by another method: the maximum of a concave function, by SLSQP."""
    errors = some_range("1.3", rate=rate)
    law = 0.98 * betabinom.pmf(np.arange(m), m, 6 * rate, 6 - 6 * rate) + 0.02 / m
    scaled = means_of_classes(n, m, errors.tau) / limits(n, m, errors.low)[:, None]
    scale = scaled.max(axis=0)
    best = minimize(
        lambda x: -law @ np.log(x),
        np.full(m, 1 / m / 2),
        jac=lambda x: -law / x,
        method="SLSQP",
        bounds=[(1e-9, None)] * m,
        constraints=LinearConstraint(scaled / scale, ub=1),
        options={"maxiter": 2000, "ftol": 1e-12},
    )
    assert best.success
    found = table(n, m, errors).log_factor
    lost = law @ (np.log(best.x / scale) - found[:m])
    assert -1e-3 < lost < 4e-3
    given_up = log(float(GIVEN_UP)) - (n - m) * log(1.3) - 3.5 * n / 10
    assert found[m] == pytest.approx(given_up)


def ranges_by_the_rule(n, m, level, factor, without_table=()):
    """Ranges and bases by the rule of the package, step by step."""
    largest, clusters = {"table": (2000, 0.5), "closed": (1500, 0)}[factor]
    clusters *= 1 - sum(size * times for size, _, times in without_table) / n
    f, nats = m / n, max(1, int(log(1 / level)))
    named = np.zeros(largest + 1)
    for size, seen, times in without_table:
        for i in range(1, largest + 1):
            tau = Fraction(float((1 - f) ** (-i / 2001)))
            named[i] += times * log(closed_by_hand(size, seen, 0, tau))
    low, expected = int(0.8 * nats / -log(1 - f)) + 1, []
    while low <= n:
        high = ceil(low * Fraction(7, 5))
        high = n + 1 if high > 0.9 * n else high
        r = min((low + high) / 2, n)
        best = (-np.inf, None)
        for i in range(1, largest + 1):
            t = i / 2001 * -log(1 - f)
            s = -log((1 - (1 - f) * np.exp(t)) / f)
            labels = clusters * (r / n) ** 2 * f * r
            excluded = (t * r - nats - labels + named[i]) / (t + s)
            best = max(best, (excluded, -i))
        tau = 1 + Fraction(f"{np.expm1(-best[1] / 2001 * -log(1 - f)):.3g}")
        expected.append((low, high, tau, max(0.002, round(best[0] / m, 4))))
        low = high
    return expected


@pytest.mark.parametrize("factor", ["table", "closed"])
@pytest.mark.parametrize(
    ("n", "m", "level"),
    [
        (1797, 898, Fraction(1, 530)),
        (200, 21, Fraction(3, 10)),
        (60, 15, Fraction(1, 10)),  # a range that ends at .9 n
        (3, 2, Fraction(1, 10)),
    ],
)
def test_ranges_follow_the_rule(n, m, level, factor):
    found = error_ranges(n, m, level, factor)
    assert [tuple(each) for each in found] == ranges_by_the_rule(n, m, level, factor)


def test_bases_allow_for_clusters_without_a_table():
    large, level = ((40, 30, 2), (90, 2, 1)), Fraction(1, 50)
    found = error_ranges(300, 90, level, "table", large)
    assert [tuple(each) for each in found] == ranges_by_the_rule(
        300, 90, level, "table", large
    )
    assert found != error_ranges(300, 90, level, "table")


@pytest.mark.parametrize("a", [0, 1])
def test_no_cliff_where_clusters_become_too_large_for_a_table(monkeypatch, a):
    """Tables are better than the closed form, and so are their bases."""
    monkeypatch.setattr(_factors, "_MOST_LABELS", 0)

    def rates(size, n_large, factor="table"):
        sizes = [size + 1] * n_large + [size] * (5 - n_large)
        return decoupled_bound(sizes, [5] * 5, [a] * 5, factor=factor) / sum(sizes)

    most = _factors.MAX_TABLE // 5
    by_number = [rates(most, k) for k in range(6)]
    assert max(np.diff(by_number)) < 0.2
    # With no errors tables and the closed form with its own bases are 2 points apart.
    assert by_number[-1] < rates(most, 5, "closed") + 1e-3


def test_ranges_of_few_rows():
    assert error_ranges(0, 0, Fraction(1, 10), "table") == ()
    assert error_ranges(5, 0, Fraction(1, 10), "table") == ()
    assert error_ranges(5, 5, Fraction(1, 10), "table") == ()
    assert error_ranges(2, 1, Fraction(1, 10), "closed") == ()
    for n in range(2, 60):
        for m in {1, n // 2, n - 1} - {0}:
            ranges = error_ranges(n, m, Fraction(1, 10), "table")
            # Two nats are a loss of .8 of them where so many errors are all unseen.
            assert bool(ranges) == (n >= int(1.6 / -log(1 - m / n)) + 1)
            ends = [each.high for each in ranges]
            assert [each.low for each in ranges[1:]] == ends[:-1]
            assert all(each.tau > 1 and 0 < each.rate < 1 for each in ranges)
            assert not ends or ends[-1] == n + 1


def partitions(n, largest=None):
    """Numbers of rows of the classes, from the largest."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


def mean_of_class(k, n, m, tau, phi):
    """Exact mean of tau**b phi(a), a < m, for a class with k of n rows."""
    chances = ((a, comb(k, m - a) * comb(n - k, a)) for a in range(m) if a <= n - k)
    return sum(c * tau ** (n - k - a) * phi[a] for a, c in chances) / comb(n, m)


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize(
    ("n", "m"), [(2, 1), (3, 2), (5, 2), (9, 4), (12, 5), (11, 10), (20, 6), (40, 3)]
)
def test_factors_keep_budgets_that_are_the_same_for_all_bases(n, m, tau):
    """In exact ratios, whatever was rounded, and also with the share for giving up."""
    power = 1 if m < 5 else 2
    kept = [(closed(n, m, tau), lambda k: Fraction(k, n))]
    for rate, low in [(0.002, 5), (0.05, 10), (0.3, 10**7)]:
        factor = table(n, m, some_range(tau, rate, low)).log_factor
        kept.append((factor, lambda k: budget(k, n, power)))
    for log_factor, budget_of in kept:
        phi, closest = exactly(log_factor), Fraction(0)
        assert tau ** (n - m) * phi[m] <= GIVEN_UP
        for k in range(1, n + 1):
            mean, limit = mean_of_class(k, n, m, tau, phi), budget_of(k)
            assert mean <= (1 - GIVEN_UP) * limit
            closest = max(closest, mean / limit)
    assert closest > 0.99  # the last budget is hardly lowered


@pytest.mark.parametrize(("spacing", "most_lost"), [(0.35, 0.01), (5, 9)])
@pytest.mark.parametrize(("n", "m"), [(150, 3), (150, 20), (70, 35)])
def test_steps_look_at_few_classes_and_the_end_at_all(
    monkeypatch, n, m, spacing, most_lost
):
    """Coarser steps lose little; budgets are kept by the last division, in ratios."""
    errors = some_range("1.3")._replace(low=10**6)  # so that no budget is lowered
    monkeypatch.setattr(_factors, "_SPACING", spacing)
    monkeypatch.setattr(_factors, "_WIDEST", max(spacing / 5, 0.06))
    classes = _factors._some_classes.__wrapped__(n, m)
    assert {0, n - 1} <= set(classes) < set(range(n))
    monkeypatch.setattr(_factors, "_some_classes", lambda n, _: np.arange(n))
    every = table.__wrapped__(n, m, errors).log_factor
    monkeypatch.setattr(_factors, "_some_classes", lambda *_: classes)
    some = table.__wrapped__(n, m, errors).log_factor
    law = betabinom.pmf(np.arange(m), m, 0.3, 5.7)
    assert abs(law @ (every - some)[:m]) < most_lost
    phi, power = exactly(some), 1 if m < 5 else 2
    means = [mean_of_class(k, n, m, errors.tau, phi) for k in range(1, n + 1)]
    kept = [m <= (1 - GIVEN_UP) * budget(k + 1, n, power) for k, m in enumerate(means)]
    assert all(kept)


@pytest.fixture
def some_numbers(monkeypatch):
    """Tables of small clusters look at few numbers of rows of a class, by a share."""

    def look_at_few(share):
        monkeypatch.setattr(_factors, "MAX_TABLE", 0)
        monkeypatch.setattr(_factors, "_COARSE", share)
        table.cache_clear()

    yield look_at_few
    table.cache_clear()


COARSE = [(150, 3, 0.1), (150, 12, 0.2), (90, 20, 0.1), (60, 1, 1), (70, 5, 0.5)]


@pytest.mark.parametrize("tau", TAUS[:3])
@pytest.mark.parametrize(("n", "m", "share"), COARSE)
def test_tables_that_look_at_some_numbers_keep_all_budgets(
    some_numbers, n, m, share, tau
):
    """In exact ratios, for each number of rows; also where budgets are lowered."""
    some_numbers(share)
    assert np.diff(_factors._numbers(n, m)[0]).max() > 3
    for low in (10, 10**7):
        phi = exactly(table(n, m, some_range(tau, 0.05, low)).log_factor)
        means = [mean_of_class(k, n, m, tau, phi) for k in range(1, n + 1)]
        kept = np.array([float(mean) for mean in means]) / limits(n, m, low)
        assert kept.max() <= 1 - float(GIVEN_UP)
    assert kept.max() > 0.2


def test_large_tables_keep_all_budgets():
    n, m, errors = 1200, 100, some_range("1.03", low=10**6)
    assert len(_factors._numbers(n, m)[0]) < n / 3
    phi = np.exp(table(n, m, errors).log_factor[:m])
    kept = means_of_classes(n, m, errors.tau) @ phi / limits(n, m, errors.low)
    assert 0.95 < kept.max() < 1 - float(GIVEN_UP)


def exact_means(n, m, tau):
    """Means of tau**b where a rows are errors, by rows of the class and by a."""
    one = np.eye(m, dtype=int).tolist()
    return [[mean_of_class(k, n, m, tau, phi) for phi in one] for k in range(1, n + 1)]


@pytest.mark.parametrize(("n", "m", "share"), [(90, 8, 0.1), (60, 12, 0.3), (50, 1, 1)])
def test_means_differ_from_linear_interpolation_by_no_more_than_the_gaps(
    some_numbers, n, m, share
):
    """In exact ratios, for each number of errors; and by more than a tenth of them."""
    some_numbers(share)
    k, tau = _factors._numbers(n, m)[0], Fraction(13, 10)
    (of,) = np.nonzero(np.diff(k) > 1)
    gaps = _factors._gaps(_factors._log_means(n, m, k, log(tau)), n, k, of + 1)
    means, largest = exact_means(n, m, tau), 0
    for low, high, of_errors in zip(k[of], k[of + 1], gaps, strict=True):
        for a, gap in enumerate(of_errors):
            first, last = means[low - 1][a], means[high - 1][a]
            for i in range(low + 1, high):
                line = first + (last - first) * Fraction(int(i - low), int(high - low))
                off = abs(means[i - 1][a] - line) / max(first, last)
                assert off <= gap
                largest = max(largest, off / gap)
    assert largest > 0.1


def test_between_two_numbers_means_are_within_what_is_claimed(some_numbers):
    """Also those that rise, or fall, or are largest in between; limits rise."""
    some_numbers(0.5)
    n, m, errors = 60, 6, some_range("1.3", low=30)
    k = _factors._numbers(n, m)[0]
    means = np.array(exact_means(n, m, errors.tau), dtype=float)
    log_limits = np.log(limits(n, m, errors.low))
    (of,) = np.nonzero(np.diff(k) > 1)
    of += 1
    at, least = log_limits[k - 1], log_limits[k[of - 1]]
    gaps = _factors._gaps(np.log(np.maximum(means[k - 1], 1e-300)), n, k, of)
    for a in range(m):
        with np.errstate(divide="ignore"):
            log_means = np.log(means[:, a])
        shares = means[k - 1] * (np.arange(m) == a) / np.exp(at)[:, None]
        claimed = _factors._log_between(
            log_means[None, k - 1] - at,
            shares,
            gaps,
            of,
            at[of - 1] - least,
            at[of] - least,
        )
        for j, most in zip(of, claimed[0], strict=True):
            inner = slice(k[j - 1], k[j])
            assert np.max(log_means[inner] - log_limits[inner]) <= most


@pytest.mark.parametrize(
    ("n", "m", "share"), [(150, 3, 0.1), (150, 12, 0.06), (60, 1, 0.3), (70, 5, 0.1)]
)
def test_tails_of_tables_that_look_at_some_numbers(some_numbers, n, m, share):
    """Moduli by definition, for each number of rows and each multiplier."""
    some_numbers(share)
    errors = some_range("1.05", low=40)
    log_moduli = table(n, m, errors).log_moduli
    multipliers = np.arange(11)[:, None] / 2.5 * np.arange(n + 1) / errors.low
    lost = []
    for j in range(7):
        exact = moduli_by_definition(n, m, errors, j * np.pi / 4)
        lost += [*log_moduli[:, j] - (exact + multipliers).max(axis=1)]
    assert min(lost) > -1e-6
    assert np.mean(lost) < 0.25


@pytest.mark.parametrize(
    ("n", "m", "a", "times", "expected"),
    [(33_333, 3, 0, 3, 32_310), (1000, 100, 2, 30, 622), (10_000, 10, 1, 30, 40_790)],
)
def test_one_row_more_makes_little_difference(n, m, a, times, expected):
    """Where tables begin to look at some numbers only."""
    assert n * m <= _factors.MAX_TABLE < (n + 1) * m
    bounds = [decoupled_bound([n + i] * times, [m] * times, [a] * times) for i in (0, 1)]
    assert bounds[0] == pytest.approx(expected, rel=0.003)
    assert bounds[0] <= bounds[1] < 1.015 * bounds[0]


@pytest.mark.parametrize(
    ("n", "m", "a"), [(10**6, 10, 1), (10**6, 300, 10), (10**5, 50, 2), (2000, 300, 0)]
)
def test_tables_of_large_clusters_are_better_than_the_closed_form(n, m, a):
    bounds = [
        decoupled_bound([n] * 5, [m] * 5, [a] * 5, factor=factor)
        for factor in ("table", "closed")
    ]
    assert bounds[0] < 0.97 * bounds[1]


def test_logs_of_means_are_off_by_less_than_what_is_allowed_for():
    n, m, t = 10**6, 300, 3e-4
    k = np.array([200, 10**4, 654_321, n - 50, n])
    logs = _factors._log_means(n, m, k, t)
    with mpmath.workdps(40):
        for i, a in product(range(len(k)), (0, 1, 30, 150, 299)):
            kind, rest = int(k[i]), n - int(k[i])
            if m - a <= kind and a <= rest:
                ways = mpmath.binomial(kind, m - a) * mpmath.binomial(rest, a)
                exact = mpmath.log(ways / mpmath.binomial(n, m)) + (rest - a) * t
                assert abs(logs[i, a] - exact) < 2e-8 < _factors._COARSE_SLACK


def test_rows_and_labels_up_to_which_there_are_tables():
    n, m = [10**5, 10**6, 10**6 + 1, 1000, 1000, 50, 2**42], [1, 300, 1, 300, 301, 49, 1]
    expected = [True, True, False, True, False, True, False]
    assert_array_equal(ClusterKinds(n, m, m, m).has_table, expected)


@pytest.mark.parametrize(
    ("n", "m"), [(33_334, 3), (10**6, 10), (1001, 100), (9000, 300), (10**6, 300)]
)
def test_cells_count_the_numbers_that_are_looked_at(n, m):
    cells = 3 * len(_factors._numbers(n, m)[0]) * (m + 20) + n
    assert ClusterKinds([n] * 2, [m] * 2, [0] * 2).n_cells == pytest.approx(
        2 * cells, rel=0.01
    )


def test_the_majorant_of_the_tail():
    """At least exp(-v) on [0, period): on a grid, and between by the slope."""
    v = np.linspace(0, PERIOD, 200_001)
    turns = 2 * np.pi * np.outer(v, np.arange(len(COSINES))) / PERIOD
    excess = np.cos(turns) @ COSINES + np.sin(turns) @ SINES - np.exp(-v)
    slope = np.abs(np.arange(len(COSINES)) * 2 * np.pi / PERIOD) @ np.hypot(
        COSINES, SINES
    )
    assert excess.min() > (slope + 1) * PERIOD / 200_000


def largest_tail(sizes, seen, wrong, errors):
    """Log of the largest P(product >= x) x / product of budgets, over all x.

    In clusters with `wrong` rows of other classes than those of a labeling.
    """
    values, chances, budgets = np.zeros(1), np.ones(1), 1.0
    for n, m, e in zip(sizes, seen, wrong, strict=True):
        a = np.arange(m)  # a = m is a cluster that is given up
        chance = hypergeom.pmf(m - a, n, n - e, m)
        value = (e - a) * log(errors.tau) + table(n, m, errors).log_factor[:m]
        of = chance > 0
        values = np.add.outer(values, value[of]).ravel()
        chances = np.multiply.outer(chances, chance[of]).ravel()
        budgets *= float(budget(n - e, n, 1 if m < 5 else 2))
    order = np.argsort(-values)
    return np.max(np.log(np.cumsum(chances[order])) + values[order]) - log(budgets)


@pytest.mark.parametrize(
    ("sizes", "seen"), [([40] * 4, [18] * 4), ([30, 50, 8, 70], [4, 12, 3, 30])]
)
def test_tails_hold_however_errors_are_spread(sizes, seen):
    """Exact probabilities; and the control, tails lowered by .8 nats, does not hold."""
    rng, excess = np.random.RandomState(0), -np.inf
    for errors in error_ranges(sum(sizes), sum(seen), Fraction(1, 10), "table"):
        if errors.high > 0.7 * sum(sizes):
            break
        tables = [(1, table(*each, errors)) for each in zip(sizes, seen, strict=True)]
        tail = log(log_tail(tables, 0, errors))
        for concentration in np.repeat([0.2, 1, 30], 8):
            shares = rng.dirichlet(concentration * np.array(sizes))
            total = rng.randint(errors.low, errors.high)
            wrong = np.floor(shares * total).astype(int)
            wrong[rng.randint(4)] += total - wrong.sum()
            if np.all(wrong < sizes):
                found = largest_tail(sizes, seen, wrong, errors)
                assert found <= tail
                excess = max(excess, found - tail)
    assert excess > -0.8


def moduli_by_definition(n, m, errors, frequency):
    """Logs of |chi| of doc/theory.md by the number of errors, n if it is given up."""
    log_phi, t, logs = table(n, m, errors).log_factor, log(errors.tau), []
    a = np.arange(m)
    for missing in range(n):
        log_z = (missing - a) * t + log_phi[:m]
        chances = hypergeom.pmf(m - a, n, n - missing, m)
        of = chances > 0
        mean = chances[of] @ np.exp(log_z[of] * (1 + 1j * frequency))
        share = float((1 - GIVEN_UP) * budget(n - missing, n, 1 if m < 5 else 2))
        logs.append(log(abs(mean) / share))
    return np.array([*logs, log_phi[m] + (n - m) * t - log(float(GIVEN_UP))])


@pytest.mark.parametrize("n_other", [0, 30, 60, 400])
@pytest.mark.parametrize(
    "kinds",
    [
        [(40, 45, 22)],  # where the tail depends on how many errors there are
        [(20, 45, 22), (7, 30, 4), (3, 20, 5), (1, 12, 11), (2, 3, 2)],
    ],
)
def test_the_tail_is_that_of_the_theory(n_other, kinds):
    """For clusters of several kinds, and rows of which nothing is assumed."""
    errors = error_ranges(1800, 900, Fraction(1, 500), "table")[7]
    found = log_tail([(k, table(n, m, errors)) for k, n, m in kinds], n_other, errors)
    expected = 0
    for k, of_cosine, of_sine in zip(range(7), COSINES, SINES, strict=True):
        logs = [moduli_by_definition(n, m, errors, k * np.pi / 4) for _, n, m in kinds]
        least = 0
        for multiplier in np.arange(11) / 2.5:
            spread = [multiplier * np.arange(len(own)) / errors.low for own in logs]
            most = [np.max(own + more) for own, more in zip(logs, spread, strict=True)]
            total = np.dot([times for times, *_ in kinds], most)
            least = min(least, total + multiplier * (n_other / errors.low - 1))
        expected += abs(complex(of_cosine, of_sine)) * np.exp(least)
    assert expected < found < 1.002 * expected


def test_moduli_of_terms_that_cancel_are_not_too_small():
    """Half a period apart, at the first frequency: what is left is rounding alone."""
    shares = np.array([[0.5, 0.5], [0.5e-20, 0.5e-20]])
    found = _factors._log_modulus(shares, np.array([1000.1, 1004.1]))[1]
    assert np.all(found >= np.log(1e-11 * shares.sum(axis=1)))


def test_a_mean_that_is_too_small_for_floats_has_a_modulus():
    """Of some size, rather than none: larger ones only make the tail longer."""
    found = _factors._log_modulus(np.array([[0.0, 0.0], [0.3, 0.1]]), np.zeros(2))
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found[:, 1], np.log(0.4))


def test_tails_are_at_most_one():
    errors = error_ranges(1800, 900, Fraction(1, 500), "table")[7]
    assert log_tail([], 400, errors) == 1


def test_tails_gain_more_than_a_nat_where_errors_are_many():
    errors = error_ranges(1800, 900, Fraction(1, 500), "table")[7]
    assert errors.low < 100 < errors.high
    each = table(45, 22, errors)
    assert log(log_tail([(40, each)], 0, errors)) < -1
    # Clusters without a table may hold all errors, and then nothing is gained.
    assert log(log_tail([(40, each)], 1000, errors)) > -0.2


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


def worst_share_broken(n, m, bounds):
    """Over truths of two clusters with two classes, whatever the labeling of a draw."""
    a, worst = np.arange(m + 1), 0
    laws = hypergeom.pmf(a, n, np.arange(n + 1)[:, None], m)
    for one, other in combinations_with_replacement(range(n // 2 + 1), 2):
        broken = False
        for e, f in product((one, n - one), (other, n - other)):
            # The same draws, of which the other class counts as wrong.
            i, j = (a if k == k0 else m - a for k, k0 in ((e, one), (f, other)))
            unseen = np.add.outer(e - i, f - j)
            broken = broken | (unseen > bounds[np.ix_(i, j)])
        worst = max(worst, np.sum(np.outer(laws[one], laws[other]) * broken))
    return worst


@pytest.mark.parametrize(("n", "m", "share", "less"), [(40, 8, 0.2, 3), (60, 8, 0.2, 3)])
def test_bounds_of_tables_that_look_at_some_numbers_hold(some_numbers, n, m, share, less):
    """Exact probabilities; and the control, bounds that are a little lower, fail."""
    some_numbers(share)
    a, delta = range(m + 1), 0.5
    bounds = np.array(
        [[decoupled_bound([n] * 2, [m] * 2, [i, j], delta=delta) for j in a] for i in a]
    )
    assert worst_share_broken(n, m, bounds) < delta
    lower = np.where(bounds < 2 * (n - m), bounds - less, bounds)
    assert worst_share_broken(n, m, lower) > delta


@pytest.mark.parametrize("factor", ["table", "closed"])
def test_clusters_of_two_different_rows(monkeypatch, factor):
    """And the control: without the row that names the cluster, the bound fails."""

    def fixed(n, m, a, tau):
        q = (n - (n - m) * tau) / m
        with np.errstate(divide="ignore", invalid="ignore"):
            named = a * np.log(q)
        return np.where(q > 0, named, -(n - m) * np.log(tau))

    def share_broken():
        rng, broken = np.random.RandomState(0), 0
        for _ in range(100):
            seen = np.bincount(rng.permutation(80)[:40] // 2, minlength=40)
            # Whatever the majority is, one row is wrong, and it is seen if both are.
            wrong = (seen == 2).astype(int)
            n_wrong = np.sum(seen == 1) + 2 * np.sum(seen == 0)
            bound = decoupled_bound([2] * 40, seen, wrong, factor=factor)
            broken += n_wrong > bound
        return broken / 100

    assert share_broken() == 0
    if factor == "closed":
        monkeypatch.setattr(_decoupled_bound, "closed_factor", fixed)
        assert share_broken() > 0.5


def by_definition(n, m, a, delta, factor, most=10**5):
    """Largest B that is not excluded, one by one, in ratios."""
    level, n_test = Fraction(repr(delta)), sum(n) - sum(m)
    clusters = [c for c in zip(n, m, a, strict=True) if 0 < c[1] < c[0]]
    rows, labeled, wrong = (sum(c[i] for c in clusters) for i in range(3))
    large = Counter((c[0], c[1]) for c in clusters if c[0] * c[1] > most)
    without_table = tuple((*kind, times) for kind, times in sorted(large.items()))
    ranges = error_ranges(
        rows, labeled, level, factor, without_table if factor == "table" else ()
    )
    if not ranges:
        return n_test
    kept = [max(0, min(ranges[0].low - 1 - wrong, rows - labeled))]
    for errors in ranges:
        phi, tables = Fraction(1), []
        for size, seen, e in clusters:
            if factor == "closed" or size * seen > most:
                phi *= exactly(closed(size, seen, errors.tau))[e]
            else:
                tables.append((size, table(size, seen, errors)))
                phi *= exactly(tables[-1][1].log_factor)[e]
        n_other = rows - sum(size for size, _ in tables)
        tail = log_tail([(1, each) for _, each in tables], n_other, errors)
        tail = 1 if factor == "closed" else tail
        kept += [
            b
            for b in range(rows - labeled + 1)
            if errors.low <= wrong + b < errors.high
            and errors.tau**b * phi < tail / level
        ]
    return max(kept) + n_test - (rows - labeled)


@pytest.mark.parametrize(
    ("n", "m", "a", "delta", "closed", "table"),
    [
        ([30] * 60, [15] * 60, [0] * 60, 0.1, 4, 3),
        ([60] * 3, [30] * 3, [0, 3, 1], 0.1, 13, 10),
        ([100] * 20, [50] * 20, [2] * 20, 0.01, 77, 67),
        ([1000] * 10, [100] * 10, [5] * 10, 0.02, 695, 622),
        ([30] * 4, [15] * 4, [7] * 4, 0.1, 60, 48),
    ],
)
def test_known_answers(n, m, a, delta, closed, table):
    """By a separate program that follows doc/theory.md, with loops and other tables.

    Tables are maxima of functions that are nearly flat: the means agree to .003, and
    single entries only to .02.
    """
    assert decoupled_bound(n, m, a, delta=delta, factor="closed") == closed
    assert decoupled_bound(n, m, a, delta=delta) == pytest.approx(table, rel=0.03)


@settings(max_examples=80)
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


def test_large_clusters_have_the_closed_form(monkeypatch):
    """And nothing is assumed of where they leave their errors."""
    monkeypatch.setattr(_factors, "MAX_TABLE", 450)
    monkeypatch.setattr(_factors, "_MOST_LABELS", 0)
    n, m, a = [30] * 30 + [31, 90], [15] * 30 + [15, 9], [0, 1, 2] * 10 + [1, 1]
    found = decoupled_bound(n, m, a)
    assert found == by_definition(n, m, a, 0.1, "table", most=450)
    assert found != by_definition(n, m, a, 0.1, "table")


@settings(max_examples=60)
@given(st.data())
def test_what_is_decided_in_floats_is_never_below_the_exact_one(data):
    kinds = st.tuples(st.integers(2, 60), st.integers(0, 59), st.integers(0, 10))
    clusters = data.draw(st.lists(kinds, min_size=1, max_size=8))
    n, m, a = zip(*((n, min(m, n), min(a, m, n)) for n, m, a in clusters), strict=True)
    exact = decoupled_bound(n, m, a, delta=0.2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_decoupled_bound, "DECIDABLE", 0)
        assert exact <= decoupled_bound(n, m, a, delta=0.2) <= exact + 1


def tie(groups, factor):
    """A bound, and the level at which its product is equal to the limit, in 40 digits."""
    start = Fraction(1, 10)
    bound = exact_decoupled_bound(groups, start, factor)
    ranges = groups.ranges(start, factor)
    wrong = bound + groups.n_errors
    (errors,) = (each for each in ranges if each.low <= wrong < each.high)
    log_factors, tail = groups.factors(errors, factor)
    kinds = zip(*rounded_down(log_factors), groups.times, strict=True)
    with mpmath.workdps(40):
        product = mpmath.mpf(errors.tau.numerator) / errors.tau.denominator
        product **= bound
        for integer, exponent, times in kinds:
            product *= mpmath.ldexp(int(integer), int(exponent)) ** int(times)
        level = mpmath.mpf(tail.numerator) / tail.denominator / product
        return bound, Fraction(int(mpmath.ldexp(level, 120)), 2**120)


@pytest.mark.parametrize("factor", ["table", "closed"])
@pytest.mark.parametrize(
    ("n", "m", "a"),
    [
        ([60] * 3, [30] * 3, [0, 3, 1]),
        ([100] * 20, [50] * 20, [2] * 20),
        ([30, 40] * 30, [15, 11] * 30, [0, 1] * 30),
        ([20] * 34, [5] * 34, [0] * 34),
        ([300] * 3000, [100] * 3000, [5] * 3000),
    ],
)
def test_errors_that_are_hardly_excluded_count_as_possible(monkeypatch, n, m, a, factor):
    """In integers up to the last digit; in floats whatever rounding may have done."""
    groups = ClusterKinds(n, m, a)
    bound, level = tie(groups, factor)
    kept, excluded = level * (1 - Fraction(1, 10**25)), level * (1 + Fraction(1, 10**25))
    assert exact_decoupled_bound(groups, kept, factor) == bound
    if factor == "closed":
        assert bound <= closed_bound(groups, kept) <= bound + 1
    if sum(n) <= _decoupled_bound.DECIDABLE:
        assert exact_decoupled_bound(groups, excluded, factor) == bound - 1
    monkeypatch.setattr(_decoupled_bound, "DECIDABLE", 0)
    assert exact_decoupled_bound(groups, kept, factor) == bound


def test_a_cluster_of_other_classes_does_not_spoil_all_others():
    """All four labels of a cluster may be of classes that it is not given."""
    n, m = [30] * 60, [15] * 60
    for factor in ("table", "closed"):
        plain = decoupled_bound(n, m, [0] * 60, factor=factor)
        given_up = decoupled_bound([*n, 8], [*m, 4], [0] * 60 + [4], factor=factor)
        assert given_up <= plain + 4 + 50


def test_without_labels_or_without_other_rows():
    assert decoupled_bound([5, 5], [0, 0], [0, 0]) == 10
    assert decoupled_bound([5, 5], [5, 5], [1, 0]) == 0


def test_large_data_take_a_moment_and_the_bound_stays_near():
    n, m = [10_000] * 100, [1_000] * 100
    found = decoupled_bound(n, m, [50] * 100)
    assert 45_000 < found < 49_000


def test_many_rows_and_few_labels_do_not_overflow():
    assert decoupled_bound([40_000] * 2, [2, 2], [0, 0]) <= 79_996
    factor = table(40_000, 2, some_range("1.011", low=20_000)).log_factor
    assert np.isfinite(factor).all()


def test_rounding_loses_little():
    logs = np.array([0.0, -0.3, -700.5, -5000.0])
    integers, exponents = rounded_down(logs)
    back = np.log(integers) + exponents * log(2)
    assert np.all(back <= logs)
    assert np.all(back > logs - 3e-7)


def test_rounding_allows_for_the_error_of_logarithms():
    """They are off by up to 4e-10, which matters just below numbers of 24 digits."""
    factors = np.arange(2**23, 2**24, 99_991) * (1 - 1e-10)
    integers, exponents = rounded_down(np.log(factors) + 4e-10)
    assert np.all(integers * 2.0**exponents <= factors)


@settings(max_examples=60)
@given(st.data())
def test_the_closed_form_in_floats_is_never_below_the_exact_one(data):
    n = data.draw(st.lists(st.integers(1, 200), min_size=1, max_size=8))
    m = [data.draw(st.integers(0, size)) for size in n]
    a = [data.draw(st.integers(0, seen)) for seen in m]
    exact = decoupled_bound(n, m, a, factor="closed")
    assert exact <= closed_bound(ClusterKinds(n, m, a), Fraction(1, 10)) <= exact + 1


def test_many_large_clusters_have_no_tables_of_some_numbers():
    few = np.arange(10_000, 10_100)
    many = np.arange(10_000, 11_000)
    for sizes in (few, np.repeat(few, 10)):  # clusters of one size share a table
        assert _factors.table_cells(sizes, np.full(len(sizes), 100)).all()
    assert not _factors.table_cells(many, np.full(1000, 100)).any()
    # As many small clusters have tables beside them.
    mixed = np.append(many, 100), np.append(np.full(1000, 100), 10)
    assert np.flatnonzero(_factors.table_cells(*mixed)).tolist() == [1000]
