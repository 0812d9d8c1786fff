"""A folder of clusterings outlives processes, and is shared; workers may be elsewhere."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster
from joblib import parallel_config
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

import sklearn_pacmdl
from sklearn_pacmdl import PACMDLSearchCV

PACKAGE = Path(sklearn_pacmdl.__file__).parent
CLUSTERER = """
import os
import time
from pathlib import Path

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans


class Logged(ClusterMixin, BaseEstimator):
    \"""K-means that notes each fit to all rows, and waits where it is told to.\"""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit_predict(self, X, y=None):
        if len(X) == 150:
            with open("fits", "a") as file:
                file.write(f"{self.n_clusters}")
            self.wait()
        return KMeans(self.n_clusters, random_state=self.random_state).fit_predict(X)

    def wait(self):
        if self.n_clusters == 5 and os.path.exists("hold"):
            time.sleep(600)
        if os.path.exists("together"):  # until the other process fits too
            Path("together", str(os.getpid())).touch()
            while len(os.listdir("together")) < 2:
                time.sleep(0.01)
"""
SWEEP = """
import sys

import numpy as np
from logged import Logged
from sklearn.datasets import load_iris
from sklearn_pacmdl import PACMDLSearchCV

search = PACMDLSearchCV(
    Logged(), n_clusters=range(2, 9), memory=sys.argv[1], random_state=0, refit=False
).fit(*load_iris(return_X_y=True))
print(search.best_index_, search.cv_results_["mean_test_bound"].tolist())
"""


@pytest.fixture
def sweep(tmp_path):
    """Function that starts a process with the sweep, in a folder of its own."""
    (tmp_path / "logged.py").write_text(CLUSTERER)
    (tmp_path / "sweep.py").write_text(SWEEP)

    def start(memory="cache", package=PACKAGE):
        path = os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-W", "error", "sweep.py", memory],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def printed(process):
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return out


def test_a_killed_sweep_goes_on_where_it_was(sweep, tmp_path):
    fits, hold = tmp_path / "fits", tmp_path / "hold"
    hold.touch()
    process = sweep()
    while not (fits.exists() and "5" in fits.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()  # SIGKILL: nothing can be tidied up
    process.communicate()
    assert fits.read_text() == "2345"
    hold.unlink()
    resumed = printed(sweep())
    assert fits.read_text() == "2345" + "5678"
    assert resumed == printed(sweep("another"))


def test_processes_share_a_folder_at_the_same_time(sweep, tmp_path):
    (tmp_path / "together").mkdir()
    first, second = [printed(process) for process in [sweep(), sweep()]]
    assert first == second
    n_fits = len((tmp_path / "fits").read_text())
    assert 7 <= n_fits <= 14
    assert printed(sweep()) == first
    assert len((tmp_path / "fits").read_text()) == n_fits


def test_a_folder_can_be_made_smaller(tmp_path, iris):
    memory = joblib.Memory(tmp_path, verbose=0)
    swept = {"n_clusters": range(2, 6), "random_state": 0, "refit": False}
    search = PACMDLSearchCV(KMeans(), memory=memory, **swept)
    bounds = search.fit(*iris).cv_results_["mean_test_bound"]
    kept = list(tmp_path.rglob("output.pkl"))
    assert len(kept) == 4
    memory.reduce_size(2 * sum(file.stat().st_size for file in kept) // 3)
    assert len(list(tmp_path.rglob("output.pkl"))) < 4
    again = search.fit(*iris)
    assert_array_equal(again.cv_results_["mean_test_bound"], bounds)


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
