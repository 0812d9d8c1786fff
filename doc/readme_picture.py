"""The picture of the README, and the figures that its first paragraphs quote.

    OMP_NUM_THREADS=1 python doc/readme_picture.py

writes ``doc/_static/readme.png`` and prints the figures.
"""

from math import ceil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import silhouette_score

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV

X, truth = load_digits(return_X_y=True)
y = np.where(np.random.RandomState(0).permutation(len(X)) < 600, truth, -1)


def wrong(labeling):
    """Share of the unlabeled rows that are labeled wrongly."""
    return float(np.mean((labeling != truth)[y == -1]))


models = [("k-means", KMeans()), ("Ward", AgglomerativeClustering())]
search = PACMDLSearchCV(models, random_state=0).fit(X, y)
chosen = int(search.cv_results_["n_clusters"][search.best_index_])
bound, error = search.certificate_.bound, wrong(search.transduction_)
stated = ceil(bound * 1e4) / 100  # rounded up
print(search.certificate_.statement)
print(f"Chosen: {search.best_params_}. Truly wrong: {error:.1%}")

# As the search does it, the selecting labels name the clusters.
naming = np.full(len(y), -1)
selecting = search.divisions_[0][0]
naming[selecting] = y[selecting]
errors, silhouettes = {}, {}
for k in sorted({*range(2, 21), *range(20, 171, 2), chosen}):
    ward = AgglomerativeClustering(k)
    errors[k] = wrong(ClusterLabelClassifier(ward).fit(X, naming).transduction_)
    silhouettes[k] = silhouette_score(X, ward.fit_predict(X))
assert errors[chosen] == error
preferred = max(silhouettes, key=silhouettes.get)
print(f"The silhouette picks {preferred} clusters: {errors[preferred]:.1%} wrong.")

WRONG, RIGHT = "#c44e00", "#0b61a4"
plt.rcParams["font.size"] = 12
figure, ax = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
ax.plot(*zip(*errors.items(), strict=True), color="0.6", linewidth=2)
ax.text(
    2.2, 0.03, "true errors of Ward's clusterings,\nwhich you cannot see", color="0.4"
)
ax.plot(preferred, errors[preferred], "X", color=WRONG, markersize=12)
ax.annotate(
    f"silhouette: {preferred} clusters,\n{errors[preferred]:.0%} wrong, and nobody knows",
    (preferred, errors[preferred]),
    (12, 4),
    textcoords="offset points",
    color=WRONG,
)
ax.plot(chosen, bound, "v", color=RIGHT, markersize=12)
ax.vlines(chosen, errors[chosen], bound, color=RIGHT, linewidth=3)
ax.annotate(
    f"this package: {chosen} clusters,\nseveral for each digit,\n"
    f"certified: at most {stated}% wrong",
    (chosen, bound),
    (-28, 14),
    textcoords="offset points",
    color=RIGHT,
)
ax.set_xscale("log")
ax.set_yscale("log")
ax.xaxis.set_major_locator(FixedLocator([2, 5, 10, 20, 50, 100]))
ax.xaxis.set_minor_locator(NullLocator())
ax.xaxis.set_major_formatter("{x:.0f}")
ax.yaxis.set_major_locator(FixedLocator([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]))
ax.yaxis.set_minor_locator(NullLocator())
ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
ax.set(xlabel="Number of clusters", ylabel="Unlabeled rows labeled wrongly")
ax.spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).parent / "_static" / "readme.png", dpi=110)
