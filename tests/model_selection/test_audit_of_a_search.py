"""Certifying rows of hold-out as an audit: finishing a data set after a search."""

import numpy as np
import pytest
from conftest import ColumnOfX, hide
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.audits import (
    Audit,
    certify_labels,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.certification import HoldOut

SOURCE = "whoever labeled rows for PACMDLSearchCV"
CHOICE = f"the audited rows are all that were drawn, uniformly at random, by {SOURCE!r}"
MADE = (
    "labels, confidences, groups and strata were made without the human labels of these"
)


def search_of(estimator=None, **kwargs):
    kwargs = {"certify": "holdout", "random_state": 0} | kwargs
    if estimator is None:
        estimator, kwargs["n_clusters"] = AgglomerativeClustering(), [20, 30]
    return PACMDLSearchCV(estimator, **kwargs)


def finished_by(search, y, target=0.05, delta=0.1):
    """What is finished with the labels that certified the search."""
    audit = search.audit_
    made = search.split_transductions_[0], search.confidence_, audit
    return finish_labels(*made, y[audit.rows], target=target, delta=delta)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, hide(y, share=0.85)


@pytest.fixture(scope="module")
def fitted(digits):
    X, _, seen = digits
    return search_of().fit(X, seen)


def test_the_audit_is_of_the_certifying_rows(fitted, digits):
    _, _, seen = digits
    (select, certify), audit = fitted.divisions_[0], fitted.audit_
    assert_array_equal(audit.rows, certify)
    assert_array_equal(audit.excluded, select)
    assert_array_equal(audit.known_labels, seen[select])
    assert audit.seed is None
    assert audit.verify(fitted.transduction_, fitted.confidence_)
    assert f"the choice of the rows, by {SOURCE!r}" in str(audit.verify())
    assert Audit.from_json(audit.to_json()) == audit
    assert audit.provisos == (CHOICE, f"{MADE} rows")
    # Certifying again says the same.
    certificate = certify_labels(fitted.transduction_, audit, seen[audit.rows])
    assert certificate.max_test_errors == fitted.certificate_.max_test_errors
    assert MADE in certificate.statement
    assert CHOICE in certificate.statement
    # A report is about all rows but those whose labels chose the clustering.
    report = class_report(fitted.transduction_, audit, seen[audit.rows])
    labels = np.delete(fitted.transduction_, audit.excluded)
    for name, line in report.to_frame().iterrows():
        assert line["n_predicted"] == np.sum(labels == name)
    assert MADE in report.statement
    # Another audit, by which any method can be audited, is of rows without a label.
    other = draw_audit(1797, 50, exclude=audit, random_state=0)
    assert_array_equal(other.excluded, np.sort([*select, *certify]))
    assert other.known_labels is None


def test_the_same_audit_of_clusterings(digits):
    """Rows that have chosen are none of it, or they count as rows that were not drawn."""
    _, y, seen = digits
    clusterings = np.array([np.where(np.arange(len(y)) % 20, y, 0), y // 2])
    certified = certify_clusterings(clusterings, seen, certify="holdout", random_state=0)
    (select, certify), labels = certified.division, certified.transduction
    made = {"source": SOURCE, "labels": labels, "test": certified.random_choice_test}
    chosen = np.where(np.isin(np.arange(len(y)), select), seen, -1)
    known, excluding, including = (
        Audit.of_rows(certify, len(y), **made, **others)
        for others in ({"known_labels": chosen}, {"exclude": select}, {})
    )
    assert known.provisos == (CHOICE, f"{MADE} rows")
    assert_array_equal(known.known_labels, seen[select])
    expected = certified.certificate
    for audit, n_more in ((known, 0), (excluding, 0), (including, len(select))):
        found = certify_labels(labels, audit, seen[certify])
        assert found.n_train_errors == expected.n_train_errors
        assert found.n_test == expected.n_test + n_more
        assert n_more or found.max_test_errors == expected.max_test_errors


def test_finished_data_set(fitted, digits):
    _, y, seen = digits
    finished, unlabeled = finished_by(fitted, seen), seen == -1
    certificate, audit = finished.certificate, fitted.audit_
    automatic = unlabeled & finished.accepted
    assert 0 < certificate.n_automatic == np.sum(automatic) < np.sum(unlabeled)
    assert certificate.n_known == len(audit.excluded)
    m, n = audit.size, np.sum(unlabeled)
    assert (certificate.n_train, certificate.n_test) == (m, n)
    # Rows with known labels are rows of the data set, so they count among all.
    a = tolerated_audit_errors(m, n, len(y) // 20)
    assert certificate.n_train_errors == a > 0
    assert certificate.max_test_errors == bmax(m, n, a, 0.1)
    for words in (f"of all {len(y)} rows", "known before the audit are right", MADE):
        assert words in certificate.statement
    completed = finished.complete(y[finished.to_annotators])
    assert np.sum(completed.labels != y) <= certificate.max_test_errors
    assert completed.by_annotators[audit.excluded].all()
    given = fitted.confidence_, audit, seen[audit.rows]
    assert certificate.verify(fitted.transduction_, *given)


@pytest.mark.filterwarnings("ignore:.*hold no selecting label")
def test_a_choice_that_does_not_look_random_ends_all_statements(digits):
    X, y, _ = digits
    order = np.argsort(y, kind="stable")
    seen = np.where(np.arange(len(y)) < 900, y[order], -1)
    with pytest.warns(UserWarning, match="random choice"):
        search = search_of().fit(X[order], seen)
    answers = seen[search.audit_.rows]
    but = "but the labeled rows do not look like a random choice"
    finished = finished_by(search, seen, target=0.3)
    assert but in finished.certificate.statement
    assert but in class_report(search.transduction_, search.audit_, answers).statement
    certificate = certify_labels(search.transduction_, search.audit_, answers)
    assert but in certificate.statement


def test_text_labels(digits):
    X, y, seen = digits
    names = np.array([f"digit {i}" for i in range(10)], dtype=object)
    text = np.where(seen == -1, None, names[y])
    search = search_of().fit(X, text)
    finished, known = finished_by(search, text), search.audit_.excluded
    completed = finished.complete(names[y[finished.to_annotators]])
    assert_array_equal(completed.labels[known], text[known])
    assert Audit.from_json(search.audit_.to_json()) == search.audit_
    # Where the search draws the labeled rows nobody can see it: the audit has no seed.
    drawing = search_of().fit(X[:600], y[:600])
    assert drawing.audit_.provisos[0] == CHOICE
    assert finished_by(drawing, y, target=0.3).certificate.verify()


def test_completed_labels_are_refused(fitted, digits):
    """Their errors on audited rows are always none."""
    _, _, seen = digits
    audit, sure, labels = fitted.audit_, fitted.confidence_, fitted.transduction_
    for name, *given in (
        ("labels", fitted.completed_y_, sure),
        ("confidence", labels, -sure),
    ):
        with pytest.raises(ValueError, match=f"{name} must be what the audit was drawn"):
            finish_labels(*given, audit, seen[audit.rows], target=0.05)


@pytest.mark.filterwarnings("ignore:No certificate is issued")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"certify": "pac-mdl"}, "only certify='holdout' leaves labels"),
        ({"certify": "learned"}, "only certify='holdout' leaves labels"),
        ({"certify": "auto", "target": 0.4}, "only certify='holdout' leaves labels"),
        ({"cv": 2}, "one certificate"),
        ({"refit": False}, "fit with refit=True"),
    ],
)
def test_only_hold_out_with_one_certificate_leaves_an_audit(settings, why, iris):
    X, y = iris
    search = search_of(KMeans(), n_clusters=[3], **settings)
    search.fit(X, y if "cv" in settings else hide(y))
    for name in ("audit_", "confidence_"):
        with pytest.raises(AttributeError, match=f"{name}.*{why}"):
            getattr(search, name)


