"""The code of the guides is run, from top to bottom, and what it prints is compared."""

import re
import shlex
import sys
from math import ceil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import hide, verified

from sklearn_pacmdl.__main__ import main

DOC = Path(__file__).parents[1] / "doc"
BLOCK = re.compile(r"```(python|sh|text)\n(.*?)```", flags=re.S)
PROGRAM = "pacmdl "
# Code of these takes names from outside; it is run below, and by
# tests/audits/test_rounds.py.
FRAGMENTS = {"extending.md", "more_labels.md"}
PAGES = sorted(
    path.name
    for path in DOC.glob("*.md")
    if "```python\n" in path.read_text(encoding="utf-8") and path.name not in FRAGMENTS
)
# From this heading on, code of a page needs the packages of the extra neighbors.
NEIGHBORS = "\n## Code for other packages\n"


@pytest.mark.usefixtures("registries")
def test_page_on_extending_the_package(iris):
    X, y = iris
    blocks = BLOCK.findall((DOC / "extending.md").read_text(encoding="utf-8"))
    codes = [code for language, code in blocks if language == "python"]
    assert len(codes) >= 3
    namespace = {"X": X, "y": hide(y)}
    for code in codes:
        exec(code, namespace)


def run_commands(code):
    for command in code.replace("\\\n", " ").splitlines():
        assert command.startswith(PROGRAM)
        main(shlex.split(command.removeprefix(PROGRAM)))


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
                run_commands(code)
            else:
                exec(code, namespace)
                check(code, namespace)
            printed = capsys.readouterr().out
        assert n_compared
        plt.close("all")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pacmdl"])
    return run


README = (DOC.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", README, flags=re.S))
def test_each_block_of_the_readme_can_be_pasted(block, capsys):
    namespace = {}
    exec(block, namespace)
    assert capsys.readouterr().out
    if "search.certificate_" in block:
        assert len(block.splitlines()) <= 12
        certificate = namespace["search"].certificate_
        assert verified(namespace["search"], namespace["y"])
        stated = f"at most {certificate.max_test_errors} of the {certificate.n_test}"
        rate = ceil(1e4 * certificate.bound) / 100  # rounded up, as in statements
        assert f"{stated} unlabeled rows ({rate:.2f}%)" in README


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
