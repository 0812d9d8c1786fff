"""Whether the choice of the labeled rows looks uniformly random.

The test is a Monte Carlo test, exact for any fixed function of the chosen rows: the most
extreme of the tails (`_tails_of_choices`) of several ways to look wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain
from math import exp
from numbers import Real

import numpy as np

from ..bounds import MAX_COUNT
from ..columns import different, is_column, is_missing
from ..utils._checks import (
    as_array,
    check_fields,
    check_integer,
    invalid,
    is_iterable,
    shown,
    warn,
)
from ..utils._random import SUSPICIOUS
from ..utils._row_order import check_same_order
from ..utils._words import joined
from ._tails_of_choices import GROUPS, TOGETHER, ChiSquare, Tails, log_equal_probability

# Not measured, but counted: each clustering adds two ways to look wrong to the six that
# there are without. With 8, the most extreme of 22 ways is compared with random choices,
# so that one way has to be up to four times as unlikely as without any clustering.
MAX_CLUSTERINGS = 8

# Drawing ends once this many draws are at least as extreme as the observed choice. The
# p-value then has a relative standard error below a quarter. Of random choices most need
# fewer than a hundred draws.
_ENOUGH = 20
# Row indices that all draws may have together (clusters, if a clustering has more of them
# than rows are chosen), unless more are needed for a suspicious p-value to exist. They
# take about five seconds (benchmarks/results/random_choice.json).
_MAX_CELLS = 50_000_000
# Clusters of which counted rows are drawn; larger numbers are put into bins. A draw takes
# about 0.1 microseconds for each, so that 10,000 draws take a quarter of a second.
_MAX_BINS = 256
# Of these in a batch of draws. For 180 of 1,797 rows and four clusterings, 2**14 to 2**22
# are as fast, and 2**12 takes 1.4 times as long.
_BATCH = 2**18
# Draws of the tests of searches: enough for p-values down to 1e-4, or 2e-4 with declared
# classes, in a fifth of the time of the default (benchmarks/results/random_choice.json).
_N_DRAWS = 9_999
# NumPy draws counts from fewer than 10**9 rows.
_MOST_ROWS = 10**9 - 1


@dataclass(frozen=True)
class RandomChoiceTest:
    """Result of :func:`random_choice_test`; ``str()`` states it in words.

    Attributes
    ----------
    p_value : float
        In (0, 1]. Under a uniformly random choice the probability of a p-value of at
        most alpha is at most alpha; lower is stronger evidence against such a choice.
    n_draws : int
        Number of random choices that were drawn for comparison.
    n_samples, n_labeled : int
        Numbers of rows, and of labeled rows.
    p_values : dict of str to float
        One-sided p-value of each way to look wrong, keyed by its description, the most
        extreme first. They are not corrected for there being several.
    looks_random : bool
        Whether the p-value is above 0.001.
    findings : tuple of str
        At most three keys of ``p_values`` that look wrong; empty if none does.

    Examples
    --------
    >>> from sklearn_pacmdl.random_choice import random_choice_test
    >>> test = random_choice_test([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], n_samples=100)
    >>> test.looks_random
    False
    >>> print(test)
    The labeled rows do not look like a uniformly random choice (p = 2e-05): they form too
    few runs of adjacent rows, are concentrated in parts of the file and come too early in
    the file. The guarantee does not hold for such a choice. Draw the rows to label
    uniformly at random from all rows, before any of them is labeled, and label exactly
    those.
    """

    p_value: float
    n_draws: int
    n_samples: int
    n_labeled: int
    p_values: dict[str, float]

    def __post_init__(self):
        check_fields(self, p_value=Real, p_values=dict)

    @property
    def looks_random(self):
        return self.p_value > SUSPICIOUS

    @property
    def findings(self):
        if self.looks_random:
            return ()
        first, *further = self.p_values
        return first, *(says for says in further[:2] if self.p_values[says] <= SUSPICIOUS)

    def __str__(self):
        p_value = f"(p = {self.p_value:.2g})"
        if self.looks_random:
            return (
                "The test finds nothing against a uniformly random choice of the "
                f"{self.n_labeled} labeled rows {p_value}. This does not show that the "
                "choice was random."
            )
        findings, advice = joined(self.findings), ""
        if TOGETHER in findings:
            advice = " For whole groups, there are audits: draw_audit(groups=...)."
        return (
            f"The labeled rows do not look like a uniformly random choice {p_value}: "
            f"they {findings}. The guarantee does not hold for such a choice. Draw the "
            "rows to label uniformly at random from all rows, before any of them is "
            f"labeled, and label exactly those.{advice}"
        )


def _check_labeled(labeled, n_samples):
    """Sorted indices of the labeled rows, and the number of all rows."""
    rows = as_array("labeled", labeled)
    is_mask = rows.dtype == bool
    if rows.ndim != 1 or rows.dtype.kind not in "biu":
        raise invalid("labeled", "a 1-dimensional mask or array of row indices", labeled)
    if n_samples is None and not is_mask:
        raise invalid("n_samples", "given where labeled holds row indices", n_samples)
    n_given = len(rows) if n_samples is None else n_samples
    n_samples = check_integer("n_samples", n_given, 2, MAX_COUNT)
    if is_mask and len(rows) != n_samples:
        raise invalid("n_samples", f"{len(rows)}, as labeled is long", n_samples)
    chosen = np.flatnonzero(rows) if is_mask else np.unique(rows).astype(np.intp)
    if np.any((chosen < 0) | (chosen >= n_samples)):
        raise invalid("labeled", f"row indices from 0 to {n_samples - 1}", labeled)
    if not is_mask and len(chosen) < len(rows):
        raise invalid("labeled", "different rows", labeled)
    if not 0 < len(chosen) < n_samples:
        raise ValueError(
            "labeled must hold at least one row and leave out at least one, got "
            f"{len(chosen)} of {n_samples} rows."
        )
    return chosen, n_samples


def _check_clusterings(clusterings, n_samples):
    """Cluster indices of each clustering, keyed by what to call it."""
    if isinstance(clusterings, Mapping):
        named = {repr(name): each for name, each in clusterings.items()}
    elif is_iterable(clusterings):
        named = {f"clustering {i}": each for i, each in enumerate(clusterings)}
    else:
        allowed = "a sequence or a mapping of cluster labels"
        raise invalid("clusterings", allowed, clusterings)
    if len(named) > MAX_CLUSTERINGS:
        # Each more makes every one count for less.
        raise ValueError(
            f"clusterings must be at most {MAX_CLUSTERINGS}, chosen without looking at "
            f"labels, got {len(named)}."
        )
    return {
        f"the clusters of {name}": _narrow(check_groups(each, n_samples, what="cluster"))
        for name, each in named.items()
    }


def _narrow(codes):
    """The codes in few bytes: looking up many rows is fast, and rows may be many."""
    return codes.astype(np.min_scalar_type(codes.max() + 1))


def check_groups(groups, n_samples, complete=False, what="group"):
    """Index of each row's group, of any hashable kind; none missing if ``complete``."""
    name = "groups" if what == "group" else "clusterings"
    column = groups
    if not is_column(groups) and not hasattr(groups, "dtype") and is_iterable(groups):
        # Groups may be tuples, of which NumPy would make a table.
        column = np.fromiter(groups, dtype=object)
    if np.shape(column) != (n_samples,):
        allowed = f"one {what} for each of the {n_samples} rows, in one dimension"
        raise invalid(name, allowed, groups)
    try:
        codes, names = different(column)
    # PyArrow says the latter of types that it cannot encode, such as lists.
    except (TypeError, NotImplementedError) as error:
        raise TypeError(f"{name} must be hashable: {error}.") from error
    if what == "group" and any(_is_fraction(each) for each in names):
        allowed = "names of groups, which are texts or integers and not fractions"
        raise invalid(name, allowed, groups)
    if complete:
        gaps = [-1, *(code for code, each in enumerate(names) if is_missing(each))]
        if n_missing := int(np.isin(codes, gaps).sum()):
            allowed = f"one {what} for each row, and are missing in {n_missing} rows"
            raise invalid(name, allowed, groups)
    return codes - codes.min()


