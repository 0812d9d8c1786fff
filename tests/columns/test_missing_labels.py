"""A missing label is missing in every container, and for everything that takes labels.

=================================  =====================================================
mark, wherever it can be written   meaning
=================================  =====================================================
None, NaN, NA, NaT, masked         unlabeled
-1, -1.0                           unlabeled, among numbers and among text
"-1", "nan", "None", "<NA>", ""    refused; a class where ``classes=`` lists it
=================================  =====================================================
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import OneClusterPerRow, encoded, verified
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV
from sklearn_pacmdl.metrics import make_labeling_scorer, pac_mdl_error_bound

BOTH_MARKS = r"y holds -1 \(2 rows\) and missing values \(1 rows\), which both"

GAPS = {
    "None": None,
    "NaN": np.nan,
    "float32 NaN": np.float32("nan"),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "NumPy's NaT": np.datetime64("NaT", "ns"),
    "masked": np.ma.masked,
    "-1": -1,
    "-1.0": -1.0,
    "int8 -1": np.int8(-1),
}
TEXTS = ["-1", "-1.0", "nan", "NaN", "None", "<NA>", "NaT", "--", ""]
TEXTS += ["NULL", "null", "n/a", "N/A", "NA", "?", " ", " nan\t", "unlabeled"]
LABELS = {"text": ["yes", "no"], "numbers": [7, 3], "booleans": [True, False]}


@dataclass(frozen=True)
class Container:
    """How a container is made of a list, and which gaps can be written in it."""

    build: callable
    gaps: str | None  # separated by commas; all if None
    kinds: tuple = ("text", "numbers", "booleans")

    def holds(self, gap):
        return self.gaps is None or gap in self.gaps.split(", ")


def of(build, *args, **kwargs):
    return lambda values: build(values, *args, **kwargs)


def masked_array(dtype):
    def build(values):
        mask = [v is np.ma.masked for v in values]
        filled = [values[0] if m else v for v, m in zip(values, mask, strict=True)]
        return np.ma.masked_array(np.array(filled, dtype=dtype), mask)

    return build


def in_chunks(build):
    def chunks(values):
        whole = build(values)
        return pa.chunked_array([whole[:2], whole[2:]])

    return chunks


def arrow_dictionary(values):
    return pa.array(values).dictionary_encode()


TEXT, NUMBERS, BOOLEANS = ("text",), ("numbers",), ("booleans",)
PANDAS = "None, NaN, NA"
STRINGS = np.dtypes.StringDType
CONTAINERS = {
    "list": Container(list, None),
    "tuple": Container(tuple, None),
    "object array": Container(of(np.array, dtype=object), None),
    "object Series": Container(of(pd.Series, dtype=object), None),
    "polars objects": Container(of(pl.Series, dtype=pl.Object), None),
    "masked objects": Container(masked_array(object), None),
    "category": Container(of(pd.Series, dtype="category"), f"{PANDAS}, NaT, -1, -1.0"),
    "Index": Container(pd.Index, "None, NaN", TEXT),
    "Arrow array": Container(pa.array, "None"),
    "Arrow chunks": Container(in_chunks(pa.array), "None"),
    "Arrow dictionary": Container(arrow_dictionary, "None"),
    "Arrow dictionary in chunks": Container(in_chunks(arrow_dictionary), "None"),
    "polars": Container(pl.Series, "None"),
    # Text.
    "U": Container(of(np.array, dtype=str), "", TEXT),
    "StringDType": Container(of(np.array, dtype=STRINGS()), "", TEXT),
    **{
        f"StringDType, {name}": Container(
            of(np.array, dtype=STRINGS(na_object=GAPS[name])), name, TEXT
        )
        for name in ("None", "NaN", "NA")
    },
    "masked text": Container(masked_array(str), "masked", TEXT),
    "Series": Container(pd.Series, PANDAS, TEXT),
    "string[python]": Container(of(pd.Series, dtype="string[python]"), PANDAS, TEXT),
    "string[pyarrow]": Container(of(pd.Series, dtype="string[pyarrow]"), PANDAS, TEXT),
    "Arrow-backed text": Container(
        of(pd.Series, dtype=pd.ArrowDtype(pa.string())), "None, NA", TEXT
    ),
    "polars Categorical": Container(of(pl.Series, dtype=pl.Categorical), "None", TEXT),
    "large Arrow text": Container(of(pa.array, type=pa.large_string()), "None", TEXT),
    # Numbers.
    "int array": Container(of(np.array, dtype=np.int16), "-1, int8 -1", NUMBERS),
    "float array": Container(
        of(np.array, dtype=float), "NaN, float32 NaN, -1, -1.0, int8 -1", NUMBERS
    ),
    "float16 array": Container(of(np.array, dtype=np.float16), "NaN, -1, -1.0", NUMBERS),
    "masked ints": Container(masked_array(int), "masked, -1", NUMBERS),
    "masked unsigned": Container(masked_array(np.uint8), "masked", NUMBERS),
    "masked floats": Container(masked_array(float), "masked, NaN, -1, -1.0", NUMBERS),
    "Int64": Container(of(pd.Series, dtype="Int64"), f"{PANDAS}, -1, -1.0", NUMBERS),
    "UInt8": Container(of(pd.Series, dtype="UInt8"), PANDAS, NUMBERS),
    "Float64": Container(of(pd.Series, dtype="Float64"), f"{PANDAS}, -1, -1.0", NUMBERS),
    "float Series": Container(of(pd.Series, dtype=float), "None, NaN, -1, -1.0", NUMBERS),
    "Arrow-backed ints": Container(
        of(pd.Series, dtype="int64[pyarrow]"), f"{PANDAS}, -1", NUMBERS
    ),
    "polars ints": Container(of(pl.Series, dtype=pl.Int32), "None, -1", NUMBERS),
    "polars floats": Container(
        of(pl.Series, dtype=pl.Float64, strict=False), "None, NaN, -1, -1.0", NUMBERS
    ),
    "Arrow floats": Container(of(pa.array, type=pa.float64()), "None, NaN, -1", NUMBERS),
    # Booleans.
    "masked booleans": Container(masked_array(bool), "masked", BOOLEANS),
    "boolean": Container(of(pd.Series, dtype="boolean"), PANDAS, BOOLEANS),
    "Arrow-backed booleans": Container(
        of(pd.Series, dtype="bool[pyarrow]"), PANDAS, BOOLEANS
    ),
    "polars booleans": Container(of(pl.Series, dtype=pl.Boolean), "None", BOOLEANS),
}
CELLS = [
    (name, kind, gap)
    for name, container in CONTAINERS.items()
    for kind in container.kinds
    for gap in GAPS
    if container.holds(gap)
]
OF_TEXT = [name for name, container in CONTAINERS.items() if "text" in container.kinds]


def partly(labels, mark):
    first, second = labels
    return [second, mark, first, first, mark, second]


@pytest.mark.parametrize(("name", "kind", "gap"), CELLS)
def test_gaps(name, kind, gap):
    y = CONTAINERS[name].build(partly(LABELS[kind], GAPS[gap]))
    classes, codes = encoded(y)
    assert classes.tolist() == sorted(LABELS[kind])
    assert classes.dtype.kind in {"text": "OU", "numbers": "iu", "booleans": "b"}[kind]
    assert_array_equal(codes, [0, -1, 1, 1, -1, 0])


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", OF_TEXT)
def test_texts(name, text):
    """Never silently a class, never silently a gap."""
    y = CONTAINERS[name].build(partly(LABELS["text"], text))
    written = re.escape(repr(text))
    message = f"y holds the text {written}, .*None in an array .* classes="
    with pytest.raises(ValueError, match=message):
        encoded(y)
    with pytest.raises(ValueError, match=message):
        encoded(y, classes=LABELS["text"])
    classes, codes = encoded(y, classes=[*LABELS["text"], text])
    assert classes[codes].tolist() == partly(LABELS["text"], text)


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("kind", LABELS)
def test_classes_in_every_container(name, kind):
    container = CONTAINERS[name]
    if kind not in container.kinds:
        kind = container.kinds[0]
    y = partly(LABELS[kind], None)
    classes, codes = encoded(y, classes=container.build(LABELS[kind]))
    assert classes.tolist() == sorted(LABELS[kind])
    assert_array_equal(codes, [0, -1, 1, 1, -1, 0])
    for gap in filter(container.holds, GAPS):
        with pytest.raises(ValueError, match="classes must be .* of them -1 or missing"):
            encoded(y, classes=container.build([*LABELS[kind], GAPS[gap]]))


def values_of(kind):
    text = st.text(st.characters(exclude_characters="\0", codec="utf-8"))
    strategies = {
        "text": st.tuples(text, text).map("q".join),  # no text of a gap has a q
        "numbers": st.integers(0, 2**53 - 1) | st.integers(-(2**53) + 1, -2),
        "booleans": st.booleans(),
    }
    few = st.lists(strategies[kind], min_size=2, max_size=6, unique=True)
    return few.flatmap(
        lambda pool: st.tuples(
            st.permutations(pool), st.lists(st.sampled_from([None, *pool]), max_size=20)
        ).map(lambda parts: parts[0] + parts[1])
    )


@pytest.mark.parametrize("kind", LABELS)
@given(data=st.data())
def test_round_trip_and_permutations(kind, data):
    values = data.draw(values_of(kind))
    classes, codes = encoded(values)
    assert classes.tolist() == sorted(set(values) - {None})
    back = [None if code == -1 else classes.tolist()[code] for code in codes]
    assert back == values
    order = data.draw(st.permutations(range(len(values))))
    again, permuted = encoded([values[i] for i in order])
    assert again.tolist() == classes.tolist()
    assert_array_equal(permuted, codes[order])
    declared, same = encoded(values, classes=classes[::-1])
    assert declared.tolist() == classes.tolist()
    assert_array_equal(same, codes)


# Every third label is missing, which is no random choice.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The labeled rows do not look like a uniformly random choice"
)

X = np.repeat([[0.0], [9.0]], 12, axis=0) + np.linspace(0, 1, 24)[:, None]
ROWS = np.arange(24)


def rows_as_bits(y, rows):
    return float(np.sum(2.0**rows))


def labeled_by_search(y, classes):
    scorer = make_labeling_scorer(rows_as_bits, kind="external")
    scoring = {"external": scorer, "rand": "rand_score"}
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[2], classes=classes, scoring=scoring, random_state=0
    ).fit(X, y)
    assert verified(search, y)
    return np.isin(ROWS, search.splits_[0][0])


def labeled_by_classifier(y, classes):
    classifier = ClusterLabelClassifier(OneClusterPerRow(), classes=classes).fit(X, y)
    return classifier.class_counts_.sum(axis=1) == 1


def bounded(y, classes):
    return pac_mdl_error_bound(y, ROWS // 12, classes=classes)


def scored(y, classes):
    scorer = make_labeling_scorer(rows_as_bits, kind="external")
    return scorer.score_labels(X, ROWS, y, classes=classes)


REFERENCE = np.repeat([[0, -1, 0], [1, -1, 1]], 4, axis=0).ravel()
SEEN = REFERENCE != -1
ENTRIES = {
    "search": (labeled_by_search, SEEN),
    "classifier": (labeled_by_classifier, SEEN),
    "bound": (bounded, pac_mdl_error_bound(REFERENCE, ROWS // 12)),
    "scorer": (scored, rows_as_bits(None, ROWS[SEEN])),
}


def long(labels, mark):
    first, second = sorted(labels)
    return [first, mark, first] * 4 + [second, mark, second] * 4


@pytest.mark.parametrize("entry", ENTRIES)
def test_all_agree_on_which_rows_are_labeled(entry):
    run, expected = ENTRIES[entry]
    for name, gap in (("list", np.nan), ("masked ints", np.ma.masked), ("Int64", pd.NA)):
        y = CONTAINERS[name].build(long([3, 7], gap))
        assert_array_equal(run(y, [3, 7]), expected)
    # These texts are refused, unless they are listed as classes.
    assert_array_equal(run(long(["nan", "-1"], None), ["-1", "nan"]), expected)
    with pytest.raises(ValueError, match="y holds the text '-1'"):
        run(long(["no", "yes"], "-1"), None)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_minus_one_in_an_unsigned_dtype_is_refused(dtype):
    y = np.array(long([0, 1], -1)).astype(dtype)
    largest = int(y.max())
    with pytest.raises(ValueError, match=f"y holds {largest}, which -1 becomes in uint"):
        encoded(y)
    classes, codes = encoded(y, [0, 1, largest])
    assert codes.min() == 0
    assert_array_equal(classes, [0, 1, largest])


def test_verify_refuses_texts_that_stand_for_gaps():
    y = long(["no", "yes"], None)
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[2], random_state=0).fit(X, y)
    certificate, labels = search.certificate_, search.transduction_
    assert verified(search, y)
    with pytest.raises(ValueError, match="y holds the text 'None'"):
        certificate.verify(np.array(y, dtype=str), labels)
    hidden = np.where(SEEN, labels, "nan")
    with pytest.raises(ValueError, match="labels holds the text 'nan'"):
        certificate.verify(y, hidden)
    with pytest.raises(TypeError, match="labels must hold labels, .* dtype .S3"):
        certificate.verify(y, labels.astype("S3"))


@pytest.mark.parametrize(
    ("name", "kind", "gap", "dtype", "abstains"),
    [
        ("StringDType, NA", "text", "NA", "O", None),
        ("list", "text", "None", "O", None),
        ("masked text", "text", "masked", "O", None),
        ("boolean", "booleans", "NA", "O", None),
        ("Int64", "numbers", "NA", "i", -1),
        ("masked unsigned", "numbers", "masked", "i", -1),
    ],
)
def test_the_mark_in_what_comes_out(name, kind, gap, dtype, abstains):
    """Labeled surely in one cluster and by chance in the other, which is left out."""
    first, second = LABELS[kind]
    sure, chance = [first, GAPS[gap]] * 40, [first, GAPS[gap], second, GAPS[gap]] * 20
    y = CONTAINERS[name].build(sure + chance)
    labeler = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[2], target=0.2, certify="pac-mdl", random_state=0
    ).fit(np.repeat([[0.0], [9.0]], 80, axis=0), y)
    assert labeler.transduction_.dtype.kind == dtype
    assert labeler.transduction_.tolist() == [first] * 80 + [abstains] * 80
    assert labeler.certificate_.verify(y, labeler.transduction_)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_minus_one_beside_missing_values_may_be_a_class(gap):
    y = [-1, 0, 1, gap, -1]
    with pytest.warns(UserWarning, match=BOTH_MARKS):
        _, codes = encoded(y)
    assert_array_equal(codes, [-1, 0, 1, -1, -1])
    # Whoever lists the classes has said that -1 is none, and text has no number -1.
    assert_array_equal(encoded(y, [0, 1])[1], codes)
    assert_array_equal(encoded([-1, "a", "b", gap, -1])[1], codes)
