"""Processor time and memory of the commands for audits, on 5 million rows in Parquet.

The file has texts, ten classes, confidences and four columns that no command needs.
Every command is a process of its own, imports included; processor time is that of all
its threads. People answer rightly, and 96% of the labels are right, as often as the
confidences say.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from common import run_benchmark

N_IN_GROUP, N_CLASSES, SIZE = 2**20, 10, 1000
NAMES = np.array([f"topic {k}" for k in range(N_CLASSES)])
OF = ["--labels", "auto", "--audit", "a.json", "--answers", "a.csv"]
SURE = ["--confidence", "sure", "--target", "0.05"]
COMMANDS = {
    "plan": ["audit", "plan", "d.parquet", *SURE, "--budget", f"{SIZE}"],
    "draw": ["audit", "draw", "d.parquet", "--labels", "auto", "--confidence", "sure",
             "--columns", "id,text", "--size", f"{SIZE}", "--seed", "0", "--output", "a"],
    "certify": ["audit", "certify", "d.parquet", *OF, "--output", "c"],
    "share": ["audit", "share", "d.parquet", *OF, "--of", "topic 0"],
    "classes": ["audit", "classes", "d.parquet", *OF],
    "finish": ["audit", "finish", "d.parquet", *OF, *SURE, "--columns", "id,text",
               "--output", "f.parquet"],
    "verify the audit": ["verify", "a.json", "--data", "d.parquet", "--labels", "auto"],
    "verify the certificate": ["verify", "c.json", "--data", "d.parquet", *OF],
    "verify the finished data set": ["verify", "f.json", "--data", "f.parquet",
                                     "--labels", "label", *OF[2:]],
}  # fmt: skip

# Linux counts memory from the fork on, so what starts a command must be small.
MEASURE = """if True:
    import json, resource, subprocess, sys
    command = [sys.executable, "-m", "sklearn_pacmdl", *sys.argv[1:]]
    exit_code = subprocess.run(command).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "exit_code": exit_code,
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_MB": round(used.ru_maxrss * 1024 / 1e6),
    }
    print(json.dumps(found))
"""


def write_file(path, n_rows):
    """One row group in memory at a time."""
    rng, writer = np.random.default_rng(0), None
    for start in range(0, n_rows, N_IN_GROUP):
        size = min(N_IN_GROUP, n_rows - start)
        truth, sure = rng.integers(N_CLASSES, size=size), rng.random(size) ** 0.04
        wrong = rng.random(size) > sure
        numbers = range(start, start + size)
        columns = {
            "id": np.array(numbers),
            "text": [f"{i}, about {k}" for i, k in zip(numbers, truth, strict=True)],
            "auto": NAMES[(truth + wrong) % N_CLASSES],
            "sure": sure,
        }
        columns |= {f"x{k}": rng.random(size) for k in range(4)}
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def fill_in(path):
    sheet = pd.read_csv(path)
    sheet["label"] = NAMES[sheet["text"].str.rpartition(" ")[2].astype(int)]
    sheet.to_csv(path, index=False)


def measure(command, folder):
    answer = subprocess.run(
        [sys.executable, "-c", MEASURE, *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(answer.stdout.splitlines()[-1])


def run(options):
    n_rows = int(float(options.rows or (1e5 if options.quick else 5e6)))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, found = Path(folder) / "d.parquet", {}
        write_file(path, n_rows)
        for name, command in COMMANDS.items():
            found[name] = measure(command, folder)
            print(f"{name:<32} {found[name]}", flush=True)
            if name == "draw":
                fill_in(Path(folder) / "a.csv")
        size = round(path.stat().st_size / 1e6)
    return {f"{n_rows} rows": found, "file": {"size": {"MB": size}}}


if __name__ == "__main__":
    run_benchmark(
        __doc__,
        "parquet",
        run,
        rows="number of rows (default: 5e6)",
        folder="where the files are written (default: that of the system)",
    )
