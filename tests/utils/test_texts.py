"""Numbers in words: rates are never rounded to the good side."""

import numpy as np
import pytest

from sklearn_pacmdl.utils._printable import escaped, is_printable
from sklearn_pacmdl.utils._words import (
    chosen_in_words,
    confidence,
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


def test_what_a_candidate_found_is_in_words():
    found = np.ma.array([3, 1, 0], mask=[0, 0, 1])
    results = {"algorithm": ["km"] * 3, "n_clusters_found": found}
    said = [chosen_in_words(results, i) for i in range(3)]
    assert said == ["km, 3 clusters", "km, 1 cluster", "km, a classifier"]


@pytest.mark.parametrize("character", [*"\x00\x1b\n\x7f\u202e\u2028\ud800"])
def test_what_controls_a_terminal_is_escaped(character):
    text = f"a{character}b"
    assert not is_printable(text)
    assert is_printable("Größe ≤ 5 €")
    assert escaped(text) == f"a{character!r}b".replace("'", "")
    assert escaped(text, keep=character) == text
