"""scikit-learn's own tests of its measures of clusterings, run on ours.

Its test module keeps dictionaries of measures and lists of their properties; ours enter
these for a test, and the test functions are theirs.
"""

import numpy as np
import pytest
from measures import EXTERNAL, FACTS, OF_ANY_TABLE, UNSUPERVISED
from sklearn.metrics.cluster.tests import test_common as suite

from sklearn_pacmdl import metrics as m

pytestmark = pytest.mark.peers


# Public, but no measures.
OTHERS = {
    "ContingencyTable",
    "informativeness_scorer",
    "make_labeling_scorer",
    "pac_mdl_scorer",
}


@pytest.fixture(autouse=True)
def ours_among_theirs(monkeypatch):
    for name, measure in EXTERNAL.items():
        monkeypatch.setitem(suite.SUPERVISED_METRICS, name, measure)
    for name, measure in UNSUPERVISED.items():
        monkeypatch.setitem(suite.UNSUPERVISED_METRICS, name, measure)
    # Their tests draw rows from the global generator.
    monkeypatch.setattr(np.random, "randint", np.random.RandomState(0).randint)


def test_every_measure_is_here():
    listed = "external: FACTS of tests/metrics/measures.py; internal: UNSUPERVISED there"
    assert {*EXTERNAL, *UNSUPERVISED, *OTHERS} == set(m.__all__), listed
    assert {*EXTERNAL, *UNSUPERVISED}.isdisjoint(OTHERS)


def symmetry(name):
    check = suite.test_symmetry if FACTS[name].symmetric else suite.test_non_symmetry
    check(name, suite.y1, suite.y2)


ALL = EXTERNAL | UNSUPERVISED
CHECKS = {
    symmetry: EXTERNAL,
    # At most 1, and 1 for equal partitions.
    suite.test_normalized_output: [n for n, f in FACTS.items() if f.most == f.equal == 1],
    suite.test_permute_labels: ALL,
    # Others refuse as many clusters as the test of formats has, by definition.
    suite.test_format_invariance: OF_ANY_TABLE | UNSUPERVISED,
    suite.test_returned_value_consistency: ALL,
}


@pytest.mark.parametrize("name", ALL)
def test_suite(name):
    for check, names in CHECKS.items():
        if name in names:
            check(name)
    if name in EXTERNAL:
        suite.test_single_sample(EXTERNAL[name])
    suite.test_inf_nan_input(name, ALL[name])
