"""The clusterers: recovery, objectives that never fall, and what degenerate data do."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import entropy
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, normalize

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)
from sklearn_pacmdl.datasets import make_vmf_blobs

K = 4
CLUSTERERS = {
    "spherical": SphericalKMeans(K, random_state=0),
    "frequency sensitive": FrequencySensitiveKMeans(K, random_state=0),
    "kl": KLKMeans(K, random_state=0),
    "soft": VonMisesFisherMixture(K, random_state=0),
    "hard": VonMisesFisherMixture(K, assignment="hard", random_state=0),
}
HARD = sorted(set(CLUSTERERS) - {"soft"})
FORMATS = [np.asarray, sparse.csr_matrix, sparse.csr_array, sparse.csc_array]
QUIET = pytest.mark.filterwarnings("ignore:Number of distinct clusters")


@pytest.fixture(params=sorted(CLUSTERERS))
def clusterer(request):
    return clone(CLUSTERERS[request.param])


def documents(n=200, n_features=60, seed=0):
    """Counts of words in documents of four overlapping topics, and the topics."""
    rng = np.random.RandomState(seed)
    topics = rng.dirichlet(np.full(n_features, 0.2), size=K)
    y = rng.randint(K, size=n)
    lengths = rng.randint(5, 60, size=n)
    counts = [
        rng.multinomial(m, topics[topic]) for m, topic in zip(lengths, y, strict=True)
    ]
    return np.array(counts, dtype=float), y


def objective(fitted):
    for name in ("log_likelihood_", "lower_bound_"):
        if hasattr(fitted, name):
            return getattr(fitted, name)
    return -fitted.inertia_


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_finds_topics(clusterer, init):
    X, y = documents(400)
    found = clusterer.set_params(n_init=np.int8(10), init=init).fit(X)
    assert adjusted_rand_score(y, found.labels_) > 0.8
    assert found.labels_.dtype == np.int32
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    np.testing.assert_array_equal(clone(found).fit_predict(X), found.labels_)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_formats_agree(clusterer, make, dtype):
    X, _ = documents()
    dense = clone(clusterer).fit(X)
    found = clusterer.fit(make(X.astype(dtype)))
    assert adjusted_rand_score(dense.labels_, found.labels_) == 1
    assert found.cluster_centers_.dtype == dtype
    assert found.transform(make(X.astype(dtype))).dtype == dtype
    np.testing.assert_allclose(objective(found), objective(dense), rtol=1e-4)


def test_sparse_rows_that_move_are_counted_some_at_a_time():
    X = dense_rows(4000, 250)  # of a million entries, which are copied in parts
    X[:, :2] += 3 * np.random.RandomState(0).randint(4, size=(4000, 2))
    clusterer = SphericalKMeans(K, init=X[:K])
    found = clone(clusterer).fit(sparse.csr_array(X))
    np.testing.assert_allclose(objective(found), objective(clusterer.fit(X)), rtol=1e-9)
    np.testing.assert_array_equal(found.labels_, clusterer.labels_)


def test_scale_of_rows_does_not_matter(clusterer):
    X, _ = documents()
    scaled = X * np.exp2(np.arange(len(X)) % 7)[:, None]
    labels = clone(clusterer).fit_predict(X)
    np.testing.assert_array_equal(clusterer.fit_predict(scaled), labels)


@pytest.mark.parametrize("name", HARD)
def test_centers_are_those_of_the_labels(name):
    X, _ = documents()
    found = clone(CLUSTERERS[name]).set_params(tol=0).fit(X)
    unit = X / X.sum(axis=1, keepdims=True) if name == "kl" else normalize(X)
    sums = np.stack([unit[found.labels_ == j].sum(axis=0) for j in range(K)])
    if name == "kl":
        sizes = np.bincount(found.labels_)[:, None]
        centers = (sums + 1 / X.shape[1]) / (sizes + 1)
    else:
        centers = normalize(sums)
    np.testing.assert_allclose(found.cluster_centers_, centers, rtol=1e-9)


def test_inertia_by_hand():
    X, _ = documents()
    found = SphericalKMeans(K, random_state=0).fit(X)
    near = found.cluster_centers_[found.labels_]
    cosines = np.sum(normalize(X) * near, axis=1)
    assert found.inertia_ == pytest.approx(np.sum(1 - cosines))
    assert found.score(X) == -found.inertia_
    distances = found.transform(X)
    np.testing.assert_allclose(
        distances[:, 2], 1 - normalize(X) @ found.cluster_centers_[2]
    )
    found = KLKMeans(K, random_state=0).fit(X)
    near = found.cluster_centers_[found.labels_]
    divergences = entropy(X, near, base=2, axis=1)
    assert found.inertia_ == pytest.approx(divergences.sum())
    assert found.score(X) == -found.inertia_
    np.testing.assert_allclose(found.transform(X).min(axis=1), divergences)


def test_kl_loses_mutual_information():
    """Weighted by their sums and hardly smoothed: Eq. 4 of Dhillon, Mallela and Kumar."""
    X, _ = documents()
    X = X + 0.01  # no empty cells, so that next to no smoothing will do
    weights = X.sum(axis=1)
    found = KLKMeans(K, smoothing=1e-9, random_state=0).fit(X, sample_weight=weights)

    def mutual_information(joint):
        joint = joint / joint.sum()
        return entropy(
            joint.ravel(), np.outer(joint.sum(axis=1), joint.sum(axis=0)).ravel(), base=2
        )

    merged = np.stack([X[found.labels_ == j].sum(axis=0) for j in range(K)])
    lost = mutual_information(X) - mutual_information(merged)
    assert found.inertia_ / X.sum() == pytest.approx(lost, rel=1e-6)


def test_frequency_sensitive_balances():
    X, _ = make_vmf_blobs([600, 300, 100], 50, concentration=30, random_state=0)
    plain = np.bincount(SphericalKMeans(3, random_state=0).fit_predict(X))
    found = FrequencySensitiveKMeans(3, random_state=0).fit(X)
    balanced = np.bincount(found.labels_)
    assert balanced.max() < 1.25 * balanced.mean() < 1.7 * balanced.mean() < plain.max()
    np.testing.assert_allclose(
        found.concentrations_ * balanced, 0.636 * 50 * 1000 / 3, rtol=1e-3
    )
    # The default balances more than concentrations on either side.
    for factor in (0.1, 10):
        other = FrequencySensitiveKMeans(
            3, concentration=factor * 0.636 * 50, random_state=0
        )
        assert np.bincount(other.fit_predict(X)).max() > balanced.max()


@QUIET
@pytest.mark.filterwarnings("ignore:The best start did not converge")
@settings(max_examples=15)
@given(seed=st.integers(0, 1000), k=st.integers(1, 12))
@pytest.mark.parametrize("name", sorted(CLUSTERERS))
def test_objective_never_falls(name, seed, k):
    X, _ = documents(80, 20, seed)
    clusterer = clone(CLUSTERERS[name])
    clusterer.set_params(**{clusterer._size_name: k}, random_state=seed, tol=0)
    runs = []
    climb = clusterer._climb
    clusterer._climb = lambda *args: runs.append(climb(*args)) or runs[-1]
    clusterer.fit(X)
    for run in runs:  # of spherical k-means too, where it comes first
        assert np.diff(run.values).min(initial=0) >= -1e-12


def test_more_starts_are_no_worse(clusterer):
    X, _ = documents()
    one = objective(clone(clusterer).fit(X))
    assert objective(clusterer.set_params(n_init=8).fit(X)) >= one - 1e-12


def test_spherical_objective_is_that_of_k_means_or_better():
    """Ten starts each, on unit rows; k-means judged by its labels."""
    X = normalize(documents(400)[0])
    ours = SphericalKMeans(8, n_init=10, random_state=0).fit(X)
    labels = KMeans(8, n_init=10, random_state=0).fit_predict(X)
    lengths = [np.linalg.norm(X[labels == j].sum(axis=0)) for j in range(8)]
    assert ours.inertia_ <= len(X) - np.sum(lengths) + 1e-9


@pytest.mark.parametrize("name", ["hard", "spherical"])
def test_starts_end_where_nothing_gains(name):
    """Small gains open the way for larger ones, and moves at once can nearly cancel."""
    X, _ = make_vmf_blobs(300, 50, centers=8, concentration=15, random_state=0)
    lost = []
    for seed in range(20):
        clusterer = clone(CLUSTERERS[name]).set_params(random_state=seed)
        clusterer.set_params(**{clusterer._size_name: 8})
        end = objective(clone(clusterer).set_params(tol=0).fit(X))
        lost.append((end - objective(clusterer.fit(X))) / abs(end))
    assert np.count_nonzero(np.array(lost) > 1e-5) <= 1


@pytest.mark.filterwarnings("ignore:The best start did not converge")
def test_moves_that_cancel_are_not_the_end():
    """By the gains of single rows, from the definition: lengths of sums.

    They are those of the labels that the last iteration found.
    """
    X, _ = make_vmf_blobs(500, 50, centers=8, concentration=15, random_state=0)
    for seed in range(20):
        clusterer = SphericalKMeans(8, tol=1e-4, n_init=1, random_state=seed).fit(X)
        clusterer.set_params(max_iter=clusterer.n_iter_ - 1).fit(X)
        assert gains_of_single_rows(X, clusterer.labels_).mean() <= 1e-4 + 1e-12


def gains_of_single_rows(X, labels):
    """What the sum of cosines gains if a row, alone, goes where it gains most."""
    sums = np.stack([X[labels == j].sum(axis=0) for j in range(labels.max() + 1)])
    lengths = np.linalg.norm(sums, axis=1)
    joined = np.linalg.norm(sums + X[:, None], axis=2) - lengths
    each = np.arange(len(X))
    left = lengths[labels] - np.linalg.norm(sums[labels] - X, axis=1)
    joined[each, labels] = left
    return joined.max(axis=1) - left


@pytest.mark.parametrize("assignment", ["soft", "hard"])
@pytest.mark.parametrize(("n_features", "kappa"), [(3, 40), (50, 80), (1000, 400)])
def test_recovers_a_mixture(n_features, kappa, assignment):
    kappas = np.array([kappa, 1.5 * kappa, 2 * kappa])
    directions = np.eye(n_features)[:3]
    X, y = make_vmf_blobs(
        [3000, 1800, 1200], centers=directions, concentration=kappas, random_state=1
    )
    found = VonMisesFisherMixture(3, assignment=assignment, random_state=0).fit(X)
    order = (found.cluster_centers_ @ directions.T).argmax(axis=0)
    assert sorted(order) == [0, 1, 2]
    assert adjusted_rand_score(y, found.labels_) > 0.97
    np.testing.assert_allclose(found.weights_[order], [0.5, 0.3, 0.2], atol=0.01)
    np.testing.assert_allclose(found.concentrations_[order], kappas, rtol=0.05)
    cosines = np.sum(found.cluster_centers_[order] * directions, axis=1)
    # Standard error of a mean direction: (d - 1) / (n kappa A), twice that allowed.
    assert np.all(1 - cosines < 3 * n_features / (1000 * kappa * 0.3))


def test_mixture_as_a_density():
    X, _ = make_vmf_blobs(500, 5, centers=3, concentration=20, random_state=0)
    mixture = VonMisesFisherMixture(3, random_state=0).fit(X)
    proba = mixture.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), mixture.labels_)
    assert mixture.score(X) == pytest.approx(mixture.score_samples(X).mean())
    n_parameters = 3 * 4 + 3 + 2
    deviance = -2 * mixture.score_samples(X).sum()
    assert mixture.bic(X) == pytest.approx(deviance + np.log(500) * n_parameters)
    assert np.all(np.diff(mixture.lower_bounds_) >= 0)
    assert mixture.lower_bounds_[-1] == mixture.lower_bound_
    others = [clone(mixture).set_params(n_components=k) for k in (2, 4)]
    assert all(mixture.bic(X) < other.fit(X).bic(X) for other in others)
    # On the whole sphere the density has mass 1: mean over uniform rows times the area.
    uniform, _ = make_vmf_blobs(200_000, 5, centers=1, concentration=0, random_state=1)
    area = 8 * np.pi**2 / 3
    assert np.exp(mixture.score_samples(uniform)).mean() * area == pytest.approx(
        1, abs=0.05
    )


@pytest.mark.parametrize(("n_features", "kappa"), [(3, 1e3), (3, 1e4), (50, 1e3)])
def test_concentrated_components(n_features, kappa):
    """The prior of concentrations does not hold them down."""
    X, _ = make_vmf_blobs(
        1000, n_features, centers=5, concentration=kappa, random_state=0
    )
    mixture = VonMisesFisherMixture(5, n_init=5, random_state=0).fit(X)
    np.testing.assert_allclose(mixture.concentrations_, kappa, rtol=0.25)
    likely = clone(mixture).set_params(pseudo_count=0).fit(X)
    assert mixture.score(X) == pytest.approx(likely.score(X), abs=0.01)


def test_what_is_kept_belongs_together():
    X, _ = make_vmf_blobs(500, 10, centers=4, concentration=5, random_state=0)
    for max_iter in (1, 5):
        mixture = VonMisesFisherMixture(4, max_iter=max_iter, tol=0, random_state=0)
        with pytest.warns(ConvergenceWarning, match="did not converge in max_iter="):
            mixture.fit(X)
        assert not mixture.converged_
        np.testing.assert_array_equal(mixture.labels_, mixture.predict(X))
    mixture = VonMisesFisherMixture(4, pseudo_count=0, tol=1e-9, random_state=0).fit(X)
    assert mixture.score(X) == pytest.approx(mixture.lower_bound_, abs=1e-12)
    with_zeros = np.r_[X, np.zeros((50, 10))]
    for criterion in (mixture.score, mixture.bic):
        assert criterion(with_zeros) == pytest.approx(criterion(X))


# Expenses of 40 single persons for housing, food and service: `household` in the R
# package HSAUR3, from Hand et al., A Handbook of Small Data Sets, 1994.
EXPENSES = """
820 114 154  184  74  20  921  66 455  488   80 115  721  83  104  614 55  193  801   56
214 396 59   80  864  65 352  845  64  414  404  97   47 781  47  452 457 103  108 1029
71  189 1047 90  298 552  91  158 718  104  304 495  114  74 382   77 147 1090  59 177
497 591 291  839 942 365 798 1308 584  892  842 395 1585 781 1740 755 764 438  388  655
233 617 879  719 248 438  65 1641 440 2063 1180 1243 813 619  684 204 253 422   48 661
739 188 1981 869 1032 1746 746 1594 1865 915 1767 238 522  75 1199 1095 344 1524 964 1410
"""


@pytest.mark.parametrize(("init", "bic"), [("random", -200.34), ("k-means++", -193.29)])
def test_random_starts_find_what_spherical_k_means_leads_away_from(init, bic):
    """The best value is that of Hornik and Gruen, movMF, J. Stat. Software 58(10), 2014,
    whose density is by unit of the sphere's whole area."""
    X = np.array(EXPENSES.split(), dtype=float).reshape(40, 3)
    mixture = VonMisesFisherMixture(
        2, pseudo_count=0, init=init, n_init=10, tol=1e-9, random_state=0
    )
    found = mixture.fit(X).bic(X) - 2 * len(X) * np.log(4 * np.pi)
    assert found == pytest.approx(bic, abs=0.005)


