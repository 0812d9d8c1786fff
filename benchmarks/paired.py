"""Six jobs of a few seconds with this tree and with another commit, in turn.

Ratios are this tree's seconds of processor time, or most memory, by those of the other
commit, pair by pair: the median, and the least and the most in brackets. Above 1, this
tree is slower, or takes more. Each run is a process of its own, with one thread. To be
run weekly and before a release; what tests do not time, this does.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

ROOT = Path(__file__).parents[1]
N_ROWS = 10**6


def search(folder):
    """Rows and labels of which a tenth is known."""
    from sklearn_pacmdl import PACMDLSearchCV

    X, y = make_blobs(6000, 10, centers=12, cluster_std=4, random_state=0)
    y[np.random.default_rng(0).permutation(len(y)) >= 600] = -1
    models = [("kmeans", KMeans()), ("ward", AgglomerativeClustering())]
    made = PACMDLSearchCV(models, n_clusters=range(5, 25), n_init=5, random_state=0)
    return lambda: made.fit(X, y)


def clusterings():
    """Twenty clusterings by name, and classes of which a hundredth is known."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=N_ROWS)
    table = {
        f"leiden_{k}": np.where(rng.random(N_ROWS) < 0.02 * k, k, y + 10 * (y < k))
        for k in range(20)
    }
    return table, np.where(rng.random(N_ROWS) < 0.01, y, -1)


def in_memory(folder):
    from sklearn_pacmdl import certify_clusterings

    table, y = clusterings()
    return lambda: certify_clusterings(table, y, random_state=0)


def in_a_file(folder):
    from sklearn_pacmdl import certify_clusterings

    table, y = clusterings()
    path = Path(folder) / "clusterings.parquet"
    if not path.exists():
        pl.DataFrame(table | {"y": y}).write_parquet(path)
    return lambda: certify_clusterings(path, y="y", random_state=0)


def labeled():
    """Labels of a model, how sure it is, and the truth."""
    rng = np.random.default_rng(0)
    truth = np.array(["ham", "news", "spam"], dtype=object)[rng.integers(3, size=N_ROWS)]
    sure = rng.random(N_ROWS)
    return np.where(rng.random(N_ROWS) < sure**0.1, truth, "ham"), sure, truth


def audit(folder):
    from sklearn_pacmdl import certify_labels, draw_audit

    labels, sure, truth = labeled()

    def run():
        drawn = draw_audit(N_ROWS, 500, labels=labels, confidence=sure, random_state=0)
        return certify_labels(labels, drawn, truth[drawn.rows])

    return run


def verification(folder):
    from sklearn_pacmdl import certify_labels, draw_audit

    labels, _, truth = labeled()
    drawn = draw_audit(N_ROWS, 500, labels=labels, random_state=0)
    certificate = certify_labels(labels, drawn, truth[drawn.rows])
    return lambda: certificate.verify(labels, drawn, truth[drawn.rows])


def finishing(folder):
    from sklearn_pacmdl import draw_audit, finish_labels

    labels, sure, truth = labeled()
    drawn = draw_audit(N_ROWS, 500, labels=labels, confidence=sure, random_state=0)
    answers = truth[drawn.rows]
    return lambda: finish_labels(labels, sure, drawn, answers, target=0.05)


JOBS = search, in_memory, in_a_file, audit, verification, finishing


def measure(job, folder):
    """Seconds of processor time of a job, and most MB of its process."""
    run = job(folder)
    start = time.process_time()
    run()
    seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(tree, job, folder):
    """The same in a process that imports the package from a tree."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    environ = os.environ | threads | {"PYTHONPATH": str(tree)}
    command = [sys.executable, __file__, "--job", job.__name__, folder]
    done = subprocess.run(
        command, env=environ, cwd=folder, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def spread(ratios):
    low, high = min(ratios), max(ratios)
    return f"{statistics.median(ratios):5.2f} ({low:.2f} to {high:.2f})"


def compare(base, n_pairs):
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(other), base], check=True)
        try:
            print(f"{'':<13}{'seconds':>8}  ratio of seconds     ratio of memory")
            for job in JOBS:
                pairs = np.array(
                    [
                        [measured(tree, job, folder) for tree in (ROOT, other)]
                        for _ in range(n_pairs)
                    ]
                )
                seconds, memory = (pairs[:, 0] / pairs[:, 1]).T
                of_job = f"{np.median(pairs[:, 0, 0]):8.2f}  {spread(seconds):<20}"
                print(f"{job.__name__:<13}{of_job} {spread(memory)}", flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(other)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("base", help="the other commit, such as v0.1.0 or HEAD~5")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each (default: 5)")
    if sys.argv[1:2] == ["--job"]:
        by_name = {job.__name__: job for job in JOBS}
        print(json.dumps(measure(by_name[sys.argv[2]], sys.argv[3])))
        return
    options = parser.parse_args()
    compare(options.base, options.pairs)


if __name__ == "__main__":
    main()
