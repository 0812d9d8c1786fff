"""Speed and memory from commit to commit, by airspeed velocity.

This compares a commit with the one before, side by side:

    pip install asv virtualenv  # or the extra bench
    asv machine --yes --config benchmarks/asv.conf.json
    asv continuous --config benchmarks/asv.conf.json --interleave-rounds HEAD~1 HEAD

Add ``--bench Sweeps`` for a part. The suite takes about a minute for each commit.
"""

import numpy as np
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.audits import certify_labels, draw_audit
from sklearn_pacmdl.bounds import decoupled_bound, labels_needed, pac_mdl_bound
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.cluster import KLKMeans, SphericalKMeans
from sklearn_pacmdl.metrics import ContingencyTable, dom_q2_score, pac_mdl_score


def labelings(n_samples, n_clusters, n_labelings):
    """Classes, of which a hundredth of the rows has a label, and noisy clusterings."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=n_samples)
    found = [
        np.where(rng.random(n_samples) < 0.1, rng.integers(k, size=n_samples), y % k)
        for k in range(n_clusters, n_clusters + n_labelings)
    ]
    return np.where(rng.random(n_samples) < 0.01, y, -1), found


class Bounds:
    def setup(self):
        rng = np.random.default_rng(0)
        self.sizes = rng.integers(20, 200, size=50)
        self.labeled = self.sizes // rng.integers(2, 9, size=50)
        self.errors = rng.binomial(self.labeled, 0.05)
        # The factors of clusters are remembered: others are needed in each call.
        self.deltas = iter(np.linspace(0.01, 0.2, 10**6))

    def time_pac_mdl(self):
        pac_mdl_bound(5000, 10**6, 400, description_length=100.0)

    def time_decoupled_closed(self):
        for delta in (0.05, 0.1, 0.2):
            decoupled_bound(
                self.sizes, self.labeled, self.errors, delta=delta, factor="closed"
            )

    def time_decoupled_table(self):
        counts = self.sizes, self.labeled, self.errors
        decoupled_bound(*counts, delta=float(next(self.deltas)))

    def time_labels_needed(self):
        labels_needed(10**5, target=0.1, expected_error=0.03, n_clusters=20)


class Measures:
    def setup(self):
        self.y, (self.labels,) = labelings(10**5, 20, 1)
        self.y = np.maximum(self.y, 0)
        self.table = ContingencyTable.from_labels(self.y, self.labels)

    def time_table(self):
        ContingencyTable.from_labels(self.y, self.labels)

    def time_dom_q2(self):
        dom_q2_score(contingency=self.table)

    def time_pac_mdl_score(self):
        pac_mdl_score(self.y[:2000], self.labels[:2000])


class Clusterers:
    def setup(self):
        rng = np.random.default_rng(0)
        self.dense = rng.normal(size=(10_000, 64)).astype(np.float32)
        self.counts = sparse.random_array(
            (10_000, 2_000), density=0.02, format="csr", random_state=rng
        )

    def time_spherical_dense(self):
        SphericalKMeans(20, max_iter=10, tol=0, random_state=0).fit(self.dense)

    def time_spherical_sparse(self):
        SphericalKMeans(20, max_iter=10, tol=0, random_state=0).fit(self.counts)

    def peakmem_spherical_sparse(self):
        SphericalKMeans(20, max_iter=10, tol=0, random_state=0).fit(self.counts)

    def time_kl_sparse(self):
        KLKMeans(10, max_iter=5, tol=0, random_state=0).fit(self.counts)


class Sweeps:
    def setup(self):
        self.X, y = make_blobs(20_000, 16, centers=8, cluster_std=5, random_state=0)
        labeled = np.random.default_rng(0).random(len(y)) < 0.05
        self.y = np.where(labeled, y, -1)

    def search(self, clusterer, n_clusters, n_rows):
        search = PACMDLSearchCV(clusterer, n_clusters=n_clusters, random_state=0)
        search.fit(self.X[:n_rows], self.y[:n_rows])

    def time_kmeans(self):
        self.search(KMeans(n_init=1, max_iter=20), [5, 10, 20, 40], 20_000)

    def peakmem_kmeans(self):
        self.search(KMeans(n_init=1, max_iter=20), [5, 10], 20_000)

    def time_ward(self):
        self.search(AgglomerativeClustering(), range(2, 31), 2_000)


class Tables:
    def setup(self):
        self.y, self.labelings = labelings(10**5, 5, 10)

    def time_labelings(self):
        certify_clusterings(self.labelings, self.y, random_state=0)

    def time_frame(self):
        import polars as pl

        label = pl.Series(self.y).replace(-1, None)
        columns = {f"labeling{i}": own for i, own in enumerate(self.labelings)}
        frame = pl.DataFrame(columns | {"label": label}).lazy()
        certify_clusterings(frame, y="label", certify="pac-mdl", random_state=0)

    def time_audit(self):
        audit = draw_audit(10**5, 500, random_state=0)
        certify_labels(self.labelings[0], audit, self.labelings[1][audit.rows])


class Verification:
    """A million rows, half of them with a label that was seen."""

    params = ([int, str],)

    def setup(self, dtype):
        rng = np.random.default_rng(0)
        truth = rng.integers(20, size=10**6)
        self.labels = np.where(rng.random(len(truth)) < 0.05, 0, truth).astype(dtype)
        self.y = truth.astype(dtype).astype(object)
        self.y[::2] = None
        wrong = int(np.sum(self.y[1::2] != self.labels[1::2]))
        counts = len(truth) // 2, len(truth) // 2, wrong
        self.certificate = BoundCertificate.from_counts(*counts, weights={})

    def time_verify(self, dtype):
        if not self.certificate.verify(self.y, self.labels):
            raise RuntimeError("the counts are other ones")
