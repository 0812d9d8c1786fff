"""Classifiers beside clusterers: fitted to the labels that select, and to no others."""

import numpy as np
import pytest
from conftest import hide, verified
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import binom
from searches import search_of
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.tree import DecisionTreeClassifier

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.audits import finish_labels

DELTA = 0.1
THREE = [
    ("ward", AgglomerativeClustering()),
    ("knn", KNeighborsClassifier()),
    ("spread", LabelSpreading()),
]


@pytest.fixture(scope="module")
def moons():
    """Two bent classes, which clusters describe badly."""
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, np.pi, 300), np.repeat([0, 1], 150)
    X = np.stack([np.cos(angle) + y, np.where(y, -1, 1) * np.sin(angle) + y / 2], axis=1)
    return X + rng.normal(scale=0.1, size=X.shape), y, hide(y)


@pytest.fixture(scope="module")
def fitted(moons):
    X, _, seen = moons
    return search_of(THREE, n_clusters=[2, 3, 4]).fit(X, seen)


# ---- What is learned from


class Spy(ClassifierMixin, BaseEstimator):
    """Predicts the most common class, and remembers what its fits were told."""

    told: list = []  # noqa: RUF012, of all instances

    def fit(self, X, y, sample_weight=None):
        self.told.append((np.array(X), y.copy(), sample_weight))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.common_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.common_)


def told_by(X, y):
    Spy.told.clear()
    return search_of(Spy()).fit(X, y), list(Spy.told)


def test_a_classifier_sees_the_selecting_rows_alone(moons):
    X, _, seen = moons
    search, (whole, *folds) = told_by(X, seen)
    (select, certify), *_ = search.divisions_
    order = [row for row in search.row_order_ if row in select]
    assert_array_equal(whole[0], X[order])
    assert_array_equal(whole[1], seen[order])
    assert len(certify)
    assert len(folds) == 5
    assert sum(len(select) - len(y) for _, y, _ in folds) == len(select)
    assert max(len(y) for _, y, _ in folds) < len(select)


@pytest.mark.parametrize("others", ["other class", "a class with a very long name"])
def test_other_labels_change_nothing_that_is_fitted(moons, others):
    """Not even by their classes, or by the memory that their names take."""
    X, y, seen = moons
    names = np.array(["zero", "one"], dtype=object)[y]
    names[seen < 0] = None
    search, told = told_by(X, names)
    _, certify = search.divisions_[0]
    names[certify] = others
    _, again = told_by(X, names)
    for (_, y_own, _), (_, y_other, _) in zip(told, again, strict=True):
        assert y_own.dtype == y_other.dtype
        assert_array_equal(y_own, y_other)


class Watched(LabelSpreading):
    told: list = []  # noqa: RUF012, of all instances

    def fit(self, X, y):
        self.told.append(y.copy())
        return super().fit(X, y)


def test_semi_supervised_ones_see_all_rows_but_no_other_labels(moons):
    X, y, seen = moons
    search = search_of(make_pipeline(StandardScaler(), Watched())).fit(X, seen)
    select, _ = search.divisions_[0]
    expected = np.where(np.isin(np.arange(len(y)), select), y, -1)
    whole, *folds = Watched.told
    assert_array_equal(whole, expected[search.row_order_])
    assert all(np.isin(own[own >= 0], [0, 1]).all() for own in Watched.told)
    assert [np.sum(own >= 0) < len(select) for own in folds] == [True] * 5


def test_it_is_the_classifier_that_the_user_would_fit(moons):
    X, y, seen = moons
    search = search_of(KNeighborsClassifier(3)).fit(X, seen)
    select, _ = search.divisions_[0]
    own = KNeighborsClassifier(3).fit(X[select], y[select])
    assert_array_equal(search.transduction_, own.predict(X))
    assert_array_equal(search.predict(X[:7] + 0.1), own.predict(X[:7] + 0.1))
    assert_allclose(search.confidence_, own.predict_proba(X).max(axis=1))
    assert verified(search, seen)


def test_errors_are_cross_validated_and_say_so(fitted):
    results = fitted.cv_results_
    expected = ["half leave-one-out"] * 3 + ["cross-validation"] * 2
    assert results["errors by"].tolist() == expected
    assert results["n_clusters_found"].tolist() == [2, 3, 4, None, None]
    search = search_of(THREE[0][1], n_clusters=[2, 3])
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    assert "errors by" not in search.fit(X, y).cv_results_


