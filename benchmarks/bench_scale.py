"""Time and memory of a search against rows, features, candidates and splits.

Each point is a process of its own, which first runs a search on few rows, so that
libraries are loaded. Peak memory is that of the process (VmHWM of Linux) beyond what it
had before the rows were made; X and y of the user are a part of it. Processor time is
that of the search. Exponents are slopes of lines through the points, both axes
logarithmic. n_jobs is 1; run with OMP_NUM_THREADS=1.

Two large searches are compared with twice X and 64 bytes a row.
"""

import gc
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from common import run_benchmark, save_figures
from matplotlib.ticker import LogLocator
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans

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
MEASURES = {"cpu_seconds": "processor time (s)", "peak_MB": "peak memory (MB)"}
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
            for key in MEASURES
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


def draw(curves):
    """Both measures against each size, on logarithmic axes, with fitted exponents."""
    figure, axes = plt.subplots(
        len(MEASURES), len(CURVES), figsize=(11, 5), sharex="col", sharey="row",
        layout="constrained",
    )  # fmt: skip
    for column, size in zip(axes.T, CURVES, strict=True):
        points = {
            int(name.removeprefix(size)): point
            for name, point in curves.items()
            if name.startswith(size)
        }
        for ax, measure in zip(column, MEASURES, strict=True):
            ax.loglog(list(points), [point[measure] for point in points.values()], "o-")
            exponent = curves[f"exponents of {size}"][measure]
            ax.set_title(f"exponent {exponent:.2f}", fontsize="medium")
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter("")
            ax.grid(which="both", color="0.93")
        column[-1].set_xticks(list(points), [f"{x:,}" for x in points])
        column[-1].minorticks_off()
        column[-1].set_xlabel(size)
    for ax, label in zip(axes[:, 0], MEASURES.values(), strict=True):
        ax.set_ylabel(label)
    return figure


def run(options):
    found = curves(options.quick)
    save_figures(Path(options.output).parent, {"scale": draw(found)})
    return {"curves": found, "large": large(options.quick)}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--point"]:
        print(json.dumps(measure(json.loads(sys.argv[2]))))
    else:
        run_benchmark(__doc__, "scale", run)
