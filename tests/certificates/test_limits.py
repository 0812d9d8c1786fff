"""Files that were made to exhaust time or memory end in an error that says why."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import sha256

import numpy as np
import pytest

from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import draw_audit
from sklearn_pacmdl.certificates import BoundCertificate

CERTIFICATE = json.loads(
    BoundCertificate.from_counts(1500, 1500, 45, weights={}).to_json()
)
AUDIT = json.loads(draw_audit(30, 3, random_state=7).to_json())


def sealed(fields):
    """With the digest that anybody can compute."""
    text = json.dumps(fields | {"digest": None}, sort_keys=True, separators=(",", ":"))
    return fields | {"digest": sha256(text.encode()).hexdigest()}


def certificate(**changes):
    return json.dumps(sealed(CERTIFICATE | changes))


def audit(**changes):
    return json.dumps(sealed(AUDIT | changes))


def long_weights(n_terms, n_digits):
    """Ratios whose terms have no common divisor that is found soon."""
    rng = np.random.RandomState(0)
    texts = [rng.bytes(n_digits // 2 + 1).hex()[:n_digits] for _ in range(9)]
    weights = {f"t{i}": f"0x{texts[i % 8]}/0xf{texts[1 + i % 8]}" for i in range(n_terms)}
    return {"weights": weights, "bits": dict.fromkeys(weights, 1.0)}


def nested(depth):
    return "[" * depth + "]" * depth


def altered(fields, message, **changes):
    """How to write a text with these fields, and what the message of verify says."""
    return lambda: json.dumps(sealed(fields | changes)), message


DIGITS = "its weights have more than 262144 digits: "
NOT_ROWS = "rows are not different numbers of rows"
# By name; and those that can be read, but do not agree with themselves.
HOSTILE = {
    "weights of many digits": altered(CERTIFICATE, DIGITS, **long_weights(100, 5000)),
    "a weight of six million digits": (
        lambda: certificate(**long_weights(1, 6 * 10**6)),
        DIGITS,
    ),
    "many terms": altered(
        CERTIFICATE, "weights has more than 100 entries: 3000", **long_weights(3000, 3)
    ),
    "nested lists": (
        lambda: certificate(subject={"a": "X"}).replace('"X"', nested(300)),
        "it is nested more than 50 levels deep",
    ),
    "deeply nested lists": (lambda: nested(10**6), "nested too deeply"),
    "many values": (
        lambda: certificate(subject={"a": [[]] * (3 * 10**6)}),
        "it has more than 2097152 values: ",
    ),
    "a long text": (
        lambda: certificate(version="x" * 4 * 10**7),
        "it has more than 33554432 characters",
    ),
    "many classes": (
        lambda: certificate(classes=list(range(2 * 10**6))),
        "classes has more than 262144 entries: 2000000",
    ),
    "many provisos": (
        lambda: certificate(provisos=[f"p{i}" for i in range(10**6)]),
        "provisos has more than 262144 entries: 1000000",
    ),
    "a number of rows beyond all counts": altered(
        CERTIFICATE,
        "n_train must be an integer from 0 to 2251799813685248, got 1000000",
        n_train=10**400,
    ),
    "a number of 5000 digits": (
        lambda: certificate(n_train="X").replace('"X"', "9" * 5000),
        "Exceeds the limit",
    ),
    "more errors than can be summed": altered(
        CERTIFICATE | {"n_train": 2**51, "n_test": 2**51, "delta": 0.45},
        "n_train_errors must be an integer from 0 to 17592186044416, got 1125899",
        n_train_errors=2**50,
    ),
    "infinity": (
        lambda: certificate(delta="X").replace('"X"', "1e400"),
        "delta must be in the open interval (0, 1), got inf",
    ),
    "NaN": altered(CERTIFICATE, "it holds NaN, which is not a number", delta=np.nan),
    "weights of another type": altered(
        CERTIFICATE, "its weights are not ratios by term", weights=[1, 2]
    ),
    "a weight that is no number": altered(
        CERTIFICATE, "its weights are not ratios, but {'a': '1/0'}", weights={"a": "1/0"}
    ),
    "a subject of another type": altered(
        CERTIFICATE, "subject must be None or a mapping, got [1, 2]", subject=[1, 2]
    ),
    "rows beyond all memory": altered(
        AUDIT,
        "n_rows is 2000000000: more than 10000000 rows are drawn from again only if",
        n_rows=2 * 10**9,
    ),
    "rows of an audit beyond its last": altered(AUDIT, NOT_ROWS, rows=[0, 1, 2**40]),
    "a row that no array holds": altered(
        AUDIT,
        "Not an audit: its rows are not a list of integers of 64 bits",
        rows=[0, 1, 2**70],
    ),
    "excluded rows without an order": altered(
        AUDIT, "excluded are not sorted numbers of rows", excluded=[7, 5, 5]
    ),
    "a seed of many digits": altered(
        AUDIT,
        "seed must be an integer from 0 to 3402823669209384634633746074317682",
        seed="0x" + "f" * 10**6,
    ),
    "fingerprints of another type": altered(
        AUDIT, "fields are not of the types that an audit has", fingerprints=[["a"]]
    ),
    "a broken audit": (lambda: audit()[:-9], "Not a certificate or an audit: "),
    "an audit without rows": (
        lambda: json.dumps({k: v for k, v in AUDIT.items() if k != "rows"}),
        "Not an audit: its fields must be ",
    ),
    "an audit of another type": altered(AUDIT, "Not an audit: its seed is", seed=3),
    "no object": (lambda: "[]", "Not a certificate or an audit: it is not an object"),
}
DISAGREES = {
    "a number of rows beyond all counts",
    "more errors than can be summed",
    "infinity",
    "rows of an audit beyond its last",
    "excluded rows without an order",
    "a seed of many digits",
}
QUICK = [name for name in HOSTILE if not name.startswith(("many", "a long", "a weight"))]


def verified(path, capsys):
    code = main(["verify", str(path)])
    out, err = capsys.readouterr()
    assert out == f"{path}: {'cannot be read' if code == 2 else 'does not agree'}\n"
    return code, err


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_file_ends_in_an_error(name, tmp_path, capsys):
    (write, message), path = HOSTILE[name], tmp_path / "c.json"
    path.write_text(write(), encoding="utf-8")
    found, err = verified(path, capsys)
    assert found == (1 if name in DISAGREES else 2), err
    assert message in err
    assert "Traceback" not in err


# Reads what to verify after its limits are set, and tells seconds and messages.
CHILD = """
import json, resource, sys, time
from sklearn_pacmdl.__main__ import main

