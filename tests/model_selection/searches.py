"""Searches that tests begin with."""

from sklearn import cluster as skc
from sklearn.base import BaseEstimator, ClusterMixin

from sklearn_pacmdl import PACMDLSearchCV

TWO = [("kmeans", skc.KMeans()), ("ward", skc.AgglomerativeClustering())]


def search_of(estimator, **kwargs):
    return PACMDLSearchCV(estimator, **{"random_state": 0} | kwargs)


class Counting(ClusterMixin, BaseEstimator):
    """KMeans that counts its fits to all rows in a file and refuses labels."""

    def __init__(self, path=None, n_clusters=2, random_state=None):
        self.path = path
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None):
        return self

    def fit_predict(self, X, y=None):
        assert y is None, "labels must not reach a clusterer"
        if len(X) > 100:  # else it is tried on a few rows
            with open(self.path, "a") as file:
                file.write("x")
        clusterer = skc.KMeans(self.n_clusters, random_state=self.random_state)
        return clusterer.fit_predict(X)


class Breaking(skc.KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        if self.n_clusters == 3:
            raise RuntimeError("three is too many")
        return super().fit_predict(X)
