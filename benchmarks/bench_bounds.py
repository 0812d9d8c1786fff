"""Speed of the exact bound, side by side with bisection on SciPy's tails.

Five tables: (1) 1,000 bounds at m = n = 2,500 in one call, against bisection on
``hypergeom.sf`` and ``hypergeom.logsf``, one bound at a time as a user would write it,
and on ``sf`` with all bounds bisected together; (2) cost against the number of rows;
(3) answers where SciPy underflows, is wrong or gives up; (4) processor time of plans of
audits with a look after every label, of the remaining rows beside all rows; (5) processor
time and peak memory, beyond the data, of certificates of one labeling of 50,000 rows into
many clusters or classes. Run with OMP_NUM_THREADS=1.

Tables (4) and (5) are kept in a file of their own:

    OMP_NUM_THREADS=1 python benchmarks/bench_bounds.py --only looks,many_classes \\
        --output benchmarks/results/looks_and_classes.json
"""

import statistics
import time
import tracemalloc
from functools import partial

import numpy as np
from common import clock, median_seconds, run_benchmark
from scipy.stats import hypergeom, nhypergeom

from sklearn_pacmdl import certify_labelings, pac_mdl_bound
from sklearn_pacmdl.bounds import looks_plan

SHAPES = {
    "500 clusters, 1,000 classes": (500, 1000),
    "10 clusters, 38,040 classes": (10, 38_040),
}
WAYS = ("decoupled", "learned", "holdout")


