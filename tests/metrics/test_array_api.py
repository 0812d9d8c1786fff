"""Measures of arrays of other libraries, under scikit-learn's array_api_dispatch."""

import os
import subprocess
import sys

# SciPy decides when it is imported whether such arrays are taken.
SCRIPT = """
import array_api_strict as xp
import numpy as np
from sklearn import config_context

from sklearn_pacmdl import metrics

X = abs(np.random.RandomState(0).normal(size=(30, 3)))
labels, classes = np.arange(30) % 3, np.arange(30) // 10
of_rows = ["balance_score", "dunn_score", "sum_of_squared_errors"]
calls = [(name, X, labels) for name in of_rows]
calls += [("edge_cut_score", X @ X.T, labels), ("purity_score", classes, labels)]
calls += [("category_utility_score", np.array(X > 0.5, dtype=int), labels)]
with config_context(array_api_dispatch=True):
    for name, *arrays in calls:
        measure = getattr(metrics, name)
        assert measure(*map(xp.asarray, arrays)) == measure(*arrays), name
    scores = [
        metrics.informativeness_score(*map(convert, (X, labels)), cv=2, random_state=0)
        for convert in (np.asarray, xp.asarray)
    ]
    assert scores[0] == scores[1]
"""


def test_measures_of_other_arrays():
    environ = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", SCRIPT], env=environ, check=True)
