"""Clusterers of documents, embeddings and distributions."""

from ._kmeans import KLKMeans
from ._mixture import VonMisesFisherMixture
from ._spherical import FrequencySensitiveKMeans, SphericalKMeans
from ._von_mises_fisher import MAX_CONCENTRATION as MAX_CONCENTRATION
from ._von_mises_fisher import sample as sample

__all__ = [
    "FrequencySensitiveKMeans",
    "KLKMeans",
    "SphericalKMeans",
    "VonMisesFisherMixture",
]
