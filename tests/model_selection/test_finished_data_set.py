"""A search that finishes a data set: the surest rows, and the others for people."""

import pickle
from math import ceil, floor

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import hide
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import binom, poisson
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import ShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_pacmdl import BoundCertificate, CoverageDisplay, SelectiveClusterLabeler
from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.cluster import PrecomputedLabels

NOTHING = "ignore:.*no row is labeled automatically"


def labeler_of(estimator=None, **kwargs):
    kwargs = {"target": 0.05, "target_of": "dataset", "random_state": 0} | kwargs
    if estimator is None:
        estimator, kwargs["n_clusters"] = AgglomerativeClustering(), [20, 30]
    return SelectiveClusterLabeler(estimator, **kwargs)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, hide(y, share=0.85)


@pytest.fixture(scope="module")
def fitted(digits):
    X, _, seen = digits
    return labeler_of().fit(X, seen)


# ---- What is certified


def test_certificate(fitted, digits):
    _, y, seen = digits
    certificate, labels = fitted.certificate_, fitted.transduction_
    (select, certify), unlabeled = fitted.divisions_[0], seen == -1
    automatic = unlabeled & (labels != -1)
    assert 0 < np.sum(automatic) < np.sum(unlabeled)
    assert fitted.coverage_ == np.sum(automatic) / np.sum(unlabeled)
    assert certificate.kind == "finished by a search"
    assert certificate.n_select == len(select)
    assert certificate.n_train == len(certify)
    assert certificate.n_test == np.sum(unlabeled)
    assert certificate.facts["n_automatic"] == np.sum(automatic)
    assert certificate.facts["target"] == 0.05
    tolerated = floor(len(y) / 20)
    a = tolerated_audit_errors(len(certify), np.sum(unlabeled), tolerated)
    assert certificate.n_train_errors == a > 0
    most = bmax(len(certify), np.sum(unlabeled), a, 0.1)
    assert certificate.max_test_errors == most <= tolerated
    assert fitted.best_bound_ == fitted.best_mean_bound_ == most / len(y) <= 0.05
    assert np.sum(labels[automatic] != y[automatic]) <= most
    assert certificate.verify(seen, labels, certify)
    assert not certificate.verify(seen, labels)
    assert not certificate.verify(seen, fitted.transduction_at(1.0), certify)
    assert BoundCertificate.from_json(certificate.to_json()) == certificate


def test_statement(fitted, digits):
    """The rows that select are rows of the data set: they count among all."""
    _, y, seen = digits
    certificate, left = fitted.certificate_, len(fitted.to_people_)
    # Rounded up, so that the rate is not above what is said.
    percent = f"{ceil(certificate.max_test_errors / len(y) * 10_000) / 100:.2f}%"
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the "
        f"{np.sum(seen != -1)} labeled rows and of their division, once people have "
        f"labeled the {left} rows that are left, at most {certificate.max_test_errors} "
        f"of all {len(y)} rows ({percent}) are labeled "
        "wrongly, and these are among the "
        f"{certificate.facts['n_automatic']} rows that were labeled automatically, "
        "provided the labeled rows are a uniformly random choice, the labels that people "
        "give are right, the target was not chosen because of its result and X was made "
        "without the labels."
    )
    assert "labeled rows that select" in str(certificate)


def test_target_is_the_decimal_that_is_written(blobs):
    """0.29 * 100 is below 29 in floats, and 29 errors are tolerated."""
    X, y = blobs
    seen = hide(y[:100], share=0.55)
    labeler = labeler_of(KMeans(4), target=0.29).fit(X[:100], seen)
    certificate = labeler.certificate_
    assert (certificate.n_train, certificate.n_test) == (18, 55)
    assert certificate.n_train_errors == tolerated_audit_errors(18, 55, 29)
    assert tolerated_audit_errors(18, 55, 28) < certificate.n_train_errors


