"""Given clusterings are certified as those of a search, chosen by bounds or errors."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from conftest import DIVIDING, ColumnOfX, too_often
from numpy.testing import assert_array_equal
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV, bmax, certify_clusterings, pac_mdl_bound
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import Candidate

KINDS = ("pac-mdl", "learned", "holdout")
OWN = ("learned", "holdout")  # some labels select


@pytest.fixture(scope="module")
def clusterings(iris):
    X, _ = iris
    ward = AgglomerativeClustering
    return {
        "three": KMeans(3, random_state=0).fit_predict(X),
        "four": ward(4).fit_predict(X),
        "five": ward(5).fit_predict(X),
    }


@pytest.fixture(scope="module")
def y_seen(iris):
    _, y = iris
    return np.where(np.random.RandomState(3).permutation(150) < 80, y, -1)


def test_a_bound_computed_by_hand(y_seen, clusterings):
    """One clustering of three clusters: nothing is chosen, and labels cost Fractions."""
    given = {"three": clusterings["three"]}, y_seen
    certified = certify_clusterings(*given, certify="pac-mdl", language="algo")
    certificate, classes = certified.certificate, certified.transduction
    errors = int(np.sum((classes != y_seen)[y_seen >= 0]))
    assert certificate.weights["label"] == Fraction(1, 27)
    assert certificate.max_test_errors == bmax(80, 70, errors, 0.1 / 27)
    assert certified.bound == certificate.max_test_errors / 70
    assert certificate.verify(y_seen, classes)


@pytest.mark.parametrize("certify", KINDS)
def test_the_search_on_the_same_columns_says_the_same(certify, clusterings, y_seen, iris):
    X = np.column_stack(list(clusterings.values()))
    columns = [(name, ColumnOfX(i)) for i, name in enumerate(clusterings)]
    way = DIVIDING[certify](0.4) if certify in OWN else certify
    settings = {"certify": way, "classes": [0, 1, 2], "random_state": 0}
    search = PACMDLSearchCV(columns, **settings).fit(X, y_seen)
    certified = certify_clusterings(clusterings, y_seen, **settings)
    certificate = certified.certificate
    if certify not in OWN:  # the others divide the labels by seeds of their own
        assert certified.best_name == search.best_algorithm_
        assert certified.bound == search.best_bound_
        assert certificate.weights == search.certificate_.weights
    assert certified.results.keys() - {"clustering"} <= search.cv_results_.keys()
    assert certified.random_choice_test.looks_random
    assert certified.clusters["size"].sum() == 150
    assert_array_equal(certified.clusters["class"], certified.cluster_classes)
    labeled = y_seen >= 0
    assert_array_equal(certified.completed_y[labeled], y_seen[labeled])
    select, rows = certified.division
    assert len(select) == len(search.divisions_[0][0]) == certificate.n_select
    assert certificate.kind == certified.certify == certify
    assert certificate.verify(y_seen, certified.transduction, certifying=rows)
    made = "the clusterings were made and chosen without the labels"
    assert made in certificate.provisos


@pytest.mark.parametrize("certify", KINDS)
def test_counts_say_the_same_as_rows(certify, clusterings, y_seen):
    way = DIVIDING[certify](0.5) if certify in OWN else certify
    by_rows = certify_clusterings(clusterings, y_seen, certify=way, random_state=5)
    select, rest = by_rows.division

    def table(clusters, rows):
        counts = np.zeros((clusters.max() + 1, 3), dtype=int)
        np.add.at(counts, (clusters[rows], y_seen[rows]), 1)
        return counts

    counts = {
        name: cluster_counts(
            table(clusters, rest),
            np.bincount(clusters[y_seen < 0], minlength=clusters.max() + 1),
            selecting=table(clusters, select),
        )
        for name, clusters in clusterings.items()
    }
    by_counts = certify_clusterings(counts, certify=certify, random_state=5)
    assert by_counts.transduction is None
    if certify == "learned":  # ties that counts break by their own digest decide here
        rates = (c.results["mean_selection_error"] for c in (by_counts, by_rows))
        assert_array_equal(*rates)
    else:
        assert by_counts.best_name == by_rows.best_name
        assert by_counts.certificate.n_train_errors == by_rows.certificate.n_train_errors
        assert by_counts.bound == by_rows.bound
        assert_array_equal(by_counts.cluster_classes, by_rows.cluster_classes)
    with pytest.raises(AttributeError, match="clusters is available only if clusterings"):
        _ = by_counts.clusters
    assert by_counts.certificate.verify()


def test_given_labels_stay_as_they_are():
    """Also one that is none of the classes, and longer than these."""
    y = np.array(["a", "b", None, "longer"] * 5, dtype=object)
    with pytest.warns(UserWarning, match="not in classes="):
        found = certify_clusterings(
            [np.arange(20) % 2], y, certify="pac-mdl", classes=["a", "b"]
        )
    assert found.completed_y.tolist() == ["a", "b", "a", "longer"] * 5
    assert y[2] is None


def test_candidates_tell_the_language_what_was_swept(clusterings, y_seen):
    candidates = [Candidate("ward", c) for c in (3, 4, 5)]
    given = {"candidates": candidates, "language": "cluster", "certify": "pac-mdl"}
    certified = certify_clusterings(clusterings, y_seen, **given, random_state=0)
    c = candidates[certified.best_index].n_clusters
    assert certified.certificate.weights["n_clusters"] == Fraction(1, c * (c - 1))
    assert certified.certificate.subject["language"] == "cluster"


@pytest.mark.parametrize("certify", KINDS)
def test_clusters_that_miss_a_target_are_left_out(certify):
    X, y = load_digits(return_X_y=True)
    seen = np.where(np.random.RandomState(2).permutation(len(y)) < 900, y, -1)
    goal = {"pac-mdl": 0.15, "learned": 0.05, "holdout": 0.05}[certify]
    ward = {str(c): AgglomerativeClustering(c).fit_predict(X) for c in (20, 40)}
    found = certify_clusterings(ward, seen, certify=certify, target=goal, random_state=0)
    given = found.transduction != -1
    assert 0 < found.coverage < 1
    assert found.coverage == np.mean(given[seen < 0])
    assert found.bound <= goal
    assert found.certificate.n_test_abstained == np.sum(~given & (seen < 0))
    rows = found.division[1]
    assert found.certificate.verify(seen, found.transduction, certifying=rows)
    assert "left out" in set(found.clusters["named_by"])


def test_columns_of_counts_are_no_declaration_of_classes():
    """Names of columns say what was seen; other classes may not have been."""
    counts = cluster_counts([[5, 0], [1, 4]], [9, 9])
    assert counts != cluster_counts([[5, 0], [1, 4]], [9, 9])
    with pytest.raises(ValueError, match="all rows or all cluster_counts"):
        certify_clusterings([counts, [0, 1]])
    for settings in ({}, {"classes": ["no", "yes"]}):
        certified = certify_clusterings(counts, certify="pac-mdl", **settings)
        assert "the 2 classes were known beforehand" in certified.certificate.statement
    assert certified.cluster_classes.tolist() == ["no", "yes"]


def test_labels_of_no_class_are_errors_in_counts_too():
    tables = [[50, 0], [0, 50]], [300, 300]
    others = cluster_counts(*tables, certifying_others=[3, 4])
    plain = certify_clusterings(cluster_counts(*tables)).certificate
    divided = certify_clusterings(others).certificate
    by_all = certify_clusterings(others, certify="pac-mdl").certificate
    assert plain.n_train == 40
    assert (divided.n_train, divided.n_select) == (43, 64)
    assert (by_all.n_train, by_all.n_train_errors) == (107, 7)


def test_one_table_is_divided_and_the_certificate_has_the_seed():
    counts = cluster_counts([[50, 3], [2, 45]], [300, 300], certifying_others=[0, 4])
    found = certify_clusterings(counts, random_state=7)
    certificate = found.certificate
    share, _, seed = certificate.subject["division"].partition(" of the labels, by seed ")
    again = counts.divided(int(seed), float(share))
    assert (again.select + again.certify == counts.certify).all()
    assert (certificate.n_select, certificate.n_train) == (62, again.certify.sum())
    wrong = again.certify.sum() - again.certify[[0, 1], [0, 1]].sum()
    assert certificate.n_train_errors == wrong
    assert certify_clusterings(again, random_state=7).bound == found.bound
    same, other = (
        certify_clusterings(counts, random_state=seed).certificate for seed in (7, 8)
    )
    assert same == certificate
    assert other.subject != certificate.subject


def test_several_tables_are_divided_together():
    """The two lines of the error make them of the joint table."""
    joint = np.zeros((2, 3, 3), dtype=int)
    np.add.at(joint, (np.arange(90) % 2, np.arange(90) % 3, np.arange(90) % 3), 1)
    unlabeled = [200, 200], [100, 100, 200]
    tables = [cluster_counts(joint.sum(axis=1 - i), unlabeled[i]) for i in (0, 1)]
    with pytest.raises(ValueError, match="must count selecting rows apart") as error:
        certify_clusterings(tables)
    lines = [line.strip() for line in str(error.value).splitlines() if line[0] == " "]
    names = {"np": np, "joint": joint, "cluster_counts": cluster_counts}
    exec(lines[0], names)
    given = [
        eval(lines[1].replace("axis=1", f"axis={1 - i}"), names | {"unlabeled": rest})
        for i, rest in enumerate(unlabeled)
    ]
    found = certify_clusterings(given)
    assert (found.best_name, found.certify) == ("1", "learned")
    assert found.certificate.n_select == 54
    assert certify_clusterings(tables, certify="pac-mdl").best_name == "1"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (None, ["three", "four", "five"]),
        ("four", ["four"]),
        ("*f*", ["four", "five"]),
        (["five", "th*e*"], ["three", "five"]),
        (lambda name: len(name) == 4, ["four", "five"]),
    ],
)
def test_columns_choose_the_candidates(columns, expected, clusterings, y_seen):
    for table in (clusterings, pd.DataFrame(clusterings)):
        certified = certify_clusterings(table, y_seen, columns=columns, random_state=0)
        assert certified.results["algorithm"].tolist() == expected
    alone = {name: clusterings[name] for name in expected}
    again = certify_clusterings(alone, y_seen, random_state=0)
    assert certified.certificate == again.certificate
    # The statement says among how many one was chosen.
    chosen = f", chosen among {len(expected)} clusterings" if len(expected) > 1 else ""
    start = f"{certified.best_name}{chosen}"
    assert str(certified).startswith(f"{start}: With probability")
    if columns is None:
        page = certified.report().html
        assert f"<h1>{start}" in page
        assert "three; four; five" in page


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
