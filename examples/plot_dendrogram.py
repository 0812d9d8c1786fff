"""
Cut a dendrogram where the certificate is tightest
==================================================

Ward's linkage joins handwritten digits, two groups at a time, to one tree. Half of the
digits have a label. Into how many clusters should the tree be cut?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.displays import ContingencyDisplay

X, y = load_digits(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(y)) < len(y) // 2

# %%
# The search builds the tree once, looks at its cuts into 2 to 45 clusters, and keeps the
# one with the smallest bound. Its sentence accounts for this choice.

search = PACMDLSearchCV(
    AgglomerativeClustering(), n_clusters=range(2, 46), random_state=0
).fit(X, np.where(labeled, y, -1))
print(search.certificate_.statement)
wrong = np.mean(search.transduction_[~labeled] != y[~labeled])
print(f"The true error rate is {wrong:.2%}.")

# %%
# Only this example knows the true digits of all rows. In the table of clusters against
# digits, both are in an order in which those that agree lie on a staircase. Dark cells
# off the staircase are digits in the cluster of another.

figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
counts = ContingencyDisplay.from_estimator(search, y, ax=ax).counts
own = counts.max(axis=1).sum() / counts.sum()
ax.set_title(
    f"{len(counts)} clusters: {own:.1%} of the digits\n"
    "lie in a cluster of their own digit"
)
plt.show()
