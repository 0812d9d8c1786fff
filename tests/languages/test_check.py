"""Languages that keep Kraft's inequality pass, those that break it are refused."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import pytest

from sklearn_pacmdl.languages import (
    AUTO,
    AutoLanguage,
    BalancedLabels,
    Candidate,
    IndexPrior,
    Mixture,
    Prior,
    check_language,
    get_language,
)
from sklearn_pacmdl.languages._base import SweepRange, is_proven
from sklearn_pacmdl.languages._paper import PAPER_LANGUAGES


class Mine(AutoLanguage):
    """A language of the user's that weighs like "auto"."""


class Weighing(AutoLanguage):
    """Labels weighed by any function."""

    def __init__(self, function):
        object.__setattr__(self, "function", function)

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        return self.function(cluster_sizes, cluster_classes, n_classes)


def by_prior(sizes, classes, n_classes):
    """Class 0 is likely: legal, though not symmetric in the classes."""
    weight = Fraction(1)
    for c in classes:
        weight *= Fraction(9, 10) if c == 0 else Fraction(1, 10 * (n_classes - 1))
    return weight


OURS = [
    *PAPER_LANGUAGES,
    AUTO,
    "auto",
    Prior(n_clusters="uniform"),
    BalancedLabels("algo", 3.0),
    IndexPrior(max, language=BalancedLabels()),
    Mixture(["algo", Mixture(["auto", BalancedLabels("algo")]), Prior()]),
]
THEIRS = [
    Mine(),
    Weighing(by_prior),
    Mixture(["auto", Mine()]),
    BalancedLabels(Mine()),
    IndexPrior(max, language=Mixture([Mine(), "auto"])),
]


@pytest.mark.parametrize("language", OURS, ids=repr)
def test_languages_of_the_package_pass_and_are_proven(language):
    check_language(language)
    assert is_proven(get_language(language))


@pytest.mark.parametrize("language", THEIRS, ids=repr)
def test_lawful_languages_of_users_pass_and_are_not_proven(language):
    check_language(language)
    assert not is_proven(get_language(language))


def half(sizes, classes, n_classes):
    return Fraction(1, 2)


def too_much_for_four(sizes, classes, n_classes):
    return Fraction(1, n_classes ** min(len(sizes), 3))


def too_much_for_ties(sizes, classes, n_classes):
    tied = len(set(sizes)) < len(sizes)
    return Fraction(1, n_classes ** (len(sizes) - tied))


def too_much_for_an_increase(sizes, classes, n_classes):
    return Fraction(1, n_classes ** (len(sizes) - (sizes[0] < sizes[-1])))


def too_much_by_very_little(sizes, classes, n_classes):
    return Fraction(1, n_classes ** len(sizes)) * (1 + Fraction(classes[0], 10**30))


def that_counts_clusters_twice():
    seen = count(3)
    return lambda sizes, classes, n_classes: Fraction(1, 3 ** len(sizes) * next(seen))


def that_remembers_the_last_labeling():
    last = [[]]

    def weight(sizes, classes, n_classes):
        rises, last[0] = len(classes) == len(last[0]) and classes > last[0], classes
        return Fraction(1, n_classes ** len(sizes) * (1 + rises))

    return weight


SUMS = r"The weights of the \d+ labelings of clusters of sizes \[.*\] with \d classes sum"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (half, SUMS),
        (
            too_much_for_four,
            r"The weights of the 16 labelings .* \[7, 3, 1, 1\] .* to 2;",
        ),
        (too_much_for_ties, SUMS),
        (too_much_for_an_increase, SUMS),
        (too_much_by_very_little, SUMS),
        (that_counts_clusters_twice(), "must depend on its arguments alone"),
        (that_remembers_the_last_labeling(), "must depend on its arguments alone"),
        (lambda *described: 0.1, "must return a Fraction in .* got 0.1 for classes"),
        (lambda *described: Fraction(0), r"must return a Fraction in \(0, 1\]"),
        (lambda *described: Fraction(3, 2), r"must return a Fraction in \(0, 1\]"),
    ],
)
def test_unlawful_label_weights_are_refused(function, message):
    for language in (Weighing(function), Mixture([Weighing(function)])):
        with pytest.raises(ValueError, match=message):
            check_language(language)


@dataclass(frozen=True)
class Candidates(AutoLanguage):
    """Candidates weighed by any function."""

    function: object

    def candidate_weights(self, candidates):
        return self.function(candidates)


def only_by_number(candidates):
    """Legal for a sweep over numbers of clusters; should refuse all others."""
    return [{"n_clusters": Fraction(1, 2 ** (c.n_clusters or 0))} for c in candidates]


def that_counts_sweeps():
    seen = count(1)
    return lambda sweep: [{"grid": Fraction(1, len(sweep) * next(seen))} for _ in sweep]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (only_by_number, "candidates sum to .* by Kraft's inequality"),
        (that_counts_sweeps(), "must depend on the candidates alone"),
        (lambda candidates: [{"grid": 0.5} for _ in candidates], "must be a Fraction"),
        (lambda candidates: 1 / 0, "sweeps must have one .* division by zero"),
    ],
)
def test_unlawful_candidate_weights_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        check_language(Candidates(function))


def test_sweeps_can_be_given():
    """A language is held to the sweeps that it is used for."""
    check_language(Candidates(only_by_number), [[Candidate("a", c) for c in (2, 3)]])
    ward = Prior(algorithm={"ward": 0.75, "kmeans": 0.25})
    with pytest.raises(ValueError, match="sweeps must have one that .* has no weight"):
        check_language(ward)
    check_language(ward, [[Candidate("ward", 3), Candidate("kmeans", 3)]])
    sweep = [Candidate("ward", 3)]
    for sweeps in (3, [3], [["ward"]], [[*sweep, "ward"]], [sweep, ["ward"]]):
        with pytest.raises(TypeError, match="sweeps must be a list of lists of Candid"):
            check_language(ward, sweeps)


def test_weights_that_follow_an_index_are_summed():
    @dataclass(frozen=True)
    class Greedy(IndexPrior):
        def reweigh(self, weights, values):
            return [{"index": Fraction(1, 2)} for _ in weights]

    check_language(IndexPrior(max))
    with pytest.raises(ValueError, match="candidates sum to"):
        check_language(Greedy(max))


def test_what_is_no_language():
    with pytest.raises(ValueError, match="language must be one of"):
        check_language("all")
    with pytest.raises(TypeError, match="inherits from sklearn_pacmdl"):
        check_language(3)


def test_every_case_is_asked_for():
    """Up to four clusters, two and three classes, each labeling twice."""
    asked = []

    def record(sizes, classes, n_classes):
        asked.append((*sizes, n_classes, *classes))
        return Fraction(1, n_classes ** len(sizes))

    check_language(Weighing(record))
    assert {len(case) // 2 for case in asked} == {1, 2, 3, 4}
    distinct = {*asked}
    assert len(asked) == 2 * len(distinct)
    expected = sum(
        n_classes**c for c in (1, 2, 2, 2, 3, 3, 3, 3, 4) for n_classes in (2, 3)
    )
    assert len(distinct) == expected


def test_a_choice_that_any_algorithm_has_must_be_paid_for():
    """One start of one clusterer does not make up for four of another."""
    for order in (1, -1):
        sweep = [*(Candidate("k-means", 3, init) for init in range(4)), Candidate("ward")]
        sweep = sweep[::order]
        assert SweepRange(sweep).n_choices("init") == 4
        for name in ("simple", "cluster"):
            with pytest.raises(ValueError, match=f"'{name}' does not describe a choice"):
                get_language(name).candidate_weights(sweep)
