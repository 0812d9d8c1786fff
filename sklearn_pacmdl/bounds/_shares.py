"""Shares that are fixed before labels are seen: of labels that select, and of delta."""

from fractions import Fraction
from math import log

# By way to certify: the share where the median number of clusters is 1, what is added
# where it is e times as large, and limits. On digits, with many clusters, 0.6 is better
# than 0.5 under hold-out by 0.3 to 1.1 points and 0.4 better than 0.3 for learned
# weights by 0.2 to 1.3 (benchmarks/results/constants.csv). With few clusters the rule
# is no better than the constants 0.5 and 0.3: on five data sets, bounds were 1.4 and
# 0.8 points above those with the best share of each, and 1.1 and 0.9 with the constants
# (benchmarks/results/division.json). Numbers of rows and labels gained nothing in a
# rule.
SHARES_BY_RULE = {"holdout": (0.25, 0.1, 0.3, 0.65), "learned": (0.2, 0.06, 0.25, 0.5)}

# Of delta, for the statement about a labeling whose classes cost bits; the rest is for
# that about all labelings of its clusters. Mean bounds over six choices of rows with 0,
# 1/20 and 1/10: on 1000 newsgroup texts 37.5, 36.8 and 36.4% with 10% of the labels, and
# 35.8, 33.3 and 33.1% with 50%; on 300 of these 75.9, 71.4 and 70.6% with 10%. On digits,
# blobs, wine, iris and breast cancer 1/10 costs 0 to 0.35 points, and 1/20 up to 0.2. A
# share of 1 / (c + 1) for c clusters gains 0.5 on texts, and costs 0.5 on wine.
SHARE_OF_ONE_LABELING = Fraction(1, 10)


def selecting_share(certify: str, median_clusters: float) -> float:
    """Share of the labels that select, in (0, 1), with two decimal places.

    ``certify`` is "holdout" or "learned"; ``median_clusters`` is the median of the
    candidates' numbers of clusters, at least 1.
    """
    least, slope, low, high = SHARES_BY_RULE[certify]
    return round(min(max(least + slope * log(median_clusters), low), high), 2)
