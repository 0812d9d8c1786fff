"""scikit-learn's own tests of metadata routing in meta-estimators, run on ours."""

import pytest
from sklearn.tests import test_metaestimators_metadata_routing as suite
from sklearn.utils.metadata_routing import MetadataRouter

from sklearn_pacmdl import PACMDLSearchCV

# Their rows are noise, and their splitter is no random choice of rows.
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::UserWarning")]


def search_of_groups(**kwargs):
    return PACMDLSearchCV(**kwargs).set_fit_request(groups=True)


SEARCH = {
    "metaestimator": PACMDLSearchCV,
    "estimator": "classifier",
    "estimator_name": "estimator",
    "init_args": {"random_state": 0, "certify": "learned"},
    "X": suite.X,
    "y": suite.y,
    "estimator_routing_methods": ["fit"],
    "preserves_metadata": "subset",
    "scorer_name": "scoring",
    "scorer_routing_methods": ["fit"],
    "cv_name": "cv",
    "cv_routing_methods": ["fit"],
}
# What they check of searches.
CHECKS = [
    "test_default_request",
    "test_error_on_missing_requests_for_sub_estimator",
    "test_setting_request_on_sub_estimator_removes_error",
    "test_non_consuming_estimator_works",
    "test_metadata_is_routed_correctly_to_scorer",
    "test_metadata_is_routed_correctly_to_splitter",
]


@pytest.mark.parametrize("check", CHECKS)
def test_search(check):
    getattr(suite, check)(SEARCH)


def test_search_with_a_splitter_of_groups():
    # The groups are metadata of our own fit, too, which tests the choice of rows by them.
    suite.test_metadata_routed_to_group_splitter(
        SEARCH | {"metaestimator": search_of_groups}
    )


# What asks for nothing gets nothing.
@pytest.mark.parametrize("check", [c for c in CHECKS[1:] if "non_consuming" not in c])
def test_their_checks_find_a_search_that_routes_nothing(check, monkeypatch):
    router = MetadataRouter(owner="nothing")
    monkeypatch.setattr(PACMDLSearchCV, "get_metadata_routing", lambda self: router)
    with pytest.raises((AssertionError, TypeError, KeyError, AttributeError)):
        getattr(suite, check)(SEARCH)
