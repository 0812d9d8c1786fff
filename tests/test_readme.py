"""What the README shows is run."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
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
