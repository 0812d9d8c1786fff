"""Which label for each cluster: weights of the labelings of one clustering."""

from fractions import Fraction


def uniform_label_weight(n_clusters: int, n_classes: int) -> Fraction:
    """Weight ``n_classes ** -n_clusters`` of any labeling of the clusters."""
    return Fraction(1, int(n_classes) ** int(n_clusters))
