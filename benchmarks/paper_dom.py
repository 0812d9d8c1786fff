"""Dom's comparison of external measures, computed again.

Reproduces tables 1 to 5, figures 1 to 7 and the tests of properties P1 to P5 of B. E.
Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM Research Report
RJ 10219, 2001. Nothing is sampled: the measures are taken of expected tables, of counts
for Q0, Q1, Q2 and Hamming, and of pairs (appendix A of the report) for the other four.

    python benchmarks/paper_dom.py

writes ``measures.csv`` (a row for each case and measure), ``comparison.json`` (what the
report prints beside what is found here) and the figures as PNG and SVG. The report does
not say which n its figures 1 and 2 are for; here it is 500, as in its other figures. It
does not say either whether rank 1 is best or worst; here it is best.
"""

import time
from itertools import product
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import experiment_parser, parse_options, save_figure, write_json
from matplotlib.colors import BoundaryNorm
from sklearn.utils.parallel import Parallel, delayed

from sklearn_pacmdl import metrics
from sklearn_pacmdl.datasets import dom_joint_distribution

# ---- The family of distributions, section 6.1


class Case(NamedTuple):
    """Parameters of one distribution: |K_u|, |K_n|, epsilon_1, epsilon_2 and |C|."""

    n_useful: int
    n_noise: int
    e1: float
    e2: float
    n_classes: int = 5


def family(grid):
    """Cases of section 7.2.1: there is an epsilon_2 if and only if there is noise."""
    cases = (Case(*values) for values in product(*grid.values()))
    return [case for case in cases if (case.n_noise > 0) == (case.e2 > 0)]


# ---- Measures

N = 500
GRID = {
    "n_useful": range(2, 12),
    "n_noise": range(7),
    "e1": (0.0, 0.2 / 3, 0.4 / 3, 0.2),
    "e2": (0.0, 0.1, 0.2, 0.3),
}
QUICK_GRID = GRID | {"n_noise": (0, 1, 3, 6), "e1": (0.0, 0.2), "e2": (0.0, 0.1, 0.3)}
PARAMETERS = list(GRID)


def rand(*, contingency):
    """scikit-learn's takes labels only."""
    (neither, _), (_, both) = pairs = contingency.pair_confusion_matrix()
    return (neither + both) / pairs.sum()


def fowlkes_mallows(*, contingency):
    """scikit-learn's takes labels only."""
    (_, cluster_only), (class_only, both) = contingency.pair_confusion_matrix()
    if not both:
        return 0.0
    return np.sqrt(both / (both + class_only)) * np.sqrt(both / (both + cluster_only))


OF_PAIRS = {
    "Rand": rand,
    "Fowlkes": fowlkes_mallows,
    "Gamma": metrics.hubert_gamma_score,
    "Jaccard": metrics.pairwise_jaccard_score,
}
OF_COUNTS = {
    "Hamming": metrics.normalized_hamming_score,
    "Q0": metrics.dom_q0_loss,
    "Q1": metrics.dom_q1_score,
    "Q2": metrics.dom_q2_score,
}
OTHERS = [*OF_PAIRS, "Hamming"]
COMPARED = [*OTHERS, "Q2"]
ROUNDING = 12  # Decimals: what differs less is equal, the cells being sums of fractions.


def measure(case):
    """All measures of the expected tables of N objects."""
    p = dom_joint_distribution(*case)
    table = metrics.ContingencyTable.from_probabilities(p, N)
    return {name: f(contingency=table) for name, f in (OF_PAIRS | OF_COUNTS).items()}


def measure_all(cases, n_jobs=1):
    """A row for each case, the parameters and the measures as columns."""
    values = Parallel(n_jobs=n_jobs)(delayed(measure)(case) for case in cases)
    return pd.concat([pd.DataFrame(cases), pd.DataFrame(values)], axis=1)


def higher_is_better(wide):
    """The measures only, rounded, Q0 with its sign changed."""
    scores = wide[[*OF_PAIRS, *OF_COUNTS]].round(ROUNDING)
    return scores.assign(Q0=-scores["Q0"])


def ranks(wide):
    """From 1, the best; equal values share the mean of their ranks."""
    return higher_is_better(wide).rank(ascending=False)


def tidy(wide):
    """A row for each case and measure."""
    keys = list(Case._fields)
    names = [*OF_PAIRS, *OF_COUNTS]
    values = wide.melt(keys, names, var_name="measure")
    rank = pd.concat([wide[keys], ranks(wide)], axis=1).melt(keys, names)["value"]
    return values.assign(rank=rank)


# ---- Properties, table 4


class Property(NamedTuple):
    """What a step up in one parameter must do to a measure, all others being fixed."""

    parameter: str
    direction: int
    cases: str


