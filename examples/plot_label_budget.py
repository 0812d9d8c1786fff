"""
How many documents to label
===========================

Fifty thousand documents have been grouped into twenty clusters, and each cluster is to
receive one of six topics as its name. Labels cost money. How many documents must be read
so that a certificate states that at most one in ten of the others has the wrong name?

The answer depends on how well the clusters fit the topics. This is not known yet, so the
example tries several expected error rates. It also depends on what is known of the
clusters: their sizes, or only their number. Each number of labels is planned to be enough
in one case out of two, and the number in brackets in nine out of ten. These are plans and
not guarantees. They know that few labels name clusters wrongly.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from sklearn_pacmdl import LabelBudgetDisplay, labels_needed

N_DOCUMENTS, TARGET = 50_000, 0.1
EXPECTED_ERRORS = (0.0, 0.02, 0.05, 0.08, 0.1)
CLUSTERINGS = {
    "sizes are known": {"cluster_sizes": [N_DOCUMENTS // 20] * 20},
    "only the number is known": {"n_clusters": 20},
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="no effect")
    parser.add_argument("--output", type=Path, default=Path("label_budget.png"))
    return parser.parse_args()


def ask(expected_error, clustering, quantile):
    """The labels needed, as text."""
    number = labels_needed(
        N_DOCUMENTS,
        target=TARGET,
        expected_error=expected_error,
        quantile=quantile,
        n_classes=6,
        **clustering,
    )
    return "-" if number is None else f"{number:,}"


def budget_table():
    """A row for each expected error, a column for what is known of the clusters."""
    rows = {
        f"{error:.0%}": {
            title: f"{ask(error, known, 0.5)} ({ask(error, known, 0.9)})"
            for title, known in CLUSTERINGS.items()
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
        1, 2, figsize=(11, 4.5), sharey=True, layout="constrained"
    )
    for ax, (title, known) in zip(axes, CLUSTERINGS.items(), strict=True):
        LabelBudgetDisplay.from_parameters(
            N_DOCUMENTS,
            target=TARGET,
            expected_error=EXPECTED_ERRORS,
            ax=ax,
            n_classes=6,
            **known,
        )
        ax.set(title=f"20 clusters, of which {title}")
        ax.set(xlim=(20, N_DOCUMENTS / 2), ylim=(0, 0.5))
    axes[1].set_ylabel("")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
