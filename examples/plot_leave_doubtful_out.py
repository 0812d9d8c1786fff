"""
Leave the doubtful clusters to a person
=======================================

Half of the handwritten digits have a label. Clusters label the other half, and a
certificate says how often this may go wrong. The bound is smaller if only those rows
receive a label that lie in clusters which clearly contain one digit.
``SelectiveClusterLabeler`` takes a target for the error rate and leaves out as few rows
as it can. The rows left out, -1 in ``transduction_``, are for a person to look at.

The pictures show two targets. A part of the labels, at random, says which clusters are
doubtful, and the others certify a few sets of clusters. The bounds of all points of a
curve hold at once. The dashed lines are the true error rates, which only the hidden
labels reveal.

If people label the rows that are left out, the errors in the whole data set matter more
than their share of the rows with a label. Then pass ``transduction_``, ``confidence_``
and ``audit_`` of a search with ``certify="holdout"`` to ``finish_labels``. With few
labels, far more rows are then labeled automatically.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import CoverageDisplay, PACMDLSearchCV, SelectiveClusterLabeler

TARGETS = 0.04, 0.05


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("leave_doubtful_out.png"))
    parser.add_argument("--quick", action="store_true", help="no effect")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    parameters = {"n_clusters": [30, 40, 50], "random_state": 1}
    search = PACMDLSearchCV(AgglomerativeClustering(), **parameters).fit(X, y)
    print(f"All rows: at most {search.best_bound_:.2%} wrong")
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for ax, target in zip(axes, TARGETS, strict=True):
        labeler = SelectiveClusterLabeler(
            AgglomerativeClustering(), target=target, **parameters
        ).fit(X, y)
        _, hidden = labeler.splits_[0]
        left_out = 1 - labeler.coverage_
        print(f"\nTarget {target:.0%}: {left_out:.1%} of the rows are left out.")
        print(labeler.certificate_.statement)
        named = hidden[labeler.transduction_[hidden] != -1]
        wrong = np.mean(labeler.transduction_[named] != y[named])
        print(f"The true error rate is {wrong:.2%}.")
        CoverageDisplay.from_estimator(labeler, ax=ax)
        ax.set_title(f"target={target}")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
