"""Time to choose among clusterings made elsewhere, by container and way to certify.

A table of 10^6 rows and 50 clusterings into 10 to 206 clusters, as text unless stated
otherwise, of 10 classes; a hundredth of the rows has a label. Seconds from the table to
the certificate: columns are numbered, clusters counted, the choice of rows tested, and
one labeling certified. Of three runs: the median and the most on the wall, where other
work on the machine counts too, and the median of processor time. Run with
OMP_NUM_THREADS=1.
"""

import statistics
import time
from importlib.metadata import version

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from common import clock, run_benchmark

from sklearn_pacmdl import certify_clusterings

N_COLUMNS = 50
REPEATS = 3
NAMES = np.array([f"cluster {i}" for i in range(300)], dtype=object)
KINDS = ("learned", "pac-mdl", "holdout")


def make_table(n_samples):
    """Classes, and clusterings by name as integers, which are wrong ever more often."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_samples)
    table = {}
    for k in range(N_COLUMNS):
        n_clusters = 10 + 4 * k
        split = y + 10 * rng.integers(1 + k // 10, size=n_samples)
        noise = rng.integers(n_clusters, size=n_samples)
        wrong = rng.random(n_samples) < 0.02 + 0.01 * k
        table[f"leiden_{0.1 * (k + 1):.1f}"] = np.where(wrong, noise, split)
    return table, np.where(rng.random(n_samples) < 0.01, y, -1)


def as_text(table, kind=object):
    return pd.DataFrame({k: pd.Series(NAMES[v], dtype=kind) for k, v in table.items()})


def containers(table):
    """Functions that make the containers, one at a time, since each takes memory."""
    text = {
        "pandas, str": lambda: as_text(table, "str"),
        "pandas, objects": lambda: as_text(table),
        "pandas, categories": lambda: as_text(table, "category"),
        "pandas, integers": lambda: pd.DataFrame(table),
        "Polars": lambda: pl.DataFrame({k: NAMES[v] for k, v in table.items()}),
        "PyArrow": lambda: pa.table({k: NAMES[v] for k, v in table.items()}),
    }
    return text | {
        "array of integers": lambda: np.stack(list(table.values())),
        "array of objects": lambda: NAMES[np.stack(list(table.values()))],
        "array of fixed-width text": lambda: NAMES[np.stack(list(table.values()))].astype(
            "U11"
        ),
        "dict of arrays of integers": lambda: table,
    }


def seconds(clusterings, seen, **settings):
    """On the wall, and of processors for this process."""
    walls, cpus = [], []
    for _ in range(REPEATS):
        start = time.process_time()
        took, certified = clock(
            lambda: certify_clusterings(clusterings, seen, random_state=0, **settings)
        )
        walls.append(took)
        cpus.append(time.process_time() - start)
    return {
        "seconds": round(statistics.median(walls), 1),
        "most_seconds": round(max(walls), 1),
        "cpu_seconds": round(statistics.median(cpus), 1),
        "best": certified.best_name,
    }


def by_container(table, seen):
    return {name: seconds(make(), seen) for name, make in containers(table).items()}


def by_way(table, seen):
    text = as_text(table, "str")
    return {
        f"{certify}, target" if target else certify: seconds(
            text, seen, certify=certify, target=target
        )
        for certify in KINDS
        for target in (None, 0.1)
    }


def run(options):
    n_samples = 10**5 if options.quick else 10**6
    table, seen = make_table(n_samples)
    return {
        "size": {
            "rows": n_samples,
            "labelings": N_COLUMNS,
            "labeled rows": int((seen >= 0).sum()),
        },
        "by container, learned": by_container(table, seen),
        "by way to certify, pandas, str": by_way(table, seen),
        "libraries": {name: version(name) for name in ("pandas", "polars", "pyarrow")},
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "precomputed", run)
