"""Time of sweeps over numbers of clusters whose fits have a tree in common.

A sweep of Ward's linkage with 5 splits, in one process with one thread: fits, counts,
ranking, certificates and the last fit. It is compared with single fits, which take turns
with the sweeps. "of one fit" is the time of the sweep over that of one fit. "loop" is the
time over that of the sweep of a loop that only fits once for each number of clusters, and
"loop with splits" of one that fits for each number and split, as a search by scores does.
Ratios are of processor time, since others may use the same cores. The first sweep under
the default language also computes tables, which later ones in the process find again.
"""

import statistics
import time

from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV

N_SPLITS = 5
ALGO = {"certify": "pac-mdl", "language": "algo"}
WAYS = {
    "default, first sweep": {},
    "default": {},
    "certify='pac-mdl'": {"certify": "pac-mdl"},
    "language='algo'": ALGO,
    "certify='learned'": {"certify": "learned"},
}


def timed(function):
    """Seconds of processor time and on the wall."""
    cpu, wall = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - cpu, time.perf_counter() - wall


def measure(n_samples, numbers, ways, repeats):
    """Times of the methods of certification, in order; a first sweep is not repeated."""
    X, y = make_blobs(n_samples, 16, centers=10, cluster_std=4, random_state=0)
    ward = AgglomerativeClustering()
    ward.fit(X[:100])  # imports
    fits, sweeps = [], {name: [] for name in ways}
    for repeat in range(repeats):
        for name in ways:
            if repeat and "first" in name:
                continue
            search = PACMDLSearchCV(
                ward, n_clusters=numbers, cv=N_SPLITS, random_state=0, **WAYS[name]
            )
            fits.append(timed(lambda: ward.fit(X)))
            sweeps[name].append(timed(lambda search=search: search.fit(X, y)))
    fit, fit_wall = middle(fits)
    table = {"one fit": {"cpu_seconds": round(fit, 2), "seconds": round(fit_wall, 2)}}
    for name, times in sweeps.items():
        took, wall = middle(times)
        table[name] = {
            "cpu_seconds": round(took, 2),
            "seconds": round(wall, 2),
            "of one fit": round(took / fit, 2),
            "loop": round(len(numbers) * fit / took, 1),
            "loop with splits": round(N_SPLITS * len(numbers) * fit / took, 1),
        }
    return table


def middle(times):
    return map(statistics.median, zip(*times, strict=True))


def run(options):
    tables = {"3,000 rows, 2 to 60 clusters": measure(3000, range(2, 61), WAYS, 3)}
    if not options.quick:
        large = ["default", "language='algo'"]
        title = "20,000 rows, 2, 4, ..., 20 clusters"
        tables[title] = measure(20_000, range(2, 21, 2), large, 1)
    return tables


if __name__ == "__main__":
    run_benchmark(__doc__, "trees", run)
