"""Which share of the labels should select, and which way to certify is chosen.

Clusterings of each data set are computed once: k-means (2 starts) and Ward's linkage of
rows of numbers, spherical k-means (3 starts) of documents. Then labeled rows are drawn at
random, and every share and way is given the same clusterings and draws.

    OMP_NUM_THREADS=1 python benchmarks/bench_division.py --data FOLDER

writes ``division.json``. Tables are (1) by way and problem: the mean bound in percent
with shares from .2 to .8, with the share of the rule (``rule``) and that share; (2) by
the same: what the rule and the constants that it replaces lose to the best of these
shares; (3) by delta and problem: the mean bound of each way, what ``certify="auto"``
takes, and what it loses to the way that is the best on this problem, with the standard
error over paired draws. Without a folder of documents there are fewer problems.
"""

from pathlib import Path

import bench_constants
import numpy as np
import pandas as pd
from bench_constants import DATA, Clusterings, Draw, Setting, cluster
from common import read_documents, run_benchmark
from compare_certificates import three_class_blobs
from sklearn_pacmdl.certification._choice import SweepSize, choose_way

from sklearn_pacmdl.bounds import selecting_share
from sklearn_pacmdl.certification._decoupled import Decoupled
from sklearn_pacmdl.certification._holdout import HoldOut
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.cluster import SphericalKMeans
from sklearn_pacmdl.labeling import cluster_distances
from sklearn_pacmdl.languages import Candidate

FRACTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
CONSTANTS = {"holdout": 0.5, "learned": 0.3}  # what the rule replaces
DIVIDED = {"holdout": HoldOut(), "learned": Learned()}
DELTAS = (0.1, 0.001)
FEW, SOME = range(2, 9), (2, 3, 4, 6, 8, 10, 12, 15, 20)
MANY, MOST = (8, 10, 12, 15, 20, 25, 30, 40, 50, 60), (10, 15, 20, 25, 30, 40, 50, 60)
# The rule for hold-out was fitted on all but the documents, that for learned on all.
PROBLEMS = {
    "wine": (FEW, (0.2, 0.5)),
    "iris": (FEW, (0.2, 0.5)),
    "breast cancer": (FEW, (0.05, 0.2)),
    "blobs": (SOME, (0.05, 0.3)),
    "paired Gaussians": (SOME, (0.05, 0.3)),
    "vMF blobs": (SOME, (0.05, 0.3)),
    "digits": (MANY, (0.02, 0.1, 0.5)),
    "classic3": (SOME, (0.02, 0.1)),
    "k1a": (MOST, (0.1,)),
}
TEXTS = ("classic3", "k1a")
N_DRAWS = 20


def clusterings_of(name, numbers, folder):
    if name not in TEXTS:
        return cluster(name, numbers)
    X, names = read_documents(Path(folder) / f"{name}.npz")
    candidates = [Candidate("spherical", c, i) for c in numbers for i in range(3)]
    partitions = [
        SphericalKMeans(c.n_clusters, random_state=c.init).fit_predict(X)
        for c in candidates
    ]
    return Clusterings(
        y=np.unique(names, return_inverse=True)[1],
        candidates=candidates,
        partitions=partitions,
        distances=[cluster_distances(SphericalKMeans(), X, p) for p in partitions],
        silhouettes=[np.nan] * len(candidates),
    )


def measure(name, folder, n_draws):
    """A row for each share of labeled rows, draw, delta, way and share that selects."""
    numbers, shares = PROBLEMS[name]
    data, rows = clusterings_of(name, numbers, folder), []
    asked = [candidate.n_clusters for candidate in data.candidates]
    ruled = {way: selecting_share(way, np.median(asked)) for way in DIVIDED}
    for share in shares:
        for seed in range(n_draws):
            draw = Draw(data, share, seed)
            m, n_rows = len(draw.split[0]), len(data.y)
            for delta in DELTAS:
                bench_constants.DELTA = delta
                size = SweepSize(m, n_rows, asked, len(asked), delta)
                auto = choose_way(size).certify
                free = Setting(Decoupled())
                settings = {("decoupled", 0.0): free} | {
                    (way, fraction): Setting(strategy.with_fraction(fraction))
                    for way, strategy in DIVIDED.items()
                    for fraction in {ruled[way], *(FRACTIONS if delta == 0.1 else ())}
                }
                for (way, fraction), setting in settings.items():
                    claim, _ = draw.certify(setting)
                    own = fraction == ruled.get(way, 0.0)
                    rows.append(
                        (f"{name}, {share:.0%}", seed, delta, way, fraction, own,
                         auto == way and own,
                         100 * claim.bound)
                    )  # fmt: skip
    columns = ["problem", "draw", "delta", "way", "fraction", "by rule", "auto", "bound"]
    return pd.DataFrame(rows, columns=columns)


