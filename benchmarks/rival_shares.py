"""Other intervals for the share of a class, by the counts of two strata.

Of all rows, the judge says of ``rows[1]`` that they are of the class, and of ``rows[0]``
that they are not. ``audited`` and ``found`` have a row for each audit: the audited rows
of either stratum, and those that truly are of the class. Each function returns lower and
upper limits of the share, each of which may miss with probability ``SIDE``.

PPI++ is meant for a uniform audit, and so is Rogan and Gladen's estimator: rows that were
drawn by the judge's label tell nothing of its sensitivity. Strata that were not met take
the rate of all.
"""

from unittest import mock

import numpy as np
from scipy.special import gammainccinv
from scipy.stats import norm, t

from sklearn_pacmdl.bounds import (
    _inversion,
    _strata,
    bucket,
    stratified_upper_bound,
    total_upper_bound,
)
from sklearn_pacmdl.bounds._inversion import Order

SIDE = 0.05
Z = norm.isf(SIDE)


def rates(audited, found):
    overall = found.sum(axis=1, keepdims=True) / audited.sum(axis=1, keepdims=True)
    return np.where(audited > 0, found / np.maximum(audited, 1), overall)


def around(center, variance, quantile=Z):
    half = quantile * np.sqrt(variance)
    return np.clip([center - half, center + half], 0, 1)


# ---- Approximations


def post_stratified(rows, audited, found, added=0.0, is_finite=True):
    """D. Holt and T. M. F. Smith, "Post Stratification", JRSS A 142, 1979.

    With the correction for finite populations and a quantile of Student's t. A regression
    on the judge's label is the same, since it has two values. Smoothed, each stratum has
    ``added`` rows more of either kind, and the quantile is normal (A. Agresti and B.
    Caffo, The American Statistician 54, 2000). Without the correction it is stratified
    PPI (A. Fisch et al., NeurIPS 2024): the judge's label is constant in a stratum, and
    cancels.
    """
    weight, size = rows / rows.sum(), audited + 2 * added
    p = rates(size, found + added)
    variance = weight**2 * p * (1 - p) / np.maximum(size - (not added), 1)
    if is_finite:
        variance = variance * (1 - audited / rows)
    student = is_finite and not added
    quantile = t.isf(SIDE, audited.sum(axis=1) - 2) if student else Z
    return around((weight * p).sum(axis=1), variance.sum(axis=1), quantile)


def ppi(rows, audited, found):
    """A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++", arXiv:2311.01453, 2023."""
    n, n_rows = audited.sum(axis=1), rows.sum()
    y, f, both = found.sum(axis=1) / n, audited[:, 1] / n, found[:, 1] / n
    f_others = (rows[1] - audited[:, 1]) / (n_rows - n)
    covariance, variance = both - y * f, f * (1 - f)
    tuned = covariance / (1 + n / (n_rows - n)) / np.where(variance > 0, variance, 1)
    residual = y * (1 - y) - 2 * tuned * covariance + tuned**2 * variance
    of_others = tuned**2 * f_others * (1 - f_others) / (n_rows - n)
    return around(y + tuned * (f_others - f), residual / n + of_others)


def bootstrap(rows, audited, found, by_label, n_resampled=1000):
    """B. Efron, "Bootstrap Methods", Annals of Statistics 7, 1979: percentiles.

    Of the post-stratified estimate; audited rows are drawn as the audit was.
    """
    rng, weight, limits = np.random.default_rng(0), rows / rows.sum(), []
    for m, x in zip(audited, found, strict=True):
        sizes = np.broadcast_to(m, (n_resampled, 2))
        if not by_label:
            sizes = rng.multinomial(m.sum(), m / m.sum(), n_resampled)
        p = rates(sizes, rng.binomial(sizes, rates(m[None], x[None])))
        limits.append(np.quantile(p @ weight, [SIDE, 1 - SIDE]))
    return np.transpose(limits)


