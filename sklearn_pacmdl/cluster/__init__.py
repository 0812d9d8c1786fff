"""Clusterers of documents, embeddings and distributions, and labels from elsewhere."""

from ._kmeans import KLKMeans, ObjectiveClusterer
from ._mixture import VonMisesFisherMixture
from ._objective import Clusters, Objective
from ._precomputed import PrecomputedLabels
from ._spherical import FrequencySensitiveKMeans, SphericalKMeans

__all__ = [
    "Clusters",
    "FrequencySensitiveKMeans",
    "KLKMeans",
    "Objective",
    "ObjectiveClusterer",
    "PrecomputedLabels",
    "SphericalKMeans",
    "VonMisesFisherMixture",
]