def test_given_centers(clusterer):
    X, _ = documents()
    clusterer.set_params(init=X[[3, 10, 20, 30]])
    once = clone(clusterer).fit(X)
    with pytest.warns(RuntimeWarning, match="performing only one init"):
        again = clusterer.set_params(n_init=3, random_state=1).fit(X)
    np.testing.assert_array_equal(once.cluster_centers_, again.cluster_centers_)


def test_weights_are_repeated_rows(clusterer):
    X, _ = documents(60)
    weights = np.arange(60) % 4
    clusterer.set_params(init=X[[1, 2, 3, 5]], tol=0, max_iter=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weighted = clone(clusterer).fit(X, sample_weight=weights)
        repeated = clusterer.fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(
        weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-5, atol=1e-9
    )
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    np.testing.assert_allclose(objective(weighted), objective(repeated))


@pytest.mark.filterwarnings("ignore:The best start did not converge")
@pytest.mark.parametrize("max_iter", [1, 2, 300])
@pytest.mark.parametrize("name", sorted(set(CLUSTERERS) - {"frequency sensitive"}))
def test_predict_on_rows_of_fit_gives_their_labels(name, max_iter):
    X = documents(300)[0]
    X[::50] = 0
    weight = np.arange(300) % 3
    found = clone(CLUSTERERS[name]).set_params(max_iter=max_iter)
    found.fit(X, sample_weight=weight)
    np.testing.assert_array_equal(found.predict(X), found.labels_)


def test_balanced_clusters_predict_otherwise():
    """As its `predict` says: equal rows may be in two clusters, but are predicted one."""
    X = np.repeat([[1.0, 2, 0], [0, 1, 3]], 6, axis=0)
    found = FrequencySensitiveKMeans(K, random_state=0).fit(X)
    assert np.unique(found.labels_).size == K
    assert not set(found.labels_[:6]) & set(found.labels_[6:])
    assert np.all(np.isfinite(found.cluster_centers_))
    assert np.unique(found.predict(X)).size == 2


@pytest.mark.parametrize("make", FORMATS)
def test_rows_of_zeros(clusterer, make):
    X, _ = documents()
    with_zeros = np.vstack([X[:50], np.zeros((5, X.shape[1])), X[50:]])
    kept = np.r_[0:50, 55 : len(with_zeros)]
    clusterer.set_params(init=X[[1, 2, 3, 5]])
    plain = clone(clusterer).fit(X)
    found = clusterer.fit(make(with_zeros))
    np.testing.assert_array_equal(found.labels_[kept], plain.labels_)
    np.testing.assert_allclose(objective(found), objective(plain))
    assert len(set(found.labels_[50:55])) == 1
    for output in (found.cluster_centers_, found.transform(make(with_zeros))):
        assert np.all(np.isfinite(output))


def test_entries_of_sparse_rows_as_they_come(clusterer):
    """Entries in parts, and zeros that are stored."""
    X = sparse.csr_array(documents()[0])
    plain = clone(clusterer).fit(X)
    halves = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2
    in_parts = sparse.csr_array(halves, shape=X.shape)
    with_zeros = X.copy()
    with_zeros.indptr = X.indptr + np.arange(X.shape[0] + 1)
    absent = [np.setdiff1d(np.arange(X.shape[1]), X[[i]].indices)[0] for i in range(200)]
    with_zeros.indices = np.insert(X.indices, X.indptr[1:], absent)
    with_zeros.data = np.insert(X.data, X.indptr[1:], 0.0)
    for same in (in_parts, with_zeros):
        before = same.copy()
        same.data.flags.writeable = False  # the data are left alone
        found = clone(clusterer).fit(same)
        found.transform(same)
        np.testing.assert_array_equal(same.indices, before.indices)
        np.testing.assert_array_equal(found.labels_, plain.labels_)
        np.testing.assert_allclose(objective(found), objective(plain))


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e300])
def test_rows_of_any_size(clusterer, scale):
    X, _ = documents()
    found = clone(clusterer).fit(X * scale)
    np.testing.assert_array_equal(found.labels_, clusterer.fit(X).labels_)
    sparse_labels = clone(clusterer).fit_predict(sparse.csr_array(X * scale))
    np.testing.assert_array_equal(sparse_labels, found.labels_)


