"""What the README shows is run."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from sklearn_pacmdl import draw_audit

README = Path(__file__).parents[1] / "README.md"


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


# One search has no seed: whether some of its clusters hold no label is left to chance.
@pytest.mark.filterwarnings("ignore:.* clusters, with .* unlabeled rows, hold no")
def test_python_of_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a report is written
    X, y = load_iris(return_X_y=True)
    y[np.random.RandomState(0).permutation(150)[:75]] = -1
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert blocks
    words = np.random.RandomState(0).choice(["tea", "cat", "sun", "rain"], (40, 5))
    namespace = {"X": X, "y": y, "documents": [" ".join(row) for row in words]}
    namespace |= labels_from_elsewhere()
    for block in blocks:
        exec(block, namespace)
    assert namespace["search"].certificate_.verify(y, namespace["search"].transduction_)
    plt.close("all")
