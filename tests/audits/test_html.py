"""Audits and finished data sets in notebooks: what is shown, escaped, in any colors."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.audits import draw_audit, finish_labels

TRUTH = np.arange(1000) % 2


def finished(size, target):
    sure = np.arange(1000)
    labels = np.where(sure < 200, 0, TRUTH)
    audit = draw_audit(1000, size, labels=labels, random_state=0)
    return finish_labels(labels, sure, audit, TRUTH[audit.rows], target=target)


def test_an_audit_says_how_it_was_drawn():
    text = "<b>lottery</b> of June"
    audit = draw_audit(500, 40, labels=TRUTH[:500], exclude=[1, 2, 3], seed_text=text)
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
    for now in (made, made.complete(TRUTH[made.to_annotators])):
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
