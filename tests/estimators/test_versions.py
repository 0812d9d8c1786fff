"""What stands in for parts that an older scikit-learn lacks."""

import inspect
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans
from sklearn_pacmdl.estimators import _sklearn, _stand_ins

TABLE = {"a": [1.0, 2.0]}


class Renamed(pd.DataFrame):
    pass


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (pd.DataFrame(TABLE), True),
        (Renamed(TABLE), True),
        (pd.Series(TABLE["a"]), True),
        (pl.DataFrame(TABLE), True),
        (pl.Series(TABLE["a"]), True),
        (pa.table(TABLE), True),
        (pa.RecordBatch.from_pydict(TABLE), True),
        (pa.array(TABLE["a"]), True),
        (pa.chunked_array([TABLE["a"]]), True),
        (pd.Index(TABLE["a"]), False),
        (np.zeros((2, 1)), False),
        (sparse.csr_array((2, 1)), False),
        (TABLE, False),
        ([[1.0]], False),
    ],
)
def test_frames(X, expected):
    assert _stand_ins.is_df_or_series(X) is expected
    assert _sklearn.is_df_or_series(X) is expected


def test_callbacks_are_refused_where_there_are_none():
    has_callbacks = find_spec("sklearn.callback") is not None
    assert hasattr(PACMDLSearchCV, "set_callbacks") == has_callbacks
    assert not hasattr(_stand_ins.CallbackSupportMixin, "set_callbacks")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_fits_that_nobody_follows(monkeypatch, n_jobs):
    """They find the same, in other processes too."""
    X, y = load_iris(return_X_y=True)
    algorithms = [("ours", SphericalKMeans()), ("theirs", KMeans())]
    search = PACMDLSearchCV(algorithms, n_clusters=[2, 3], n_jobs=n_jobs, random_state=0)
    expected = search.fit(X, y).certificate_
    context_of = _stand_ins.CallbackSupportMixin._init_callback_context
    monkeypatch.setattr(PACMDLSearchCV, "_init_callback_context", context_of)
    assert search.fit(X, y).certificate_ == expected


def test_warnings_keep_their_place():
    def method(estimator, a, *, b=None):
        """Frames between the caller and this."""
        return inspect.currentframe().f_back.f_back.f_code.co_name, a, b

    for decorate in (_stand_ins.with_callbacks, _sklearn.with_callbacks):
        decorated = decorate(method)
        assert decorated.__doc__ == method.__doc__
        assert decorated(KMeans(), 1, b=2) == ("test_warnings_keep_their_place", 1, 2)


@pytest.mark.needs_callbacks
def test_stand_ins_have_what_they_stand_in_for():
    from sklearn.callback import CallbackContext

    for name, method in inspect.getmembers(
        _stand_ins.CallbackContext, inspect.isfunction
    ):
        assert hasattr(CallbackContext, name)
        assert method.__doc__
