"""
The first certificate
=====================

You have 1,797 handwritten digits, and labels for 600 of them. Which clustering should
label the others, and how many of these labels will be wrong?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV

X, truth = load_digits(return_X_y=True)
labeled = np.random.RandomState(0).permutation(len(truth)) < 600
y = np.where(labeled, truth, -1)  # -1: no label

# %%
# ``PACMDLSearchCV`` tries two clusterers, from 2 to 169 clusters. Every cluster
# gets the most common label of its rows. The search keeps the clustering with the
# smallest bound on the wrong labels. The first line below is its result. It has more
# clusters than there are digits, since people write each digit in several ways. With
# still more, fewer labels are left to name each cluster, and to certify that name.

search = PACMDLSearchCV(
    [("ward", AgglomerativeClustering()), ("k-means", KMeans(n_init=1))], random_state=0
)
search.fit(X, y)

# %%
# The certificate says what is guaranteed, and has all counts from which this follows. Its
# sentence holds although the clustering was chosen by looking at labels.

search.certificate_

# %%
# Each point is a candidate, at the share of the certifying labels that it has wrong: an
# estimate. The line from the chosen one ends at what is certified, the star.

plt.rc("figure", figsize=(5, 5.4))
display = PACMDLDisplay.from_estimator(search)
certificate = search.certificate_
display.ax_.set_title(
    f"Of the {certificate.n_test} digits without a label,\n"
    f"at most {certificate.max_test_errors} receive a wrong one"
)
plt.show()

# %%
# These are the largest clusters. Clusters with few labels, or with labels that disagree
# (a low purity), are worth a look.

largest = search.clusters_.sort_values("size", ascending=False).head()
largest[["size", "n_unlabeled", "class", "n_labels", "purity"]].round(3)

# %%
# A report is for people who read no code. ``search.report("report.html")`` writes it to a
# file that you can send.

search.report(title="Handwritten digits")

# %%
# In this example all true labels are known, so the bound can be compared with the truth.

wrong = np.sum(search.transduction_[~labeled] != truth[~labeled])
print(f"at most {certificate.max_test_errors} wrong, truly {wrong}")
