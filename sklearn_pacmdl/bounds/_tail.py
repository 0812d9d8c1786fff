"""Log tail of the hypergeometric law and its inversion, on float64 arrays.

Everything here takes flat float64 arrays of integers of one shape. Of ``m`` red and
``n`` blue balls, ``a + b`` are drawn without replacement. The tail is the probability
that at most ``a`` of them are red, in other words at least ``b`` blue.

Why the inverse is never too small although floats round:

- The first term of the tail is taken as remainders of Stirling's formula and a deviance.
  Both are free of cancellation. Remainders are small and known to a unit in the last
  place, and the four terms of the deviance share one difference, computed with twice the
  digits. So the log of the term is off by a few units in the last place of its own size,
  and not of ln N!, a far larger number.
- The other terms relative to the first are all positive, so that their sum is off by no
  more than the ratios are: a few units for each factor.
- ``tolerance`` is an upper limit of what both errors come to. It is not proven but
  measured: three times the largest error that was found against 60 digits.
- For ``invert``, a tail within the tolerance of the level reaches it, and b is returned
  only once every larger count is shown not to reach it. b can be too small only if an
  error exceeds the limit by a factor of three; certificates compare again without floats.
"""

from decimal import Decimal, localcontext
from functools import lru_cache
from math import factorial

import numpy as np
from scipy.special import erfcx, xlog1py

EPS = np.finfo(float).eps
_TINY = np.finfo(float).tiny
# Counts must stay exact in float64 after one addition.
MAX_COUNT = 2**51

# Nats below the leading term from where on a tail is left out: exp(-40) is 4e-18, below a
# unit in the last place of a sum of at least 1.
_NEGLIGIBLE = 40.0
# All of these decide about speed alone; measured on counts up to 10**3.5 and 10**9:
_BLOCK = 16  # terms of a tail summed at once: 8 to 32 are as fast, 4 and 64 slower
_LONGEST_SUM = 512  # longer tails are integrated: 256 to 1024 are as fast
_CHUNK = 4096  # rows worked on at once: 1024 take twice as long, 65536 as long
# Answers for few rows are kept, some megabytes: simulations ask for the same thousands of
# times, and a look-up takes a hundredth of the time.
_FEW, _MOST_ANSWERS = 64, 2**14


with localcontext(prec=40):  # ``ln x! - x ln x + x`` for x = 0..15, correctly rounded
    _REMAINDERS = np.array(
        [0.0]
        + [
            float(Decimal(factorial(x)).ln() - x * Decimal(x).ln() + x)
            for x in range(1, 16)
        ]
    )
# 16 nodes leave errors of 8e-10 over 40 nats, 20 none but those of rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(28)


def _factorial_remainder(x):
    """``ln x! - x ln x + x``: what is left once the deviance has been taken out."""
    # Five terms of Stirling's series: from x = 16 on the sixth is below 2e-16.
    y = np.maximum(x, 16.0)
    z = 1.0 / (y * y)
    series = 1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))
    large = 0.5 * np.log(2 * np.pi * y) + series / y
    return np.where(x < 16, _REMAINDERS[np.minimum(x, 15.0).astype(np.intp)], large)


def _two_product(x, y):
    """x * y as an unevaluated sum of two floats (Dekker's product)."""
    p = x * y
    # 2**27 + 1 splits a float into halves of 26 digits, whose products are exact.
    xh = x * 134217729.0
    xh -= xh - x
    yh = y * 134217729.0
    yh -= yh - y
    xl, yl = x - xh, y - yh
    return p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl


def _excess(m, n, a, b):
    """``a - m (a + b) / N``; the products need twice the digits of a float."""
    (p, q), (e, f) = _two_product(np.array([a, b]), np.array([n, m]))
    return ((p - q) + (e - f)) / (m + n)


