"""Count how often the code of a search passes from one module of the package to another.

One candidate on 150 rows, half of them labeled. A return is counted where a function of
one module returns to another module of the package; the room ``utils`` is not counted.
Reading a property, and each item of a generator, is a return too. The numbers say how
many files somebody has to hold in mind who follows a bound from the rows to the claim.

    python benchmarks/count_calls.py
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris

import sklearn_pacmdl
from sklearn_pacmdl import PACMDLSearchCV

PACKAGE = Path(sklearn_pacmdl.__file__).parent


def module_of(frame):
    """Path of a frame's module within the package; None elsewhere and in utils."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(PACKAGE):
        return None
    inside = path.relative_to(PACKAGE)
    return None if inside.parts[0] == "utils" else inside.as_posix()


def traced(function):
    """Numbers of returns between modules, and the functions that were entered."""
    returns, entered = Counter(), set()

    def profile(frame, event, _):
        if event not in ("call", "return") or frame.f_back is None:
            return
        module, caller = module_of(frame), module_of(frame.f_back)
        if module is not None and event == "call":
            entered.add((module, frame.f_code.co_qualname))
        if event == "return" and None not in (module, caller) and module != caller:
            returns[module, caller] += 1

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return returns, entered


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=12, help="pairs of modules to list")
    most = parser.parse_args().most
    X, y = load_iris(return_X_y=True)
    seen = np.where(np.random.RandomState(0).permutation(150) < 75, y, -1)
    search = PACMDLSearchCV(AgglomerativeClustering(3), random_state=0)
    search.fit(X[:100], seen[:100])  # modules are imported by now
    returns, entered = traced(lambda: search.fit(X, seen))
    files = {module for module, _ in entered}
    print(f"{len(entered)} functions in {len(files)} modules")
    print(f"{returns.total()} returns from one module to another")
    for (module, caller), n in returns.most_common(most):
        print(f"{n:5}  {module} -> {caller}")


if __name__ == "__main__":
    main()
