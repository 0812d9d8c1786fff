"""Figures of the comparison of criteria."""

import matplotlib.pyplot as plt
import numpy as np
from tables_criteria import (
    AGREEMENT,
    ANY,
    CRITERIA,
    MUTUAL,
    OVERALL,
    SHARES,
    WITH_LABELS,
    percent,
)

STYLES = {
    "PAC-MDL bound": ("black", "o"),
    "Cross-validation": ("C0", "s"),
    "Informativeness": ("C1", "D"),
    "Silhouette": ("C2", "^"),
    "Davies-Bouldin": ("C3", "v"),
    "Calinski-Harabasz": ("C4", "P"),
    ANY: ("0.6", "x"),
}


def draw_regret(chosen):
    """Mean over data sets, and the middle half of the data sets."""
    figure, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
    places = np.arange(len(SHARES))
    of_sets = chosen.groupby(["criterion", "share", "data set"])["regret"].mean() * 100
    for number, (criterion, (color, marker)) in enumerate(STYLES.items()):
        regrets = of_sets[criterion].unstack("share")[list(SHARES)]
        x = places + (number - (len(STYLES) - 1) / 2) * 0.11
        low, high = regrets.quantile([0.25, 0.75]).to_numpy()
        ax.vlines(x, low, high, color=color, lw=4, alpha=0.3)
        ax.plot(x, regrets.mean(), marker, color=color, ms=7, label=criterion)
    for place in places[1:]:
        ax.axvline(place - 0.5, color="0.9", lw=1)
    ax.set_xticks(places, map(percent, SHARES))
    ax.tick_params(axis="x", length=0)
    ax.set(
        xlabel="Labeled rows",
        ylabel="Regret: error above the best (% of hidden rows)",
        title=f"Regret: mean (mark) and middle half (bar) of {len(regrets)} data sets",
        xlim=(-0.5, len(SHARES) - 0.5),
        ylim=(min(-1, ax.get_ylim()[0]), None),
    )
    ax.grid(axis="y", color="0.93")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def draw_agreement(table, overall):
    """A panel for each data set of question A, and one for the mean over all."""
    panels = {name: table[name] for name in table.columns.unique(0)}
    panels["mean of all data sets"] = overall
    figure, axes = plt.subplots(
        1, len(panels), figsize=(2.6 + 2.1 * len(panels), 8), layout="constrained"
    )
    for ax, (name, values) in zip(axes, panels.items(), strict=True):
        image = draw_cells(ax, values.to_numpy())
        ax.set_title(name, fontsize=10)
        ax.set_xticks(range(len(SHARES)), map(percent, SHARES), fontsize=8)
        ax.set_yticks([])
        # Above the line criteria see labels, below it they do not.
        ax.axhline(len(WITH_LABELS) - 0.5, color="black", lw=1.5)
    axes[0].set_yticks(range(len(CRITERIA)), CRITERIA)
    figure.supxlabel("Labeled rows", fontsize=10)
    figure.suptitle("Spearman's correlation with accuracy on the hidden rows")
    figure.colorbar(image, ax=axes, aspect=40)
    return figure


def draw_cells(ax, values):
    image = ax.imshow(values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    for (y, x), value in np.ndenumerate(values):
        color = "white" if abs(value) > 0.7 else "black"
        text = f"{value:.2f}".replace("0.", ".").replace("-.00", ".00")
        ax.text(x, y, text, ha="center", va="center", color=color, fontsize=7)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def draw_mutual(table, sets):
    figure, ax = plt.subplots(figsize=(12, 10.5), layout="constrained")
    image = draw_cells(ax, table.to_numpy())
    places = range(len(table))
    ax.set_xticks(places, table.columns, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(places, table.index)
    for draw in (ax.axhline, ax.axvline):
        for place in (0.5, 0.5 + len(WITH_LABELS)):
            draw(place, color="black", lw=1.5)
    ax.set_title(f"Spearman's correlations between criteria: {'; '.join(sets)}")
    figure.colorbar(image, ax=ax, aspect=40)
    return figure


def draw_all(chosen, tables, sets):
    """Figures by name."""
    return {
        "regret": draw_regret(chosen),
        "agreement": draw_agreement(tables[AGREEMENT], tables[OVERALL]),
        "mutual_agreement": draw_mutual(tables[MUTUAL], sets),
    }
