"""Whether a language obeys Kraft's inequality: by proof, or on small cases only."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ._index import IndexPrior
from ._mixture import BalancedLabels, Mixture
from ._selection import (
    AutoLanguage,
    Candidate,
    PaperLanguage,
    Prior,
    check_kraft,
    get_language,
    label_languages,
)

# Equal sizes, different ones in either order, ties beside others, single rows.
_SIZES = (
    (3,),
    (2, 2),
    (5, 1),
    (1, 5),
    (4, 4, 4),
    (1, 2, 6),
    (6, 2, 1),
    (3, 3, 1),
    (7, 3, 1, 1),
)
_CLASSES = (2, 3)
# Of a single candidate, over one thing each, and over all at once, with an algorithm
# that has no n_clusters.
_SWEEPS = (
    [Candidate("a", 3)],
    [Candidate("a", c) for c in (2, 3, 5)],
    [Candidate("a", 3, init) for init in range(4)],
    [Candidate("a", 3, 0, point, {"p": point}) for point in range(3)],
    [Candidate("a", 3), Candidate("b", 3), Candidate("c", 4)],
    [Candidate("a", c, init) for c in (2, 3) for init in range(2)]
    + [Candidate("b", None, 0, point, {"p": point}) for point in range(3)],
)
# The languages of this package, whose label weights are known to sum to at most 1, and
# the languages that each of them is made of.
_PARTS_OF = {
    PaperLanguage: lambda language: (),
    AutoLanguage: lambda language: (),
    Prior: lambda language: (),
    BalancedLabels: lambda language: (language.base,),
    IndexPrior: lambda language: (language.base,),
    Mixture: lambda language: language.languages,
}


def is_checked(language):
    """Whether a language is one of this package, and so are all that it is made of.

    Their label weights obey Kraft's inequality by construction, and a search checks the
    weights of its candidates whatever the language. A subclass is none of them: it may
    weigh otherwise.

    Parameters
    ----------
    language : str or Language
        A name, or an object with the methods of :class:`Language`.

    Returns
    -------
    checked : bool
        False for a language of the user's own making; see :func:`check_language`.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Mixture, Prior, auto, is_checked
    >>> is_checked("algo"), is_checked(Mixture([auto, Prior(n_clusters="uniform")]))
    (True, True)
    >>> class Mine(type(auto)):
    ...     pass
    >>> is_checked(Mixture(["auto", Mine()]))
    False
    """
    language = get_language(language)
    parts_of = _PARTS_OF.get(type(language))
    return parts_of is not None and all(map(is_checked, parts_of(language)))


def check_language(language, sweeps=None):
    """Refuse a language that breaks Kraft's inequality on small cases.

    The weights of all labelings of a few clusterings, and those of all candidates of a
    few sweeps, are added up exactly. Every weight is asked for twice, in two orders, and
    must be the same.

    Parameters
    ----------
    language : str or Language
        A name, or an object with the methods of :class:`Language`.
    sweeps : sequence of sequence of Candidate, default=None
        Sweeps to weigh; by default six small ones: of a single candidate, over numbers
        of clusters, starts, grid points, algorithms, and all of these. One that the
        language refuses by an error is passed over.

    Raises
    ------
    ValueError, TypeError
        If weights sum to more than 1, one is no Fraction in (0, 1] or not the same
        again, the language refuses all sweeps, or is none.

    See Also
    --------
    check_kraft : Sum of the weights of the candidates of a sweep.
    is_checked : Whether the language needs no such check.

    Notes
    -----
    It is a test and no proof: it has up to four clusters and three classes, and cannot
    tell that a language knows the labels of the data from elsewhere. A language that
    passes may still break the inequality for more clusters.

    Examples
    --------
    Every labeling has weight 1/2, however many there are:

    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import AutoLanguage, check_language
    >>> class AlwaysHalf(AutoLanguage):
    ...     def label_weight(self, cluster_sizes, cluster_classes, n_classes):
    ...         return Fraction(1, 2)
    >>> check_language(AlwaysHalf())
    Traceback (most recent call last):
        ...
    ValueError: The weights of the 3 labelings of clusters of sizes [3] with 3 classes \
sum to 1.5; by Kraft's inequality they must sum to at most 1.
    >>> check_language("auto")
    """
    language = get_language(language)
    accepted = _weigh(language, _SWEEPS if sweeps is None else list(sweeps))
    # What weighs labels, each object once: mostly it is the language itself.
    weighing: dict[int, Any] = {}
    for candidates, weights in accepted:
        check_kraft(weights)
        _check_reweighing(language, weights)
        first, *_, last = 2 * label_languages(language, candidates)
        weighing |= {id(first): first, id(last): last}
    for inner in weighing.values():
        _check_labels(inner)
    for candidates, weights in reversed(accepted):
        if language.candidate_weights(candidates) != weights:
            raise ValueError(
                f"candidate_weights of {language!r} must depend on the candidates alone; "
                f"it weighed {candidates!r} differently when asked again."
            )


def _weigh(language, sweeps):
    """Sweeps that the language takes, with the weights of their candidates."""
    accepted, refusal = [], None
    for candidates in sweeps:
        try:
            accepted.append((candidates, language.candidate_weights(candidates)))
        except Exception as error:
            refusal = error
    if not accepted:
        raise ValueError(
            f"sweeps must have one that {language!r} pays for, got {len(sweeps)} that it "
            f"refuses, the last with: {refusal}"
        ) from refusal
    return accepted


def _check_reweighing(language, weights):
    """Weights that follow an index, for indices that are equal, unequal, and missing."""
    if not hasattr(language, "reweigh"):
        return
    rising = np.linspace(0, 1, len(weights))
    for values in (
        np.zeros_like(rising),
        rising,
        100 * rising[::-1],
        np.full_like(rising, np.nan),
    ):
        check_kraft(language.reweigh(weights, values))


def _check_labels(language):
    cases = [(sizes, n_classes) for sizes in _SIZES for n_classes in _CLASSES]
    first = [_label_weights(language, *case) for case in cases]
    again = [_label_weights(language, *case, step=-1) for case in reversed(cases)]
    for case, weights, repeated in zip(cases, first, reversed(again), strict=True):
        _check_sum(*case, weights)
        if weights != repeated:
            raise ValueError(
                f"label_weight of {language!r} must depend on its arguments alone; it "
                f"weighed labelings of clusters of sizes {[*case[0]]} differently when "
                "asked again."
            )


def _label_weights(language, sizes, n_classes, step=1):
    """Weight of every labeling, asked for in this order or backwards."""
    labelings = list(product(range(n_classes), repeat=len(sizes)))[::step]
    weights = [
        language.label_weight(list(sizes), list(classes), n_classes)
        for classes in labelings
    ]
    for weight, classes in zip(weights, labelings, strict=True):
        if not isinstance(weight, Fraction) or not 0 < weight <= 1:
            raise ValueError(
                "label_weight of a language must return a Fraction in (0, 1], got "
                f"{weight!r} for classes {[*classes]} of clusters of sizes {[*sizes]}."
            )
    return weights[::step]


def _check_sum(sizes, n_classes, weights):
    total = sum(weights)
    if total > 1:
        raise ValueError(
            f"The weights of the {len(weights)} labelings of clusters of sizes "
            f"{[*sizes]} with {n_classes} classes sum to {float(total):.12g}; by Kraft's "
            "inequality they must sum to at most 1."
        )