PROPERTIES = {
    "P1": Property("n_useful", 1, "n_useful <= n_classes"),
    "P2": Property("n_useful", -1, "n_useful >= n_classes"),
    "P3": Property("n_noise", -1, "n_noise > 0"),
    "P4": Property("e1", -1, "n_useful > 1"),
    "P5": Property("e2", -1, "n_noise > 0"),
}


def steps(wide, name):
    """Change of every measure at every step of the property's parameter."""
    parameter, _, cases = PROPERTIES[name]
    chosen = wide.query(cases).sort_values(parameter)
    fixed = [key for key in PARAMETERS if key != parameter]
    groups = chosen[fixed].round(ROUNDING).apply(tuple, axis=1)
    scores = higher_is_better(chosen)
    changes = scores.groupby(groups).diff().round(ROUNDING)
    changes["sequence"] = groups
    changes["to"] = chosen[parameter]
    changes["n_useful"] = chosen["n_useful"]
    return changes.dropna()


def failures(wide):
    """A row for each property, measure and step in a direction that is not the wanted."""
    found = []
    for name, wanted in PROPERTIES.items():
        changes = steps(wide, name).melt(
            ["sequence", "to", "n_useful"], var_name="measure", value_name="change"
        )
        failed = changes[changes["change"] * wanted.direction <= 0]
        found.append(failed.assign(property=name))
    return pd.concat(found, ignore_index=True)


def count_failures(wide):
    """Sequences with a failing step, failing steps, and how many there are of both.

    P1 and P2 are two halves of one sequence over |K_u| and counted together.
    """
    failed = failures(wide)
    rows = []
    for label in ("P1 P2", "P3", "P4", "P5"):
        tested = pd.concat([steps(wide, name) for name in label.split()])
        of_label = failed[failed["property"].isin(label.split())]
        for name in [*OF_PAIRS, *OF_COUNTS]:
            own = of_label[of_label["measure"] == name]
            rows.append(
                {
                    "property": label,
                    "measure": name,
                    "sequences": own["sequence"].nunique(),
                    "of_sequences": tested["sequence"].nunique(),
                    "steps": len(own),
                    "of_steps": len(tested),
                }
            )
    return pd.DataFrame(rows)


# ---- What the report prints

PUBLISHED_N_CASES = 760
# Table 5 for P3; the text of section 7.2.2 for the others.
PUBLISHED_FAILURES = {
    "P1 P2": dict.fromkeys(COMPARED, 0) | {"Rand": 12, "Hamming": 2},
    "P3": {
        "Rand": 120,
        "Fowlkes": 103,
        "Gamma": 120,
        "Jaccard": 80,
        "Hamming": 120,
        "Q2": 0,
    },
    "P4": dict.fromkeys(COMPARED, 0),
    "P5": dict.fromkeys(COMPARED, 0) | {"Rand": 29},
}
PUBLISHED_RAND_P5_AT_3 = 4  # Of the 29; the others are said to be at |K_u| = 2.
# Tables 1 to 3: the case, then p(c, k) in own, other useful and noise clusters.
PUBLISHED_TABLES = {
    1: (Case(5, 0, 0.0, 0.0), (0.20, 0.00, 0.00)),
    2: (Case(5, 0, 0.2, 0.0), (0.16, 0.01, 0.00)),
    3: (Case(5, 3, 0.2, 0.3), (0.10, 0.01, 0.02)),
}


def published_table(number):
    case, (own, other, noise) = PUBLISHED_TABLES[number]
    useful = np.full((case.n_classes, case.n_useful), other)
    np.fill_diagonal(useful, own)
    return np.hstack([useful, np.full((case.n_classes, case.n_noise), noise)])


def compare_tables():
    """Tables 1 to 3, how far they are from print, and the measures of them."""
    rows = {}
    for number, (case, _) in PUBLISHED_TABLES.items():
        p = dom_joint_distribution(*case)
        rows[f"Table {number}"] = {
            "p": p.round(ROUNDING).tolist(),
            "largest_difference_from_print": np.abs(p - published_table(number)).max(),
            "measures": measure(case),
        }
    return rows


def compare_failures(counts):
    """Failing sequences of every property and measure beside the printed number."""
    counts = counts.assign(
        printed=[
            PUBLISHED_FAILURES[label].get(name)
            for label, name in zip(counts["property"], counts["measure"], strict=True)
        ]
    ).dropna()
    counts["printed"] = counts["printed"].astype(int)
    return counts.assign(agrees=counts["printed"] == counts["sequences"])


