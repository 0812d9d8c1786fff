"""Time and memory of a search against rows, features, candidates and splits.

Each point is a process of its own, which first runs a search on few rows, so that
libraries are loaded. Peak memory is that of the process (VmHWM of Linux) beyond what it
had before the rows were made; X and y of the user are a part of it. Processor time is
that of the search. Exponents are slopes of lines through the points, both axes
logarithmic. n_jobs is 1; run with OMP_NUM_THREADS=1.

(2) Two large searches, whose peak is compared with twice X and 64 bytes a row.

(3) Time of informativeness of 95 labelings of 100,000 x 10 by the number of rows drawn.
"""

import gc
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from common import run_benchmark
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans
from sklearn_pacmdl.metrics import informativeness_scores

USUAL = {
    "rows": 50_000,
    "features": 32,
    "candidates": 4,
    "splits": 1,
    "kind": "dense",
    "most_iterations": 100,
}
CURVES = {
    "rows": (25_000, 50_000, 100_000, 200_000),
    "features": (8, 32, 128, 512),
    "candidates": (2, 4, 8, 16),
    "splits": (1, 2, 4, 8, 16),
}
LARGE = {
    "MiniBatchKMeans, dense float32": {"rows": 10**6, "candidates": 2},
    "SphericalKMeans, 50 entries a row": {
        "rows": 10**6,
        "features": 100_000,
        "candidates": 2,
        "kind": "sparse",
        "most_iterations": 5,
    },
}


def make_data(point, n_rows):
    """Rows, labels of a hundredth of them (or of all, where there are splits), bytes."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_rows)
    if point["kind"] == "dense":
        X = rng.standard_normal((n_rows, point["features"]), dtype=np.float32)
        X[np.arange(n_rows), y % point["features"]] += 5
        n_bytes = X.nbytes
    else:
        per_row, width = 50, point["features"] // 50
        terms = rng.integers(width, size=(n_rows, per_row), dtype=np.int32)
        terms += np.arange(per_row, dtype=np.int32) * width
        values = rng.random(n_rows * per_row, dtype=np.float32)
        ends = np.arange(0, n_rows * per_row + 1, per_row, dtype=np.int32)
        parts = values, terms.ravel(), ends
        X = sparse.csr_array(parts, shape=(n_rows, point["features"]))
        n_bytes = sum(part.nbytes for part in parts)
    if point["splits"] == 1:
        y[rng.random(n_rows) >= 0.01] = -1
    return X, y, n_bytes


def search_of(point):
    clusterer = MiniBatchKMeans(n_init=1)
    if point["kind"] == "sparse":
        clusterer = SphericalKMeans()
    clusterer.set_params(max_iter=point["most_iterations"])
    return PACMDLSearchCV(
        clusterer,
        n_clusters=[5],
        n_init=point["candidates"],
        cv=point["splits"] if point["splits"] > 1 else None,
        random_state=0,
    )


def memory(name):
    """A line of the state of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(x for x in lines if x.startswith(name)).split()[1])


def measure(point):
    """Seconds and bytes of one search, in this process."""
    warnings.simplefilter("ignore")  # of few iterations and blind clusters
    search = search_of(point)
    X, y, _ = make_data(point, 2_000)
    search.fit(X, y)
    del X, y
    search = search_of(point)
    gc.collect()
    before = memory("VmRSS")
    X, y, n_bytes = make_data(point, point["rows"])
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    start, cpu = time.perf_counter(), time.process_time()
    search.fit(X, y)
    return {
        "X_MB": round(n_bytes / 1e6, 1),
        "peak_MB": round((memory("VmHWM") - before) / 1e6, 1),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "seconds": round(time.perf_counter() - start, 2),
    }


def in_process(point):
    command = [sys.executable, __file__, "--point", json.dumps(USUAL | point)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def slope(x, y):
    return round(float(np.polyfit(np.log(x), np.log(y), 1)[0]), 2)


def curves(quick):
    found = {}
    for name, values in CURVES.items():
        points = {v: in_process({name: v}) for v in (values[:3] if quick else values)}
        found |= {f"{name} {v}": point for v, point in points.items()}
        found[f"exponents of {name}"] = {
            key: slope(list(points), [point[key] for point in points.values()])
            for key in ("cpu_seconds", "peak_MB")
        }
        print(name, found[f"exponents of {name}"], flush=True)
    return found


def large(quick):
    found = {}
    for name, point in LARGE.items():
        n_rows = point["rows"] // (10 if quick else 1)
        result = in_process(point | {"rows": n_rows})
        allowed = 2 * result["X_MB"] + 64 * n_rows / 1e6
        beyond = (result["peak_MB"] - 2 * result["X_MB"]) * 1e6 / n_rows
        found[name] = {"rows": n_rows} | result
        found[name] |= {"aim_MB": round(allowed, 1), "bytes_a_row": round(beyond, 1)}
        print(name, found[name], flush=True)
    return found


def informativeness(quick):
    """Five times 19 clusterings; seconds, and mean scores of the 19."""
    X, _ = make_blobs(100_000, 10, centers=8, cluster_std=4.0, random_state=0)
    clusterings = [
        MiniBatchKMeans(k, n_init=1, random_state=0).fit_predict(X) for k in range(2, 21)
    ]
    found = {}
    for max_rows in (1_000, 2_000) if quick else (1_000, 2_000, 5_000, 10_000):
        start, cpu = time.perf_counter(), time.process_time()
        scores = informativeness_scores(
            X, clusterings * 5, max_rows=max_rows, random_state=0
        )
        found[f"max_rows={max_rows}"] = {
            "seconds": round(time.perf_counter() - start, 1),
            "cpu_seconds": round(time.process_time() - cpu, 1),
            "mean_score": round(float(scores.mean()), 4),
        }
        print(max_rows, found[f"max_rows={max_rows}"], flush=True)
    return found


def run(options):
    return {
        "informativeness of 95 labelings of 100,000 x 10": informativeness(options.quick),
        "curves": curves(options.quick),
        "large": large(options.quick),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--point"]:
        print(json.dumps(measure(json.loads(sys.argv[2]))))
    else:
        run_benchmark(__doc__, "scale", run)
