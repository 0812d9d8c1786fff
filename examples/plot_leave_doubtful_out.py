"""
Leave the doubtful clusters to a person
=======================================

Half of the handwritten digits have a label. Naming all of the others by their clusters is
certified to go wrong in so many cases; naming only those in clusters that are surely of
one digit is certified to go wrong in far fewer. ``SelectiveClusterLabeler`` is given a
target error and leaves out as little as it can. The rest, -1 in ``transduction_``, is for
a person to look at.

The pictures show what the labels can be used for. If all of them choose, name and certify
("pac-mdl"), the choice has to be paid for in bits, and the same labels say a little about
everything. If some of them choose and name, and the others only certify ("holdout"), the
statement is about one clustering, and about much less error. All points of a curve hold
at once. The dashed lines, which only the hidden labels know, are the true errors.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import CoverageDisplay, PACMDLSearchCV, SelectiveClusterLabeler

TARGETS = {"pac-mdl": 0.15, "learned": 0.05, "holdout": 0.05}
N_CLUSTERS = {"pac-mdl": range(10, 31), "learned": (60, 70, 80), "holdout": (60, 70, 80)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--output", type=Path, default=Path("leave_doubtful_out.png"))
    parser.add_argument("--quick", action="store_true", help="fewer clusterings")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    for ax, (certify, target) in zip(axes, TARGETS.items(), strict=True):
        numbers = list(N_CLUSTERS[certify])
        parameters = {
            "n_clusters": numbers[::10] if arguments.quick else numbers,
            "certify": certify,
            "random_state": 0,
        }
        search = PACMDLSearchCV(AgglomerativeClustering(), **parameters).fit(X, y)
        labeler = SelectiveClusterLabeler(
            AgglomerativeClustering(), target=target, **parameters
        ).fit(X, y)
        _, hidden = labeler.splits_[0]
        print(f"\ncertify={certify!r}, all rows: at most {search.best_bound_:.2%} wrong")
        if not labeler.certificates_:
            continue
        print(labeler.certificate_.statement)
        named = hidden[labeler.transduction_[hidden] != -1]
        wrong = np.mean(labeler.transduction_[named] != y[named])
        print(f"In fact {wrong:.2%} are, and {1 - labeler.coverage_:.1%} are left out.")
        CoverageDisplay.from_estimator(labeler, ax=ax)
        ax.set_title(certify)
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