def explain_rand(failed, counts):
    """Why the printed failures of Rand under P5 are not a count of sequences."""
    own = failed.query("measure == 'Rand' and property == 'P5'")
    by_useful = own.groupby("n_useful")["sequence"].nunique().to_dict()
    row = counts.query("measure == 'Rand' and property == 'P5'").iloc[0]
    each = row["of_sequences"] // len(GRID["n_useful"])
    at_3 = PUBLISHED_RAND_P5_AT_3
    at_2 = PUBLISHED_FAILURES["P5"]["Rand"] - at_3
    return (
        f"sequences that fail, by |K_u|: {by_useful}. Printed: {at_3} at |K_u| = 3, "
        f"so {at_2} at |K_u| = 2, where there are only {each} sequences in these cases. "
        f"By steps, {row['steps']} of {row['of_steps']} fail."
    )


def statements(wide, failed):
    """Sentences of section 7 that can be checked: what is said, whether it is so, how."""
    return [
        *on_order(wide),
        *on_rand(wide, failed[failed["measure"] == "Rand"]),
        *on_hamming(wide, failed[failed["measure"] == "Hamming"]),
    ]


def on_order(wide):
    all_ranks = ranks(wide)
    q2 = all_ranks["Q2"]
    return [
        {
            "statement": "In figure 1 all measures fall with epsilon_1",
            "holds": always_falls(simple_case_1()),
        },
        {
            "statement": "In figure 2 all measures fall with |K_u|",
            "holds": always_falls(simple_case_2()),
        },
        {
            "statement": "Q0 and Q2 order the cases alike (here Q1 too)",
            "holds": bool(all_ranks[["Q0", "Q1"]].eq(q2, axis=0).all(axis=None)),
        },
        {
            "statement": "Every other measure orders them otherwise",
            "holds": bool(all_ranks[OTHERS].ne(q2, axis=0).any().all()),
        },
    ]


def on_rand(wide, failed):
    peaks = rand_peaks(wide)
    return [
        {
            "statement": "Where Rand fails P1 or P2 its peak is at |K_u| = 6 or 7",
            "holds": set(peaks["n_useful"]) <= {6, 7},
            "found": sequences_by(peaks, "n_useful"),
        },
        {
            "statement": "Rand fails P1 and P2 only where both errors are large "
            "(here: above the mean of their values)",
            "holds": above_mean(peaks, wide, "e1") and above_mean(peaks, wide, "e2"),
            "found": {name: sequences_by(peaks, name) for name in ("e1", "e2")},
        },
        {
            "statement": "Rand fails P5 only where |K_u| is 2 or 3",
            "holds": set(failed.query("property == 'P5'")["n_useful"]) <= {2, 3},
        },
    ]


def on_hamming(wide, failed):
    over_useful = failed[failed["property"].isin(["P1", "P2"])]
    over_noise = steps(wide, "P3")
    falls = over_noise[over_noise["Hamming"] < 0]
    outgrown = {s for s in over_noise["sequence"] if noise_outgrows_own(s)}
    return [
        {
            "statement": "Hamming fails P1 and P2 by no change from |K_u| = 10 to 11",
            "holds": bool(over_useful["change"].eq(0).all())
            and set(over_useful["to"]) <= {11},
            "found": {"(|K_n|, e1, e2)": over_useful["sequence"].tolist()},
        },
        {
            "statement": "Hamming does not change with |K_n|",
            "holds": bool(over_noise["Hamming"].eq(0).all()),
            "found": {
                "steps": len(over_noise),
                "steps up": int((over_noise["Hamming"] > 0).sum()),
                "steps down": len(falls),
                "steps down, by |K_n| they lead to": sequences_by(falls, "to"),
                "steps down, by |K_u|": sequences_by(falls, "n_useful"),
                "they are where a single noise cluster holds more of a class than any "
                "other cluster": set(falls["sequence"]) == outgrown,
            },
        },
    ]


def always_falls(values):
    falls = values[COMPARED].round(ROUNDING).diff().iloc[1:].lt(0)
    return bool(falls.all(axis=None))


def rand_peaks(wide):
    """The cases of the largest Rand over |K_u|, where they are not at |K_u| = |C|."""
    best = wide.loc[wide.groupby(["n_noise", "e1", "e2"])["Rand"].idxmax()]
    return best.query("n_useful != n_classes")


def above_mean(cases, wide, parameter):
    return bool(cases[parameter].min() > wide[parameter].unique().mean())


def noise_outgrows_own(sequence):
    n_useful, e1, e2 = sequence
    p = dom_joint_distribution(int(n_useful), 1, e1, e2)
    return bool(np.any(p[:, -1] > p[:, :-1].max(axis=1)))


def sequences_by(frame, parameter):
    counts = frame[parameter].round(4).value_counts().sort_index()
    return {key: int(count) for key, count in counts.items()}


# ---- Figures