# ---- Clusterers and classifiers in one list


@pytest.mark.parametrize("shuffled", [False, True])
def test_certifying_labels_change_no_weight(moons, shuffled):
    """Not those of favorites of both kinds, nor of any other candidate."""
    X, _, seen = moons
    search = search_of(THREE, n_clusters=[2, 3, 4]).fit(X, seen)
    _, certify = search.divisions_[0]
    again = seen.copy()
    again[certify] = seen[certify[::-1]] if shuffled else 1 - seen[certify]
    other = search_of(THREE, n_clusters=[2, 3, 4]).fit(X, again)
    one, two = (
        [bits["candidate"] for bits in own.cv_results_["bits"]] for own in (search, other)
    )
    assert one == two
    # Of 0.9 of all weight the favorite has 31 / 32, and the best of the other kind the
    # rest; all candidates share a tenth.
    of_favorite, of_other = sorted([min(one[:3]), min(one[3:])])
    assert 0.04 < of_favorite < np.log2(32 / 31 / 0.9)
    assert 4 < of_other < np.log2(32 / 0.9)


class Guessing(ClusterMixin, BaseEstimator):
    """Two sides of a random plane through all features but the first."""

    def __init__(self, of=0):
        self.of = of

    def fit_predict(self, X, y=None):
        normal = np.random.default_rng(self.of).normal(size=X.shape[1] - 1)
        return (X[:, 1:] @ normal > 0).astype(int)


