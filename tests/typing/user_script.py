"""What type checkers tell the users of the package; checked by mypy, never run.

An error that must be found is marked with a comment that ignores it: mypy complains of
those that ignore nothing (``warn_unused_ignores``).
"""

from typing import assert_type

from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

import sklearn_pacmdl
from sklearn_pacmdl import BoundCertificate, PACMDLSearchCV
from sklearn_pacmdl.certification import Learned
from sklearn_pacmdl.cluster import SphericalKMeans


def attributes_have_types(X: ArrayLike, y: ArrayLike) -> None:
    search = PACMDLSearchCV(KMeans(), n_clusters=[2, 3], certify="holdout")
    assert_type(search.certificate_, BoundCertificate)
    assert_type(search.best_bound_, float)
    assert_type(search.coverage_, float)
    assert_type(search.fit(X, y), PACMDLSearchCV)
    assert_type(search.certificate_.verify().passed, bool)


def rooms_are_attributes() -> None:
    assert_type(sklearn_pacmdl.cluster.SphericalKMeans(3), SphericalKMeans)
    assert_type(sklearn_pacmdl.__version__, str)


def methods_are_known() -> None:
    PACMDLSearchCV(KMeans(), certify="pac-mdl")
    PACMDLSearchCV(KMeans(), certify="learned")
    PACMDLSearchCV(KMeans(), certify=Learned(fraction=0.4))
    PACMDLSearchCV(KMeans(), certify="pac_mdl")  # type: ignore[arg-type]
    PACMDLSearchCV(KMeans(), noise="abstain")
    PACMDLSearchCV(KMeans(), noise="drop")  # type: ignore[arg-type]


def names_are_known() -> None:
    _ = sklearn_pacmdl.PACMDLSearch  # type: ignore[attr-defined]
