"""How labeled rows are spent: certify="pac-mdl", "learned", "holdout"."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import bits_of, claim_of, hide, verified
from numpy.testing import assert_allclose, assert_array_equal
from searches import TWO, Breaking
from sklearn.exceptions import FitFailedWarning

from sklearn_pacmdl import PACMDLSearchCV, pac_mdl_bound

KINDS = ["pac-mdl", "learned", "holdout"]
DIVIDED = KINDS[1:]
SHARE = {"pac-mdl": 0.0, "learned": 0.6, "holdout": 0.6}
ERROR = "mean_selection_error"


def search_of(certify, estimator=TWO, **kwargs):
    kwargs = {"n_clusters": range(2, 7), "n_init": 3, "random_state": 0} | kwargs
    return PACMDLSearchCV(estimator, certify=certify, **kwargs)


@pytest.fixture(scope="module")
def seen(iris):
    return hide(iris[1])


@pytest.fixture(scope="module")
def fitted(iris, seen):
    return {kind: search_of(kind).fit(iris[0], seen) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_certificate_is_about_the_certifying_rows(kind, fitted, iris, seen):
    search = fitted[kind]
    certificate, labels = search.certificate_, search.transduction_
    (select, certify), (train, test) = search.divisions_[0], search.splits_[0]
    assert_array_equal(np.sort(np.r_[select, certify]), train)
    assert len(select) == int(SHARE[kind] * 75)
    assert certificate.kind == kind
    assert (certificate.n_select, certificate.n_train) == (len(select), len(certify))
    assert (certificate.n_train_abstained, certificate.n_test_abstained) == (0, 0)
    assert certificate.n_train_errors == np.sum(labels[certify] != seen[certify])
    for certifying in (certify, np.isin(np.arange(150), certify)):
        assert certificate.verify(seen, labels, certifying=certifying)
    if kind in DIVIDED:  # rows that selected are found out, also if as many are wrong
        assert "divisions_[0][1]" in str(certificate.verify(seen, labels))
        wrong = certify[seen[certify] == labels[certify]]
        for certifying in (certify[1:], np.r_[wrong, select][: len(certify)]):
            verification = certificate.verify(seen, labels, certifying=certifying)
            assert "certifying: its SHA-256" in str(verification)
    assert certificate.n_test == len(test)
    assert certificate.bound == search.best_bound_ == search.best_mean_bound_
    assert search.cv_results_["mean_test_bound"][search.best_index_] == search.best_bound_
    counts = len(certify), len(test), certificate.n_train_errors
    bits = certificate.description_length
    expected = pac_mdl_bound(*counts, description_length=bits)
    assert certificate.max_test_errors == expected
    results, best = search.cv_results_, search.best_index_
    if kind != "holdout":
        terms = [sum(own.values()) for own in results["bits"]]
        assert_allclose(terms, results["description_length"], atol=1e-9)
        assert results["description_length"][best] == pytest.approx(bits)
        assert results["rank_test_bound"][best] == 1
    assert ("mean_selection_error" in results) == (kind in DIVIDED)
    # Without the last fit there is the same claim, of which less can be verified.
    unkept = search_of(kind, refit=False).fit(iris[0], seen).certificate_
    assert claim_of(unkept) == claim_of(certificate)
    of_rows = {"certifying"} if kind in DIVIDED else set()
    assert set(unkept.fingerprints) == {"labels", "row_order"} | of_rows


@pytest.mark.parametrize("kind", KINDS)
def test_statement(kind, fitted, iris, seen):
    certificate = fitted[kind].certificate_
    division = "" if kind == "pac-mdl" else " and of their division"
    known = "" if kind in DIVIDED else ", the 3 classes were known beforehand"
    start, share, end = re.split(r"\((.*)%\)", certificate.statement)
    assert start == (
        f"With probability at least 90% over the random choice of the 75 labeled rows"
        f"{division}, at most {certificate.max_test_errors} of the 75 unlabeled rows "
    )
    assert end == (
        " are labeled wrongly, provided the labeled rows are a uniformly random choice"
        f"{known} and X was made without the labels."
    )
    assert float(share) == pytest.approx(100 * certificate.bound, abs=0.01)
    declared = search_of(kind, n_clusters=3, classes=[0, 1, 2]).fit(iris[0], seen)
    assert "known beforehand" not in declared.certificate_.statement


def with_other_labels(y, rows, seed=0):
    """The labels of some rows dealt out among them anew."""
    altered = y.copy()
    altered[rows] = np.random.RandomState(seed).permutation(y[rows])
    assert np.any(altered != y)
    return altered


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", DIVIDED)
def test_selecting_labels_alone_choose_and_weigh(kind, seed, fitted, iris, seen):
    before, search = fitted[kind], search_of(kind)
    select, certify = before.divisions_[0]
    search.fit(iris[0], with_other_labels(seen, certify, seed))
    assert_array_equal(search.divisions_[0][1], certify)
    assert_array_equal(search.cv_results_[ERROR], before.cv_results_[ERROR])
    weights = [bits_of(own.cv_results_, "candidate") for own in (search, before)]
    assert_array_equal(*weights)
    if kind == "holdout":
        assert search.best_index_ == before.best_index_
        assert_array_equal(search.transduction_, before.transduction_)
    assert search.certificate_.n_train_errors > before.certificate_.n_train_errors
    # The control: it is the other labels that it chooses by.
    search.fit(iris[0], with_other_labels(seen, select, seed))
    assert np.any(search.cv_results_[ERROR] != before.cv_results_[ERROR])
    after = bits_of(search.cv_results_, "candidate")
    assert kind == "holdout" or np.any(after != weights[1])


def test_hold_out_claims_something_of_the_chosen_alone(fitted):
    search = fitted["holdout"]
    results, best = search.cv_results_, search.best_index_
    others = np.arange(len(results["init"])) != best
    for name in ("mean_test_bound", "description_length", "mean_n_certifying_errors"):
        assert_array_equal(np.isnan(results[name]), others, err_msg=name)
    assert np.isfinite(results["mean_selection_error"]).all()
    assert "rank_test_bound" not in results
    assert results["rank_selection_error"][best] == 1
    # The kind with the least error in the mean over starts, and of it the best start.
    errors = pd.DataFrame(results).groupby(["algorithm", "n_clusters"])[ERROR]
    kind = results["algorithm"][best], results["n_clusters"][best]
    assert errors.mean()[kind] == errors.mean().min()
    assert results[ERROR][best] == errors.min()[kind]
    assert results["description_length"][best] == 0
    assert search.certificate_.weights == {}


def test_hold_out_certifies_none_of_several_splits(iris):
    search = search_of("holdout", cv=3)
    with pytest.warns(UserWarning, match="under certify='holdout' with 3 splits"):
        search.fit(*iris)
    assert search.certificates_ == []
    assert not hasattr(search, "certificate_")
    assert 0 < search.best_mean_bound_ < 1
    assert search.split_transductions_.shape == (3, 150)
    assert np.isfinite(search.cv_results_["mean_test_error"]).all()


@pytest.mark.parametrize("kind", DIVIDED)
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_candidate_that_fails(kind, error_score, iris, seen):
    swept = {"n_clusters": [2, 3, 4], "n_init": 1}
    search = search_of(kind, Breaking(), **swept, error_score=error_score)
    with pytest.warns(FitFailedWarning, match="1 of 3 .*breaking, 3 clusters.*too many"):
        search.fit(iris[0], seen)
    results = search.cv_results_
    assert_array_equal(np.isnan(results["mean_selection_error"]), [False, True, False])
    assert_array_equal(results["mean_test_bound"][1], error_score)
    assert search.best_index_ != 1
    rank = "rank_selection_error" if kind == "holdout" else "rank_test_bound"
    assert results[rank][1] == 3
    if kind == "learned":
        assert np.isnan(bits_of(results, "candidate")[1])
        weights = 2.0 ** -bits_of(results, "candidate")[[0, 2]]
        # Half of the language's weight of 3 clusters, of a tenth, is lost.
        lost = 0.1 * (1 / 3 / (1 / 2 + 1 / 3 + 1 / 4) / 2 + 1 / 6) / 2
        assert weights.sum() == pytest.approx(1 - lost, abs=1e-6)
    assert verified(search, seen)


@pytest.mark.parametrize("kind", DIVIDED)
def test_classes_that_only_certifying_rows_have(kind, fitted, iris, seen):
    """A class that no selecting row has is still one."""
    select, certify = fitted[kind].divisions_[0]
    rare = np.where(np.isin(np.arange(150), certify[:2]), 3, seen)
    search = search_of(kind, n_clusters=[2, 3]).fit(iris[0], rare)
    assert_array_equal(search.classes_, [0, 1, 2, 3])
    assert_array_equal(search.divisions_[0][0], select)
    assert verified(search, rare)


@pytest.mark.filterwarnings("ignore:.* hold no (selecting )?label")
@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_no_declared_class_are_errors(kind, iris, seen):
    search = search_of(kind, classes=[0, 1])
    with pytest.warns(UserWarning, match=r"not in classes= .*: 2 \(26 of 75 labeled"):
        search.fit(iris[0], seen)
    others = np.sum(seen[search.divisions_[0][1]] == 2)
    assert search.certificate_.n_train_errors >= others > 0
    assert set(search.transduction_) <= {0, 1}
    assert verified(search, seen)


@pytest.mark.filterwarnings("ignore:.* clusters, with .* unlabeled rows, hold no")
@pytest.mark.parametrize("kind", DIVIDED)
def test_too_few_labeled_rows(kind, iris):
    few = np.full(150, -1)
    few[[0, 60]] = 0, 1
    search = search_of(kind).fit(iris[0], few)
    assert [len(rows) for rows in search.divisions_[0]] == [1, 1]
    assert verified(search, few)
