"""Several certificates at once, delta spent once."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from sklearn_pacmdl import BoundCertificate, pac_mdl_bound
from sklearn_pacmdl.certificates import JointCertificate, joint_certificate

ALPHA = 1e-6


def certificate(errors=12, delta=0.1, **kwargs):
    weights = {"label": Fraction(1, 16)}
    return BoundCertificate.from_counts(
        200, 300, errors, weights=weights, delta=delta, **kwargs
    )


def test_each_bound_is_that_of_its_share():
    singles = [certificate(12), certificate(30, kind="holdout", n_select=50)]
    joint = joint_certificate(singles, shares=[0.75, 0.25])
    for single, restated, share in zip(
        singles, joint.certificates, (0.75, 0.25), strict=True
    ):
        expected = pac_mdl_bound(
            200, 300, single.n_train_errors, description_length=4, delta=0.1 * share
        )
        assert restated.max_test_errors == expected >= single.max_test_errors
        assert restated.bits["joint"] == pytest.approx(-np.log2(share))
        assert (restated.kind, restated.n_select) == (single.kind, single.n_select)
        assert restated.verify()
        assert BoundCertificate.from_json(restated.to_json()) == restated
    assert joint.verify()


def test_statement_and_html():
    singles = [certificate(12, provisos=("p",)), certificate(30, provisos=("p",))]
    joint = joint_certificate(singles)
    assert str(joint).startswith("With probability at least 90% over the random choice")
    assert "(1) at most " in joint.statement
    assert "; (2) at most " in joint.statement
    assert joint.statement.endswith(
        "provided the labeled rows are a uniformly random choice and p."
    )
    assert joint._repr_html_().count("<table>") == 2


def test_a_failed_test_of_the_choice_is_said_once():
    facts = {"random_choice_p_value": 0.0002}
    joint = joint_certificate([certificate(12, facts=facts), certificate(30), certificate(
        9, facts=facts)])  # fmt: skip
    assert joint.statement.endswith(
        "provided the labeled rows are a uniformly random choice; but the labeled rows "
        "do not look like a random choice (p = 0.0002)."
    )
    assert joint.statement in joint._repr_html_()
    assert str(JointCertificate.from_json(joint.to_json())) == joint.statement


def test_round_trip():
    singles = [certificate(12), certificate(30, kind="holdout", n_select=50)]
    joint = joint_certificate(singles, shares=[Fraction(2, 3), Fraction(1, 3)])
    again = JointCertificate.from_json(joint.to_json(indent=1))
    assert again == joint
    assert again.verify()
    # Whoever changes a share in the text is found out.
    greedy = joint.to_json().replace('"1/3"', '"1/2"')
    assert greedy != joint.to_json()
    assert not JointCertificate.from_json(greedy).verify()


def test_none_can_be_dropped():
    joint = joint_certificate([certificate(errors) for errors in (12, 13, 40)])
    text = json.loads(joint.to_json())
    text["joint"] = text["joint"][:2]
    fewer = JointCertificate.from_json(json.dumps(text))
    assert "of 3 certificates that were issued together, 2 are present" in str(
        fewer.verify()
    )
    text["shares"] = text["shares"][:2]
    fewer = JointCertificate.from_json(json.dumps(text))
    assert "of 3 certificates that were issued together, 2 are present" in str(
        fewer.verify()
    )
    text["n_certificates"] = 2
    (problem,) = JointCertificate.from_json(json.dumps(text)).verify().problems
    assert problem == "digest is not that of the other fields"
    text["joint"] = []
    with pytest.raises(ValueError, match="it must have 1 to 256 certificates"):
        JointCertificate.from_json(json.dumps(text))


@pytest.mark.parametrize(
    "change",
    [
        {"certificates": ()},
        {"certificates": ("a",)},
        {"certificates": None},
        {"delta": np.inf},
        {"delta": "0.1"},
        {"delta": True},
        {"shares": None},
        {"shares": (0.5, 0.5)},
        {"shares": (Fraction(2), Fraction(-1))},
        {"n_certificates": "2"},
    ],
)
def test_malformed_certificates_state_nothing(change):
    joint = replace(joint_certificate([certificate(), certificate()]), **change)
    assert not joint.verify()
    assert joint.statement.startswith("These certificates state nothing: ")


def test_statement_of_divided_and_of_drawn_labels():
    """What is random, and what the rows are called, is said of each."""
    unlike = [certificate(12, drawn=True), certificate(30, kind="holdout", n_select=5)]
    first, second = (
        pac_mdl_bound(200, 300, errors, description_length=5) for errors in (12, 30)
    )
    assert (first, second) == (41, 76)
    assert joint_certificate(unlike).statement == (
        "With probability at least 90% over the random choice of the labeled rows and of "
        "their division, all of these hold: (1) at most 41 of the 300 held-out rows "
        "(13.67%) are labeled wrongly; (2) at most 76 of the 300 unlabeled rows (25.34%) "
        "are labeled wrongly, provided the labeled rows are a uniformly random choice."
    )


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        "{}",
        '{"joint": 3, "delta": 0.1}',
        '{"joint": [], "delta": 0.1, "format": 4}',
        '{"joint": [{}], "delta": 0.1, "format": 4}',
        '{"joint": [1], "delta": 0.1, "format": 4}',
        joint_certificate([certificate()]).to_json().replace('"n_cert', '"n'),
        joint_certificate([certificate()])
        .to_json()
        .replace('"format": 4}', '"format": 1}'),
        certificate().to_json(),
    ],
)
def test_what_is_no_joint_certificate(text):
    with pytest.raises(ValueError, match="Not a (joint )?certificate"):
        JointCertificate.from_json(text)


def test_an_altered_share_is_found_out():
    joint = joint_certificate([certificate(), certificate()])
    first, second = joint.certificates
    greedy = replace(first, weights=dict(first.weights) | {"joint": Fraction(1)})
    assert not replace(joint, certificates=(greedy, second)).verify()
    assert not replace(joint, certificates=(first, second, first)).verify()
    assert not replace(joint, delta=0.05).verify()


@pytest.mark.parametrize(
    ("certificates", "shares", "message"),
    [
        ([], None, "certificates must be a sequence of 1 to 256 BoundCertificates, got"),
        (["a"], None, "must be a sequence of 1 to 256 BoundCertificates, got .*'a'"),
        (certificate(), None, "must be a sequence of .*, got BoundCertificate"),
        ([certificate(delta=0.1), certificate(delta=0.2)], None, "the same delta"),
        (None, None, "must be a sequence of 1 to 256 BoundCertificates, got None"),
        ([certificate()], 1, "shares must be 1 positive .* got 1"),
        ([certificate()], [0.5, 0.5], "shares must be 1 positive"),
        ([certificate(), certificate()], [0.5, 0.6], "sum to at most 1"),
        ([certificate(), certificate()], [1.0, 0.0], "shares must be 2 positive"),
    ],
)
def test_bad_input(certificates, shares, message):
    with pytest.raises(ValueError, match=message):
        joint_certificate(certificates, shares=shares)


def test_joint_is_not_made_joint_again():
    joint = joint_certificate([certificate()])
    with pytest.raises(
        ValueError, match="certificates must be without shares of delta, got"
    ):
        joint_certificate(joint.certificates)


@pytest.mark.slow
@pytest.mark.parametrize("paid", [True, False])
def test_simulated_coverage_of_many_splits(paid):
    """Ten random splits of the same rows, one labeling fixed beforehand.

    Joint bounds hold together; the control, single bounds, does not.
    """
    rng, trials, failed = np.random.default_rng(0), 400, 0
    wrong = np.zeros(300, dtype=bool)
    wrong[:60] = True
    bits = np.log2(10) if paid else 0.0
    for _ in range(trials):
        seen = np.array([rng.permutation(wrong)[:100].sum() for _ in range(10)])
        bound = pac_mdl_bound(100, 200, seen, description_length=bits, delta=0.1)
        failed += np.any(60 - seen > bound)
    assert (binom.sf(failed - 1, trials, 0.1) < ALPHA) != paid
