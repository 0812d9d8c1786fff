from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest

from sklearn_pacmdl.languages import (
    Candidate,
    Language,
    PaperLanguage,
    Prior,
    check_kraft,
    get_language,
)

TWO = range(2, 8)

SIMPLE, INIT, CLUSTER, ALGO = map(get_language, ["simple", "init", "cluster", "algo"])


def sweep(algorithms=("kmeans",), n_clusters=(3,), n_init=1, n_grid=1):
    return [
        Candidate(*values, params={"eps": values[3]})
        for values in product(algorithms, n_clusters, range(n_init), range(n_grid))
    ]


def length(terms):
    return sum(-log2(weight) for weight in terms.values())


def test_formulas_of_the_paper():
    """Eqs. 1-4, in bits."""
    c, labels, r, s = 4, 3, 10, 6
    expected = c * log2(labels)
    assert SIMPLE(c, labels) == pytest.approx(expected)
    expected += log2(r)
    assert INIT(c, labels, n_init=r) == pytest.approx(expected)
    expected += log2(c * (c - 1))
    assert CLUSTER(c, labels, n_init=r) == pytest.approx(expected)
    expected += log2(s)
    assert ALGO(c, labels, n_init=r, n_algorithms=s) == pytest.approx(expected)

    # Label bits for the clusters found, cluster-number bits for those asked for.
    assert CLUSTER(2, 3, asked=7) == pytest.approx(2 * log2(3) + log2(42))
    # Starts and grid points are described, but not the number of clusters.
    own = PaperLanguage("own", ("init", "grid"))
    assert own(4, 3, n_init=8, n_grid=2) == pytest.approx(4 * log2(3) + 4)
    assert own(1, 3) == SIMPLE(1, 3) == pytest.approx(log2(3))


def test_sweep_and_formula_agree():
    candidates = sweep(("a", "b", "c"), TWO, n_init=5)
    described = ALGO.candidate_weights(candidates)
    for candidate, terms in zip(candidates, described, strict=True):
        bits = ALGO(candidate.n_clusters, 4, n_init=5, n_algorithms=3)
        label = ALGO.label_weight([1] * candidate.n_clusters, [], 4)
        assert length(terms) - log2(label) == pytest.approx(bits)
    (terms,) = CLUSTER.candidate_weights(sweep(n_clusters=[7]))
    assert terms["n_clusters"] == Fraction(1, 42)
    assert CLUSTER.label_weight([5, 5], [0, 1], 3) == Fraction(1, 9)
    assert SIMPLE.candidate_weights(sweep(n_clusters=[1])) == [{}]


def test_each_algorithm_pays_for_its_own_choices():
    """DBSCAN: no number of clusters, one start, but its own grid of ten."""
    kmeans = sweep(("kmeans",), TWO, n_init=10)
    dbscan = [Candidate("dbscan", None, 0, g) for g in range(10)]
    for language in (ALGO, Prior()):
        of_kmeans, *_, of_dbscan = language.candidate_weights(kmeans + dbscan)
        assert of_dbscan["grid"] == of_kmeans["init"] == Fraction(1, 10)
        assert of_dbscan["init"] == of_dbscan["n_clusters"] == of_kmeans["grid"] == 1


SWEEPS = [
    sweep(),
    sweep(n_init=10),
    sweep(n_clusters=TWO, n_init=3),
    sweep(n_clusters=TWO, n_grid=4),
    sweep(("a", "b", "c"), TWO, n_init=3, n_grid=2),
    [*sweep(("a",), TWO, 5), *sweep(("b",), (None,), 1, 7), *sweep(("c",), (4,))],
]


@pytest.mark.parametrize("candidates", SWEEPS)
@pytest.mark.parametrize(
    "language", [SIMPLE, INIT, CLUSTER, ALGO, Prior(), Prior(n_clusters="uniform")]
)
def test_kraft_over_whole_sweeps(language, candidates):
    """Whatever a language accepts sums to at most 1; our own to exactly 1."""
    terms = ("init", "n_clusters", "algorithm", "grid")
    swept = {term for term in terms if len({getattr(c, term) for c in candidates}) > 1}
    if not swept <= set(getattr(language, "terms", swept)):
        with pytest.raises(ValueError, match="does not describe"):
            language.candidate_weights(candidates)
        return
    total = check_kraft(language.candidate_weights(candidates))
    assert total == 1 if isinstance(language, Prior) else 0 < total <= 1


@pytest.mark.parametrize("language", [SIMPLE, ALGO, Prior()])
@pytest.mark.parametrize(
    ("sizes", "n_classes"), [([5], 2), ([9, 4, 1, 1], 2), ([3, 3], 4)]
)
def test_label_weights_of_a_clustering_sum_to_one(language, sizes, n_classes):
    every = product(range(n_classes), repeat=len(sizes))
    weights = [language.label_weight(sizes, list(own), n_classes) for own in every]
    assert sum(weights) == 1


@pytest.mark.parametrize(
    ("name", "expected"), [("paper", [1 / 2, 1 / 6]), ("uniform", [0.5, 0.5])]
)
def test_named_priors_of_the_number_of_clusters(name, expected):
    weights = Prior(n_clusters=name).candidate_weights(sweep(("a",), (2, 3)))
    assert [terms["n_clusters"] for terms in weights] == pytest.approx(expected)
    with pytest.raises(ValueError, match="must be 'paper', 'uniform', .* got 'poisson'"):
        Prior(n_clusters="poisson")