def test_the_best_of_many_useless_clusterings_is_not_preferred():
    """By luck its estimate is smaller than that of a classifier that knows a little."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 20)), rng.integers(2, size=400)
    X[:, 0] += 1.5 * y
    seen = np.where(rng.permutation(400) < 50, y, -1)
    kinds = [("guess", Guessing()), ("tree", DecisionTreeClassifier(max_depth=1))]
    search = search_of(kinds, param_grid={"guess__of": range(100)}).fit(X, seen)
    rates = search.cv_results_["mean_selection_error"]
    assert rates[:100].min() < rates[100]
    assert search.cv_results_["bits"][100]["candidate"] < np.log2(1 / 0.81)
    assert search.best_algorithm_ == "tree"


def test_sample_weights_of_the_selecting_rows(moons):
    X, _, seen = moons
    with config_context(enable_metadata_routing=True):
        Spy.told.clear()
        spy = Spy().set_fit_request(sample_weight=True)
        search = search_of(spy).fit(X, seen, sample_weight=X[:, 0])
    for rows, _, weights in Spy.told:
        assert_array_equal(rows[:, 0], weights)
    assert len(Spy.told[0][2]) == len(search.divisions_[0][0])


# ---- Validity


class Peeking(ClassifierMixin, BaseEstimator):
    """A classifier that somebody gave all labels, whatever it is told."""

    def __init__(self, memory, known=None):
        self.memory = memory
        self.known = known

    def fit(self, X, y):
        self.memory_ = clone(self.memory).fit(*(self.known or (X, y)))
        return self

    def predict(self, X):
        return self.memory_.predict(X)


def n_wrong(memory, n_draws, peeks=False):
    """Certificates of one seed that are wrong, of many choices of labeled rows.

    Features tell nothing about the classes, by which the file is sorted.
    """
    X, y = np.random.default_rng(0).normal(size=(120, 2)), np.repeat([0, 1], 60)
    wrong = 0
    for draw in range(n_draws):
        seen = hide(y, seed=draw)
        known = (X[seen >= 0], y[seen >= 0]) if peeks else None
        search = search_of(Peeking(memory, known)).fit(X, seen)
        rate = np.mean(search.transduction_[seen < 0] != y[seen < 0])
        wrong += rate > search.best_bound_
    return wrong


@pytest.mark.parametrize(
    "memory", [KNeighborsClassifier(1), DecisionTreeClassifier(random_state=0)]
)
def test_one_that_memorizes_is_harmless_and_a_leak_would_be_seen(memory):
    assert binom.sf(n_wrong(memory, 20) - 1, 20, DELTA) > 1e-3
    assert binom.sf(n_wrong(memory, 15, peeks=True) - 1, 15, DELTA) < 1e-9


def test_one_that_memorizes_is_not_preferred(moons):
    """By heart, it would be without error on the rows that it was fitted to."""
    X, y, _ = moons
    y = y ^ (np.random.default_rng(1).uniform(size=len(y)) < 0.3)
    grid = {"n_neighbors": [1, 25]}
    search = search_of(KNeighborsClassifier(), param_grid=grid).fit(X, hide(y))
    of_one, of_25 = search.cv_results_["mean_selection_error"]
    assert of_one > 0.3 > of_25 - 0.1
    assert search.best_params_ == {"n_neighbors": 25}


# ---- Where no labels are set aside


@pytest.mark.parametrize("cv", [None, StratifiedKFold(2)])
def test_refused_by_name_where_all_labels_certify(moons, cv):
    X, y, seen = moons
    search = search_of(THREE, n_clusters=2, cv=cv, certify="pac-mdl")
    with pytest.raises(ValueError, match=r"no classifier .* got \['knn', 'spread'\]"):
        search.fit(X, y if cv else seen)


@pytest.mark.filterwarnings("ignore:.* hold no label:UserWarning")
def test_left_out_with_too_few_labels_to_divide(moons):
    """As if they were not in the list; alone they are refused."""
    X, y, _ = moons
    seen = np.full(len(y), -1)
    seen[[0, 100, 299]] = y[[0, 100, 299]]
    says = r"With 3 labels all .* 'pac-mdl', .* \['knn', 'spread'\] .* are left out"
    with pytest.warns(UserWarning, match=says):
        search = search_of(THREE, n_clusters=[2, 3], n_init=1).fit(X, seen)
    assert {*search.cv_results_["algorithm"]} == {THREE[0][0]}
    alone = search_of(THREE[:1], n_clusters=[2, 3], n_init=1).fit(X, seen)
    assert search.certificate_ == alone.certificate_
    assert search.certificate_.kind == "pac-mdl"
    assert "classes were known beforehand" in search.certificate_.statement
    with pytest.raises(ValueError, match="four labels or more"):
        search_of(THREE[1:]).fit(X, seen)


def test_chosen_by_the_errors_of_all_labels(moons):
    """Of selecting rows by cross-validation, of certifying ones by predictions."""
    X, _, seen = moons
    search = search_of(THREE, n_clusters=[2, 3], choose="errors").fit(X, seen)
    rates = search.cv_results_["mean_estimated_error"]
    assert search.ranked_by_ == "mean_estimated_error"
    assert search.best_index_ == np.argmin(rates)
    assert search.cv_results_["rank_estimated_error"][search.best_index_] == 1
    knn = search.cv_results_["algorithm"].tolist().index("knn")
    select, certify = search.divisions_[0]
    results = search.cv_results_
    errors = results["mean_selection_error"][knn] * len(select)
    errors += results["mean_n_certifying_errors"][knn]
    assert rates[knn] == pytest.approx(errors / (len(select) + len(certify)))
    assert search.certificate_.verify(seen, search.transduction_, certifying=certify)


def test_grids_and_starts(moons):
    X, _, seen = moons
    grid = {"knn__n_neighbors": [1, 3], "forest__max_depth": [2]}
    forest = RandomForestClassifier(5)
    estimator = [("knn", KNeighborsClassifier()), ("forest", forest)]
    search = search_of(estimator, param_grid=grid, n_init=3).fit(X, seen)
    names = search.cv_results_["algorithm"].tolist()
    assert names == ["knn"] * 2 + ["forest"] * 3
    states = [p["forest__random_state"] for p in search.cv_results_["params"][2:]]
    assert len(set(states)) == 3


def test_steps_of_a_pipeline_may_need_labels(moons):
    X, _, seen = moons
    wide = np.c_[X, np.random.default_rng(0).normal(size=(len(X), 20))]
    steps = make_pipeline(SelectKBest(k=2), KNeighborsClassifier())
    search = search_of(steps).fit(wide, seen)
    assert_array_equal(search.best_estimator_[0].get_support(indices=True), [0, 1])
    with pytest.raises(ValueError, match="no step that is fitted to labels"):
        search_of(make_pipeline(SelectKBest(k=2), KMeans(2))).fit(wide, seen)


def test_precomputed_distances(moons):
    X, _, seen = moons
    plain = search_of(KNeighborsClassifier(metric="euclidean")).fit(X, seen)
    search = search_of(KNeighborsClassifier(metric="precomputed")).fit(cdist(X, X), seen)
    assert_array_equal(search.transduction_, plain.transduction_)
    assert_allclose(search.confidence_, plain.confidence_)
    assert search.best_bound_ == plain.best_bound_


class Other(Spy):
    def predict(self, X):
        return np.full(len(X), 7)


def test_one_that_cannot_be_fitted_or_predicts_other_classes_is_dropped(moons):
    X, _, seen = moons
    bad = [("many", KNeighborsClassifier(500)), ("other", Other())]
    with pytest.warns(FitFailedWarning, match="2 of 3 .*that it was not fitted to"):
        search = search_of([*bad, ("few", KNeighborsClassifier(5))]).fit(X, seen)
    assert search.best_algorithm_ == "few"


def test_needs_predict():
    blind = type("Blind", (ClassifierMixin, BaseEstimator), {"fit": None})
    with pytest.raises(TypeError, match="must have predict"):
        search_of(blind()).fit(np.eye(4), [0, 1, -1, -1])


def test_what_there_is_of_a_classifier(fitted, moons):
    _, y, seen = moons
    assert fitted.best_algorithm_ in ("knn", "spread")
    assert "a classifier" in repr(fitted)
    assert_array_equal(fitted.split_transductions_, [fitted.transduction_])
    assert_array_equal(fitted.completed_y_, np.where(seen < 0, fitted.transduction_, y))
    assert fitted.certificate_.kind == "learned"
    assert fitted.certificate_.subject["algorithm"] == fitted.best_algorithm_
    assert verified(fitted, seen)
    assert fitted.best_bound_ < 0.1


def test_what_there_is_not(fitted, moons):
    no_clusters = "labels_", "clusters_", "classes_without_cluster_", "classifier_"
    for name in no_clusters:
        with pytest.raises(AttributeError, match=f"{name}.*is a classifier, which makes"):
            getattr(fitted, name)
    assert fitted.confidence_.shape == fitted.transduction_.shape
    with pytest.raises(AttributeError, match="only certify='holdout'"):
        _ = fitted.audit_  # certifying rows have chosen
    X, _, seen = moons
    for certify in ("learned", "holdout"):
        search = search_of(RidgeClassifier(), certify=certify).fit(X, seen)
        with pytest.raises(AttributeError, match="or a classifier with predict_proba"):
            _ = search.confidence_


def test_clusterings_alone_test_the_choice_and_plan(fitted, moons):
    """More labels are planned for as if a classifier stayed as it is."""
    X, _, seen = moons
    ward = search_of(THREE[:1], n_clusters=[2, 3, 4]).fit(X, seen)
    assert fitted.random_choice_test_ == ward.random_choice_test_
    now = np.sum(seen >= 0)
    assert fitted.labels_needed(0.3) == now
    alone = search_of(THREE[1:]).fit(X, seen)
    assert alone.labels_needed(0.001) is None or alone.labels_needed(0.001) > now


def test_certifying_rows_of_hold_out_finish_its_labels(moons):
    X, y, seen = moons
    search = search_of(THREE, n_clusters=[2, 3], certify="holdout").fit(X, seen)
    made = search.transduction_, search.confidence_, search.audit_
    finished = finish_labels(*made, y[search.audit_.rows], target=0.1)
    assert finished.share_automatic > 0.5
    assert search.certificate_.kind == "holdout"
    assert verified(search, seen)


@pytest.mark.parametrize("memory", [False, True])
def test_the_same_whether_fits_are_kept_or_repeated(fitted, moons, memory, tmp_path):
    """With a cache no fit is kept; classifiers are not cached, since labels change."""
    X, _, seen = moons
    kwargs = {"memory": str(tmp_path)} if memory else {"n_jobs": 2}
    search = search_of(THREE, n_clusters=[2, 3, 4], **kwargs).fit(X, seen)
    assert_array_equal(search.transduction_, fitted.transduction_)
    assert_array_equal(search.confidence_, fitted.confidence_)
    assert search.certificate_.max_test_errors == fitted.certificate_.max_test_errors
    for name in ("mean_test_bound", "mean_selection_error", "n_clusters_found"):
        assert_array_equal(search.cv_results_[name], fitted.cv_results_[name])


class Fickle(Spy):
    rng = np.random.default_rng(0)  # goes on from fit to fit

    def predict(self, X):
        return self.rng.choice(self.classes_, size=len(X))


def test_one_without_a_seed_is_counted_again(moons, tmp_path):
    X, _, seen = moons
    search = search_of(Fickle(), memory=str(tmp_path))
    with pytest.warns(UserWarning, match="different clustering"):
        search.fit(X, seen)
    assert verified(search, seen)


def test_several_splits_have_a_classifier_each(moons):
    X, y, _ = moons
    search = search_of(GaussianNB(), cv=3, scoring="adjusted_rand_score").fit(X, y)
    labelings, rates = search.split_transductions_, []
    parts = search.divisions_, search.splits_, labelings
    for (select, _), (_, test), labeling in zip(*parts, strict=True):
        assert_array_equal(GaussianNB().fit(X[select], y[select]).predict(X), labeling)
        rates.append(np.mean((labeling != y)[test]))
    assert_array_equal(search.transduction_, labelings[0])
    assert_allclose(search.cv_results_["mean_test_error"], np.mean(rates))
    # Scores are of predictions that are cross-validated.
    search = search_of(KNeighborsClassifier(1), scoring="adjusted_rand_score")
    assert 0.5 < search.fit(X, hide(y)).cv_results_["score"][0] < 1


@pytest.mark.parametrize("estimator", [GaussianNB(), RidgeClassifier()])
def test_sets_of_predicted_classes(estimator):
    """Where one class cannot be told from another, mostly the others are labeled."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2, 3], 150)
    X = rng.normal(size=(600, 2)) + 6 * np.eye(2)[np.minimum(classes, 2) % 2]
    X[classes >= 2] += 9
    seen = hide(classes)
    labeler = PACMDLSearchCV(estimator, target=0.1, random_state=0).fit(X, seen)
    kept = labeler.transduction_ >= 0
    assert np.mean(kept[classes < 2]) > 0.8
    assert np.mean(kept[classes >= 2]) < 0.2
    assert verified(labeler, seen)
    with pytest.raises(AttributeError, match="makes no clusters"):
        _ = labeler.clusters_
    with pytest.raises(AttributeError, match="decides whether the row is left out"):
        labeler.predict(X)


