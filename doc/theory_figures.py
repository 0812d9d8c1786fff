"""Draws the figures of theory.md; conf.py does so when the site is built.

Each function draws the idea of one theorem from counts, by the definitions on the page or
by the package. Pictures are transparent, and dark pages invert them.
"""

from math import log

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from scipy.stats import hypergeom, norm

from sklearn_pacmdl.audits import AuditMonitor
from sklearn_pacmdl.bounds import (
    bmax,
    groups_upper_bound,
    pac_mdl_bound,
    stratified_upper_bound,
)
from sklearn_pacmdl.bounds._inversion import BOX, Ratio, Sample, chances

DELTA = 0.1
STYLE = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.figsize": (4.8, 2.5),
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "legend.frameon": False,
    "svg.hashsalt": "theory",
}


def tail(n_labeled, n_unlabeled, n_errors, n_seen):
    """P(at most n_seen of the errors are labeled)."""
    return hypergeom.cdf(n_seen, n_labeled + n_unlabeled, n_errors, n_labeled)


def theorem_1(ax):
    m, n, a = 100, 200, 3
    largest = bmax(m, n, a, DELTA)
    b = np.arange(2 * largest)
    kept = b <= largest
    for those, color in ((kept, "C0"), (~kept, "0.6")):
        ax.bar(b[those], tail(m, n, a + b[those], a), color=color)
    ax.axhline(DELTA, color="C3")
    ax.text(b[-1], DELTA, "δ", color="C3", ha="right", va="bottom")
    ax.annotate(
        f"bmax = {largest}",
        (largest, DELTA),
        (largest, 0.5),
        arrowprops={"arrowstyle": "->"},
        ha="center",
    )
    ax.set(xlabel="errors b on unlabeled rows", ylabel="probability")


def theorem_2(ax):
    m, n, a = 100, 200, 3
    left, right = ax.figure.subplots(1, 2, width_ratios=(1, 2))
    ax.remove()
    bits = np.arange(1, 7)
    below = 0.0
    for k in bits:
        left.bar(0, DELTA / 2**k, bottom=below, color=f"C{k - 1}", edgecolor="w")
        if k <= 3:
            left.text(
                0, below + DELTA / 2 ** (k + 1), f"1/{2**k}", ha="center", va="center"
            )
        below += DELTA / 2**k
        right.plot(
            k,
            pac_mdl_bound(m, n, a, description_length=k, delta=DELTA),
            "o",
            color=f"C{k - 1}",
        )
    left.set(xticks=[], ylabel="δ w(h)", ylim=(0, DELTA))
    right.axhline(bmax(m, n, a, DELTA), color="0.6", linestyle=":")
    right.text(6, bmax(m, n, a, DELTA), "one labeling", ha="right", va="top")
    right.set(xlabel="bits, $-\\log_2 w(h)$", ylabel="bound on b(h)", ylim=(0, None))


