"""A certificate is of the kind of the method of certification, at every entry point."""

from itertools import product

import numpy as np
import pytest
from conftest import hide
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import Prior

METHODS = ["pac-mdl", "learned", "holdout"]
KMEANS = KMeans(n_init=1)


@pytest.fixture(scope="module")
def seen(iris):
    return hide(iris[1])


def certificates(iris, seen, settings):
    """Of a search, of given clusterings, and of counts; the same within a target."""
    counts = [cluster_counts([[25, 0, 1], [0, 25, 2], [0, 3, 24]], [25, 25, 25])]
    for target in (None, 0.4):
        given = {"random_state": 0, "target": target} | settings
        search = PACMDLSearchCV(KMEANS, n_clusters=[3], **given).fit(iris[0], seen)
        yield search.certify_, search.certificate_
        for certified in (
            certify_clusterings([search.labels_], seen, **given),
            certify_clusterings(counts, **given),
        ):
            yield certified.certify, certified.certificate


@pytest.mark.parametrize(
    ("certify", "language"),
    [
        *product([*METHODS, "auto"], [None]),
        *product([*METHODS[:2], "auto"], [Prior(), "algo"]),
    ],
)
def test_the_kind_is_the_method(certify, language, iris, seen):
    used = "learned" if certify == "auto" else certify
    given = {"certify": certify, "language": language}
    for method, certificate in certificates(iris, seen, given):
        assert certificate.kind == method == used
        assert certificate.verify()


@pytest.mark.parametrize("certify", METHODS)
def test_a_plain_table_is_small(certify, iris, seen):
    search = PACMDLSearchCV(KMEANS, n_clusters=[2, 3], certify=certify, random_state=0)
    columns = search.fit(iris[0], seen).cv_results_
    plain = [name for name in columns if not name.startswith(("param_", "split"))]
    assert len(plain) <= (18 if certify == "pac-mdl" else 15), plain


@pytest.mark.parametrize("settings", [{}, {"noise": "abstain"}, {"target": 0.9}])
@pytest.mark.parametrize("certify", METHODS)
def test_bounds_of_the_paper_are_those_of_its_criterion(certify, settings, iris, seen):
    """Where every row has a class; NaN for numbers that a language cannot describe."""
    search = PACMDLSearchCV(KMEANS, certify=certify, n_clusters=[1, 3], random_state=0)
    results = search.set_params(**settings).fit(iris[0], seen).cv_results_
    names = {f"mean_{name}_bound" for name in ("simple", "init", "cluster", "algo")}
    there = names if certify == "pac-mdl" and not settings else set()
    assert names & results.keys() == there
    for name in there:
        missing = name in ("mean_cluster_bound", "mean_algo_bound")
        assert np.isnan(results[name]).tolist() == [missing, False]
