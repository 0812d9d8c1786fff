"""The rules of what labels may be; gaps in all containers: test_missing_labels.py."""

import unicodedata
from decimal import Decimal
from enum import IntEnum, StrEnum

import numpy as np
import pandas as pd
import pytest
from conftest import encoded
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, integer_dtypes, unsigned_integer_dtypes
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.cluster import KMeans

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.columns import (
    as_labels,
    small_integers,
    split_unlabeled,
    unique_inverse,
)
from sklearn_pacmdl.metrics import pac_mdl_error_bound, purity_score

COLORS = StrEnum("COLORS", {"RED": "red", "BLUE": "blue"})
SIZES = IntEnum("SIZES", {"S": 3, "L": 7})


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([1.0, 0.0, np.nan], [0, 1], [1, 0, -1]),  # as a column of integers with gaps
        ([1, 0.0, np.float32(1)], [0, 1], [1, 0, 1]),
        (np.array([1.0, 0.0, -1.0], np.float16), [0, 1], [1, 0, -1]),
        ([2, -2, -1], [-2, 2], [1, 0, -1]),
        (np.array([254, 0, 1], np.uint8), [0, 1, 254], [2, 0, 1]),
        (np.array([2**63 - 1, 0], np.uint64), [0, 2**63 - 1], [1, 0]),
        ([2**63 - 1, -(2**63), None], [-(2**63), 2**63 - 1], [1, 0, -1]),
        ([True, np.False_, -1], [False, True], [1, 0, -1]),
        (["b", np.str_("a"), "b", -1], ["a", "b"], [1, 0, 1, -1]),
        (["b ", " a", "B2"], [" a", "B2", "b "], [2, 0, 1]),
        (list(COLORS), ["blue", "red"], [1, 0]),
        (list(SIZES), [3, 7], [0, 1]),
        (range(3), [0, 1, 2], [0, 1, 2]),
    ],
)
def test_labels(y, classes, codes):
    found, found_codes = encoded(y)
    assert found.tolist() == classes
    assert_array_equal(found_codes, codes)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, bool, "U5"])
def test_the_dtype_of_classes_is_that_of_y(dtype):
    assert encoded(np.array([0, 1, 1], dtype=dtype))[0].dtype == dtype


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([0.5, 1.0, None], ValueError, "label type: continuous. y holds 0.5, but labels"),
        (np.array([1, 0.25, -1]), ValueError, "label type: continuous. y holds 0.25,"),
        ([0, 1, np.inf], ValueError, "y contains infinity"),
        (np.array([0, -np.inf, np.nan]), ValueError, "y contains infinity"),
        ([0, float(2**53), None], ValueError, "y holds 9007199254740992.0, a float too"),
        ([2**53, 2**53 + 1, 1.0], ValueError, "a float too large to stand for one int"),
        (pd.Series([2**60, 2**60 + 1, None]), ValueError, "y holds 1.15.*e.18, a float"),
        (np.array([2048, 1], np.float16), ValueError, "y holds 2048.0, a float too lar"),
        ([1e300, 1], ValueError, r"y holds 1e\+300, a float too large"),
        ([0, 2**63], ValueError, "y holds 9223372036854775808, which is beyond"),
        ([0, -(2**63) - 1], ValueError, "y holds -9223372036854775809, which is beyond"),
        (
            np.array([0, 1, -1]).astype(np.uint64),
            ValueError,
            "y holds 18446744073709551615, .*-1 becomes such a number",
        ),
        (["a", 2, None], TypeError, "labels of one type, got int, str, such as 2, a."),
        ([True, 2, 0], TypeError, "labels of one type, got bool, int, such as True, "),
        (["a", False], TypeError, "labels of one type, got bool, str, such as False, a"),
        (["a", "\udce9"], ValueError, r"y holds half of a character, .*: '.udce9'. Read"),
        (["a", Decimal(1)], TypeError, "y must hold labels, .* got 1 of type Decimal"),
        ([Decimal(-1), Decimal(1)], TypeError, "y must hold labels, .* of type Decimal"),
        ([{"a"}, {"b"}], TypeError, "of type set.* If rows have several labels, make a"),
        ([["a"], ["a", "b"]], TypeError, "of type list.* If rows have several labels,"),
        (np.eye(3, dtype=int), ValueError, "y should be a 1d.* If rows have several lab"),
        ({"a", "b"}, ValueError, "y should be a 1d array"),
        ("ab", ValueError, "y should be a 1d array"),
        ([0, 0, -1], ValueError, "got one class: 0. 1 of 3 rows hold -1.* as classes="),
        (np.array(["a", "a"]), ValueError, "got one class: 'a'. If only"),
    ],
)
def test_what_is_refused(y, error, message):
    with pytest.raises(error, match=message) as caught:
        encoded(y)
    assert "np." not in str(caught.value)