def sparse_rows(n_rows, n_features):
    """One entry in each hundred features."""
    rng, n_entries = np.random.RandomState(0), n_features // 100
    columns = 100 * np.arange(n_entries) + rng.randint(100, size=(n_rows, n_entries))
    ends = n_entries * np.arange(n_rows + 1)
    parts = rng.uniform(size=columns.size), columns.ravel(), ends
    return sparse.csr_array(parts, shape=(n_rows, n_features))


def dense_rows(*shape):
    return np.random.RandomState(0).uniform(size=shape)


@pytest.mark.parametrize(
    ("shape", "make"),
    [((20_000, 5000), sparse_rows), ((20_000, 1000), dense_rows)],
    ids=["sparse", "dense"],
)
def test_memory(clusterer, shape, make):
    """A few arrays of (n_samples, k) and (n_features, k), and ten of a batch of 2^20
    entries: less than a copy of dense X, or than sparse X made dense."""
    X, k = make(*shape), 20
    clusterer.set_params(**{clusterer._size_name: k}, max_iter=2)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusterer.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    moved = X.data.nbytes * (1.5 if sparse.issparse(X) else 1) / 3  # rows, at a time
    allowed = moved + 5 * 8 * k * sum(shape) + 10 * 8 * 2**20
    assert peak < allowed < 8 * shape[0] * shape[1]


