"""Columns of labels and clusters by hand, and labels that differ in writing only."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_pacmdl.columns import (
    as_labels,
    cells_of,
    check_class_names,
    check_same_writing,
    check_writing,
    class_codes,
    column_names,
    completed,
    count_pairs,
    count_values,
    decode,
    encode_labels,
    folded,
    frame_columns,
    in_type_of,
    is_minus_one,
    is_text_of_gap,
    labeled_rows,
    most_common,
    number_clusters,
    open_frame,
    place_of_noise,
    refuse_columns,
    renamed,
    why_copy_of_labels,
    why_no_clusters,
    why_too_many,
)

TABLE = {"c": [1, 1, 2, None, 2, 2], "label": [0, -1, 1, 1, None, 1]}


def test_codes_of_labels_and_classes_of_codes():
    assert class_codes(["b", "c", -1], np.array(["a", "b"])).tolist() == [1, 2, -1]
    places = is_minus_one(as_labels([None, -1, -1.0, "-1"]))
    assert places.tolist() == [False, True, True, False]
    with pytest.warns(UserWarning, match=r"given: 7 \(5 of 9 labeled rows\)"):
        _, codes = encode_labels([0, 1, 7], [0, 1], np.array([3, 1, 5]))
    assert codes.tolist() == [0, 1, 2]
    for classes in ([0], [0, 0], [0, -1, None], [[0, 1]]):
        with pytest.raises(ValueError, match="classes must be"):
            encode_labels([0, 1], classes)
    assert decode(np.array([1, 0]), np.array(["a", "b"])).tolist() == ["b", "a"]
    assert decode(np.array([1, -1]), np.array(["a", "b"])).tolist() == ["b", None]
    assert decode(np.array([1, -1]), np.array([3, 4])).tolist() == [4, -1]
    given = completed(np.array([5, -1, 4]), np.array([4, 4, 5]), np.array([4, 5]))
    assert given.tolist() == [5, 4, 4]


def test_labels_in_the_type_of_others():
    numbers, texts = np.array([1, -2]), np.array(["1", "-2"])
    assert in_type_of(texts, numbers, "p").tolist() == [1, -2]
    assert in_type_of(numbers, texts, "p").tolist() == ["1", "-2"]
    assert in_type_of(np.array(["True"]), np.array([False]), "p").tolist() == [True]
    # Of the codes 007 and 7 only one is a number.
    others = ("007", "7.0", " 7", "7 ", "+7", "1e1", "1\u0667", "a", "-0")
    for text in others:
        with pytest.raises(ValueError, match="p must be of one type"):
            in_type_of(np.array([text]), numbers, "p")
    with pytest.raises(ValueError, match="got bool such as True and int such as 1"):
        in_type_of(numbers, np.array([True]), "p")


def test_names_of_classes():
    names = check_class_names({-1: "no", 1.0: "yes"})
    assert names == {"-1": "no", "1": "yes"}
    assert renamed([1, -1, None], names, "p").tolist() == ["yes", "no", None]
    assert renamed(["yes", "open"], names, "p").tolist() == ["yes", "open"]
    for labels in ([1, 2], ["yes", "1"]):
        with pytest.raises(ValueError, match="p must hold labels of classes="):
            renamed(labels, names, "p", complete=True)
    assert renamed(["yes", "no"], names, "p", complete=True).tolist() == ["yes", "no"]
    alike, gap, swapped = {1: "a", 2: "a"}, {None: "a"}, {1: 2, 2: 1}
    for classes in ({}, alike, {1: None}, gap, swapped, [1], {1: -1}):
        with pytest.raises(ValueError, match="classes must be"):
            check_class_names(classes)
    assert check_class_names(None) == {}


def test_what_holds_no_clusters():
    assert why_no_clusters([0, 1, -1], 4) is None
    assert why_no_clusters([0, 1, 2], 4) == "has 3 different values in 4 rows"
    assert why_no_clusters([0, 0.5], 10) == "holds 0.5, which is no whole number"
    assert why_too_many(3, 4, n_spare=1) is None
    assert place_of_noise(np.array(["-1", -1.0], dtype=object)) == 1
    assert place_of_noise(np.array([0, 1])) is None
    with pytest.raises(
        ValueError, match=r"^p must hold clusters .*; column 'b' is bad\."
    ):
        refuse_columns("p", {"a": None, "b": "is bad"}, "Do so")
    refuse_columns("p", {"a": None}, "Do so")


def test_a_column_that_is_missing_where_labels_are_is_a_copy_of_them():
    sizes, without = np.array([5, 5, 3]), np.array([0, 0, 3])
    names = [0, 1, -1]
    assert "exactly in the 3 rows" in why_copy_of_labels(names, sizes, without)
    assert why_copy_of_labels(names, sizes, np.array([0, 1, 3])) is None
    assert why_copy_of_labels(names, sizes, np.array([0, 0, 2])) is None
    assert why_copy_of_labels(names, sizes, np.zeros(3, int)) is None


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_frames(frame):
    columns = frame_columns(frame({"a": [1, 2], "b": [None, 2**60 + 1]}))
    assert [name for name, _ in columns] == ["a", "b"]
    if frame is not pd.DataFrame:  # which makes floats of them, unless it is told
        assert cells_of(columns[1][1]).tolist() == [None, 2**60 + 1]
    nullable = pd.Series([None, 2**60 + 1], dtype="Int64")
    assert cells_of(nullable).tolist()[1] == 2**60 + 1
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert [column.tolist() for _, column in frame_columns(twice)] == [[1], [2]]


def test_frames_of_engines_are_counted():
    source = pl.LazyFrame(TABLE)
    frame = open_frame(source)
    assert column_names(frame, source) == ["c", "label"]
    assert count_values(frame, ["c", "label"], source) == [3, 4, 6]
    for few in (False, True):
        pairs = count_pairs(frame, ["c"], "label", source, few=few)["c"]
        found = zip(pairs.clusters, pairs.labels, pairs.n_rows.tolist(), strict=True)
        expected = {(1, 0, 1), (1, -1, 1), (2, 1, 2), (None, 1, 1), (2, None, 1)}
        assert {*found} == expected
        assert pairs.n_clusters == 3 * few
    (clusters,), labels = labeled_rows(frame, ["c"], "label", source)
    assert sorted(zip(clusters, labels, strict=True), key=str) == [
        (1, 0), (2, 1), (2, 1), (None, 1)
    ]  # fmt: skip
    assert open_frame(pd.DataFrame(TABLE)) is None
    with pytest.raises(ValueError, match="clusterings must be a local file"):
        open_frame("https://example.org/a.parquet")


def test_columns_that_may_take_much_memory_are_left_to_the_engine(tmp_path):
    path = tmp_path / "a[1].parquet"
    many = {"t": [str(i) for i in range(1100)], "n": [0] * 1100, "label": [0, 1] * 550}
    pl.DataFrame(many).write_parquet(path)
    frame = open_frame(path)
    assert {*count_pairs(frame, ["t", "n"], "label", path, few=True)} == {"n"}
    assert {*count_pairs(frame, ["t", "n"], "label", path)} == {"t", "n"}
    path.write_bytes(b"no table")
    with pytest.raises(ValueError, match="must be a Parquet file that can be read"):
        column_names(open_frame(path), path)


ALIKE = {
    "case": ("Spam", "spam"),
    "blanks": ("two  words ", "two words"),
    "the form of a number": ("007", "7"),
    "the form of its Unicode letters": ("Gro\u0308ße", "Größe"),
}


@pytest.mark.parametrize(("way", "pair"), ALIKE.items(), ids=ALIKE)
def test_what_differs_in_writing_is_named_and_folded_on_demand(way, pair):
    for label, other in (pair, pair[::-1]):
        with pytest.raises(ValueError, match=f"in {way} only"):
            check_same_writing("second", [label], {other}, "first")
        with pytest.raises(ValueError, match=f"in {way} only"):
            check_writing("answers", {label: 6, other: 9}, {other}, "labels")
        assert folded([label, other], {other: other}) == {label: other}
        with pytest.raises(ValueError, match=f", which differs from .* in {way} only"):
            folded([], {label: label, other: other})
    check_same_writing("second", pair, {*pair}, "first")


def test_folding_needs_one_meaning():
    with pytest.raises(ValueError, match="classes must differ in more than their writ"):
        folded(["07"], {"007": "007", "7": "7"})
    assert folded(["07"], {"007": "bond", "7": "bond"}) == {"07": "bond"}
    assert folded(["8", "seven"], {"7": "7"}) == {}
    assert most_common({"spam": 2, "Spam": 5, "SPAM": 1, "ham": 1}) == {"Spam", "ham"}
    # Letters are compared after case is gone.
    with pytest.raises(ValueError, match="case, blanks or the form of its letters only"):
        check_same_writing("second", ["\u03aa\u0301"], {"\u0390"}, "first")


def test_texts_of_gaps_may_have_blanks_around_them():
    assert all(map(is_text_of_gap, ["", " ", "NA", " NA ", "\tnull\n", "-1", " ? "]))
    assert not any(map(is_text_of_gap, ["n", "0", "Na", "- 1", "nulls", "007"]))


def test_names_of_clusters_in_another_form_are_no_numbers():
    names = ["007", "7", "-1"]
    assert number_clusters(np.array(names), "c").names == {0: "007", 1: "7"}
    assert number_clusters(np.array(["7", "-1"]), "c").names == {7: "7"}


@pytest.mark.parametrize("n_rows", [99, 100, 1000])
def test_a_tenth_of_the_rows_of_a_label_may_be_typos(n_rows):
    n_typos = n_rows // 10
    known, counts = {"spam", "ham"}, {"spam": n_rows - n_typos, "Spam": n_typos}
    with pytest.warns(UserWarning, match=f"'Spam' \\({n_typos} rows\\)"):
        check_writing("answers", counts, known, "labels")
    more = {"spam": n_rows - n_typos - 1, "Spam": n_typos + 1}
    with pytest.raises(ValueError, match=f"'Spam' \\({n_typos + 1} rows\\)"):
        check_writing("answers", more, known, "labels")