def test_classes_and_rows_that_are_not_declared():
    classes, codes = encoded(["b", None, "d"], classes=("d", "c", "b", "a"))
    assert classes.tolist() == ["a", "b", "c", "d"]
    assert_array_equal(codes, [1, -1, 3])
    message = (
        r"^Labels that are not in classes= count as errors, whatever class their rows "
        r"are given: 2, 3 \(3 of 5 labeled rows\).$"
    )
    with pytest.warns(UserWarning, match=message):
        classes, codes = encoded(np.array([0, 1, 2, 3, 3, -1]), classes=[1, 0])
    assert_array_equal(classes, [0, 1])
    assert_array_equal(codes, [0, 1, -1, -1, -1, -1])
    with pytest.warns(UserWarning, match="not in classes=") as caught:
        pac_mdl_error_bound([0, 1, 1, 2], [0, 1, 1, 0], classes=[0, 1])
    assert caught[0].filename == __file__  # the call is named


def test_one_warning_per_fit():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, -1], [8, 8, 3, 21]))
    X = np.arange(40.0)[:, None]
    search = PACMDLSearchCV(
        KMeans(n_init=1),
        n_clusters=[2, 3],
        n_init=2,
        certify="pac-mdl",
        classes=[0, 1],
        random_state=0,
    )
    with pytest.warns(UserWarning, match="not in classes=") as caught:
        fitted = search.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert fitted.certificate_.n_train == 19
    assert fitted.certificate_.n_train_errors >= 3
    assert fitted.certificate_.verify(y, fitted.transduction_)


def test_strings_whose_gaps_are_a_string():
    """NumPy lets a string stand for what is missing; its dtype says which."""
    dtype = np.dtypes.StringDType(na_object="gone")
    classes, codes = encoded(np.array(["a", "gone", "b"], dtype=dtype))
    assert classes.tolist() == ["a", "b"]
    assert_array_equal(codes, [0, -1, 1])


def test_rows_are_not_changed():
    y = np.ma.masked_array(["a", "b", "c"], [False, False, True], dtype=object)
    encoded(y)
    assert y.data.tolist() == ["a", "b", "c"]
    assert y.mask.tolist() == [False, False, True]


@pytest.mark.parametrize("labels", [[0, np.nan], [0.0, np.float32("nan")], [1, np.inf]])
def test_gaps_are_found_where_scikit_learn_is_told_not_to_look(labels):
    message = "labels_pred contains (NaN|infinity)"
    with config_context(assume_finite=True):
        for kind in (list, np.array):
            with pytest.raises(ValueError, match=message):
                purity_score([0, 1], kind(labels))
        with pytest.raises(ValueError, match="y contains infinity"):
            encoded([0, 1, np.inf])


CODES = np.random.RandomState(0).permutation(90) % 3
X = np.random.RandomState(1).permutation(90)[:, None] % 3.0


def of_text(change):
    y = np.array(["a", "Größe", None], dtype=object)[CODES]
    at = [*np.flatnonzero(CODES == 0)[::3], *np.flatnonzero(CODES == 1)[::3]]
    y[at] = [change(label) for label in y[at]]
    return y


