"""Audits of strata: bounds on all errors, errors tolerated, and how to spread labels."""

from collections.abc import Callable
from fractions import Fraction
from heapq import heapify, heapreplace
from math import inf, log, sqrt
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, logsumexp

from ..utils._checks import (
    as_array,
    check_integer,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
)
from ._arrays import Floats, as_counts, as_delta
from ._fisher import check_strata, fisher_upper_bound
from ._tail import EPS, MAX_COUNT

Method = Literal["auto", "fisher", "thinned", "pooled"]

# Fisher's method pays for each stratum, the thinned sample does not. Margins over the
# truth met at three strata with 100 labels, four to five with 300, six with 1000 and ten
# with 3000 (strata of 2000 to 20,000 rows, 1 to 20 % of them wrong).
_MOST_FISHER = 4
# A tail is below delta if it is by more than this share of it. SciPy's incomplete beta
# function was off by less than 3e-10, against 60 digits, at up to 1e10 rows and for tails
# down to 1e-307; nearer to the mean by less than 5e-11 at up to 1e12 rows.
_MARGIN = 1e-9
# Below the normal numbers doubles are far from the decimals that are printed for them.
_LEAST = np.finfo(float).tiny
# Rounds a fraction down, by more than the operations that follow could round it up.
_BELOW = 1 - 4 * EPS
# Rates of the thinned sample, as shares of the smallest fraction that was audited. The
# largest suits audits without errors, the smallest those that find a fifth of their rows
# wrong. Measured with 100 to 10**5 labels, 0 to 20 % of errors and delta .1 and .01:
# margins are 1.25 times those at the best rate, which nobody knows before. That is within
# .01 for 4 to 8 rates, for .9 and for a quarter of the rows; a single rate of .5 comes to
# 1.4 times with 100 labels and 10 times with 10**5.
_N_RATES = 6
_LARGEST_RATE = 0.95
_MOST_WRONG = 0.2
# What rounding may cost, for each nat that is added up. A ratio is off by two roundings,
# and so is 1 - ratio, which is at least .05, by 20 times as much: 7e-15 at most.
_ROUNDING = 1e-13

# A group without errors among ten labels may still have 20 % of them at delta = .1, and
# with fewer labels more.
_LEAST_LABELS = 10
# Below, a guess that is wrong would leave a group nearly without labels; above one half
# the standard deviation would fall again.
_GUESSES = 0.01, 0.5


class _Sample(NamedTuple):
    """Strata that were audited in part; arrays of shape (n_strata,)."""

    found: Floats
    audited: Floats
    rows: Floats

    @property
    def fractions(self) -> Floats:
        return self.audited / self.rows

    def largest(self, is_refuted: Callable[[int], bool]) -> int:
        """Largest total that is not refuted; those above one that is are, too."""
        low = int(self.found.sum())
        high = low + int((self.rows - self.audited).sum()) + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_refuted(middle) else (middle, high)
        return low


def _thinned(sample: _Sample, delta: float) -> int:
    """Largest total whose e-value, the mean over rates, is below ``1 / delta``."""
    fractions = sample.fractions
    # With many errors found the best rate is about sqrt(2 ln(1/delta) / errors found).
    most_found = _MOST_WRONG * sample.audited.sum()
    smallest = min(sqrt(-2 * log(delta) / most_found), _LARGEST_RATE / 2)
    shares = np.geomspace(smallest, _LARGEST_RATE, _N_RATES)
    ratios = shares[:, None] * (fractions.min() / fractions)
    # Summed pairwise, which a product of matrices is not.
    log_lost = np.sum(np.log1p(-ratios) * sample.found, axis=1) - log(_N_RATES)
    log_kept = np.log1p(-shares * fractions.min())

    def is_refuted(total: int) -> bool:
        nats = log_lost - total * log_kept
        rounding = _ROUNDING * (1 - log_lost.min() - total * log_kept.min())
        return bool(logsumexp(nats) >= -log(delta) + rounding)

    return sample.largest(is_refuted)


