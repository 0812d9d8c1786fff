"""Dom's Figures 3 to 7."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm
from tables_dom import ranks


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
