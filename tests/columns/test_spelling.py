"""Labels that differ in writing only are told, never taken for one another unasked."""

import numpy as np
import pytest

from sklearn_pacmdl.columns import (
    check_same_writing,
    check_writing,
    folded,
    is_text_of_gap,
    most_common,
    number_clusters,
)

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


def test_the_most_common_writing_is_known():
    counts = {"spam": 2, "Spam": 5, "SPAM": 1, "ham": 1}
    assert most_common(counts) == {"Spam", "ham"}


def test_letters_are_compared_after_case_is_gone():
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