def bisect(tail, level, m, n, a):
    """Largest b whose tail, a function of b decreasing from 1, is at least the level."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if tail(middle - 1, m + n, n, a + middle) >= level:
            low = middle
        else:
            high = middle - 1
    return low


def bisect_together(level, m, n, a):
    """The same on whole arrays."""
    low, high = np.zeros_like(a), np.full_like(a, n)
    while np.any(low < high):
        middle = (low + high + 1) // 2
        enough = hypergeom.sf(middle - 1, m + n, n, a + middle) >= level
        low, high = np.where(enough, middle, low), np.where(enough, high, middle - 1)
    return low


def against_scipy(repeats, n_sf, n_logsf):
    """Ratios of seconds per bound, each pair measured back to back."""
    rng = np.random.RandomState(0)
    m = n = 2500
    a = rng.randint(0, 1250, size=1000)
    bits = rng.uniform(0, 300, size=1000)
    ours = partial(pac_mdl_bound, m, n, a, description_length=bits, delta=0.1)
    log_level = np.log(0.1) - bits * np.log(2)
    rivals = {
        "hypergeom.sf": (
            n_sf,
            lambda i: bisect(hypergeom.sf, np.exp(log_level[i]), m, n, a[i]),
        ),
        "hypergeom.logsf": (
            n_logsf,
            lambda i: bisect(hypergeom.logsf, log_level[i], m, n, a[i]),
        ),
    }
    ours()
    calls = {
        name: (size, lambda size=size, rival=rival: [rival(i) for i in range(size)])
        for name, (size, rival) in rivals.items()
    }
    calls["hypergeom.sf, all bounds bisected together"] = (
        1000,
        lambda: bisect_together(np.exp(log_level), m, n, a),
    )
    return {
        name: side_by_side(ours, call, size, repeats)
        for name, (size, call) in calls.items()
    }


def side_by_side(ours, theirs, size, repeats):
    """Seconds of 1,000 bounds of ours and of the first `size` of a rival."""
    times = []
    for _ in range(repeats):
        seconds, bounds = clock(ours)
        seconds_of_rival, answers = clock(theirs)
        times.append((seconds / 1000, seconds_of_rival / size))
        assert np.array_equal(answers, bounds[:size])
    ratios = [b / a for a, b in times]
    ours, theirs = (
        1e6 * statistics.median(column) for column in zip(*times, strict=True)
    )
    return {
        "ours_us": round(ours, 2),
        "theirs_us": round(theirs, 1),
        "ratio_min": round(min(ratios), 1),
        "ratio_median": round(statistics.median(ratios), 1),
        "ratio_max": round(max(ratios), 1),
    }


def against_size(repeats):
    """Microseconds per bound for m = n of every scale, 1,000 bounds a call."""
    rng = np.random.RandomState(0)
    share, bits = rng.uniform(0, 0.5, size=1000), rng.uniform(0, 300, size=1000)
    rows = {}
    for size in [2500, *(10**e for e in range(3, 13))]:
        call = partial(
            pac_mdl_bound, size, size, np.floor(share * size), description_length=bits
        )
        rows[f"{size:.1e}"] = round(1e3 * median_seconds(call, repeats), 1)
    return rows


def against_truth():
    """Answers at 10**-power with a tenth of the labeled rows wrong."""
    rows = []
    for size, power in [(1000, 1), (1000, 30), (1000, 400), (10**5, 400), (10**9, 400)]:
        a = size // 10
        bits = (power - 1) * np.log2(10)
        seconds, bound = clock(
            partial(pac_mdl_bound, size, size, a, description_length=bits)
        )
        level = 10.0**-power  # 0.0 below 1e-323
        row = {"m=n": size, "level": f"1e-{power}", "ours": bound, "ours_s": seconds}
        row["sf_s"], row["hypergeom.sf"] = clock(
            partial(bisect, hypergeom.sf, level, size, size, a)
        )
        if size <= 1000:
            row["isf_s"], value = clock(
                partial(nhypergeom.isf, level, 2 * size, size, a + 1)
            )
            # The tail is P(T >= b), and isf gives the smallest t with P(T > t) <= level.
            row["nhypergeom.isf"] = float(value)
        rows.append(row)
    return rows


def cpu_seconds(call, repeats):
    times = [clock(call, time.process_time)[0] for _ in range(repeats)]
    return statistics.median(times)


def looks(repeats):
    """A twentieth of the rows may be wrong, and all rows but one may be labeled."""

    def plan(n_rows, kind):
        design = n_rows, n_rows // 20, n_rows - 1
        return looks_plan(*design, kind=kind).false_certification

    found = {}
    for n_rows in (1000, 2000, 4000):
        pairs = [
            [cpu_seconds(partial(plan, n_rows, k), 1) for k in ("total", "remaining")]
            for _ in range(repeats)
        ]
        total, remaining = (
            statistics.median(column) for column in zip(*pairs, strict=True)
        )
        found[f"{n_rows} rows"] = {
            "total_s": round(total, 3),
            "remaining_s": round(remaining, 3),
            "ratio_median": round(statistics.median(b / a for a, b in pairs), 1),
            "ratio_max": round(max(b / a for a, b in pairs), 1),
        }
    return found


def many_classes(repeats):
    """Classes are declared; half of the rows have labels, and a tenth are misplaced."""
    rng, found = np.random.default_rng(0), {}
    for name, (n_clusters, n_classes) in SHAPES.items():
        y = rng.integers(n_classes, size=50_000)
        noise = rng.integers(n_clusters, size=y.size)
        labels = np.where(rng.random(y.size) < 0.1, noise, y % n_clusters)
        seen = np.where(rng.random(y.size) < 0.5, y, -1)
        for way in WAYS:
            call = partial(
                certify_labelings,
                [labels],
                seen,
                certify=way,
                classes=np.arange(n_classes),
                random_state=0,
            )
            seconds = cpu_seconds(call, repeats)
            tracemalloc.start()
            call()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            row = {"cpu_seconds": round(seconds, 2), "peak_mb": round(peak / 1e6)}
            found[f"{name}, {way}"] = row
    return found


def run(options):
    repeats, n_sf, n_logsf = (3, 50, 10) if options.quick else (15, 300, 100)
    tables = {
        "against_scipy": partial(against_scipy, repeats, n_sf, n_logsf),
        "microseconds_by_size": partial(against_size, repeats),
        "against_truth": against_truth,
        "looks": partial(looks, repeats),
        "many_classes": partial(many_classes, repeats),
    }
    names = options.only.split(",") if options.only else tables
    return {name: tables[name]() for name in names}


if __name__ == "__main__":
    run_benchmark(__doc__, "bounds", run, only="names of tables, with commas")
