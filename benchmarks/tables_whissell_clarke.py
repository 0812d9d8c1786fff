"""Table I of Whissell and Clarke beside what is found, and Tukey's test."""

import numpy as np
from scipy.stats import tukey_hsd

SEPARATOR = " | "  # of the names of clusterers whose clusterings are equally good
CRITERIA = ["Inf.", "SW", "DB", "CH", "DN"]
BINS = [*map(str, range(2, 9)), "9+"]


def frequencies(chosen):
    """Instances by number of clusters chosen, the last of nine or more."""
    numbers = chosen["n_clusters"].clip(upper=9).value_counts()
    return [int(numbers.get(k, 0)) for k in range(2, 10)]


LEVEL = 0.01


def tukey(samples):
    """Tukey's test: differences of means, p-values, and symbols as in the paper."""
    differences = np.subtract.outer(samples.mean(axis=1), samples.mean(axis=1))
    if np.ptp(samples, axis=1).any():
        p_values = tukey_hsd(*samples).pvalue
    else:  # nothing varies within a sample: any difference is certain
        p_values = (differences == 0).astype(float)
    symbols = np.where(differences > 0, "O", "X")
    return p_values, np.where(p_values < LEVEL, symbols, "-")


# ---- What the paper prints

PUBLISHED_N_INSTANCES = 50
# Instances with 2, ..., 8 and more clusters chosen, and the mean AMI.
PUBLISHED = {
    "6GAUSS": {
        "Inf.": ((0, 0, 0, 0, 49, 1, 0, 0), 0.999),
        "SW": ((0, 1, 2, 5, 42, 0, 0, 0), 0.983),
        "DB": ((1, 2, 2, 12, 33, 0, 0, 0), 0.958),
        "CH": ((0, 0, 0, 0, 50, 0, 0, 0), 1.0),
        "DN": ((3, 3, 2, 0, 42, 0, 0, 0), 0.950),
    },
    "PAIRED": {
        "Inf.": ((0, 1, 10, 20, 19, 0, 0, 0), 0.911),
        "SW": ((0, 50, 0, 0, 0, 0, 0, 0), 0.783),
        "DB": ((0, 50, 0, 0, 0, 0, 0, 0), 0.783),
        "CH": ((0, 48, 0, 0, 2, 0, 0, 0), 0.791),
        "DN": ((1, 49, 0, 0, 0, 0, 0, 0), 0.779),
    },
    "ELONG": {
        "Inf.": ((0, 1, 4, 9, 13, 12, 4, 7), 0.910),
        "SW": ((0, 1, 11, 25, 1, 1, 2, 9), 0.916),
        "DB": ((0, 0, 1, 2, 1, 2, 2, 42), 0.808),
        "CH": ((0, 0, 0, 0, 0, 0, 0, 50), 0.738),
        "DN": ((8, 5, 5, 22, 6, 1, 0, 3), 0.851),
    },
    "UNIFORM": {
        "Inf.": ((0, 0, 0, 0, 0, 0, 47, 3), 0.997),
        "SW": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "DB": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "CH": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "DN": ((27, 5, 5, 1, 2, 1, 2, 7), 0.590),
    },
    "RINGS": {
        "Inf.": ((22, 7, 3, 10, 2, 3, 2, 1), 0.670),
        "SW": ((0, 0, 0, 0, 0, 6, 34, 10), 0.527),
        "DB": ((0, 0, 0, 0, 0, 0, 0, 50), 0.494),
        "CH": ((0, 0, 0, 0, 0, 0, 0, 50), 0.431),
        "DN": ((21, 12, 0, 0, 0, 11, 4, 2), 0.181),
    },
}
# Informativeness against SW, DB, CH and DN; O where it is significantly better.
PUBLISHED_TUKEY = {
    "6GAUSS": "---O",
    "PAIRED": "OOOO",
    "ELONG": "-OO-",
    "UNIFORM": "---O",
    "RINGS": "OOOO",
}


def compare(chosen, true_clusters):
    """By kind of set: the paper's table and ours, and Tukey's test."""
    return {
        kind: {"true_clusters": number}
        | compare_kind(kind, chosen[chosen["set"] == kind])
        for kind, number in true_clusters.items()
    }


def compare_kind(kind, chosen):
    by_criterion = {name: chosen[chosen["criterion"] == name] for name in CRITERIA}
    samples = np.stack([own["ami"] for own in by_criterion.values()])
    p_values, symbols = tukey(samples)
    return {
        "best_ami_of_all_clusterings": round(float(chosen["best_ami"].mean()), 4),
        "tukey_of_informativeness": {
            "printed": PUBLISHED_TUKEY[kind],
            "found": "".join(symbols[0, 1:]),
        },
        "tukey_symbols": dict(zip(CRITERIA, map("".join, symbols), strict=True)),
        "tukey_p_values": {
            name: dict(zip(CRITERIA, row.tolist(), strict=True))
            for name, row in zip(CRITERIA, p_values, strict=True)
        },
        "criteria": {
            name: compare_criterion(own, *PUBLISHED[kind][name])
            for name, own in by_criterion.items()
        },
    }


def compare_criterion(chosen, printed_frequencies, printed_ami):
    clusterers = chosen["clusterers"].str.split(SEPARATOR, regex=False).explode()
    return {
        "frequencies": {
            "clusters": BINS,
            "printed": list(printed_frequencies),
            "found": frequencies(chosen),
        },
        "ami": {
            "printed": printed_ami,
            "found": round(float(chosen["ami"].mean()), 4),
            "standard_error": round(float(chosen["ami"].sem()), 4),
            "found_arithmetic": round(float(chosen["ami_arithmetic"].mean()), 4),
        },
        "clusterers": clusterers.value_counts().to_dict(),
        "instances_with_ties": int((chosen["n_as_good"] > 1).sum()),
    }


def statements(tables):
    """What section V-E concludes, and whether it is so here."""
    worse = {
        name: [kind for kind, table in tables.items() if against(table, name) == "O"]
        for name in CRITERIA
    }
    better = {
        name: [kind for kind, table in tables.items() if against(table, name) == "X"]
        for name in CRITERIA
    }
    others = [name for name in CRITERIA if name != "Inf."]
    return [
        {
            "statement": "No criterion has a significantly higher AMI than "
            "informativeness on any kind of set",
            "holds": not any(better.values()),
            "found": {name: better[name] for name in others},
        },
        {
            "statement": "Each other criterion has a significantly lower AMI than "
            "informativeness on two kinds of sets or more",
            "holds": all(len(worse[name]) >= 2 for name in others),
            "found": {name: worse[name] for name in others},
        },
    ]


def against(table, name):
    """Tukey's symbol of informativeness against another criterion."""
    return table["tukey_symbols"]["Inf."][list(CRITERIA).index(name)]


def printed(tables):
    """What is printed and what is found, by kind of set: two rows for each criterion."""
    return {
        kind: [
            {"criterion": name, "source": source}
            | dict(zip(BINS, own["frequencies"][source], strict=True))
            | {"AMI": own["ami"][source]}
            | ({"Tukey": table["tukey_symbols"][name]} if source == "found" else {})
            for name, own in table["criteria"].items()
            for source in ("printed", "found")
        ]
        for kind, table in tables.items()
    }