def rogan_gladen(rows, audited, found):
    """W. J. Rogan and B. Gladen, American Journal of Epidemiology 107, 1978.

    With the limits of Z. Lang and J. Reiczigel, "Confidence Limits for Prevalence of
    Disease Adjusted for Estimated Sensitivity and Specificity", Preventive Veterinary
    Medicine 113, 2014.
    """
    others = audited - found
    n_true, n_false, n_rows = found.sum(axis=1), others.sum(axis=1), rows.sum()
    positive = (rows[1] + Z**2 / 2) / (n_rows + Z**2)
    sensitivity = (found[:, 1] + 1) / (n_true + 2)
    specificity = (others[:, 0] + 1) / (n_false + 2)
    youden = sensitivity + specificity - 1
    share = (positive + specificity - 1) / np.where(youden > 0, youden, 1)
    of_true = sensitivity * (1 - sensitivity) / (n_true + 2)
    of_false = specificity * (1 - specificity) / (n_false + 2)
    center = share + 2 * Z**2 * (share * of_true - (1 - share) * of_false)
    variance = positive * (1 - positive) / (n_rows + Z**2)
    variance = variance + share**2 * of_true + (1 - share) ** 2 * of_false
    limits = around(center, variance / np.where(youden > 0, youden, 1) ** 2)
    return np.where(youden > 0, limits, [[0], [1]])


# ---- Valid for all populations, from the largest numbers of rows that are not refuted


def both_sides(most):
    """Limits by a function of the counts of one audit, which bounds from above."""

    def limits(rows, audited, found):
        pairs = [
            (rows.sum() - most(m - x, m, rows), most(x, m, rows))
            for m, x in zip(audited, found, strict=True)
        ]
        return np.transpose(pairs) / rows.sum()

    return limits


def sidak(found, audited, rows, side=SIDE):
    """T. Wright, "Exact Confidence Bounds when Sampling from Small Finite Universes".

    Springer, 1991. Each stratum is bounded by itself; they share the level as Sidak does.
    """
    level = 1 - (1 - side) ** (1 / len(rows))
    return int(np.sum(total_upper_bound(found, audited, rows, level)))


def fisher(found, audited, rows, side=SIDE):
    """R. A. Fisher's method joins what speaks against numbers of each stratum."""
    if min(audited) == 0:
        return sidak(found, audited, rows, side)
    *others, last = zip(*map(np.asarray, (found, audited, rows)), strict=True)
    totals, nats = np.zeros(1), np.array([gammainccinv(len(rows), side)])
    for x, m, n in others:
        # Numbers of the stratum up to the end of each cell, and what its first costs.
        most = total_upper_bound(x, m, n, np.exp(-nats.max()))
        first = np.unique(np.linspace(x, most, 80).astype(int))
        end = np.append(first[1:] - 1, most)
        left = nats[:, None] + np.log(bucket(m, n - m, x, first - x))
        totals, nats = (totals[:, None] + end)[left > 1e-9], left[left > 1e-9]
    return int(np.max(totals + total_upper_bound(*last, np.exp(-nats))))


class Estimate(Order):
    """Audits in the order of the estimated total."""

    @classmethod
    def at(cls, sample, ratio, level):
        return cls(sample, ratio, 0.0, 0.5)

    def excess(self, ratio, counts):
        parts = zip(self.ratio.weights(ratio), counts, *self.sample[1:], strict=True)
        return sum(w * n * x / m for w, x, m, n in parts) / self.ratio.size - ratio


def wendell_schmee(found, audited, rows, side=SIDE):
    """J. P. Wendell and J. Schmee, JASA 91, 1996.

    As ours, but in the order of the estimate, and without a box.
    """
    with (
        mock.patch.object(_inversion, "Order", Estimate),
        mock.patch.object(_inversion, "BOX", 1e-6),
        mock.patch.object(_strata, "BOX", 1e-6),
    ):
        return stratified_upper_bound(found, audited, rows, side)


def certified(found, audited, rows, side=SIDE):
    """What certify_share states, of the two strata by the judge's label."""
    return stratified_upper_bound(found, audited, rows, side)
