"""Numbers of clusters that are tried by default."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN, AgglomerativeClustering, Birch, KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.languages import Candidate, Prior
from sklearn_pacmdl.model_selection import _plan

TO_200 = [2, 3, 4, 5, 6, 7, 9, 12, 15, 18, 23, 28, 36, 44, 56, 69, 87, 108, 136, 169]


class Lines(KMeans):
    """Cuts the first feature into parts of equal size, at once."""

    def fit_predict(self, X, y=None):
        ranks = X[:, 0].argsort().argsort()
        self.labels_ = ranks * self.n_clusters // len(X)
        return self.labels_


def tried(estimator, n_rows=100, **parameters):
    rng = np.random.RandomState(0)
    X, classes = rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 3
    y = np.where(rng.permutation(n_rows) % 2, classes, -1)
    search = PACMDLSearchCV(estimator, **parameters, random_state=0).fit(X, y)
    return search.cv_results_["n_clusters"].tolist()


@pytest.mark.filterwarnings("ignore:.* hold no")
@pytest.mark.parametrize(
    ("n_rows", "numbers"),
    [(6, [2]), (15, [2, 3]), (100, TO_200[:11]), (799, TO_200), (2000, TO_200)],
)
def test_they_depend_on_the_number_of_rows(n_rows, numbers):
    assert tried(Lines(2), n_rows) == numbers


@pytest.mark.filterwarnings("ignore:.* hold no")
def test_the_number_of_the_clusterer_is_always_among_them():
    assert tried(Lines(8)) == sorted([*TO_200[:11], 8])
    assert tried(make_pipeline(StandardScaler(), Lines(50))) == [*TO_200[:11], 50]
    assert tried(Lines(8), n_rows=7) == [2]  # but for more than rows


def test_it_weighs_as_much_as_the_others():
    sweep = [Candidate("k-means", n) for n in sorted([*TO_200, 50])]
    each = [float(w["n_clusters"]) for w in Prior().candidate_weights(sweep)]
    assert each == sorted(each, reverse=True)
    assert sum(each) == pytest.approx(1)


def test_mixtures_stop_where_components_have_few_rows():
    assert tried(GaussianMixture(covariance_type="spherical")) == [*TO_200[:6], 9]


def test_who_has_no_number_is_left_alone():
    for estimator in (
        DBSCAN(),
        Birch(n_clusters=None, threshold=2.0),
        AgglomerativeClustering(n_clusters=None, distance_threshold=5.0),
    ):
        assert tried(estimator) == [None]


def test_classifiers_and_fixed_centers_are_left_alone():
    centers = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert tried(KMeans(3, init=centers, n_init=1)) == [3]
    both = [("lines", Lines(2)), ("logistic", LogisticRegression())]
    assert tried(both) == [*TO_200[:11], None]
    assert tried(both, n_clusters={"lines": None}) == [2, None]


@pytest.mark.parametrize("language", ["simple", "init"])
def test_languages_without_numbers_keep_the_clusterers(language):
    assert tried(Lines(4), certify="pac-mdl", language=language) == [4]


def test_large_data_get_every_other_number():
    shape, kind = (10**6, 20), {"format": "csr", "random_state": 0}
    stored = sparse.csr_array((np.ones(10), ([*range(10)], [0] * 10)), shape)
    texts = sparse.random_array((20_000, 1000), density=0.07, **kind)
    for X, numbers in (
        (np.broadcast_to(0.0, shape), TO_200[::2]),
        (stored, TO_200),
        (texts, TO_200[::2]),
    ):
        assert _plan.automatic_numbers(X, "n_clusters") == numbers


def test_other_texts_are_refused():
    with pytest.raises(ValueError, match="n_clusters must be 'auto', None, or hold"):
        tried(Lines(), n_clusters="many")


def test_the_largest_of_a_list_is_an_edge():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(200, 1))
    classes = X[:, 0].argsort().argsort() * 44 // 200 % 2
    y = np.where(rng.permutation(200) < 100, classes, -1)
    search = PACMDLSearchCV(Lines(2), random_state=0)
    for numbers in ("auto", [2, 3, 4, 5, 44]):
        with pytest.warns(UserWarning, match="n_clusters=44 is the largest number tried"):
            search.set_params(n_clusters=numbers).fit(X, y)
        assert search.best_params_["n_clusters"] == TO_200[13] == 44
