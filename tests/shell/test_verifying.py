"""Outcomes and exit codes of verify, several files at once, and texts of anybody."""

import json
import re
import unicodedata
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import Audit, certify_labels, draw_audit, finish_labels
from sklearn_pacmdl.certificates import OUTCOMES, BoundCertificate, Certificate
from sklearn_pacmdl.reports import certificate_report

CODES = dict(zip(OUTCOMES, (0, 3, 3, 1, 2), strict=True))
ALONE = "agrees with itself; no data were compared"
FORGED = BoundCertificate.from_counts(100, 54, 2, weights={})
TRUTH = np.arange(200) % 2
LABELS = np.where(np.arange(200) % 20 == 0, 2, TRUTH)
AUDIT = draw_audit(200, 80, labels=LABELS, random_state=0)
ANSWERS = TRUTH[AUDIT.rows]
AUDITED = certify_labels(LABELS, AUDIT, ANSWERS)


def sealed(record, **changes):
    """Fields as JSON with the digest that anybody can compute."""
    fields = json.loads(record.to_json()) | changes | {"digest": None}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return json.dumps(fields | {"digest": sha256(text.encode()).hexdigest()})


def test_a_column_that_annotators_saw_is_compared_whatever_else_it_is(shell):
    table = pd.DataFrame({"text": [f"t{i}" for i in range(60)], "auto": ["ham"] * 60})
    table.to_csv("v.csv", index=False)
    shell("audit draw v.csv --size 10 --columns text,auto --output V")
    table.replace("ham", "spam").to_csv("w.csv", index=False)
    for option in ("", "--labels auto"):
        _, err = shell(f"verify V.json --data w.csv {option}", 1)
        assert "'auto': it is not as it was" in err


def test_some_data_alone_are_not_the_data():
    assert AUDITED.verify(LABELS, AUDIT, ANSWERS).outcome == "agrees with the data"
    ordered = replace(FORGED, fingerprints={"row_order": "0" * 64})._issued()
    assert ordered.verify().outcome == ALONE
    given = LABELS, np.arange(200), AUDIT, ANSWERS
    finished = finish_labels(*given, target=0.3)
    with pytest.raises(ValueError, match="all of labels, confidence, audit and audit_l"):
        finished.certificate.verify(finished_labels=finished.labels)
    verification = finished.certificate.verify(*given)
    assert verification.outcome == "agrees with the data"
    assert "finished_labels: not given" in verification.unchecked
    assert AUDIT.verify().outcome == AUDIT.verify(n_rows=200).outcome == ALONE
    assert AUDIT.verify(LABELS).outcome == "agrees with the data"
    unknown = draw_audit(200, 80, random_state=0)
    assert unknown.verify(LABELS).outcome == ALONE  # it has no digest of them


@pytest.fixture
def files(shell):
    """Several statements about the same labels, and others."""
    finished = finish_labels(LABELS, np.arange(200), AUDIT, ANSWERS, target=0.3)
    search = BoundCertificate.from_counts(100, 100, 4, weights={}, delta=0.05)
    records = {
        "a": AUDITED,
        "again": certify_labels(LABELS, AUDIT, ANSWERS, delta=0.2),
        "finished": finished.certificate,
        "audit": AUDIT,
        "forged": FORGED,
        "search": replace(search, fingerprints={"labels": "1" * 64})._issued(),
        "wrong": replace(AUDITED, delta=0.2),
        "others": replace(
            AUDITED, fingerprints={**AUDITED.fingerprints, "labels": "2" * 64}
        )._issued(),
    }
    for name, record in records.items():
        Path(f"{name}.json").write_text(record.to_json())
    Path("copy.json").write_text(AUDITED.to_json())
    Path("text.json").write_text("no JSON")
    return shell


@pytest.mark.parametrize(
    ("names", "code", "expected"),
    [
        (
            "a again search",
            3,
            "same labels (a.json, again.json): all statements hold together with "
            "probability at least 1 - 0.1 - 0.2 = 0.7, if candidates, settings and seeds "
            "of all were fixed before the first result",
        ),
        (
            "a forged finished copy",
            3,
            "same labels (a.json, finished.json, copy.json): all statements hold "
            "together with probability at least 1 - 0.1 - 0.1 = 0.8",
        ),
        ("a copy", 3, "same labels (a.json, copy.json): all statements hold together "
         "with probability at least 1 - 0.1 = 0.9"),
        ("a others", 3, "same labels (a.json, others.json): "),  # of one audit
        ("a forged audit", 3, "No two files are about the same labels, as far as"),
        ("a wrong", 1, "No two files are about the same labels, as far as"),
        ("wrong text no a", 2, "No two files are about the same labels, as far as"),
    ],
)  # fmt: skip
def test_several_files(files, names, code, expected):
    out, err = files("verify " + " ".join(f"{name}.json" for name in names.split()), code)
    assert out.splitlines()[-1].startswith(expected)
    outcomes = re.findall(rf"^(\w+)\.json: ({'|'.join(OUTCOMES)})$", out, flags=re.M)
    others = {"wrong": "does not agree", "text": "cannot be read", "no": "cannot be read"}
    assert outcomes == [(name, others.get(name, ALONE)) for name in names.split()]
    assert ("problem: wrong.json: " in err) == ("wrong" in names)
    assert ("error: text.json: Not a certificate" in err) == ("text" in names)
    assert ("No such file or directory: 'no.json'" in err) == ("no" in names)