@pytest.mark.parametrize("name", ["nan", "-1", "unlabeled"])
def test_classes_that_audits_take_for_gaps(name, iris):
    """They are classes of a search where they are declared; it still certifies."""
    X, y = iris
    names = np.array([name, "b", "c"], dtype=object)
    seen = np.where(hide(y) == -1, None, names[y])
    search = search_of(KMeans(3), classes=names).fit(X, seen)
    assert search.certificate_.verify()
    assert len(search.confidence_) == len(X)
    with pytest.raises(AttributeError, match=r"audit_.*written like a missing label"):
        search.audit_  # noqa: B018 (reading it is the test)


def confidence_by_hand(X, search, seen):
    """From single rows, with the guess of each selecting row from the others."""
    clusters, select = search.labels_, search.divisions_[0][0]
    classes = search.clusters_["class"].to_numpy()
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
    n_seen = np.bincount(in_cluster, minlength=k)
    impure = (np.bincount(in_cluster, wrong, minlength=k) + 0.5) / (n_seen + 1)
    distances = cdist(X, means)
    margins = np.empty(len(X))
    for i, c in enumerate(clusters):
        margins[i] = distances[i, classes != classes[c]].min() - distances[i, c]
    typical = np.sqrt(np.mean(margins**2))
    return 0.5 * margins / typical - impure[clusters]


