import warnings
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, log, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, kstwobign

from sklearn_pacmdl.random_choice import (
    RandomChoiceTest,
    _random_choice,
    _tails_of_choices,
    check_counted_choice,
    random_choice_test,
)

FILE = np.arange(1800)
CLUSTERINGS = [FILE % 7, FILE // 90]
FAIR = np.random.default_rng(5).choice(1800, 180, replace=False)


def of_counts(*counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the choice does not look random
        return check_counted_choice(*counts)


def subsets(n, m):
    return np.array(list(combinations(range(n), m)))


def mask(rows, n):
    return np.isin(np.arange(n), rows)


def test_draws_stop_early_where_nothing_looks_wrong():
    fair = random_choice_test(FAIR, CLUSTERINGS, n_samples=1800)
    assert fair.p_value > 0.5
    assert fair.n_draws < 50
    assert fair.p_value == 20 / fair.n_draws


@pytest.mark.parametrize(
    ("labeled", "says"),
    [
        (FILE < 180, "come too early in the file"),
        (FILE >= 1620, "come too late in the file"),
        (FILE < 1000, "come too early in the file"),
        (FILE >= 180, "come too late in the file"),
        (FILE % 10 == 0, "are spread too evenly over the file"),
        (FILE % 10 == 0, "form too many runs of adjacent rows"),
        (FILE // 100 % 2 == 0, "form too few runs of adjacent rows"),
        (abs(FILE - 900) < 100, "are concentrated in parts of the file"),
        (FILE % 70 < 7, "are spread too evenly over the clusters of 'sevenths'"),
        (FILE % 7 == 1, "are spread too unevenly over the clusters of 'sevenths'"),
    ],
)
def test_says_what_looks_wrong(labeled, says):
    test = random_choice_test(labeled, {"sevenths": FILE % 7}, n_draws=999)
    assert test.p_value == 1 / 1000
    assert not test.looks_random
    assert test.p_values[says] == 1 / 1000
    assert list(test.p_values).index(says) < 4


def test_equally_many_of_each_class():
    chosen = {"n_samples": 1800}
    test = random_choice_test(FAIR, CLUSTERINGS, **chosen, class_counts=[18] * 10)
    chance = Fraction(comb(180, 18) ** 10, comb(1800, 180))
    assert test.p_value == pytest.approx(float(2 * chance), rel=1e-9)
    assert test.findings == ("are exactly equally many in every class",)
    without = random_choice_test(FAIR, **chosen)
    for counts in ([17, 19, *[18] * 8], [18] * 9, [0, 0]):  # these say nothing
        test = random_choice_test(FAIR, **chosen, class_counts=counts)
        assert test.p_value == min(1, 2 * without.p_value)
        assert test.p_values["are exactly equally many in every class"] == 1
    rows, n = np.random.default_rng(0).choice(100_000, 10_000, replace=False), 100_000
    equal = {"n_samples": n, "class_counts": [10] * 1000, "n_draws": 20}
    assert 0 < random_choice_test(rows, **equal).p_value < 1e-300


def test_which_clusterings_are_tested():
    most = random_choice_test(FAIR, [FILE % k for k in range(2, 10)], n_samples=1800)
    assert len(most.p_values) == 6 + 2 * 8
    # What cannot vary has no part.
    test = random_choice_test([2, 5], [[0] * 7, range(7)], n_samples=7)
    assert not [says for says in test.p_values if "clustering" in says]
    labeled, clusters = [True, True, False, False], {"a": [1, "a", None, 2]}
    expected = random_choice_test(labeled, {"a": range(4)}, n_draws=99)
    assert random_choice_test(labeled, clusters, n_draws=99) == expected


FIELD = np.random.default_rng(1).permutation(FILE // 10)  # in a shuffled table
WHOLE = FIELD < 18


def test_whole_groups_that_no_place_in_the_file_tells():
    assert random_choice_test(WHOLE).looks_random
    test = random_choice_test(WHOLE, groups=FIELD, n_draws=1_999)
    together = (
        "are spread too unevenly over the groups (whole groups were labeled together)"
    )
    assert test.findings == (together,)
    assert test.p_value == test.p_values[together] == 1 / 2_000
    assert together in str(test)
    assert "draw_audit(groups=...)" in str(test)
    first = random_choice_test(range(18), n_samples=1800, n_draws=999)
    assert "draw_audit" not in str(first)
    one_of_each = np.argsort(np.argsort(FIELD, kind="stable")) % 10 == 3
    evenly = random_choice_test(one_of_each, groups=FIELD, n_draws=999)
    assert "are spread too evenly over the groups" in evenly.findings
    assert random_choice_test(FAIR, groups=FIELD, n_samples=1800).looks_random


@pytest.mark.parametrize(
    "kind",
    [
        list,
        lambda groups: groups.astype(str),
        lambda groups: groups.astype("M8[D]"),
        lambda groups: [(int(g), "field") for g in groups],
        lambda groups: [None if g == 0 else f"f{g}" if g % 2 else int(g) for g in groups],
        lambda groups: np.where(groups == 0, np.nan, groups),
        pd.Series,
        lambda groups: pd.Series(groups).astype("category"),
    ],
    ids=["list", "text", "dates", "tuples", "mixed", "missing", "series", "categories"],
)
def test_groups_of_any_kind(kind):
    expected = random_choice_test(WHOLE, groups=FIELD, n_draws=99)
    assert random_choice_test(WHOLE, groups=kind(FIELD), n_draws=99) == expected


def counted(labeled, clusters):
    return np.bincount(clusters), np.bincount(
        clusters[labeled], minlength=clusters.max() + 1
    )


def test_counts_say_what_looks_wrong():
    copied = np.where(WHOLE, FILE % 3, 3)  # a cluster for all that is unlabeled
    tested = {"fair": counted(WHOLE, FILE % 3), "copied": counted(WHOLE, copied)}
    test = of_counts(tested, None, None)
    assert test.findings[0] == "are spread too unevenly over the clusters of 'copied'"
    assert test.p_value == 2 / 10_000  # two tests
    assert (test.n_samples, test.n_labeled) == (1800, 180)
    assert of_counts({"fair": tested["fair"]}, None, None).looks_random
    # Two whole pairs of four: 6 of the 70 choices, in which no row is drawn twice.
    pairs = np.array([2, 2, 2, 2]), np.array([2, 2, 0, 0])
    test = of_counts({"pairs": pairs}, None, None)
    assert test.p_value == pytest.approx(6 / 70, rel=0.5)
    equal = of_counts({"f": tested["fair"]}, None, [60] * 3)
    assert "are exactly equally many in every class" in equal.p_values


def test_many_clusters_are_put_into_bins():
    """By their sizes alone; whole groups stand out in bins, too."""
    field = np.random.default_rng(1).permutation(100_000) // 10
    labeled = np.flatnonzero(field < 300)
    test = of_counts({}, counted(labeled, field), None)
    assert test.findings[0].endswith("(whole groups were labeled together)")
    sizes, own = _random_choice._in_bins(*counted(labeled, field))
    assert len(sizes) == len(own) == 256
    assert (sizes.sum(), own.sum()) == (100_000, 3_000)
    uneven = np.r_[np.full(300, 2), 70, 90]
    sizes, _ = _random_choice._in_bins(uneven, uneven)
    assert np.sort(sizes)[-2:].tolist() == [72, 92]  # the largest two in different bins


def sequential_p_values(monkeypatch, at_least_as_extreme):
    """Of every mask of 2 of 4 rows with every sequence of 4 draws, stopped at 2."""
    monkeypatch.setattr(_random_choice, "_ENOUGH", 2)
    monkeypatch.setattr(_random_choice, "_at_least_as_extreme", at_least_as_extreme)
    masks = subsets(4, 2)
    tails = _tails_of_choices.Tails(4, 2, {"a": np.array([0, 0, 1, 1])}, False)
    observed = tails(masks)
    for own in observed:
        for drawn in product(observed, repeat=4):
            batches = np.array(drawn[:3]), np.array(drawn[3:])
            p_value, *_ = _random_choice._monte_carlo(
                lambda rows: rows, tails.says, own, batches
            )
            yield p_value


def is_valid(p_values):
    p_values = np.array(list(p_values))
    alphas = np.unique(p_values)
    return all(np.mean(p_values <= a) <= a + 1e-12 for a in alphas)


def test_sequential_p_value_is_exact(monkeypatch):
    """And would not be, were ties in favor of the choice."""
    rule = _random_choice._at_least_as_extreme
    assert is_valid(sequential_p_values(monkeypatch, rule))
    assert not is_valid(sequential_p_values(monkeypatch, np.less))


@pytest.mark.parametrize("observed", [0.0, -1.0, -20.0, -1000.0])
def test_rounding_errors_are_ties(observed):
    """Of sums of many terms, so relative to what they sum to."""
    for by, is_tie in ((-0.1, True), (0.0, True), (5e-10, True), (1e-8, False)):
        tail = np.array([observed + by * (1 - observed)])
        assert _random_choice._at_least_as_extreme(tail, observed).tolist() == [is_tie]


def fair_p_values(n_masks, make_clusterings, n_draws=50_000):
    rng = np.random.default_rng(0)
    for _ in range(n_masks):
        rows = rng.choice(60, 12, replace=False)
        clusterings = make_clusterings(rows)
        test = random_choice_test(rows, clusterings, n_samples=60, n_draws=n_draws)
        yield test.p_value


def test_false_alarms():
    clusters = np.random.default_rng(1).integers(5, size=(3, 60))
    p_values = np.array([*fair_p_values(1000, lambda _: clusters)])
    for alpha in (0.001, 0.01, 0.05, 0.2, 0.5):
        assert binom.sf(np.sum(p_values <= alpha) - 1, p_values.size, alpha) > 1e-6
    # And not because it never refuses.
    assert np.mean(p_values <= 0.2) > 0.15


def test_clusterings_must_not_know_the_choice():
    p_values = np.array([*fair_p_values(20, lambda rows: [mask(rows, 60)], n_draws=999)])
    assert np.all(p_values <= 0.001)


def test_draws_are_uniform():
    rng = np.random.default_rng(0)
    draws = np.concatenate([*_random_choice._draws(rng, 6, 3, 20_000, 6)])
    assert draws.shape == (20_000, 3)
    _, counts = np.unique(draws, axis=0, return_counts=True)
    assert counts.size == 20
    assert np.sum((counts - 1000) ** 2 / 1000) < 60  # of 19 degrees of freedom


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_runs_and_mean_places_have_their_exact_laws(m):
    rows = subsets(8, m)
    runs = 1 + np.sum(np.diff(rows) > 1, axis=1)
    part, sums = _tails_of_choices.Tails(8, m, {}, False), rows.sum(axis=1)
    assert (part.mean, part.sd) == pytest.approx((sums.mean(), sums.std()))
    lower, upper = part.runs(rows)
    np.testing.assert_allclose(np.exp(lower), [np.mean(runs <= r) for r in runs])
    np.testing.assert_allclose(np.exp(upper), [np.mean(runs >= r) for r in runs])


def test_largest_deviation():
    rows = subsets(9, 4)
    tails = _tails_of_choices.Tails(9, 4, {}, False)
    expected = []
    for chosen in rows:
        seen = np.cumsum([0, *mask(chosen, 9)])
        expected.append(np.max(np.abs(seen - np.arange(10) * 4 / 9)))
    x = np.array(expected) / np.sqrt(4 * 5 / 9)
    lower, upper = tails.largest_deviation(rows)
    np.testing.assert_allclose(upper, np.minimum(log(2) - 2 * x**2, 0))
    low = x < 0.9
    np.testing.assert_allclose(lower[low], kstwobign.logcdf(x[low]), atol=0.01)
    # Both fall off in their direction.
    order = np.argsort(x)
    assert np.all(np.diff(lower[order]) >= -1e-12)
    assert np.all(np.diff(upper[order]) <= 1e-12)


@pytest.mark.parametrize("sizes", [(4, 4), (1, 7), (2, 3, 3), (1, 1, 1, 5), (2, 2, 2, 2)])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_chi_square_against_all_choices(sizes, m):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    rows = subsets(8, m)
    counts = np.array([np.bincount(clusters[r], minlength=len(sizes)) for r in rows])
    expected = np.array(sizes) * m / 8
    values = np.sum((counts - expected) ** 2 / expected, axis=1)
    mean, variance = _tails_of_choices._chi_square_moments(np.array(sizes), m)
    assert mean == pytest.approx(values.mean())
    assert variance == pytest.approx(values.var(), abs=1e-12)
    part = _tails_of_choices.ChiSquare("it", np.array(sizes), m)
    assert part.varies == (np.ptp(values) > 1e-12)
    assert part.least == pytest.approx(values.min(), abs=1e-12)
    if part.varies:
        at_least = np.mean(values < values.min() + 1e-9)
        assert 0 < part.least_tail <= at_least + 1e-12
        lower, upper = part(counts).T
        assert np.all(np.isfinite(lower) & np.isfinite(upper))
        assert np.all(np.diff(lower[np.argsort(values)]) >= -1e-9)


@pytest.mark.parametrize("most", [3, 200, 5 * 10**6])
def test_no_exchange_of_a_row_makes_counts_more_even(most):
    rng = np.random.default_rng(most)
    for k in (1, 2, 7, 150):
        sizes = rng.integers(1, most, k, endpoint=True)
        m = int(rng.integers(sizes.sum(), endpoint=True))
        counts = _tails_of_choices._most_even_counts(sizes, m)
        assert counts.sum() == m
        assert np.all((counts >= 0) & (counts <= sizes))
        gained = np.max((2 * counts - 1)[counts > 0] / sizes[counts > 0], initial=0)
        assert gained <= np.min((2 * counts + 1) / sizes) + 1e-12


def test_least_chi_square_of_equal_clusters_has_its_probability():
    part = _tails_of_choices.ChiSquare("it", np.full(4, 5), 6)
    chance = comb(4, 2) * comb(5, 1) ** 2 * comb(5, 2) ** 2 / comb(20, 6)
    assert part.least_tail == pytest.approx(chance)


@pytest.mark.parametrize(
    ("sizes", "m"),
    [
        ([900, 900], 180),
        ([90] * 20, 180),
        ([18] * 100, 180),
        ([1] * 50 + [1750], 180),
        ([180] * 10, 20),
        ([2] * 800 + [1] * 200, 20),
        ([5, 10, 100, 1685], 180),
    ],
)
def test_tails_of_chi_square_are_on_the_common_scale(sizes, m):
    """Else rare values of one clustering would hide what looks wrong elsewhere."""
    rng = np.random.default_rng(0)
    part = _tails_of_choices.ChiSquare("it", np.array(sizes), m)
    counts = rng.multivariate_hypergeometric(sizes, m, size=5000)
    for tail in part(counts).T:
        assert np.mean(tail <= log(0.001)) <= 0.01
        assert np.mean(tail <= log(1e-5)) <= 0.001


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("each", [1, 2, 3])
def test_equal_counts_are_likeliest_for_equal_classes(k, each):
    for n in range(k * each + 1, 15):
        best = max(
            prod(comb(size, each) for size in sizes)
            for sizes in product(range(n + 1), repeat=k)
            if sum(sizes) == n
        )
        p = exp(_tails_of_choices.log_equal_probability(n, k * each, k))
        assert p == pytest.approx(best / comb(n, k * each))
        assert p <= 1 + 1e-12


def test_names_of_clusters_do_not_matter():
    words = np.array([f"cluster {i}" for i in range(7)])[FILE % 7]
    far = (FILE % 7 - 3) * 10**17
    tests = [
        random_choice_test(FAIR, [p], n_samples=1800) for p in (FILE % 7, words, far)
    ]
    assert tests[0].p_value == tests[1].p_value
    # Clusters in another order: the same up to rounding.
    assert tests[0].n_draws == tests[2].n_draws
    assert tests[0].p_values == pytest.approx(tests[2].p_values)


def test_most_rows_labeled_are_few_rows_left_out():
    few, most = (random_choice_test(r, n_draws=999) for r in (FILE < 180, FILE >= 180))
    assert few.p_value == most.p_value
    early, late = "come too early in the file", "come too late in the file"
    assert few.p_values[early] == most.p_values[late]
    assert few.p_values[late] == most.p_values[early]
    assert most.n_labeled == 1620


def test_neither_the_order_of_indices_nor_batches_matter(monkeypatch):
    by_mask = random_choice_test(mask(FAIR, 1800), CLUSTERINGS)
    backward = np.sort(FAIR)[::-1].tolist()
    assert random_choice_test(backward, CLUSTERINGS, n_samples=1800) == by_mask
    monkeypatch.setattr(_random_choice, "_BATCH", 1)
    assert random_choice_test(backward, CLUSTERINGS, n_samples=1800) == by_mask


def test_every_choice_and_seed_has_its_own_draws():
    def first_draw(rows, seed):
        return _random_choice._generator(rows, 1800, seed).integers(2**60)

    rows = np.sort(FAIR)
    assert first_draw(rows, 0) == first_draw(rows, 0)
    assert len({first_draw(rows, 0), first_draw(rows, 1), first_draw(rows[1:], 0)}) == 3


def test_work_is_limited_but_the_level_can_be_reached(monkeypatch):
    monkeypatch.setattr(_random_choice, "_MAX_CELLS", 180 * 3000)
    assert random_choice_test(FILE < 180).n_draws == 3000
    monkeypatch.setattr(_random_choice, "_MAX_CELLS", 180)
    assert random_choice_test(FILE < 180).p_value == 0.001
    counts = {"class_counts": [170, 10]}
    assert random_choice_test(FILE < 180, **counts).p_value == 0.001
    # Counts of clusters take as much room as rows where there are more of them.
    monkeypatch.setattr(_random_choice, "_MAX_CELLS", 360 * 1500)
    assert random_choice_test(FILE < 180, [FILE // 5]).n_draws == 1500
    assert random_choice_test(FILE < 180, n_draws=9, **counts).p_value == 0.2


@settings(max_examples=60)
@given(st.data())
def test_any_choice_and_clusterings_have_a_p_value(data):
    n = data.draw(st.integers(2, 12))
    rows = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
    clusters = st.lists(st.integers(-1, 4), min_size=n, max_size=n)
    clusterings = data.draw(st.lists(clusters, max_size=3))
    test = random_choice_test(list(rows), clusterings, n_samples=n, n_draws=50)
    assert 0 < test.p_value <= 1
    assert all(0 < p <= 1 for p in test.p_values.values())
    assert str(test)


def test_words():
    test = random_choice_test(FILE < 180, {"k-means, 20 clusters": FILE // 90})
    assert (test.p_value, test.n_draws) == (1 / 50_001, 50_000)
    assert str(test) == (
        "The labeled rows do not look like a uniformly random choice (p = 2e-05): they "
        "are spread too unevenly over the clusters of 'k-means, 20 clusters', form too "
        "few runs of adjacent rows and are concentrated in parts of the file. The "
        "guarantee does not hold for such a choice. Draw the rows to label uniformly at "
        "random from all rows, before any of them is labeled, and label exactly those."
    )
    passed = random_choice_test(FAIR, n_samples=1800)
    assert passed.findings == ()
    assert "does not show that the choice was random" in str(passed)


def test_what_is_most_extreme_is_named_with_two_others_at_most():
    # As where draws end at the level itself.
    p_values = {"are here": 21 / 20_001, "are there": 0.5}
    test = RandomChoiceTest(0.001, 20_000, 100, 10, p_values)
    assert test.findings == ("are here",)
    assert "they are here. The guarantee" in str(test)
    p_values = {"are a": 1e-5, "are b": 0.001, "are c": 0.001, "are d": 0.001}
    assert RandomChoiceTest(1e-5, 9, 9, 3, p_values).findings == (*p_values,)[:3]
