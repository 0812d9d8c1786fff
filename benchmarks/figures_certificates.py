"""Figures of the comparison of certificates."""

import matplotlib.pyplot as plt
import numpy as np


def draw(means, cases):
    """Bound and error of every method that labels all rows, at the largest share."""
    figure, axes = plt.subplots(
        1, len(cases), figsize=(3.4 * len(cases) + 2, 4.6), sharey=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for ax, (name, shares) in zip(axes[0], cases.items(), strict=True):
        one = means[name, max(shares)]
        partly = one.index.str.startswith(("selective", "MAPIE, target"))
        one = one[~partly][::-1]
        place = np.arange(len(one))
        ax.hlines(place, one["error"], one["bound"], color="0.8", linewidth=3)
        ax.plot(one["error"], place, "o", color="tab:blue", label="true error")
        ax.plot(one["bound"], place, "|", color="tab:red", markersize=14,
                markeredgewidth=2.5, label="stated bound")  # fmt: skip
        ax.set(title=f"{name}, {max(shares):.0%} labeled", xlabel="%", xlim=(0, None))
        ax.set_yticks(place, one.index)
        ax.grid(axis="x", color="0.93")
        ax.set_axisbelow(True)
    axes[0, -1].legend(loc="center right", fontsize="small")
    return figure


def draw_shares(means, name, shares):
    """Bounds over the share of labels, with the true errors."""
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for method in ("PAC-MDL, Algo", "PAC-MDL, decoupled", "learned", "hold-out"):
        bounds = [means[name, share].loc[method, "bound"] for share in shares]
        ax.plot(100 * np.array(shares), bounds, marker="o", label=method)
        if method != "PAC-MDL, Algo":
            errors = [means[name, share].loc[method, "error"] for share in shares]
            color = ax.lines[-1].get_color()
            ax.plot(100 * np.array(shares), errors, "--", color=color, linewidth=1)
    ax.plot([], [], "--", color="0.4", linewidth=1, label="true errors")
    ax.set(xscale="log", xlabel="Labeled rows (%)", ylabel="%", ylim=(0, 100), title=name)
    ax.set_xticks(100 * np.array(shares), [f"{100 * share:g}" for share in shares])
    ax.minorticks_off()
    ax.legend()
    return figure


def draw_all(means, cases):
    """Figures by name; the second of the first data set."""
    first = next(iter(cases))
    return {
        "bounds_and_errors": draw(means, cases),
        "over_shares": draw_shares(means, first, cases[first]),
    }
