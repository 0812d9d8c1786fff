"""Clusterers of documents, embeddings and distributions, and labels from elsewhere."""

from ._base import ObjectiveClusterer
from ._kl import KLKMeans
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
