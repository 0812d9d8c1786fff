"""How often a certificate is wrong if a step that was fitted to labels has made X.

Rows are noise, and classes are drawn like the flips of a coin, so that nothing can be
learned. A random half of the 80 rows is labeled, and a search certifies two clusters at
delta = 0.1, of which at most a tenth may be wrong. The search stands around a Pipeline,
as it should, or at its end, where the other steps are fitted to the labels that certify.

    OMP_NUM_THREADS=1 python benchmarks/labels_in_x.py

writes ``labels_in_x.json``: for each Pipeline the number of draws, in how many of them
more rows were labeled wrongly than was certified, and in how many of these the test of
the choice of the labeled rows did not warn. (It does if clusters tell labeled rows from
others: to a selector of features, the mark of unlabeled rows is a class.)
"""

import warnings

import numpy as np
from common import run_benchmark
from sklearn.cluster import KMeans
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV

N_ROWS, N_FEATURES, N_LABELED = 80, 1500, 40


def search(estimator, seed):
    return PACMDLSearchCV(estimator, n_clusters=[2], delta=0.1, random_state=seed)


def around(step):
    """The search around the Pipeline."""
    return lambda seed: search(make_pipeline(step, KMeans(n_init=1)), seed)


def after(step):
    """The search as the last step, after one that sees the labels."""
    return lambda seed: make_pipeline(step, search(KMeans(n_init=1), seed))


PIPELINES = {
    "search around StandardScaler and KMeans": around(StandardScaler()),
    "StandardScaler, then the search": after(StandardScaler()),
    "SelectKBest(k=10), then the search": after(SelectKBest(k=10)),
}


def outcome(pipeline, seed):
    """Whether the certificate is "right", "wrong", or wrong but "doubted" by itself."""
    rng = np.random.RandomState(seed)
    X, truth = rng.normal(size=(N_ROWS, N_FEATURES)), rng.randint(2, size=N_ROWS)
    hidden = rng.permutation(N_ROWS) >= N_LABELED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the certificate says what is of interest
        fitted = pipeline(seed).fit(X, np.where(hidden, -1, truth))
    found = fitted[-1] if hasattr(fitted, "steps") else fitted
    n_errors = np.sum((found.transduction_ != truth)[hidden])
    if n_errors <= found.certificate_.max_test_errors:
        return "right"
    return "doubted" if found.certificate_.caveat else "wrong"


def run(options):
    n_draws = 20 if options.quick else 200
    table = {}
    for name, pipeline in PIPELINES.items():
        outcomes = [outcome(pipeline, seed) for seed in range(n_draws)]
        table[name] = {
            "draws": n_draws,
            "wrong": n_draws - outcomes.count("right"),
            "wrong without a warning": outcomes.count("wrong"),
        }
    return {"certificates of noise": table}


if __name__ == "__main__":
    run_benchmark(__doc__, "labels_in_x", run)