def accepted_by_hand(labeler, y, seen):
    """Walk down the rows until one certifying error too many."""
    select, certify = labeler.divisions_[0]
    classes = labeler.clusters_["class"]
    rows = [i for i in range(len(y)) if i not in set(select.tolist())]
    rows.sort(key=lambda i: (-labeler.confidence_[i], i))
    errors, taken = 0, []
    for i in rows:
        wrong = i in set(certify.tolist()) and classes[labeler.labels_[i]] != seen[i]
        errors += wrong
        if errors > labeler.certificate_.n_train_errors:
            break
        taken.append(i)
    automatic = [i for i in taken if seen[i] == -1]
    left = [i for i in rows if seen[i] == -1 and i not in set(taken)]
    return taken, automatic, left[::-1]


def test_rows_are_accepted_in_order(fitted, digits):
    _, y, seen = digits
    taken, automatic, left = accepted_by_hand(fitted, y, seen)
    labels, unlabeled = fitted.transduction_, seen == -1
    assert set(np.flatnonzero(labels != -1)) == set(taken)
    assert_array_equal(np.flatnonzero(unlabeled & (labels != -1)), np.sort(automatic))
    assert_array_equal(fitted.to_people_, left)
    classes = fitted.clusters_["class"].to_numpy()[fitted.labels_]
    assert_array_equal(labels[taken], classes[taken])
    assert_array_equal(fitted.completed_y_[~unlabeled], seen[~unlabeled])
    assert_array_equal(fitted.completed_y_[automatic], labels[automatic])
    assert np.all(fitted.completed_y_[left] == -1)
    table = fitted.clusters_
    assert table["n_automatic"].sum() == len(automatic)
    expected = np.bincount(fitted.labels_[automatic], minlength=len(table))
    assert_array_equal(table["n_automatic"], expected)
    assert "left out" not in set(table["named_by"])


# ---- Confidence, and the choice of the clustering


def confidence_by_hand(X, labeler, seen):
    """From single rows; also how each selecting row is guessed from the others."""
    clusters, select = labeler.labels_, labeler.divisions_[0][0]
    classes = labeler.clusters_["class"].to_numpy()
    k = len(classes)
    means = np.stack([X[clusters == c].mean(axis=0) for c in range(k)])
    between = cdist(means, means)
    wrong = np.zeros(len(select))
    for i, row in enumerate(select):
        others = np.delete(select, i)
        own = seen[others[clusters[others] == clusters[row]]]
        if len(own):
            counts = np.bincount(own, minlength=10)
            best = np.flatnonzero(counts == counts.max())
            wrong[i] = 1 - np.isin(seen[row], best) / len(best)
        else:
            near = min(clusters[others], key=lambda c: between[clusters[row], c])
            wrong[i] = classes[near] != seen[row]
    in_cluster = clusters[select]
    seen_in = np.bincount(in_cluster, minlength=k)
    impure = (np.bincount(in_cluster, wrong, minlength=k) + 0.5) / (seen_in + 1)
    distances = cdist(X, means)
    margins = np.empty(len(X))
    for i, c in enumerate(clusters):
        margins[i] = distances[i, classes != classes[c]].min() - distances[i, c]
    typical = np.sqrt(np.mean(margins**2))
    return 0.5 * margins / typical - impure[clusters], wrong


@pytest.mark.parametrize("share", [0.85, 0.98])
@pytest.mark.filterwarnings(NOTHING)
def test_confidence(share, digits):
    """Few labels leave some clusters with one, and some with none."""
    X, y, _ = digits
    seen = hide(y, share=share)
    labeler = labeler_of(AgglomerativeClustering(25)).fit(X, seen)
    confidence, wrong = confidence_by_hand(X, labeler, seen)
    assert_allclose(labeler.confidence_, confidence, rtol=1e-6)
    # The share that is expected: certifying errors are Poisson, at the rate of selecting
    # rows that are guessed wrongly.
    (select, certify), unlabeled = labeler.divisions_[0], np.sum(seen == -1)
    a = tolerated_audit_errors(len(certify), unlabeled, floor(len(y) / 20))
    rates = [
        np.sum(wrong[confidence[select] >= confidence[row]]) * len(certify) / len(select)
        for row in np.setdiff1d(np.arange(len(y)), select)
    ]
    expected = labeler.cv_results_["mean_expected_coverage"][0]
    assert_allclose(expected, np.mean(poisson.cdf(a, rates)), atol=1e-3)


