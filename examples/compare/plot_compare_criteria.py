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
# The stars in the figure mark these choices.

figure, (above, below) = plt.subplots(
    2, 1, figsize=(9, 7), sharex=True, layout="constrained", height_ratios=[2, 1]
)
for name, values in scores.items():
    shown = (values - values.min()) / (values.max() - values.min())
    (line,) = above.plot(numbers, shown, label=name)
    i = best[name]
    above.plot(numbers[i], shown[i], "*", color=line.get_color(), markersize=13)
above.set(ylabel="Criterion, scaled from its worst to its best value")
above.legend(loc="upper left", bbox_to_anchor=(1, 1))
below.plot(numbers, errors, color="0.5", marker="o", markersize=3)
below.set(xlabel="Number of clusters", ylabel="True error rate", ylim=(0, None))
plt.show()
