"""
Cut a dendrogram where the certificate is tightest
==================================================

Ward's linkage joins handwritten digits, two groups at a time, to one tree. Half of the
digits have a label. ``DendrogramLabeler`` looks at every cut of the tree with up to a
hundred clusters, flat ones and prunings that are cut at different heights, and keeps the
one with the smallest bound. Its sentence accounts for this choice.

On the left are the merges above the chosen cut, with the digit that each cluster was
given. On the right are the clusters against the true digits, which only the example
knows, in an order in which what agrees lies on a staircase.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sklearn_pacmdl import DendrogramLabeler
from sklearn_pacmdl.displays import ContingencyDisplay, DendrogramDisplay


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("dendrogram.png"))
    parser.add_argument("--quick", action="store_true", help="600 digits")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    if arguments.quick:
        X, y = X[:600], y[:600]
    labeled = np.random.RandomState(0).permutation(len(y)) < len(y) // 2
    labeler = DendrogramLabeler(random_state=0).fit(X, np.where(labeled, y, -1))
    print(f"{labeler.n_clusters_} clusters, a {labeler.cut_} cut.")
    print(labeler.certificate_.statement)
    wrong = np.mean(labeler.transduction_[~labeled] != y[~labeled])
    print(f"The true error rate is {wrong:.2%}.")

    figure, axes = plt.subplots(
        1, 2, figsize=(14, 5.5), layout="constrained", width_ratios=[1.4, 1]
    )
    DendrogramDisplay.from_estimator(labeler, ax=axes[0])
    ContingencyDisplay.from_estimator(labeler, y, ax=axes[1])
    axes[1].set_title("True digits of all rows, by cluster")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
