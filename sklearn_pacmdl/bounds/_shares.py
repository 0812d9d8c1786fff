"""Share of the labels that select, fixed before labels are seen."""

from math import log

# The share where the median number of clusters is 1, what is added where it is e times
# as large, and limits. With Ward's cuts into 2 to 40 clusters of ten data sets, .6 has
# smaller bounds than .5, by .2 to 1.5 points, and .7 larger ones by .2 to 1; the larger
# the share, the smaller the true errors (benchmarks/results/choices/tables.json). With 2
# to 8 clusters, tried by hand, .65 has bounds larger than .4 by .5 to 2 points.
_LEAST, _SLOPE, _LOW, _HIGH = 0.22, 0.13, 0.3, 0.65


def selecting_share(median_clusters: float) -> float:
    """Share of the labels that select, in (0, 1), with two decimal places.

    ``median_clusters`` is the median of the candidates' numbers of clusters, at least 1.
    """
    return round(min(max(_LEAST + _SLOPE * log(median_clusters), _LOW), _HIGH), 2)
