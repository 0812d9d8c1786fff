"""The fewest errors by all labels: what is chosen, at which weight, and that it holds."""

import numpy as np
import pytest
from conftest import too_often
from sklearn.cluster import AgglomerativeClustering

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings, pac_mdl_bound

N = 240
TRUTH = np.arange(N) % 3
SEEN = np.where(np.random.RandomState(0).permutation(N) < 120, TRUTH, -1)


def chosen(clusterings, y=SEEN, **settings):
    given = {"choose": "errors", "random_state": 0} | settings
    return certify_clusterings(clusterings, y, **given)


def test_the_bound_is_that_of_its_weight_in_the_prior():
    """By hand: a third of that of the candidate is for each of three kinds of names.

    These are names by selecting rows, those that agree with them where rows select, of
    three classes elsewhere, and all others.
    """
    for n_small in (20, 4):
        clusters = TRUTH + 3 * (np.arange(N) % n_small)
        found = chosen({"many": clusters, "few": TRUTH // 2})
        assert found.best_name == "many"
        select, certify = found.division
        seen = np.zeros((3 * n_small, 3), dtype=int)
        np.add.at(seen, (clusters[select], SEEN[select]), 1)
        odds = np.exp(2.0 * seen)
        shares = 0.98 * odds / odds.sum(axis=1, keepdims=True) + 0.02 / 3
        own = np.prod(shares[np.arange(3 * n_small), found.cluster_classes])
        weights = found.certificate.weights
        assert list(weights) == ["candidate", "label"]
        length = -np.log2(float(weights["candidate"])) - np.log2(float(weights["label"]))
        selects = seen.any(axis=1)
        kept = found.cluster_classes[selects] == seen.argmax(axis=1)[selects]
        share = np.all(kept) * 3.0 ** -np.sum(~selects) + np.all(kept) * selects.all()
        weight = float(weights["candidate"]) * (own + share) / 3
        assert length == pytest.approx(-np.log2(weight), abs=1e-4)
        rows = SEEN[certify] != found.transduction[certify]
        most = pac_mdl_bound(48, 120, rows.sum(), description_length=length, delta=0.1)
        assert found.certificate.max_test_errors == most


def test_a_class_that_no_selecting_row_has_names_only_if_it_is_declared():
    y = np.repeat([0, 1, 2], [118, 118, 4])
    seen = np.where(np.random.RandomState(1).permutation(N) < 120, y, -1)
    seen[-4:] = [2, -1, 2, -1]
    for random_state in range(100):
        found, declared = (
            chosen({"a": y}, seen, classes=classes, random_state=random_state)
            for classes in (None, [0, 1, 2])
        )
        select, _ = found.division
        if 2 not in seen[select]:
            break
    assert found.cluster_classes.tolist()[:2] == [0, 1]
    assert 2 not in found.cluster_classes
    assert declared.cluster_classes.tolist() == [0, 1, 2]
    assert declared.certificate.description_length > found.certificate.description_length


def searched(X, y, **settings):
    given = {"choose": "errors", "random_state": 0} | settings
    return PACMDLSearchCV(AgglomerativeClustering(3), **given).fit(X, y)


def test_a_cluster_without_labels_takes_the_class_of_the_nearest_by_all_labels():
    X = np.r_[np.zeros(40), np.ones(40), np.full(4, 1.4)][:, None]
    X += np.random.RandomState(0).uniform(0, 0.01, X.shape)
    y = np.repeat([0, 1, -1], [40, 40, 4])
    y[np.random.RandomState(0).permutation(80)[:40]] = -1
    search = searched(X, y, n_clusters=None)
    assert search.transduction_.tolist() == [0] * 40 + [1] * 44


def test_every_split_has_the_chosen_candidate_at_the_mean_of_its_errors():
    X = np.c_[TRUTH * 1.0, np.random.RandomState(0).uniform(size=N)]
    search = searched(X, TRUTH, n_clusters=[2, 3, 4], cv=3)
    assert search.best_params_ == {"n_clusters": 3}
    assert search.cv_results_["split2_estimated_error"][1] == 0
    parts = search.splits_, search.divisions_, search.split_transductions_
    for c, (_, test), (_, rows), labels in zip(search.certificates_, *parts, strict=True):
        held_out = np.where(np.isin(np.arange(N), test), -1, TRUTH)
        assert c.verify(held_out, labels, certifying=rows)


@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
@pytest.mark.parametrize("classes", [None, [0, 1, 2]])
def test_it_holds_for_sorted_files_and_many_candidates(classes):
    """Noisy clusters of all sizes, of which that with the fewest errors is taken."""
    # So many draws find a true rate of .4 with a probability of .99.
    rng, n_draws, delta = np.random.RandomState(0), 250, 0.2
    y = np.sort(rng.choice(3, p=[0.6, 0.35, 0.05], size=240))
    clusterings = {
        str(k): np.where(rng.uniform(size=240) < 0.7, (np.arange(240) * k) // 240, k)
        for k in (2, 5, 12, 40)
    }
    broken = 0
    for draw in range(n_draws):
        seen = np.where(rng.permutation(240) < 60, y, -1)
        settings = {"delta": delta, "classes": classes, "random_state": draw % 5}
        found = chosen(clusterings, seen, **settings)
        wrong = np.sum((found.transduction != y)[seen < 0])
        broken += wrong > found.certificate.max_test_errors
    assert not too_often(broken, n_draws, delta)
