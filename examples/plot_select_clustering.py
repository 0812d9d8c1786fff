"""
Which clustering of the digits to trust
=======================================

Four algorithms cluster the 1,797 images of handwritten digits that come with
scikit-learn into 2 to 169 clusters. Those that depend on a random start are run from
three starts. First a fifth, then half of the images are labeled. Which clustering should
label the other images, and how many of these labels will be wrong?
"""

from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV

X, y = load_digits(return_X_y=True)
models = [
    ("k-means", KMeans()),
    ("bisecting k-means", BisectingKMeans()),
    ("Ward", AgglomerativeClustering()),
    ("Gaussian mixture", GaussianMixture(covariance_type="diag", reg_covar=1e-1)),
]

# %%
# Choose and certify
# ------------------
# The labeled images are a random choice. One search tries all algorithms, numbers of
# clusters and starts. It prints a guarantee for the clustering that it chose. Clusterings
# do not depend on labels, so the second search takes them from a cache. The true labels
# of the other images serve one purpose only: to show the true error rate.

cache = TemporaryDirectory()
searches, errors = {}, {}
for share in (0.2, 0.5):
    labeled = np.random.RandomState(0).permutation(len(y))[: round(share * len(y))]
    seen = np.full(len(y), -1)  # -1: no label
    seen[labeled] = y[labeled]
    search = PACMDLSearchCV(
        models,
        n_init=3,
        random_state=0,
        memory=cache.name,
    ).fit(X, seen)
    hidden = seen == -1
    searches[share] = search
    errors[share] = np.mean(search.transduction_[hidden] != y[hidden])
    print(f"{share:.0%} of the {len(y)} digits are labeled.")
    print(search.certificate_.statement)
    print(f"The true error rate is {errors[share]:.2%}.\n")
cache.cleanup()

# %%
# What the choice costs
# ---------------------
# These are the best candidates of each algorithm, with half of the images labeled. The
# bound grows with the errors on the labels that certify, and with the bits that a
# candidate costs. It costs few bits if the labels that select are in favor of it.

columns = {
    "n_clusters": "clusters",
    "description_length": "bits",
    "mean_n_certifying_errors": "errors seen",
    "mean_test_bound": "bound",
}
results = pd.DataFrame(searches[0.5].cv_results_)
results = results.sort_values("rank_test_bound", kind="stable")
best = results.groupby("algorithm", sort=False).first()
best[list(columns)].rename(columns=columns).round(3)

# %%
# All candidates
# --------------
# Curves are estimated error rates, and the star is the bound of the chosen clustering.
# With more labels it comes closer to the true error rate, the dashed line.

plt.rc("figure", figsize=(5, 5.4))


def draw(share):
    search, error = searches[share], errors[share]
    display = PACMDLDisplay.from_estimator(search)
    ax = display.ax_
    ax.axhline(error, color="0.5", linewidth=0.8, linestyle="--")
    ax.text(2, error, "true error rate", va="bottom")
    most = np.ceil(1e4 * search.best_bound_) / 1e4  # rounded up
    ax.set_title(
        f"{share:.0%} labeled: at most {most:.2%}\n"
        f"of the others wrong, in truth {error:.2%}"
    )
    return display.figure_


draw(0.2)
plt.show()

# %%
# This is the same with half of the images labeled.

draw(0.5).savefig("select_clustering.png", dpi=120)
plt.show()
