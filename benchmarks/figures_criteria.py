"""Figure of the comparison of criteria."""

import matplotlib.pyplot as plt
import numpy as np
from tables_criteria import ANY, SHARES, percent

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
