"""Workers of Dask, which may be on other machines, give the serial result."""

from collections import Counter

import numpy as np
import pytest
from distributed import Client, LocalCluster
from joblib import parallel_config
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV

# Sockets of a cluster that has just ended are closed by the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def scattered(client, monkeypatch):
    """Types of what is sent to workers once, counted."""
    sent, send = Counter(), client.scatter

    def scatter(data, *args, **kwargs):
        sent[type(data).__name__] += 1
        return send(data, *args, **kwargs)

    monkeypatch.setattr(client, "scatter", scatter)
    return sent


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_the_serial_result(container, client, scattered):
    X, y = make_blobs(400, centers=4, cluster_std=2.0, random_state=0)
    X = container(X)
    y = np.where(np.random.default_rng(0).random(400) < 0.3, y, -1)
    clusterers = [("kmeans", KMeans(n_init=1))]
    if container is np.asarray:
        clusterers.append(("ward", AgglomerativeClustering()))
    search = PACMDLSearchCV(clusterers, n_clusters=[2, 3, 4, 5], n_init=2, random_state=0)
    serial = clone(search).fit(X, y)
    with parallel_config(backend="dask"):
        found = search.fit(X, y)
    assert scattered == {type(X).__name__: 1, "Evaluator": 1}
    assert_array_equal(found.labels_, serial.labels_)
    assert found.best_params_ == serial.best_params_
    certificate = {**vars(found.certificate_), "date": None, "digest": None}
    assert certificate == {**vars(serial.certificate_), "date": None, "digest": None}
    for name, column in serial.cv_results_.items():
        if "time" not in name:
            assert_array_equal(found.cv_results_[name], column, err_msg=name)
