"""Criteria of clusterings, compared by what the clusterings do on hidden labels.

One sweep for each data set: a few clusterers, 2 to 20 clusters, three starts, computed
once without labels. Then random splits into labeled and hidden rows: each cluster is
given its majority label among the labeled rows, and the truth about a clustering is the
error of these labels on the hidden rows. Two questions are asked of each criterion:

(A) Does it agree with the truth? Spearman's correlation with hidden accuracy over the
    candidates, averaged over splits.
(B) Does it choose well? Hidden error of the candidate it puts first, and regret: that
    error minus the error of the candidate that is best in hindsight.

    OMP_NUM_THREADS=1 python benchmarks/compare_criteria.py --n-jobs 2 --data FOLDER

FOLDER holds ng_different1000.npz and classic3.npz, term counts in CSR parts with labels;
without it documents are drawn. Writes ``choices.csv`` (a row for each data set, split and
criterion), ``tables.json`` and a figure. An interrupted run
continues where it was: candidates and label-free criteria of each data set are kept in
``candidates``, so delete it if the code has changed.

What to know when reading the results:

- All criteria are turned so that higher is better; one that is the same for all
  candidates of a split has correlation 0 there. Means are over all splits of a share.
- At least ten rows are labeled, so that 1% of a small set is in fact more.
- A tie for the majority of a cluster counts as the mean over the tied labels.
- Documents are clustered as tf-idf rows; criteria that look at features see 100
  components of a truncated SVD, scaled to unit rows.
- V-measure is normalized mutual information with the arithmetic mean: one column.
- Validated likelihood is of a Gaussian mixture with as many components as the candidate
  was asked for, full covariances for up to five features and diagonal ones for more,
  five folds: candidates with one number of clusters share it.
- The bound (delta = 0.1) is in the language Algo, which pays for the whole sweep. Its
  classes are known beforehand, and every criterion that counts classes is told them.
- Of equal values the one with most clusters is chosen by informativeness, the first by
  the others; candidates are in the order of clusterers, numbers of clusters, starts.
- Linkages make outliers clusters of their own, which some criteria reward: the option
  --leave-out shows what is due to them.
- "Number of clusters" is no criterion, but shows which others follow it. "Any candidate"
  is the mean over all candidates.
"""

