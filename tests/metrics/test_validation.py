"""What labels may be, the same for every measure, whatever it compares them with."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from measures import OF_ANY_TABLE, UNSUPERVISED

from sklearn_pacmdl import metrics as m

X = np.random.RandomState(0).rand(8, 3)
Y = [0, 0, 1, 1, 0, 1, 0, -1]

# Each measure as a function of one clustering of eight rows.
MEASURES = {
    **{name: partial(f, Y) for name, f in OF_ANY_TABLE.items()},
    **{f"{name}, classes": (lambda z, f=f: f(z, Y)) for name, f in OF_ANY_TABLE.items()},
    **{name: partial(f, X) for name, f in UNSUPERVISED.items()},
    "balance_score, no rows": partial(m.balance_score, None),
}
CLUSTERS = np.array([0, 0, 1, 1, 2, 2, 2, 0])


WORDS = np.array(["a", "b", "c"], dtype=object)[CLUSTERS]


@pytest.mark.parametrize("measure", MEASURES)
def test_continuous_labels_bring_a_warning(measure):
    with pytest.warns(UserWarning, match="(label|clust).* holds continuous values"):
        MEASURES[measure](CLUSTERS + 0.5)


@pytest.mark.parametrize("measure", MEASURES)
def test_names_and_containers_do_not_matter(measure):
    measure = MEASURES[measure]
    expected = measure(CLUSTERS)
    for labels in [
        CLUSTERS.tolist(),
        tuple(CLUSTERS),
        CLUSTERS.astype(float),
        CLUSTERS.astype(np.uint8),
        CLUSTERS.astype(object),
        CLUSTERS - 1,  # noise is a cluster
        pd.Series(CLUSTERS, index=range(20, 12, -1)),
        pd.Series(CLUSTERS, dtype="Int64"),
        WORDS,
        WORDS.tolist(),
        WORDS.astype(str),
        pd.Series(WORDS, dtype="string"),
        pd.Series(WORDS, dtype="category"),
        pd.Categorical(WORDS),
    ]:
        assert np.all(measure(labels) == expected), labels


def test_boolean_labels_are_two_clusters():
    for measure in MEASURES.values():
        truth = CLUSTERS > 0
        np.testing.assert_allclose(measure(truth), measure(truth.astype(int)))