ALIKE = {
    "NFD": (lambda label: unicodedata.normalize("NFD", label), "form of its Unicode"),
    "blank": (lambda label: f"{label} ", "blanks"),
    "case": (str.upper, "case"),
}
FITS = {
    "search": lambda y, **k: PACMDLSearchCV(KMeans(), n_clusters=2, **k).fit(X, y),
    "classifier": lambda y, **k: ClusterLabelClassifier(KMeans(2), **k).fit(X, y),
    "clusterings": lambda y, **k: certify_clusterings({"a": X[:, 0] > 1}, y, **k),
    "metric": lambda y, **k: pac_mdl_error_bound(y, X[:, 0] > 1, **k),
}
fits = pytest.mark.parametrize("fit", FITS.values(), ids=FITS)


@fits
@pytest.mark.parametrize(("change", "what"), ALIKE.values(), ids=ALIKE)
def test_classes_that_differ_in_writing_only_are_named(fit, change, what):
    y = of_text(change)
    with pytest.warns(
        UserWarning, match=rf"y holds different labels.*\(10 rows\).*{what}"
    ):
        fit(y)
    fit(y, classes=list({*y} - {None}))


@fits
@pytest.mark.parametrize("gap", ["-", "unknown", "Missing", "TBD", "none", -9999])
def test_a_class_that_looks_like_a_gap_is_named(fit, gap):
    y = of_text(str) if isinstance(gap, str) else CODES - 1
    y[np.flatnonzero(CODES)[::6]] = gap
    with pytest.warns(UserWarning, match=rf"missing label: {gap!r} \(10 rows\)"):
        fit(y)
    fit(y, classes=list({*y} - {None, -1}))


@fits
@pytest.mark.parametrize("gaps", [False, True])
def test_a_class_called_minus_one_beside_one_other_is_named(fit, gaps):
    y = np.where(CODES > 0, 1, -1)
    y = np.where((np.arange(90) % 2 == 1) & gaps, None, y)
    n = np.sum(y == -1)
    with pytest.raises(
        ValueError, match=f"{n} of 90 rows hold -1, .* give it another na"
    ):
        fit(y)
    with pytest.raises(ValueError, match="none of them -1 .* give it another name, also"):
        fit(y, classes=[-1, 1])


INTEGERS = integer_dtypes() | unsigned_integer_dtypes()
OTHERS = st.sampled_from([np.dtype("U2"), np.dtype(bool), np.dtype("f8")])


@given(
    arrays(INTEGERS, st.integers(0, 30))
    | arrays(INTEGERS, st.integers(1, 30), elements=st.integers(3, 20))
    | arrays(OTHERS, st.integers(0, 30))
)
def test_values_are_numbered_as_by_sorting(values):
    values = values[values == values]
    names, codes = unique_inverse(values)
    expected_names, expected = np.unique(values, return_inverse=True)
    assert_array_equal(names, expected_names)
    assert names.dtype == values.dtype
    assert_array_equal(codes, expected)
    if values.dtype.kind in "iu":
        assert_array_equal(
            np.unique(small_integers(values), return_inverse=True)[1], codes
        )


GAPS = [None, float("nan"), -1, -1.0]


@pytest.mark.parametrize("gaps", [GAPS, [*GAPS, pd.NA, pd.NaT]])
@pytest.mark.parametrize("labels", [[0, 2.0], [True, False], ["a", "-"]])
@given(places=st.lists(st.integers(0, 7)))
def test_gaps_are_told_from_labels_of_any_type(gaps, labels, places):
    """All at once where types allow it, and one by one with marks of pandas."""
    values = labels + gaps
    places = [place for place in places if place < len(values)]
    labeled, kept = split_unlabeled(as_labels([values[place] for place in places]))
    assert labeled.tolist() == [place < 2 for place in places]
    assert kept.tolist() == [labels[place] for place in places if place < 2]
