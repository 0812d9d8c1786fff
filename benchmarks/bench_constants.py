"""What the constants of the ways to certify are worth: bounds with other values.

k-means (2 starts) and Ward's linkage, 2 to 60 clusters, are computed once for each data
set: four that scikit-learn ships and two of the package's generators. Then labeled rows
are drawn at random 20 times (6 times for ways that leave clusters out, which are slower),
10 %, 30 % and 50 % of all. Every value of every constant is given the same clusterings
and draws, the other constants having their defaults, and delta = .1.

    OMP_NUM_THREADS=1 python benchmarks/bench_constants.py

writes ``constants.json`` and ``constants.csv``. Columns of the first, by constant and
value: ``percent`` is the mean over data sets, shares and draws of the certified bound or,
of selective ways, of the coverage at a target error, in percent; ``gain`` is what the
value is better by than the default, in points (negative: it is worse), and
``standard_error`` that of this gain, which is over pairs of equal draws; ``gain_10`` to
``gain_50`` are the gains at each share of labeled rows; ``worst`` and ``best`` are the
smallest and the largest gain on a data set; ``milliseconds`` is CPU time for a draw, of
ways that label all rows. The second file has the means by data set and share.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from time import process_time
from unittest.mock import patch

import numpy as np
import pandas as pd
from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.preprocessing import scale
from sklearn_pacmdl.languages._labels import (
    balanced_label_weight,
    uniform_label_weight,
)

from sklearn_pacmdl.certification import Strategy, _goals
from sklearn_pacmdl.certification._counting import (
    Counted,
    SplitSizes,
    count_options,
    digest,
)
from sklearn_pacmdl.certification._counts import cells_of_rows, count_cells
from sklearn_pacmdl.certification._division import divide
from sklearn_pacmdl.certification._goals import Goal, LabelAll, LabelWithin
from sklearn_pacmdl.certification._holdout import HoldOut
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.certification._pac_mdl import PacMdl
from sklearn_pacmdl.certification._pipeline import Sweep, bound, rank, weigh
from sklearn_pacmdl.certification._weighing import make_weighing
from sklearn_pacmdl.datasets import make_paired_gaussians, make_vmf_blobs
from sklearn_pacmdl.labeling import cluster_distances
from sklearn_pacmdl.languages import AutoLanguage, Candidate, IndexPrior, Language
from sklearn_pacmdl.languages._base import proven

DELTA = 0.1
SHARES = (0.1, 0.3, 0.5)
N_DRAWS, N_SELECTIVE = 20, 6
NUMBERS = (2, 3, 4, 6, 8, 10, 15, 20, 30, 60)

# ---- Data and clusterings


def with_noise(X, groups, n_classes, share=0.05):
    """Groups of clusters as classes, and labels drawn at random for some rows."""
    rng = np.random.RandomState(0)
    y = groups % n_classes
    drawn = rng.uniform(size=len(y)) < share
    y[drawn] = rng.randint(n_classes, size=drawn.sum())
    return X, y


def scaled(load):
    X, y = load(return_X_y=True)
    return scale(X), y


DATA = {
    "digits": lambda: load_digits(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: scaled(load_wine),
    "breast cancer": lambda: scaled(load_breast_cancer),
    "paired Gaussians": lambda: with_noise(
        *make_paired_gaussians(1000, n_pairs=6, random_state=0), n_classes=3
    ),
    "vMF blobs": lambda: with_noise(
        *make_vmf_blobs(1000, 10, centers=12, concentration=20.0, random_state=0),
        n_classes=4,
    ),
}


@dataclass(frozen=True)
class Clusterings:
    """Of one data set, with what strategies ask of them."""

    y: np.ndarray
    candidates: list
    partitions: list  # clusters of the rows
    distances: list  # between clusters
    silhouettes: list

    @property
    def n_classes(self):
        return int(self.y.max()) + 1


def cluster(name, numbers):
    X, y = DATA[name]()
    between = pairwise_distances(X)
    clusterers = [
        (Candidate("kmeans", c, start), KMeans(c, random_state=start))
        for c in numbers
        for start in range(2)
    ]
    clusterers += [(Candidate("ward", c), AgglomerativeClustering(c)) for c in numbers]
    partitions = [clusterer.fit_predict(X) for _, clusterer in clusterers]
    return Clusterings(
        y=y,
        candidates=[candidate for candidate, _ in clusterers],
        partitions=partitions,
        distances=[cluster_distances(KMeans(), X, p) for p in partitions],
        silhouettes=[
            silhouette_score(between, p, metric="precomputed") for p in partitions
        ],
    )


# ---- Constants and their values

PROMISES: dict = {}  # of a draw, by what they depend on


@proven
@dataclass(frozen=True)
class SharedBalance(AutoLanguage):
    """The default language with another balance, or another share for it."""

    balance: float = 2.0
    share: Fraction = Fraction(1, 2)

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        uniform = uniform_label_weight(len(cluster_sizes), n_classes)
        balanced = balanced_label_weight(
            cluster_sizes, cluster_classes, n_classes, self.balance
        )
        return self.share * balanced + (1 - self.share) * uniform


@dataclass(frozen=True)
class RememberedSets(LabelWithin):
    """The same, with what is promised computed once for all targets: it is slow."""

    def _promise(self, counts):
        n_sets = len(_goals._LEVELS) + len(_goals._SHARES)
        key = id(counts), n_sets, _goals._ADDED_TO_NESTED
        if key not in PROMISES:  # with the counts, so that no others get their id
            PROMISES[key] = counts, super()._promise(counts)
        return PROMISES[key][1]


EVERYTHING = LabelAll()


@dataclass(frozen=True)
class Setting:
    """How labelings are certified, in which one constant has one value."""

    strategy: Strategy
    goal: Goal = EVERYTHING
    language: Language | None = None
    constants: tuple[tuple[str, object], ...] = ()  # of goals, that are not the default

    def with_constants(self, **values):
        changed = [(n, v) for n, v in values.items() if v != getattr(_goals, n)]
        return replace(self, constants=tuple(changed))


def values_of(default, field, values):
    """Settings by value; the first is that with the default."""
    own = getattr(default.strategy, field)
    settings = {
        value: replace(default, strategy=replace(default.strategy, **{field: value}))
        for value in (own, *(value for value in values if value != own))
    }
    assert next(iter(settings.values())) == default
    return {_shown(value): setting for value, setting in settings.items()}


def constants_of(default, name, values):
    """The same for a constant of goals; the first value is the default."""
    return {_shown(value): default.with_constants(**{name: value}) for value in values}


def languages(kind, field, values):
    own = kind().__dict__[field]
    return {
        _shown(value): Setting(PacMdl(), language=kind(**{field: value}))
        for value in (own, *(value for value in values if value != own))
    }


def _shown(value):
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def sets_of(default, kinds):
    """Settings of the levels and the shares of nested sets, by what they are."""
    return {
        f"levels {_shown(levels)}, shares {_shown(shares)}": default.with_constants(
            _LEVELS=levels, _SHARES=shares
        )
        for levels, shares in kinds
    }


LEVELS, PARTS = _goals._LEVELS, _goals._SHARES
SETS = (
    (LEVELS, PARTS),
    ((1.0,), ()),
    (LEVELS, ()),
    ((1.0, 1.3, 1.6), ()),
    ((0.7, 1.0, 1.5), (0.7,)),
    ((0.5, *LEVELS, 1.15, 1.45, 2.5), (0.2, 0.4, 0.6, 0.7, 0.8, 0.9)),
)
TRADES = (
    (1e-6,),
    (1.0,),
    (1e6,),
    (1e-6, 1e6),
    (1.0, 4.0),
    (0.3, 1.0, 4.0),
    (1e-6, 1.0, 4.0, 1e6),
    (1e-6, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 1e6),
)
TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


def constants():
    """Settings by value, by constant; the first is the default."""
    learned, hold_out = Setting(Learned()), Setting(HoldOut())
    tables = {
        "Learned.pseudo_count": values_of(
            learned, "pseudo_count", [1 / Fraction(10) ** k for k in (0, 1, 2, 4, 6)]
        ),
        "Learned.trades": values_of(learned, "trades", TRADES),
        "Learned.sharpness": values_of(learned, "sharpness", (0.0, 0.5, 1.0, 4.0, 8.0)),
        "Learned.fraction": values_of(learned, "fraction", TENTHS),
        "HoldOut.fraction": values_of(hold_out, "fraction", TENTHS),
        "AutoLanguage, balance": languages(
            SharedBalance, "balance", (0.0, 1.0, 3.0, 4.0, 6.0)
        ),
        "AutoLanguage, share for balance": languages(
            SharedBalance, "share", [Fraction(k, 8) for k in (0, 1, 6, 7, 8)]
        ),
        "IndexPrior.strength, silhouette": {
            _shown(strength): Setting(PacMdl(), language=language)
            for strength in (10.0, 0.0, 3.0, 30.0, 100.0)
            for language in [IndexPrior(silhouette_score, strength)]
        },
    }
    by_hold_out = replace(HoldOut(), **HoldOut.of_sets)
    for strategy, target in ((by_hold_out, 0.05), (by_hold_out, 0.1), (Learned(), 0.1)):
        nested = Setting(strategy, RememberedSets(target, DELTA))
        way = f"selective, {strategy.kind}, target {target:.0%}"
        kinds = SETS if strategy.chooses_first else SETS[:3]
        tables[f"nested sets, levels and shares ({way})"] = sets_of(nested, kinds)
        fractions = (0.3, 0.4, 0.5, 0.7) if strategy.chooses_first else (0.2, 0.5)
        tables[f"fraction ({way})"] = values_of(nested, "fraction", fractions)
    nested = Setting(by_hold_out, RememberedSets(0.1, DELTA))
    paid = Setting(PacMdl(), LabelWithin(0.15, DELTA))
    return tables | {
        "nested sets, rows added (selective, holdout, target 10%)": constants_of(
            nested, "_ADDED_TO_NESTED", (0.5, 0.1, 1.0, 2.0)
        ),
        "paid sets, rows added (selective, pac-mdl, target 15%)": constants_of(
            paid, "_ADDED_TO_PAID", (1.0, 0.1, 0.5, 2.0)
        ),
    }


# ---- What is certified


class Draw:
    """A random choice of labeled rows, with the counts of all clusterings."""

    def __init__(self, data, share, seed):
        rows = np.random.RandomState(seed).permutation(len(data.y))
        n_labeled = round(share * len(rows))
        self.data, self.seed = data, seed
        self.split = np.sort(rows[:n_labeled]), np.sort(rows[n_labeled:])
        self.counts = cache(self._counts)
        PROMISES.clear()

    def _counts(self, fraction):
        """Of all clusterings, and numbers of rows; a strategy only matters by this."""
        strategy = Learned(fraction) if fraction else PacMdl()
        select, certify = divide(self.split[0], strategy, [self.seed, 0])
        data = self.data
        cells = cells_of_rows(data.y, data.n_classes, self.split, (select, certify))
        counts = [
            count_cells(clusters, cells, data.n_classes, lambda between=between: between)
            for clusters, between in zip(data.partitions, data.distances, strict=True)
        ]
        return counts, SplitSizes(len(select), len(certify), len(self.split[1]))

    def certify(self, setting):
        """The best claim of the chosen candidate, or None."""
        with patch.dict(vars(_goals), dict(setting.constants)):
            return self._certify(setting.strategy, setting.goal, setting.language)

    def _certify(self, strategy, goal, language):
        data = self.data
        counts, sizes = self.counts(strategy.fraction)
        weighing = make_weighing(language, data.candidates, strategy)

        def count(i):
            clusters = data.partitions[i]
            return count_options(
                strategy,
                goal,
                [counts[i]],
                weighing.label_languages[i],
                self.seed,
                digest(clusters),
                lambda classes: digest(classes[clusters]),
            )

        if strategy.chooses_first:  # the others' options are never looked at
            counted = [only_selection(goal, own) for own in counts]
        else:
            counted = [count(i) for i in range(len(counts))]
        sweep = Sweep(
            strategy=strategy,
            goal=goal,
            candidates=data.candidates,
            counted=counted,
            weighing=weighing.after(data.silhouettes),
            sizes=[sizes],
            n_classes=data.n_classes,
            delta=DELTA,
        )
        weighed = weigh(sweep)
        if strategy.chooses_first:
            best = weighed.preferred.best
            counted[best] = count(best)
            weighed = weigh(replace(sweep, counted=counted), best)
        claims = bound(weighed)
        if not strategy.chooses_first:
            best = rank(claims).best
        return claims.of(best)[0], sizes

    def measure(self, setting):
        """Percent, of the bound or of the coverage, and CPU seconds."""
        start = process_time()
        claim, sizes = self.certify(setting)
        seconds = process_time() - start
        if not setting.goal.abstains:
            return 100 * claim.bound, seconds
        return 100 * (claim.option.n_test / sizes.n_test if claim else 0.0), seconds


def only_selection(goal, counts):
    """What a choice by selecting rows alone needs of a clustering."""
    return Counted(
        n_clusters=len(counts.sizes),
        options=[[]],
        labelings=[[]],
        train_errors=np.zeros(1, dtype=int),
        selection_errors=np.array([goal.selection(counts)]),
        partition=b"",
    )


# ---- Tables


def measure_all(tables, name, numbers, n_draws, n_selective):
    """A row for each share, draw, constant and value."""
    data, rows = cluster(name, numbers), []
    for share in SHARES:
        for seed in range(n_draws):
            draw = Draw(data, share, seed)
            # Counts are shared by all settings, and not in their times.
            for fraction in (0.0, *TENTHS):
                draw.counts(fraction)
            measured = cache(draw.measure)
            rows += [
                (name, share, seed, constant, value, *measured(setting))
                for constant, settings in tables.items()
                for value, setting in settings.items()
                if seed < n_selective or not setting.goal.abstains
            ]
    columns = ["data", "share", "draw", "constant", "value", "percent", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def summary(measured, settings):
    """By value: means, and gains over the first."""
    keys = ["data", "share", "draw"]
    by_value = measured.pivot(index=keys, columns="value", values="percent")
    first = next(iter(settings))
    sign = 1 if settings[first].goal.abstains else -1
    seconds = measured.groupby("value")["seconds"].mean()
    rows = {}
    for value in settings:
        gains = sign * (by_value[value] - by_value[first])
        groups = gains.groupby(level=["data", "share"])
        errors = groups.var() / groups.count()
        of_data = gains.groupby(level="data").mean()
        rows[value] = {
            "percent": by_value[value].mean(),
            "gain": gains.mean(),
            "standard_error": np.sqrt(errors.sum()) / len(errors),
            **{
                f"gain_{100 * share:g}": gain
                for share, gain in gains.groupby(level="share").mean().items()
            },
            "worst": of_data.min(),
            "best": of_data.max(),
        }
        if not settings[value].goal.abstains:  # those share work
            rows[value]["milliseconds"] = 1000 * seconds[value]
        rows[value] = {key: round(float(x), 3) + 0.0 for key, x in rows[value].items()}
    return rows


def run(options):
    tables = constants()
    names, numbers, n_draws, n_selective = [*DATA], NUMBERS, N_DRAWS, N_SELECTIVE
    if options.quick:
        names, numbers, n_draws, n_selective = ["iris", "wine"], range(2, 8), 2, 1
    measured = []
    for name in names:
        measured.append(measure_all(tables, name, numbers, n_draws, n_selective))
        print(f"{name}: {measured[-1]['seconds'].sum():.0f} s", flush=True)
    table = pd.concat(measured, ignore_index=True)
    keys = ["constant", "value", "data", "share"]
    means = table.groupby(keys, sort=False)["percent"].mean().unstack(["data", "share"])
    means.columns = [f"{name}, {share:.0%}" for name, share in means.columns]
    means.round(3).to_csv(str(options.output).removesuffix(".json") + ".csv")
    settings = {
        "data": names,
        "numbers_of_clusters": [*numbers],
        "draws": n_draws,
        "draws_of_selective_ways": n_selective,
        "labeled": SHARES,
        "delta": DELTA,
    }
    return {
        constant: summary(table[table["constant"] == constant], tables[constant])
        for constant in tables
    } | {"settings": settings}


if __name__ == "__main__":
    run_benchmark(__doc__, "constants", run)