def _deviance_term(x, d, mean):
    """``x ln(x / mean) + mean - x`` where ``d = x - mean`` is known precisely."""
    # Near the mean by the series of the inverse hyperbolic tangent in w: up to w = 0.1
    # the first omitted term is below 1e-18 of the first. Further away nothing cancels.
    w = d / np.maximum(x + mean, _TINY)  # 0 where all three are
    z = w * w
    tail = 1 / 13 + z * (1 / 15 + z * (1 / 17 + z / 19))
    tail = 1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * tail))))
    term = d * w + 2 * x * w * z * tail
    far = np.abs(w) > 0.1
    if far.any():
        x, d, mean = x[far], d[far], mean[far]
        term[far] = xlog1py(x, np.maximum(d / mean, -1.0)) - d
    return term


def _deviance(m, n, a, b, d):
    """How far ``a, b`` is from the expected draw, in nats: the four terms share d."""
    p, q = (a + b) / (m + n), (m - a + n - b) / (m + n)
    # All at once: few counts take as long as it takes to call NumPy.
    counts = np.array([a, m - a, b, n - b])
    means = np.array([m * p, m * q, n * p, n * q])
    of_a, of_rest, of_b, of_others = _deviance_term(
        counts, np.array([d, -d, -d, d]), means
    )
    return of_a + of_rest + of_b + of_others


def _log_pmf(m, n, a, b):
    """Log probability of exactly ``a`` red and ``b`` blue balls (Loader's form)."""
    counts = m, n, a + b, m - a + n - b, m + n, a, m - a, b, n - b
    of_m, of_n, of_drawn, of_others, of_all, *of_cells = _factorial_remainder(
        np.array(counts)
    )
    log_pmf = of_m + of_n + (of_drawn + of_others - of_all)
    for of_cell in of_cells:
        log_pmf -= of_cell
    return log_pmf - _deviance(m, n, a, b, _excess(m, n, a, b))


def _slope_and_spread(m, n, a, b):
    """First and second derivative of the log terms at the head of the tail, negated."""
    head = (a + 0.5) * (n - b + 0.5) / ((m - a + 0.5) * (b + 0.5))
    curvature = 1 / (a + 0.5) + 1 / (b + 0.5) + 1 / (m - a + 0.5) + 1 / (n - b + 0.5)
    return -np.log(head), curvature


def _length(slope, curvature):
    """Terms after which the tail is negligible: slope x + curvature x^2/2 = 40."""
    slope = np.maximum(slope, 0.0)
    root = np.sqrt(slope * slope + 2 * _NEGLIGIBLE * curvature)
    return 2 * _NEGLIGIBLE / (slope + root)


def _summed(m, n, a, b):
    """The tail over its leading term, by summing ratios of neighboring terms."""
    total = np.ones_like(a)
    left = np.flatnonzero((a > 0) & (n > b))
    m, n, a, b = m[left], n[left], a[left], b[left]
    # One row per term: term j is term j - 1 times (a-j)(n-b-j) / ((m-a+1+j)(b+1+j)).
    factors = np.stack([a, n - b, m - a + 1, b + 1])
    last = np.ones_like(a)
    j = np.arange(_BLOCK, dtype=float)[:, None]
    while left.size:
        red, blue, red_left, blue_left = factors
        # Where the tail ends, a factor is 0, and so are all terms after it.
        terms = (red - j) * (blue - j)
        terms /= (red_left + j) * (blue_left + j)
        terms[0] *= last
        np.multiply.accumulate(terms, axis=0, out=terms)
        total[left] += terms.sum(axis=0)
        # Summed tails fall by 40 nats within 512 terms, and ever faster: by more than
        # 40/512 nats a term at their end. So the remaining terms sum to less than 13
        # times the last one, 13/32 of a unit in the last place.
        keep = terms[-1] > EPS / 32 * total[left]
        left, last, factors = left[keep], terms[-1, keep], factors[:, keep]
        j = j + _BLOCK
    return total