@pytest.mark.parametrize("name", ["frequency sensitive", "hard", "soft"])
def test_one_feature_has_no_directions(name):
    clusterer = clone(CLUSTERERS[name])
    with pytest.raises(ValueError, match="a minimum of 2 is required"):
        clusterer.fit(np.ones((20, 1)))
    clusterer.fit(documents()[0])
    with pytest.raises(ValueError, match="X has 1 features, but .* is expecting 60"):
        clusterer.predict(np.ones((20, 1)))


@pytest.mark.parametrize("name", sorted(set(HARD) - {"frequency sensitive"}))
def test_duplicates(name):
    X = np.repeat([[1.0, 2, 0], [0, 1, 3]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller"):
        found = clone(CLUSTERERS[name]).fit(X)
    assert np.all(np.isfinite(found.cluster_centers_))
    assert len(set(found.labels_[:5])) == len(set(found.labels_[5:])) == 1


def test_smoothing_that_empties_clusters_is_named():
    X = np.random.RandomState(0).dirichlet(np.ones(4), 12)
    with pytest.warns(ConvergenceWarning, match="or to smoothing that outweighs small"):
        KLKMeans(n_clusters=12, random_state=0).fit(X)


def test_as_many_clusters_as_rows(clusterer):
    X = np.eye(4) + 0.1
    found = clusterer.fit(X)
    assert sorted(found.labels_) == [0, 1, 2, 3]
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    if hasattr(found, "weights_"):
        np.testing.assert_allclose(found.weights_, 0.25)
        np.testing.assert_allclose(
            found.cluster_centers_[found.labels_], normalize(X), atol=1e-12
        )
        assert np.all((found.concentrations_ > 1e3) & np.isfinite(found.concentrations_))


def test_rows_that_cancel_and_rows_that_are_centers():
    """A cluster whose rows cancel has no direction, and no NaN."""
    X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    found = SphericalKMeans(1, random_state=0).fit(X)
    np.testing.assert_array_equal(found.cluster_centers_, [[0, 0]])
    assert found.inertia_ == 4
    assert SphericalKMeans(1).fit(X[:1]).transform(X[:2]).tolist() == [[0], [2]]
    X = np.repeat(documents(20)[0], 3, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = SphericalKMeans(20, random_state=0).fit(X)
    assert found.transform(X).min() >= 0
    assert found.inertia_ >= 0 >= found.score(X)


def test_sweeps_and_pipelines(clusterer):
    X, y = documents()
    seen = np.where(np.random.RandomState(0).uniform(size=200) < 0.5, y, -1)
    search = PACMDLSearchCV(clusterer, n_clusters=[2, 4, 6], n_init=2, random_state=0)
    search.fit(sparse.csr_array(X), seen)
    assert search.best_params_[clusterer._size_name] in (4, 6)
    chain = make_pipeline(
        MaxAbsScaler(), ClusterLabelClassifier(clusterer, random_state=0)
    )
    assert chain.fit(X, seen).score(X, y) > 0.6
    names = clone(clusterer).fit(X).get_feature_names_out()
    assert len(names) == K
