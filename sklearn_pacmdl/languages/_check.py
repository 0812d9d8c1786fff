"""Whether a language obeys Kraft's inequality, tested on small cases."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from ..utils._checks import invalid
from ._base import Candidate, Language, Terms, check_kraft
from ._registry import LanguageName, get_language

# Sizes of clusters: equal ones, different ones in either order, ties beside others, and
# single rows. More clusters or classes would take seconds.
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
# A single candidate, sweeps over one thing each, and one over all at once with an
# algorithm that has no n_clusters.
_SWEEPS = (
    [Candidate("a", 3)],
    [Candidate("a", c) for c in (2, 3, 5)],
    [Candidate("a", 3, init) for init in range(4)],
    [Candidate("a", 3, 0, point, {"p": point}) for point in range(3)],
    [Candidate("a", 3), Candidate("b", 3), Candidate("c", 4)],
    [Candidate("a", c, init) for c in (2, 3) for init in range(2)]
    + [Candidate("b", None, 0, point, {"p": point}) for point in range(3)],
)


def check_language(
    language: LanguageName | Language,
    sweeps: Sequence[Sequence[Candidate]] | None = None,
) -> None:
    """Refuse a language that breaks Kraft's inequality on small cases.

    The weights of all labelings of a few clusterings, and those of all candidates of a
    few sweeps, are added up exactly. Every weight is computed twice, in two orders, and
    must be the same.

    Parameters
    ----------
    language : str or Language
        A name, or an instance of a class that inherits from :class:`Language`.
    sweeps : sequence of sequence of Candidate, default=None
        Sweeps to weigh. By default these are six small ones: a single candidate, sweeps
        over numbers of clusters, starts, grid points and algorithms, and one over all of
        these. A sweep for which the language raises an error is skipped.

    Raises
    ------
    ValueError, TypeError
        If weights sum to more than 1, or if a weight is not a Fraction in (0, 1] or
        changes when it is computed again. If the language raises an error for all
        sweeps, or if it is not a language.

    See Also
    --------
    check_kraft : Sum of the weights of the candidates of a sweep.

    Notes
    -----
    This is a test and not a proof. It uses up to four clusters and three classes, so a
    language that passes may still break the inequality for more clusters. It cannot
    detect either that a language knows the labels of the data from elsewhere.

    Examples
    --------
    A language in which every labeling has weight 1/2, however many there are:

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
    sweeps = _SWEEPS if sweeps is None else sweeps
    if not isinstance(sweeps, Sequence) or not all(map(_is_sweep, sweeps)):
        raise invalid("sweeps", "a list of lists of Candidate", sweeps)
    accepted = _accepted(language, sweeps)
    # The languages that weigh labels, each object once: usually this is the language.
    weighing: dict[int, Language] = {}
    for candidates, weights in accepted:
        check_kraft(weights)
        if language.uses_clusterings:
            _check_reweighing(language, weights)
        first, *_, last = 2 * language.label_languages(candidates)
        weighing |= {id(first): first, id(last): last}
    for inner in weighing.values():
        _check_labels(inner)
    for candidates, weights in reversed(accepted):
        if language.candidate_weights(candidates) != weights:
            raise ValueError(
                f"candidate_weights of {language!r} must depend on the candidates alone; "
                f"it weighed {candidates!r} differently when asked again."
            )


def _is_sweep(candidates):
    return isinstance(candidates, Sequence) and all(
        isinstance(candidate, Candidate) for candidate in candidates
    )


def _accepted(
    language: Language, sweeps: Sequence[Sequence[Candidate]]
) -> list[tuple[Sequence[Candidate], list[Terms]]]:
    """Sweeps that the language pays for, with the weights of their candidates."""
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
    """Refuse weights that break the inequality for equal, unequal or missing indices."""
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
    """Weight of every labeling, computed in this order or backwards."""
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
