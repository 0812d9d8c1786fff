"""Audits: what is drawn, what is proven by them, and the tables that people fill in."""

import pickle
import random
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from made import sealed

from sklearn_pacmdl.audits import (
    Audit,
    certify_labels,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.certificates import (
    Certificate,
    fingerprint_confidence,
    fingerprint_labels,
)

TEXTS = {"text": list("abcdefgh"), "id": [f"doc{i}" for i in range(8)]}
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


def drawn_again(n_rows, seed):
    """All rows in drawing order, by the standard library: Fisher and Yates' shuffle."""
    bits = random.Random(seed).getrandbits
    rows = list(range(n_rows))
    for last in range(n_rows - 1, 0, -1):
        mask = 2 ** last.bit_length() - 1
        chosen = next(j for _ in iter(int, 1) if (j := bits(32) & mask) <= last)
        rows[last], rows[chosen] = rows[chosen], rows[last]
    return rows


@pytest.mark.parametrize("seed", [2**128 - 1, 2**100 + 3, 123456789 << 96])
def test_rows_can_be_drawn_without_this_package(seed):
    """Audits that were drawn once must be verifiable with any later version."""
    expected = drawn_again(1000, seed)
    np.testing.assert_array_equal(
        draw_audit(1000, 999, random_state=seed).rows, expected[:999]
    )


def test_a_larger_audit_goes_on_where_a_smaller_one_ends():
    small, large = (draw_audit(99, size, random_state=7).rows for size in (10, 40))
    np.testing.assert_array_equal(small, large[:10])


def test_rows_are_distinct_and_from_the_pool():
    excluded = {*range(0, 30, 2)}
    audit = draw_audit(50, 30, exclude=[*excluded], random_state=3)
    assert len({*audit.rows} - excluded) == 30
    assert len(audit.pool) == 35
    for rows in (audit.rows, audit.pool):
        with pytest.raises(ValueError, match="read-only"):
            rows[0] += 1


@pytest.mark.usefixtures("seeds_of_the_system")
def test_seeds_of_the_system_differ():
    first, second = draw_audit(100, 5), draw_audit(100, 5)
    assert first.seed != second.seed
    assert max(first.seed, second.seed) > 2**64


def test_a_generator_gives_another_seed_each_time():
    rng = np.random.RandomState(0)
    first, second = (draw_audit(100, 5, random_state=rng) for _ in range(2))
    assert first.seed != second.seed
    assert draw_audit(100, 5, random_state=np.random.RandomState(0)).seed == first.seed


@pytest.mark.parametrize(
    "exclude", [[1, 3], (3, 1, 1), np.arange(8) % 2 * (np.arange(8) < 4) == 1]
)
def test_excluded_rows_are_indices_or_a_mask(exclude):
    assert draw_audit(8, 2, exclude=exclude).excluded.tolist() == [1, 3]


def test_an_audit_stands_for_its_rows_and_those_it_excluded():
    first = draw_audit(20, 3, exclude=[0, 1], random_state=0)
    second = draw_audit(20, 3, exclude=first, random_state=1)
    assert second.excluded.tolist() == sorted([0, 1, *first.rows])
    third = draw_audit(20, 3, exclude=[first, second], random_state=2)
    assert third.excluded.tolist() == sorted([0, 1, *first.rows, *second.rows])
    altered = replace(first, rows=np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="exclude must be audits as they were drawn"):
        draw_audit(20, 3, exclude=altered)


def test_is_read_again_as_it_was_written():
    labels, confidence = [0, 1] * 10, np.arange(20.0)
    fixed = {"labels": labels, "confidence": confidence}
    audit = draw_audit(20, 3, exclude=[4], surest=0.5, **fixed)
    digests = fingerprint_labels(labels), fingerprint_confidence(confidence)
    assert tuple(audit.fingerprints.values()) == digests
    again = Audit.from_json(audit.to_json())
    assert again == audit != draw_audit(20, 3)
    assert hash(again) == hash(audit)
    assert again.verify()
    assert again.rows.dtype == np.int64


def test_an_audit_is_drawn_again_once(monkeypatch):
    """Each function verifies it, but its rows follow from what its digest is of."""
    labels = np.arange(400) % 2
    audit = Audit.from_json(draw_audit(400, 40, labels=labels, random_state=0).to_json())
    seeds, drawn = [], np.random.RandomState
    monkeypatch.setattr(np.random, "RandomState", lambda s: seeds.append(s) or drawn(s))
    for _ in range(2):
        certificate = certify_labels(labels, audit, labels[audit.rows])
        assert certificate.verify(labels, audit, labels[audit.rows])
    assert len(seeds) == 1
    assert not sealed(replace(audit, rows=audit.rows[::-1])).verify()


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("name", ["rows", "excluded", "doubtful", "seed", "n_rows"])
def test_an_audit_that_was_verified_and_altered_is_drawn_again(name, copied):
    """Also with a digest of its own, whatever was kept of the fields before."""
    audit = draw_audit(50, 4, random_state=0)
    assert audit.verify()
    value = {"seed": 1, "n_rows": 60}.get(name, np.arange(4))
    object.__setattr__(audit, name, value)
    assert not audit.verify()
    object.__setattr__(audit, "digest", audit._fingerprint())
    if copied:  # with what a forger could have written beside the fields
        audit.__dict__["_digest_drawn_again"] = audit.digest
        audit = pickle.loads(pickle.dumps(audit))
    assert not audit.verify()


@pytest.mark.parametrize("frame", FRAMES)
def test_a_worksheet_has_the_rows_in_drawing_order_and_labels_come_back(frame, tmp_path):
    audit, path = draw_audit(8, 5, random_state=0), tmp_path / "sheet.csv"
    sheet = audit.to_frame(frame(TEXTS), path)
    assert list(sheet.columns) == ["row", "text", "id", "label"]
    assert sheet["row"].tolist() == audit.rows.tolist()
    assert sheet["text"].tolist() == [TEXTS["text"][row] for row in audit.rows]
    assert list(audit.to_frame().columns) == ["row", "label"]
    filled = sheet.assign(verdict=["007", *"1234"]).sort_values("row")
    assert audit.read_labels(frame(filled.to_dict("list")), "id").tolist() == [
        *sheet["id"]
    ]
    filled.to_csv(path, index=False)
    assert audit.read_labels(path, "verdict").tolist() == [7, 1, 2, 3, 4]
    assert audit.read_labels(str(path), "verdict", dtype=str)[0] == "007"
    with pytest.raises(ValueError, match=r"sheet\.csv has human labels in 5 rows of "):
        audit.to_frame(frame(TEXTS), path)


def test_texts_that_spreadsheets_would_compute_and_their_lines_come_back(tmp_path):
    """Also in names of columns, and numbers are left as they are."""
    audit, path = draw_audit(4, 3, random_state=0), tmp_path / "sheet.csv"
    texts = ["=1+1", "a\rb", "\t=x", "-5"]
    table = pd.DataFrame({"text": texts, "=a\rb": texts, "number": -np.arange(4)})
    sheet = audit.to_frame(table, path)
    pd.testing.assert_frame_equal(sheet, audit.to_frame(table))
    for name in ("text", "=a\rb"):
        assert audit.read_labels(path, name, dtype=str).tolist() == sheet["text"].tolist()
    written = pd.read_csv(path, dtype=str)
    assert written["'=a\rb"].tolist() == written["text"].tolist()
    assert written["number"].tolist() == [str(-row) for row in audit.rows]
    audit.to_frame(table, path)  # it is still a blank worksheet


def test_files_in_windows_1252_are_read_with_a_warning(tmp_path):
    audit, path = draw_audit(8, 1, random_state=0), tmp_path / "sheet.csv"
    path.write_bytes(f"row;label\n{audit.rows[0]};süß\n".encode("cp1252"))
    with pytest.warns(UserWarning, match=r"sheet\.csv is not in UTF-8, .* Windows-1252"):
        assert audit.read_labels(path).tolist() == ["süß"]


TEXT = "Lotto 2026-12-05: 3 8 14 22 31 40"


def test_rows_follow_from_a_text():
    audit = draw_audit(1000, 5, seed_text=TEXT)
    assert audit.seed_text == TEXT
    assert f"{audit.seed:032x}" == sha256(TEXT.encode()).hexdigest()[:32]
    assert np.array_equal(audit.rows, draw_audit(1000, 5, random_state=audit.seed).rows)
    assert audit.verify()
    assert Audit.from_json(audit.to_json()) == audit
    assert draw_audit(1000, 5, random_state=0).seed_text is None
    other = draw_audit(1000, 5, seed_text=f"{TEXT}.")
    assert not np.array_equal(audit.rows, other.rows)


@pytest.mark.parametrize("text", [f"{TEXT}.", None])
def test_another_text_or_none_is_found_out(text):
    """With the digest that anybody can compute, a missing text shows in certificates."""
    labels = np.arange(100) % 2
    audit = draw_audit(100, 20, seed_text=TEXT)
    given = labels, audit, labels[audit.rows]
    altered = sealed(audit, seed_text=text)
    if text is not None:
        assert altered.verify().problems == ("seed is not that of seed_text",)
    problems = certify_labels(*given).verify(labels, altered, given[2]).problems
    assert "audit: it is not the audit of the certificate" in problems


def test_statements_quote_the_text_that_rows_were_drawn_by():
    labels = np.arange(100) % 2
    audit = draw_audit(100, 60, labels=labels, seed_text=TEXT)
    given = labels, audit, labels[audit.rows]
    clause = (
        f"the source of the text '{TEXT}', by which the rows were drawn, was named "
        "before anybody could know the text"
    )
    certificate = certify_labels(*given)
    assert certificate.statement.endswith(f" and {clause}.")
    assert certificate.seed_text == TEXT
    assert certificate.verify(*given)
    assert Certificate.from_json(certificate.to_json()).verify()
    finished = finish_labels(labels, np.arange(100), *given[1:], target=0.5)
    for each in (finished.certificate, class_report(*given)):
        assert clause in each.statement
    for text in ("", 3.0, " a", "a" * 201):
        problems = replace(certificate, seed_text=text).verify().problems
        assert "seed_text must be None or a text of 1 to 200 print" in problems[0]
    altered = sealed(certificate, seed_text=None, provisos=certificate.provisos[:-1])
    assert altered.verify()  # it says less, which only the audit shows
    problem = f"seed_text is None here and {TEXT!r} in the data"
    assert problem in altered.verify(*given).problems


# In notebooks

PARITY = np.arange(1000) % 2


def finished(size, target):
    sure = np.arange(1000)
    labels = np.where(sure < 200, 0, PARITY)
    audit = draw_audit(1000, size, labels=labels, random_state=0)
    return finish_labels(labels, sure, audit, PARITY[audit.rows], target=target)


def test_an_audit_says_how_it_was_drawn():
    text = "<b>lottery</b> of June"
    audit = draw_audit(500, 40, labels=PARITY[:500], exclude=[1, 2, 3], seed_text=text)
    html = audit._repr_html_()
    assert "<strong>Audit(40 of 497 rows)</strong>" in html
    assert "&lt;b&gt;lottery&lt;/b&gt; of June" in html
    assert "<b>" not in html
    for line in [
        ("rows were chosen", "at random, by a seed"),
        ("rows that could not be drawn: excluded", "3"),
        ("SHA-256 of labeling", f"{audit.fingerprints['labeling'][:16]}..."),
        ("SHA-256 of this audit", f"{audit.digest[:16]}..."),
    ]:
        assert "{}</th><td style='text-align:right'>{}</td>".format(*line) in html
    altered = replace(audit, n_rows=None, digest=None, seed_text=7)
    assert "Audit(40 of ? rows)" in altered._repr_html_()
    for name in ("fingerprints", "classes"):
        assert "Audit(40 of 497" in replace(audit, **{name: 1})._repr_html_()


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ({"groups": np.arange(500) // 5}, ">groups that rows were drawn by</th>"),
        ({"strata": np.arange(500) % 4}, "drawn by</th><td style='text-align:right'>4<"),
        ({"confidence": np.arange(500), "surest": 0.8}, "be drawn: too doubtful</th>"),
    ],
)
def test_whole_groups_strata_and_surest_rows_are_named(how, shown):
    assert shown in draw_audit(500, 10, **how)._repr_html_()


def test_a_finished_data_set_says_who_labeled_what():
    made = finished(300, 0.05)
    for now in (made, made.complete(PARITY[made.to_annotators])):
        html = now._repr_html_()
        assert f"<strong>{now.certificate.statement}</strong>" in html
        assert f">{now.share_automatic:.1%} of the rows</td>" in html
        assert f">{now.by_annotators.sum()} rows</td>" in html
        left = len(now.to_annotators)
        assert f"left to people</th><td style='text-align:right'>{left} rows" in html
    for html in (now._repr_html_(), made._rule.checked.audit._repr_html_()):
        # In the colors of the notebook, and without the words of clusterings.
        assert not [word for word in ("color", "background", "cluster") if word in html]
    with pytest.warns(UserWarning, match="too small"):
        html = finished(5, 0.01)._repr_html_()
    assert "No row is labeled automatically" in html
