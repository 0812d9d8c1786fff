"""
Embeddings, and a label for one row in twenty
=============================================

Embeddings, of texts or pictures, are often ready long before there are labels. Here 3,000
made-up ones of 64 dimensions lie around twenty directions on a sphere, which belong to
eight classes of different sizes, and 150 of them have a label. ``PACMDLSearchCV`` tries
two clusterers of directions with 10 to 40 clusters, three random starts each, and
certifies the labels that the clusters give to the other 2,850 rows.

On the left are the bounds of all candidates, which hold at once. On the right are the
clusters of the best clustering against the classes: dark cells are clusters of one class.
The table of the clusters, printed below the sentence, shows where to look next. It lists
the clusters with few labels or mixed labels, the most doubtful first.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans, VonMisesFisherMixture
from sklearn_pacmdl.datasets import make_vmf_blobs
from sklearn_pacmdl.displays import ContingencyDisplay

# The class of each direction: four classes have one, four have four.
CLASSES = np.repeat(list("ABCDEFGH"), [1, 4, 1, 4, 1, 4, 1, 4])


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("embeddings_few_labels.png"))
    parser.add_argument("--quick", action="store_true", help="fewer candidates")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, direction = make_vmf_blobs(
        3000, 64, centers=len(CLASSES), concentration=60.0, random_state=0
    )
    truth = CLASSES[direction]
    y = np.full(len(truth), None, dtype=object)
    labeled = np.random.RandomState(0).permutation(len(y))[:150]
    y[labeled] = truth[labeled]

    search = PACMDLSearchCV(
        [("spherical", SphericalKMeans()), ("mixture", VonMisesFisherMixture())],
        n_clusters=[10, 20, 25] if arguments.quick else range(10, 41, 5),
        n_init=1 if arguments.quick else 3,
        random_state=0,
    ).fit(X, y)
    print(search.certificate_.statement)
    hidden = np.array([label is None for label in y])
    wrong = np.mean(search.transduction_[hidden] != truth[hidden])
    print(f"The true error rate is {wrong:.2%}.\n")
    doubtful = search.clusters_.sort_values(["purity", "n_labels"]).head()
    print(doubtful[["size", "class", "n_labels", "purity"]].to_string())

    figure, axes = plt.subplots(
        1, 2, figsize=(14, 5.5), layout="constrained", width_ratios=[1.2, 1]
    )
    PACMDLDisplay.from_estimator(search, ax=axes[0])
    ContingencyDisplay.from_estimator(search, truth, ax=axes[1])
    axes[1].set_title("True classes of all rows, by cluster")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