def _integrated(m, n, a, b, slope, curvature):
    """The tail over its leading term, by Euler-Maclaurin, where terms change slowly."""
    half = (_length(slope, curvature) / 2)[:, None]
    x = half * (_NODES + 1)
    m, n, a, b = (v[:, None] for v in (m, n, a, b))
    d = _excess(m, n, a, b)
    s = _factorial_remainder

    def log_term(x):
        counts = a - x, m - a + x, b + x, n - b - x
        p, q = (a + b) / (m + n), (m - a + n - b) / (m + n)
        means = (np.broadcast_to(v, x.shape) for v in (m * p, m * q, n * p, n * q))
        signs = 1, -1, -1, 1
        return -sum(
            s(count) + _deviance_term(count, sign * (d - x), mean)
            for count, sign, mean in zip(counts, signs, means, strict=True)
        )

    integral = (np.exp(log_term(x) - log_term(0 * half)) * half) @ _WEIGHTS
    # Odd derivatives of the terms at 0, relative to the first: Hermite polynomials
    # of the slope; the third derivative of the log terms where it still counts.
    third = (1 / b**2 + 1 / (m - a) ** 2 - 1 / a**2 - 1 / (n - b) ** 2)[:, 0]
    f1, c = -slope - third / 24, curvature
    f3 = f1 * (f1**2 - 3 * c) + third
    f5 = f1 * (f1**4 - 10 * f1**2 * c + 15 * c**2)
    f7 = f1 * (f1**6 - 21 * f1**4 * c + 105 * f1**2 * c**2 - 105 * c**3)
    return integral + 0.5 - f1 / 12 + f3 / 720 - f5 / 30240 + f7 / 1209600


def _lower_log_tail(m, n, a, b):
    """The log tail, and that of its leading term, where this is the largest term."""
    log_pmf = _log_pmf(m, n, a, b)
    slope, curvature = _slope_and_spread(m, n, a, b)
    long = _length(slope, curvature) > _LONGEST_SUM
    ratio = np.empty_like(a)
    ratio[~long] = _summed(m[~long], n[~long], a[~long], b[~long])
    if long.any():
        ratio[long] = _integrated(*(v[long] for v in (m, n, a, b, slope, curvature)))
    return log_pmf + np.log(ratio), log_pmf


def log_tail(m, n, a, b):
    """Log probability of at most ``a`` red balls, and of exactly ``a``.

    Summed on the side of the mean on which the terms decay.
    """
    tail, log_pmf = np.zeros_like(a), np.full_like(a, -np.inf)
    lower = a * n <= b * m
    inside = (b > 0) & (a < m)
    i = np.flatnonzero(inside & lower)
    tail[i], log_pmf[i] = _lower_log_tail(m[i], n[i], a[i], b[i])
    # Few red balls can make a tail on the lower side large; then the terms decay on the
    # other side too, since the median is within one of the mean. What the tail lacks is
    # summed instead: it is known to units of its own size, as `tolerance` has it, and the
    # tail only to units of 1. On the upper side, the tail is 0 so far.
    i = np.flatnonzero(inside & (tail > -0.5))
    if i.size:
        upper, _ = _lower_log_tail(n[i], m[i], b[i] - 1, a[i] + 1)
        tail[i] = np.log1p(-np.exp(np.minimum(upper, 0.0)))
        log_pmf[i] = _log_pmf(m[i], n[i], a[i], b[i])
    return np.minimum(tail, 0.0), log_pmf


def tolerance(n_rows, log_tail, log_level):
    """Bound on the error of ``log_tail - log_level``, in nats."""
    # Three times the largest error seen against 60 digits, over counts up to 1e12. The
    # deviance is off by units of its own size, that of the logs. Ratios of terms are off
    # by more with more rows, since tails are longer. A tail near 1 is as precise as its
    # complement, about minus its logarithm: hence the factor below 1 for small logs.
    size = np.abs(log_tail + log_level)
    relative = 256 + 128 * np.log1p(n_rows) + 16 * size
    return EPS * (1 + relative * np.minimum(1.0, 4 * size))


