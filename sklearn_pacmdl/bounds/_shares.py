"""Share of the labels that select, fixed before labels are seen."""

from math import log

# The share where the median number of clusters is 1, what is added where it is e times
# as large, and limits. With Ward's cuts into 2 to 40 clusters, shares of .5 to .7 have
# the same bounds within .5 points on average over 12 data sets, and larger ones smaller
# true errors. With 2 to 8 clusters .65 has bounds larger than .4 by .5 to 2 points
# (benchmarks/results/choices/tables.json).
_LEAST, _SLOPE, _LOW, _HIGH = 0.22, 0.13, 0.3, 0.65


def selecting_share(median_clusters: float) -> float:
    """Share of the labels that select, in (0, 1), with two decimal places.

    ``median_clusters`` is the median of the candidates' numbers of clusters, at least 1.
    """
    return round(min(max(_LEAST + _SLOPE * log(median_clusters), _LOW), _HIGH), 2)
