"""Files of every kind of record, written once, are read and verified for ever.

``tests/records`` has one of each kind. A file is written anew only if it is deleted, by
``python tests/audits/test_kept_files.py``: after a release no file may be.
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import (
    Audit,
    AuditMonitor,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.certificates import (
    BoundCertificate,
    Certificate,
    HoldoutCertificate,
    LearnedCertificate,
)

FOLDER = Path(__file__).parents[1] / "records"
FILES = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.json")}


def kinds(cls=Certificate):
    """Those of the package, which a class has by its definition."""
    for each in cls.__subclasses__():
        if each.__module__.startswith("sklearn_pacmdl."):
            yield from [each.kind] * bool(each.kind)
            yield from kinds(each)


KINDS = [*dict.fromkeys(kinds())]
OTHERS = ["drawn", "drawn by groups", "drawn by strata", "monitor"]


def make():
    """A record of each kind."""
    n = np.arange(120)
    truth = np.where(n % 3, "b", "a")
    labels = np.where(n % 20, truth, "c")
    data = pd.DataFrame({"text": [f"text {i}" for i in n]})
    given = {"labels": labels, "seed_text": "the lottery numbers 1 2 3"}
    drawn = draw_audit(120, 40, confidence=n / 120, data=data, **given)
    by_groups = draw_audit(120, 6, groups=n // 10, **given)
    by_strata = draw_audit(120, 40, strata=labels, **given)
    answers = {audit: truth[audit.rows] for audit in (drawn, by_groups, by_strata)}
    finished = finish_labels(labels, n / 120, drawn, answers[drawn], target=0.2)
    weights = {"label": Fraction(1, 9)}
    certificates = [
        BoundCertificate.from_counts(100, 200, 4, weights=weights),
        LearnedCertificate.from_counts(100, 200, 4, weights=weights, n_select=50),
        HoldoutCertificate.from_counts(100, 200, 4, weights={}, n_select=50),
        *(certify_labels(labels, audit, y) for audit, y in answers.items()),
        finished.certificate,
        certify_share(labels, drawn, answers[drawn], of="a"),
        class_report(labels, drawn, answers[drawn], sides=2),
        certify_difference(labels, np.roll(labels, 1), drawn, answers[drawn]),
        certify_labels(labels, drawn, answers[drawn], by=n // 60),
    ]
    monitor = AuditMonitor(1000, 0.1, max_labels=200).update(20, 1)
    others = dict(zip(OTHERS, (*answers, monitor), strict=True))
    return {certificate.kind: certificate for certificate in certificates} | others


def test_there_is_a_file_of_each_kind():
    assert {*FILES} == {*KINDS, *OTHERS} == {*make()}


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_that_were_kept_state_the_same(kind):
    certificate = Certificate.from_json(FILES[kind])
    assert certificate.kind == kind
    verification = certificate.verify()
    assert verification, verification.problems
    assert json.loads(certificate.to_json()) == json.loads(FILES[kind])
    # So that nothing is in the class that a file of today lacks.
    assert type(certificate) is type(make()[kind])


@pytest.mark.parametrize("name", FILES)
def test_files_of_another_format_are_to_be_made_again(name, tmp_path, capsys):
    values = json.loads(FILES[name])
    path = tmp_path / "old.json"
    path.write_text(json.dumps(values | {"format": values["format"] - 1}), "utf-8")
    assert main(["verify", str(path)]) == 2
    if name != "monitor":
        what = "its format is 5, not 6: another version of the package wrote it, so compu"
        assert what in capsys.readouterr().err


@pytest.mark.parametrize("name", OTHERS[:3])
def test_audits_that_were_kept_are_drawn_again(name):
    audit = Audit.from_json(FILES[name])
    assert audit.verify()
    assert json.loads(audit.to_json()) == json.loads(FILES[name])
    if name == "drawn":  # columns have the same digests
        texts = pd.DataFrame({"text": [f"text {i}" for i in range(120)]})
        assert [*audit.columns] == ["text"]
        assert audit.verify(data=texts)
        assert not audit.verify(data=texts[::-1])


def test_a_monitor_that_was_kept_goes_on():
    monitor = AuditMonitor.from_json(FILES["monitor"])
    assert json.loads(monitor.to_json()) == json.loads(FILES["monitor"])
    assert monitor.state == "go on"
    assert monitor.update(100, 0).state == "certified"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, record in make().items():
        if name not in FILES:
            (FOLDER / f"{name}.json").write_text(f"{record.to_json()}\n", "utf-8")