def test_deltas_that_sum_to_one_guarantee_nothing(files):
    for name in "bc":
        Path(f"{name}.json").write_text(
            AUDITED.restated(delta=0.4 + ord(name) / 1000).to_json()
        )
    Path("d.json").write_text(AUDITED.restated(delta=0.003).to_json())
    out, _ = files("verify b.json c.json d.json", 3)
    assert out.endswith("nothing is guaranteed of all statements together "
                        "(1 - 0.498 - 0.499 - 0.003 = 0.000)\n")  # fmt: skip


def test_names_of_files_are_on_one_line(shell):
    name = "x\nforged.json: agrees with the data"
    Path(name).write_text(FORGED.to_json())
    out, _ = shell(["verify", name], 3)
    assert "\nforged" not in out
    assert out.count("x\\nforged.json") == 2


def test_data_are_compared_with_one_file(files):
    _, err = files("verify a.json again.json --data d.csv --labels l", 2)
    assert err.startswith("error: --data must be left out for several files")


@pytest.mark.parametrize("command", ["verify", "audit certify"])
def test_exit_codes_have_one_table(shell, command):
    """The guide has that of the help."""
    page = (Path(__file__).parents[2] / "doc/shell.md").read_text("utf-8")
    table = re.findall(r"^\| (\d+) \| (.*) \|$", page.partition("## Exit codes")[2], re.M)
    assert [code for code, _ in table] == ["0", "1", "2", "3", "130", "141"]
    _, _, codes = shell(f"{command} --help")[0].partition("exit codes:")
    assert codes.split() == " ".join(" ".join(each) for each in table).split()


EVIL = "\x1b[2J\x07\u202e\u2028\x9b0m\x08"


def controls(text):
    """Characters of a text that control where or how it is shown."""
    hidden = {"Cc", "Cs", "Zl", "Zp"}
    turns = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return [
        c for c in text if c in turns or (unicodedata.category(c) in hidden and c != "\n")
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"provisos": [*AUDITED.provisos, EVIL]},
        {"provisos": [*AUDITED.provisos, "a\nb"]},
        {"subject": {"algorithm": EVIL}, "weights": {}},
        {"subject": {EVIL: 1}, "weights": {}},
        {"random_choice_test": EVIL},
        {"seed_text": EVIL},
        {"weights": {EVIL: "1/2"}},
        {"version": EVIL},
        {"date": EVIL},
        {"classes": [EVIL, "b"], "weights": {}},
    ],
)
def test_certificates_with_control_characters(shell, changes):
    """They are a problem; names of classes, which are the user's data, are escaped."""
    text = sealed(FORGED if "weights" in changes else AUDITED, **changes)
    Path("c.json").write_text(text)
    out, err = shell("verify c.json", CODES[Certificate.from_json(text).verify()[0]])
    certificate = Certificate.from_json(text)
    assert bool(certificate.verify()) == ("classes" in changes)
    shown = certificate.statement, str(certificate), certificate._repr_html_()
    pages = certificate_report(certificate).html
    assert not controls("".join((out, err, *shown, pages)))


def test_an_unknown_kind_with_control_characters(shell):
    Path("c.json").write_text(sealed(AUDITED, kind=EVIL))
    _, err = shell("verify c.json", 2)
    assert "its kind is" in err
    assert not controls(err)


def test_texts_are_refused_where_they_enter():
    for given in ({"provisos": [EVIL]}, {"random_choice_test": EVIL}):
        with pytest.raises(ValueError, match="without control characters, got") as raised:
            BoundCertificate.from_counts(9, 9, 0, weights={}, **given)
        assert not controls(str(raised.value))
    of = BoundCertificate.from_counts(9, 9, 0, weights={}, subject={"name": "a\x1b"})
    assert of.subject == {"name": "a\\x1b"}  # as parameters may be
    assert of.verify()
    assert BoundCertificate.from_counts(
        9, 9, 0, weights={}, classes=["\u0632\u0646\u200c\u0647"]
    ).verify()
    for changes in ({"random_choice_test": EVIL}, {"source": EVIL}):
        audit = Audit.from_json(sealed(AUDIT, **changes))
        assert "printable" in str(audit.verify())
        assert not controls(f"{audit}{audit.verify()}{audit._repr_html_()}")


@pytest.mark.filterwarnings("ignore:Glyph")  # pictures have no control characters
def test_what_python_shows_of_names_is_printable():
    y = np.where(np.random.RandomState(0).uniform(size=200) < 0.4, TRUTH, -1)
    certified = certify_clusterings({f"a{EVIL}": TRUTH}, y, random_state=0)
    assert "a\\x1b[2J" in str(certified)
    assert not controls(str(certified) + certified.certificate._repr_html_())
    kmeans = [(f"k{EVIL}", KMeans(2, n_init=1, random_state=0))]
    search = PACMDLSearchCV(kmeans, certify="pac-mdl", random_state=0)
    search.fit(TRUTH[:, None] + np.arange(200)[:, None] / 999, y)
    assert not controls(repr(search) + search._repr_html_() + search.report().html)


