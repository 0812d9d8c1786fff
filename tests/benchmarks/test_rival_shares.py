"""Rival intervals of shares are what they describe, by their definitions on rows."""

from itertools import product

import numpy as np
import pytest
import rival_shares as rivals
from scipy.stats import chi2, hypergeom, norm

ROWS, AUDITED = np.array([9, 7]), np.array([3, 4])


def largest(is_refuted, found):
    truths = product(*map(range, found, ROWS - AUDITED + found + 1))
    return max(sum(e) for e in truths if not is_refuted(e, found))


def refuted_by_fisher(errors, found):
    tails = hypergeom.cdf(found, ROWS, errors, AUDITED)
    return tails.min() == 0 or -2 * np.log(tails).sum() > chi2.isf(rivals.SIDE, 4)


def refuted_by_the_estimate(errors, found):
    counts = np.indices(AUDITED + 1)
    estimate = np.tensordot(ROWS / AUDITED, counts, axes=1)
    laws = [
        hypergeom.pmf(np.arange(m + 1), n, e, m)
        for m, n, e in zip(AUDITED, ROWS, errors, strict=True)
    ]
    event = estimate <= estimate[tuple(found)] + 1e-9
    return np.sum(np.outer(*laws)[event]) < rivals.SIDE


@pytest.mark.parametrize("found", [(0, 0), (1, 2), (2, 0), (3, 4)])
def test_exact_rivals(found):
    assert rivals.fisher(found, AUDITED, ROWS) == largest(refuted_by_fisher, found)
    bound = rivals.wendell_schmee(found, AUDITED, ROWS)
    assert bound == largest(refuted_by_the_estimate, found)


def test_approximations_on_rows():
    """PPI++ by its definition; and Rogan and Gladen's share if the judge is perfect."""
    y = np.repeat([1, 0, 1, 0], [30, 10, 5, 155])  # of the audited rows
    f = np.repeat([1, 0], [40, 160])
    others = np.repeat([1, 0], [700, 4100])
    n, n_others = len(y), len(others)
    tuned = np.cov(y, f, ddof=0)[0, 1] / ((1 + n / n_others) * f.var())
    center = tuned * others.mean() + np.mean(y - tuned * f)
    variance = np.var(y - tuned * f) / n + tuned**2 * others.var() / n_others
    half = norm.isf(rivals.SIDE) * np.sqrt(variance)
    counts = np.array([4260, 740]), np.array([[160, 40]]), np.array([[5, 30]])
    assert rivals.ppi(*counts).ravel() == pytest.approx([center - half, center + half])
    perfect = np.array([4260, 740]), np.array([[1600, 400]]), np.array([[0, 400]])
    assert rivals.rogan_gladen(*perfect).mean() == pytest.approx(0.148, abs=2e-3)
