"""
Define your own weights: fewer bits for what you expect
=======================================================

With ``certify="pac-mdl"`` all labels choose and certify, so choosing a candidate costs
bits: minus the base-2 logarithm of a weight that it had before any label was seen. If
you expect about ten clusters, can you say so beforehand, and what is it worth?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.languages import Prior

X, truth = load_digits(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(truth)) < 150
y = np.where(labeled, truth, -1)

# %%
# Weights are a dict from numbers of clusters to numbers that sum to 1. Ours halve with
# every three clusters more or less than expected. Candidates near the expected number
# then cost less and have smaller bounds, and candidates far from it cost more. The
# guarantee is the same, even if the expectation is wrong.

numbers = range(2, 41)


def about(expected):
    weights = {k: 2.0 ** (-abs(k - expected) / 3) for k in numbers}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


languages = {
    "the paper's weights": Prior(n_clusters="paper"),
    "about ten clusters": Prior(n_clusters=about(10)),
    "about thirty clusters": Prior(n_clusters=about(30)),
}
searches = {
    name: PACMDLSearchCV(
        AgglomerativeClustering(),
        n_clusters=numbers,
        certify="pac-mdl",
        language=language,
        random_state=0,
    ).fit(X, y)
    for name, language in languages.items()
}
pd.DataFrame(
    {
        "clusters": {name: numbers[s.best_index_] for name, s in searches.items()},
        "bound": {name: s.best_bound_ for name, s in searches.items()},
    }
).round(3)

# %%
# The figure shows by how many percentage points bounds are larger or smaller than by the
# weights of the paper.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
usual, *others = (s.cv_results_["mean_test_bound"] for s in searches.values())
for name, bounds, mark in zip(list(searches)[1:], others, "os", strict=True):
    ax.plot(numbers, 100 * (bounds - usual), f"{mark}-", markersize=4, label=name)
ax.axhline(0, color="0.5", label="the paper's weights")
ax.set(xlabel="Number of clusters", ylabel="Change of the bound (points)")
ax.set_title("Expected numbers of clusters have smaller bounds")
ax.legend()
plt.show()

# %%
# By default (``certify="learned"``), part of the labels weighs the candidates, and your
# own weights change little. You can define more than the weights of candidates: the
# page on extending the package defines a whole language.
