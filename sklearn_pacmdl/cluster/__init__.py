"""Clusterers of documents, embeddings and distributions, and labels from elsewhere."""

from ._kl import KLKMeans
from ._precomputed import PrecomputedLabels
from ._spherical import FrequencySensitiveKMeans, SphericalKMeans
from ._von_mises_fisher import VonMisesFisherMixture

__all__ = [
    "FrequencySensitiveKMeans",
    "KLKMeans",
    "PrecomputedLabels",
    "SphericalKMeans",
    "VonMisesFisherMixture",
]
