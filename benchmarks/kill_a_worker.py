"""A worker of Dask is killed in the middle of a sweep; is the result that of one process?

A sweep over k-means runs on a cluster of two processes on this machine. Once about a
quarter of the candidates is done, the process of one worker gets SIGKILL. Dask starts
another, and computes again what was lost. The choice, the certificate, the labels and all
columns of numbers in the results but times are then compared with those of a sweep
without Dask.
"""

import os
import signal
import threading
import time
from importlib.metadata import version

import numpy as np
from common import clock, run_benchmark
from distributed import Client, LocalCluster
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV


def make_search():
    return PACMDLSearchCV(
        KMeans(n_init=10), n_clusters=range(2, 22), n_init=2, random_state=0
    )


def differences(found, expected):
    """What differs, by name."""
    results = {
        name: not np.array_equal(found.cv_results_[name], column)
        for name, column in expected.cv_results_.items()
        if "time" not in name and column.dtype.kind == "f"
    }
    certificates = [
        {**vars(search.certificate_), "date": None, "digest": None}
        for search in (found, expected)
    ]
    differs = {
        "labels_": not np.array_equal(found.labels_, expected.labels_),
        "best_params_": found.best_params_ != expected.best_params_,
        "certificate_": certificates[0] != certificates[1],
        **results,
    }
    return [name for name, other in differs.items() if other]


def kill_one(client, n_done, told):
    """Kill a worker once so many candidates have been computed."""

    def done(dask_scheduler):
        prefixes = dask_scheduler.task_prefixes.values()
        return sum(p.state_counts["memory"] for p in prefixes)

    workers = client.run(os.getpid)
    start = time.perf_counter()
    while client.run_on_scheduler(done) < n_done:
        time.sleep(0.01)
    os.kill(next(iter(workers.values())), signal.SIGKILL)
    told["seconds until the kill"] = round(time.perf_counter() - start, 1)


def run(options):
    n_rows = 2_000 if options.quick else 20_000
    X, y = make_blobs(n_rows, n_features=20, centers=8, cluster_std=6, random_state=0)
    y = np.where(np.random.default_rng(0).random(n_rows) < 0.05, y, -1)
    found = {}
    seconds, serial = clock(lambda: make_search().fit(X, y))
    found["one process"] = {"seconds": round(seconds, 1)}
    for kills in (False, True):
        told: dict = {}
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
            parallel_config(backend="dask"),
        ):
            killer = threading.Thread(target=kill_one, args=(client, 10, told))
            if kills:
                killer.start()
            seconds, search = clock(lambda: make_search().fit(X, y))
            if kills:
                killer.join()
        name = "two workers, one of them killed" if kills else "two workers"
        found[name] = {
            "seconds": round(seconds, 1),
            "differences": differences(search, serial),
            **told,
        }
    return {
        "sweeps": found,
        "libraries": {name: version(name) for name in ("dask", "distributed", "joblib")},
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "kill_a_worker", run)