def _pooled(sample: _Sample, delta: float) -> int:
    """Largest total at which so few errors found are not too improbable."""
    found, audited = sample.found.sum(), sample.audited.sum()
    fraction = sample.fractions.min() * _BELOW

    def is_refuted(total: int) -> bool:
        expected = fraction * total
        # The inequality holds from one below the mean on.
        if found + 1 > expected * (1 - _MARGIN):
            return False
        n_draws = min(total, audited)
        tail = betainc(n_draws - found, found + 1, 1 - expected / n_draws)
        return bool(tail < delta * (1 - _MARGIN))

    return sample.largest(is_refuted)


_METHODS = {"thinned": _thinned, "pooled": _pooled}


def stratified_upper_bound(
    n_found: ArrayLike,
    n_audited: ArrayLike,
    n_rows: ArrayLike,
    delta: float,
    *,
    method: Method = "auto",
) -> int:
    r"""Bound from above how many rows of all strata are of a kind.

    The rows of each stratum, such as the sheets of a map, were sampled by themselves, at
    fractions that may differ. With probability at least ``1 - delta`` over the choice of
    the audited rows, at most so many of all rows are of the kind: errors, for example.

    Parameters
    ----------
    n_found : array-like of int of shape (n_strata,)
        Audited rows of the kind in each stratum; at most ``n_audited``.
    n_audited : array-like of int of shape (n_strata,)
        Rows of each stratum that were drawn uniformly without replacement.
    n_rows : array-like of int of shape (n_strata,)
        All rows of each stratum, audited or not; each at most 2**51.
    delta : float
        Probability, in (0, 1), with which the statement may fail.
    method : {"auto", "fisher", "thinned", "pooled"}, default="auto"
        Each is valid for any strata; fix it before the audit.

        - "fisher": :func:`fisher_upper_bound`, which adds up what speaks against a total
          in each stratum. Every stratum makes it weaker.
        - "thinned": an e-value for the total, which does not depend on where the errors
          are. The smallest fraction limits how much is learned from the others.
        - "pooled": one binomial tail, as if all strata had been audited at the smallest
          fraction. The best one where fractions are equal, up to whole rows of large
          strata; otherwise mostly the worst.
        - "auto": "fisher" with up to four strata that were audited in part,
          "thinned" with more.

    Returns
    -------
    n_most : int
        Number of rows, audited or not, from the sum of ``n_found`` to that of ``n_rows``;
        lower is better. Never below the exact value of the method.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, if lengths differ, or if
        delta or the method is not as described.

    See Also
    --------
    total_upper_bound : The same from one uniform sample, which is mostly better.
    neyman_allocation : How to spread labels over strata.
    tolerated_kept_errors : How many errors a data set may show that is to be finished.

    Notes
    -----
    Stratify only if you must. Estimates from strata vary less, but a bound has to allow
    for errors wherever they are: with the same number of labels, one uniform sample of
    all rows gave bounds as low or lower on four data sets, of 2 to 100 strata. With two
    groups whose error rates were known beforehand strata gained up to 5 %.

    Strata without an audited row count in full, those that were audited completely as
    what was found; neither takes part in the test.

    *Thinned.* Stratum s has :math:`E_s` errors, of which an audit of the fraction
    :math:`f_s` of its rows found :math:`X_s`. For a rate :math:`c \le \min_s f_s`, keep
    each error found with probability :math:`c/f_s`. None is kept with probability
    :math:`\prod_s (1 - c/f_s)^{X_s}`, whose mean is at most :math:`(1 - c)^E`, :math:`E =
    \sum_s E_s`: the mean of a convex function of a sample without replacement is at most
    that with replacement [1]_. So the ratio of the two is an e-value, and so is its mean
    over rates; it reaches 1/delta with probability at most delta. Here rates are
    :math:`t \min_s f_s` for six t in geometric progression, from :math:`\sqrt{10
    \ln(1/\delta) / \sum_s m_s}`, :math:`m_s` rows audited, but at most .475, to .95.

    *Pooled.* The number of errors found is a sum of independent indicators, at most as
    many as there are errors or audited rows, with a mean of at least :math:`E \min_s
    f_s`. While it is below that mean by more than one, its tail is at most the binomial
    one of the same mean [2]_.

    References
    ----------
    .. [1] W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables",
           Journal of the American Statistical Association 58, 1963, Theorem 4.
    .. [2] W. Hoeffding, "On the Distribution of the Number of Successes in Independent
           Trials", Annals of Mathematical Statistics 27, 1956, Theorem 4.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import stratified_upper_bound
    >>> stratified_upper_bound([3, 8], [220, 80], [1318, 279], 0.1)
    75

    A thousand strata of 30 rows each, of which three were audited:

    >>> sample = [1] * 100 + [0] * 900, [3] * 1000, [30] * 1000
    >>> stratified_upper_bound(*sample, 0.1)
    1269
    >>> stratified_upper_bound(*sample, 0.1, method="pooled")
    1133
    """
    check_open_unit("delta", delta)
    check_option("method", method, ["auto", "fisher", *_METHODS])
    sample = _Sample(*check_strata(n_found, n_audited, n_rows))
    tested = (sample.audited > 0) & (sample.audited < sample.rows)
    few = np.sum(tested) <= _MOST_FISHER
    if method == "fisher" or (method == "auto" and few) or delta < _LEAST:
        return fisher_upper_bound(*sample, delta)
    count = _METHODS["thinned" if method == "auto" else method]
    known = np.where(sample.audited == 0, sample.rows, sample.found)
    open_ = _Sample(*(counts[tested] for counts in sample))
    return int(known[~tested].sum()) + (count(open_, delta) if tested.any() else 0)