def test_clauses_of_others_are_marked():
    text = "everything was checked, and so the following holds for sure"
    certificate = replace(AUDITED, provisos=(*AUDITED.provisos, text))._issued()
    assert certificate.statement.endswith(f" and (as its author states) {text!r}.")
    page = certificate_report(certificate).html
    assert page.count("Not checked: stated by the author of the certificate.") == 1


def hostile_tables():
    """A data set whose names, labels and cells hold control characters."""
    rng = np.random.RandomState(0)
    names = np.array([f"a{EVIL}", f"b{EVIL}"])
    columns = {
        f"text{EVIL}": [f"row {i}{EVIL}" for i in range(200)],
        f"auto{EVIL}": names[LABELS % 2],
        f"sure{EVIL}": rng.uniform(size=200),
        f"leiden{EVIL}": TRUTH,
        f"y{EVIL}": np.where(np.arange(200) % 3 == 0, names[TRUTH], ""),
    }
    pd.DataFrame(columns).to_csv(f"d{EVIL}.csv", index=False)
    return names


def test_no_command_prints_control_characters(shell, capsys):
    """Of hostile columns, cells, names of files, and options, whatever comes of them."""
    names = hostile_tables()
    data, labels, sure = f"d{EVIL}.csv", f"auto{EVIL}", f"sure{EVIL}"
    said = []

    def run(*command):
        with suppress(SystemExit):
            main([*command])
        said.append("".join(capsys.readouterr()))
        assert not controls(said[-1]), command

    def fill_in(path, rows=None):
        sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
        sheet["label"] = names[TRUTH[sheet["row"].astype(int)]] if rows is None else rows
        sheet.to_csv(path, index=False)

    audit = f"a{EVIL}"
    of = ["--labels", labels, "--audit", f"{audit}.json", "--answers", f"{audit}.csv"]
    run("audit", "plan", data, "--confidence", sure, "--budget", "50")
    run("audit", "draw", data, "--labels", labels, "--confidence", sure, "--size", "80",
        "--output", audit)  # fmt: skip
    assert "80 of 200 rows were drawn" in said[-1]
    fill_in(f"{audit}.csv")
    run("audit", "certify", data, *of, "--output", f"c{EVIL}")
    assert "With probability at least 90%" in said[-1]
    run("audit", "certify", data, *of, "--settled", data)
    run("audit", "finish", data, *of, "--confidence", sure, "--target", ".3",
        "--output", f"f{EVIL}")  # fmt: skip
    assert "With probability at least 90%" in said[-1]
    run("verify", f"f{EVIL}.json", "--data", f"f{EVIL}.csv", *of[2:],
        "--confidence", sure)  # fmt: skip
    assert "agrees with the data" in said[-1]
    other = pd.read_csv(f"{audit}.csv", dtype=str)
    other.assign(label=other["label"].shift(1, fill_value="x")).to_csv("o.csv")
    run("audit", "settle", f"{audit}.csv", "o.csv", "--output", f"s{EVIL}")
    assert "rows are to be settled" in said[-1]
    run("certify", data, "--y", f"y{EVIL}", "--columns", "leiden*", "--output", "h\x1b")
    assert "With probability at least 90%" in said[-1]
    assert not controls(Path("h\x1b.html").read_text())
    run("verify", "h\x1b.json", "--data", "h\x1b.csv")
    assert "agrees with the data" in said[-1]
    run("certify", data, "--y", "z", "--output", EVIL)
    run("certify", data, "--y", f"y{EVIL}", "--columns", f"x{EVIL}", "--output", "x")
    run("verify", f"c{EVIL}.json", f"{audit}.json", f"no{EVIL}.json")
    run("audit", "monitor", "--state", f"{audit}.json", "--errors", EVIL)
    run("audit", "monitor", "--state", f"{audit}.json")
    run("verify", f"--{EVIL}", "x")
    run(EVIL)


def test_confidences_show_which_rows_are_the_surest(shell):
    columns = {"id": range(200), "auto": LABELS, "sure": np.arange(200) / 200}
    pd.DataFrame(columns).to_csv("d.csv", index=False)
    of_audit = "d.csv --labels auto --confidence sure --size 80 --surest 0.9 --seed 1"
    shell(f"audit draw {of_audit} --columns id --output a")
    sheet = pd.read_csv("a.csv")
    sheet.assign(label=TRUTH[sheet["row"]]).to_csv("a.csv", index=False)
    given = "--labels auto --audit a.json --answers a.csv"
    shell(f"audit certify d.csv {given} --output c")
    out, _ = shell(f"verify c.json --data d.csv {given}")
    assert "- confidences (--confidence): not given" in out
    out, _ = shell(f"verify c.json --data d.csv {given} --confidence sure")
    assert "d.csv, column 'sure': compared with the order of the rows" in out