def test_the_choice_is_by_the_expected_share(fitted):
    results, best = fitted.cv_results_, fitted.best_index_
    assert fitted.ranked_by_ == "mean_expected_coverage"
    assert results["mean_expected_coverage"].argmax() == best
    assert results["mean_coverage"][best] == fitted.coverage_
    assert results["mean_test_bound"][best] == fitted.best_bound_
    assert np.isnan(np.delete(results["mean_coverage"], best)).all()
    assert "mean_test_error" not in results


def test_certifying_labels_only_say_where_to_stop(fitted, digits):
    X, _, seen = digits
    certify = fitted.divisions_[0][1]
    altered = seen.copy()
    altered[certify] = np.random.RandomState(0).permutation(seen[certify])
    after = labeler_of().fit(X, altered)
    assert after.best_index_ == fitted.best_index_
    assert_array_equal(after.confidence_, fitted.confidence_)
    for name in ("mean_expected_coverage", "n_clusters"):
        assert_array_equal(after.cv_results_[name], fitted.cv_results_[name])
    assert 0 < after.coverage_ < 0.1 < fitted.coverage_
    assert after.best_bound_ == fitted.best_bound_


def test_margins_are_worth_more_than_purity_alone(digits):
    """The target is met by few clusters as a whole; benchmarks/bench_finished.py."""
    X, y, _ = digits
    both, alone = [], []
    for seed in range(4):
        seen = hide(y, share=0.9, seed=seed)
        one = labeler_of(AgglomerativeClustering(30), random_state=seed).fit(X, seen)
        named = PrecomputedLabels()
        other = labeler_of(named, random_state=seed).fit(one.labels_[:, None], seen)
        both.append(one.coverage_)
        alone.append(other.coverage_)
    assert np.mean(both) > 0.65 > 0.55 > np.mean(alone)


def test_names_of_clusters_have_no_distances(digits):
    X, _, seen = digits
    clusters = AgglomerativeClustering(30).fit_predict(X)
    labeler = labeler_of(PrecomputedLabels()).fit(clusters[:, None], seen)
    for cluster in range(30):
        assert len(set(labeler.confidence_[clusters == cluster])) == 1
    assert 0 <= -labeler.confidence_.max() < -labeler.confidence_.min() <= 1
    assert labeler.certificate_.verify()


def test_one_class_has_no_margins():
    X, _ = make_blobs(200, centers=3, random_state=0)
    labeler = labeler_of(KMeans(3), classes=[0, 1])
    labeler.fit(X, hide(np.zeros(200, dtype=int)))
    assert len(set(labeler.confidence_)) <= 3
    assert labeler.coverage_ == 1.0
    assert len(labeler.to_people_) == 0


@pytest.mark.parametrize("affinities", [False, True])
def test_pairs_of_rows(affinities):
    X, y = make_blobs(240, centers=4, cluster_std=2.0, random_state=1)
    seen = hide(y)
    if affinities:
        clusterer, pairs = SpectralClustering(4, affinity="precomputed"), rbf_kernel(X)
    else:
        clusterer = AgglomerativeClustering(4, metric="precomputed", linkage="average")
        pairs = pairwise_distances(X)
    labeler = labeler_of(clusterer, target=0.1).fit(pairs, seen)
    assert len(set(labeler.confidence_)) > 200
    assert labeler.coverage_ > 0.5
    # Surer rows are right more often.
    classes = labeler.clusters_["class"].to_numpy()[labeler.labels_]
    sure = labeler.confidence_ > np.median(labeler.confidence_)
    assert np.mean(classes[sure] == y[sure]) > np.mean(classes[~sure] == y[~sure])


