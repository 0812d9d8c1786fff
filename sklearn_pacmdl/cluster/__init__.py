"""Clusterers of documents, embeddings and distributions."""

from ._kl import KLKMeans
from ._spherical import FrequencySensitiveKMeans, SphericalKMeans
from ._von_mises_fisher import VonMisesFisherMixture

__all__ = [
    "FrequencySensitiveKMeans",
    "KLKMeans",
    "SphericalKMeans",
    "VonMisesFisherMixture",
]
