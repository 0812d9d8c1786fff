"""What is checked of a finished data set: every label that people use, by its source."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made import with_confidence

from sklearn_pacmdl.audits import certify_labels, draw_audit, finish_labels
from sklearn_pacmdl.certificates import fingerprint_labels

N_ROWS = 400


class Finished:
    """A data set of which some rows are excluded, some audited, and some left."""

    def __init__(self):
        made = with_confidence(N_ROWS, classes=["elm", "oak"])
        self.truth, labels, confidence = _, self.labels, self.confidence = made
        fixed = {"labels": labels, "confidence": confidence, "random_state": 0}
        self.audit = draw_audit(N_ROWS, 150, exclude=[3, 7], **fixed)
        self.given = labels, confidence, self.audit, self.truth[self.audit.rows]
        self.finished = finish_labels(*self.given, target=0.1)
        self.n_accepted = int(np.sum(self.finished.accepted))
        self.left = self.finished.to_annotators
        self.completed = self.finished.complete(self.truth[self.left])
        accepted = np.flatnonzero(self.finished.accepted)
        self.automatic = np.setdiff1d(accepted, self.audit.rows)

    def verify(self, result, labels, **more):
        return result.certificate.verify(*self.given, finished_labels=labels, **more)


@pytest.fixture(scope="module")
def data():
    data = Finished()
    assert min(len(data.left), len(data.automatic)) > 20
    return data


def changed(labels, rows):
    """The other class, or one where there is none."""
    labels = labels.copy()
    for row in rows:
        labels[row] = "oak" if labels[row] != "oak" else "elm"
    return labels


def test_labels_as_they_were_delivered_are_right(data):
    for result in (data.finished, data.completed):
        assert data.verify(result, result.labels)
        assert "finished_labels: not given" in data.verify(result, None).unchecked
        digest = fingerprint_labels(result.labels[data.audit.not_excluded])
        assert digest == result.certificate.fingerprints["finished"]


def test_what_was_checked_is_listed(data):
    c = data.completed.certificate
    assert str(data.verify(data.completed, data.completed.labels)) == (
        "agrees with the data\n"
        "Checked:\n"
        "- certificate: fields, bound and SHA-256 digest\n"
        "- audit: rows, drawn again from the seed, and SHA-256 digest\n"
        f"- labels: {data.n_accepted} labels accepted again; SHA-256 digest\n"
        "- confidence: the surest labels accepted again\n"
        "- finished_labels: 398 labels compared with their sources; SHA-256 digest\n"
        "- audit_labels: 150 labels counted; SHA-256 digest\n"
        "Not checked:\n"
        "- finished_labels: 2 rows that could not be drawn\n"
        "- certificate: no data show its target, delta, max_annotator_errors, date and "
        "version"
    )
    names = "labels", "confidence", "audit", "audit_labels"
    assert c.verify().unchecked == tuple(f"{name}: not given" for name in names)


@pytest.mark.parametrize("n_changed", [1, 5])
@pytest.mark.parametrize("source", ["audit", "machine", "people"])
def test_changed_labels_are_found_out_whatever_their_source(data, source, n_changed):
    n_automatic = len(data.automatic)
    rows, others = {
        "audit": (data.audit.rows, "150 labels are not those of audit_labels"),
        "machine": (data.automatic, f"{n_automatic} labels are not those of labels"),
        "people": (data.left, None),
    }[source]
    where = np.sort(rows[:n_changed])
    labels = changed(data.completed.labels, where)
    digest = "finished_labels: its SHA-256 digest is not the one that was recorded"
    expected = f"finished_labels: {n_changed} of {others}: rows {where.tolist()}"
    verification = data.verify(data.completed, labels)
    assert verification.problems == (*[expected] * (others is not None), digest)
    assert str(verification).startswith("does not agree\nProblems:\n- finished_labels: ")
    gone = data.completed.labels.astype(object)
    gone[where] = None
    assert not data.verify(data.completed, gone)


def unknown(rows, n_known):
    """The problem of rows with labels that the certificate does not know."""
    rows = np.sort(rows).tolist()
    return (
        f"finished_labels: {len(rows)} rows that were left to people have labels, of "
        f"which the certificate knows {n_known}: rows {rows}; finishing again with these "
        "labels (add_labels, or --rest in the shell) makes a certificate that knows them"
    )


def test_labels_that_the_certificate_does_not_know_are_a_problem(data):
    """Anybody may have filled in the rows that were left when it was issued."""
    labels = data.finished.labels.astype(object)
    labels[data.left[:9]] = "oak"
    verification = data.verify(data.finished, labels)
    assert verification.problems == (unknown(data.left[:9], 0),)
    changed_too = changed(labels, data.automatic[:1])
    assert len(data.verify(data.finished, changed_too).problems) == 2


def test_labels_in_installments_are_checked_as_far_as_they_were_known(data):
    today = data.truth[data.left].astype(object)
    today[9:] = None
    half = data.finished.add_labels(today)
    assert data.verify(half, half.labels).outcome == "agrees with the data"
    assert not data.verify(half, changed(half.labels, data.left[:1]))
    more = changed(half.labels, data.left[9:10])
    assert data.verify(half, more).problems == (unknown(data.left[:10], 9),)


def test_the_audit_has_to_be_that_of_the_certificate(data):
    other = draw_audit(N_ROWS, 150, exclude=[3, 7], random_state=1)
    labels, confidence, _, answers = data.given
    c, done = data.completed.certificate, data.completed.labels
    verification = c.verify(labels, confidence, other, answers, finished_labels=done)
    assert verification.problems == ("audit: it is not the audit of the certificate",)
    short = c.verify(labels[1:], *data.given[1:])
    assert short.problems == ("labels: it has 399 rows, and the audit is of 400",)


@pytest.mark.parametrize(("design", "size"), [(None, 40), ("groups", 10), ("strata", 40)])
def test_labels_that_the_audit_was_not_drawn_for_are_told(design, size):
    """An honest certificate of other labels, were there one."""
    rows = np.arange(400)
    truth, other = rows % 2, np.where(rows < 40, 1 - rows % 2, rows % 2)
    plan = {"random_state": 0} | ({design: rows // 4 % 20} if design else {})
    free, audit = (draw_audit(400, size, labels=own, **plan) for own in (None, truth))
    certificate = certify_labels(other, free, truth[free.rows])
    digests = certificate.fingerprints | {"audit": audit.digest}
    changes = {"fingerprints": digests, "provisos": certificate.assumed}
    forged = replace(certificate, **changes)._issued()
    problem = "labels: they are not those that the audit was drawn for"
    assert forged.verify(other, audit, truth[audit.rows]).problems == (problem,)


def test_an_audit_is_compared_with_what_it_was_drawn_for(data):
    assert data.audit.verify(data.labels, data.confidence)
    verification = data.audit.verify(data.labels)
    assert verification.outcome == "agrees with the data"
    assert verification.checked[1:] == ("labels: SHA-256 digest",)
    unshown = f"audit: no data show its {UNSHOWN}"
    assert verification.unchecked == ("confidence: not given", unshown)
    problem = "labels: its SHA-256 digest is not the one that was recorded"
    assert data.audit.verify(changed(data.labels, [0])).problems == (problem,)
    assert not data.audit.verify(confidence=-data.confidence)
    problem = "n_rows is 400 here and 401 in the data"
    assert data.audit.verify(n_rows=401).problems == (problem,)


@pytest.fixture
def run(data, shell):
    """Run commands in a folder with a finished data set; output and errors."""
    columns = {"auto": data.labels, "sure": data.confidence}
    pd.DataFrame(columns).to_csv("d.csv", index=False)
    Path("a.json").write_text(data.audit.to_json(), encoding="utf-8")
    for rows, name in ((data.audit.rows, "filled"), (data.left, "rest")):
        sheet = pd.DataFrame({"row": rows, "label": data.truth[rows]})
        sheet.to_csv(f"{name}.csv", index=False)

    finish = "audit finish d.csv --labels auto --confidence sure --audit a.json "
    finish += "--answers filled.csv --target .1 --output"
    shell(f"{finish} part")
    shell(f"{finish} whole --rest rest.csv")
    return shell


VERIFY = "verify whole.json --data whole.csv"
PEOPLE = "--confidence sure --audit a.json --answers filled.csv"


def test_the_shell_lists_every_file_and_column(data, run):
    expected = (
        "Checked:\n"
        "- whole.json: fields, bound and SHA-256 digest\n"
        "- a.json: rows, drawn again from the seed, and SHA-256 digest\n"
        f"- whole.csv, column 'automatic_label': {data.n_accepted} labels accepted "
        "again; SHA-256 digest\n"
        "- whole.csv, column 'sure': the surest labels accepted again\n"
        "- whole.csv, column 'label': 398 labels compared with their sources; SHA-256 "
        "digest\n"
        "- filled.csv, column 'label': 150 labels counted; SHA-256 digest\n"
        "- whole.csv, column 'row': 400 entries compared\n"
        "- whole.csv, column 'source': 400 entries compared\n"
        "Not checked:\n"
        "- whole.csv, column 'label': 2 rows that could not be drawn\n"
        "- whole.json: no data show its target, delta, max_annotator_errors, date and "
        "version\n"
    )
    first = "whole.json: agrees with the data\nWith probability at least 90%"
    for labels in ("", "--labels label", "--labels automatic_label"):
        out, err = run(f"{VERIFY} {labels} {PEOPLE}")
        assert (out[: len(first)], out[-len(expected) :], err) == (first, expected, "")
    run(f"verify part.json --data part.csv {PEOPLE}")


@pytest.mark.parametrize("column", ["label", "automatic_label"])
def test_changed_columns_are_found_out_by_the_shell(data, run, column):
    table = pd.read_csv("whole.csv", dtype=str, keep_default_na=False)
    rows = data.automatic[:46]
    of_others = f"46 of 400 are wrong: rows {rows.tolist()[:5]}"[:-1]
    places = {
        "label": f"46 of {len(data.automatic)} labels are not those of whole.csv, column "
        "'automatic_label': rows [",
        "automatic_label": "they are not those that the audit was drawn for",
        "source": of_others,
        "row": of_others,
    }
    for name, problem in places.items():
        other = table.copy()
        other.loc[rows, name] = np.where(other.loc[rows, name] == "elm", "oak", "elm")
        other.to_csv("whole.csv", index=False)
        out, err = run(f"{VERIFY} --labels {column} {PEOPLE}", 1)
        assert out.startswith("whole.json: does not agree\n")
        agree, wrong = re.split(" agrees? with whole.json, but ", out.splitlines()[1])
        assert agree.startswith("a.json" if "label" in name else "The labels")
        assert f"whole.csv, column '{name}'" in wrong
        assert "Checked:\n- whole.json: fields, bound and SHA-256 digest\n" in out
        assert "With probability" not in out
        assert f"problem: whole.csv, column '{name}': {problem}" in err


def test_all_that_was_given_is_required(run):
    table = pd.read_csv("whole.csv", dtype=str, keep_default_na=False)
    table.drop(columns="source").to_csv("sourceless.csv", index=False)
    out, _ = run(f"{VERIFY} {PEOPLE}".replace("whole.csv", "sourceless.csv"))
    assert "- sourceless.csv, column 'source': there is no such column\n" in out
    table.drop(columns="automatic_label").to_csv("unlabeled.csv", index=False)
    for command, options in (
        (VERIFY, "--audit, --answers, --confidence"),
        (f"{VERIFY} --audit a.json --answers filled.csv", "--confidence"),
        (f"{VERIFY} {PEOPLE}".replace("whole.csv", "unlabeled.csv"), "--labels"),
    ):
        _, err = run(command, 2)
        assert err == f"error: --data requires {options}.\n"


UNSHOWN = (
    "size, seed, seed_text, excluded, known_labels, design, target, delta, classes, "
    "source, random_choice_p_value, random_choice_test, date and version"
)


def test_the_shell_compares_an_audit_with_its_labels(run):
    out, _ = run("verify a.json --data d.csv --labels auto")
    assert out == (
        "a.json: agrees with the data\n"
        "Audit(150 of 398 rows)\n"
        "Checked:\n"
        "- a.json: rows, drawn again from the seed, and SHA-256 digest\n"
        "- d.csv, column 'auto': SHA-256 digest\n"
        "Not checked:\n"
        "- confidences (--confidence): not given\n"
        "- d.csv: no digest covers column 'sure'\n"
        f"- a.json: no data show its {UNSHOWN}\n"
    )
    out, _ = run("verify a.json --data d.csv --labels auto --confidence sure")
    assert "- d.csv, column 'sure': SHA-256 digest\n" in out
    for options, column in (("", "label"), ("--confidence row", "row")):
        _, err = run(f"verify a.json --data whole.csv --labels label {options}", 1)
        assert f"whole.csv, column '{column}': its SHA-256 digest is not the" in err
    _, err = run(f"verify a.json --data d.csv --labels auto {PEOPLE}", 2)
    assert err == "error: --audit, --answers require a certificate, not an audit.\n"


def test_excluded_rows_are_known_only_if_the_audit_has_their_labels(data):
    certificate = data.finished.certificate
    altered = replace(certificate, n_known=certificate.n_excluded, n_excluded=0)
    altered = replace(altered, provisos=altered.assumed)._issued()
    assert altered.verify()
    assert "n_known is 2 here and 0 in the data" in altered.verify(*data.given).problems