# ---- The coverage curve, and the labels of its points


def test_coverage_curve(fitted, digits):
    _, y, seen = digits
    curve, certificate = fitted.coverage_curve_, fitted.certificate_
    assert set(curve) == {"coverage", "bound", "test_error"}
    assert len({values.shape for values in curve.values()}) == 1
    assert np.all(np.diff(curve["coverage"]) >= 0)
    assert np.all(np.diff(curve["bound"]) > 0)
    assert np.isnan(curve["test_error"]).all()
    assert curve["coverage"][-1] == 1.0
    last = np.flatnonzero(curve["bound"] <= fitted.target)[-1]
    assert curve["coverage"][last] == fitted.coverage_
    assert curve["bound"][last] == fitted.best_bound_
    m, n = certificate.n_train, certificate.n_test
    classes = fitted.clusters_["class"].to_numpy()[fitted.labels_]
    certify = fitted.divisions_[0][1]
    n_wrong = np.sum(classes[certify] != seen[certify])
    assert curve["bound"][-1] == bmax(m, n, n_wrong, 0.1) / len(y)
    display = CoverageDisplay.from_estimator(fitted)
    assert display.chosen == (fitted.coverage_, fitted.best_bound_)
    said = "Bound on the error rate of the finished data set"
    assert display.ax_.get_ylabel().replace("\n", " ") == said
    plt.close(display.figure_)


def test_each_point_is_what_its_bound_as_a_target_gives(fitted, digits):
    X, _, seen = digits
    curve = fitted.coverage_curve_
    for i in (0, 3, 8):
        # A little above, since the bound need not be a decimal.
        target = round(float(curve["bound"][i]) + 1e-6, 9)
        alone = AgglomerativeClustering(fitted.best_params_["n_clusters"])
        labeler = labeler_of(alone, target=target).fit(X, seen)
        assert labeler.best_bound_ == curve["bound"][i]
        # The same clusters, names and order: only the place to stop is another.
        assert labeler.coverage_ == curve["coverage"][i]
        at = fitted.transduction_at(curve["coverage"][i])
        assert_array_equal(labeler.transduction_[seen == -1], at[seen == -1])


def test_labels_of_any_point(fitted, digits):
    _, _, seen = digits
    unlabeled = np.flatnonzero(seen == -1)
    assert_array_equal(fitted.transduction_at(fitted.coverage_), fitted.transduction_)
    assert np.all(fitted.transduction_at(0.0) == -1)
    assert np.all(fitted.transduction_at(1)[unlabeled] != -1)
    before = np.zeros(len(seen), dtype=bool)
    sure_first = unlabeled[np.argsort(-fitted.confidence_[unlabeled], kind="stable")]
    for n_rows in (1, 10, 500, len(unlabeled) - 1):
        labels = fitted.transduction_at(n_rows / len(unlabeled))
        accepted = labels != -1
        assert_array_equal(np.flatnonzero(before & ~accepted), [])
        of_unlabeled = np.intersect1d(np.flatnonzero(accepted), unlabeled)
        assert_array_equal(of_unlabeled, np.sort(sure_first[:n_rows]))
        before = accepted


def test_all_rows_within_the_target(iris):
    """The last point has the bound that was fixed before it was known that none is left.

    A smaller bound, by the errors that were seen, would be another statement.
    """
    X, y = iris
    labeler = labeler_of(KMeans(8), target=0.3).fit(X, hide(y))
    assert labeler.coverage_ == 1.0 == labeler.coverage_curve_["coverage"][-1]
    assert labeler.coverage_curve_["bound"][-1] == labeler.best_bound_
    assert len(labeler.to_people_) == 0
    assert "once people" not in labeler.certificate_.statement


