"""Interrupted benchmarks continue where they were."""

import pytest
from common import resumed


def interrupted():
    raise KeyboardInterrupt


def test_what_is_kept_is_not_computed_again(tmp_path):
    path = tmp_path / "candidates" / "digits.pkl"
    assert resumed(path, lambda: {"bound": 0.1}) == {"bound": 0.1}
    assert resumed(path, interrupted) == {"bound": 0.1}


def test_an_interrupted_computation_keeps_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        resumed(tmp_path / "digits.pkl", interrupted)
    assert not list(tmp_path.iterdir())
