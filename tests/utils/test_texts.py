"""Numbers in words: rates are never rounded to the good side."""

import numpy as np
import pytest

from sklearn_pacmdl.utils._printable import escaped, is_printable
from sklearn_pacmdl.utils._words import (
    as_frame,
    between,
    candidate_name,
    chosen_in_words,
    confidence,
    counted,
    html_table,
    joined,
    percent,
    percent_below,
    rate_in_percent,
)


@pytest.mark.parametrize(
    ("count", "total", "above", "below"),
    [
        (1, 3, "33.34%", "33.33%"),
        (1, 4, "25.00%", "25.00%"),
        (1, 10**6, "0.01%", "0.00%"),
        (0, 7, "0.00%", "0.00%"),
        (999_999, 10**6, "100.00%", "99.99%"),
        (7, 7, "100.00%", "100.00%"),
    ],
)
def test_rates_of_counts(count, total, above, below):
    assert (percent(count, total), percent_below(count, total)) == (above, below)


def test_rates_of_floats():
    assert rate_in_percent(0.29, np.ceil) == rate_in_percent(0.29, np.floor) == "29.00%"
    assert rate_in_percent(1 / 3, np.ceil) == "33.34%"
    assert rate_in_percent(1 / 3) == rate_in_percent(1 / 3, np.floor) == "33.33%"


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        (0.1, "With probability at least 90%"),
        (0.05, "With probability at least 95%"),
        (0.3, "With probability at least 70%"),
        (1e-8, "With probability at least 99.999999%"),
        (1.23456e-9, "Except with probability 1.235e-09"),
        (1 / 3, "Except with probability 0.3334"),
    ],
)
def test_confidence_is_never_rounded_up(delta, text):
    assert confidence(delta) == text


def test_words():
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [between(3, 3), between(2, 3)] == ["3", "between 2 and 3"]
    assert [joined("a"), joined("ab"), joined("abc")] == ["a", "a and b", "a, b and c"]


def test_names_of_candidates():
    params = {"km__n_clusters": 3, "km__random_state": 7, "km__init": "random\x1b"}
    found = np.ma.array([3, 1, 0], mask=[0, 0, 1])
    results = {"algorithm": ["km"] * 3, "params": [params] * 3, "n_clusters_found": found}
    assert candidate_name(results, 0) == r"km, init=random\x1b"
    assert chosen_in_words(results, 0).endswith(", 3 clusters")
    assert chosen_in_words(results, 1).endswith(", 1 cluster")
    assert chosen_in_words(results, 2).endswith(", a classifier")
    assert candidate_name({"clustering": ["a"]}, 0) == "a"


def test_tables():
    table = html_table([["<a>", "1"]], [False, True], ["name", "n"])
    assert "<th style='text-align:left'>&lt;a&gt;</th>" in table
    assert "<td style='text-align:right'>1</td>" in table
    assert "<thead><tr><th style='text-align:left'>name</th>" in table
    assert "<thead>" not in html_table([["a"]], [False])
    assert as_frame({"a": [1, 2], "b": [3, 4]}, "a")["b"].to_dict() == {1: 3, 2: 4}


@pytest.mark.parametrize("character", [*"\x00\x1b\n\x7f\u202e\u2028\ud800"])
def test_what_controls_a_terminal_is_escaped(character):
    text = f"a{character}b"
    assert not is_printable(text)
    assert escaped(text) == f"a{character!r}b".replace("'", "")
    assert escaped(text, keep=character) == text


def test_letters_are_printable():
    assert is_printable("Größe ≤ 5 €")
    assert not is_printable(5)