def test_higher_targets_never_cover_less(digits):
    X, _, seen = digits
    coverage = [
        labeler_of(AgglomerativeClustering(30), target=target).fit(X, seen).coverage_
        for target in (0.03, 0.05, 0.08, 0.2)
    ]
    assert np.all(np.diff(coverage) >= 0)
    assert coverage[0] < coverage[-1]


# ---- Other uses


def test_labels_that_are_all_known(digits):
    X, y, _ = digits
    cv = ShuffleSplit(1, train_size=0.3, test_size=0.5, random_state=0)
    labeler = labeler_of(cv=cv).fit(X, y)
    (train, test), (_, certify) = labeler.splits_[0], labeler.divisions_[0]
    certificate, curve = labeler.certificate_, labeler.coverage_curve_
    n_rows = len(train) + len(test)
    assert n_rows < len(y)
    assert f"of all {n_rows} rows" in certificate.statement
    labels = labeler.split_transductions_[0]
    outside = np.setdiff1d(np.arange(len(y)), np.concatenate([train, test]))
    assert np.all(labels[outside] == -1)
    given = test[labels[test] != -1]
    wrong = np.sum(labels[given] != y[given])
    last = np.flatnonzero(curve["bound"] <= labeler.target)[-1]
    assert curve["test_error"][last] == wrong / n_rows
    best = labeler.best_index_
    assert labeler.cv_results_["mean_test_error"][best] == wrong / n_rows
    seen = np.where(np.isin(np.arange(len(y)), train), y, -1)
    inside = np.sort(np.concatenate([train, test]))
    chosen = np.flatnonzero(np.isin(inside, certify))
    assert certificate.drawn
    assert certificate.verify(seen[inside], labels[inside], chosen)


def test_words_and_data_frames(fitted, digits):
    X, _, seen = digits
    names = np.array([f"digit {d}" for d in range(10)], dtype=object)
    words = np.where(seen == -1, None, names[seen])
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(64)])
    labeler = labeler_of().fit(frame, words)
    abstained = np.array([label is None for label in labeler.transduction_])
    assert_array_equal(abstained, fitted.transduction_ == -1)
    assert_array_equal(labeler.to_people_, fitted.to_people_)
    certify = labeler.divisions_[0][1]
    assert labeler.certificate_.verify(words, labeler.transduction_, certify)
    assert all(label is None for label in labeler.transduction_at(0))


def test_n_jobs_and_copies(fitted, digits):
    X, _, seen = digits
    many = clone(fitted).set_params(n_jobs=2).fit(X, seen)
    copy = pickle.loads(pickle.dumps(fitted))
    for other in (many, copy):
        assert_array_equal(other.transduction_, fitted.transduction_)
        assert_array_equal(other.to_people_, fitted.to_people_)
        assert_array_equal(other.transduction_at(0.3), fitted.transduction_at(0.3))
        assert other.certificate_ == fitted.certificate_


def test_declared_classes_that_no_label_has(digits):
    X, _, seen = digits
    labeler = labeler_of(classes=range(12)).fit(X, seen)
    assert "were known beforehand" not in labeler.certificate_.statement
    assert labeler.coverage_ > 0.3


@pytest.mark.filterwarnings("ignore:.*of 30 clusters")
def test_accepted_is_the_default(digits):
    X, y, _ = digits
    seen = hide(y)
    kwargs = {"target": 0.055, "target_of": "accepted"}
    explicit = labeler_of(**kwargs).fit(X, seen)
    default = SelectiveClusterLabeler(
        AgglomerativeClustering(), n_clusters=[20, 30], target=0.055, random_state=0
    ).fit(X, seen)
    assert explicit.certificate_ == default.certificate_
    assert default.certificate_.kind == "holdout"
    assert default.best_bound_ == default.certificate_.bound
    for name in ("confidence_", "to_people_", "transduction_at"):
        assert not hasattr(default, name)
        with pytest.raises(AttributeError, match="target_of='dataset'"):
            getattr(default, name)