def theorem_2a(ax):
    kinds = np.repeat([0, 1, 2], [20, 40, 140])
    place = np.random.default_rng(0).permutation(len(kinds))
    names = (
        "S: sets the weights, names clusters",
        "C: certifies all pairs at once",
        "not labeled: the bound is about these",
    )
    for kind, (name, color) in enumerate(zip(names, ("C0", "C1", "0.8"), strict=True)):
        at = place[kinds == kind]
        ax.plot(at % 25, at // 25, "s", color=color, markersize=8, label=name)
    ax.set_axis_off()
    ax.figure.legend(loc="outside lower center", handletextpad=0.2)


def theorem_5(ax):
    n_rows, tolerated = 120, 2
    rng = np.random.default_rng(3)
    wrong = rng.random(n_rows) < np.linspace(0, 0.35, n_rows)
    audited = np.isin(np.arange(n_rows), rng.choice(n_rows, 40, replace=False))
    stop = np.flatnonzero(wrong & audited)[tolerated]
    ax.axvspan(-1, stop - 0.5, color="C0", alpha=0.2, linewidth=0)
    ax.axvline(stop - 0.5, color="C0")
    for is_wrong, style in (
        (False, {"color": "0.6", "marker": "."}),
        (True, {"color": "C3", "marker": "x"}),
    ):
        at = np.flatnonzero(wrong == is_wrong)
        ax.scatter(at, audited[at], **style)
    ax.text(stop / 2, 1.35, "accepted", ha="center")
    ax.text((stop + n_rows) / 2, 1.35, "left to people", ha="center")
    ax.set(yticks=(0, 1), yticklabels=("not\naudited", "audited"), ylim=(-0.5, 1.7))
    ax.set(xlabel="place in the order, the surest first")


def theorem_6(ax):
    n_rows, target, n_most, rate = 2000, 0.05, 300, 0.02
    monitor = AuditMonitor(n_rows, target=target, delta=DELTA, max_labels=n_most)
    wrong = np.random.default_rng(1).permutation(n_rows)[:n_most] < rate * n_rows
    errors = np.cumsum(wrong)
    t = np.arange(1, n_most + 1)
    allowed = np.searchsorted(monitor.boundaries, t, side="right") - 1
    enough = np.flatnonzero(errors <= allowed)[0]
    ax.step(
        t,
        np.where(allowed < 0, np.nan, allowed),
        "C0",
        where="post",
        label="allowed, $c_t$",
    )
    ax.step(
        t[: enough + 1], errors[: enough + 1], "C1", where="post", label="seen, $X_t$"
    )
    ax.plot(t[enough], errors[enough], "o", color="C1")
    ax.set(xlabel="labels t", ylabel="errors")
    ax.legend(loc="upper left")


def theorem_7(ax):
    m, n, a = 400, 1600, 8
    R = np.arange(7)
    ax.bar(R, bmax(m, n, a + R, DELTA) / n, color=["C1", *["C0"] * 6])
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.set(xlabel="audited rows R that people may label wrongly", ylabel="error bound")


def theorem_8(ax):
    """By the order of the package."""
    sample = Sample((3, 8), (40, 30), (200, 100))
    total = Ratio((1, 1), (0, 0), 300)
    (first, second), chance = chances(sample, total, DELTA, 2)
    kept = chance >= (1 - BOX) * DELTA
    colors = ListedColormap(["0.85", "C0"])
    ax.pcolormesh(first, second, kept.T, cmap=colors, vmin=0, vmax=1)
    most = stratified_upper_bound(*sample, DELTA)
    ends = np.array([first[0], most - second[0]])
    ax.plot(ends, most - ends, "C3")
    ax.text(ends.mean() + 2, most - ends.mean(), f"total {most}", color="C3")
    ax.set(xlabel="wrong rows of the first stratum", ylabel="of the second")


def theorem_9(ax):
    """By the bets of the package on 40 of 200 groups of ten rows."""
    rng = np.random.default_rng(4)
    found = rng.binomial(10, 0.05, size=40)
    audited, n_left, n_rows = np.full(40, 10), 200 - np.arange(40), 2000
    before = np.cumsum(found) - found
    rate = (before + 0.5) / (10 * np.arange(40) + 10)
    shown, most = found - rate * audited, (1 - rate) * 10
    bound = groups_upper_bound(found, audited, [10] * 160, DELTA)
    for total, color in ((3 * bound // 4, "0.6"), (bound, "C0"), (3 * bound // 2, "C1")):
        mean = (total - before - rate * (n_rows - np.cumsum(audited) + audited)) / n_left
        c = np.arange(1, 6)[:, None] / 5
        capital = np.cumprod(1 + c * (mean - shown) / (most - mean), axis=1).mean(axis=0)
        ax.semilogy(np.arange(1, 41), capital, color, label=f"T = {total}")
    ax.axhline(1 / DELTA, color="C3")
    ax.text(1, 1 / DELTA, "1/δ", color="C3", va="bottom")
    ax.set(xlabel="audited groups t", ylabel="capital $K_t(T)$")
    ax.legend()


def theorem_10(ax):
    n, m, p, q = 60, 20, 5, 1
    level, z = 0.98 * DELTA / 2, -norm.ppf(0.98 * DELTA / 2)
    c = max(z**2 / 4, 0.5)
    a, b = np.meshgrid(np.arange(m + 1), np.arange(m + 1), indexing="ij")
    mean = (a - b) / (m + 2 * c)
    variance = ((a + b + 2 * c) / (m + 2 * c) - mean**2) / (m + 2 * c) * (1 - m / n)
    limit = (a - b) / m + z * np.sqrt(np.maximum(variance, 0))
    limit[a + b > m] = np.inf
    event = limit <= limit[p:, : q + 1].min()
    # With fewer of the first kind, and more of the second.
    event = np.logical_or.accumulate(event[::-1], axis=0)[::-1]
    event = np.logical_or.accumulate(event, axis=1)
    first, second = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    chance = np.full(first.shape, np.nan)
    for P, Q in zip(*np.nonzero(first + second <= n), strict=True):
        # Given a rows of the first kind, those of the second are among the others.
        law = hypergeom.pmf(a, n, P, m) * hypergeom.pmf(b, n - P, Q, m - a)
        chance[P, Q] = np.sum(np.nan_to_num(law)[event & (a + b <= m)])
    kept = np.where(np.isnan(chance), np.nan, chance >= level)
    colors = ListedColormap(["0.85", "C0"])
    ax.pcolormesh(kept.T, cmap=colors, vmin=0, vmax=1)
    most = int(np.max((first - second)[kept == 1]))
    ends = np.array([most, (n + most) / 2])
    ax.plot(ends + 0.5, ends - most + 0.5, "C3")
    ax.text(ends[1] + 2, ends[1] - most, f"$D^+$ = {most}", color="C3")
    ax.set(xlabel="P\u2032: only the first is right", ylabel="Q\u2032: only the second")
    ax.set_aspect("equal")


def theorem_11(ax):
    """By the numbers c of the package."""
    found, audited, n_rows = np.array([[15, 21], [220, 80], [1318, 279]])
    f = audited / n_rows
    first = np.sqrt(10 * log(1 / DELTA) / audited.sum())
    c = f.min() * np.geomspace(first, 0.95, 6)
    totals = np.arange(found.sum(), 300)
    kept = np.prod((1 - c[:, None] / f) ** found, axis=1)
    left_side = np.mean(kept / (1 - c) ** totals[:, None], axis=1)
    bound = totals[left_side < 1 / DELTA].max()
    ax.semilogy(totals, left_side)
    ax.axhline(1 / DELTA, color="C3")
    ax.text(totals[0], 1 / DELTA, "1/δ", color="C3", va="bottom")
    ax.axvline(bound, color="0.6", linestyle=":")
    ax.text(bound - 2, 0.02, f"bound {bound}", ha="right")
    ax.set(xlabel="errors K in all strata", ylabel="left side of (21)")


def draw(folder):
    """Save each figure as theorem-NUMBER.svg."""
    figures = (
        theorem_1,
        theorem_2,
        theorem_2a,
        theorem_5,
        theorem_6,
        theorem_7,
        theorem_8,
        theorem_9,
        theorem_10,
        theorem_11,
    )
    with plt.style.context(["default", STYLE]):
        for function in figures:
            figure, ax = plt.subplots()
            function(ax)
            name = function.__name__.replace("_", "-") + ".svg"
            figure.savefig(folder / name, transparent=True, metadata={"Date": None})
            plt.close(figure)
