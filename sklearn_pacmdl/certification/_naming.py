"""Helpers of strategies: classes of clusters, label weights, errors to expect."""

from fractions import Fraction

import numpy as np

from ..labeling import majority_classes, nearest_labeled


def majority(counts, table, rng):
    """Most common class of each cluster; without labels, that of the nearest cluster.

    Classes that a classifier predicts have their names already.
    """
    if counts.names is not None:
        return counts.names
    named = table[:, :-1]
    if np.all((named == named.max(axis=1, keepdims=True)).sum(axis=1) == 1):
        return named.argmax(axis=1)  # most often: there is nothing to draw
    return like_nearest(counts, majority_classes(named, rng), table)


def like_nearest(counts, classes, table):
    """Replace the classes of clusters without labels in ``table`` by the nearest's.

    Any rule is valid that sees only the rows, and the labels that name clusters.
    """
    return nearest_labeled(classes, table[:, :-1].any(axis=1), counts.distances)


def label_weight(language, counts, classes, accepted):
    """The language's weight of the labels of the accepted clusters, checked."""
    weight = language.label_weight(
        counts.sizes[accepted].tolist(), classes[accepted].tolist(), counts.n_classes
    )
    if not isinstance(weight, Fraction) or not 0 < weight <= 1:
        raise ValueError(
            "label_weight of a language must return a Fraction in (0, 1], got "
            f"{weight!r} from {language!r}."
        )
    return weight


# Errors that are added for each cluster with labeled rows, times the number of such
# clusters for each row. Over 49 pairs of a data set and a share of labeled rows, .6 of
# which select, hold-out's bounds are smaller than with 0 by .4 points, and true errors by
# .5; by 1.0 and .8 where 354 clusterings are compared. The same within .1 are .2 and .5,
# and .1 to .2 for each cluster without that factor. With 1 digits with 2 and 5 % of the
# rows labeled are worse by 6 (tried by hand).
_FOR_CROWDS = 0.3


def estimated_errors(table, names=None):
    """Errors to expect of the majority classes, as far as labeled rows can tell.

    Halfway between the errors on the rows that name the clusters, which are too few where
    clusters are many, and the leave-one-out errors, which are too many; and more, the
    fewer rows there are for each cluster that has any: the fewest of many estimates is
    too small. See benchmarks/compare_choices.py for what is gained.
    """
    if names is not None:
        return float(left_out_errors(table, names).sum())
    seen_again = table.sum() - table[:, :-1].max(axis=1).sum()
    n_clusters, n_rows = np.count_nonzero(table.any(axis=1)), max(table.sum(), 1)
    halfway = (left_out_errors(table).sum() + seen_again) / 2
    return float(halfway + _FOR_CROWDS * n_clusters**2 / n_rows)


def left_out_errors(table, names=None):
    """Expected errors when each row's class is guessed from the others of its cluster.

    Of shape (n_clusters,): those of the majority class, ties by chance; or of the
    ``names`` (n_clusters,) that the clusters have beforehand, and that rows were left out
    for. Rows in the last column of the table (n_clusters, n_classes + 1) are errors.
    """
    if names is not None:
        return table.sum(axis=1) - table[np.arange(len(table)), names]
    return (table[:, :-1] * left_out_rates(table)).sum(axis=1) + table[:, -1]


def left_out_rates(table):
    """Probability that a row's class is guessed wrongly from the others of its cluster.

    Of shape (n_clusters, n_classes), for a row of each; meaningless where there is none.
    """
    counts, clusters = table[:, :-1], np.arange(len(table))
    largest = counts.argmax(axis=1)
    # Only rows of the largest class can be guessed rightly, if it has no equal.
    others = counts.copy()
    others[clusters, largest] = -1
    most = others.max(axis=1)
    tied = (others == most[:, None]).sum(axis=1)
    rest = counts[clusters, largest] - 1  # without the row itself
    rates = np.ones(counts.shape)
    rates[clusters, largest] = 1 - np.where(
        rest > most, 1.0, np.where(rest == most, 1 / (1 + tied), 0.0)
    )
    return rates
