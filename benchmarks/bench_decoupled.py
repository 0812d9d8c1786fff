"""Bounds by way to certify, of the same labelings and the same choices of labeled rows.

For 30 random choices of the labeled rows: the mean certified bound and the mean true
error rate of the labeling that is chosen, with the standard error of the bound, in
percent of the unlabeled rows, delta being .1; and how often the bound was exceeded. The
candidates are cuts of Ward's tree: (1) into 8 to 60 clusters of digits, with several
shares of labels; (2) into 2 to 8 clusters of small data sets. Run with
OMP_NUM_THREADS=1.
"""

import warnings
from functools import partial

import numpy as np
from common import run_benchmark
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import certify_labelings
from sklearn_pacmdl.datasets import make_vmf_blobs
from sklearn_pacmdl.languages import Candidate

WAYS = {
    "decoupled": {},
    "pac-mdl": {"certify": "pac-mdl"},
    "algo": {"certify": "pac-mdl", "language": "algo"},
    "learned": {"certify": "learned"},
    "holdout": {"certify": "holdout"},
}
DIGITS, SMALL = range(8, 61), range(2, 9)


def of_small(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


PROBLEMS = {
    f"digits, {share:.0%} labeled": (partial(load_digits, return_X_y=True), DIGITS, share)
    for share in (0.5, 0.3, 0.1, 0.05)
} | {
    "wine, 50% labeled": (partial(of_small, load_wine), SMALL, 0.5),
    "iris, 50% labeled": (partial(of_small, load_iris), SMALL, 0.5),
    "breast cancer, 20% labeled": (partial(of_small, load_breast_cancer), SMALL, 0.2),
    "directions, 20% labeled": (
        partial(make_vmf_blobs, 600, 20, random_state=0),
        SMALL,
        0.2,
    ),
}


def measure(load, numbers, share, n_draws):
    X, y = load()
    tree = AgglomerativeClustering(compute_full_tree=True)
    labelings = [tree.set_params(n_clusters=k).fit_predict(X) for k in numbers]
    candidates = [Candidate("ward", k) for k in numbers]
    found = {name: [] for name in WAYS}
    for draw in range(n_draws):
        order = np.random.RandomState(draw).permutation(len(y))
        unlabeled = np.isin(np.arange(len(y)), order[round(share * len(y)) :])
        seen = np.where(unlabeled, -1, y)
        for name, way in WAYS.items():
            certified = certify_labelings(
                labelings,
                seen,
                candidates=candidates,
                classes=np.unique(y),
                random_state=draw,
                **way,
            )
            wrong = np.mean((certified.transduction != y)[unlabeled])
            found[name].append((certified.bound, wrong))
    return {name: summary(np.array(values)) for name, values in found.items()}


def summary(values):
    means = 100 * values.mean(axis=0)
    errors = 100 * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return {
        "bound": round(means[0], 2),
        "bound_standard_error": round(errors[0], 2),
        "error": round(means[1], 2),
        "exceeded": int(np.sum(values[:, 1] > values[:, 0])),
    }


def run(options):
    n_draws = 3 if options.quick else 30
    problems = dict(list(PROBLEMS.items())[-2:]) if options.quick else PROBLEMS
    # Clusters without labels, and labels that are no random choice, are all reported.
    warnings.simplefilter("ignore")
    found = {name: measure(*problem, n_draws) for name, problem in problems.items()}
    return {"draws": {"number": n_draws, "delta": 0.1}, **found}


if __name__ == "__main__":
    run_benchmark(__doc__, "decoupled", run)
