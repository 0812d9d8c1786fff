"""The code of the guides is run, from top to bottom, and what it prints is compared."""

import re
import shlex
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.bounds import stratified_upper_bound, total_upper_bound

DOC = Path(__file__).parents[1] / "doc"
BLOCK = re.compile(r"```(python|sh|text)\n(.*?)```", flags=re.S)
PROGRAM = "pacmdl "
# Code of these takes names from outside; tests/test_extending.py and
# tests/audits/test_rounds.py run it.
FRAGMENTS = {"extending.md", "more_labels.md"}
PAGES = sorted(
    path.name
    for path in DOC.glob("*.md")
    if "```python\n" in path.read_text(encoding="utf-8") and path.name not in FRAGMENTS
)
# From this heading on, code of a page needs the packages of the extra neighbors.
NEIGHBORS = "\n## Code for other packages\n"


def fill_in_tables(truth):
    """What people do between two commands: they label the rows of every empty table."""
    for path in Path().glob("*.csv"):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if list(table.columns[-1:]) == ["label"] and not any(table["label"]):
            table["label"] = truth[table["row"].astype(int)]
            table.to_csv(path, index=False)


def run_commands(code, namespace):
    for command in code.replace("\\\n", " ").splitlines():
        assert command.startswith(PROGRAM)
        main(shlex.split(command.removeprefix(PROGRAM)))
        fill_in_tables(namespace["truth"])


@pytest.fixture
def run_blocks(tmp_path, monkeypatch, capsys):
    """Run blocks of code, and compare what they print, in a folder of their own."""

    def run(text, namespace, mask="$^", check=lambda code, namespace: None):
        printed, n_compared = "", 0
        for language, code in BLOCK.findall(text):
            if language == "text":  # lines are wrapped where they are shown
                code, printed = (re.sub(mask, "#", of) for of in (code, printed))
                assert code.split() == printed.split()
                printed, n_compared = "", n_compared + 1
                continue
            assert not printed  # everything that is printed is shown
            if language == "sh":
                run_commands(code, namespace)
            else:
                exec(code, namespace)
                check(code, namespace)
            printed = capsys.readouterr().out
        assert n_compared
        plt.close("all")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pacmdl"])
    return run


@pytest.mark.filterwarnings("error:The chosen n_clusters=")
@pytest.mark.parametrize("page", PAGES)
def test_guide(page, run_blocks):
    run_blocks((DOC / page).read_text(encoding="utf-8").split(NEIGHBORS)[0], {})


# Other packages are not ours to keep free of warnings. Clusters of theirs differ between
# processors, so the words that are printed are compared, and bounds with the truth.
@pytest.mark.neighbors
@pytest.mark.filterwarnings("ignore")
def test_code_for_other_packages(run_blocks):
    text = (DOC / "elsewhere.md").read_text(encoding="utf-8")
    namespace = {}
    ours, theirs = text.split(NEIGHBORS)
    run_blocks(ours, namespace)
    run_blocks(theirs, namespace, r"[\d.]*\d", check_last_bound)


def check_last_bound(code, namespace):
    """What this code certified holds of the truth, which the page has."""
    made = re.findall(r"^ *(certified|search) = ", code, flags=re.M)[-1]
    end = "_" if made == "search" else ""
    certificate = getattr(namespace[made], f"certificate{end}")
    labels = pd.Series(getattr(namespace[made], f"transduction{end}"))
    with_class = (labels.notna() & (labels != -1)).to_numpy()
    hidden = pd.Series(namespace["y"]).fillna(-1).isin([-1]).to_numpy()
    certified = hidden & with_class
    assert certified.sum() == certificate.n_test
    wrong = labels.to_numpy() != np.asarray(namespace["truth"])
    assert 0 < np.sum(wrong & certified) <= certificate.max_test_errors


def probable(n_wrong, n_rows, n_audited):
    """Numbers of errors that an audit finds, with their probabilities."""
    found = np.arange(n_audited + 1)
    probability = hypergeom(n_rows, n_wrong, n_audited).pmf(found)
    kept = probability > 1e-4
    return found[kept], probability[kept] / probability[kept].sum()


def test_what_the_guide_says_of_strata():
    """Mean bounds for two groups whose error rates are known, with the same labels."""
    rows, wrong, n_labels = np.array([1318, 279]), np.array([92, 72]), 300
    audited = np.array([220, 80])  # Neyman's allocation
    groups = [probable(*group) for group in zip(wrong, rows, audited, strict=True)]
    (first, p), (second, q) = groups
    bounds = [
        [stratified_upper_bound([a, b], audited, rows, 0.1) for b in second]
        for a in first
    ]
    stratified = p @ np.array(bounds) @ q
    found, probability = probable(wrong.sum(), rows.sum(), n_labels)
    uniform = probability @ total_upper_bound(found, n_labels, rows.sum(), 0.1)
    assert stratified < uniform
    page = " ".join((DOC / "samples.md").read_text(encoding="utf-8").split())
    said = re.search(r"mean bound is (\d+) errors.* of 300 rows has (\d+)", page)
    assert [round(stratified), round(uniform)] == [int(said[1]), int(said[2])]
