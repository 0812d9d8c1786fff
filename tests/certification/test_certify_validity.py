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


def is_wrong(way, counts, seed=0, noise=None):
    """Whether anything is that the sweep over partitions of these counts would claim."""
    sweep = sweeps.sweep_of(way, counts, seed=seed, noise=noise)
    return any(map(sweeps.is_wrong, chain(*sweeps.claims_of(sweep).values())))


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
        cells = select, labeled - select, table.ravel() - labeled
        select, certify, rest = (own.reshape(table.shape) for own in cells)
        counts.append(sweeps.counts_of(select, certify, hidden=rest))
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
        failed += is_wrong(WAYS[kind], seen, seed=trial)
    return failed


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", WAYS)
def test_simulated_coverage(kind, table):
    assert not too_often(failures(kind, TABLES[table]), TRIALS)


def certify_again(counts):
    """Labels that choose and label also certify."""
    return replace(counts, certify=counts.select)


def peek(counts):
    """Weights are set by the very labels that certify."""
    return replace(counts, select=counts.select + counts.certify)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [("holdout", certify_again), ("selective holdout", certify_again), ("learned", peek)],
)
def test_control_broken_rules(kind, rule):
    assert too_often(failures(kind, [noise(40)], trials=100, break_rule=rule), 100)


def merged(counts, chosen):
    """The counts with some of the clusters as one, which comes last."""
    names = "sizes", "select", "certify", "test", "hidden"
    tables = {name: getattr(counts, name) for name in names}
    together = {n: [*t[~chosen], t[chosen].sum(axis=0)] for n, t in tables.items()}
    return replace(counts, **{name: np.array(own) for name, own in together.items()})


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
        failed += is_wrong(WITHOUT_NOISE["holdout"], [merge], noise=place)
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