main(["verify", "none"])  # loads what is loaded when it is first used
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 500 * 10**6, -1))
for path in sys.argv[1:]:
    start = time.process_time()
    code = main(["verify", path])
    print(json.dumps([path, code, time.process_time() - start]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's here")
def test_hostile_files_take_little_time_and_memory(tmp_path):
    for name, (write, _) in HOSTILE.items():
        (tmp_path / f"{name}.json").write_text(write(), encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    paths = [f"{name}.json" for name in HOSTILE] + ["bytes.json", "/dev/zero"]
    command, texts = [sys.executable, "-c", CHILD, *paths], {"text": True, "check": False}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, **texts)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line[0] == "["]
    assert [path for path, _, _ in found] == paths, done.stderr[-2000:]
    for path, code, seconds in found:
        assert seconds < 2, (path, seconds)
        assert code == (1 if path.removesuffix(".json") in DISAGREES else 2)
    for name, (_, message) in HOSTILE.items():
        assert message in done.stderr, name


@pytest.mark.parametrize("fields", [CERTIFICATE, AUDIT])
@pytest.mark.parametrize(
    "value", [None, True, 0.5, -1, "x", "0" * 64, [], [[]], {}, {"a": None}, 10**30]
)
def test_no_value_of_a_field_leads_to_another_error(fields, value, tmp_path, capsys):
    """The digest is right, so that nothing else is in the way."""
    path = tmp_path / "c.json"
    for name in fields:
        if fields[name] == value:
            continue
        path.write_text(json.dumps(sealed(fields) | {name: value}), encoding="utf-8")
        assert verified(path, capsys)[0] in (1, 2), name
        altered = sealed(fields | {name: value}) if name != "digest" else fields
        path.write_text(json.dumps(altered), encoding="utf-8")
        main(["verify", str(path)])
        capsys.readouterr()


def test_what_is_issued_is_within_limits():
    """Or it could not be read again."""
    half = Fraction(1, 2)
    issue = partial(BoundCertificate.from_counts, 20, 20, 1)
    for message, fields in (
        ("weights has more than 100 entries: 101", {f"t{i}": half for i in range(101)}),
        ("weights have more than 1048576 binary digits", {"label": half**1048575}),
    ):
        with pytest.raises(ValueError, match=message):
            issue(weights=fields)
    largest = issue(weights={"label": half**1048574})
    assert BoundCertificate.from_json(largest.to_json()).verify()
    with pytest.raises(ValueError, match="classes has more than 262144 entries"):
        issue(weights={}, classes=range(2**18 + 1))
    odd = replace(largest, provisos=tuple(object() for _ in range(2**18 + 1)))
    assert odd.verify().problems == ("provisos has more than 262144 entries: 262145",)


def test_audits_of_more_rows_are_drawn_again_with_their_data():
    n_rows = 10**7 + 1
    drawn = draw_audit(n_rows, 3)
    (problem,) = drawn.verify().problems
    assert problem.startswith(f"n_rows is {n_rows}: more than 10000000 rows are drawn")
    assert drawn.verify(n_rows=n_rows)
    assert draw_audit(n_rows, 3, exclude=drawn)


def test_audits_list_as_many_rows_as_can_be_read():
    most = 2_000_000
    with pytest.raises(ValueError, match=f"must be at most {most} rows together"):
        draw_audit(most + 2, most, exclude=[0])
    # Rows of groups are listed when they are drawn, and the groups of all rows.
    with pytest.raises(ValueError, match=f"{most} rows together, got 2625000"):
        draw_audit(1_500_000, 3, groups=np.arange(1_500_000) // 375_000 + 1)


def test_commands_that_take_an_audit_draw_it_again_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(audit(rows=[0, 1, 2**40]), encoding="utf-8")
    (tmp_path / "d.csv").write_text("auto\n" + "x\n" * 30, encoding="utf-8")
    (tmp_path / "l.csv").write_text(f"row,label\n0,x\n1,x\n{2**40},x\n", encoding="utf-8")
    inputs = "d.csv --labels auto --audit a.json --answers l.csv"
    assert main(f"audit certify {inputs}".split()) == 2
    assert capsys.readouterr().err == (
        "error: a.json must be an audit as it was drawn: rows are not different numbers "
        "of rows.\n"
    )