def _is_fraction(value):
    is_float = isinstance(value, float | np.floating) and np.isfinite(value)
    return is_float and value != np.floor(value)


def _equal_counts(class_counts, n_samples, n_labeled):
    """Test whether counts are equal, as one of a list of tests; none without counts."""
    if class_counts is None:
        return []
    counts = as_array("class_counts", class_counts)
    right = counts.ndim == 1 and counts.dtype.kind in "iu" and counts.size >= 2
    if not right or counts.min() < 0 or counts.sum() > n_labeled:
        raise ValueError(
            "class_counts must hold the number of labeled rows of each of two or more "
            f"classes, at most {n_labeled} in all, got {shown(class_counts)}."
        )
    log_p = 0.0
    if np.all(counts * len(counts) == n_labeled):
        log_p = log_equal_probability(n_samples, n_labeled, len(counts))
    p_value = max(exp(log_p), float(np.finfo(float).tiny))
    return [(p_value, 0, [(log_p, "are exactly equally many in every class", p_value)])]


def _generator(rows, n_samples, random_state):
    """A random stream for each choice of rows."""
    # One stream for all choices would make the test a fixed set of refused choices, whose
    # size is only on average, over seeds, what it should be. With a stream for each it
    # averages over the choices too.
    code = blake2b(rows.astype("<i8").tobytes(), digest_size=16).digest()
    return np.random.default_rng([random_state, n_samples, int.from_bytes(code, "big")])