@np.errstate(all="ignore")  # whatever overflows becomes n, from where bounds go down
def _start(m, n, a, log_level):
    """Real b near the answer: the root of the deviance, then one step on the tail."""
    level = -log_level
    # Strictly between the mean and n, where the logarithm of the step is not 0 or inf.
    least = a * n / np.maximum(m, 1) + 1e-9 * n
    most = n * (1 - 1e-12)
    pooled = np.minimum((a + level / 2 + 1) / (m + level), 1.0)
    b = least + np.sqrt(2 * level * n * (m + n) / m * pooled * (1 - pooled)) + level
    # Three Newton steps on the deviance, with the log at the end of the loop as slope,
    # and one on the tail, with Gaussian terms. A poor start costs time alone: whatever it
    # is, the answer of _invert_chunk is the same.
    for last in (False, False, False, True):
        b = np.minimum(np.maximum(b, least), most)
        p, q = (a + b) / (m + n), (m - a + n - b) / (m + n)
        gap = level - _deviance(m, n, a, b, _excess(m, n, a, b))
        if last:
            slope, curvature = _slope_and_spread(m, n, a, b)
            width = np.sqrt(curvature)
            mills = np.sqrt(np.pi / 2) * erfcx(slope / (np.sqrt(2) * width)) / width
            spread = np.sqrt(2 * np.pi * (a + b) * m / (m + n) * q * n / (m + n))
            gap += np.log((mills + 0.5) / (spread + 1))
        b += gap / np.log(b * q / ((n - b) * p))
    return np.clip(np.nan_to_num(b, nan=n), 0, n)


def _invert_chunk(m, n, a, log_level):
    """Newton's method from above, a search with a proof by log-concavity."""
    answer = n.copy()  # all rows wrong: where nothing was seen, or no level is too low
    open_ = np.flatnonzero((a < m) & (n > 0) & np.isfinite(log_level))
    m, n, a, log_level = m[open_], n[open_], a[open_], log_level[open_]
    b = np.floor(_start(m, n, a, log_level))
    # `top` starts at n and only falls, to what is shown: that no larger count reaches the
    # level. The tangent at b lies above the log tail everywhere, so no count beyond its
    # root reaches the level. With the tolerance added to the gap, this holds despite
    # rounding. A count is the answer if it reaches the level, within the tolerance, and
    # `top` has come down to it; otherwise `top` is tried next.
    top = n.copy()
    while open_.size:
        tail, log_pmf = log_tail(m, n, a, b)
        gap = tail - log_level
        slack = tolerance(m + n, tail, log_level)
        # Left difference of the log tail: the step from b - 1 to b loses P(T = b - 1).
        lost = b / (n - b + 1) * ((m - a) / np.maximum(a + b, 1))
        with np.errstate(divide="ignore", over="ignore"):
            slope = np.log1p(np.exp(log_pmf - tail) * lost)
            bound = np.floor(b + (gap + slack) / slope)
        accepted = gap >= -slack
        bound = np.where(b == 0, top, bound)  # there is no step to the left of 0
        top = np.minimum(top, np.where(accepted, np.maximum(bound, b), b - 1))
        top = np.where(accepted, top, np.minimum(top, np.maximum(bound, 0)))
        done = accepted & (top <= b)
        answer[open_[done]] = b[done]
        keep = ~done
        open_, m, n, a = open_[keep], m[keep], n[keep], a[keep]
        log_level, b, top = log_level[keep], top[keep], top[keep]
    return answer


def invert(m, n, a, log_level):
    """Largest b whose log tail is at least ``log_level`` (< 0), never below the truth."""
    if 0 < m.size <= _FEW:
        rows = zip(*(v.tolist() for v in (m, n, a, log_level)), strict=True)
        return _inverted(tuple(rows)).copy()
    chunks = [slice(i, i + _CHUNK) for i in range(0, m.size, _CHUNK)]
    answers = [_invert_chunk(*(v[rows] for v in (m, n, a, log_level))) for rows in chunks]
    return np.concatenate([np.empty(0), *answers])


@lru_cache(maxsize=_MOST_ANSWERS)
def _inverted(rows):
    return _invert_chunk(*np.array(rows).T)
