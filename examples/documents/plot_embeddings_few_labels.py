"""
Embeddings, and a label for one row in twenty
=============================================

Embeddings, of texts or pictures, are often ready long before there are labels. Do a few
labels suffice to name the clusters of all rows, and where should the next labels go?
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans, VonMisesFisherMixture
from sklearn_pacmdl.datasets import make_vmf_blobs
from sklearn_pacmdl.displays import ContingencyDisplay

# %%
# Here 3,000 made-up embeddings of 64 dimensions lie around twenty directions on a sphere.
# These belong to eight classes: four classes have one direction, and four have four. A
# random choice of 150 rows has a label.

X, direction = make_vmf_blobs(3000, 64, centers=20, concentration=40.0, random_state=0)
truth = np.repeat(list("ABCDEFGH"), [1, 4, 1, 4, 1, 4, 1, 4])[direction]
labeled = np.random.RandomState(0).permutation(len(truth)) < 150
y = np.where(labeled, truth, None)  # None: no label

# %%
# ``PACMDLSearchCV`` tries two clusterers of directions with several numbers of clusters,
# from three random starts each. It certifies the labels that the clusters give to the
# other 2,850 rows.

search = PACMDLSearchCV(
    [("spherical", SphericalKMeans()), ("mixture", VonMisesFisherMixture())],
    n_clusters=range(10, 26, 5),
    n_init=3,
    random_state=0,
).fit(X, y)
print(search.certificate_.statement)
wrong = np.mean(search.transduction_[~labeled] != truth[~labeled])
print(f"The true error rate is {wrong:.2%}.")

# %%
# Curves are estimated error rates. The star is the certified bound of the chosen one.

plt.rc("figure", figsize=(5, 5.4))
display = PACMDLDisplay.from_estimator(search)
display.ax_.set_title(
    f"{labeled.sum()} labels suffice: of {search.certificate_.n_test:,} others\n"
    f"at most {search.certificate_.max_test_errors} are labeled wrongly"
)
plt.show()

# %%
# The table of the clusters shows where to look next. It lists the clusters with mixed
# labels or few labels, the most doubtful first.

doubtful = search.clusters_.sort_values(["purity", "n_labels"]).head()
doubtful[["size", "class", "n_labels", "purity"]].round(3)

# %%
# These are the chosen clusters against the true classes. A line with one dark cell is a
# cluster of one class.

figure, ax = plt.subplots(figsize=(5, 5.4), layout="constrained")
counts = ContingencyDisplay.from_estimator(search, truth, ax=ax).counts
own = counts.max(axis=1).sum() / counts.sum()
ax.set_title(f"{own:.1%} of the rows lie in a cluster\nof their own class")
plt.show()