STYLES = {
    "Q2": {"color": "black", "lw": 2.5},
    "Rand": {"color": "C0", "lw": 4, "alpha": 0.5},
    "Fowlkes": {"color": "C1", "ls": "--"},
    "Gamma": {"color": "C2", "ls": "-."},
    "Jaccard": {"color": "C3", "lw": 1},
    "Hamming": {"color": "C4", "ls": ":", "lw": 2},
}


def simple_case_1():
    cases = [Case(5, 0, e1, 0.0) for e1 in np.linspace(0, 0.8, 161)]
    return measure_all(cases)


def simple_case_2():
    return measure_all([Case(k, 0, 0.0, 0.0, n_classes=6) for k in range(6, 61)])


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
    levels = np.arange(GRID["n_useful"].start, GRID["n_useful"].stop + 1) - 0.5
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
        ticks=GRID["n_useful"],
        aspect=40,
        label="Useful clusters, $|K_u|$ (there are 5 classes)",
    )
    return figure


def draw_all(wide, output):
    figures = {
        "figure_1": draw_simple_case(
            simple_case_1(),
            "e1",
            r"Share $\epsilon_1$ in clusters of other classes",
            "Figure 1: errors, 5 classes, 5 clusters",
        ),
        "figure_2": draw_simple_case(
            simple_case_2(),
            "n_useful",
            "Useful clusters, $|K_u|$",
            "Figure 2: classes split into ever more clusters, 6 classes, no errors",
        ),
        "figures_3_to_7": draw_comparison(wide),
    }
    for name, figure in figures.items():
        save_figure(figure, output / name)
    return [f"{name}.{kind}" for name in figures for kind in ("png", "svg")]


# ---- Report


def print_tables(tables):
    for name, table in tables.items():
        print(f"\n{name}: p(c, k)")
        print(pd.DataFrame(table["p"]).to_string(index=False, header=False))
        print(
            f"largest difference from print: {table['largest_difference_from_print']:.0e}"
        )
    measures = pd.DataFrame({name: table["measures"] for name, table in tables.items()})
    print(f"\nMeasures of the three, n = {N}")
    print(measures.T.round(4).to_string())


def print_failures(compared):
    for label, rows in compared.groupby("property", sort=False):
        total = rows["of_sequences"].iloc[0]
        name = "Table 5: sequences" if label == "P3" else "Sequences"
        print(f"\n{name} that fail {label.replace(' ', ' or ')}, of {total}")
        table = rows.set_index("measure")[["printed", "sequences", "steps"]]
        table.columns = ["printed", "found", "failing steps"]
        print(table.T.rename_axis(columns=None).to_string())


def print_statements(checked):
    print("\nStatements of section 7")
    for row in checked:
        verdict = {True: "holds", False: "FAILS", None: "see"}[row.get("holds")]
        print(f"{verdict:<6} {row['statement']}")
        if "found" in row:
            print(f"       found: {row['found']}")


def parse_arguments():
    quick = "a part of the cases; counts are then smaller than the printed ones"
    return parse_options(experiment_parser(__doc__, "dom", quick))


def analyze(wide):
    """All that is compared with the report."""
    failed, counts = failures(wide), count_failures(wide)
    all_ranks = ranks(wide)
    spearman = all_ranks[OTHERS].corrwith(all_ranks["Q2"])
    return {
        "cases": {"printed": PUBLISHED_N_CASES, "found": len(wide)},
        "tables_1_to_3": compare_tables(),
        "failures": compare_failures(counts).to_dict("records"),
        "rand_under_p5": explain_rand(failed, counts),
        "statements": statements(wide, failed),
        "spearman_with_q2": spearman.round(4).to_dict(),
    }


def print_results(results):
    print(f"Cases (printed, found): {tuple(results['cases'].values())}")
    print_tables(results["tables_1_to_3"])
    print_failures(pd.DataFrame(results["failures"]))
    print(f"\nRand under P5: {results['rand_under_p5']}")
    print_statements(results["statements"])
    print("\nSpearman correlation with Q2 over the cases (figures 3 to 7)")
    print(pd.Series(results["spearman_with_q2"]).round(3).to_string())


def main():
    arguments = parse_arguments()
    start = time.perf_counter()
    wide = measure_all(family(QUICK_GRID if arguments.quick else GRID), arguments.n_jobs)
    results = analyze(wide)
    print_results(results)
    arguments.output.mkdir(parents=True, exist_ok=True)
    tidy(wide).to_csv(
        arguments.output / "measures.csv", index=False, float_format="%.12g"
    )
    results["files"] = ["measures.csv", *draw_all(wide, arguments.output)]
    results["quick"] = arguments.quick
    results["seconds"] = round(time.perf_counter() - start, 1)
    write_json(arguments.output / "comparison.json", results)


if __name__ == "__main__":
    main()
