"""Figures of the comparison with Whissell and Clarke's Table I."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from tables_whissell_clarke import BINS, PUBLISHED_N_INSTANCES

NAMES = {
    "Inf.": "Informativeness",
    "SW": "Silhouette",
    "DB": "Davies-Bouldin",
    "CH": "Calinski-Harabasz",
    "DN": "Dunn",
}


def draw_frequencies(tables, n_instances):
    """Chosen numbers of clusters: a row of panels for each set, printed and found."""
    figure, axes = plt.subplots(
        len(tables), 2, figsize=(10, 11), sharex=True, sharey=True, layout="constrained"
    )
    heads = {
        "printed": f"Whissell & Clarke, Table I ({PUBLISHED_N_INSTANCES} instances)",
        "found": f"sklearn_pacmdl ({n_instances} instances)",
    }
    for row, (kind, table) in zip(axes, tables.items(), strict=True):
        for ax, source in zip(row, heads, strict=True):
            draw_counts(ax, table, source)
        row[0].set_ylabel(kind, weight="bold")
    for ax, head in zip(axes[0], heads.values(), strict=True):
        ax.set_title(head)
    for ax in axes[-1]:
        ax.set_xlabel("Clusters chosen (framed: the true number)")
    return figure


def draw_counts(ax, table, source):
    counts = np.array(
        [own["frequencies"][source] for own in table["criteria"].values()], dtype=int
    )
    shares = counts / counts.sum(axis=1, keepdims=True)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1.2, aspect="auto")
    for (y, x), count in np.ndenumerate(counts):
        if count:
            dark = shares[y, x] > 0.6
            ax.text(x, y, count, ha="center", va="center", color="w" if dark else "k")
    frame = (BINS.index(str(table["true_clusters"])) - 0.5, -0.5)
    ax.add_patch(
        Rectangle(frame, 1, len(counts), fill=False, ec="C1", lw=2, clip_on=False)
    )
    ax.set_xticks(range(len(BINS)), BINS)
    ax.set_yticks(range(len(counts)), [NAMES[name] for name in table["criteria"]])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
