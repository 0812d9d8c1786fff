"""Forged files: one field altered, all that follows from it and the digest recomputed.

With the full data, either a problem is found, or the field is among those that no data
show, each with its reason, and the verification lists it under "Not checked".
"""

import json
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made import KINDS, MALFORMED, SELECT, counted, sealed

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import (
    Audit,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.certificates import BoundCertificate, Certificate

N_ROWS = 160
RNG = np.random.RandomState(0)
CLASSES = np.array(["ham", "spam"])
TRUTH = CLASSES[RNG.randint(2, size=N_ROWS)]
SURE = RNG.uniform(size=N_ROWS)
LABELS = np.where(RNG.uniform(size=N_ROWS) < 0.3 * (1 - SURE), "spam", TRUTH)
SECOND = np.where(RNG.uniform(size=N_ROWS) < 0.2, "ham", TRUTH)
PART = np.where(np.arange(N_ROWS) % 3, "first", "second")
TEXTS = pd.DataFrame({"text": [f"t{i}" for i in range(N_ROWS)]})
FIXED = {"labels": LABELS, "data": TEXTS, "exclude": [3, 7], "random_state": 0}


def of_audit(**how):
    audit = draw_audit(N_ROWS, how.pop("size", 60), **{**FIXED, **how})
    return audit, TRUTH[audit.rows]


def data_of(audit, answers, **more):
    data = {"labels": LABELS, "audit": audit, "audit_labels": answers, "data": TEXTS}
    return data | more


def certified(sides=1, **how):
    given = of_audit(**how)
    certificate = certify_labels(LABELS, *given, sides=sides)
    return certificate, data_of(*given), {"auto": LABELS}


def by_segment(certify=certify_labels, **what):
    given = of_audit()
    certificate = certify(LABELS, *given, by=PART, **what)
    return certificate, data_of(*given, by=PART), {"auto": LABELS, "part": PART}


def finished(by=None, **how):
    audit, answers = of_audit(confidence=SURE, **how)
    result = finish_labels(LABELS, SURE, audit, answers, target=0.1, by=by)
    left = result.to_annotators
    some = np.where(np.arange(len(left)) < 2, TRUTH[left], None)
    result = result.add_labels(some)
    more = {"confidence": SURE, "finished_labels": result.labels}
    source = np.where(result.accepted, "automatic", None)
    source[result.by_annotators] = "person"
    columns = {"label": result.labels, "source": source, "automatic_label": LABELS}
    columns["sure"] = SURE
    if by is not None:
        more, columns = more | {"by": by}, columns | {"part": by}
    return result.certificate, data_of(audit, answers, **more), columns


def share():
    audit, answers = of_audit(seed_text="lottery 1 2 3", random_state=None)
    certificate = certify_share(LABELS, audit, answers, of="spam")
    return certificate, data_of(audit, answers), {"auto": LABELS}


def by_class():
    what = {"metrics": ("precision", "total", "macro_error"), "classes": ["ham", "eggs"]}
    given = of_audit()
    certificate = class_report(LABELS, *given, sides=2, **what)
    return certificate, data_of(*given), {"auto": LABELS}


def difference():
    audit, answers = of_audit(labels=None)
    both = {"first": LABELS, "second": SECOND}
    data = both | {"audit": audit, "audit_labels": answers}
    return certify_difference(**data), data, None


def versions():
    audit, _ = of_audit()
    both = {"first": TRUTH[audit.rows], "second": SECOND[audit.rows]}
    certificate = certify_difference(**both, audit=audit, of="spam")
    return certificate, both | {"audit": audit, "data": TEXTS}, None


def searched(certify):
    y = np.where(np.random.RandomState(1).permutation(N_ROWS) < 50, TRUTH, None)
    clusterings = [CLASSES.searchsorted(LABELS), CLASSES.searchsorted(SECOND)]
    result = certify_clusterings(clusterings, y, certify=certify, random_state=0)
    data = {"y": y, "labels": result.transduction}
    if certify in SELECT:
        data["certifying"] = result.division[1]
    use = np.where(pd.isna(y), None, "select")
    use[result.division[1]] = "certify"
    columns = {"topic": y, "certified": result.transduction, "use": use}
    return result.certificate, data, columns


def of_others(groups=None):
    """An audit of rows that somebody else drew, some of which were known before."""
    known = np.where(np.arange(N_ROWS) < 20, TRUTH, None)
    rows = 20 + np.random.RandomState(1).permutation(140)[:60]
    sure, options = {"confidence": SURE}, {"known_labels": known, "labels": LABELS}
    if groups is not None:
        drawn = 5 + np.random.RandomState(1).permutation(35)[:15]
        rows = np.flatnonzero(np.isin(groups, drawn))
        sure, options = {}, options | {"groups": groups, "random_state": 0}
    audit = Audit.of_rows(rows, N_ROWS, source="project 7", **options, **sure)
    return audit, {"labels": LABELS} | sure, {"auto": LABELS, "sure": SURE}


def drawn(**how):
    audit, _ = of_audit(confidence=SURE, **how)
    data = {"labels": LABELS, "confidence": SURE, "data": TEXTS}
    return audit, data, {"auto": LABELS, "sure": SURE}


MAKE = {
    "audit": lambda: certified(seed_text="lottery 1 2 3", random_state=None),
    "audit, two sides": lambda: certified(sides=2),
    "groups": lambda: certified(groups=np.arange(N_ROWS) // 4, size=15),
    "strata": lambda: certified(strata=LABELS),
    "finished": finished,
    "finished, planned": lambda: finished(target=0.1, delta=0.1),
    "finished segments": lambda: finished(by=PART),
    "share": share,
    "segments": by_segment,
    "shares of segments": lambda: by_segment(certify_share, of="spam"),
    "difference": difference,
    "versions": versions,
    "classes": by_class,
    "drawn": drawn,
    "drawn from the surest": lambda: drawn(surest=0.5),
    "of others": of_others,
    "groups of others": lambda: of_others(np.arange(N_ROWS) // 4),
    **{kind: lambda kind=kind: searched(kind) for kind in KINDS},
}
# Certificates of labels, with rows abstained on, and with rows that were drawn, or not.
COUNTED = {
    f"{kind} {abstains} {drawn}": lambda of=(kind, abstains, drawn): (*counted(*of), None)
    for kind in KINDS
    for abstains in (False, True)
    for drawn in (False, True)
}
IN_TABLES = [name for name in MAKE if name not in ("difference", "versions")]
MAKE |= COUNTED
CASES = {}


def case(name):
    if name not in CASES:
        CASES[name] = MAKE[name]()
    return CASES[name]


# Reasons why data cannot show a field.
ANY = "recorded only, and no part of the statement"
FAILURE = "fixed before the labels were seen, which only its author knows"
ASSUMED = "an assumption about the past, which the statement quotes"
RESULT = "of a test of the choice of rows, which X is needed for"
OF_ALL = {"date": ANY, "version": ANY, "delta": FAILURE}
OF_AUDITS = OF_ALL | {"max_annotator_errors": ASSUMED}
OF_SEARCHES = OF_ALL | {
    "drawn": ASSUMED, "provisos": ASSUMED, "weights": FAILURE, "kind": FAILURE,
    "subject": ANY, "classes": ANY,
    "random_choice_p_value": RESULT, "random_choice_test": RESULT,
}  # fmt: skip
AGAIN = "another audit may have been drawn, with another plan"
OF_DRAWINGS = dict.fromkeys(
    ["size", "seed", "seed_text", "excluded", "known_labels", "design", "target"], AGAIN
) | {
    "delta": AGAIN,
    "date": ANY, "version": ANY, "classes": ANY,
    "random_choice_p_value": RESULT, "random_choice_test": RESULT,
}  # fmt: skip
OF_OTHERS = OF_DRAWINGS | {"source": ASSUMED}
# These fit no known labels, no whole groups, and no rows that were drawn elsewhere.
FOUND_OF_GROUPS = "seed_text", "excluded", "size"
FOUND = "seed", "seed_text", "excluded"
ACCEPTED = {
    "audit": OF_AUDITS | {"sides": FAILURE},
    "audit, two sides": OF_AUDITS | {"sides": FAILURE},
    "groups": OF_ALL | {"sides": FAILURE},
    "strata": OF_ALL | {"sides": FAILURE},
    "finished": OF_ALL | {"target": FAILURE},
    "finished, planned": {k: v for k, v in OF_ALL.items() if k != "delta"},
    "finished segments": OF_ALL,
    "segments": OF_ALL,
    "shares of segments": OF_ALL,
    "share": OF_ALL,
    "difference": OF_ALL,
    "versions": OF_ALL,
    "classes": OF_ALL | {"metrics": FAILURE, "sides": FAILURE, "named": FAILURE},
    "drawn": OF_DRAWINGS,
    "drawn from the surest": OF_DRAWINGS,
    "of others": {k: v for k, v in OF_OTHERS.items() if k not in FOUND},
    "groups of others": {k: v for k, v in OF_OTHERS.items() if k not in FOUND_OF_GROUPS},
    **dict.fromkeys([*KINDS, *COUNTED], OF_SEARCHES),
}
# A digest that was taken out cannot be compared, and this is listed.
LEFT_OUT = "there is no SHA-256 digest to compare with"


def other_values(name, value):
    """Well-formed values of the same type, and others that the field may have."""
    if name in ("fingerprints", "columns"):
        yield from ({**value, key: "0" * 64} for key in value)
        yield from ({k: v for k, v in value.items() if k != key} for key in value)
        yield {**value, "finished": "1" * 64}
    elif name == "weights":
        yield from ({}, dict.fromkeys(value, Fraction(1)), {"label": Fraction(1, 3)})
    elif name == "certificates":  # of segments: the fields of one, but its date
        first, inner = next(iter(value.items()))
        yield {k: v for k, v in value.items() if k != first}
        yield {("third" if k == first else k): v for k, v in value.items()}
        for field in fields(inner):
            now = () if field.name == "delta" else getattr(inner, field.name)  # follows
            for other in islice(other_values(field.name, now), 2):
                with suppress(ValueError, TypeError):  # no such one can be issued
                    altered = replace(inner, **{field.name: other})._issued()
                    yield value | ({} if altered == inner else {first: altered})
    elif name == "digest" or (name == "known_labels" and value is None):
        return
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | np.integer):
        yield from (value + by for by in (-7, -1, 1, 7, -value) if by)
        if name == "seed":
            yield None
    elif isinstance(value, float):
        yield from (value / 2, value * 1.5, value + 1e-6)
    elif isinstance(value, str):
        yield from ("other", "2020-01-01T00:00:00+00:00")
    elif isinstance(value, np.ndarray):
        yield from (value[:-1], value[1:], value[::-1])
        if value.dtype.kind == "i" and len(value):
            yield np.sort(np.append(value[1:], value[0] + 1))
    elif isinstance(value, dict):
        yield from ({}, {"other": "ham"}, {"ham": "other", "spam": "ham"})
    elif isinstance(value, tuple):
        yield from ((), value[1:], value[:-1], (*value, "the weather was fine"))
        if value and isinstance(value[0], tuple):  # of counts, with errors exchanged
            errors = [each[-1] for each in value][::-1]
            pairs = zip(value, errors, strict=True)
            yield tuple((*each[:-1], n) for each, n in pairs)
            for i, each in enumerate(value[:9]):
                yield (*value[:i], (*each[:-1], each[-1] - 1), *value[i + 1 :])
    elif value is None:
        yield from (("other",) if name in ("seed_text", "source") else (0.05, 0.3))


def forged(record, name, value):
    """Files with this value: with the digest recomputed, and with all that follows."""
    altered = replace(record, **{name: value})
    if name == "max_annotator_errors" and record.kind != "segments":
        # They are added to those that were counted.
        more = value - record.max_annotator_errors
        n_errors = min(record.n_train_errors + more, record.n_train)
        altered = replace(altered, n_train_errors=n_errors)
    if name in ("metrics", "sides") and record.kind == "classes":
        altered = replace(altered, bounds={})  # which have others, computed below
    yield sealed(altered)
    if isinstance(record, Audit):
        yield drawn_again(altered)
        return
    if name != "provisos":
        before, first = (
            () if getattr(each, "drawn", False) else each.assumed
            for each in (record, altered)
        )
        rest = record.provisos[len(before) :]
        altered = replace(altered, provisos=(*first, *rest))
    yield altered._issued()


def drawn_again(audit):
    """With the rows that follow from seed, design, excluded and doubtful rows."""
    if audit.seed_text is not None:
        audit = replace(audit, seed=draw_audit(9, 2, seed_text=audit.seed_text).seed)
    if audit.seed is not None:
        size = audit.design.size_of(audit.rows)
        pool = audit.pool if audit.source is None else np.sort(audit.rows)
        audit = replace(audit, rows=audit.design.draw(audit.seed, pool, size))
    return sealed(audit)


def forgeries(name):
    """Each forged file with the name of its field."""
    record, _, _ = case(name)
    for field in fields(record):
        now = getattr(record, field.name)
        for value in other_values(field.name, now):
            if is_equal(value, now):
                continue
            try:
                files = [*forged(record, field.name, value)]
            except (ValueError, TypeError, IndexError):  # no such file can be issued
                continue
            # Those that were computed again may be as before.
            yield from ((field.name, file) for file in files if not is_same(record, file))


def is_same(record, file):
    ours, theirs = (json.loads(each.to_json()) for each in (record, file))
    changed = {key for key in ours if ours[key] != theirs[key]}
    return changed <= {"date", "digest"} and file.date != "other"


def is_equal(value, other):
    return type(value) is type(other) and np.array_equal(value, other)


ONE_OF_EACH = ["audit", "groups", "strata", "finished, planned", "difference", "share"]
# Of certificates of labels, with rows abstained on that were drawn, and with neither.
ONE_OF_EACH += ["classes", *(f"{kind} {b} {b}" for kind in KINDS for b in (False, True))]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_one_altered_field_is_found_out_without_data_and_nothing_raises(name):
    record, data, _ = case(name)
    given = data if name in COUNTED else {}  # audits are drawn and certified again
    for field in fields(record):
        now = getattr(record, field.name)
        for value in (*other_values(field.name, now), *MALFORMED):
            if not is_equal(value, now):
                altered = replace(record, **{field.name: value})
                assert not altered.verify(**given), (field.name, value)
                assert isinstance(altered.statement + altered._repr_html_(), str)
        for value in other_values(field.name, now):
            if not is_equal(value, now):
                text = replace(record, **{field.name: value}).to_json()
                assert not Certificate.from_json(text).verify(), (field.name, value)


def problem_of(name, field, verification):
    """What is wrong with the verification of a forged file."""
    if not verification:
        return None
    unchecked = "\n".join(verification.unchecked)
    if field in ("fingerprints", "columns"):
        told = LEFT_OUT in unchecked or "not given" in unchecked
        told |= "no digest covers" in unchecked or "there is no such column" in unchecked
        return None if told else "the digest that was left out is not listed"
    field = "size" if field == "rows" else field
    if field not in ACCEPTED[name]:
        return "no problem was found"
    stated = unchecked.partition("no data show its ")[2].split("\n")[0]
    names = stated.replace(" and ", ", ").split(", ")
    return None if field in names else "it is not listed"


def check(name):
    record, data, _ = case(name)
    assert record.verify(**data), str(record.verify(**data))
    wrong, passed, tried = [], set(), set()
    for field, file in forgeries(name):
        verification = file.verify(**data)
        tried.add(field)
        passed |= {"size" if field == "rows" else field} if verification else set()
        if problem := problem_of(name, field, verification):
            wrong.append((field, problem, getattr(file, field)))
    assert not wrong
    # Most fields of segments are in their certificates, which are one field.
    assert len(tried) > (6 if hasattr(record, "certificates") else 8)
    # No field is accepted for nothing.
    assert {*ACCEPTED[name]} - passed <= {"kind", "classes", "design", "known_labels"}


# What is certified again takes a hundredth of a second.
AGAIN_CERTIFIED = ["share", "difference", "versions", "classes"]
AGAIN_CERTIFIED += ["segments", "shares of segments", "finished segments"]


@pytest.mark.parametrize("name", [name for name in MAKE if name not in AGAIN_CERTIFIED])
def test_forged_files_are_found_out(name):
    check(name)


@pytest.mark.parametrize("name", AGAIN_CERTIFIED)
def test_forged_files_of_shares_differences_and_classes_are_found_out(name):
    check(name)


def test_what_no_data_show_of_searches_is_documented():
    text = BoundCertificate.verify.__doc__.split("it is\n")[-1]
    named = {*OF_SEARCHES} - {"random_choice_p_value", "random_choice_test"}
    assert all(f"``{name}``" in text for name in {*named, "bits", "description_length"})


OPTIONS = {
    "share": "--labels auto --audit a.json --answers a.csv",
    "segments": "--labels auto --audit a.json --answers a.csv --by part",
    "searched": "--y topic --labels certified --certifying use",
    "drawn": "--labels auto --confidence sure",
    "finished segments": "--confidence sure --audit a.json --answers a.csv --by part",
    "finished": "--confidence sure --audit a.json --answers a.csv",
}


def command(name):
    """How the shell verifies a file c.json of this case."""
    record, data, columns = case(name)
    TEXTS.assign(**columns).to_csv("t.csv", index=False)
    if audit := data.get("audit"):
        Path("a.json").write_text(audit.to_json(), encoding="utf-8")
        sheet = pd.DataFrame({"row": audit.rows, "label": TRUTH[audit.rows]})
        sheet.to_csv("a.csv", index=False)
    kind = "drawn" if isinstance(record, Audit) else "share"
    if "part" in columns:
        kind = "segments"
    if "topic" in columns:
        kind = "searched"
    if "label" in columns:
        kind = "finished segments" if "part" in columns else "finished"
    options = OPTIONS[kind]
    if name == "pac-mdl":
        options = options.replace(" --certifying use", "")
    return f"verify c.json --data t.csv {options}".split()


def check_by_the_shell(name, files, capsys):
    """Exit codes are 1 where Python finds a problem, or 2 for types that are none."""
    argv, (_, data, _) = command(name), case(name)
    for field, file in files:
        Path("c.json").write_text(file.to_json(), encoding="utf-8")
        code = main(argv)
        out, err = capsys.readouterr()
        verification = file.verify(**data)
        outcome = out.partition("c.json: ")[2].split("\n")[0]
        assert outcome == verification.outcome, (field, getattr(file, field), err)
        assert (code in (0, 3)) == bool(verification)
        if verification and field in ACCEPTED[name]:  # "size" for rows
            assert field in out.partition("no data show its ")[2]


# A field for each check.
OF_EACH_CHECK = {
    "audit": ["n_train_errors", "provisos", "columns", "seed_text", "date"],
    "strata": ["parts"],
    "finished": ["n_left", "n_automatic", "target"],
    "share": ["of", "strata", "delta"],
    "segments": ["certificates", "n_without", "fingerprints"],
    "classes": ["counts", "bounds", "named", "metrics"],
    "drawn": ["rows", "fingerprints", "columns", "n_rows"],
    "of others": ["source", "excluded", "known_labels", "rows"],
    "learned": ["n_select", "fingerprints", "subject"],
}


@pytest.mark.parametrize("name", OF_EACH_CHECK)
def test_the_shell_finds_them_too(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = {"kind": case(name)[0]}
    for field, file in forgeries(name):
        if field in OF_EACH_CHECK[name]:
            files.setdefault(field, file)
    assert len(files) == 1 + len(OF_EACH_CHECK[name])
    check_by_the_shell(name, files.items(), capsys)


@pytest.mark.parametrize("name", IN_TABLES)
def test_the_shell_finds_all_of_them(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check_by_the_shell(name, forgeries(name), capsys)


def test_an_audit_without_a_seed_has_a_source(tmp_path, monkeypatch, capsys):
    """Rows that somebody picked state nothing, and verify does not believe them."""
    monkeypatch.chdir(tmp_path)
    right = np.setdiff1d(np.flatnonzero(LABELS == TRUTH), FIXED["exclude"])
    picked = sealed(of_audit()[0], seed=None, rows=right[:60])
    assert "seed is None and source is None" in str(picked.verify())
    for certify in (certify_labels, partial(certify_share, of="spam")):
        with pytest.raises(ValueError, match="must be as it was drawn, but seed is None"):
            certify(LABELS, picked, TRUTH[picked.rows])
    honest, data, columns = certified()
    digests = honest.fingerprints | {"audit": picked.digest}
    record = replace(honest, fingerprints=digests)._issued()
    CASES["picked"] = record, {**data, "audit": picked}, columns
    Path("c.json").write_text(record.to_json(), encoding="utf-8")
    assert main(command("picked")) == 1
    out, err = capsys.readouterr()
    assert "a.json: seed is None and source is None" in err
    assert "drawn again from the seed" not in out


def test_audits_of_others_are_believed_as_far_as_they_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    audit, _, columns = of_others()
    answers, second = TRUTH[audit.rows], np.append(LABELS[:-9], TRUTH[:9])
    undrawn = "agrees with the data, but no seed shows how the rows were chosen"
    share = certify_share(LABELS, audit, answers, of="spam")
    difference = certify_difference(LABELS, second, audit, answers)
    certificate = certify_labels(LABELS, audit, answers)
    for verification in (
        certificate.verify(LABELS, audit, answers),
        share.verify(LABELS, audit, answers),
        difference.verify(LABELS, second, audit, answers),
        audit.verify(LABELS),
    ):
        assert verification
        assert verification.outcome == undrawn
        assert "audit: the choice of the rows, by 'project 7'" in str(verification)
        assert "drawn again" not in str(verification)
    for each in (certificate, share, difference):
        assert "are all that were drawn, uniformly at random, by 'proj" in each.statement
        assert "(as its author" not in each.statement
    CASES["share of others"] = share, {"audit": audit}, columns
    argv = command("share of others")
    Path("c.json").write_text(share.to_json(), encoding="utf-8")
    assert main(argv) == 3
    out, _ = capsys.readouterr()
    assert f"c.json: {undrawn}\n" in out
    assert "Not checked:\n" in out
    assert "a.json: the choice of the rows, by 'project 7'" in out


def test_rows_without_a_label_are_as_many_as_a_finished_certificate_says():
    certificate, data, _ = case("finished")
    assert certificate.claim.startswith("once people have labeled the")
    nothing_left = replace(certificate, n_left=0)._issued()
    assert not nothing_left.claim.startswith("once")
    problem = f"finished_labels: n_left is 0, and {certificate.n_left} rows have no label"
    assert problem in nothing_left.verify(**data).problems


def test_a_verdict_names_what_agrees_and_what_does_not():
    certificate, data, _ = case("audit")
    other = TEXTS.assign(text=TEXTS["text"].to_numpy()[::-1])
    verification = certificate.verify(**data | {"data": other})
    assert verification.verdict == (
        "audit, labels and audit_labels agree with certificate, but data, column "
        "'text' does not."
    )
    assert len(verification.checked) == 4
    share, data, _ = case("share")
    answers = np.where(np.arange(60) < 5, "spam", data["audit_labels"])
    verdict = share.verify(**data | {"audit_labels": answers}).verdict
    assert "data, column 'text', audit and labels agree with certificate" in verdict
    assert "audit_labels and some of its fields do not." in verdict
