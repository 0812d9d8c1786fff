"""What share of the rows is truly of a class: our interval, and those of others.

A judge labels all rows, and people check some of them: a uniform choice, or as many of
each of the judge's labels. All methods (``rival_shares.py``) have the same checks; the
interval without the judge has as many in a uniform audit. Each limit may miss in 5% of
the draws.

    OMP_NUM_THREADS=1 python benchmarks/compare_shares.py --data FOLDER

FOLDER holds misinfo.csv, stance.csv, imagenet.csv and imagenetv2.csv with the columns
y_true and y_pred, made of the data sets of the same names at
github.com/tijana-zrnic/pac-labels. Without FOLDER, and in the small mode, the judge is
drawn at random, or labels digits. Only numbers of rows matter, so audits are drawn as
counts. Also measured are audits of other strata, in rows beyond the true number of
errors. Writes ``tables.json`` and a figure.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rival_shares as rivals
from common import (
    add_data_option,
    experiment_parser,
    parse_options,
    print_tables,
    save_figures,
    write_json,
)
from compare_finished_labels import labeled_digits
from scipy.stats import hypergeom
from sklearn.utils.parallel import Parallel, delayed

from sklearn_pacmdl.bounds import stratified_upper_bound, total_upper_bound

OURS = "certify_share"


class Judged(NamedTuple):
    """Rows that the judge says are not of the class, and are; those that truly are."""

    rows: np.ndarray
    truly: np.ndarray
    n_checks: int

    @property
    def share(self):
        return self.truly.sum() / self.rows.sum()


def simulated(n_rows, n_checks, share, sensitivity, false_positives):
    n_true = round(share * n_rows)
    noticed = round(sensitivity * n_true)
    positive = noticed + round(false_positives * (n_rows - n_true))
    rows = np.array([n_rows - positive, positive])
    return Judged(rows, np.array([n_true - noticed, noticed]), n_checks)


SIMULATED = [
    (5000, 200, 0.03, 0.95, 0.02),
    (5000, 200, 0.1, 0.9, 0.05),
    (5000, 200, 0.3, 0.95, 0.02),
    (5000, 200, 0.3, 0.7, 0.05),
    (1000, 100, 0.03, 0.9, 0.05),
    (50_000, 400, 0.1, 0.9, 0.05),
]
# Classes of the data sets, of which those of images are dogs and snakes.
CLASSES = {
    "misinfo": (["misinfo"], 200),
    "stance": (["disagrees"], 200),
    "imagenet": (range(151, 269), 400),
    "imagenetv2": (range(52, 69), 400),
}


def named(n_rows, n_checks, share, sensitivity, false_positives):
    judge = f"judge {sensitivity:.0%} / {false_positives:.0%}"
    return f"{n_rows:,} rows, {n_checks} checks, {share:.0%}, {judge}"


# Those of them that are also audited by the judge's label, as data sets are.
BY_LABEL = {named(*each) for each in SIMULATED[:2]}


def counted(truth, labels, classes, n_checks):
    truly, positive = np.isin(truth, classes), np.isin(labels, classes)
    rows, found = (np.bincount(positive[mask], minlength=2) for mask in (..., truly))
    return Judged(rows, found, n_checks)


def load(folder):
    """Numbers of rows by name."""
    judged = {named(*each): simulated(*each) for each in SIMULATED}
    digits = labeled_digits()
    judged["digits"] = counted(digits.truth, digits.labels, [8], 200)
    for name, (classes, n_checks) in CLASSES.items() if folder else ():
        table = pd.read_csv(Path(folder) / f"{name}.csv")
        truth, labels = table["y_true"].to_numpy(), table["y_pred"].to_numpy()
        judged[name] = counted(truth, labels, [*classes], n_checks)
    return judged


# ---- Shares


def without_judge(rows, audited, found):
    """The hypergeometric interval."""
    x, m, n = found.sum(axis=1), audited.sum(axis=1), rows.sum()
    most, others = (total_upper_bound(k, m, n, rivals.SIDE) for k in (x, m - x))
    return np.array([n - others, most]) / n


METHODS = {
    OURS: rivals.both_sides(rivals.certified),
    "Wendell and Schmee": rivals.both_sides(rivals.wendell_schmee),
    "Fisher": rivals.both_sides(rivals.fisher),
    "Wright, Sidak": rivals.both_sides(rivals.sidak),
    "post-stratified, t": rivals.post_stratified,
    "smoothed, 1/2": partial(rivals.post_stratified, added=0.5),
    "smoothed, 1": partial(rivals.post_stratified, added=1.0),
    "PPI++": rivals.ppi,
    "stratified PPI": partial(rivals.post_stratified, is_finite=False),
    "Rogan-Gladen": rivals.rogan_gladen,
}
UNIFORM_ALONE = "PPI++", "Rogan-Gladen"
# Its limits hold, and are of interest for their width: so many draws are enough.
FEWER_DRAWS = {"Wendell and Schmee": 200}


def draw(judged, by_label, n_draws, rng):
    """Audited rows of each stratum, and those of the class."""
    n, m = judged.rows, judged.n_checks
    drawn = np.full(n_draws, min(m // 2, n[1]))
    if not by_label:
        drawn = rng.hypergeometric(n[1], n[0], m, n_draws)
    audited = np.column_stack([m - drawn, drawn])
    return audited, rng.hypergeometric(judged.truly, n - judged.truly, audited)


def measured(limits, audits, judged):
    """Mean width, and how often either limit misses, of draws of audits."""
    counts, times = np.unique(np.hstack(audits), axis=0, return_counts=True)
    low, high = limits(judged.rows, counts[:, :2], counts[:, 2:])
    values = {
        "width": high - low,
        "below": low > judged.share + 1e-12,
        "above": high < judged.share - 1e-12,
    }
    return {name: float(np.average(v, weights=times)) for name, v in values.items()}


def compare(judged, by_label, n_draws):
    rng = np.random.default_rng(0)
    audits = draw(judged, by_label, n_draws, rng)
    methods = METHODS | {"bootstrap": partial(rivals.bootstrap, by_label=by_label)}
    results = {
        name: measured(limits, [each[: FEWER_DRAWS.get(name)] for each in audits], judged)
        for name, limits in methods.items()
        if not (by_label and name in UNIFORM_ALONE)
    }
    uniform = draw(judged, False, n_draws, rng)
    return results | {"without judge": measured(without_judge, uniform, judged)}


def summary(results):
    """By design and method, over data: width relative to ours, and the most misses."""
    rows = [
        {"design": design, "method": method, **values}
        | {"width": values["width"] / of_design[OURS]["width"]}
        for of_data in results.values()
        for design, of_design in of_data.items()
        for method, values in of_design.items()
    ]
    table = pd.DataFrame(rows).groupby(["design", "method"], sort=False)
    return table.agg(
        width=("width", "mean"),
        narrowest=("width", "min"),
        widest=("width", "max"),
        below=("below", "max"),
        above=("above", "max"),
    )


def figure(results):
    """A point for each method and data set; those that always hold are gray."""
    shown, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, sharex=True,
                               layout="constrained")  # fmt: skip
    marks = dict(
        zip([*METHODS, "bootstrap", "without judge"], "*v^<osD8PXp>", strict=True)
    )
    for ax, design in zip(axes, ("uniform", "by label"), strict=True):
        for i, (method, mark) in enumerate(marks.items()):
            of_data = [r[design] for r in results.values() if method in r.get(design, ())]
            x = [r[method]["width"] / r[OURS]["width"] for r in of_data]
            y = [100 * max(r[method]["below"], r[method]["above"]) for r in of_data]
            color = "k" if method == OURS else "0.6" if mark in "v^<>" else f"C{i - 4}"
            size, order = (90, 4) if method == OURS else (22, 3)
            ax.scatter(x, y, size, color, marker=mark, label=method, zorder=order)
        ax.axhline(100 * rivals.SIDE, color="0.8", linestyle="--")
        ax.set(title=f"audit {design}", xlabel=f"width / that of {OURS}", xscale="log")
        ax.set_xticks([0.4, 0.7, 1, 1.5, 2, 3], ["0.4", "0.7", "1", "1.5", "2", "3"])
        ax.set_xticks([], minor=True)
    axes[0].set_ylabel("misses of the worse limit (%)")
    shown.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    return shown


# ---- Strata of other kinds

STRATIFIED = [
    ((2000, 2000), (100, 100), (0.03, 0.15)),
    ((1318, 279), (220, 80), (0.07, 0.259)),
    ((3000, 1000), (100, 200), (0.03, 0.3)),
    ((1500, 1500, 1500), (100, 100, 100), (0.02, 0.08, 0.25)),
    ((2000, 2000), (200, 50), (0.03, 0.15)),
]


def margins(rows, audited, rates, delta=0.1, least=1e-5):
    """Mean bounds beyond the true number of errors, without improbable audits."""
    errors = np.rint(np.multiply(rows, rates)).astype(int)
    law = np.ones(())
    for n, m, e in zip(rows, audited, errors, strict=True):
        law = np.multiply.outer(law, hypergeom.pmf(np.arange(m + 1), n, e, m))
    counts = np.argwhere(law > least)
    weights = law[law > least] / law[law > least].sum()
    bounds = {
        "here": stratified_upper_bound,
        "Fisher": rivals.fisher,
        "Wright, Sidak": rivals.sidak,
    }
    means = {
        name: np.dot([bound(x, audited, rows, delta) for x in counts], weights)
        for name, bound in bounds.items()
    }
    n, m = sum(rows), sum(audited)
    x = np.arange(m + 1)
    chances = hypergeom.pmf(x, n, errors.sum(), m)
    means["uniform audit"] = chances @ total_upper_bound(x, m, n, delta)
    return {name: float(mean - errors.sum()) for name, mean in means.items()}


def main():
    parser = experiment_parser(__doc__, "shares", "10 draws, of two judges and digits")
    add_data_option(parser, "simulated judges and digits only")
    parser.add_argument("--n-draws", type=int, default=2000,
                        help="audits of each design (default: 2000)")  # fmt: skip
    options = parse_options(parser)
    if options.quick:
        options.data, options.n_draws = None, 10
    judged = load(options.data)
    if options.quick:
        judged = {name: judged[name] for name in [*BY_LABEL, "digits"]}
    designs = [
        (name, design)
        for name in judged
        for design in ("uniform", "by label")
        if design == "uniform" or name in BY_LABEL or "judge" not in name
    ]
    compared = Parallel(n_jobs=options.n_jobs)(
        delayed(compare)(judged[name], design == "by label", options.n_draws)
        for name, design in designs
    )
    results = {name: {} for name in judged}
    for (name, design), of_design in zip(designs, compared, strict=True):
        results[name][design] = of_design
    strata = [
        {"rows": n, "audited": m, "rates": p} | margins(n, m, p)
        for n, m, p in (STRATIFIED[:1] if options.quick else STRATIFIED)
    ]
    tables = summary(results)
    print_tables({"relative to ours": tables, "strata": strata})
    save_figures(options.output, {"shares": figure(results)})
    by_design = {
        design: table.droplevel(0).round(5).to_dict("index")
        for design, table in tables.groupby(level=0)
    }
    settings = {"side": rivals.SIDE, "n_draws": options.n_draws}
    for name, one in judged.items():
        results[name] |= {"rows": one.rows.tolist(), "truly": one.truly.tolist()}
    write_json(
        options.output / "tables.json",
        {"data": results, "summary": by_design, "strata": strata, "settings": settings},
    )


if __name__ == "__main__":
    main()
