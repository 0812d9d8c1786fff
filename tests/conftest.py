import os
import secrets
import sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from importlib.util import find_spec
from inspect import signature
from io import StringIO
from pathlib import Path
from random import Random

# Before NumPy is imported: one thread per fit, or the workers of pytest-xdist and their
# threads crowd each other out.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from rooms import ALLOWED, with_users
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.datasets import load_iris, make_blobs

from sklearn_pacmdl import ClusterLabelClassifier, metrics
from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import _pool
from sklearn_pacmdl.certificates import _certificate
from sklearn_pacmdl.certification import HoldOut, Learned

matplotlib.use("Agg")
# Methods of certification that divide the labels, by name.
DIVIDING = {"learned": Learned, "holdout": HoldOut}
UNASKED = ("slow", "notebook", "peers", "browser", "neighbors")
SLOW = set((Path(__file__).parent / "slow.txt").read_text().splitlines())
# Machines may be busy; how long an example takes is no property of the code.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("reproducible", derandomize=True, **PATIENT)
settings.register_profile("explore", derandomize=False, max_examples=300, **PATIENT)
settings.load_profile("reproducible")
# Hypothesis also draws constants of the modules that have been imported so far. Which
# these are depends on the tests that ran before in the same process.
providers._get_local_constants = lambda: providers._local_constants
# Oracles and data lie beside the tests that use them.
HERE = Path(__file__).parent
sys.path += [str(HERE / room) for room in ("bounds", "audits", "shell", "../benchmarks")]


def pytest_addoption(parser):
    text = "run the tests of this room and of the rooms that use it"
    parser.addoption("--room", choices=sorted(ALLOWED), help=text)


def pytest_configure(config):
    if room := config.getoption("--room"):
        folders = (Path(__file__).parent / each for each in with_users(room))
        config.args[:] = [str(folder) for folder in folders]


def hide(y, share=0.5, seed=0):
    """Labels of a random part of the rows, the others -1."""
    seen = np.array(y, copy=True)
    hidden = np.random.RandomState(seed).permutation(len(y))[: round(share * len(y))]
    seen[hidden] = -1
    return seen


def too_often(failures, trials, delta=0.1):
    """Whether a rate of delta has so many failures with a probability below 1e-6."""
    return binom.sf(failures - 1, trials, delta) < 1e-6


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def blobs():
    """120 rows in 4 clusters of 3 classes."""
    X, cluster = make_blobs(120, centers=4, cluster_std=0.6, random_state=3)
    return X, np.array([0, 1, 2, 2])[cluster]


class ColumnOfX(ClusterMixin, BaseEstimator):
    """Takes a column of X for its clusters, whose numbers are names."""

    def __init__(self, column=0):
        self.column = column

    def fit_predict(self, X, y=None):
        return X[:, self.column]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class OneClusterPerRow(ClusterMixin, BaseEstimator):
    def fit_predict(self, X, y=None):
        return np.arange(len(X))


class Untouched(ClusterMixin, BaseEstimator):
    """Fails the test if it is ever fitted."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        pytest.fail("clustering had started")


def encoded(y, classes=None):
    """Classes of labels, and the code of each row, -1 where it has none of them.

    As a classifier finds them, for which each row is a cluster of its own.
    """
    X, clusterer = np.zeros((len(y), 1)), OneClusterPerRow()
    found = ClusterLabelClassifier(clusterer, classes=classes, random_state=0).fit(X, y)
    table = found.class_counts_
    return found.classes_, np.where(table.any(axis=1), table.argmax(axis=1), -1)


def verified(search, y):
    """Whether the certificate of a search is about its labeling and these labels."""
    _, certifying = search.divisions_[0]
    return search.certificate_.verify(y, search.transduction_, certifying=certifying)


def claim_of(certificate):
    """A certificate without the names of classes and the digests of data."""
    return replace(certificate, classes=(), fingerprints={})


def seed_audits(seed):
    """Give audits reproducible seeds in place of those of the system."""
    _pool.randbits = Random(seed).getrandbits


def pytest_runtest_setup(item):
    # Where no seed is given; what failed once fails again.
    np.random.seed(0)  # noqa: NPY002, it is what random_state=None stands for
    seed_audits(0)
    if item.get_closest_marker("needs_callbacks") and not find_spec("sklearn.callback"):
        pytest.skip("scikit-learn has callbacks from version 1.9")


@pytest.fixture
def seeds_of_the_system(monkeypatch):
    """Audits have them, as they do outside of tests."""
    monkeypatch.setattr(_pool, "randbits", secrets.randbits)


@contextmanager
def own_registries():
    """Kinds of certificates that are registered meanwhile are forgotten."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_certificate, "KINDS", dict(_certificate.KINDS))
        yield


@pytest.fixture
def registries():
    with own_registries():
        yield


@pytest.fixture
def left_as_it_was(registries, monkeypatch, tmp_path):
    """What is registered or written is forgotten."""
    monkeypatch.chdir(tmp_path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Tests that need more than the usual are run only if -m names their marker."""
    unasked = {m for m in UNASKED if m not in config.option.markexpr}
    chosen, left = [], []
    for item in items:
        needs = {mark.name for mark in item.iter_markers()} & {*UNASKED}
        if not needs and not SLOW.isdisjoint(
            [item.nodeid, item.nodeid.partition("[")[0]]
        ):
            item.add_marker("slow")
            needs = {"slow"}
        (chosen if needs.isdisjoint(unasked) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = chosen


def bits_of(results, term):
    """Bits of a term by candidate, from the column of their parts."""
    return np.array(
        [np.nan if own is None else own.get(term, 0.0) for own in results["bits"]]
    )


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own; output and errors come back."""
    monkeypatch.chdir(tmp_path)

    def call(command, code=0):
        try:
            found = main(command.split() if isinstance(command, str) else command)
        except SystemExit as left:
            found = left.code
        out, err = capsys.readouterr()
        assert found == code, err
        return out, err

    return call


@pytest.fixture
def run(shell):
    """Run a command in a folder with a table of labels; see commands.py."""
    from commands import DATA

    DATA.to_csv("d.csv", index=False)
    return shell


@pytest.fixture(scope="session")
def files_of_an_audit(tmp_path_factory):
    """What is in the folder of `drawn`, by name; drawing it takes a tenth of a second."""
    from commands import DATA, fill_in

    draw = "audit draw d.csv --size 250 --labels auto --confidence conf --seed 1"
    folder = tmp_path_factory.mktemp("drawn")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()):
        patch.chdir(folder)
        DATA.to_csv("d.csv", index=False)
        assert main([*draw.split(), "--output", "a"]) == 0
        fill_in("a.csv", "filled.csv")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def drawn(shell, files_of_an_audit):
    """Run a command in a folder where an audit was drawn and labeled."""
    for name, content in files_of_an_audit.items():
        Path(name).write_bytes(content)
    return shell


def external_measures():
    """Names of the measures of classes and clusters, all of which take a table."""
    functions = {n: f for n in metrics.__all__ if callable(f := getattr(metrics, n))}
    return {n for n, f in functions.items() if "contingency" in signature(f).parameters}