def test_of_a_class_the_surest_rows_are_labeled():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1600)
    X = rng.normal(size=(1600, 1)) + 3 * y[:, None]
    labeler = PACMDLSearchCV(GaussianNB(), target=0.05, random_state=0)
    labeler.fit(X, hide(y))
    distance, kept = np.abs(X[:, 0] - 1.5), labeler.transduction_ >= 0
    assert 0.3 < labeler.coverage_ < 0.9
    assert np.median(distance[kept]) > np.median(distance[~kept]) + 0.5
    assert set(labeler.transduction_) == {-1, 0, 1}


def test_marks_beside_the_curves(fitted):
    display = PACMDLDisplay.from_estimator(fitted)
    table, at = fitted.cv_results_, []
    estimates = dict(zip(table["algorithm"], table["mean_certifying_error"], strict=True))
    for name in ("knn", "spread"):
        ((x, y),) = display.lines_[name].get_xydata()
        at.append(x)
        assert y == estimates[name]
        assert [y, y] in [list(line.get_ydata()) for line in display.ax_.lines]
    assert 4 < at[0] < at[1] < display.ax_.get_xlim()[1]
    (star,) = [line for line in display.ax_.get_lines() if line.get_marker() == "*"]
    assert star.get_xdata()[0] == display.lines_[fitted.best_algorithm_].get_xdata()[0]
    assert max(display.ax_.get_xticks()) <= 4


def test_a_picture_of_classifiers_alone(moons):
    X, y, _ = moons
    search = search_of(THREE[1:]).fit(X, y)
    display = PACMDLDisplay.from_estimator(search)
    assert display.ax_.get_xlabel() == ""
    texts = "\n".join(text.get_text() for text in display.legend_.get_texts())
    assert "truly wrong, chosen: " in texts
    assert f"\nchosen: {search.best_algorithm_}\n" in texts


def test_the_page_of_a_search(fitted):
    page = fitted.report().html
    assert f"{fitted.best_algorithm_}, a classifier, was chosen" in page
    assert "masked" not in page
    assert "--" not in page.split("Alternatives considered")[1].split("</table>")[0]
