"""The division of labeled rows at the edges of what can be divided."""

import numpy as np
import pytest

from sklearn_pacmdl.certification._division import divide
from sklearn_pacmdl.certification._holdout import HoldOut


@pytest.mark.parametrize(
    ("n_rows", "fraction", "n_select"), [(2, 0.5, 1), (10, 0.1, 1), (10, 0.9, 9)]
)
def test_one_row_is_enough_on_either_side(n_rows, fraction, n_select):
    select, certify = divide(np.arange(n_rows), HoldOut(fraction=fraction), [0])
    assert len(select) == n_select
    assert sorted([*select, *certify]) == list(range(n_rows))


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.5), (9, 0.1), (0, 0.5)])
def test_no_side_is_empty(n_rows, fraction):
    with pytest.raises(ValueError, match=f"of {n_rows} labeled rows is 0"):
        divide(np.arange(n_rows), HoldOut(fraction=fraction), [0])


def test_all_certify_where_none_select():
    rows = np.array([4, 2, 7])
    select, certify = divide(rows, HoldOut(fraction=0), [0])
    assert select.tolist() == []
    assert certify.tolist() == [2, 4, 7]