def test_some_numbers_of_clusters_are_preferred():
    """Half is proportional to 1 / c, half is shared by rounded powers of 5/4."""
    powers = [c for c in range(2, 60) if any(round(1.25**i) == c for i in range(30))]
    assert powers == [2, 3, 4, 5, 6, 7, 9, 12, 15, 18, 23, 28, 36, 44, 56]
    weights = Prior().candidate_weights(sweep(n_clusters=[8, 10, 12, 15], n_init=2))
    of_number = {8: Fraction(1, 8), 10: Fraction(1, 10), 12: Fraction(1, 12)}
    total = sum(of_number.values()) + Fraction(1, 15)
    assert weights[0]["n_clusters"] == of_number[8] / total / 2
    assert weights[4]["n_clusters"] == of_number[12] / total / 2 + Fraction(1, 4)
    assert {terms["init"] for terms in weights} == {Fraction(1, 2)}
    (first, second) = Prior().candidate_weights(sweep(n_clusters=[8, 10]))
    assert first["n_clusters"] + second["n_clusters"] == 1
    assert first["n_clusters"] / second["n_clusters"] == Fraction(19, 17)
    assert Prior().candidate_weights(sweep(n_clusters=[None]))[0]["n_clusters"] == 1


def test_prior_as_functions_and_over_every_term():
    prior = Prior(
        algorithm={"a": 0.75, "b": 0.25},
        n_clusters=lambda c: Fraction(1, 2 ** (c - 1)),
        init=[0.9, 0.1].__getitem__,
        grid=lambda params: [0.6, 0.4][params["eps"]],
    )
    candidates = sweep(("a", "b"), (2, 3), 2, 2)
    weights = prior.candidate_weights(candidates)
    assert check_kraft(weights) == Fraction(3, 4)
    assert weights[0] == {
        "algorithm": Fraction(3, 4),
        "n_clusters": Fraction(1, 2),
        "init": Fraction(9, 10),
        "grid": Fraction(3, 5),
    }


def test_rounding_of_floats_is_divided_out():
    third = 0.33333333333333337
    prior = Prior(algorithm=dict.fromkeys("abc", third))
    assert check_kraft(prior.candidate_weights(sweep("abc"))) == 1
    prior = Prior(algorithm=dict.fromkeys("abcdefghij", 0.1))
    assert prior.candidate_weights(sweep("abcdefghij"))[0]["algorithm"] == Fraction(1, 10)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"a": 1}, r"Prior\(algorithm=...\) has no weight for 'b'"),
        ({"a": 0.75, "b": 0.5}, "2 candidates sum to 1.25; .* at most 1"),
        ({"a": 0.5, "b": 0}, r"weight of 'algorithm' must be a Fraction in \(0, 1\]"),
        ({"a": 0.5, "b": -0.5}, r"weight of 'algorithm' must be a Fraction in \(0, 1\]"),
        ({"a": 0.5, "b": 1.5}, r"weight of 'algorithm' must be a Fraction in \(0, 1\]"),
    ],
)
def test_bad_priors_are_refused(weights, says):
    prior = Prior(algorithm=weights)
    with pytest.raises(ValueError, match=says):
        check_kraft(prior.candidate_weights(sweep("ab")))
    assert check_kraft(prior.candidate_weights(sweep("a"))) == weights["a"]


class WithoutBase:
    """Has the methods, but does not inherit."""

    candidate_weights, label_weight = ALGO.candidate_weights, ALGO.label_weight


@pytest.mark.parametrize("term", ["", 3, "label", "subset", "named", "candidate"])
def test_terms_of_candidates_have_names_of_their_own(term):
    with pytest.raises(ValueError, match="Every term .* non-empty text and none of"):
        check_kraft([{term: Fraction(1)}])
    with pytest.raises(ValueError, match="The weight of 'moon' must be a Fraction in"):
        check_kraft([{"moon": True}])


def test_lookup():
    assert get_language("algo") is ALGO
    assert get_language(ALGO) is ALGO
    assert isinstance(ALGO, Language)
    with pytest.raises(ValueError, match="language must be one of .* got 'all'"):
        get_language("all")
    for no_language in (None, 3, Prior, WithoutBase()):
        with pytest.raises(TypeError, match="inherits from sklearn_pacmdl"):
            get_language(no_language)


def test_what_a_selection_costs_is_known_of_sweeps_that_are_not_paid_for():
    """One cluster has no length where the number of clusters is described."""
    mixed = sweep(n_clusters=(1, 2, 3), n_init=2)
    assert SIMPLE.selection_bits(mixed).tolist() == [0.0] * 6
    assert INIT.selection_bits(mixed).tolist() == [1.0] * 6
    expected = [np.nan, np.nan, 2, 2, 1 + log2(6), 1 + log2(6)]
    assert ALGO.selection_bits(mixed) == pytest.approx(expected, nan_ok=True)


def test_candidates_are_values():
    """A clusterer that is not asked for a start or a grid has the first of each."""
    plain = Candidate("a")
    assert plain == Candidate("a", None, 0, 0)
    assert {plain, Candidate("a", params={"p": 1})} == {plain}
    assert len({plain, Candidate("a", init=1), Candidate("a", grid=1)}) == 3
    with pytest.raises(AttributeError):
        plain.init = 1
