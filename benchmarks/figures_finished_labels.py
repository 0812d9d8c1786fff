"""Figures of the comparison of finished data sets."""

import matplotlib.pyplot as plt
import numpy as np


def draw_all(table, means, target):
    """By name: rows spared by every method, a point for each draw of the audit."""
    figure, axes = plt.subplots(
        1, len(means), figsize=(3.9 * len(means) + 2, 3.6), sharey=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for ax, (name, one) in zip(axes[0], means.items(), strict=True):
        methods = one.index[::-1]
        for place, method in enumerate(methods):
            rows = table[(table["data"] == name) & (table["method"] == method)]
            draw_method(ax, place, rows, one.loc[method], target)
        ax.set(title=name, xlabel="rows that need no person (%)", ylim=(-0.6, None))
        ax.set_yticks(np.arange(len(methods)), methods)
        ax.grid(axis="x", color="0.93")
        ax.set_axisbelow(True)
    # Every method has the same three.
    handles, labels = (found[:3] for found in ax.get_legend_handles_labels())
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return {"spared": figure}


def draw_method(ax, place, rows, mean, target):
    spared, wrong = 100 * rows["spared"], rows["error"] > target + 1e-9
    # Points are spread out so that they can be told apart, the same in every run.
    height = place + 0.3 * np.sin(np.arange(len(rows)) * 2.4)
    ax.plot(spared[~wrong], height[~wrong], ".", color="tab:blue", alpha=0.4,
            markersize=5, markeredgewidth=0, rasterized=True,
            label="a draw of the audit")  # fmt: skip
    ax.plot(spared[wrong], height[wrong], "x", color="tab:red", alpha=0.8, markersize=4,
            rasterized=True, label=f"more than {target:.0%} wrong")  # fmt: skip
    ax.vlines(100 * mean["spared"], place - 0.4, place + 0.4, color="black", linewidth=2,
              label="mean")  # fmt: skip
