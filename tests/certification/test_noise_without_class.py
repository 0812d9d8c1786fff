"""Noise that is given no class: what is claimed of the other rows, and what is chosen."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sweeps

from sklearn_pacmdl import certify_clusterings

KINDS = ["learned", "holdout", "pac-mdl"]
N = 600
RNG = np.random.RandomState(0)
TRUTH = RNG.randint(3, size=N)
CLUSTERS = np.where(RNG.uniform(size=N) < 0.05, RNG.randint(3, size=N), TRUTH)
NOISE = RNG.uniform(size=N) < 0.3
Y = np.where(RNG.permutation(N) < 240, TRUTH, -1)
CLUSTERING = np.where(NOISE, -1, CLUSTERS)


def certified(clusterings, y=Y, **kwargs):
    given = {"noise": "abstain", "random_state": 0} | kwargs
    return certify_clusterings(clusterings, y, **given)


def test_the_same_as_of_the_other_rows_alone():
    """Where all labels certify, rows of noise might as well not be there."""
    found = certified({"a": CLUSTERING}, certify="pac-mdl")
    rest = {"a": CLUSTERING[~NOISE]}, Y[~NOISE]
    alone = certify_clusterings(*rest, certify="pac-mdl", random_state=0)
    own, other = found.certificate, alone.certificate
    assert (own.n_train, own.n_test) == (other.n_train, other.n_test)
    assert found.bound == alone.bound
    assert found.coverage == np.mean(~NOISE[Y < 0])
    assert own.n_test_abstained == np.sum(NOISE & (Y < 0))
    assert own.n_train_abstained == np.sum(NOISE & (Y >= 0))
    assert f"of the {own.n_test} unlabeled rows that are given a label" in own.statement
    assert np.array_equal(found.transduction[~NOISE], alone.transduction)
    assert np.all(found.transduction[NOISE] == -1)
    assert own.verify(Y, found.transduction).passed


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_certifying_row_all_may_be_wrong(kind):
    own = sweeps.way(kind, drops_noise=True)
    labeled = np.array([[0, 0], [0, 0], [9, 9]])
    select = labeled if own.method.fraction else 0 * labeled
    counts = sweeps.counts_of(select, labeled, test=np.array([30, 10, 20]))
    claim = sweeps.bound(sweeps.sweep_of(own, [counts], noise=[2])).best[0][0]
    assert (claim.bound, claim.option.n_test, claim.option.n_train) == (1.0, 40, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_calls_nearly_all_noise_is_not_chosen(kind):
    few = np.where(np.arange(N) < N // 2, TRUTH, -1)
    every = np.where(RNG.uniform(size=N) < 0.3, RNG.randint(3, size=N), TRUTH)
    found = certified({"few": few, "all": every}, certify=kind)
    assert found.best_name == "all"
    column = "rank_selection_error" if kind == "holdout" else "rank_uncertified"
    assert found.results[column].tolist() == [2, 1]
    if kind == "pac-mdl":
        bounds, shares = (found.results[f"mean_{c}"] for c in ("test_bound", "coverage"))
        assert bounds[0] < bounds[1]
        expected = 1 - shares + shares * bounds
        assert found.results["mean_uncertified"] == pytest.approx(expected)
        assert found.results["ranking_value"] == pytest.approx(expected)


def test_expected_errors_count_noise():
    few = np.where(np.arange(N) < N // 6, TRUTH, -1)
    found = certified({"few": few, "all": CLUSTERS}, choose="errors")
    assert found.best_name == "all"
    # Of the other rows none is wrong, nor is the only one of its cluster.
    assert found.results["mean_estimated_error"][0] == np.mean(few[Y >= 0] == -1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", [None, 0.2])
def test_without_noise_nothing_changes(kind, target):
    given = {"a": CLUSTERS, "b": TRUTH // 2}
    with_class, without = (
        certified(given, certify=kind, target=target, noise=noise)
        for noise in ("cluster", "abstain")
    )
    assert with_class.certificate == without.certificate
    assert np.array_equal(with_class.transduction, without.transduction)
    kept = with_class.results["mean_test_bound"]
    assert np.array_equal(kept, without.results["mean_test_bound"], equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_within_a_target_noise_is_left_out_first(kind):
    """Even if all of it is of one class."""
    of_four = np.where(CLUSTERS == 2, RNG.randint(2, 4, size=N), CLUSTERS)
    for noise in (NOISE, TRUTH == 1):
        found = certified({"a": np.where(noise, -1, of_four)}, certify=kind, target=0.3)
        assert found.bound <= 0.3
        assert 0 < found.coverage <= np.mean(~noise[Y < 0])
        assert found.clusters.loc[-1, "named_by"] == "left out"
        assert np.all(found.transduction[noise] == -1)


@pytest.mark.parametrize("kind", KINDS)
def test_all_is_noise(kind):
    every = np.full(N, -1)
    every[np.flatnonzero(Y >= 0)[:3]] = 0
    with pytest.warns(UserWarning, match="All unlabeled rows are noise, so no row"):
        found = certified({"a": every, "b": np.full(N, -1)}, certify=kind)
    assert found.certificate is None
    assert found.coverage == 0
    assert np.isnan(found.bound)
    assert np.all(found.transduction == -1)
    with pytest.warns(UserWarning, match="No set of clusters"):
        assert certified({"a": every}, certify=kind, target=0.1).coverage == 0


def test_choice_by_selecting_rows_does_not_see_which_rows_certify():
    """How many of a candidate's rows certify must not move weight to other candidates."""
    own = sweeps.way("learned", within=0.2, drops_noise=True)
    select, sizes = np.array([[20, 0], [1, 19], [10, 10]]), np.array([150, 150, 110])
    counted = []
    for certify in ([[30, 0], [1, 29], [5, 5]], [[10, 0], [0, 10], [25, 25]]):
        test = sizes - (select + certify).sum(axis=1)
        counts = sweeps.counts_of(select, np.array(certify), test=test)
        counted += sweeps.sweep_of(own, [counts], noise=[2]).counted
    one, other = counted
    assert one.preferences == other.preferences
    assert one.selection_errors == other.selection_errors
    sets = ([o.classes == -1 for o in each.options[0]] for each in counted)
    assert np.array_equal(*sets)