def test_attributes_of_the_other_target_are_forgotten(fitted, digits):
    X, y, _ = digits
    labeler = labeler_of(target=0.055).fit(X, hide(y))
    assert hasattr(labeler, "to_people_")
    labeler.set_params(target_of="accepted").fit(X, hide(y))
    assert not hasattr(labeler, "to_people_")
    assert not hasattr(labeler, "confidence_")


def test_rows_have_no_order_before_fit(digits):
    X, y, _ = digits
    with pytest.raises(AttributeError, match="fit sets it, and has not been called"):
        _ = labeler_of().to_people_
    labeler = labeler_of(KMeans(20), target_of="accepted", target=0.5).fit(X, hide(y))
    labeler.set_params(target_of="dataset")
    with pytest.raises(AttributeError, match="fit sets it"):
        labeler.transduction_at(0.5)


class Unseeded(ClusterMixin, BaseEstimator):
    def fit_predict(self, X, y=None):
        self.not_to_be_pickled = lambda: None  # so that it is fitted again
        rng = check_random_state(None)
        return 2 * (X[:, 2] > 2.5) + rng.randint(0, 2, len(X))


def test_clusterer_that_does_not_repeat_itself(iris):
    """What the last fit gave is certified."""
    X, y = iris
    seen = hide(y)
    labeler = labeler_of(Unseeded(), target=0.3)
    with pytest.warns(UserWarning, match="gave a different clustering"):
        labeler.fit(X, seen)
    certify = labeler.divisions_[0][1]
    assert labeler.certificate_.verify(seen, labeler.transduction_, certify)
    automatic = labeler.certificate_.facts["n_automatic"]
    assert automatic == round(labeler.coverage_ * np.sum(seen == -1))


# ---- Nothing can be certified, and bad input


def test_too_few_certifying_rows(iris):
    X, y = iris
    seen = hide(y, share=0.9)
    labeler = labeler_of(KMeans(4))
    message = (
        r"6 certifying rows are too few for target=0.05 of 150 rows and delta=0.1, so no "
        "row is labeled automatically"
    )
    with pytest.warns(UserWarning, match=message):
        labeler.fit(X, seen)
    assert labeler.certificates_ == []
    assert not hasattr(labeler, "certificate_")
    assert labeler.coverage_ == 0
    assert np.all(labeler.transduction_ == -1)
    assert_array_equal(np.sort(labeler.to_people_), np.flatnonzero(seen == -1))
    assert labeler.coverage_curve_["bound"].min() > 0.05
    assert np.sum(labeler.transduction_at(0.5) != -1) > 0


class Alike(ClusterMixin, BaseEstimator):
    """One cluster of all rows."""

    def fit_predict(self, X, y=None):
        return np.zeros(len(X), dtype=int)


def test_errors_before_all_unlabeled_rows():
    """Rows that are as sure come in the order of the file."""
    rng = np.random.RandomState(0)
    seen = np.r_[rng.randint(2, size=200), np.full(100, -1)]
    labeler = labeler_of(Alike(), target=0.2, random_state=1)
    with (
        pytest.warns(
            UserWarning, match="do not look like a uniformly random choice|rand"
        ),
        pytest.warns(UserWarning, match=r"\d+ certifying rows are labeled wrongly and"),
    ):
        labeler.fit(np.zeros((300, 1)), seen)
    assert labeler.coverage_ == 0
    assert labeler.certificates_ == []
    assert_array_equal(labeler.to_people_, np.arange(300)[:199:-1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"certify": "pac-mdl"}, "certify must be 'holdout' with target_of='dataset'"),
        ({"certify": "learned"}, "certify must be 'holdout' .* no part in them, got 'l"),
        ({"target_of": "all"}, r"target_of must be one of \['accepted', 'dataset'\]"),
        ({"target_of": None}, r"target_of must be one of .*, got None\."),
        ({"target": 1.0}, r"target must be in the open interval \(0, 1\), got 1.0"),
        ({"language": "simple"}, "language must be .auto. or .decoupled. with certify"),
    ],
)
def test_bad_parameters(parameters, message, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=message):
        labeler_of(KMeans(4), **parameters).fit(X, hide(y))


