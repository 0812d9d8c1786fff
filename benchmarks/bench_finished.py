"""Rows that a search labels automatically, at a given error rate of the whole data set.

For 30 random choices of the labeled rows each: the share of the unlabeled rows that
``finish_labels`` labels with the ``audit_`` of a search by hold-out (mean and standard
error), and how often more rows were labeled wrongly than the certificate says, delta
being 0.1. (1)
Confidences from the purity of clusters alone, from margins alone, and from both with
several weights. (2) Shares of the labeled rows that select. (3) Numbers of clusters that
are chosen by the selecting rows, and fixed ones. (1) and (3) with half of the labels. All
settings share labels, clusterings and seeds, so their failures go together; (4) has more
choices of labels, of digits that are sorted by class. Run with OMP_NUM_THREADS=1.
"""

import warnings
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from common import draw_documents, run_benchmark
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.audits import finish_labels
from sklearn_pacmdl.certification import HoldOut


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@dataclass(frozen=True)
class Problem:
    """What is clustered, the share of rows with a label, the target."""

    load: object
    n_clusters: tuple
    labeled: float
    target: float


def sorted_digits():
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


PROBLEMS = {
    "digits": Problem(
        partial(load_digits, return_X_y=True), (20, 24, 28, 32, 36, 40), 0.1, 0.05
    ),
    "breast cancer": Problem(breast_cancer, (4, 8, 12, 16, 20), 0.2, 0.05),
    "documents": Problem(
        partial(draw_documents, 2000, 2000, length=20), (20, 30, 40, 50, 60), 0.1, 0.1
    ),
}
# Smoothing so strong that all clusters look alike.
NO_PURITY = {"_SMOOTHING": 1e9}
CONFIDENCES = {
    "purity alone": {"_MARGIN_WEIGHT": 0.0},
    "margins alone": NO_PURITY,
    **{
        f"purity and margins, weight {weight:g}": {"_MARGIN_WEIGHT": weight}
        for weight in (0.25, 0.5, 1.0, 2.0)
    },
    **{
        f"purity and margins, smoothing {smoothing:g}": {"_SMOOTHING": smoothing}
        for smoothing in (0.1, 1.0)
    },
}
FRACTIONS = (0.3, 0.4, 0.5, 0.6, 0.7)
CONSTANTS = "sklearn_pacmdl.model_selection._last_fit."


def measure(problem, n_draws, memory, *, fraction=0.5, constants=None, numbers=None):
    """Share that is automatic over random choices of labels, and violations."""
    X, y = problem.load()
    shares, wrong, most, chosen = [], [], [], []
    for draw in range(n_draws):
        rng = np.random.RandomState(draw)
        labeled = rng.permutation(len(y))[: round(problem.labeled * len(y))]
        seen = np.full(len(y), -1)
        seen[labeled] = y[labeled]
        search = PACMDLSearchCV(
            KMeans(),
            n_clusters=numbers or problem.n_clusters,
            certify=HoldOut(fraction),
            memory=memory,
            random_state=draw,
        )
        with ExitStack() as stack, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, value in (constants or {}).items():
                stack.enter_context(patch(CONSTANTS + name, value))
            search.fit(X, seen)
            audit = search.audit_
            finished = finish_labels(
                search.transduction_,
                search.confidence_,
                audit,
                seen[audit.rows],
                target=problem.target,
            )
        automatic = finished.accepted & (seen == -1)
        shares.append(np.sum(automatic) / np.sum(seen == -1))
        wrong.append(int(np.sum(search.transduction_[automatic] != y[automatic])))
        certificate = finished.certificate
        most.append(0 if certificate is None else certificate.max_test_errors)
        chosen.append(len(np.unique(search.labels_)))
    return {
        "share_automatic": round(float(np.mean(shares)), 4),
        "standard_error": round(float(np.std(shares, ddof=1) / n_draws**0.5), 4),
        "above_the_certificate": int(np.sum(np.array(wrong) > most)),
        "above_the_target": int(np.sum(np.array(wrong) > problem.target * len(y))),
        "mean_wrong": round(float(np.mean(wrong)), 1),
        "mean_clusters": round(float(np.mean(chosen)), 1),
    }


def run(options):
    n_draws = 3 if options.quick else 30
    tables = {"draws": {"number": n_draws, "delta": 0.1}}
    for name, problem in PROBLEMS.items():
        X, _ = problem.load()
        described = {
            "rows": X.shape[0],
            "labeled": problem.labeled,
            "target": problem.target,
            "n_clusters": list(problem.n_clusters),
        }
        table = {"problem": described}
        with TemporaryDirectory() as memory:
            of = partial(measure, problem, n_draws, memory)
            for what, constants in CONFIDENCES.items():
                table[what] = of(constants=constants)
            for fraction in FRACTIONS:
                table[f"{fraction:g} of the labels select"] = of(fraction=fraction)
            for k in problem.n_clusters:
                table[f"{k} clusters, no choice"] = of(numbers=(k,))
        tables[name] = table
    problem = replace(PROBLEMS["digits"], load=sorted_digits, n_clusters=(24, 36))
    tables["sorted digits"] = {
        "draws": 10 * n_draws,
        "24 or 36 clusters": measure(problem, 10 * n_draws, None),
    }
    return tables


if __name__ == "__main__":
    run_benchmark(__doc__, "finished", run)