def test_distances_to_noise_are_not_looked_at():
    """A cluster without labels takes the class of the nearest one that has a class."""
    far = np.array([[0.0, 1, 5], [1, 0, 9], [5, 9, 0]])
    counts = sweeps.counts_of(
        np.zeros((3, 2), dtype=int),
        np.array([[0, 0], [0, 20], [20, 0]]),
        test=np.array([10, 10, 10]),
    )
    counts = replace(counts, distances=lambda: far)
    own = sweeps.way("pac-mdl", drops_noise=True)
    (option,) = sweeps.sweep_of(own, [counts], noise=[1]).counted[0].options[0]
    assert option.classes.tolist() == [0, -1, 0]


@pytest.mark.parametrize("name", [np.nan, "-1", None])
def test_names_of_noise(name):
    named = pd.Series(np.array(["x", "y", "z"], dtype=object)[CLUSTERS])
    named[NOISE] = name
    found = certified({"a": named})
    assert np.all(found.transduction[NOISE] == -1)
    assert found.bound == certified({"a": CLUSTERING}).bound


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_an_engine(kind):
    frame = pl.DataFrame({"a": CLUSTERING, "y": Y})
    found, in_memory = (
        certified(rows, "y", certify=kind) for rows in (frame.lazy(), frame)
    )
    assert found.coverage == in_memory.coverage
    assert found.clusters.loc[-1, "named_by"] == "left out"
    assert kind != "pac-mdl" or found.bound == in_memory.bound  # nothing is divided