@pytest.mark.parametrize("coverage", [-0.1, 1.01, np.nan, "all", None, True])
def test_bad_coverage(coverage, fitted):
    with pytest.raises(ValueError, match=r"coverage must be in \[0, 1\], got"):
        fitted.transduction_at(coverage)


@pytest.mark.slow
@parametrize_with_checks([labeler_of(KMeans(), n_clusters=[2, 3], target=0.5)])
def test_estimator_checks(estimator, check):
    check(estimator)


# ---- Does the certificate hold as often as it says?


class Slices(ClusterMixin, BaseEstimator):
    """As many slices of the line, of the same length."""

    def __init__(self, n_clusters=5):
        self.n_clusters = n_clusters

    def fit_predict(self, X, y=None):
        place = (X[:, 0] - X[:, 0].min()) / np.ptp(X[:, 0])
        return np.minimum((place * self.n_clusters).astype(int), self.n_clusters - 1)


def population():
    """400 rows, sorted by class and place; a quarter is labeled against its place."""
    rng = np.random.RandomState(0)
    place = rng.uniform(size=400)
    y = (place > 0.5) ^ (rng.uniform(size=400) < 0.25)
    order = np.lexsort((place, y))
    return place[order, None], y[order].astype(int)


def accepted_by_certifying_labels(labeler, seen):
    """Control: rows far from certifying errors are taken to be surer."""
    certify = labeler.divisions_[0][1]
    classes = labeler.clusters_["class"].to_numpy()[labeler.labels_]
    wrong = classes[certify] != seen[certify]
    distance = np.abs(np.arange(len(seen))[:, None] - certify[wrong]).min(axis=1)
    order = np.argsort(-distance, kind="stable")
    errors = np.flatnonzero(np.isin(order, certify[wrong]))
    a = labeler.certificate_.n_train_errors
    cut = errors[a] if a < len(errors) else len(order)
    return order[:cut], classes


@pytest.mark.slow
@pytest.mark.filterwarnings(NOTHING)
def test_validity_on_sorted_data():
    """The whole search, delta = .2, for random choices of the labeled rows.

    Two controls take the same audit for what it is no audit of: for confidences that
    depend on it, and for the error rate among the accepted rows.
    """
    (X, y), trials, delta = population(), 500, 0.2
    honest = by_certifying = by_rate = 0
    for seed in range(trials):
        labeled = np.random.RandomState(seed).permutation(400)[:160]
        seen = np.full(400, -1)
        seen[labeled] = y[labeled]
        labeler = labeler_of(
            Slices(),
            n_clusters=[4, 8, 20],
            target=0.12,
            delta=delta,
            random_state=seed,
            select_fraction=0.5,
        ).fit(X, seen)
        unlabeled = seen == -1
        accepted = unlabeled & (labeler.transduction_ != -1)
        most = labeler.certificate_.max_test_errors
        wrong = np.sum(labeler.transduction_[accepted] != y[accepted])
        honest += wrong > most
        rows, classes = accepted_by_certifying_labels(labeler, seen)
        by_certifying += np.sum((classes != y)[rows] & unlabeled[rows]) > most
        by_rate += wrong > 0.12 * np.sum(accepted)
    # A true rate of delta is above, or below, these so rarely.
    assert binom.sf(honest - 1, trials, delta) > 1e-6
    assert binom.sf(by_certifying - 1, trials, delta) < 1e-6
    assert binom.sf(by_rate - 1, trials, delta) < 1e-6
    assert honest > 0.1 * trials  # nor is there nothing to see: it was 90 of 500
