"""Every function with every kind of sample, whole or by segment: the table of a page."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sklearn_pacmdl.audits import (
    Audit,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)

N = np.arange(240)
TRUTH = np.where(N % 3, "b", "a")
LABELS = np.where(N % 12, TRUTH, "b")
OTHERS = np.where(N % 8, TRUTH, "a")
SURE, YEAR, GROUPS = N / 240, np.where(N % 5, "2024", "2023"), N // 4


def certificate(certify):
    return lambda audit, answers, **by: certify(LABELS, audit, answers, **by)


FUNCTIONS = {
    "certify_labels": certificate(certify_labels),
    "certify_share": lambda *of, **by: certify_share(LABELS, *of, of="a", **by),
    "class_report": certificate(class_report),
    "certify_difference": lambda *of, **by: certify_difference(LABELS, OTHERS, *of, **by),
    "finish_labels": lambda *of, **by: (
        finish_labels(LABELS, SURE, *of, target=0.3, **by).certificate
    ),
}
SAMPLES = {
    "rows": {},
    "strata": {"strata": LABELS},
    "whole groups": {"groups": GROUPS},
    "surest rows": {"confidence": SURE, "surest": 0.8},
}
PAGE = Path(__file__).parents[2] / "doc" / "samples.md"
SECTION = PAGE.read_text(encoding="utf-8").split("takes which sample?\n\n")[1]
LINES = [line.strip("| ").split(" | ") for line in SECTION.split("\n\n")[0].splitlines()]
TABLE = {
    (function.strip("`"), sample): cell
    for function, *cells in LINES[2:]
    for sample, cell in zip(LINES[0][1:], cells, strict=True)
}


def drawn(sample, source):
    """An audit that the package draws, or with a source of the same rows."""
    how, size = SAMPLES[sample], 20 if sample == "whole groups" else 100
    audit = draw_audit(240, size, labels=LABELS, random_state=0, **how)
    if source is None or sample == "surest rows":
        return audit
    return Audit.of_rows(audit.rows, 240, labels=LABELS, source=source, **how)


def test_all_functions_and_samples_are_in_the_table():
    assert {*TABLE} == {*product(FUNCTIONS, [*SAMPLES, "segments, `by=`"])}


@pytest.mark.parametrize("source", [None, "a tool"])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_cell(sample, function, source):
    audit = drawn(sample, source)
    certify, given = FUNCTIONS[function], (audit, TRUTH[audit.rows])
    if TABLE[function, sample] != "yes":
        reason = TABLE[function, sample].removeprefix("no ")
        assert reason in SECTION.split("\n\n")[1]
        with pytest.raises(ValueError, match=f"audit must be one .*for {function}"):
            certify(*given)
        return
    assert certify(*given).statement
    if TABLE[function, "segments, `by=`"] == "yes":
        table = certify(*given, by=YEAR)
        assert {*table.certificates} == {"2023", "2024"}
    else:
        with pytest.raises(TypeError, match="by"):
            certify(*given, by=YEAR)


def test_a_difference_in_a_segment():
    """What the page advises instead of by=."""
    audit = draw_audit(240, 100, random_state=0)
    first, second = (np.where(YEAR == "2024", of, None) for of in (LABELS, OTHERS))
    certificate = certify_difference(first, second, audit, TRUTH[audit.rows], delta=0.05)
    assert certificate.n_rows == np.sum(YEAR == "2024")
    gained = np.sum(second == TRUTH) - np.sum(first == TRUTH)
    assert certificate.lower_bound <= gained <= certificate.upper_bound
