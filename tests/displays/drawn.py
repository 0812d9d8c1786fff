"""What is read off a figure, and results of a search made by hand."""

import numpy as np


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def stars(display):
    lines = [line for line in display.ax_.lines if line.get_marker() == "*"]
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in lines]


def table_of(numbers, bounds, **columns):
    """Columns of candidates of one algorithm, the first of which is the best."""
    n = len(numbers)
    return {
        "algorithm": np.array(["ward"] * n, dtype=object),
        "n_clusters": numbers,
        "n_clusters_found": np.asarray(numbers),
        "description_length": np.ones(n),
        "mean_test_bound": np.asarray(bounds),
        "ranking_value": np.asarray(bounds),
        "rank_test_bound": np.arange(n),
    } | columns
