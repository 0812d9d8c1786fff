"""Certificates whose labeled rows select in part."""

from ._bound_certificate import BoundCertificate


class LearnedCertificate(BoundCertificate, kind="learned"):
    """Certificate by labeled rows of which others set the weights of labelings.

    See Also
    --------
    BoundCertificate : The attributes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.certificates import LearnedCertificate
    >>> LearnedCertificate.from_counts(
    ...     120, 900, 6, weights={"label": Fraction(9, 10)}, n_select=180
    ... ).claim
    'at most 81 of the 900 unlabeled rows (9.00%) are labeled wrongly'
    """

    selects = True
    also_random = "of their division"


class HoldoutCertificate(BoundCertificate, kind="holdout"):
    """Certificate by labeled rows of which others chose the labeling.

    See Also
    --------
    BoundCertificate : The attributes.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import HoldoutCertificate
    >>> HoldoutCertificate.from_counts(120, 900, 6, weights={}, n_select=180).claim
    'at most 79 of the 900 unlabeled rows (8.78%) are labeled wrongly'
    """

    selects = True
    also_random = "of their division"
