"""
Which clustering of the digits to trust
=======================================

Four algorithms cluster the 1,797 images of handwritten digits that come with
scikit-learn into 10 to 120 clusters. Those that depend on a random start are run from
three starts. First a fifth, then half of the images are labeled. Which clustering should
label the other images, and how many of these labels will be wrong? The true labels of the
other images serve one purpose only: to show the true error rate beside the bound.
"""

import argparse
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("select_clustering.png"))
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="fewer candidates")
    return parser.parse_args()


def hide_labels(y, labeled, random_state):
    """Labels of a random part of the rows; the others are -1."""
    order = np.random.RandomState(random_state).permutation(len(y))
    seen = np.full(len(y), -1)
    kept = order[: round(labeled * len(y))]
    seen[kept] = y[kept]
    return seen


def best_per_algorithm(search):
    """The best candidate of each algorithm, as a table."""
    columns = {
        "n_clusters": "clusters",
        "description_length": "bits",
        "mean_train_errors": "errors seen",
        "mean_test_bound": "bound",
    }
    table = pd.DataFrame(search.cv_results_).sort_values("rank_test_bound", kind="stable")
    table = table.groupby("algorithm", sort=False).first()
    return table[list(columns)].rename(columns=columns)


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    search = PACMDLSearchCV(
        [
            ("k-means", KMeans()),
            ("bisecting k-means", BisectingKMeans()),
            ("Ward", AgglomerativeClustering()),
            ("Gaussian mixture", GaussianMixture(covariance_type="diag", reg_covar=1e-1)),
        ],
        n_clusters=range(10, 121, 30 if arguments.quick else 10),
        n_init=1 if arguments.quick else 3,
        random_state=0,
        n_jobs=arguments.n_jobs,
    )
    figure, axes = plt.subplots(1, 2, figsize=(14, 5), sharey=True, layout="constrained")
    for ax, labeled in zip(axes, (0.2, 0.5), strict=True):
        seen = hide_labels(y, labeled, random_state=0)
        with warnings.catch_warnings():
            # Of 40 or more clusters, one without a label is nothing unusual.
            warnings.filterwarnings("ignore", ".* hold no ", UserWarning)
            search.fit(X, seen)
        hidden = seen == -1
        error = np.mean(search.transduction_[hidden] != y[hidden])
        print(f"\n{labeled:.0%} of the {len(y)} digits labeled")
        print(search.certificate_.statement)
        print(f"The true error rate is {error:.2%}.\n")
        print(best_per_algorithm(search).round(3).to_string())
        PACMDLDisplay.from_estimator(search, ax=ax)
        ax.axhline(error, color="0.5", linewidth=0.8, linestyle="--")
        ax.annotate(
            f"true error rate: {error:.1%}",
            (100, error),
            xytext=(0, -11),
            textcoords="offset points",
            ha="right",
            fontsize="small",
        )
        most, n_hidden = search.certificate_.max_test_errors, hidden.sum()
        ax.set(title=f"{labeled:.0%} labeled: at most {most} of {n_hidden} wrong")
        ax.get_legend().remove()
    axes[1].set(ylabel="")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