import warnings
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from common import (
    add_data_option,
    clock,
    draw_documents,
    experiment_parser,
    parse_options,
    print_tables,
    read_documents,
    resumed,
    save_figures,
    write_json,
)
from figures_criteria import draw_regret
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import (
    adjusted_rand_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    fowlkes_mallows_score,
    normalized_mutual_info_score,
    pairwise_distances,
    rand_score,
    silhouette_score,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize, scale
from sklearn.utils.parallel import Parallel, delayed
from tables_criteria import (
    ANY,
    BEST,
    CRITERIA,
    SHARES,
    TRUTH,
    as_json,
    tables_of,
)
from threadpoolctl import threadpool_limits

from sklearn_pacmdl import datasets, metrics
from sklearn_pacmdl.cluster import KLKMeans, SphericalKMeans, VonMisesFisherMixture
from sklearn_pacmdl.labeling import class_counts

# ---- Data sets


class Data(NamedTuple):
    """Rows to cluster, what criteria see of them, classes from 0, and clusterers."""

    X: object
    features: np.ndarray
    y: np.ndarray
    clusterers: dict


class Settings(NamedTuple):
    """Of a sweep: what its candidates depend on."""

    max_clusters: int
    n_starts: int
    small: bool
    folder: str | None


def points(X, y):
    """Clusterers by distance."""
    clusterers = {
        "KMeans": lambda k, seed: KMeans(k, n_init=1, random_state=seed),
        "GaussianMixture": lambda k, seed: gaussian_mixture(X, k, seed),
        "Ward": lambda k, seed: AgglomerativeClustering(k),
        "Average": lambda k, seed: AgglomerativeClustering(k, linkage="average"),
        "Single": lambda k, seed: AgglomerativeClustering(k, linkage="single"),
    }
    return Data(X, X, y, clusterers)


def directions(X, y):
    """Clusterers by direction."""
    clusterers = {
        "SphericalKMeans": lambda k, seed: SphericalKMeans(k, random_state=seed),
        "VonMisesFisher": lambda k, seed: VonMisesFisherMixture(k, random_state=seed),
        "KMeans": lambda k, seed: KMeans(k, n_init=1, random_state=seed),
    }
    return Data(X, X, y, clusterers)


def documents(X, y):
    """By direction and divergence; criteria see components in place of terms."""
    svd = TruncatedSVD(min(100, X.shape[0] // 2), random_state=0)
    data = directions(X, y)
    kl = {"KLKMeans": lambda k, seed: KLKMeans(k, random_state=seed)}
    return data._replace(
        features=normalize(svd.fit_transform(X)), clusterers=data.clusterers | kl
    )


def gaussian_mixture(X, k, seed=0):
    """Variances have a floor relative to the data, for pixels that never change."""
    return GaussianMixture(
        k,
        covariance_type="full" if X.shape[1] <= 5 else "diag",
        reg_covar=1e-2 * X.var(axis=0).mean(),
        random_state=seed,
    )


REAL = {
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
}
SCALED = ("wine", "breast cancer")
SYNTHETIC = {
    "6GAUSS": datasets.make_separated_gaussians,
    "PAIRED": datasets.make_paired_gaussians,
    "ELONG": datasets.make_elongated_gaussians,
    "UNIFORM": datasets.make_uniform_boxes,
    "RINGS": datasets.make_rings,
}
TEXT = ("ng_different1000", "classic3")
# Documents, terms, topics and length, in place of the files; and for the quick run.
# Short ones: topics of long ones are told apart without a mistake.
DRAWN = {
    "drawn, 10 topics": (3000, 5000, 10, 12),
    "drawn, 3 topics": (3000, 5000, 3, 8),
}
SMALL_DRAWN = {"drawn, small": (200, 500, 4, 12)}
QUICK = ("digits", "iris", "wine", "RINGS")


def text_names(settings):
    if settings.small:
        return tuple(SMALL_DRAWN)
    return TEXT if settings.folder else tuple(DRAWN)


def names(settings):
    """The largest first, so that no process is left alone with it."""
    if settings.small:
        return (*text_names(settings), *QUICK)
    return (*text_names(settings), "digits", *SYNTHETIC, "vMF", *list(REAL)[1:])


def load(name, settings):
    if name in TEXT:
        return documents(*read_documents(Path(settings.folder) / f"{name}.npz"))
    if name in DRAWN or name in SMALL_DRAWN:
        return documents(*draw_documents(*(DRAWN | SMALL_DRAWN)[name]))
    if name == "vMF":
        made = datasets.make_vmf_blobs(
            1000, centers=10, n_features=20, concentration=12, random_state=0
        )
        return directions(*made)
    if name in SYNTHETIC:
        sizes = {"n_samples": (150, 50)} if settings.small else {}
        return points(*SYNTHETIC[name](random_state=0, **sizes))
    return points(*load_real(name, settings))


def load_real(name, settings):
    X, y = REAL[name](return_X_y=True)
    if settings.small:
        rows = np.random.RandomState(0).permutation(len(y))[:300]
        X, y = X[rows], y[rows]
    return scale(X) if name in SCALED else X, y


# ---- Candidates and what is known of them without labels


class Sweep(NamedTuple):
    """Candidates of a data set: a row each in all but `y`."""

    name: str
    y: np.ndarray
    candidates: pd.DataFrame
    clusterings: np.ndarray
    label_free: pd.DataFrame


def enumerate_candidates(clusterers, settings):
    """Linkages have one start, there being nothing random in them."""
    rows = []
    for algorithm, make in clusterers.items():
        fixed = not hasattr(make(2, 0), "random_state")
        n_starts = 1 if fixed else settings.n_starts
        numbers = range(2, settings.max_clusters + 1)
        rows += product([algorithm], numbers, range(n_starts), [n_starts])
    return pd.DataFrame(rows, columns=["algorithm", "n_clusters", "start", "n_starts"])


def cluster(data, candidates):
    return np.array(
        [
            data.clusterers[row.algorithm](row.n_clusters, row.start).fit_predict(data.X)
            for row in candidates.itertuples()
        ],
        dtype=np.int16,
    )


def label_free_criteria(data, candidates, clusterings):
    """A row for each candidate."""
    X = data.features
    distances = pairwise_distances(X)
    np.fill_diagonal(distances, 0)
    binary = np.greater(X, np.median(X, axis=0)).astype(float)
    graph = kneighbors_graph(X, min(10, len(X) - 1))
    graph = (graph + graph.T) / 2
    of_clustering = {
        "Silhouette": lambda c: silhouette_score(distances, c, metric="precomputed"),
        "Davies-Bouldin": lambda c: -davies_bouldin_score(X, c),
        "Calinski-Harabasz": lambda c: calinski_harabasz_score(X, c),
        "Dunn": lambda c: metrics.dunn_score(distances, c, metric="precomputed"),
        "Minus SSE": lambda c: -metrics.sum_of_squared_errors(X, c),
        "Edge cut": lambda c: metrics.edge_cut_score(graph, c),
        "Balance": lambda c: metrics.balance_score(X, c),
        "Category utility": lambda c: metrics.category_utility_score(binary, c),
    }
    values = {
        name: [worst_if_single(criterion, labels) for labels in clusterings]
        for name, criterion in of_clustering.items()
    }
    values["Informativeness"] = metrics.informativeness_scores(
        X, clusterings, cv=5, random_state=0
    )
    values["Validated likelihood"] = candidates["n_clusters"].map(
        validated_likelihood(X, candidates["n_clusters"].unique())
    )
    values["Number of clusters"] = [len(np.unique(labels)) for labels in clusterings]
    return rounded(pd.DataFrame(values))


def worst_if_single(criterion, labels):
    """Most criteria are of two clusters or more, and a mixture may end with one."""
    return criterion(labels) if labels.min() < labels.max() else -np.inf


def validated_likelihood(X, numbers):
    """Mean log-likelihood of held-out rows, by number of components."""
    folds = KFold(5, shuffle=True, random_state=0)
    return {
        k: cross_val_score(gaussian_mixture(X, k), X, cv=folds).mean() for k in numbers
    }


def rounded(values):
    """To ten digits: sums in another order of clusters must not break ties."""
    return values.map(lambda value: float(f"{value:.10g}"))


def sweep(name, settings, folder):
    """Candidates and label-free criteria, or what an earlier run has kept of them."""
    size = "small" if settings.small else "full"
    stem = f"{name.replace(', ', '_').replace(' ', '_')}_{size}"
    path = folder / f"{stem}_{settings.max_clusters}_{settings.n_starts}.pkl"
    return Sweep(name, **resumed(path, partial(compute, name, settings)))


def compute(name, settings):
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        data = load(name, settings)
        candidates = enumerate_candidates(data.clusterers, settings)
        clusterings = cluster(data, candidates)
        return {
            "y": np.asarray(data.y),
            "candidates": candidates,
            "clusterings": clusterings,
            "label_free": label_free_criteria(data, candidates, clusterings),
        }


def without(found, left_out):
    """The sweep as if some clusterers had not been in it."""
    rows = ~found.candidates["algorithm"].isin(left_out)
    if not rows.any():
        raise ValueError(f"No clusterer of {found.name!r} is left without {left_out}.")
    return found._replace(
        candidates=found.candidates[rows].reset_index(drop=True),
        clusterings=found.clusterings[rows],
        label_free=found.label_free[rows].reset_index(drop=True),
    )


# ---- One split: criteria that see labels, and the truth

DELTA = 0.1
FOLDS = 5

OF_TABLE = {
    "Purity": metrics.purity_score,
    "Normalized Hamming": metrics.normalized_hamming_score,
    "Dom's Q0": lambda contingency: -metrics.dom_q0_loss(contingency=contingency),
    "Dom's Q1": metrics.dom_q1_score,
    "Dom's Q2": metrics.dom_q2_score,
    "Conditional entropy": lambda contingency: (
        -metrics.empirical_conditional_entropy(contingency=contingency)
    ),
    "Pair F1": metrics.pairwise_fbeta_score,
    "Pair F5": partial(metrics.pairwise_fbeta_score, beta=5),
    "Pair Jaccard": metrics.pairwise_jaccard_score,
    "Hubert's Gamma": metrics.hubert_gamma_score,
}
OF_LABELS = {
    "Rand": rand_score,
    "Fowlkes-Mallows": fowlkes_mallows_score,
    "NMI = V-measure": normalized_mutual_info_score,
    "Adjusted Rand": adjusted_rand_score,
}


class Split(NamedTuple):
    """Of one data set: labeled and hidden rows, and the fold of each labeled row."""

    share: float
    number: int
    labeled: np.ndarray
    hidden: np.ndarray
    folds: np.ndarray


FEWEST_LABELED = 10


def splits(n_samples, n_splits):
    """Random without regard to labels, as the bound demands."""
    rows = np.empty(n_samples)
    found = []
    for share in SHARES:
        size = max(FEWEST_LABELED, round(share * n_samples))
        parts = ShuffleSplit(n_splits, train_size=size, random_state=0).split(rows)
        for number, (labeled, hidden) in enumerate(parts):
            # Labeled rows are in random order: every fifth makes a random fold.
            folds = np.arange(size) % FOLDS
            found.append(Split(share, number, labeled, hidden, folds))
    return found


def right_of_majority(counts, judged):
    """Rows of the table `judged` that have the majority label of `counts`."""
    largest = counts == counts.max(axis=1, keepdims=True)
    return np.sum((largest * judged).sum(axis=1) / largest.sum(axis=1))


def with_labels(clusters, y, split, n_classes, paid):
    """Criteria of one candidate that see labels, and its hidden accuracy."""
    n_clusters = clusters.max() + 1
    seen, labels = clusters[split.labeled], y[split.labeled]

    def table(part, classes):
        return class_counts(part, classes, n_clusters, n_classes)

    counts = table(seen, labels)
    held_out = [table(seen, np.where(split.folds == f, labels, -1)) for f in range(FOLDS)]
    right = sum(right_of_majority(counts - part, part) for part in held_out)
    values = of_counts(counts.T)
    values |= {name: f(labels, seen) for name, f in OF_LABELS.items()}
    values["Cross-validation"] = right / len(labels)
    values["PAC-MDL bound"] = 1 - error_bound(clusters, y, split, n_classes, paid)
    hidden = table(clusters[split.hidden], y[split.hidden])
    values[TRUTH] = right_of_majority(counts, hidden) / len(split.hidden)
    return values


def of_counts(contingency):
    """Of a table with a row for each class and a column for each cluster."""
    table = metrics.ContingencyTable(contingency)
    return {name: f(contingency=table) for name, f in OF_TABLE.items()}


def error_bound(clusters, y, split, n_classes, paid):
    target = np.full(len(y), -1)
    target[split.labeled] = y[split.labeled]
    return metrics.pac_mdl_error_bound(
        target,
        clusters,
        delta=DELTA,
        language="algo",
        classes=np.arange(n_classes),
        **paid,
    )


def evaluate(found, split):
    """All criteria and the truth, a row for each candidate."""
    paid = found.candidates[["n_clusters"]].assign(
        n_init=found.candidates["n_starts"],
        n_algorithms=found.candidates["algorithm"].nunique(),
    )
    rows = []
    for labels, terms in zip(found.clusterings, paid.to_dict("records"), strict=True):
        _, clusters = np.unique(labels, return_inverse=True)
        n_classes = int(found.y.max()) + 1
        rows.append(with_labels(clusters, found.y, split, n_classes, terms))
    values = pd.concat([rounded(pd.DataFrame(rows)), found.label_free], axis=1)
    return values[[TRUTH, *CRITERIA]]


def choose(values, numbers, criterion):
    """Position of the candidate that the criterion puts first."""
    best = np.flatnonzero(values == values.max())
    if criterion == "Informativeness":
        return best[numbers[best].argmax()]
    return best[0]


def choices(found, split, values):
    """A row for each criterion, for the best in hindsight, and for any candidate."""
    error = 1 - values[TRUTH].to_numpy()
    numbers = values["Number of clusters"].to_numpy()
    key = {
        "data set": found.name,
        "share": split.share,
        "split": split.number,
        "labeled": len(split.labeled),
    }
    rows = []
    for criterion in [*CRITERIA, BEST]:
        scores = values[TRUTH if criterion == BEST else criterion].to_numpy()
        position = choose(scores, numbers, criterion)
        chosen = found.candidates.loc[position, ["algorithm", "n_clusters", "start"]]
        rows.append({**key, "criterion": criterion, **chosen, "error": error[position]})
    rows.append({**key, "criterion": ANY, "error": error.mean()})
    return pd.DataFrame(rows).assign(regret=lambda t: t["error"] - error.min())


def correlations(found, split, values):
    """Spearman's, of each criterion with the truth; 0 where one of them does not vary."""
    spearman = values.rank().corr()[TRUTH][CRITERIA].fillna(0.0)
    key = {"data set": found.name, "share": split.share, "split": split.number}
    return pd.DataFrame({**key, "criterion": CRITERIA, "spearman": spearman.to_numpy()})


def judge(name, settings, options):
    """Choices and correlations on every split of a data set."""
    found = sweep(name, settings, options.output / "candidates")
    found = without(found, options.leave_out)
    chosen, agreement = [], []
    for split in splits(len(found.y), options.n_splits):
        values = evaluate(found, split)
        chosen.append(choices(found, split, values))
        agreement.append(correlations(found, split, values))
    return pd.concat(chosen), pd.concat(agreement)


def judge_all(settings, options):
    """Choices and correlations on every split of all data sets."""
    judged = Parallel(n_jobs=options.n_jobs)(
        delayed(judge)(name, settings, options) for name in names(settings)
    )
    return [pd.concat(tables, ignore_index=True) for tables in zip(*judged, strict=True)]


def parse_arguments():
    quick = "five small sets, up to 6 clusters, one start"
    parser = experiment_parser(__doc__, "criteria", quick)
    add_data_option(parser, "drawn")
    parser.add_argument("--max-clusters", type=int, default=20, help="(default: 20)")
    parser.add_argument("--n-starts", type=int, default=3, help="(default: 3)")
    parser.add_argument(
        "--n-splits", type=int, default=10, help="of each labeled share (default: 10)"
    )
    parser.add_argument(
        "--leave-out",
        nargs="+",
        default=[],
        metavar="CLUSTERER",
        help="judge again without some, such as Average Single; in a folder of DIR",
    )
    options = parse_options(parser)
    if options.quick:
        options.max_clusters, options.n_starts, options.n_splits = 6, 1, 3
    options.results = options.output
    if options.leave_out:
        options.results /= "_".join(["without", *options.leave_out])
    return options


def main():
    options = parse_arguments()
    settings = Settings(
        options.max_clusters, options.n_starts, options.quick, options.data
    )
    seconds, (chosen, agreement) = clock(partial(judge_all, settings, options))
    tables = tables_of(chosen, agreement, ["digits", *text_names(settings)])
    print_tables(tables)
    save_figures(options.results, {"regret": draw_regret(chosen)})
    path = options.results / "choices.csv"
    chosen.to_csv(path, index=False, float_format="%.6g")
    results = {title: as_json(table) for title, table in tables.items()}
    results["settings"] = {
        "max_clusters": options.max_clusters,
        "n_starts": options.n_starts,
        "n_splits": options.n_splits,
        "quick": options.quick,
        "left out": options.leave_out,
        "data sets": list(names(settings)),
    }
    results["seconds"] = round(seconds, 1)
    write_json(options.results / "tables.json", results)


if __name__ == "__main__":
    main()
