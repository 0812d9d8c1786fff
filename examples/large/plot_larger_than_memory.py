"""
Rows that stay in their files
=============================

Millions of rows lie in Parquet files, each with its cluster in several clusterings, and
some 3,000 of them have a label. Which clustering can be trusted, if the rows do not fit
into memory?
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

from sklearn_pacmdl import certify_clusterings

# %%
# Files
# -----
# We write two million rows in chunks. Each column except the last is a clustering, with 5
# to 80 clusters, and the last column has the labels. Few clusters mix classes, and the
# more clusters there are, the more rows we let lie in a wrong one.

folder = TemporaryDirectory()
rng = np.random.default_rng(0)
lost = {5: 0.02, 10: 0.03, 20: 0.04, 40: 0.08, 80: 0.2}
n_rows, chunk = 2_000_000, 250_000
for i in range(n_rows // chunk):
    truth = rng.integers(10, size=chunk)
    columns = {"truth": truth}
    for k, share in lost.items():
        near = truth * k // 10 + rng.integers(max(1, k // 10), size=chunk)
        columns[f"{k} clusters"] = np.where(
            rng.uniform(size=chunk) < share, rng.integers(k, size=chunk), near
        )
    labeled = rng.uniform(size=chunk) < 3_000 / n_rows
    columns["label"] = pl.Series(np.where(labeled, truth, -1)).replace(-1, None)
    pl.DataFrame(columns).write_parquet(Path(folder.name) / f"{i}.parquet")

# %%
# The certificate
# ---------------
# ``certify_clusterings`` takes the lazy frame: Polars (or DuckDB, Dask, Spark) counts
# rows by cluster and label. Only these counts come into memory, and the labeled rows,
# which are divided at random.

frame = pl.scan_parquet(Path(folder.name) / "*.parquet")
certified = certify_clusterings(frame.drop("truth"), y="label", random_state=0)
print(certified)

# %%
# Bounds and true error rates
# ---------------------------
# The bars are the bounds, which hold at once. The dots are the true error rates, which
# only this example knows. The engine computes them, too.

errors = {}
for name in certified.results["algorithm"]:
    counts = frame.group_by(name, "truth").len().collect()
    right = counts.group_by(name).agg(pl.col("len").max())["len"].sum()
    errors[name] = 1 - right / n_rows
folder.cleanup()

bounds = certified.results["mean_test_bound"]
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.bar(list(errors), bounds, color="tab:blue", alpha=0.4, label="bound")
ax.plot(list(errors), list(errors.values()), "o", color="tab:red", label="true error")
best = certified.best_index
ax.annotate("chosen", (best, bounds[best]), ha="center", va="bottom")
name = list(errors)[best]
ax.set_title(
    f"{name}: at most {np.ceil(1e4 * bounds[best]) / 1e4:.2%} wrong,\n"
    f"in truth {errors[name]:.2%}"
)
ax.set_ylabel("Error rate")
ax.set_xticks(range(len(errors)), [name.replace(" ", "\n") for name in errors])
ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
ax.legend()
plt.show()

# %%
# In memory were at most eleven counts for each cluster (rows without a label, and rows of
# each class), and the labeled rows.

n_in_memory = 11 * sum(lost) + 3_000 * 6
print(f"About {n_in_memory:,} numbers were in memory, of {6 * n_rows:,} in the files.")
