"""
Certify topics, communities and layers that another program has made
=====================================================================

A program has already clustered the data, at several resolutions, and some rows have a
label. Which of its clusterings should label the other rows, and how many of these labels
will be wrong?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.displays import ContingencyDisplay

# %%
# Clusterings as a table
# ----------------------
# Here t-SNE and HDBSCAN cluster handwritten digits. Twelve cuts through the tree of
# HDBSCAN, and its own two choices, become columns of text in a data frame. Low cuts leave
# most digits to noise, which is missing in the table, and high cuts merge different
# digits.

X, truth = load_digits(return_X_y=True)
points = TSNE(init="pca", random_state=0, max_iter=500).fit_transform(X)
tree = HDBSCAN(min_cluster_size=10, copy=True).fit(points)
leaves = HDBSCAN(min_cluster_size=10, cluster_selection_method="leaf", copy=True)
clusterings = pd.DataFrame(
    {f"cut at {d:.2f}": tree.dbscan_clustering(d, 10) for d in np.geomspace(0.8, 8, 12)}
    | {"excess of mass": tree.labels_, "leaves": leaves.fit_predict(points)}
)
clusterings = clusterings.map("cluster {}".format).where(clusterings >= 0)
clusterings.iloc[:4, 2:6]

# %%
# Clusterings of other programs
# -----------------------------
# The columns of ``.obs`` that scanpy writes into an ``AnnData`` can be passed as they
# are. Labels are missing where no expert has looked:
#
# .. code-block:: python
#
#     for resolution in (0.25, 0.5, 1.0, 2.0):
#         sc.tl.leiden(adata, resolution=resolution, key_added=f"leiden_{resolution}")
#     clusterings, y = adata.obs.filter(like="leiden_"), adata.obs["expert"]
#
# So can the topics of BERTopic, before and after it merges some of them. Its outliers are
# -1:
#
# .. code-block:: python
#
#     clusterings = {"all topics": topic_model.fit_transform(docs)[0]}
#     for n in (100, 50, 20):
#         topic_model.reduce_topics(docs, nr_topics=n)
#         clusterings[f"{n} topics"] = list(topic_model.topics_)
#
# The layers of EVoC are a list of clusterings:
#
# .. code-block:: python
#
#     clusterings = evoc.EVoC().fit(X).cluster_layers_

# %%
# The choice, certified
# ---------------------
# A third of the digits is labeled, at random. ``certify_clusterings`` takes the table as
# it is: every column is a candidate, and its name is kept. The column with the smallest
# bound is chosen, and the bound accounts for the choice.

labeled = np.random.RandomState(0).permutation(len(truth)) < len(truth) // 3
y = np.where(labeled, truth, -1)
settings = {"classes": range(10), "random_state": 0}
certified = certify_clusterings(clusterings, y, **settings)
print(certified.best_name)
print(certified.certificate.statement)

# %%
# **No program may have looked at the labels.** Clusterings that were computed, tuned,
# merged or picked with knowledge of the labels ``y`` are not valid candidates: the
# bounds would be too small. Neither are the labels themselves as one of the columns, or
# predictions of a classifier that was fitted to them. In an audit all of these are
# valid, since the rows that people check are drawn after the labeling was fixed: see
# ``sklearn_pacmdl.audits``.
#
# Bounds and true error rates
# ---------------------------
# Only this example knows the true labels of the other digits. For each column, the ring
# is the true error rate and the dot is the bound. All bounds hold at once.

errors = {}
for name in clusterings:
    alone = certify_clusterings(clusterings, y, columns=name, **settings)
    errors[name] = np.mean(alone.transduction[~labeled] != truth[~labeled])
bounds = certified.results["mean_test_bound"]

figure, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
names = list(errors)
ax.hlines(names, list(errors.values()), bounds, color="0.6", zorder=1)
ax.scatter(bounds, names, label="at most (bound)")
ax.scatter(
    list(errors.values()), names, color="w", edgecolor="tab:blue", label="in truth"
)
best = certified.best_name
beside = {"xytext": (9, 0), "textcoords": "offset points", "va": "center"}
ax.annotate("chosen", (certified.bound, best), **beside)
ax.set(xlim=(0, 1.02), xlabel="Unlabeled digits with a wrong label")
certificate = certified.certificate
ax.set_title(
    f"Of {len(names)} clusterings “{best}” is chosen:\n"
    f"at most {certificate.max_test_errors} of {certificate.n_test:,} wrong"
)
ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
ax.invert_yaxis()
ax.legend()
plt.show()

# %%
# The chosen clusters contain hardly any other digit than their own. Only the rows of
# noise (-1), which are treated as one more cluster, are mixed.

figure, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
counts = ContingencyDisplay.from_labels(truth, clusterings[best], ax=ax).counts
own = counts.max(axis=1).sum() / counts.sum()
ax.set_title(
    f"{own:.1%} of the digits lie in a cluster of\ntheir own digit; noise (-1) is mixed"
)
plt.show()
