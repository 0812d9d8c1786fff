"""The test that every search makes: are the labeled rows a random choice?"""

import warnings

import numpy as np

from ..utils._checks import shown
from ._random_choice import MAX_PARTITIONS, random_choice_test

# Enough for p-values down to 1e-4, or 2e-4 where classes are declared, at a fifth of the
# time of the test's own default (benchmarks/results/random_choice.json).
_N_DRAWS = 9_999


def partitions_to_test(candidates):
    """Choose a few candidates of different sizes; returns their names, by index.

    They are chosen by the number of clusters that is asked for and by nothing else, since
    a choice that looked at labels would make the test invalid.
    """
    asked = [
        (candidate.n_clusters or 0, i)
        for i, candidate in enumerate(candidates)
        if candidate.init == 0 and candidate.n_clusters != 1
    ]
    asked.sort()
    spread = np.linspace(0, len(asked) - 1, min(MAX_PARTITIONS, len(asked))).round()
    chosen = [asked[int(place)][1] for place in spread]
    return {i: _name(candidates[i]) for i in chosen}


def sizes_to_test(largest):
    """A few numbers of clusters above one, evenly spread on a logarithmic scale."""
    sizes = np.geomspace(2, max(largest, 2), MAX_PARTITIONS).round().astype(int)
    return [int(size) for size in np.unique(sizes) if size <= largest]


def _name(candidate):
    size = f", {candidate.n_clusters} clusters" if candidate.n_clusters else ""
    params = "".join(f", {k}={shown(v)[:40]}" for k, v in candidate.params.items())
    return f"{candidate.algorithm}{size}{params}"


def check_random_choice(codes, partitions, n_declared, stacklevel):
    """Test the choice of the labeled rows, and warn if it does not look random.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,) of int
        Class code of each row in the order of the file, -1 where unlabeled.
    partitions : mapping of str to ndarray of shape (n_samples,)
        Partitions by name, with rows in the same order.
    n_declared : int or None
        Number of declared classes; None if the classes were not declared. Codes of
        ``n_declared`` and above are labels that are none of the declared classes.
    stacklevel : int
        As of :func:`warnings.warn`, from this function.

    Returns
    -------
    test : RandomChoiceTest
    """
    counts = None
    if n_declared is not None:
        known = codes[(codes >= 0) & (codes < n_declared)]
        counts = np.bincount(known, minlength=n_declared)
    test = random_choice_test(
        codes >= 0, partitions, class_counts=counts, n_draws=_N_DRAWS
    )
    if not test.looks_random:
        warnings.warn(str(test), UserWarning, stacklevel=stacklevel + 1)
    return test
