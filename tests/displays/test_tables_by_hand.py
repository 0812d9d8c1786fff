import pytest

from sklearn_pacmdl import PACMDLDisplay


def test_a_table_without_columns_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"table must have .* from_cv_results make one"):
        PACMDLDisplay(table={}, heights="bounds").plot()
