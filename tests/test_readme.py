"""What the README shows is run."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import verified
from sklearn.datasets import load_iris

from sklearn_pacmdl import draw_audit

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def labels_from_elsewhere():
    """Labels and confidences of a thousand rows, and what people say of 400 of them."""
    rng = np.random.RandomState(0)
    truth, confidence = rng.randint(3, size=1000), rng.uniform(size=1000)
    labels = np.where(rng.uniform(size=1000) < np.sqrt(confidence), truth, 0)
    audit = draw_audit(1000, 400, random_state=0)
    return {
        "labels": labels,
        "confidence": confidence,
        "table": pd.DataFrame({"text": labels}),
        "answers": truth[audit.rows],
    }


def test_python_of_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a report is written
    X, y = load_iris(return_X_y=True)
    y[np.random.RandomState(0).permutation(150)[:75]] = -1
    pasted, *others = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    namespace = {}
    exec(pasted, namespace)
    assert verified(namespace["search"], namespace["y"])
    words = np.random.RandomState(0).choice(["tea", "cat", "sun", "rain"], (40, 5))
    namespace |= {"X": X, "y": y, "documents": [" ".join(row) for row in words]}
    namespace |= labels_from_elsewhere()
    for block in others:
        exec(block, namespace)
    plt.close("all")


@pytest.mark.slow  # 15 s
def test_guarantee_of_the_readme_is_what_the_example_prints(
    tmp_path, monkeypatch, capsys
):
    text = " ".join(README.read_text(encoding="utf-8").replace("\n>", "").split())
    guarantee = re.search(r"(With probability .*?) (The true error rate .*?%)", text)
    script = re.search(r"examples/plot_\w+\.py", text)[0]
    output = str(tmp_path / "candidates.png")
    monkeypatch.setattr(sys, "argv", [script, "--n-jobs", "1", "--output", output])
    runpy.run_path(ROOT / script, run_name="__main__")
    printed = capsys.readouterr().out
    for sentence in guarantee.groups():
        assert sentence in printed
    plt.close("all")
