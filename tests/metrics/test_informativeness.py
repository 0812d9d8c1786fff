import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_pacmdl.metrics import informativeness_score, informativeness_scores


def by_definition(X, labels, classifier, cv):
    """Eq. 5, from scikit-learn's own cross-validated predictions."""
    predicted = cross_val_predict(classifier, X, labels, cv=cv)
    clusters, sizes = np.unique(labels, return_counts=True)
    p = sizes / sizes.sum()
    right = [np.mean((labels == c) & (predicted == c)) for c in clusters]
    A, H, k = -np.sum(right * np.log2(p)), -np.sum(p * np.log2(p)), len(p)
    return (A - H / k) / ((k - 1) * H / k)


def test_best_of_the_default_classifiers_counts(iris):
    X, _ = iris
    how = {"cv": KFold(5, shuffle=True, random_state=1), "random_state": 0}
    tree = DecisionTreeClassifier(criterion="entropy")
    three, best = [KNeighborsClassifier(), tree, NearestCentroid()], set()
    for labels in clusterings_of(X):
        each = [informativeness_score(X, labels, classifiers=c, **how) for c in three]
        assert informativeness_score(X, labels, **how) == pytest.approx(max(each))
        best.add(np.argmax(each))
    assert len(best) > 1


def test_known_scores(iris):
    X, labels = make_blobs(120, centers=6, cluster_std=0.1, random_state=0)
    # Line 12 of the source's algorithm would give 1/6.
    assert informativeness_score(X, labels, random_state=0) == 1
    rng = np.random.RandomState(0)
    X, labels = rng.normal(size=(600, 2)), rng.randint(4, size=600)
    assert abs(informativeness_score(X, labels, random_state=0)) < 0.1
    X, y = iris
    assert informativeness_score(X, np.zeros(150), random_state=0) == 0
    score = informativeness_score(X, y, random_state=0)
    for same in (sp.csr_array(X), np.c_[X, np.zeros(150)]):
        found = informativeness_score(same, y, random_state=0)
        assert found == pytest.approx(score, abs=0.02)
    labels = rng.randint(5, size=150)
    score = informativeness_score(X, labels, random_state=0)
    for names in ([9, -1, 3, 0, 2], [*"xbzaq"]):
        assert informativeness_score(X, np.array(names)[labels], random_state=0) == score


def clusterings_of(X, numbers=(2, 5, 9)):
    for k in numbers:
        yield KMeans(k, n_init=1, random_state=0).fit_predict(X)
        yield AgglomerativeClustering(k).fit_predict(X)
        yield np.random.RandomState(k).randint(k, size=len(X))


