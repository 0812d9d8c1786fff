"""Which label for each cluster: weights of the labelings of one clustering."""

from fractions import Fraction


def uniform_label_weight(n_clusters: int, n_classes: int) -> Fraction:
    """Weight of any labeling of the clusters, all being as likely.

    Parameters
    ----------
    n_clusters : int
        Clusters found, c.
    n_classes : int
        Classes, l.

    Returns
    -------
    weight : Fraction
        ``l ** -c``, exactly; c log2(l) bits.
    """
    return Fraction(1, int(n_classes) ** int(n_clusters))
