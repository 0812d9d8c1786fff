"""What benchmarks share: options, documents, the clock, results that are kept."""

import argparse
import json
import os
import platform
import re
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

RESULTS = Path(__file__).parent / "results"


def experiment_parser(description, results, quick):
    """With what all experiments take; for :func:`parse_options`.

    `results` is their folder, `quick` what the small mode does.
    """
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{quick}, in DIR/quick")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        default=RESULTS / results,
        help=f"directory of the results (default: benchmarks/results/{results})",
    )
    return parser


def run_benchmark(description, results, run, **more):
    """Measure, print and write tables; ``run(options)`` returns rows by table and name.

    `more` are further options and their help.
    """
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and repeats")
    parser.add_argument("--output", default=RESULTS / f"{results}.json")
    for name, what in more.items():
        parser.add_argument(f"--{name}", help=what)
    options = parser.parse_args()
    tables = run(options)
    for title, table in tables.items():
        print(f"\n{title}")
        for name, row in table.items() if isinstance(table, dict) else enumerate(table):
            print(f"  {name:<44} {row}")
    write_json(options.output, tables)


def clock(function, timer=time.perf_counter):
    """Seconds that a call takes, and what it returns."""
    start = timer()
    result = function()
    return timer() - start, result


def resumed(path, compute):
    """What an earlier run has kept at `path`; otherwise it is computed now, and kept.

    Delete the file if the code has changed.
    """
    if not path.exists():
        seconds, result = clock(compute)
        path.parent.mkdir(parents=True, exist_ok=True)
        # An interrupted run leaves no file under this name.
        unfinished = path.with_name(f"{path.name}.part")
        joblib.dump(result, unfinished, compress=3)
        unfinished.replace(path)
        print(f"{path.stem:<32} took {seconds:6.0f} s", flush=True)
    return joblib.load(path)


def add_data_option(parser, otherwise):
    """Where the documents are, which the project does not hold."""
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        default=os.environ.get("TEXT_COLLECTIONS"),
        help=f"folder of the text files (default: $TEXT_COLLECTIONS; else {otherwise})",
    )


def parse_options(parser):
    options = parser.parse_args()
    if options.quick:
        options.output /= "quick"
    return options


def environment(packages=("sklearn-pacmdl", "numpy", "scipy", "scikit-learn")):
    return {
        "date": date.today().isoformat(),
        # Folders outside are those of a machine.
        "command": " ".join(
            ["python", *(Path(a).name if Path(a).is_absolute() else a for a in sys.argv)]
        ),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": os.environ.get("OMP_NUM_THREADS", "not pinned"),
    }


def write_json(path, results):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results | {"environment": environment()}, indent=1)
    path.write_text(re.sub(r"\bNaN\b", "null", text) + "\n")  # JSON has no NaN
    print(f"\nWritten: {path}")


def print_tables(tables, digits=3):
    """DataFrames, or lists of rows, by title."""
    for title, table in tables.items():
        text = pd.DataFrame(table).round(digits).to_string(max_colwidth=None)
        print(f"\n{title}\n{text}")


def read_documents(path, keep=None):
    """Sublinear tf-idf of unit norm, and labels, of a file of term counts in CSR parts.

    `keep` names the classes to keep, of those in the file's `label_names`; terms that no
    document of theirs has are left out.
    """
    with np.load(path, allow_pickle=False) as file:
        parts = (file["data"], file["indices"], file["indptr"])
        counts = sparse.csr_array(parts, shape=file["shape"])
        labels, names = file["labels"], [str(name) for name in file["label_names"]]
    if keep is not None:
        rows = np.isin(labels, [names.index(name) for name in keep])
        counts, labels = counts[rows], labels[rows]
        counts = counts[:, np.flatnonzero(counts.sum(axis=0))]
    weighting = TfidfTransformer(sublinear_tf=True)
    return weighting.fit_transform(counts.astype(np.float64)), labels


def draw_documents(n_documents, n_terms, n_topics=20, length=92):
    """The same of documents of Zipf's words, those of a topic more frequent in it."""
    rng = np.random.RandomState(0)
    zipf = 1 / np.arange(1, n_terms + 1)
    topics = zipf * rng.gamma(0.3, size=(n_topics, n_terms))
    topics /= topics.sum(axis=1, keepdims=True)
    size = n_documents // n_topics, length
    terms = np.concatenate([rng.choice(n_terms, size, p=topic) for topic in topics])
    rows = np.repeat(np.arange(len(terms), dtype=np.int32), length)
    places = rows, terms.ravel().astype(np.int32)
    counts = sparse.coo_array((np.ones(rows.size), places), (len(terms), n_terms)).tocsr()
    weighting = TfidfTransformer(sublinear_tf=True)
    return weighting.fit_transform(counts), np.repeat(np.arange(n_topics), size[0])


def save_figures(output, figures):
    """Save figures by name, as PNG."""
    output.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        figure.savefig(output / f"{name}.png", dpi=130)
        plt.close(figure)
