"""The test that every search makes: are the labeled rows a random choice?"""

import warnings

import numpy as np

from ..utils._checks import shown
from ._random_choice import (
    MAX_PARTITIONS,
    in_words,
    random_choice_test,
    random_choice_test_of_counts,
)

# Enough for p-values down to 1e-4, or 2e-4 where classes are declared, at a fifth of the
# time of the test's own default (benchmarks/results/random_choice.json).
_N_DRAWS = 9_999
# NumPy draws counts from fewer than 10**9 rows.
_MOST_ROWS = 10**9 - 1


def partitions_to_test(candidates):
    """Choose a few candidates of different sizes; returns their names, by index."""
    # By the number of clusters that is requested and by nothing else, since a choice that
    # looked at labels would make the test invalid.
    requested = [
        (candidate.n_clusters or 0, i)
        for i, candidate in enumerate(candidates)
        if candidate.init == 0 and candidate.n_clusters != 1
    ]
    requested.sort()
    spread = np.linspace(
        0, len(requested) - 1, min(MAX_PARTITIONS, len(requested))
    ).round()
    chosen = [requested[int(place)][1] for place in spread]
    return {i: _name(candidates[i]) for i in chosen}


def _name(candidate):
    size = f", {candidate.n_clusters} clusters" if candidate.n_clusters else ""
    params = "".join(f", {k}={shown(v)[:40]}" for k, v in candidate.params.items())
    return f"{candidate.algorithm}{size}{params}"


def check_random_choice(codes, partitions, groups, n_declared, stacklevel):
    """Test the choice of the labeled rows, and warn if it does not look random.

    ``codes`` (n_samples,) are class codes in the order of the file, -1 where unlabeled,
    and ``n_declared`` or more for labels that are none of the declared classes.
    """
    class_counts = None
    if n_declared is not None:
        declared = codes[(codes >= 0) & (codes < n_declared)]
        class_counts = np.bincount(declared, minlength=n_declared)
    test = random_choice_test(
        codes >= 0,
        partitions,
        groups=groups,
        class_counts=class_counts,
        n_draws=_N_DRAWS,
    )
    return _warned(test, stacklevel + 1)


def check_counted_choice(partitions, groups, class_counts, stacklevel):
    """The same from counts of rows and of labeled rows, by cluster and by group.

    None if there is nothing to test by, or there are more rows than can be drawn.
    """
    counted = [*partitions.values(), *([] if groups is None else [groups])]
    if not counted or counted[0][0].sum() > _MOST_ROWS:
        return None
    test = random_choice_test_of_counts(partitions, groups, class_counts, _N_DRAWS)
    return _warned(test, stacklevel + 1)


def _warned(test, stacklevel):
    """The test, with a warning if the choice does not look random."""
    if not test.looks_random:
        warnings.warn(str(test), UserWarning, stacklevel=stacklevel + 1)
    return test


def facts_of(test):
    """What a certificate records of the test; in words if it fails."""
    facts = {"random_choice_p_value": test.p_value}
    if not test.looks_random:
        facts["random_choice_test"] = (
            "the labeled rows do not look like a random choice: they "
            f"{in_words(test.findings)}"
        )
    return facts
