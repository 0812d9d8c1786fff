"""
GridSearchCV with scorers of clusterings, in a Pipeline
=======================================================

``GridSearchCV`` is not made for clusterers: it fits on some rows and scores on others,
for which most clusterers have no labels. With the splitter ``TransductiveSplit`` it fits
and scores all rows. With scorers of this package it can judge a whole Pipeline by several
criteria at once. Here these are the bound, which uses the labels of some rows, the
silhouette, which uses none, and purity on the labeled rows, which always prefers more
clusters.

Each criterion is drawn against the number of clusters, with and without scaling the
features of wine first, and a star marks its choice. The labeled half of the rows is
random. The certificate for the chosen Pipeline comes from ``PACMDLSearchCV``, which
accounts for the choice; a score of ``GridSearchCV`` is not a guarantee.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_wine
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV, TransductiveSplit
from sklearn_pacmdl.metrics import (
    make_labeling_scorer,
    pac_mdl_scorer,
    purity_score,
)

SCORERS = {
    "bound": pac_mdl_scorer,
    "silhouette": make_labeling_scorer(silhouette_score, kind="internal"),
    "purity": make_labeling_scorer(purity_score, kind="external"),
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("grid_search.png"))
    parser.add_argument("--quick", action="store_true", help="no effect")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, truth = load_wine(return_X_y=True)
    labeled = np.random.RandomState(0).permutation(len(truth)) < len(truth) // 2
    y = np.where(labeled, truth, -1)
    pipeline = Pipeline(
        [("scale", StandardScaler()), ("cluster", AgglomerativeClustering())]
    )
    grid = {
        "scale": [StandardScaler(), "passthrough"],
        "cluster__n_clusters": list(range(2, 13)),
    }
    search = GridSearchCV(
        pipeline,
        grid,
        scoring=SCORERS,
        cv=TransductiveSplit(),
        refit="bound",
    ).fit(X, y)
    results = search.cv_results_
    scaled = np.array([step != "passthrough" for step in results["param_scale"]])
    numbers = np.asarray(results["param_cluster__n_clusters"], dtype=int)

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.4), layout="constrained")
    for ax, name in zip(axes, SCORERS, strict=True):
        scores = results[f"mean_test_{name}"]
        best = scores.argmax()
        shown = 1 - scores if name == "bound" else scores  # the scorer gives 1 - bound
        for which, label in ((scaled, "scaled"), (~scaled, "not scaled")):
            ax.plot(numbers[which], shown[which], "o-", label=label)
        ax.plot(numbers[best], shown[best], "*", markersize=16, color="tab:red",
                label="chosen")  # fmt: skip
        better = "lower" if name == "bound" else "higher"
        ax.set(title=f"{name} ({better} is better)", xlabel="Number of clusters")
        print(f"{name:<10} chooses {search.cv_results_['params'][best]}")
    axes[0].legend()

    certified = PACMDLSearchCV(
        pipeline, n_clusters=range(2, 13), param_grid={"scale": grid["scale"]},
        random_state=0,
    ).fit(X, y)  # fmt: skip
    print(f"\n{certified.best_params_}")
    print(certified.certificate_.statement)
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
