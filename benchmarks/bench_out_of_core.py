"""Time and memory of certify_clusterings where rows stay in a Parquet file.

A file of 10^8 rows and 20 clusterings into 10 to 86 clusters, in row groups of 2^20 rows;
a thousandth of the rows has one of 10 labels. Every measurement is a process of its own:
seconds from the start of the call to the certificate, and the most memory that the
process ever had, imports included. Linux counts from the fork on, so 0.25 GiB are the
least that can be found. The file was written just before, so that the system may still
hold it in memory. "In memory" reads the file first, which counts as well. Dask, which
takes minutes for a tenth of the rows, and rows in memory are measured on that tenth, next
to the others.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import run_benchmark

N_COLUMNS, N_CLASSES, N_IN_GROUP = 20, 10, 2**20
# By the part of the rows, as one in so many.
ENGINES = {1: ("polars", "duckdb"), 10: ("polars", "duckdb", "dask", "in memory")}


def write_file(path, n_rows):
    """Clusterings that are wrong ever more often; one row group in memory at a time."""
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n_rows, N_IN_GROUP):
        table = draw_group(rng, min(N_IN_GROUP, n_rows - start))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def draw_group(rng, size):
    y = rng.integers(N_CLASSES, size=size, dtype=np.uint8)
    columns = {}
    for k in range(N_COLUMNS):
        split = y + 10 * rng.integers(1 + k // 10, size=size, dtype=np.uint8)
        noise = rng.integers(10 + 4 * k, size=size, dtype=np.uint8)
        wrong = rng.random(size, dtype=np.float32) < 0.02 + 0.01 * k
        columns[f"leiden_{k}"] = np.where(wrong, noise, split)
    hidden = rng.random(size, dtype=np.float32) >= 0.001
    return pa.table(columns | {"label": pa.array(y, mask=hidden)})


def open_file(engine, path):
    """The clusterings as a user of this engine would pass them."""
    if engine == "polars":
        import polars as pl

        return pl.scan_parquet(path)
    if engine == "duckdb":
        import duckdb

        return duckdb.read_parquet(path)
    if engine == "dask":
        import dask.dataframe as dd

        return dd.read_parquet(path, split_row_groups=True)
    return pq.read_table(path)


def measure(engine, path, certify):
    """In a process of its own."""
    import resource
    import warnings

    from sklearn_pacmdl import certify_clusterings

    warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals")
    start, cpu = time.perf_counter(), time.process_time()
    certified = certify_clusterings(
        open_file(engine, path), y="label", certify=certify, random_state=0
    )
    found = {
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        # Linux counts in units of 1024 bytes.
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "best": certified.best_name,
        "bound": round(certified.bound, 5),
    }
    print(json.dumps(found))


def in_own_process(engine, path, certify):
    answer = subprocess.run(
        [sys.executable, __file__, "measure", engine, str(path), certify],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(answer.stdout)


def run(options):
    n_rows = int(float(options.rows or (1e5 if options.quick else 1e8)))
    found = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for part, engines in ENGINES.items():
            path = Path(folder) / f"labels_{part}.parquet"
            write_file(path, n_rows // part)
            for engine in engines:
                for certify in ("learned", "holdout"):
                    name = f"{n_rows // part} rows, {engine}, {certify}"
                    found[name] = in_own_process(engine, path, certify)
                    print(f"{name:<44} {found[name]}", flush=True)
            found[f"{n_rows // part} rows, file"] = {
                "gib": round(os.path.getsize(path) / 2**30, 2)
            }
            path.unlink()
    libraries = ("dask", "duckdb", "narwhals", "polars", "pyarrow")
    return {
        "by engine": found,
        "libraries": {name: version(name) for name in libraries},
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(*sys.argv[2:])
    else:
        run_benchmark(
            __doc__,
            "out_of_core",
            run,
            rows="number of rows (default: 1e8)",
            folder="where the files are written (default: that of the system)",
        )
