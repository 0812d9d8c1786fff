"""Figures of the comparison with Banerjee and Langford."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator
from tables_banerjee_langford import PUBLISHED, best, chosen


def draw_runs(tables):
    """Figs. 1 and 2: k-means and spherical k-means on two collections, one split."""
    names = [
        n for n in ("cmu-different-1000", "cmu-same-1000") if n in set(tables.collection)
    ]
    if not names:
        return None
    figure, axes = plt.subplots(
        2, len(names), figsize=(5 * len(names), 7), squeeze=False, layout="constrained"
    )
    one = tables[(tables.labeled == 0.5) & (tables.split == 0)]
    for (upper, lower), name in zip(axes.T, names, strict=True):
        for algorithm, marker in (("KMeans", "s"), ("SPKMeans", "o")):
            table = one[(one.collection == name) & (one.algorithm == algorithm)]
            runs = table[table.n_clusters == 3].simple_bound.to_numpy()
            upper.plot(np.arange(1, len(runs) + 1), 100 * runs, marker, label=algorithm)
            curve = best(table, "init", ["n_clusters"]).sort_values("n_clusters")
            lower.plot(curve.n_clusters, 100 * curve.init_bound, f"{marker}-")
        upper.set(title=f"{name}\nSimple, 3 clusters", xlabel="start")
        lower.set(title="Init, best start", xlabel="number of clusters")
        for axis in (upper, lower):
            axis.axhline(200 / 3, color="gray", linestyle=":", label="constant")
            axis.set(ylim=(0, None), ylabel="bound on test error (%)")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0, 0].legend()
    return figure


def draw_splits(tables):
    """Figs. 4 and 5: the choice by Algo over proportions, with the hidden error."""
    names = list(dict.fromkeys(tables.collection))
    rows = -(-len(names) // 4)
    figure, axes = plt.subplots(
        rows, 4, figsize=(13, 3 * rows), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes.flat, names, strict=False):
        found = chosen(tables[tables.collection == name]).groupby("labeled")
        for column, label, style in (
            ("algo_bound", "bound (Algo)", "o-"),
            ("test_error", "hidden error", "s--"),
            ("constant_error", "best constant", ":"),
        ):
            values = 100 * found[column].mean()
            axis.plot(100 * values.index, values, style, label=label)
        if name in PUBLISHED:
            axis.plot(50, PUBLISHED[name], "k*", markersize=10, label="published bound")
        axis.set(title=name, ylim=(0, None), xlabel="labeled (%)")
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set_ylabel("error on the rest (%)")
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="lower right", ncols=2)
    return figure


def draw_all(tables):
    """Figures by name; the first only of collections that the paper has it of."""
    figures = {
        "figures_1_2": draw_runs(tables),
        "figures_4_5": draw_splits(tables),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}
