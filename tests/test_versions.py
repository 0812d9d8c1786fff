"""What stands in for parts that an older scikit-learn lacks."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

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
