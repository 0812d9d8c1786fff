"""What the rivals of our certificates state is what their theorems say."""

import math
from itertools import product

import numpy as np
import pytest
import rival_certificates as rivals
from conftest import too_often
from scipy.special import logsumexp, rel_entr
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import bmax

DELTA = 0.1


def exceeds(certificate):
    return certificate.error > certificate.bound + 1e-9


def partitions(rng, n_rows, numbers):
    return [rng.randint(c, size=n_rows) for c in numbers]


@pytest.mark.parametrize("name", ["D*", "kl"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 9), (30, 12), (40, 40)])
def test_complexity_is_that_of_its_definition(m, n, name):
    def of(errors):
        k = np.arange(max(0, errors - n), min(m, errors) + 1)
        weights = hypergeom.logpmf(k, m + n, errors, m)
        terms = rivals.divergence(k / m, (errors - k) / n, m, n, name)
        return logsumexp(weights + terms)

    expected = max(of(errors) for errors in range(m + n + 1))
    assert math.isclose(rivals.log_complexity(m, n, name), expected, abs_tol=1e-9)


def test_posterior_is_that_of_all_labelings():
    """Of two candidates, one labeling by one."""
    rng = np.random.RandomState(0)
    train, test = rng.randint(5, size=(2, 5, 3))
    starts, temperature = np.array([0, 2]), 0.7
    labelings = [*product(range(3), repeat=2), *product(range(3), repeat=3)]
    rows = [np.arange(2) if len(labels) == 2 else np.arange(2, 5) for labels in labelings]
    prior = np.array([1 / 2 / 3 ** len(labels) for labels in labelings])
    pairs = list(zip(rows, labelings, strict=True))
    errors = [
        np.array([of[own, labels].sum() for own, labels in pairs]) for of in (train, test)
    ]
    weights = prior * np.exp(-temperature * errors[0])
    weights /= weights.sum()
    expected = (*(weights @ e for e in errors), rel_entr(weights, prior).sum())
    found = rivals.gibbs_posterior(train, test, starts, temperature)
    np.testing.assert_allclose(found, expected)


def test_pac_bayes_holds_on_noise():
    """The same rows throughout, other labels drawn: there is nothing to be learned."""
    n_draws, n_rows, n_classes = 200, 120, 3
    rng = np.random.RandomState(0)
    candidates = partitions(rng, n_rows, (2, 4, 8, 8, 16))
    codes = rng.randint(n_classes, size=n_rows)
    labeled = np.arange(n_rows) < n_rows // 2
    m, n = labeled.sum(), (~labeled).sum()
    excess = rivals.log_complexity(m, n) - math.log(DELTA)

    def unpaid(task, wrong):
        bound = rivals.largest_rate(wrong[task.labeled].mean(), m, n, excess, "D*")
        return rivals.Certificate(bound, wrong[~task.labeled].mean(), "")

    def of_fixed_labeling(task):
        return unpaid(task, task.codes != 0)

    def with_kl_left_out(task):
        table = rivals.counts_of(task, task.labeled)[-1]
        classes = rivals.class_shares(table).argmax(axis=1)
        return unpaid(task, classes[task.candidates[-1]] != task.codes)

    certifiers = (
        rivals.pac_bayes, rivals.pac_bayes_gibbs, of_fixed_labeling, with_kl_left_out
    )  # fmt: skip
    violations = dict.fromkeys(certifiers, 0)
    for _ in range(n_draws):
        labeled = rng.permutation(labeled)
        task = rivals.Task(candidates, codes, labeled, n_classes, DELTA)
        for certify in certifiers:
            violations[certify] += exceeds(certify(task))
    for certify, found in violations.items():
        assert too_often(found, n_draws) == (certify is with_kl_left_out), certify


def test_clopper_pearson_holds_of_the_population_only():
    """Independent draws from a population whose errors are known."""
    n_draws, n_rows, n_types, n_classes = 2000, 2000, 1000, 3
    rng = np.random.RandomState(1)
    clusterings = partitions(rng, n_types, (3, 6, 12))
    noisy = rng.uniform(size=n_types) < 0.08 * clusterings[1]  # some clusters are better
    codes = np.where(noisy, rng.randint(n_classes, size=n_types), clusterings[1] % 3)
    population = rivals.Task(clusterings, codes, None, n_classes, DELTA)
    labeled = np.arange(n_rows) < n_rows // 2
    of_population = of_rows = of_hold_out = 0
    for seed in range(n_draws):
        drawn = rng.randint(n_types, size=n_rows)
        own = [clusters[drawn] for clusters in clusterings]
        task = rivals.Task(own, codes[drawn], labeled, n_classes, DELTA, seed)
        certificate = rivals.clopper_pearson(task)
        choice = rivals.choose_by_half(task)
        true = rivals.wrong_rows(population, choice).mean()
        of_population += exceeds(certificate._replace(error=true))
        of_rows += exceeds(certificate)
        wrong = rivals.wrong_rows(task, choice)
        n, errors = np.sum(~labeled), wrong[choice.test].sum()
        bound = bmax(len(choice.test), n, errors, DELTA)
        of_hold_out += wrong[~labeled].sum() > bound
    assert not too_often(of_population, n_draws)
    assert not too_often(of_hold_out, n_draws)
    assert too_often(of_rows, n_draws)
    assert (of_rows / n_draws, of_hold_out / n_draws) == (0.135, 0.085)
