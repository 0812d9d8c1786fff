"""The code of the page on adding to the package is run."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import hide

PAGE = Path(__file__).parents[1] / "doc" / "extending.md"


@pytest.mark.usefixtures("registries")
def test_python_of_the_page(iris):
    X, y = iris
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S)
    assert len(blocks) >= 3
    namespace = {"X": X, "y": hide(np.array(y), 0.5, seed=0)}
    for block in blocks:
        exec(block, namespace)
    plt.close("all")