CLASSIFIERS = {
    "neighbors": KNeighborsClassifier(),
    "even neighbors, many ties": KNeighborsClassifier(4),
    "neighbors in a tree": KNeighborsClassifier(7, algorithm="kd_tree", p=1),
    "weighted neighbors": KNeighborsClassifier(weights="distance"),
    "tree": DecisionTreeClassifier(criterion="entropy", random_state=0),
    "centroids": NearestCentroid(),
    "shrunken centroids": NearestCentroid(shrink_threshold=0.1),
    "bayes": GaussianNB(),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sharing_gives_the_predictions_of_cross_val_predict(name, dtype, iris):
    """For each classifier and clustering, on the same folds.

    Ties are broken by the numbers of clusters, which are those of first appearance.
    """
    X = iris[0].astype(dtype)
    cv = KFold(5, shuffle=True, random_state=1)
    classifier = CLASSIFIERS[name]
    for labels in clusterings_of(X):
        first = list(dict.fromkeys(labels.tolist()))
        codes = np.array([first.index(label) for label in labels])
        expected = by_definition(X, codes, classifier, cv)
        found = informativeness_score(X, codes, classifiers=classifier, cv=cv)
        assert found == pytest.approx(expected, abs=1e-12)


def test_many_clusterings_score_as_each_alone(iris):
    """Leaving a classifier early never changes a score; nor do other processes."""
    X, _ = iris
    clusterings, how = [*clusterings_of(X), np.zeros(150)], {"random_state": 0, "cv": 5}
    scores = informativeness_scores(X, clusterings, **how)
    again = informativeness_scores(X, clusterings, n_jobs=2, **how)
    np.testing.assert_array_equal(scores, again)
    for labels, value in zip(clusterings, scores, strict=True):
        assert informativeness_score(X, labels, **how) == value


def test_training_fold_of_one_cluster():
    X, labels = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    cv = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    one = KNeighborsClassifier(1)
    # Fold 1 predicts cluster 0 for rows 2 and 3; fold 2 the nearest, row 2, of cluster 0.
    p = np.array([0.75, 0.25])
    bits, entropy = -0.75 * np.log2(0.75), -p @ np.log2(p)
    score = informativeness_score(X, labels, classifiers=one, cv=cv)
    assert score == pytest.approx((bits - entropy / 2) / (entropy / 2))
    assert informativeness_score(X, labels, classifiers=LinearSVC(), cv=cv) < 1


class Insistent(ClassifierMixin, BaseEstimator):
    """Takes classes 0, 1, ... without gaps only, as gradient boosting libraries do."""

    def fit(self, X, y):
        if not np.array_equal(np.unique(y), np.arange(y.max() + 1)):
            raise ValueError(f"Invalid classes inferred from unique values: {set(y)}")
        self.nearest_ = KNeighborsClassifier(1).fit(X, y)
        return self

    def predict(self, X):
        return self.nearest_.predict(X).astype(np.float32)


def test_folds_that_lack_clusters():
    """Some cluster is held out whole; what is fitted gets classes without gaps."""
    X = np.random.RandomState(0).rand(30, 2)
    labels = np.r_[[7, 3, 9], np.arange(27) % 2]
    got, expected = (
        informativeness_score(X, labels, classifiers=one, cv=3, random_state=0)
        for one in (Insistent(), KNeighborsClassifier(1))
    )
    assert got == expected


def test_many_clusters_are_no_cause_for_warnings():
    """Classifiers wonder whether so many classes are a regression's numbers."""
    X = np.random.RandomState(0).rand(30, 2)
    assert informativeness_score(X, np.arange(30) % 20, cv=3, random_state=0) < 0.5
    two = [DecisionTreeClassifier(), GaussianNB()]
    score = informativeness_score(X, np.arange(30), cv=3, classifiers=two)
    assert score == pytest.approx(-1 / 29)


# --- The four axioms, with the nearest-neighbor classifier, leave one out -------------

R = 3


def score(D, labels):
    classifier = KNeighborsClassifier(R, metric="precomputed")
    return informativeness_score(D, labels, classifiers=classifier, cv=LeaveOneOut())


def distances(rng, n=24, k=3):
    """Points without tied distances and a clustering with unique majorities."""
    labels, majority = np.repeat(np.arange(k), n // k), np.zeros(1)
    while np.any(majority < 2):
        D = squareform(pdist(rng.normal(size=(n, 2)) + 0.8 * labels[:, None]))
        near = labels[np.argsort(D)[:, 1 : R + 1]]
        majority = np.max([np.sum(near == c, axis=1) for c in range(k)], axis=0)
    return D, labels


@pytest.mark.parametrize("seed", range(8))
def test_axioms(seed):
    rng = np.random.RandomState(seed)
    D, labels = distances(rng)
    value, same = score(D, labels), labels[:, None] == labels
    # Scale does not matter, nor do names of objects.
    assert score(D * rng.uniform(0.01, 100), labels) == value
    order = rng.permutation(len(D))
    permuted = D[np.ix_(order, order)]
    assert score(permuted, labels[order]) == pytest.approx(value)
    # Weak local consistency: nearer within clusters, farther between is never worse.
    factor = np.where(same, rng.uniform(0.5, 1, D.shape), rng.uniform(1, 2, D.shape))
    factor = np.triu(factor, 1)
    assert score(D * (factor + factor.T), labels) >= value
    # Co-final richness: the variant of Eq. 9 is scored no worse than any clustering.
    variant = np.where(same, D[D > 0].min() / 2, 2 * D.max())
    np.fill_diagonal(variant, 0)
    assert score(variant, labels) == 1 >= score(D, rng.permutation(labels))
