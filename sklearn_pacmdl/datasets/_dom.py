"""Dom's parametric family of classes and clusters."""

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import InvalidParameterError, check_count, check_number


def dom_joint_distribution(
    n_useful: int,
    n_noise: int,
    useful_error: float,
    noise_share: float,
    n_classes: int = 5,
) -> NDArray[np.float64]:
    """Joint distribution of classes and clusters with two kinds of errors.

    Classes are equally probable. Each class has one or more useful clusters of its own,
    or several classes share one. A part of every class strays to the useful clusters of
    other classes, and another part to noise clusters, which belong to no class.

    Parameters
    ----------
    n_useful : int
        Number of useful clusters, ``|K_u|``, at least 1.
    n_noise : int
        Number of noise clusters, ``|K_n|``, at least 0.
    useful_error : float
        Share of a class in useful clusters of other classes, epsilon_1, in [0, 1]. It is
        taken to be 0 for a class to which all useful clusters belong.
    noise_share : float
        Share of a class in noise clusters, epsilon_2, in [0, 1].
    n_classes : int, default=5
        Number of classes, ``|C|``, at least 1.

    Returns
    -------
    probabilities : ndarray of shape (n_classes, n_useful + n_noise)
        Joint probabilities p(c, k), useful clusters first; they sum to 1.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, if the shares sum to more than 1, or if
        ``noise_share`` is positive without a noise cluster.

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
    check_count("n_useful", n_useful, 1)
    check_count("n_noise", n_noise, 0)
    check_count("n_classes", n_classes, 1)
    check_number("useful_error", useful_error, least=0)
    check_number("noise_share", noise_share, least=0)
    if useful_error + noise_share > 1 or (noise_share > 0 and not n_noise):
        raise InvalidParameterError(
            "useful_error and noise_share must sum to at most 1, and noise_share must be "
            f"0 if n_noise is 0, got useful_error={useful_error}, "
            f"noise_share={noise_share}, n_noise={n_noise}."
        )
    p = np.zeros((n_classes, n_useful + n_noise))
    for c, useful in enumerate(_useful_clusters(n_useful, n_classes)):
        others = np.setdiff1d(np.arange(n_useful), useful)
        strayed = useful_error if others.size else 0.0
        p[c, useful] = (1 - strayed - noise_share) / len(useful)
        p[c, others] = strayed / max(others.size, 1)
        p[c, n_useful:] = noise_share / max(n_noise, 1)
    return p / n_classes


def _useful_clusters(n_useful, n_classes):
    """Useful clusters of each class; classes share them where there are fewer."""
    # In groups whose sizes differ by at most 1, the larger ones first.
    if n_useful >= n_classes:
        return np.array_split(np.arange(n_useful), n_classes)
    groups = np.array_split(np.arange(n_classes), n_useful)
    return [[k] for k, classes in enumerate(groups) for _ in classes]
