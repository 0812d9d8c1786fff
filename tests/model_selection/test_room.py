"""What a search holds in memory, beyond rows and labels of the user."""

import tracemalloc

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from sklearn_pacmdl import PACMDLSearchCV


def data(n_samples, n_features):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=n_samples)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    X[np.arange(n_samples), y] += 6
    return X, np.where(rng.random(n_samples) < 0.7, -1, y)


def test_room_beside_two_copies_of_the_rows():
    """At most 64 bytes a row: labels, codes, an order, and those of the clusterer."""
    X, y = data(300_000, 32)
    search = PACMDLSearchCV(MiniBatchKMeans(n_init=1), n_clusters=[3, 4], random_state=0)
    search.fit(X[:1000], y[:1000])
    tracemalloc.start()
    search.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes + 64 * len(y)  # the other copy is the user's
