"""Dom's tables and the properties that they test, beside what is found."""

from typing import NamedTuple

import numpy as np
import pandas as pd


def joint_distribution(n_useful, n_noise, useful_error, noise_share, n_classes=5):
    """Joint distribution of classes and clusters with two kinds of errors, section 6.1.

    Classes are equally probable. Each has useful clusters of its own, or several share
    one. A share of every class strays to useful clusters of other classes (none where all
    are its own), another to noise clusters. Of shape (n_classes, n_useful + n_noise).
    """
    p = np.zeros((n_classes, n_useful + n_noise))
    for c, useful in enumerate(_useful_clusters(n_useful, n_classes)):
        foreign = np.setdiff1d(np.arange(n_useful), useful)
        strayed = useful_error if foreign.size else 0.0
        p[c, useful] = (1 - strayed - noise_share) / len(useful)
        p[c, foreign] = strayed / max(foreign.size, 1)
        p[c, n_useful:] = noise_share / max(n_noise, 1)
    return p / n_classes


def _useful_clusters(n_useful, n_classes):
    """Useful clusters of each class; classes share them where there are fewer."""
    # In groups whose sizes differ by at most 1, the larger ones first.
    if n_useful >= n_classes:
        return np.array_split(np.arange(n_useful), n_classes)
    groups = np.array_split(np.arange(n_classes), n_useful)
    return [[k] for k, classes in enumerate(groups) for _ in classes]


class Case(NamedTuple):
    """Parameters of one distribution: |K_u|, |K_n|, epsilon_1, epsilon_2 and |C|."""

    n_useful: int
    n_noise: int
    e1: float
    e2: float
    n_classes: int = 5


PARAMETERS = ["n_useful", "n_noise", "e1", "e2"]
OTHERS = ["Rand", "Fowlkes", "Gamma", "Jaccard", "Hamming"]
MEASURES = [*OTHERS, "Q0", "Q1", "Q2"]
COMPARED = [*OTHERS, "Q2"]
ROUNDING = 12  # Decimals: what differs less is equal, the cells being sums of fractions.


def higher_is_better(wide):
    """The measures only, rounded, Q0 with its sign changed."""
    scores = wide[MEASURES].round(ROUNDING)
    return scores.assign(Q0=-scores["Q0"])


def ranks(wide):
    """From 1, the best; equal values share the mean of their ranks."""
    return higher_is_better(wide).rank(ascending=False)


def tidy(wide):
    """A row for each case and measure."""
    keys = list(Case._fields)
    names = MEASURES
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
        for name in MEASURES:
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


def compare_tables(measures):
    """Tables 1 to 3, how far they are from print, and the measures of them."""
    rows = {}
    for number, (case, _) in PUBLISHED_TABLES.items():
        p = joint_distribution(*case)
        rows[f"Table {number}"] = {
            "p": p.round(ROUNDING).tolist(),
            "largest_difference_from_print": np.abs(p - published_table(number)).max(),
            "measures": measures[number],
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


def explain_rand(failed, counts, n_useful):
    """Why the printed failures of Rand under P5 are not a count of sequences."""
    own = failed.query("measure == 'Rand' and property == 'P5'")
    by_useful = own.groupby("n_useful")["sequence"].nunique().to_dict()
    row = counts.query("measure == 'Rand' and property == 'P5'").iloc[0]
    each = row["of_sequences"] // n_useful
    at_3 = PUBLISHED_RAND_P5_AT_3
    at_2 = PUBLISHED_FAILURES["P5"]["Rand"] - at_3
    return (
        f"sequences that fail, by |K_u|: {by_useful}. Printed: {at_3} at |K_u| = 3, "
        f"so {at_2} at |K_u| = 2, where there are only {each} sequences in these cases. "
        f"By steps, {row['steps']} of {row['of_steps']} fail."
    )


def statements(wide, failed, simple_cases):
    """Sentences of section 7 that can be checked: what is said, whether it is so, how."""
    return [
        *on_order(wide, *simple_cases),
        *on_rand(wide, failed[failed["measure"] == "Rand"]),
        *on_hamming(wide, failed[failed["measure"] == "Hamming"]),
    ]


def on_order(wide, simple_case_1, simple_case_2):
    all_ranks = ranks(wide)
    q2 = all_ranks["Q2"]
    return [
        {
            "statement": "In figure 1 all measures fall with epsilon_1",
            "holds": always_falls(simple_case_1),
        },
        {
            "statement": "In figure 2 all measures fall with |K_u|",
            "holds": always_falls(simple_case_2),
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
    p = joint_distribution(int(n_useful), 1, e1, e2)
    return bool(np.any(p[:, -1] > p[:, :-1].max(axis=1)))


def sequences_by(frame, parameter):
    counts = frame[parameter].round(4).value_counts().sort_index()
    return {key: int(count) for key, count in counts.items()}


def analyze(wide, simple_cases, measures):
    """All that is compared with the report."""
    failed, counts = failures(wide), count_failures(wide)
    all_ranks = ranks(wide)
    spearman = all_ranks[OTHERS].corrwith(all_ranks["Q2"])
    return {
        "cases": {"printed": PUBLISHED_N_CASES, "found": len(wide)},
        "tables_1_to_3": compare_tables(measures),
        "failures": compare_failures(counts).to_dict("records"),
        "rand_under_p5": explain_rand(failed, counts, wide["n_useful"].nunique()),
        "statements": statements(wide, failed, simple_cases),
        "spearman_with_q2": spearman.round(4).to_dict(),
    }


def printed(results):
    """What of this is printed, by title."""
    tables = results["tables_1_to_3"]
    failed = pd.DataFrame(results["failures"])
    return {
        "Cases": [results["cases"]],
        "Measures of tables 1 to 3": {
            n: table["measures"] for n, table in tables.items()
        },
        "Sequences that fail a property (table 5: P3)": failed,
        "Statements of section 7": results["statements"],
        "Spearman correlation with Q2 over the cases (figures 3 to 7)": [
            results["spearman_with_q2"]
        ],
    }
