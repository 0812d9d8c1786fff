"""What is timed from commit to commit runs; times are not looked at."""

import importlib.util
import inspect
import warnings
from itertools import product
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "commits" / "speed.py"


def suite():
    spec = importlib.util.spec_from_file_location("speed", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = [c for _, c in inspect.getmembers(module, inspect.isclass)]
    return [c for c in own if c.__module__ == "speed"]


@pytest.mark.parametrize("group", suite(), ids=lambda group: group.__name__)
def test_each_runs(group):
    methods = [m for m in dir(group) if m.startswith(("time_", "peakmem_"))]
    assert methods
    for parameters in product(*getattr(group, "params", ())):
        timed = group()
        timed.setup(*parameters)
        for method in methods:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of few iterations, and blind clusters
                getattr(timed, method)(*parameters)
