"""Figures of the comparison of certificates."""

import matplotlib.pyplot as plt
import numpy as np


def draw(means, cases, n_columns=4):
    """Bound and error of every method that labels all rows, at the largest share."""
    n_columns = min(n_columns, len(cases))
    n_rows = -(-len(cases) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(3.0 * n_columns + 2, 4.6 * n_rows), sharey=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    largest = {name: means[name, max(shares)] for name, shares in cases.items()}
    # Some methods were not measured on all data, and have a place all the same.
    methods = list(dict.fromkeys(m for one in largest.values() for m in one.index))
    partly = ("selective", "MAPIE, target")
    methods = [method for method in methods if not method.startswith(partly)][::-1]
    place = np.arange(len(methods))
    for ax, (name, one) in zip(axes.flat, largest.items(), strict=False):
        one = one.reindex(methods)
        ax.hlines(place, one["error"], one["bound"], color="0.8", linewidth=3)
        ax.plot(one["error"], place, "o", color="tab:blue", label="true error")
        ax.plot(one["bound"], place, "|", color="tab:red", markersize=14,
                markeredgewidth=2.5, label="stated bound")  # fmt: skip
        title = f"{name}, {max(cases[name]):.0%} labeled"
        ax.set(title=title, xlabel="%", xlim=(0, None))
        ax.set_yticks(place, methods)
        ax.grid(axis="x", color="0.93")
        ax.set_axisbelow(True)
    for ax in axes.flat[len(cases) :]:
        ax.set_visible(False)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower right")
    return figure


def draw_shares(means, name, shares):
    """Bounds over the share of labels, with the true errors."""
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for method in ("PAC-MDL, Algo", "hold-out", "learned"):
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