def rounded(value):
    return round(float(value), 2)


def of_shares(table):
    """Means by way and problem, and what the rule and the constants lose."""
    means, lost = {}, {}
    for (way, problem), own in table[table["delta"] == 0.1].groupby(
        ["way", "problem"], sort=False
    ):
        if way not in DIVIDED:
            continue
        by_share = own.groupby("fraction")["bound"].mean()
        rule = own.loc[own["by rule"], "fraction"].iloc[0]
        key = f"{way}, {problem}"
        means[key] = {f"{f:g}": rounded(by_share[f]) for f in FRACTIONS} | {
            "rule": rounded(by_share[rule]),
            "share of the rule": rule,
        }
        lost[key] = {
            "rule": by_share[rule] - by_share.min(),
            "constant": by_share[CONSTANTS[way]] - by_share.min(),
        }
    lost = pd.DataFrame(lost).T
    for way in DIVIDED:
        lost.loc[f"{way}, mean"] = lost[lost.index.str.startswith(way)].mean()
    return means, lost.round(2).to_dict("index")


def of_ways(table):
    """Means of the ways with the shares of the rule, and what the choice loses."""
    found, regrets = {}, {delta: {} for delta in DELTAS}
    for (delta, problem), own in table[table["by rule"]].groupby(
        ["delta", "problem"], sort=False
    ):
        by_way = own.pivot_table(index="draw", columns="way", values="bound")
        chosen, best = own.loc[own["auto"], "way"].iloc[0], by_way.mean().idxmin()
        regret = by_way[chosen] - by_way[best]
        regrets[delta][problem] = regret.mean()
        found[f"delta {delta}, {problem}"] = by_way.mean().map(rounded).to_dict() | {
            "auto": chosen,
            "regret": rounded(regret.mean()),
            "standard_error": rounded(regret.std() / np.sqrt(len(regret))),
        }
    for delta, values in regrets.items():
        found[f"delta {delta}, all"] = {
            "mean_regret": rounded(np.mean(list(values.values()))),
            "largest_regret": rounded(max(values.values())),
        }
    return found


def run(options):
    names = [name for name in PROBLEMS if options.data or name not in TEXTS]
    n_draws = int(options.draws or N_DRAWS)
    if options.quick:
        names, n_draws = ["iris", "wine"], 2
    if options.problems:
        names = options.problems.split(",")
    kept = Path(options.kept) if options.kept else None
    table = pd.read_csv(kept) if kept and kept.exists() else pd.DataFrame()
    for name in names:
        if len(table) and table["problem"].str.startswith(f"{name},").any():
            continue
        table = pd.concat([table, measure(name, options.data, n_draws)])
        print(f"{name}: {len(table)} bounds so far", flush=True)
        if kept:
            table.to_csv(kept, index=False, float_format="%.6g")
    means, lost = of_shares(table)
    return {
        "shares": means,
        "lost_to_the_best_share": lost,
        "ways": of_ways(table),
        "settings": {"draws": n_draws, "delta": DELTAS, "problems": names},
    }


if __name__ == "__main__":
    DATA["blobs"] = three_class_blobs
    run_benchmark(
        __doc__,
        "division",
        run,
        data="folder of the documents",
        problems="names, with commas between them (default: all)",
        kept="CSV file of draws, in which those of each problem are kept and found again",
        draws=f"draws of labeled rows (default: {N_DRAWS})",
    )
