"""Do certificates of every kind hold as often as they say?

Exhaustively for a few rows, by simulation for many; beside it controls that break one
rule and must be caught.
"""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
import sweeps
from conftest import too_often

from sklearn_pacmdl import pac_mdl_bound

WAYS = {kind: sweeps.way(kind) for kind in (*sweeps.METHODS, sweeps.BY_ERRORS)}
WAYS |= {f"selective {kind}": sweeps.way(kind, within=0.2) for kind in sweeps.METHODS}


def counts_of(table, select, certify):
    """Everything that is counted of one partition, from tables of clusters by classes."""
    return sweeps.counts_of(select, certify, hidden=table - select - certify)


def claims_of(kind, counts, seed):
    """All that the sweep over partitions of these counts would claim."""
    sweep = sweeps.sweep_of(WAYS[kind], counts, seed=seed)
    return [*chain(*sweeps.claims_of(sweep).values())]


# --- Exhaustive: every choice of labeled rows and every division of these ------------


# Ways in which one cluster of each partition is noise, and given no class.
WITHOUT_NOISE = {
    kind: own._replace(goal=replace(own.goal, drops_noise=True))
    for kind, own in WAYS.items()
}
SEVEN = np.array([0, 1, 1, 0, 1, 0, 1])  # classes
# Noise is the cluster 0: of few rows, of most, and of rows of one class.
SOME_NOISE = [(0, 0, 1, 1, 1, 2, 2), (0, 0, 0, 0, 0, 1, 1), (1, 0, 0, 1, 0, 1, 2)]


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize(("ways", "noise"), [(WAYS, None), (WITHOUT_NOISE, (0, 0, 0))])
def test_exhaustive_coverage(ways, noise, kind):
    """Noise is left out for free, since it is the same whichever rows are labeled."""
    sizes = (2, 3) if ways[kind].method.fraction else (0, 5)
    given = ways[kind], sizes, SOME_NOISE, SEVEN[None]
    assert max(sweeps.worst_ratios(*given, noise=noise)) <= 1


# --- Simulation: labeled rows drawn from tables of clusters by classes ---------------


def noise(c, n_rows=400):
    return np.full((c, 2), n_rows // (2 * c))


def mixed(c=20, n_rows=600):
    """Clusters from pure to noise."""
    purity = np.linspace(0.5, 1, c)
    ones = np.round(purity * n_rows / c).astype(np.int64)
    return np.column_stack([ones, n_rows // c - ones])


TABLES = {
    "noise": [noise(20)],
    "noise, two partitions": [noise(20), noise(10)],
    "mixed": [mixed()],
    "clean": [np.diag([130, 130, 140]) + 1],
}


def draw(tables, m, m_select, rng):
    """Selecting and certifying rows of partitions, drawn independently of each other."""
    counts = []
    for table in tables:
        labeled = rng.multivariate_hypergeometric(table.ravel(), m)
        select = rng.multivariate_hypergeometric(labeled, m_select)
        shape = table.shape
        counts.append(
            counts_of(table, select.reshape(shape), (labeled - select).reshape(shape))
        )
    return counts


# Against a true rate of delta, .27 is found with a probability of .99 by so many.
TRIALS = 250


def failures(kind, tables, m=120, trials=TRIALS, break_rule=None):
    rng = np.random.default_rng(0)
    m_select = int(WAYS[kind].method.fraction * m)
    failed = 0
    for trial in range(trials):
        counts = draw(tables, m, m_select, rng)
        seen = [break_rule(own) for own in counts] if break_rule else counts
        failed += any(map(sweeps.is_wrong, claims_of(kind, seen, seed=trial)))
    return failed


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", WAYS)
def test_simulated_coverage(kind, table):
    assert not too_often(failures(kind, TABLES[table]), TRIALS)


def selecting_labels_certify_again(counts):
    """The rule is broken: labels that choose and label also certify."""
    return replace(counts, certify=counts.select)


@pytest.mark.parametrize("kind", ["holdout", "selective holdout"])
def test_control_selecting_labels_certify_again(kind):
    given = {"trials": 200, "break_rule": selecting_labels_certify_again}
    assert too_often(failures(kind, [noise(40)], **given), 200)


def test_control_labels_learned_from_certifying_labels():
    """Weights set by the very labels that certify."""

    def peek(counts):
        return replace(counts, select=counts.select + counts.certify)

    failed = failures("learned", [noise(40)], trials=200, break_rule=peek)
    assert too_often(failed, 200)


def merged(counts, chosen):
    """The counts with some of the clusters as one, which comes last."""

    def together(table):
        return np.concatenate([table[~chosen], table[chosen].sum(axis=0)[None]])

    names = "sizes", "select", "certify", "test", "hidden"
    return replace(counts, **{name: together(getattr(counts, name)) for name in names})


@pytest.mark.parametrize("by_labels", [True, False])
def test_control_noise_chosen_by_labels(by_labels):
    """Clusters that certifying labels do not agree about are called noise."""
    rng, failed, trials = np.random.default_rng(0), 0, 200
    for _ in range(trials):
        (counts,) = draw([noise(40)], 120, 72, rng)
        errors = counts.certify[:, :2].min(axis=1) > 0
        named = counts.select.argmax(axis=1) == counts.certify.argmax(axis=1)
        chosen = errors | ~named
        merge = merged(counts, chosen if by_labels else rng.permutation(chosen))
        place = [len(merge.sizes) - 1]
        sweep = sweeps.sweep_of(WITHOUT_NOISE["holdout"], [merge], noise=place)
        claims = chain(*sweeps.claims_of(sweep).values())
        failed += any(map(sweeps.is_wrong, claims))
    assert too_often(failed, trials) == by_labels


def test_control_unpaid_abstention():
    """Clusters left out for their errors, where neither sets nor labels are paid for."""
    rng, failed, trials = np.random.default_rng(0), 0, 400
    for _ in range(trials):
        (counts,) = draw([noise(20)], 60, 0, rng)
        options = WAYS["selective pac-mdl"].options(counts)
        counted = [(o.n_train, o.n_test, o.train_errors) for o in options]
        bound = pac_mdl_bound(*np.array(counted).T, description_length=0)
        failed += np.any([o.test_errors for o in options] > bound)
    assert too_often(failed, trials)


@pytest.mark.parametrize("kept", ["largest within the target", "all"])
def test_control_nested_sets_tested_for_free(kept):
    """Sets fixed beforehand, each tested at the whole of delta.

    In fixed-sequence testing going on to the next hypothesis is free. Here what is
    claimed of each set is a count, and one of them is wrong too often.
    """
    trials, n_sets, target = 2038, 40, 0.22
    table = np.tile([24, 6], (n_sets, 1))
    rng = np.random.default_rng(0)
    labeled = rng.multivariate_hypergeometric(table.ravel(), 600, size=trials)
    certify = labeled.reshape(trials, n_sets, 2).cumsum(axis=1)
    test = table.cumsum(axis=0) - certify
    n = test.sum(axis=2)
    bounds = pac_mdl_bound(certify.sum(axis=2), n, certify[..., 1], description_length=0)
    wrong = test[..., 1] > bounds
    if kept == "all":
        assert too_often(wrong.any(axis=1).sum(), trials)
        return
    within = bounds <= target * n
    last = n_sets - 1 - within[:, ::-1].argmax(axis=1)
    chosen = within.any(axis=1) & wrong[np.arange(trials), last]
    assert too_often(chosen.sum(), trials)