@overload
def tolerated_kept_errors(
    kept_fraction: float | Fraction, n_tolerated: int, delta: float = 0.1
) -> int: ...
@overload
def tolerated_kept_errors(
    kept_fraction: float | Fraction, n_tolerated: ArrayLike, delta: ArrayLike = 0.1
) -> Any: ...
def tolerated_kept_errors(kept_fraction, n_tolerated, delta=0.1):
    """Compute how many kept errors rows that are labeled automatically may contain.

    For audits in which rows had different probabilities of being drawn. Audited rows are
    thinned before their labels are seen: a row whose probability was f is kept with the
    probability ``kept_fraction / f``, so that all rows are kept with the same one. Rows
    are put in an order, the surest first, and accepted up to, and without, the kept
    error whose number is one more than this count; people label the other rows. With
    probability at least ``1 - delta`` at most ``n_tolerated`` of the accepted rows that
    were not kept are labeled wrongly. Array arguments broadcast.

    Parameters
    ----------
    kept_fraction : float or Fraction
        Probability, in (0, 1), with which each row is audited and kept: at most the
        smallest probability with which any row is audited. Means the decimal that is
        printed for it.
    n_tolerated : int or array-like of int
        Errors that are tolerated among the accepted rows that were not kept, and so among
        those that were not audited; at most 2**51.
    delta : float or array-like of float, default=0.1
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_kept_errors : int or ndarray of int64
        At least -1; higher is better. -1: so small an audit lets no row be accepted.
        Never above the exact value.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or a probability outside
        (0, 1).

    See Also
    --------
    tolerated_audit_errors : The same for one uniform sample.
    stratified_upper_bound : How many rows are wrong in all.

    Notes
    -----
    Valid if the rows of each stratum were drawn uniformly without replacement, strata
    independently of each other, or if each row was drawn independently of the others. The
    smallest probability decides: more labels elsewhere do not help. Strata without an
    audited row are to be left to people.

    More than T = ``n_tolerated`` errors are accepted only if at most a of the first
    T + 1 + a in the order were kept. Their number is a sum of independent indicators with
    mean ``kept_fraction * (T + 1 + a)``. While a is below this mean by at least one, the
    probability is at most the binomial one [1]_; this is the largest such a at which that
    is below delta.

    The order must be fixed before the audit, ties included, and the choice of the rows
    that are kept must not depend on labels.

    References
    ----------
    .. [1] W. Hoeffding, "On the Distribution of the Number of Successes in Independent
           Trials", Annals of Mathematical Statistics 27, 1956, Theorem 4.

    Examples
    --------
    Each row is kept with probability .1; at most 60 rows may be wrong in the end:

    >>> from sklearn_pacmdl.bounds import tolerated_kept_errors
    >>> tolerated_kept_errors(0.1, 60)
    2
    >>> tolerated_kept_errors(0.1, [20, 60, 200], 0.05)
    array([-1,  2, 14])
    """
    check_open_unit("kept_fraction", kept_fraction)
    (tolerated,) = as_counts(n_tolerated=n_tolerated)
    tolerated, delta = np.broadcast_arrays(tolerated, as_delta(delta))
    kept = exact_decimal(kept_fraction)
    # The first count that is not below the mean by one, in integers.
    first = tolerated.astype(np.int64).astype(object) * kept.numerator
    first = np.minimum(first // (kept.denominator - kept.numerator), MAX_COUNT)
    low, high = np.full(tolerated.shape, -1.0), np.asarray(first, dtype=float)
    while np.any(high - low > 1):
        middle = np.ceil((low + high) / 2)
        tail = betainc(tolerated + 1, middle + 1, float(1 - kept))
        within = (middle < high) & (tail < delta * (1 - _MARGIN)) & (delta >= _LEAST)
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    whole = low.astype(np.int64)
    return whole if whole.shape else int(whole)


def neyman_allocation(
    n_rows: ArrayLike, expected_error: ArrayLike, n_labels: int
) -> NDArray[np.int64]:
    r"""Compute how many rows of each group to label, by Neyman's rule.

    Labels go where they are worth most for an estimate of all errors: in proportion to
    the size of the group and to the standard deviation of an error in it, which is
    :math:`\sqrt{p(1-p)}` at the error rate p. Every group gets at least 10 labels, or as
    many as it has rows.

    Parameters
    ----------
    n_rows : array-like of int of shape (n_groups,)
        Rows of each group.
    expected_error : float or array-like of float of shape (n_groups,)
        Guessed share of the rows of each group that are wrong, in [0, 1]. Guesses below
        .01 count as .01, those above .5 as .5.
    n_labels : int
        Labels for all groups together: at least those that every group gets, at most one
        for each row.

    Returns
    -------
    n_labeled : ndarray of int64 of shape (n_groups,)
        Rows of each group to label; together ``n_labels``.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    See Also
    --------
    stratified_upper_bound : What such an audit certifies.

    Notes
    -----
    No other whole numbers with these limits give an estimate with a smaller variance:
    each label goes to the group in which it lowers the variance most [2]_.

    A uniform audit of all rows mostly certifies as much with the same labels, or more:
    see :func:`stratified_upper_bound`. If you stratify, two groups are best. The guesses
    may come from anything that is known before the audit.

    References
    ----------
    .. [1] J. Neyman, "On the Two Different Aspects of the Representative Method", Journal
           of the Royal Statistical Society 97, 1934.
    .. [2] T. Wright, "The Equivalence of Neyman Optimum Allocation for Sampling and Equal
           Proportions for Apportioning the U.S. House of Representatives", The American
           Statistician 66, 2012.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import neyman_allocation
    >>> neyman_allocation([1318, 279], [0.07, 0.259], 300)
    array([220,  80])
    """
    (rows,) = as_counts(n_rows=n_rows)
    if rows.ndim != 1 or not rows.size:
        raise invalid("n_rows", "counts of at least one group, in a sequence", n_rows)
    guesses = np.clip(_check_guesses(expected_error, rows.size), *_GUESSES)
    weights = (rows * np.sqrt(guesses * (1 - guesses))).tolist()
    labels = np.minimum(rows, _LEAST_LABELS).tolist()
    check_integer("n_labels", n_labels, int(sum(labels)), int(rows.sum()))
    # One label more than k lowers the variance by weight**2 / (k * (k + 1)).
    queue = [
        (-weight / sqrt(k * (k + 1)), group)
        for group, (weight, k) in enumerate(zip(weights, labels, strict=True))
        if k < rows[group]
    ]
    heapify(queue)
    for _ in range(n_labels - int(sum(labels))):
        group = queue[0][1]
        labels[group] += 1
        k = labels[group]
        gain = weights[group] / sqrt(k * (k + 1)) if k < rows[group] else -inf
        heapreplace(queue, (-gain, group))
    return np.array(labels, dtype=np.int64)


def _check_guesses(expected_error: ArrayLike, n_groups: int) -> Floats:
    array = as_array("expected_error", expected_error)
    right = array.dtype.kind in "iuf" and array.shape in [(), (n_groups,)]
    if not right or not np.all((array >= 0) & (array <= 1)):
        allowed = f"one number in [0, 1], or {n_groups} of them"
        raise invalid("expected_error", allowed, expected_error)
    return np.broadcast_to(array, n_groups).astype(float)