@pytest.mark.parametrize("share", [0.85, 0.98])
@pytest.mark.filterwarnings("ignore:.*hold no selecting label")
def test_confidence(share, digits):
    """Few labels leave some clusters with one, and some with none."""
    X, y, _ = digits
    seen = hide(y, share=share)
    search = search_of(AgglomerativeClustering(25)).fit(X, seen)
    assert_allclose(search.confidence_, confidence_by_hand(X, search, seen), rtol=1e-6)


def test_names_of_clusters_have_no_distances(digits):
    X, _, seen = digits
    clusters = AgglomerativeClustering(30).fit_predict(X)
    search = search_of(ColumnOfX()).fit(clusters[:, None], seen)
    for cluster in range(30):
        assert len(set(search.confidence_[clusters == cluster])) == 1
    assert 0 <= -search.confidence_.max() < -search.confidence_.min() <= 1


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


@pytest.mark.filterwarnings("ignore:.*hold no selecting label")
@pytest.mark.filterwarnings("ignore:.* rows are equally sure")
def test_validity_on_sorted_data():
    """Search and finishing, delta = .2, for random choices of the labeled rows.

    Two controls take certifying rows for an audit that they are not: of labelings that
    were chosen by them, and of the error rate among the accepted rows.
    """
    (X, y), trials, delta = population(), 300, 0.2
    honest = by_choice = by_rate = 0
    for seed in range(trials):
        labeled = np.random.RandomState(seed).permutation(400)[:160]
        seen = np.full(400, -1)
        seen[labeled] = y[labeled]
        settings = {"random_state": seed, "certify": HoldOut(0.5)}
        search = search_of(Slices(), n_clusters=[4, 8, 20], **settings).fit(X, seen)
        finished = finished_by(search, seen, target=0.12, delta=delta)
        automatic = finished.accepted & (seen == -1)
        wrong = np.sum(search.transduction_[automatic] != y[automatic])
        honest += wrong > finished.certificate.max_test_errors
        by_rate += wrong > 0.12 * np.sum(automatic)
        # Of twenty labelings that are a guess each, the one that the audit likes best.
        audit = draw_audit(400, 60, random_state=seed)
        rng = np.random.RandomState(seed)
        rivals = [np.where(rng.uniform(size=400) < 0.3, 1 - y, y) for _ in range(20)]
        best = min(rivals, key=lambda r: np.sum(r[audit.rows] != y[audit.rows]))
        certificate = certify_labels(best, audit, y[audit.rows], delta=delta)
        others = np.setdiff1d(np.arange(400), audit.rows)
        by_choice += np.sum(best[others] != y[others]) > certificate.max_test_errors
    # A true rate of delta is above, or below, these so rarely.
    assert binom.sf(honest - 1, trials, delta) > 1e-6
    assert binom.sf(by_choice - 1, trials, delta) < 1e-6
    assert binom.sf(by_rate - 1, trials, delta) < 1e-6
    assert honest > 0.05 * trials  # nor is there nothing to see
