"""
How many documents to label
===========================

Fifty thousand documents have been grouped into twenty clusters, and each cluster is to
receive one of six topics as its name. Labels cost money. How many documents must be read
so that a certificate states that at most one in ten of the others has the wrong name?

The answer depends on how well the clusters fit the topics. This is not known yet, so the
example tries several expected error rates. The answer also depends on the use of the
labels. All of them can choose among fifty clusterings, name the clusters and certify; the
choice then costs bits, and the names cost nothing by default ("decoupled") or bits too
("pac-mdl with paid names"). A part of the labels can choose and name while the rest only
certifies ("holdout"). Or a part of them can tell which names are likely ("learned"),
which makes the choice cheaper. Each number of labels is planned to be enough in one case
out of two, and the number in brackets in nine out of ten. These are plans and not
guarantees. Small numbers under hold-out are unreliable: ten labels cannot name twenty
clusters well, so the expected error would not be small either.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from sklearn_pacmdl import LabelBudgetDisplay, labels_needed

N_DOCUMENTS, TARGET = 50_000, 0.1
EXPECTED_ERRORS = (0.0, 0.02, 0.05, 0.08, 0.1)
TITLES = {
    "decoupled": "All labels choose, name and certify\n(default)",
    "pac-mdl": "The same, names paid for in bits\n(certify='pac-mdl')",
    "holdout": "Half choose and name, half certify\n(certify='holdout')",
    "learned": "Three in ten tell which names are likely\n(certify='learned')",
}
CLUSTERING = {"n_clusters": 20, "n_classes": 6, "n_candidates": 50}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="no effect")
    parser.add_argument("--output", type=Path, default=Path("label_budget.png"))
    return parser.parse_args()


def ask(expected_error, way, quantile):
    """The labels needed, as text."""
    try:
        number = labels_needed(
            N_DOCUMENTS,
            target=TARGET,
            expected_error=expected_error,
            quantile=quantile,
            certify=way,
            **CLUSTERING,
        )
    except ValueError:  # half of the documents do not suffice
        return "-"
    return f"{number:,}"


def budget_table():
    """A row for each expected error, a column for each use of the labels."""
    rows = {
        f"{error:.0%}": {
            way: f"{ask(error, way, 0.5)} ({ask(error, way, 0.9)})" for way in TITLES
        }
        for error in EXPECTED_ERRORS
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("expected error")


def main():
    arguments = parse_arguments()
    print(
        f"Labels to certify that at most {TARGET:.0%} of the other documents, out of "
        f"{N_DOCUMENTS:,}, have the wrong name:\n"
    )
    print(budget_table().to_string())
    figure, axes = plt.subplots(
        2, 2, figsize=(11, 8.5), sharey=True, layout="constrained"
    )
    for ax, way in zip(axes.flat, TITLES, strict=True):
        LabelBudgetDisplay.from_parameters(
            N_DOCUMENTS,
            target=TARGET,
            expected_error=EXPECTED_ERRORS,
            ax=ax,
            certify=way,
            **CLUSTERING,
        )
        ax.set(title=TITLES[way], ylabel=ax.get_ylabel() if ax in axes[:, 0] else "")
    for ax in axes.flat:
        # With fewer labels than clusters, some clusters would be named blindly.
        ax.set(xlim=(CLUSTERING["n_clusters"], N_DOCUMENTS / 2), ylim=(0, 0.5))
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
