"""Draw the curves of `bench_scale.py`: time and memory against four sizes.

python benchmarks/figures_scale.py
"""

import json

import matplotlib.pyplot as plt
from common import RESULTS, save_figures
from matplotlib.ticker import LogLocator

SIZES = ("rows", "features", "candidates", "splits")
MEASURES = {"cpu_seconds": "processor time (s)", "peak_MB": "peak memory (MB)"}


def draw(curves):
    """Both measures against each size, on logarithmic axes, with fitted exponents."""
    figure, axes = plt.subplots(
        len(MEASURES), len(SIZES), figsize=(11, 5), sharex="col", sharey="row",
        layout="constrained",
    )  # fmt: skip
    for column, size in zip(axes.T, SIZES, strict=True):
        points = {
            int(name.removeprefix(size)): point
            for name, point in curves.items()
            if name.startswith(size)
        }
        for ax, measure in zip(column, MEASURES, strict=True):
            ax.loglog(list(points), [point[measure] for point in points.values()], "o-")
            exponent = curves[f"exponents of {size}"][measure]
            ax.set_title(f"exponent {exponent:.2f}", fontsize="medium")
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter("")
            ax.grid(which="both", color="0.93")
        column[-1].set_xticks(list(points), [f"{x:,}" for x in points])
        column[-1].minorticks_off()
        column[-1].set_xlabel(size)
    for ax, label in zip(axes[:, 0], MEASURES.values(), strict=True):
        ax.set_ylabel(label)
    return figure


if __name__ == "__main__":
    found = json.loads((RESULTS / "scale.json").read_text())
    save_figures(RESULTS, {"scale": draw(found["curves"])})
