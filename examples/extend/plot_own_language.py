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
# On the left are the costs of each number of clusters, and on the right the bounds with
# the choice.

figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
for name, search in searches.items():
    results, best = search.cv_results_, search.best_index_
    bounds = results["mean_test_bound"]
    axes[0].plot(numbers, [bits["n_clusters"] for bits in results["bits"]], label=name)
    (line,) = axes[1].plot(numbers, bounds, label=name)
    axes[1].plot(numbers[best], bounds[best], "*", ms=15, color=line.get_color())
axes[0].set(title="Cost of the number of clusters", ylabel="Bits")
axes[1].set(title="Bound on the error rate, and the choice", ylim=(0, 1))
for ax in axes:
    ax.set_xlabel("Number of clusters")
    ax.legend()
plt.show()

# %%
# By default (``certify="learned"``), part of the labels weighs the candidates, and your
# own weights change little. You can define more than the weights of candidates: the
# page on extending the package defines a whole language.
