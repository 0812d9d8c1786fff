"""
Rows that stay in their files
=============================

Five million rows, or many more, lie in Parquet files, in chunks that were written one
after the other. Each column except the last is a clustering, with 5 to 80 clusters, and
the last column has a label for 3,000 rows. ``certify_labelings`` takes the lazy frame:
Polars (or DuckDB, Dask, Spark) counts rows by cluster and label. Only these counts come
into memory, and the labeled rows, which are divided at random.

On the left are the bounds of all columns, which hold at once, and the true error rates,
which only this example knows. On the right is the memory that counts and labeled rows
take, compared with that of all rows.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

from sklearn_pacmdl import certify_labelings

# How often a row is not in the cluster where its like are, by number of clusters: few
# clusters mix classes anyway, and many break easily.
NOISE = {5: 0.02, 10: 0.03, 20: 0.04, 40: 0.08, 80: 0.2}
N_CLASSES, CHUNK, N_LABELED = 10, 250_000, 3_000


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("larger_than_memory.png"))
    parser.add_argument("--quick", action="store_true", help="500,000 rows")
    return parser.parse_args()


def write_chunk(path, rng, n_rows, share_labeled):
    """A chunk of rows, of which a random part has its label; and all true labels."""
    truth = rng.integers(N_CLASSES, size=n_rows)
    columns = {"truth": truth}
    for k, noise in NOISE.items():
        near = truth * k // N_CLASSES + rng.integers(max(1, k // N_CLASSES), size=n_rows)
        lost = rng.uniform(size=n_rows) < noise
        columns[f"{k} clusters"] = np.where(lost, rng.integers(k, size=n_rows), near)
    labeled = rng.uniform(size=n_rows) < share_labeled
    label = pl.Series(np.where(labeled, truth, -1)).replace(-1, None)
    pl.DataFrame(columns | {"label": label}).write_parquet(path)


def main():
    arguments = parse_arguments()
    n_rows = 500_000 if arguments.quick else 5_000_000
    with TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        for i in range(n_rows // CHUNK):
            write_chunk(Path(folder) / f"{i}.parquet", rng, CHUNK, N_LABELED / n_rows)
        frame = pl.scan_parquet(Path(folder) / "*.parquet")
        start = time.perf_counter()
        certified = certify_labelings(frame.drop("truth"), y="label", random_state=0)
        seconds = time.perf_counter() - start
        print(f"{n_rows:,} rows, {len(NOISE)} clusterings: {seconds:.1f} seconds")
        print(certified)
        errors = {
            name: error_rate(frame, name) for name in certified.results["algorithm"]
        }
    draw(certified, errors, n_rows, arguments.output)


def error_rate(frame, name):
    """Share of wrong labels, had each cluster its most common class; by the engine."""
    counts = frame.group_by(name, "truth").len().collect()
    right = counts.group_by(name).agg(pl.col("len").max())["len"].sum()
    return 1 - right / counts["len"].sum()


def draw(certified, errors, n_rows, output):
    figure, axes = plt.subplots(
        1, 2, figsize=(12, 4.4), layout="constrained", width_ratios=[1.6, 1]
    )
    names = list(errors)
    bounds = certified.results["mean_test_bound"]
    place = np.arange(len(names))
    axes[0].bar(place, bounds, color="tab:blue", alpha=0.4, label="bound")
    axes[0].plot(place, list(errors.values()), "o", color="tab:red", label="true error")
    best = certified.best_index
    axes[0].plot(place[best], bounds[best], "*", markersize=16, color="tab:blue",
                 label="chosen")  # fmt: skip
    axes[0].set_xticks(place, names)
    axes[0].yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes[0].set(title="Bounds on the error rate", ylim=(0, None))
    axes[0].legend()
    cells, columns = sum(NOISE) * (N_CLASSES + 1), len(NOISE) + 1
    sizes = {"all rows": n_rows * columns, "labeled rows": N_LABELED * columns}
    sizes["counts"] = cells
    axes[1].barh(list(sizes), [8 * size / 1e6 for size in sizes.values()])
    axes[1].set(xscale="log", xlabel="Megabytes", title="What has to be in memory")
    figure.savefig(output, dpi=120)
    print(f"\nPicture: {output}")


if __name__ == "__main__":
    main()
