"""Clusterers of documents, embeddings and distributions, and labels from elsewhere."""

from ._kl import KLKMeans
from ._objective import Clusters, Objective
from ._objective_clusterer import ObjectiveClusterer
from ._precomputed import PrecomputedLabels
from ._spherical import FrequencySensitiveKMeans, SphericalKMeans
from ._von_mises_fisher import VonMisesFisherMixture

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
