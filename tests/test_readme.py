"""What the README shows is run."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

README = Path(__file__).parents[1] / "README.md"


# One search has no seed: whether some of its clusters hold no label is left to chance.
@pytest.mark.filterwarnings("ignore:.* clusters, with .* unlabeled rows, hold no")
def test_python_of_the_readme():
    X, y = load_iris(return_X_y=True)
    y[np.random.RandomState(0).permutation(150)[:75]] = -1
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert blocks
    words = np.random.RandomState(0).choice(["tea", "cat", "sun", "rain"], (40, 5))
    namespace = {"X": X, "y": y, "documents": [" ".join(row) for row in words]}
    for block in blocks:
        exec(block, namespace)
    assert namespace["search"].certificate_.verify(y, namespace["search"].transduction_)
    plt.close("all")
