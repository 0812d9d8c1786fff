"""Agreement of several people, and the labels on which they settle."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import cohen_kappa_score

from sklearn_pacmdl.audits import Agreement, compare_annotators


@pytest.mark.parametrize("n_annotators", [2, 3, 4, 5])
def test_every_vote_is_settled_as_counted_by_hand(n_annotators):
    votes = list(product("abc", repeat=n_annotators))
    agreement = compare_annotators(list(zip(*votes, strict=True)))
    assert agreement.n_rows == len(votes)
    assert agreement.n_annotators == n_annotators
    most = [max("abc", key=vote.count) for vote in votes]
    for majority, needed in ((False, n_annotators), (True, n_annotators / 2 + 0.5)):
        settled = [v.count(label) >= needed for v, label in zip(votes, most, strict=True)]
        expected = [i for i, done in enumerate(settled) if not done]
        assert agreement.undecided(majority).tolist() == expected
        kept = [vote for vote, done in zip(votes, settled, strict=True) if done]
        labels = compare_annotators(list(zip(*kept, strict=True))).labels(majority)
        assert labels.tolist() == [max("abc", key=vote.count) for vote in kept]
    assert agreement.n_agreed == 3


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_data_frames_are_people(frame):
    answers = {"ann": ["a", "b", "b"], "ben": ["a", "b", "a"]}
    agreement = compare_annotators(frame(answers))
    assert agreement.n_annotators == 2
    assert agreement.undecided().tolist() == [2]
    with pytest.raises(ValueError, match="answers must be labels of at least 2 people"):
        compare_annotators(pd.Series(["a", "b"]))


def test_kappa_is_the_mean_over_pairs():
    first, second, third = np.random.RandomState(0).randint(3, size=(3, 50))
    pairs = [(first, second), (first, third), (second, third)]
    expected = np.mean([cohen_kappa_score(*pair) for pair in pairs])
    assert compare_annotators([first, second, third]).kappa == pytest.approx(expected)
    agreement = compare_annotators([["a", "b", "b", "a"], ["a", "b", "a", "b"]])
    assert agreement.kappa == pytest.approx(0)
    assert str(agreement) == (
        "2 people agree on 2 of 4 rows (50.0%); mean Cohen's kappa 0.00."
    )


def test_kappa_of_one_label_is_not_defined():
    agreement = compare_annotators([["a", "a"], ["a", "a"]])
    assert np.isnan(agreement.kappa)
    assert "2 of 2 rows (100.0%); mean Cohen's kappa is not defined." in str(agreement)
    assert compare_annotators([["a", "a"], ["a", "a"], ["a", "b"]]).kappa == 0


@pytest.mark.parametrize("values", [[3, 5], ["x", "007"], [True, False]])
def test_labels_of_any_type_come_back(values):
    answers = [np.array(values), pd.Series(values), list(values)]
    labels = compare_annotators(answers).labels()
    assert labels.tolist() == values
    assert isinstance(compare_annotators(answers), Agreement)


def test_rows_that_are_not_settled_are_an_error():
    agreement = compare_annotators([[1, 2, 3], [1, 3, 3], [1, 4, 2]])
    with pytest.raises(ValueError, match=r"All of the people must.*2 pos.*\[1, 2\]"):
        agreement.labels()
    with pytest.raises(ValueError, match=r"More than half of the people.*1 posi.*\[1\]"):
        agreement.labels(majority=True)
    with pytest.raises(ValueError, match="majority must be True or False, got 1"):
        agreement.labels(majority=1)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (3, "answers must be labels of at least 2 people, in .* of a data frame, got 3"),
        ("ab", "answers must be labels of at least 2 people"),
        ([[1, 2]], "answers must be labels of at least 2 people"),
        ([[[1, 2]], [[1, 2]]], "answers must be labels of at least 2 people"),
        ([[1, 2], [1]], r"answers must be about the same rows, got \[2, 1\] labels"),
        ([[], []], r"answers must be about the same rows, got \[0, 0\] labels"),
        ([[1, 2], ["1", "2"]], "answers must hold labels of one type, got int, str"),
        ([[1, 2, 3], [1, -1, None]], r"answers must have no gaps, got some at \[1, 2\]"),
        ([[1.5, 2], [1, 2]], "answers holds 1.5"),
    ],
)
def test_bad_input_is_refused(answers, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compare_annotators(answers)
