"""Which share of the labels selects: a rule of numbers of clusters alone."""

from math import log

# By way to certify: the share where the median number of clusters is 1, what is added
# where it is e times as large, and limits. On digits, with many clusters, .6 is better
# than .5 under hold-out by .3 to 1.1 points and .4 better than .3 for learned weights by
# .2 to 1.3 (benchmarks/results/constants.csv). With few clusters the rule is no better
# than the constants .5 and .3: on five data sets, bounds were 1.4 and .8 points above
# those with the best share of each, and 1.1 and .9 with the constants
# (benchmarks/results/division.json). Numbers of rows and labels gained nothing in a rule.
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
