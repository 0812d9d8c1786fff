"""What becomes of the guarantee if users do what warnings and pages say, or do not.

Each simulation has a control that must fail: the same without the advice.
"""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import too_often

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings, certify_labels, draw_audit
from sklearn_pacmdl.bounds import total_upper_bound
from sklearn_pacmdl.certificates import Certificate

ROOT = Path(__file__).parents[2]
DELTA = 0.1


def is_false(certified, y, truth):
    unlabeled = np.equal(y, None)
    n_wrong = np.sum(certified.transduction[unlabeled] != truth[unlabeled])
    return n_wrong > certified.certificate.max_test_errors


CLASSES = np.array(["a", "b", "c", "d"])


def with_hard_rows(rng, n_rows=1500, n_drawn=400):
    """A tenth is hard: people write "unknown", and half have a random cluster."""
    code, hard = rng.randint(4, size=n_rows), rng.uniform(size=n_rows) < 0.1
    slips = rng.uniform(size=n_rows) < np.where(hard, 0.5, 0.02)
    clusters = np.where(slips, rng.randint(4, size=n_rows), code)
    answers = np.where(hard, "unknown", CLASSES[code]).astype(object)
    drawn = rng.permutation(n_rows) < n_drawn
    return CLASSES[code], np.where(drawn, answers, None), answers, clusters


@pytest.mark.filterwarnings("ignore:The labeled rows do not look like")
def test_rows_that_people_could_not_decide_keep_a_class():
    n_draws, rng, n_kept, n_dropped = 100, np.random.RandomState(0), 0, 0
    for seed in range(n_draws):
        truth, y, answers, clusters = with_hard_rows(rng)
        with pytest.warns(UserWarning, match="could not decide, keep the class"):
            kept = certify_clusterings([clusters], y, random_state=seed)
        n_kept += is_false(kept, y, answers)
        y = np.where(y == "unknown", None, y)
        dropped = certify_clusterings([clusters], y, random_state=seed)
        n_dropped += is_false(dropped, y, truth)  # even of the hidden classes
    assert not too_often(n_kept, n_draws)
    assert n_dropped > 0.9 * n_draws


def test_a_statement_about_rows_that_people_can_decide():
    """As on the page: at most so many are wrong, of at least so many."""
    n_rows, n_wrong, n_undecidable, checked, n_draws = 3000, 150, 900, 300, 20_000
    rng = np.random.default_rng(0)
    kinds = [n_wrong, n_undecidable, n_rows - n_wrong - n_undecidable]
    wrong, undecidable, _ = rng.multivariate_hypergeometric(kinds, checked, n_draws).T
    most_wrong = total_upper_bound(wrong, checked, n_rows, DELTA / 2)
    most_undecidable = total_upper_bound(undecidable, checked, n_rows, DELTA / 2)
    rate = n_wrong / (n_rows - n_undecidable)
    n_false = np.sum(most_wrong / (n_rows - most_undecidable) < rate)
    assert n_false
    assert not too_often(n_false, n_draws)
    # The control leaves the undecidable rows in the denominator.
    assert too_often(np.sum(most_wrong / n_rows < rate), n_draws)


def test_what_may_be_a_gap_is_refused_or_named_with_both_cases():
    cluster, y = np.arange(40) % 2, np.where(np.arange(40) % 2, "a", "b").astype(object)
    y[20:] = None
    for text in ("?", "n/a"):
        y[:3] = text
        with pytest.raises(ValueError, match=r"nobody looked .* people could not decide"):
            certify_clusterings([cluster], y)
    labels = np.where(cluster, "a", "b").astype(object)
    audit = draw_audit(40, 10, random_state=0)
    answers = labels[audit.rows]
    answers[2] = None
    with pytest.raises(
        ValueError, match=r"that people cannot decide need a class of the"
    ):
        certify_labels(labels, audit, answers)
    answers[2] = "undecidable"
    with pytest.warns(UserWarning, match=r"'undecidable' \(1 row\)\. They count as err"):
        assert certify_labels(labels, audit, answers).n_train_errors == 1
    labels[::4] = "unknown"  # of a machine: they are no choice of rows
    with pytest.warns(UserWarning, match="missing label") as caught:
        draw_audit(40, 10, labels=labels)
    assert "people" not in str(caught[0].message)


WHAT_TO_FIX = (
    "Fix the candidates, settings and seeds of all k attempts before the first result"
)
AFTER_A_LOOK = (
    "A list that was chosen after a look needs new labels alone, or an audit of the "
    "unlabeled rows"
)
PAGES = ["guarantees", "trust", "faq", "start", "more_labels"]


def words_of(text):
    """Words without links and marks of code."""
    return " ".join(re.sub(r"\]\([^)]*\)|[\[`*]", "", text).split())


@pytest.mark.parametrize("page", ["README", *(f"doc/{name}" for name in PAGES)])
def test_pages_say_what_a_list_needs_that_was_chosen_after_a_look(page):
    text = words_of((ROOT / f"{page}.md").read_text("utf-8")).lower()
    assert AFTER_A_LOOK.lower() in text
    if page in ("doc/guarantees", "doc/faq"):
        assert f"{WHAT_TO_FIX}, and give each delta / k".lower() in text


@pytest.mark.parametrize(
    "documented", [PACMDLSearchCV, certify_clusterings, Certificate.restated]
)
def test_so_do_docstrings(documented):
    text = words_of(inspect.getdoc(documented))
    assert WHAT_TO_FIX in text
    assert AFTER_A_LOOK in text


def attempts(rng, seed, n_rows=400, n_labels=100, n_columns=60):
    """The better of two attempts with half of delta each; whether it is false, by rule.

    Columns are random, so the second list of the control is what had luck with the
    labels in the first.
    """
    truth = rng.randint(2, size=n_rows)
    columns = {str(j): rng.randint(10, size=n_rows) for j in range(n_columns)}
    order = rng.permutation(n_rows)
    y = np.full(n_rows, None)
    y[order[:n_labels]] = truth[order[:n_labels]]
    rest, of_rest = np.equal(y, None), np.full(n_rows, None)
    new = order[n_labels : 2 * n_labels]
    of_rest[new] = truth[new]

    def attempt(names, rows=slice(None), y=y):
        clusterings = {name: columns[name][rows] for name in names}
        half = {"delta": DELTA / 2, "random_state": seed}
        certified = certify_clusterings(clusterings, y[rows], **half)
        return certified.bound, is_false(certified, y[rows], truth[rows])

    first = certify_clusterings(columns, y, delta=DELTA / 2, random_state=seed)
    best, of_first = [first.best_name], (first.bound, is_false(first, y, truth))
    # After a look, fixed beforehand, by new labels alone.
    seconds = attempt(best), attempt(["0"]), attempt(best, rest, of_rest)
    return [min(of_first, second)[1] for second in seconds]


def test_only_attempts_that_were_fixed_beforehand_share_delta():
    n_draws, rng = 100, np.random.RandomState(0)
    draws = [attempts(rng, seed) for seed in range(n_draws)]
    after_a_look, fixed, of_new_labels = np.sum(draws, axis=0)
    assert not too_often(max(fixed, of_new_labels), n_draws)
    assert after_a_look > 0.3 * n_draws
    assert too_often(after_a_look, n_draws)
