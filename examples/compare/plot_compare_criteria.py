"""
How different criteria rank the same clusterings
================================================

Ward's method clusters handwritten digits into 3 to 30 clusters. Some criteria see the
images only, and others see a tenth of the labels. Which of them chooses a clustering
whose majority labels are seldom wrong?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV

from sklearn_pacmdl import ClusterLabelClassifier, TransductiveSplit
from sklearn_pacmdl.metrics import (
    dom_q2_score,
    dunn_score,
    informativeness_score,
    make_labeling_scorer,
    pac_mdl_score,
)

X, truth = load_digits(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(truth)) < len(truth) // 10
y = np.where(labeled, truth, -1)

# %%
# One ``GridSearchCV`` computes all criteria. Silhouette, Dunn and informativeness see
# only images. The PAC-MDL bound and Dom's Q2 see the labels.

scorers = {
    "silhouette": make_labeling_scorer(silhouette_score, kind="internal"),
    "Dunn": make_labeling_scorer(dunn_score, kind="internal"),
    "informativeness": make_labeling_scorer(informativeness_score, kind="internal", cv=3),
    "PAC-MDL bound": make_labeling_scorer(
        pac_mdl_score, kind="bound", language="cluster"
    ),
    "Dom's Q2": make_labeling_scorer(dom_q2_score, kind="external"),
}
numbers = list(range(30, 2, -3))  # GridSearchCV chooses the first of equals
search = GridSearchCV(
    AgglomerativeClustering(),
    {"n_clusters": numbers},
    scoring=scorers,
    refit=False,
    cv=TransductiveSplit(),
).fit(X, y)

# %%
# Only this example knows the labels of the other images. With them it computes how many
# of the majority labels are wrong, for each number of clusters.

errors = []
for n_clusters in numbers:
    clusterer = AgglomerativeClustering(n_clusters)
    named = ClusterLabelClassifier(clusterer, random_state=0).fit(X, y).transduction_
    errors.append(np.mean(named[~labeled] != truth[~labeled]))

# %%
# Here is what each criterion chooses, and how many labels are then wrong. The criteria
# that see labels choose best.

scores = {name: search.cv_results_[f"mean_test_{name}"] for name in scorers}
best = {name: int(np.argmax(values)) for name, values in scores.items()}
pd.DataFrame(
    {
        "clusters": {name: numbers[i] for name, i in best.items()},
        "true error rate": {name: f"{errors[i]:.1%}" for name, i in best.items()},
    }
)

# %%
# The stars in the figure mark these choices on the curve of the true error rates.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.plot(numbers, errors, "o-", color="0.5", markersize=3)
beside = {"xytext": (9, 3), "textcoords": "offset points", "va": "bottom"}
for i in set(best.values()):
    ax.plot(numbers[i], errors[i], "k*", markersize=13)
    names = ", ".join(name for name in scores if best[name] == i)
    ax.annotate(f"{names}: {errors[i]:.1%}", (numbers[i], errors[i]), **beside)
ax.set(xlabel="Number of clusters", ylabel="True error rate", ylim=(0, None))
ax.set_title("Criteria that see a tenth of the labels\nchoose better clusters")
ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
plt.show()