def _batch_sizes(n_draws, width):
    """Numbers of draws in batches of growing size, `n_draws` in all."""
    most = max(_BATCH // width, 1)
    n_before = 0
    while n_before < n_draws:
        size = min(n_before + _ENOUGH, most, n_draws - n_before)
        yield size
        n_before += size


def _draws(rng, n_samples, n_chosen, n_draws, width):
    """Batches of sorted random choices, which do not depend on the sizes of batches."""
    for size in _batch_sizes(n_draws, width):
        rows = np.empty((size, n_chosen), dtype=np.intp)
        for row in rows:
            row[:] = rng.choice(n_samples, n_chosen, replace=False, shuffle=False)
        rows.sort(axis=1)
        yield rows


def _at_least_as_extreme(tails, observed):
    """Whether tails are at most the observed ones, where near ties count as ties."""
    # Rounding errors must not break ties in favor of the observed choice. They are of
    # about 1e-15 for each of up to millions of terms, and 1e-9 is above them. A tie more
    # is on the safe side.
    return tails <= observed + 1e-9 * (1 - observed)


def _monte_carlo(tails, says, chosen, batches):
    """Sequential p-value, number of draws, and ways: log tails, texts and p-values."""
    observed = tails(chosen[np.newaxis])[0]
    n_draws, extreme = 0, 0
    counts = np.zeros(len(observed), dtype=np.int64)
    for batch in batches:
        drawn = tails(batch)
        hits = _at_least_as_extreme(drawn.min(axis=1), observed.min())
        total = extreme + np.cumsum(hits)
        used = min(int(np.searchsorted(total, _ENOUGH)) + 1, len(batch))
        counts += np.sum(_at_least_as_extreme(drawn[:used], observed), axis=0)
        n_draws, extreme = n_draws + used, int(total[used - 1])
        if extreme == _ENOUGH:
            break
    one_sided = ((counts + 1) / (n_draws + 1)).tolist()
    ways = [*zip(observed.tolist(), says, one_sided, strict=True)]
    stopped = extreme == _ENOUGH
    p_value = extreme / n_draws if stopped else (extreme + 1) / (n_draws + 1)
    return p_value, n_draws, ways


def _result(tests, n_tests, n_samples, n_labeled):
    """One result of several tests, each with its part of the level."""
    p_values, n_draws, ways = zip(*tests, strict=True)
    return RandomChoiceTest(
        p_value=min(1.0, n_tests * min(p_values)),
        n_draws=max(n_draws),
        n_samples=n_samples,
        n_labeled=n_labeled,
        p_values={says: p for _, says, p in sorted(chain.from_iterable(ways))},
    )


def random_choice_test(
    labeled,
    clusterings=(),
    *,
    groups=None,
    n_samples=None,
    class_counts=None,
    n_draws=50_000,
    random_state=0,
):
    """Test whether the choice of the labeled rows looks uniformly random.

    Guarantees such as :class:`~sklearn_pacmdl.BoundCertificate` hold if the labeled rows
    were drawn uniformly at random. This test looks for other ways of choosing: by place
    in the file, by cluster or class (equally many of each, or more of some), or by group.

    Parameters
    ----------
    labeled : array-like of shape (n_samples,) of bool, or of shape (n_labeled,) of int
        Mask or indices of the labeled rows, in the order of the file. At least one row
        is labeled and at least one is not.
    clusterings : sequence or mapping of array-like of shape (n_samples,), default=()
        At most 8 clusterings: the cluster of each row, of any type. They must have been
        made and chosen without looking at labels, or at which rows are labeled. The keys
        of a mapping name the clusterings in messages.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, of any hashable type, such as its document or patient,
        known before any label. Missing values are a group, too.
    n_samples : int, default=None
        Number of rows. Required if ``labeled`` holds indices.
    class_counts : array-like of shape (n_classes,) of int, default=None
        Number of labeled rows of each class, where the number of classes was fixed
        before any label was seen. Labels of other classes are not counted.
    n_draws : int, default=50_000
        Largest number of random choices to draw. At most 5e7 row indices are drawn in
        all, but always enough choices for a p-value of 0.001.
    random_state : int, default=0
        Seed, used together with a digest of the labeled rows. The same rows and seed
        give the same p-value. Do not try several.

    Returns
    -------
    test : RandomChoiceTest
        The p-value, and descriptions of what looks wrong.

    Raises
    ------
    ValueError
        If a parameter is not as described.
    TypeError
        If cluster labels or groups cannot be hashed.

    Notes
    -----
    The statistic is the smallest approximate tail probability, in both directions, of:

    - the mean position in the file;
    - the largest deviation from an even spread over the file;
    - the number of runs of adjacent labeled rows;
    - the chi-square of the labeled rows over each clustering, and over the groups.

    Random choices of as many rows are drawn until 20 of them are at least as extreme
    [1]_. Under a uniformly random choice, the labeled rows and the draws are
    exchangeable, whatever the approximations. So the p-value is exact, except for ties,
    which make it larger.

    If ``class_counts`` are all equal, there is a second p-value: the largest probability,
    over all sizes of the classes, that a random choice has equally many rows of each. The
    p-value of the test is twice the smaller of the two.

    The test can reject a choice but never confirm one. Never draw again, or exchange
    rows, until a choice passes: the outcome is not a random choice.

    References
    ----------
    .. [1] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2),
           1991, pp. 301-304.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.random_choice import random_choice_test
    >>> rows = np.random.default_rng(5).choice(1800, size=180, replace=False)
    >>> random_choice_test(rows, n_samples=1800).looks_random
    True
    >>> test = random_choice_test(np.arange(1800) < 180)
    >>> test.looks_random
    False
    >>> test.findings[0]
    'form too few runs of adjacent rows'
    """
    check_same_order(labeled=labeled, clusterings=clusterings, groups=groups)
    rows, n_samples = _check_labeled(labeled, n_samples)
    clusterings = _check_clusterings(clusterings, n_samples)
    if groups is not None:
        clusterings[GROUPS] = _narrow(check_groups(groups, n_samples))
    n_draws = check_integer("n_draws", n_draws, 1)
    random_state = check_integer("random_state", random_state, 0)
    equal = _equal_counts(class_counts, n_samples, len(rows))
    n_tests = 1 + len(equal)
    mirrored = 2 * len(rows) > n_samples
    chosen = rows
    if mirrored:
        chosen = np.flatnonzero(np.bincount(rows, minlength=n_samples) == 0)
    tails = Tails(n_samples, len(chosen), clusterings, mirrored)
    most = max(_MAX_CELLS // tails.width, round(n_tests / SUSPICIOUS) - 1)
    rng = _generator(chosen, n_samples, random_state)
    batches = _draws(rng, n_samples, len(chosen), min(n_draws, most), tails.width)
    test = _monte_carlo(tails, tails.says, chosen, batches)
    return _result([test, *equal], n_tests, n_samples, len(rows))


def check_counted_choice(clusterings, groups, class_counts):
    """Make the same test where rows are counted by cluster, and have no places.

    Clusterings, by name, and groups have numbers of rows and of labeled rows in each
    cluster. None if there is nothing to test by, or more rows than can be drawn.
    """
    named = {f"the clusters of {name!r}": counts for name, counts in clusterings.items()}
    named |= {} if groups is None else {GROUPS: groups}
    if not named or next(iter(named.values()))[0].sum() > _MOST_ROWS:
        return None
    named = {name: _in_bins(*counts) for name, counts in named.items()}
    n_samples, n_labeled = (int(c.sum()) for c in next(iter(named.values())))
    tests = _equal_counts(class_counts, n_samples, n_labeled)
    # How the labeled rows of two clusterings go together is not known, so each clustering
    # is tested by itself.
    n_tests = len(named) + len(tests)
    n_draws = max(_N_DRAWS, round(n_tests / SUSPICIOUS) - 1)
    for name, (sizes, labeled) in named.items():
        part = ChiSquare(name, sizes, n_labeled)
        if part.varies:
            rng = _generator(np.concatenate([sizes, labeled]), n_samples, 0)
            batches = (
                rng.multivariate_hypergeometric(
                    sizes, n_labeled, size=size, method="marginals"
                )
                for size in _batch_sizes(n_draws, len(sizes))
            )
            tests.append(_monte_carlo(part, part.says, labeled, batches))
    return _warned(_result(tests or [(1.0, 0, [])], n_tests, n_samples, n_labeled))


def _in_bins(sizes, labeled):
    """Numbers of rows in bins of clusters, the largest clusters in different ones."""
    # Which bin a cluster is in follows from its size and chance, and so from no label. It
    # must not follow from its number: groups that were labeled may be numbered in a row.
    mixed = np.random.default_rng(0).permutation(np.flatnonzero(sizes))
    sizes, labeled = sizes[mixed], labeled[mixed]
    bins = np.empty(len(sizes), dtype=np.intp)
    bins[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes)) % _MAX_BINS
    totals = np.zeros((2, min(len(sizes), _MAX_BINS)), dtype=np.int64)
    for total, counts in zip(totals, (sizes, labeled), strict=True):
        np.add.at(total, bins, counts)
    return totals


def clusterings_to_test(candidates):
    """Choose a few candidates of different sizes; returns their names, by index."""
    # Only by the requested number of clusters: a choice by labels would be invalid.
    requested = sorted(
        (candidate.n_clusters or 0, i)
        for i, candidate in enumerate(candidates)
        if candidate.init == 0 and candidate.n_clusters != 1
    )
    n_tested = min(MAX_CLUSTERINGS, len(requested))
    places = np.linspace(0, len(requested) - 1, n_tested).round().astype(int)
    names = {}
    for n_clusters, i in [requested[place] for place in places]:
        size = f", {n_clusters} clusters" if n_clusters else ""
        params = candidates[i].params.items()
        params = "".join(f", {k}={shown(v)[:40]}" for k, v in params)
        names[i] = f"{candidates[i].algorithm}{size}{params}"
    return names


def check_random_choice(codes, clusterings, groups, n_declared):
    """Test the choice of the labeled rows, and warn if it does not look random.

    ``codes`` (n_samples,) are class codes in the order of the file, -1 where unlabeled,
    and ``n_declared`` or more for undeclared classes.
    """
    declared = codes[(codes >= 0) & (codes < (n_declared or 0))]
    class_counts = np.bincount(declared, minlength=n_declared) if n_declared else None
    return _warned(
        random_choice_test(
            codes >= 0,
            clusterings,
            groups=groups,
            class_counts=class_counts,
            n_draws=_N_DRAWS,
        )
    )


def check_choices(choices):
    """Test the choices of rows in several parts, and warn if one does not look random.

    Each has a mask, and clusterings by name. None if nothing was chosen anywhere.
    """
    tests = [
        random_choice_test(mask, clusterings, n_draws=_N_DRAWS)
        for mask, clusterings in choices
        if 0 < np.count_nonzero(mask) < len(mask)
    ]
    if not tests:
        return None
    first = min(tests, key=lambda test: test.p_value)
    return _warned(replace(first, p_value=min(1.0, len(tests) * first.p_value)))


def _warned(test):
    if not test.looks_random:
        warn(str(test))
    return test


def fields_of_test(test):
    """What a certificate records of the test, if there is one; in words if it fails."""
    if test is None:
        return {}
    fields = {"random_choice_p_value": test.p_value}
    if not test.looks_random:
        fields["random_choice_test"] = (
            "the labeled rows do not look like a random choice: they "
            f"{joined(test.findings)}"
        )
    return fields
