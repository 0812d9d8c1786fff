"""
GridSearchCV with scorers of clusterings, in a Pipeline
=======================================================

``GridSearchCV`` is not made for clusterers: it fits on some rows and scores on others,
for which most clusterers have no labels. How can it judge a whole Pipeline, by several
criteria at once?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_wine
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV, TransductiveSplit
from sklearn_pacmdl.metrics import make_labeling_scorer, pac_mdl_scorer, purity_score

X, truth = load_wine(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(truth)) < len(truth) // 2
y = np.where(labeled, truth, -1)

# %%
# The splitter ``TransductiveSplit`` lets ``GridSearchCV`` fit and score all rows. The
# criteria are the bound, which uses the labels of some rows, the silhouette, which uses
# none, and purity on the labeled rows.

scorers = {
    "bound": pac_mdl_scorer,
    "silhouette": make_labeling_scorer(silhouette_score, kind="internal"),
    "purity": make_labeling_scorer(purity_score, kind="external"),
}
pipeline = Pipeline([("scale", StandardScaler()), ("cluster", AgglomerativeClustering())])
steps = [StandardScaler(), "passthrough"]
search = GridSearchCV(
    pipeline,
    {"scale": steps, "cluster__n_clusters": list(range(2, 13))},
    scoring=scorers,
    cv=TransductiveSplit(),
    refit="bound",
).fit(X, y)

# %%
# Each criterion is drawn against the number of clusters, with and without scaling the
# features of wine first. A star marks its choice. Purity never gets worse with
# more clusters, so it cannot say when there are enough.

results = search.cv_results_
scaled = np.array([step != "passthrough" for step in results["param_scale"]])
numbers = np.asarray(results["param_cluster__n_clusters"], dtype=int)

figure, axes = plt.subplots(3, 1, figsize=(5, 7), sharex=True, layout="constrained")
for ax, name in zip(axes, scorers, strict=True):
    scores = results[f"mean_test_{name}"]
    best = scores.argmax()
    (line,) = ax.plot(numbers[scaled], scores[scaled], "o-")
    (other,) = ax.plot(numbers[~scaled], scores[~scaled], "s--", markerfacecolor="w")
    (star,) = ax.plot(numbers[best], scores[best], "k*", markersize=15)
    ax.margins(y=0.15)
    ax.set_title(f"{name.capitalize()} chooses {numbers[best]} clusters")
    ax.set_ylabel("1 - bound" if name == "bound" else name)
axes[-1].set_xlabel("Number of clusters")
figure.suptitle(f"Wine has {len(np.unique(truth))} cultivars")
names = ["scaled", "not scaled", "chosen"]
figure.legend([line, other, star], names, loc="outside lower center", ncols=3)
plt.show()

# %%
# A score of ``GridSearchCV`` is not a guarantee. The certificate for the chosen Pipeline
# comes from ``PACMDLSearchCV``, which accounts for the choice.

certified = PACMDLSearchCV(
    pipeline, n_clusters=range(2, 13), param_grid={"scale": steps}, random_state=0
).fit(X, y)
print(certified.best_params_)
print(certified.certificate_.statement)
