"""
Leave the doubtful clusters to a person
=======================================

Half of the handwritten digits have a label. Clusters label the other half, and a
certificate says how often this may go wrong. The bound is smaller if only those rows
receive a label that lie in clusters which clearly contain one digit. Which rows should a
person look at instead?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import CoverageDisplay, PACMDLSearchCV

X, truth = load_digits(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(truth)) < len(truth) // 2
y = np.where(labeled, truth, -1)
parameters = {"n_clusters": [30, 40, 50], "random_state": 0}

# %%
# If all rows receive a label, the bound is this:

search = PACMDLSearchCV(AgglomerativeClustering(), **parameters).fit(X, y)
print(f"All rows: at most {search.best_bound_:.2%} wrong")

# %%
# A search with a target for the error rate leaves out as few rows as it can. A part of
# the labels, at random, says which clusters are doubtful, and the others certify a few
# sets of clusters. The rows left out, -1 in ``transduction_``, are for a person to look
# at. The target is fixed before we look at the result. This certificate and the one
# above hold separately.

labeler = PACMDLSearchCV(AgglomerativeClustering(), target=0.055, **parameters)
labeler.fit(X, y)
named = ~labeled & (labeler.transduction_ != -1)
wrong = np.mean(labeler.transduction_[named] != truth[named])
print(f"{1 - labeler.coverage_:.1%} of the rows without a label are left out.")
print(labeler.certificate_.statement)
print(f"The true error rate is {wrong:.2%}.")

# %%
# The bounds of all points of the curve hold at once, and the star is the choice.

plt.rc("figure", figsize=(5, 4.2))
display = CoverageDisplay.from_estimator(labeler)
display.ax_.set_title(
    f"{1 - labeler.coverage_:.1%} of the rows go to a person:\n"
    f"at most {labeler.target:.1%} of the others are wrong"
)
plt.show()

# %%
# These are the clusters that were left out, with their number of labels of each digit.
# Their labels disagree, or are few.

left_out = labeler.clusters_[labeler.clusters_["class"] == -1]
left_out.filter(like="n_labels_").rename(columns=lambda name: name[-1])

# %%
# If people label the rows that are left out, the errors in the whole data set matter more
# than their share of the rows with a label. Then pass ``transduction_``, ``confidence_``
# and ``audit_`` of a search with ``certify="holdout"`` to ``finish_labels``. With few
# labels, far more rows are then labeled automatically.
