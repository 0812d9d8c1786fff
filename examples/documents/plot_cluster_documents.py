"""
Five ways to cluster documents, and which to trust
==================================================

Documents are best clustered by the direction of their word counts (the cosine). Several
algorithms do this. Which of them finds the topics of six hundred short documents?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)

# %%
# Documents
# ---------
# We draw documents of 40 words on six topics from a made-up vocabulary of 3,000 words.
# A random half of them is labeled. Rows get unit norm, so that k-means uses the cosine,
# too.

rng = np.random.RandomState(0)
common = 1 / np.arange(1, 3001)  # Zipf's law
topics = common * (0.5 + rng.gamma(0.3, size=(6, 3000)))
topics /= topics.sum(axis=1, keepdims=True)
truth = rng.randint(6, size=600)
counts = sparse.csr_array(np.stack([rng.multinomial(40, topics[t]) for t in truth]))
X = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
labeled = rng.permutation(600) < 300
y = np.where(labeled, truth, -1)

# %%
# Five algorithms
# ---------------
# This package provides spherical k-means, its balanced version, mixtures of von
# Mises-Fisher distributions and k-means by Kullback-Leibler divergence. Plain k-means is
# scikit-learn's. One search compares all of them.

search = PACMDLSearchCV(
    [
        ("spherical k-means", SphericalKMeans()),
        ("frequency-sensitive", FrequencySensitiveKMeans()),
        ("vMF mixture", VonMisesFisherMixture(assignment="hard")),
        ("KL k-means", KLKMeans()),
        ("k-means", KMeans()),
    ],
    n_clusters=[4, 6, 8, 12],
    n_init=3,
    random_state=0,
).fit(X, y)
error = np.mean(search.transduction_[~labeled] != truth[~labeled])
print(search.certificate_.statement)
print(f"The true error rate is {error:.2%}.")

# %%
# Curves are estimated error rates, and the star is the certified bound of the chosen
# clusters. The dashed line is their true error rate, which only this example knows.

plt.rc("figure", figsize=(5, 5.6))
display = PACMDLDisplay.from_estimator(search)
ax = display.ax_
ax.axhline(error, color="0.5", linewidth=0.8, linestyle="--")
ax.text(12, error, "true error rate", va="top", ha="right")
name = search.cv_results_["algorithm"][search.best_index_]
most, n = search.certificate_.max_test_errors, search.certificate_.n_test
ax.set_title(
    f"The {name} finds the topics: at most\n{most} of {n} unlabeled documents are wrong"
)
plt.show()
