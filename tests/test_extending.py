"""The code of the page on adding to the package is run."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import hide

from sklearn_pacmdl.certificates._kinds import _KINDS
from sklearn_pacmdl.certification._registry import _STRATEGIES

PAGE = Path(__file__).parents[1] / "doc" / "extending.md"


@pytest.fixture
def registered():
    known = [(registry, dict(registry)) for registry in (_STRATEGIES, _KINDS)]
    yield
    for registry, before in known:
        registry.clear()
        registry.update(before)


def test_python_of_the_page(iris, registered):
    X, y = iris
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S)
    assert len(blocks) >= 3
    namespace = {"X": X, "y": hide(np.array(y), 0.5, seed=0)}
    for block in blocks:
        exec(block, namespace)
    plt.close("all")
