"""scikit-learn's own tests of its measures of clusterings, run on ours.

Its test module keeps dictionaries of measures and lists of their properties; ours enter
these for a test, and the test functions are theirs.
"""

import numpy as np
import pytest
from measures import EXTERNAL, FACTS, UNSUPERVISED
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

# At most 1, and 1 for equal partitions.
NORMALIZED = [name for name, facts in FACTS.items() if facts.most == facts.equal == 1]
# Others refuse as many clusters as their test of formats has, by definition.
OF_ANY_LABELS = [*(n for n, f in FACTS.items() if f.of_any_table), *UNSUPERVISED]


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


@pytest.mark.parametrize("name", EXTERNAL)
def test_symmetry(name):
    symmetric = FACTS[name].symmetric
    check = suite.test_symmetry if symmetric else suite.test_non_symmetry
    check(name, suite.y1, suite.y2)


@pytest.mark.parametrize("name", NORMALIZED)
def test_normalized_output(name):
    suite.test_normalized_output(name)


@pytest.mark.parametrize("name", [*EXTERNAL, *UNSUPERVISED])
def test_permute_labels(name):
    suite.test_permute_labels(name)


@pytest.mark.parametrize("name", OF_ANY_LABELS)
def test_format_invariance(name):
    suite.test_format_invariance(name)


@pytest.mark.parametrize("name", EXTERNAL)
def test_single_sample(name):
    suite.test_single_sample(EXTERNAL[name])


@pytest.mark.parametrize("name", [*EXTERNAL, *UNSUPERVISED])
def test_inf_nan_input(name):
    suite.test_inf_nan_input(name, (EXTERNAL | UNSUPERVISED)[name])


@pytest.mark.parametrize("name", [*EXTERNAL, *UNSUPERVISED])
def test_returned_value_consistency(name):
    suite.test_returned_value_consistency(name)
