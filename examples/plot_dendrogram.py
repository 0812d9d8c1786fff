"""
Cut a dendrogram where the certificate is tightest
==================================================

Ward's linkage joins handwritten digits, two groups at a time, to one tree. Half of the
digits have a label. The search builds the tree once, looks at its cuts into 2 to 45
clusters, and keeps the one with the smallest bound. Its sentence accounts for this
choice.

On the left are the merges above the chosen clusters, with the digit that each cluster was
assigned. On the right are the clusters against the true digits, which only the example
knows. They are in an order in which clusters and digits that agree lie on a staircase.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV
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
    search = PACMDLSearchCV(
        AgglomerativeClustering(), n_clusters=range(2, 46), random_state=0
    ).fit(X, np.where(labeled, y, -1))
    print(search.certificate_.statement)
    wrong = np.mean(search.transduction_[~labeled] != y[~labeled])
    print(f"The true error rate is {wrong:.2%}.")

    figure, axes = plt.subplots(
        1, 2, figsize=(14, 5.5), layout="constrained", width_ratios=[1.4, 1]
    )
    DendrogramDisplay.from_estimator(search, ax=axes[0])
    ContingencyDisplay.from_estimator(search, y, ax=axes[1])
    axes[1].set_title("True digits of all rows, by cluster")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
