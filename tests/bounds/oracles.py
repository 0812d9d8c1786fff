"""Independent routes to the tail and its inversion: fractions, and mpmath."""

from fractions import Fraction
from math import comb

import mpmath


def tail(m, n, a, b):
    """The definition of Bucket, summed over the number of blue balls, exactly."""
    drawn = a + b
    ways = sum(comb(n, t) * comb(m, drawn - t) for t in range(b, min(n, drawn) + 1))
    return Fraction(ways, comb(m + n, drawn))


def log_tail(m, n, a, b, digits=40):
    """mpmath: terms summed one by one, or by Euler-Maclaurin where they are many."""
    with mpmath.workdps(digits):

        def log_comb(x, y):
            return (
                mpmath.loggamma(x + 1)
                - mpmath.loggamma(y + 1)
                - mpmath.loggamma(x - y + 1)
            )

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
    spread = mpmath.sqrt(
        1
        / mpmath.mpf(1)
        / (
            1 / mpmath.mpf(a + 1)
            + 1 / mpmath.mpf(b + 1)
            + 1 / mpmath.mpf(m - a + 1)
            + 1 / mpmath.mpf(n - b + 1)
        )
    )
    slope = -mpmath.log(f(mpmath.mpf(1)))
    unit = min(spread, 1 / slope)
    integral = mpmath.quad(f, [k * unit for k in range(0, 60, 3)])
    h = unit / 1000
    first = (f(h) - f(-h)) / (2 * h)
    return integral + f(0) / 2 - first / 12
