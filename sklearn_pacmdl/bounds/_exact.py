"""Comparison of a hypergeometric tail with a rational number, as a proof.

Two routes: plain integers where they are quick; beyond, an enclosure that accounts for
every rounding. What it cannot decide counts against the bound.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import numpy as np

# Up to this m + n integers take a millisecond, as the enclosure does, and ten where the
# tail is nearly the level; with ten times as many, 0.4 s.
QUICK = 20_000

# Logarithms of factorials are below 2**53 * 37 < 1e18: 60 digits leave errors of 1e-41
# in each of a dozen operations, and the series below is off by less than 3e-47.
_DIGITS = 60
_LOG_ERROR = Decimal("1e-30")
_UNIT = 2.0**-53  # the largest relative error of one rounding
_BLOCK = 4096  # terms that are summed at once: they and their ratios stay in cache

# ln x! = x ln x - x + ln(2 pi x)/2 + sum c_k / x**(2k-1); for x >= 1000 the first
# omitted term, which bounds the error (it has its sign), is below 3e-47.
_STIRLING = [
    Fraction(1, 12),
    Fraction(-1, 360),
    Fraction(1, 1260),
    Fraction(-1, 1680),
    Fraction(1, 1188),
    Fraction(-691, 360360),
    Fraction(1, 156),
]
# Accurate beyond the precision of the arithmetic, except for the error of _LOG_ERROR.
_LN_2PI = Decimal("1.8378770664093454835606594728112352797227949472755668256343")
_LN_2 = Decimal("0.6931471805599453094172321214581765680755001343602552541206800")


def _log_int(x):
    """Natural log of a positive integer of any size."""
    shift = max(0, x.bit_length() - 256)
    return Decimal(x >> shift).ln() + shift * _LN_2


@lru_cache(maxsize=4096)
def _log_factorial(x):
    if x < 1000:
        return _log_int(factorial(x))
    y = Decimal(x)
    series = sum(
        Decimal(c.numerator) / c.denominator / y ** (2 * k + 1)
        for k, c in enumerate(_STIRLING)
    )
    return y * y.ln() - y + (_LN_2PI + y.ln()) / 2 + series


def _log_comb(n, k):
    return _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)


def _ratio_sum(m, n, a, b):
    """Lower and upper bound of the tail in units of its leading term."""
    # Term j is a product of j ratios. Each ratio has three roundings, its product with
    # the others one, and that with the last term before another one: five units.
    total, drift, last, start = 1.0, 0.0, 1.0, 0
    while start < min(a, n - b):
        j = np.arange(start, min(start + _BLOCK, a, n - b), dtype=float)
        ratios = (a - j) * (n - b - j) / ((m - a + 1 + j) * (b + 1 + j))
        terms = last * np.cumprod(ratios)
        total += float(terms.sum())
        drift += float(terms @ (j + 1))
        last, start = float(terms[-1]), start + j.size
        ratio = float(ratios[-1])
        # What is left out is below a geometric series, since ratios decrease. It is
        # added, and small enough that its own errors and its excess are below a unit.
        if ratio < 1 and last * start / (1 - ratio) ** 2 < _UNIT * total:
            total += last / (1 - ratio)
            break
    # Five units a ratio, one an addition (pairwise, in blocks); doubled for safety.
    error = 2 * _UNIT * (5 * drift / total + start / _BLOCK + 16)
    return total * (1 - error), total * (1 + error)


def _enclosed(m, n, a, b, level):
    """Whether the tail is above the level; None if the enclosure contains it."""
    if a * n > b * m:  # above the mean the terms grow: the other side is the tail
        other = _enclosed(n, m, b - 1, a + 1, 1 - level)
        return None if other is None else not other
    with localcontext(prec=_DIGITS):
        gap = _log_comb(m, a) + _log_comb(n, b) - _log_comb(m + n, a + b)
        gap += _log_int(level.denominator) - _log_int(level.numerator)
        low, high = _ratio_sum(m, n, a, b)
        if gap + Decimal(low).ln() > _LOG_ERROR:
            return True
        if gap + Decimal(high).ln() < -_LOG_ERROR:
            return False
    return None


def _counted(m, n, a, b, level):
    """The comparison in plain integers, term by term, ending as soon as it is known."""
    term = comb(m, a) * comb(n, b) * level.denominator
    rest = comb(m + n, a + b) * level.numerator - term
    for j in range(min(a, n - b)):
        if rest <= 0:
            break
        term = term * ((a - j) * (n - b - j)) // ((m - a + 1 + j) * (b + 1 + j))
        rest -= term
    return rest <= 0


def tail_reaches(m: int, n: int, a: int, b: int, level: Fraction) -> bool | None:
    """Whether at least b blue balls have a probability of at least a positive level.

    Of m red and n blue balls a + b are drawn; None where the enclosure cannot tell.
    """
    if b == 0 or a == m:
        return level <= 1
    return (_counted if m + n <= QUICK else _enclosed)(m, n, a, b, level)


def exact_bmax(m, n, a, level, guess):
    """Largest b whose tail reaches the level, or may do so, searched around a guess."""

    def reaches(b):
        return tail_reaches(m, n, a, b, level) is not False

    low, high, step = guess, min(guess + 1, n + 1), 1
    while not reaches(low):  # at b = 0 the tail is 1
        low, high, step = max(low - step, 0), low, 2 * step
    step = 1
    while high <= n and reaches(high):
        low, high, step = high, min(high + step, n + 1), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low
