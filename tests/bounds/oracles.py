"""Independent routes to the tail and its inversion: fractions, and mpmath."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod
from operator import getitem

import mpmath
import numpy as np


def tail(m, n, a, b):
    """The definition of Bucket, summed over the number of blue balls, exactly."""
    drawn = a + b
    ways = sum(comb(n, t) * comb(m, drawn - t) for t in range(b, min(n, drawn) + 1))
    return Fraction(ways, comb(m + n, drawn))


def log_tail(m, n, a, b, digits=40):
    """mpmath: terms summed one by one, or by Euler-Maclaurin where they are many."""
    with mpmath.workdps(digits):

        def log_comb(x, y):
            log_ways = mpmath.loggamma(x + 1) - mpmath.loggamma(y + 1)
            return log_ways - mpmath.loggamma(x - y + 1)

        def log_term(j):
            return log_comb(m, a - j) + log_comb(n, b + j) - log_comb(m + n, a + b)

        head = log_term(mpmath.mpf(0))
        total = term = mpmath.mpf(1)
        for j in range(min(a, n - b, 20_000)):
            term *= mpmath.mpf((a - j) * (n - b - j)) / ((m - a + 1 + j) * (b + 1 + j))
            total += term
            if term < total * mpmath.mpf(10) ** -(digits - 10):
                break
        else:
            if min(a, n - b) > 20_000:
                if a * n > b * m:  # terms grow at first: what the tail lacks is summed
                    lacking = log_tail(n, m, b - 1, a + 1, digits) if b else -mpmath.inf
                    return mpmath.log1p(-mpmath.exp(lacking))
                total = _euler_maclaurin(
                    lambda x: mpmath.exp(log_term(x) - head), m, n, a, b
                )
        return head + mpmath.log(total)


def _euler_maclaurin(f, m, n, a, b):
    cells = a + 1, b + 1, m - a + 1, n - b + 1
    spread = mpmath.sqrt(1 / sum(1 / mpmath.mpf(cell) for cell in cells))
    slope = -mpmath.log(f(mpmath.mpf(1)))
    unit = min(spread, 1 / slope)
    integral = mpmath.quad(f, [k * unit for k in range(0, 60, 3)])
    h = unit / 1000
    first = (f(h) - f(-h)) / (2 * h)
    return integral + f(0) / 2 - first / 12


def chances(m, n, errors):
    """Probability of each number of errors among m of n rows."""
    ways = (comb(errors, x) * comb(n - errors, m - x) for x in range(m + 1))
    return [Fraction(each, comb(n, m)) for each in ways]


@cache
def samples(cells, size):
    """All numbers of rows of each cell in a sample, and in how many ways there are."""
    return {
        drawn: prod(map(comb, cells, drawn))
        for drawn in product(*(range(min(n, size) + 1) for n in cells))
        if sum(drawn) == size
    }


def chance_of(is_false, cells, size):
    """Probability of the samples whose numbers of rows of each cell are false."""
    ways = sum(n for drawn, n in samples(tuple(cells), size).items() if is_false(*drawn))
    return Fraction(ways, comb(sum(cells), size))


def left(wrong, audited, tolerated):
    """Wrong rows that are accepted and were not audited; row 0 is the surest."""
    seen = unseen = 0
    for row in wrong:
        if row not in audited:
            unseen += 1
        elif (seen := seen + 1) > tolerated:
            break
    return unseen if tolerated >= 0 else 0


def worst_failure(audited, rows, bounds, truth, low=-np.inf):
    """Largest probability, over all truths, that a number is above (or below) its bounds.

    ``bounds`` has an axis for the errors found in each stratum, and ``truth`` is a
    function of the errors in each.
    """
    laws = [
        np.array([chances(m, n, e) for e in range(n + 1)], dtype=float)
        for m, n in zip(audited, rows, strict=True)
    ]
    worst = 0.0
    for errors in product(*(range(n + 1) for n in rows)):
        true = truth(*errors)
        chance = ((bounds < true) | (low > true)).astype(float)
        for law, e in zip(reversed(laws), reversed(errors), strict=True):
            chance = chance @ law[e]
        worst = max(worst, chance)
    return worst


@cache
def _limits(audited, rows, level, ratio):
    """The limit of each sample, in 30 digits, by which samples are ordered."""
    alpha, gamma, size = ratio
    with mpmath.workdps(30):
        z = max(
            0,
            mpmath.mpf("1.2")
            * mpmath.sqrt(2)
            * mpmath.erfinv(1 - 2 * mpmath.mpf(level.numerator) / level.denominator),
        )
        c = max(z * z / 4, mpmath.mpf(1) / 2)

        def excess(r, x):
            mean = variance = mpmath.mpf(0)
            for a, g, k, m, n in zip(alpha, gamma, x, audited, rows, strict=True):
                w, q = (a - r * g) * n, (k + c) / (m + 2 * c)
                mean += w * (k + mpmath.mpf(1) / 2) / (m + 1)
                variance += w * w * (1 - mpmath.mpf(m) / n) * q * (1 - q) / (m + 2 * c)
            return mean + z * mpmath.sqrt(variance) - r * size

        def limit(x):
            if excess(mpmath.mpf(1), x) > 0:
                return mpmath.mpf(1)
            low, high = mpmath.mpf(0), mpmath.mpf(1)
            for _ in range(70):
                middle = (low + high) / 2
                low, high = (middle, high) if excess(middle, x) > 0 else (low, middle)
            return high

        return {x: limit(x) for x in product(*(range(m + 1) for m in audited))}


def most_unrefuted(found, audited, rows, delta, ratio):
    """The inversion by its definition: alpha . E / (size + gamma . E), at most.

    Limits are compared in 30 digits, and probabilities in fractions.
    """
    delta, n_strata = Fraction(repr(delta)), len(rows)
    level, side = delta * Fraction(49, 50), delta / 50 / (2 * n_strata)
    limits = _limits(tuple(audited), tuple(rows), level, ratio)
    with mpmath.workdps(30):
        of_found = limits[tuple(found)] + mpmath.mpf(10) ** -15
        event = [x for x, limit in limits.items() if limit <= of_found]
    laws = [
        [chances(m, n, e) for e in range(n + 1)]
        for m, n in zip(audited, rows, strict=True)
    ]
    possible = [
        [e for e, p in enumerate(of) if min(sum(p[: x + 1]), sum(p[x:])) >= side]
        for of, x in zip(laws, found, strict=True)
    ]
    best = [ratio_of(ratio, found)]
    for errors in product(*possible):
        own = [of[e] for of, e in zip(laws, errors, strict=True)]
        chance = sum(prod(map(getitem, own, x)) for x in event)
        if chance >= level:
            best.append(ratio_of(ratio, errors))
    return max(best)


def ratio_of(ratio, errors):
    alpha, gamma, size = ratio
    above = sum(a * e for a, e in zip(alpha, errors, strict=True))
    below = size + sum(g * e for g, e in zip(gamma, errors, strict=True))
    return Fraction(above, below) if below else Fraction(1)
