"""Dom's parametric family of classes and clusters."""

import numpy as np

from ..utils._checks import shown
from ._samples import check_integer, check_non_negative


def dom_joint_distribution(n_useful, n_noise, useful_error, noise_share, n_classes=5):
    """Joint distribution of classes and clusters with given kinds of errors.

    Classes are equally probable. Useful clusters belong to classes: several to each, or
    several classes to each. Part of every class strays to the useful clusters of others,
    part of it to noise clusters, which belong to none.

    Parameters
    ----------
    n_useful : int
        Number of useful clusters, |K_u|, at least 1.
    n_noise : int
        Number of noise clusters, |K_n|, at least 0.
    useful_error : float
        Share of a class in useful clusters of other classes, epsilon_1, in [0, 1]. A
        class to which all useful clusters belong has none.
    noise_share : float
        Share of a class in noise clusters, epsilon_2, in [0, 1].
    n_classes : int, default=5
        Number of classes, |C|, at least 1.

    Returns
    -------
    probabilities : ndarray of shape (n_classes, n_useful + n_noise)
        p(c, k), useful clusters first.

    Raises
    ------
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a number is out of range, the shares are more than 1 together, or there is a
        share but no cluster for it.

    See Also
    --------
    sklearn_pacmdl.metrics.ContingencyTable.from_probabilities : A table for measures.

    References
    ----------
    .. [1] B. E. Dom, "An information-theoretic external cluster-validity measure", IBM
           Research Report RJ 10219, 2001, Section 6.1.

    Examples
    --------
    >>> from sklearn_pacmdl.datasets import dom_joint_distribution
    >>> dom_joint_distribution(2, 1, 0.2, 0.1, n_classes=2)
    array([[0.35, 0.1 , 0.05],
           [0.1 , 0.35, 0.05]])
    """
    for name, value, least in (
        ("n_useful", n_useful, 1),
        ("n_noise", n_noise, 0),
        ("n_classes", n_classes, 1),
    ):
        check_integer(name, value, least)
    check_non_negative("useful_error", useful_error)
    check_non_negative("noise_share", noise_share)
    if useful_error + noise_share > 1 or (noise_share > 0 and not n_noise):
        raise ValueError(
            "useful_error and noise_share must be at most 1 together, and noise_share 0 "
            f"where n_noise is; got {shown(useful_error)} and {noise_share!r}, n_noise="
            f"{n_noise!r}."
        )
    p = np.zeros((n_classes, n_useful + n_noise))
    for c, own in enumerate(_own_clusters(n_useful, n_classes)):
        others = np.setdiff1d(np.arange(n_useful), own)
        strayed = useful_error if others.size else 0.0
        p[c, own] = (1 - strayed - noise_share) / len(own)
        p[c, others] = strayed / max(others.size, 1)
        p[c, n_useful:] = noise_share / max(n_noise, 1)
    return p / n_classes


def _own_clusters(n_useful, n_classes):
    """Useful clusters of each class; classes share them where there are fewer."""
    if n_useful >= n_classes:
        return _contiguous_groups(n_useful, n_classes)
    groups = _contiguous_groups(n_classes, n_useful)
    return [[k] for k, classes in enumerate(groups) for _ in classes]


def _contiguous_groups(n_items, n_groups):
    """Groups of sizes as equal as can be, the larger ones first."""
    groups, start = [], 0
    for left in range(n_groups, 0, -1):
        end = start - (start - n_items) // left
        groups.append(list(range(start, end)))
        start = end
    return groups
