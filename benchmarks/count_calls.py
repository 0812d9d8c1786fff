"""Count the functions and files of the package that one call enters.

They say how much one has to hold in mind to follow a bound from the rows to the claim.
Named functions of all rooms are counted; each call is the second of its kind, so imports
and caches are done. Functions of a call are listed if it is named as an argument.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris

import sklearn_pacmdl as sp

PACKAGE = str(Path(sp.__file__).parent)
CO_NEWLOCALS = 2  # of functions, and not of class bodies


def entered(call):
    """File and name of each named function that a call enters."""
    functions = set()

    def profile(frame, event, _):
        code = frame.f_code
        named = not code.co_name.startswith("<") and code.co_flags & CO_NEWLOCALS
        if event == "call" and named and code.co_filename.startswith(PACKAGE):
            name = f"{code.co_qualname}, line {code.co_firstlineno}"
            functions.add((code.co_filename.removeprefix(PACKAGE), name))

    sys.setprofile(profile)
    call()
    sys.setprofile(None)
    return sorted(functions)


def calls():
    X, truth = load_iris(return_X_y=True)
    rng, ward = np.random.RandomState(0), AgglomerativeClustering
    y = np.where(rng.permutation(150) < 75, truth, -1)
    columns = {"a": ward(3).fit_predict(X), "b": ward(5).fit_predict(X)}
    search = sp.PACMDLSearchCV(ward(), n_clusters=[3], random_state=0)
    audit = sp.draw_audit(150, 60, random_state=0)
    labels = np.where(rng.uniform(size=150) < 0.05, 0, truth)
    known, sure = (audit, truth[audit.rows]), rng.uniform(size=150)
    yield "PACMDLSearchCV.fit", lambda: search.fit(X, y)
    yield (
        "certify_clusterings",
        lambda: sp.certify_clusterings(columns, y, random_state=0),
    )
    yield "certify_labels", lambda: sp.certify_labels(labels, *known)
    yield "finish_labels", lambda: sp.finish_labels(labels, sure, *known, target=0.2)


if __name__ == "__main__":
    for name, call in calls():
        call()
        functions = entered(call)
        n_files = len({file for file, *_ in functions})
        print(f"{name:20}{len(functions):5} functions in {n_files} files")
        if name in sys.argv[1:]:
            print(*functions, sep="\n")
