"""
Seven ways to cluster documents, and which to trust
===================================================

Six hundred short documents on six topics are drawn from a made-up vocabulary of 3,000
words; half of them are labeled. Spherical k-means, its balanced version, mixtures of von
Mises-Fisher distributions and k-means by Kullback-Leibler divergence come from this
package. Plain k-means and repeated bisection are scikit-learn's: on rows of unit norm
they go by the cosine, too. What all of them find is judged by one bound.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--output", type=Path, default=Path("cluster_documents.png"))
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="fewer candidates")
    return parser.parse_args()


def draw_documents(n_documents=600, n_words=3000, n_topics=6, length=40, seed=0):
    """Counts of words: common ones by Zipf's law, and those of a topic."""
    rng = np.random.RandomState(seed)
    common = 1 / np.arange(1, n_words + 1)
    topics = common * (0.5 + rng.gamma(0.3, size=(n_topics, n_words)))
    topics /= topics.sum(axis=1, keepdims=True)
    y = rng.randint(n_topics, size=n_documents)
    counts = np.stack([rng.multinomial(length, topics[topic]) for topic in y])
    return sparse.csr_array(counts.astype(float)), y


def main():
    arguments = parse_arguments()
    counts, y = draw_documents()
    # Rows of unit norm: for KMeans, squared distance is then twice the cosine distance.
    X = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    seen = np.where(np.random.RandomState(1).permutation(y.size) % 2, y, -1)
    search = PACMDLSearchCV(
        [
            ("spherical k-means", SphericalKMeans()),
            ("frequency-sensitive", FrequencySensitiveKMeans()),
            ("vMF mixture, soft", VonMisesFisherMixture()),
            ("vMF mixture, hard", VonMisesFisherMixture(assignment="hard")),
            ("KL k-means", KLKMeans()),
            ("k-means", KMeans()),
            ("repeated bisection", BisectingKMeans()),
        ],
        n_clusters=range(2, 13, 4 if arguments.quick else 1),
        n_init=2 if arguments.quick else 10,
        language="algo",
        random_state=0,
        n_jobs=arguments.n_jobs,
    ).fit(X, seen)
    hidden = seen == -1
    error = np.mean(search.transduction_[hidden] != y[hidden])
    print(search.certificate_.statement)
    print(f"In fact {error:.2%} of them are.")
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    PACMDLDisplay.from_estimator(search, ax=ax)
    ax.axhline(error, color="black", linewidth=0.8, linestyle="--")
    ax.set(title=f"The dashed line is the error of the chosen: {error:.1%}")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
