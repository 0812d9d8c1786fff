"""Which share of the labels selects: a rule of numbers of clusters alone."""

from math import log

# By way to certify: the share where the median number of clusters is 1, what is added
# where it is e times as large, and limits. On average over eleven sweeps, bounds are .9
# and .6 points above those with the best share for each data set and number of labels;
# with the best constants, .5 and .3, they are 1.0 and .7 above. Numbers of rows and of
# labels gained nothing in such rules (benchmarks/bench_division.py).
_RULES = {"holdout": (0.25, 0.1, 0.3, 0.65), "learned": (0.2, 0.06, 0.25, 0.5)}


def selecting_share(certify: str, median_clusters: float) -> float:
    """Share of the labels that select, of two decimal places.

    Parameters
    ----------
    certify : {"holdout", "learned"}
    median_clusters : float
        Median of the candidates' numbers of clusters, at least 1.

    Returns
    -------
    share : float
        In (0, 1). More clusters need more labels.
    """
    least, slope, low, high = _RULES[certify]
    return round(min(max(least + slope * log(median_clusters), low), high), 2)
