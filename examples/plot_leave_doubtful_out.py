"""
Leave the doubtful clusters to a person
=======================================

Half of the handwritten digits have a label. The clusters label the other half, and a
certificate says how often this may go wrong. The bound is far smaller if only those rows
receive a label that lie in clusters which clearly contain one digit.
``SelectiveClusterLabeler`` takes a target for the error rate and leaves out as few rows
as it can. The rows left out, -1 in ``transduction_``, are for a person to look at.

The three pictures show three uses of the labels. With "decoupled" all labels choose, name
and certify; the choice then costs bits. With "holdout" some labels choose and name, and
the others only certify, which gives a smaller bound for one clustering. With "learned"
some labels set the weights of names, which makes the choice cheaper. The bounds of all
points of a curve hold at once. The dashed lines are the true error rates, which only the
hidden labels reveal.

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

TARGETS = {"decoupled": 0.15, "learned": 0.05, "holdout": 0.05}
N_CLUSTERS = {
    "decoupled": range(10, 31),
    "learned": (60, 70, 80),
    "holdout": (60, 70, 80),
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
        print(f"The true error rate is {wrong:.2%}.", end=" ")
        print(f"{1 - labeler.coverage_:.1%} of the rows are left out.")
        CoverageDisplay.from_estimator(labeler, ax=ax)
        ax.set_title(f'certify="{certify}"')
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
