"""Agreement of several people, and the labels on which they settle."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import cohen_kappa_score

from sklearn_pacmdl.audits import Agreement, compare_annotators
from sklearn_pacmdl.worksheets import read_worksheet, worksheet


@pytest.mark.parametrize("n_annotators", [2, 3, 4, 5])
def test_rows_that_not_all_have_labeled_are_settled_by_those_who_have(n_annotators):
    votes = list(product(["a", "b", "c", None], repeat=n_annotators))
    agreement = compare_annotators(list(zip(*votes, strict=True)))
    assert (agreement.n_rows, agreement.n_annotators) == (len(votes), n_annotators)
    given = [[label for label in vote if label] for vote in votes]
    shared = [labels for labels in given if len(labels) > 1]
    assert agreement.n_shared == len(shared)
    assert agreement.n_agreed == sum(len({*labels}) == 1 for labels in shared)
    for majority in (False, True):
        winners = [
            {x for x in labels if labels.count(x) > (len(labels) / 2 if majority else
                                                     len(labels) - 1)}
            for labels in given
        ]  # fmt: skip
        expected = [i for i, won in enumerate(winners) if given[i] and not won]
        assert agreement.undecided(majority).tolist() == expected
        settled = [None if i not in expected else "other" for i in range(len(votes))]
        labels = agreement.labels(majority, settled=settled)
        for i, (won, label) in enumerate(zip(winners, labels, strict=True)):
            assert {label} == (won or {"other" if i in expected else None})


def test_disagreements_are_settled_in_a_table_of_their_own(tmp_path):
    rows, path = [7, 2, 9, 4], tmp_path / "disputes.csv"
    agreement = compare_annotators([["x", "y", "x", "y"], ["x", "x", "y", None]], rows)
    data = pd.DataFrame({"text": [f"text {i}" for i in range(10)]})
    at = agreement.undecided()
    answers = {f"answer_{i}": agreement.classes[agreement.codes[at, i]] for i in (0, 1)}
    table = worksheet(agreement.rows[at], data, path, answers=answers)
    assert table.drop(columns="label").to_dict("list") == {
        "row": [2, 9],
        "text": ["text 2", "text 9"],
        "answer_0": ["y", "x"],
        "answer_1": ["x", "y"],
    }
    with pytest.raises(ValueError, match=r"on every row, but .* 2 .*: \[1, 2\]. Pass s"):
        agreement.labels()
    some = read_worksheet(table.assign(label=[None, "z"]), rows, partial=True)
    with pytest.raises(ValueError, match=r"do not at 1 positions: \[1\]"):
        agreement.labels(settled=some)
    table.assign(label=["z", "x"])[::-1].to_csv(path, index=False)
    settled = read_worksheet(path, rows, partial=True)
    assert settled.tolist() == [None, "z", "x", None]
    assert agreement.labels(settled=settled).tolist() == ["x", "z", "x", "y"]
    with pytest.raises(ValueError, match=r"where all agree, got some for rows \[7\]"):
        agreement.labels(settled=["y", "z", "x", None])
    assert agreement.labels(settled=["x", "z", "x", "y"]).tolist() == ["x", "z", "x", "y"]
    with pytest.raises(ValueError, match=r"not to be labeled, got \[3\]"):
        read_worksheet(table.assign(row=[3, 9]), rows, partial=True)


def test_what_one_person_settles_comes_before_the_majority():
    agreement = compare_annotators([[1, 1, 2], [1, 2, 3], [1, 2, 4]])
    assert agreement.undecided(majority=True).tolist() == [2]
    labels = agreement.labels(majority=True, settled=[-1, 1, 5])
    assert labels.tolist() == [1, 1, 5]
    assert labels.dtype == np.int64
    assert agreement.labels(majority=True, settled=[None, "1", "5"]).tolist() == [1, 1, 5]
    with pytest.raises(ValueError, match="answers and settled must be of one type"):
        agreement.labels(settled=[None, "1", "b"])
    with pytest.raises(ValueError, match="settled must be 3 labels"):
        agreement.labels(settled=[1])
    with pytest.raises(ValueError, match=r"by majority, but.*1 posi.*\[2\]"):
        agreement.labels(majority=True)
    with pytest.raises(ValueError, match="majority must be True or False, got 1"):
        agreement.labels(majority=1)


@pytest.mark.parametrize("rows", [[0, 1], [0, 0, 1], [-1, 0, 1], [0.5, 1, 2], "abc", 3])
def test_rows_are_different_indices(rows):
    with pytest.raises(ValueError, match="rows must be None or 3 different indices"):
        compare_annotators([[1, 2, 3], [1, 2, 3]], rows)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_data_frames_are_people(frame):
    answers = {"ann": ["a", "b", "b"], "ben": ["a", "b", "a"]}
    agreement = compare_annotators(frame(answers))
    assert agreement.n_annotators == 2
    assert agreement.undecided().tolist() == [2]
    with pytest.raises(ValueError, match="answers must be labels of at least 2 people"):
        compare_annotators(pd.Series(["a", "b"]))


def test_kappa_is_the_mean_over_pairs_of_the_rows_that_both_have_labeled():
    first, second, third = np.random.RandomState(0).randint(3, size=(3, 50))
    both = np.arange(50) % 3 > 0
    pairs = [(first, third), *((each[both], second[both]) for each in (first, third))]
    expected = np.mean([cohen_kappa_score(*pair) for pair in pairs])
    people = [first, np.where(both, second, None), third]
    assert compare_annotators(people).kappa == pytest.approx(expected)
    assert compare_annotators([["a", "a", "a"]] * 2 + [["a", "a", "b"]]).kappa == 0


@pytest.mark.parametrize(
    ("answers", "text"),
    [  # of two people
        ([[*"abba"], [*"abab"]], "of 4 rows (50.0%); mean Cohen's kappa 0.00."),
        ([[*"aa"], [*"aa"]], "2 of 2 rows (100.0%); mean Cohen's kappa is not defined."),
        ([[1, 1], [1, None]], "on 1 of 1 rows that several of them labeled (100.0%); "),
        ([[1, None], [None, 2]], "on 0 of 0 rows that several of them labeled (0.0%)"),
    ],
)
def test_agreement_is_put_into_words(answers, text):
    agreement = compare_annotators(answers)
    assert text in str(agreement)
    assert np.isnan(agreement.kappa) == ("kappa 0.00" not in text)


@pytest.mark.parametrize("values", [[3, 5, 3], ["x", "007", "x"], [True, False, True]])
def test_labels_of_any_type_come_back(values):
    answers = [np.array(values), pd.Series(values), list(values)]
    labels = compare_annotators(answers).labels()
    assert labels.tolist() == values
    assert isinstance(compare_annotators(answers), Agreement)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([[1, 2]], "answers must be labels of at least 2 people"),
        ([[1, 2], [1]], r"answers must be about the same rows, got \[2, 1\] labels"),
        ([[1, 2], ["1", "2"]], "answers must hold labels of one type, got int, str"),
        ([[1, 2, 3], [-1, None, -1]], "answers must be at least one label of each pers"),
    ],
)
def test_bad_input_is_refused(answers, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compare_annotators(answers)


@pytest.mark.parametrize("form", [np.array, list, pd.DataFrame])
def test_labels_row_by_row_are_refused(form):
    """They are those of a hundred people for two rows."""
    labels = np.arange(100) % 3
    pairs = np.column_stack([labels, labels])
    answers = form(pairs) if form is not pd.DataFrame else pd.DataFrame(pairs.T)
    with pytest.raises(ValueError, match=r"got 100 people and 2 rows.*pass np.asarray"):
        compare_annotators(answers)
    assert compare_annotators(np.asarray(pairs).T).n_agreed == 100
