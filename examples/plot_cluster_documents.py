"""
Seven ways to cluster documents, and which to trust
===================================================

Six hundred short documents on six topics are drawn from a made-up vocabulary of 3,000
words, and half of them are labeled. This package provides spherical k-means, its balanced
version, mixtures of von Mises-Fisher distributions and k-means by Kullback-Leibler
divergence. Plain k-means and repeated bisection are scikit-learn's; on rows of unit norm
they use the cosine, too. One bound compares the clusterings of all seven algorithms.
"""

import argparse
from pathlib import Path

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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
        random_state=0,
        n_jobs=arguments.n_jobs,
    ).fit(X, seen)
    hidden = seen == -1
    error = np.mean(search.transduction_[hidden] != y[hidden])
    print(search.certificate_.statement)
    print(f"The true error rate is {error:.2%}.")
    display = PACMDLDisplay.from_estimator(search)
    display.ax_.axhline(error, color="0.5", linewidth=0.8, linestyle="--")
    display.ax_.set(title=f"The dashed line is the true error rate: {error:.1%}")
    display.figure_.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
