"""Dom's figures."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm
from tables_dom import COMPARED, ranks

STYLES = {
    "Q2": {"color": "black", "lw": 2.5},
    "Rand": {"color": "C0", "lw": 4, "alpha": 0.5},
    "Fowlkes": {"color": "C1", "ls": "--"},
    "Gamma": {"color": "C2", "ls": "-."},
    "Jaccard": {"color": "C3", "lw": 1},
    "Hamming": {"color": "C4", "ls": ":", "lw": 2},
}


def draw_simple_case(values, parameter, label, title):
    """Figures 1 and 2: values, and values from 0 for their least to 1 for their most."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    curves = values[COMPARED]
    scaled = (curves - curves.min()) / (curves.max() - curves.min())
    for ax, drawn in zip(axes, (curves, scaled), strict=True):
        for name, style in STYLES.items():
            ax.plot(values[parameter], drawn[name], label=name, **style)
        ax.set(xlabel=label, ylim=(-0.03, 1.03))
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set(ylabel="Value", title="(a) as they are")
    axes[1].set(ylabel="Value, rescaled", title="(b) each from its least to its most")
    axes[1].legend(frameon=False)
    figure.suptitle(title)
    return figure


def draw_comparison(wide):
    """Figures 3 to 7: ranks (above) and values (below) of a measure and of Q2."""
    order = ["Gamma", "Fowlkes", "Hamming", "Jaccard", "Rand"]
    figure, axes = plt.subplots(
        2, 5, figsize=(15, 6.3), sharex="row", sharey="row", layout="constrained"
    )
    numbers = np.unique(wide["n_useful"])
    levels = np.append(numbers, numbers[-1] + 1) - 0.5
    norm = BoundaryNorm(levels, plt.get_cmap("viridis").N)
    rows = ("a", ranks(wide), "rank (1 is best)"), ("b", wide, "value")
    for row, (part, drawn, what) in zip(axes, rows, strict=True):
        for number, (ax, name) in enumerate(zip(row, order, strict=True), start=3):
            points = ax.scatter(
                drawn["Q2"],
                drawn[name],
                c=wide["n_useful"],
                norm=norm,
                s=9,
                lw=0,
                rasterized=True,
            )
            ax.set(title=f"Figure {number} ({part}): {name}", xlabel=f"Q2, {what}")
            ax.spines[["top", "right"]].set_visible(False)
        row[0].set(ylabel=f"Measure in the title, {what}")
    axes[1, 0].set(xlim=(0, 1.03), ylim=(0, 1.03), xticks=(0, 0.5, 1))
    figure.colorbar(
        points,
        ax=axes,
        ticks=numbers,
        aspect=40,
        label="Useful clusters, $|K_u|$ (there are 5 classes)",
    )
    return figure


def draw_all(wide, simple_case_1, simple_case_2):
    """Figures by name."""
    return {
        "figure_1": draw_simple_case(
            simple_case_1,
            "e1",
            r"Share $\epsilon_1$ in clusters of other classes",
            "Figure 1: errors, 5 classes, 5 clusters",
        ),
        "figure_2": draw_simple_case(
            simple_case_2,
            "n_useful",
            "Useful clusters, $|K_u|$",
            "Figure 2: classes split into ever more clusters, 6 classes, no errors",
        ),
        "figures_3_to_7": draw_comparison(wide),
    }
