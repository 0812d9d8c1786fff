"""Whether a certificate is true: its fields together, its arithmetic, its digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from ..utils._checks import shown
from ..utils._weights import length_in_bits, total_weight
from ._arithmetic import Method, groups_of, wrong_bound
from ._fingerprint import as_token
from ._kinds import CertificateKind, kind_of
from ._terms import wrong_weights

if TYPE_CHECKING:
    from ._certificate import BoundCertificate


class Verification(NamedTuple):
    """Result of a verification; it is true if no problem was found.

    Parameters
    ----------
    passed : bool
        Whether no problem was found.
    method : {"integers", "enclosure"}
        How the tail was compared with its level: in plain integers, or by an interval
        that encloses it and excludes the level. Either is a proof.
    problems : tuple of str
        The problems that were found.
    checked : tuple of str, default=()
        What was checked and how, for each of the things that were given.
    unchecked : tuple of str, default=()
        What was not checked and why.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> certificate = BoundCertificate.from_counts(2, 2, 0, weights={})
    >>> print(certificate.verify([0, None, 1, None], [0, 0, 1, 1]))
    No problem was found.
    Checked:
    - certificate: fields, bound and SHA-256 digest
    - y: 2 labels counted
    - labels: 4 labels counted
    Not checked:
    - y: there is no SHA-256 digest to compare with
    - labels: there is no SHA-256 digest to compare with
    """

    passed: bool
    method: Method
    problems: tuple[str, ...]
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        if self.passed:
            return "\n".join(["No problem was found.", *listed(self)])
        return "\n".join(["Problems:", *(f"- {problem}" for problem in self.problems)])


def listed(verification: Verification) -> Iterator[str]:
    """Lines that say what was checked, and what was not."""
    parts = {
        "Checked:": verification.checked,
        "Not checked:": verification.unchecked,
    }
    for title, texts in parts.items():
        if texts:
            yield title
            yield from (f"- {text}" for text in texts)


def outcome(
    problems: Iterable[str],
    method: Method = "integers",
    checked: Iterable[str] = (),
    unchecked: Iterable[str] = (),
) -> Verification:
    """Passed if there are no problems."""
    found = tuple(problems)
    return Verification(not found, method, found, tuple(checked), tuple(unchecked))


def inconsistent(certificate: BoundCertificate) -> list[str]:
    """Well-formed fields that do not go together."""
    c, kind = certificate, kind_of(certificate.kind)
    terms_differ = set(c.weights) != set(c.bits)
    weights = wrong_weights(c.weights, c.subject.get("n_candidates"))
    repeated = [
        name
        for name, values in {"provisos": c.provisos, "classes": c.classes}.items()
        if len(set(map(as_token, values))) < len(values)
    ]
    found = [
        "n_train_errors is above n_train" if c.n_train_errors > c.n_train else None,
        "max_test_errors is above n_test" if c.max_test_errors > c.n_test else None,
        f"weights: {weights}" if weights else None,
        _wrong_terms(c, kind),
        _wrong_division(c, kind),
        _wrong_clusters(c, kind),
        "bits and weights have different terms" if terms_differ else None,
        _wrong_provisos(c, kind),
        *(f"{name} are repeated: {shown(getattr(c, name))}" for name in repeated),
    ]
    return [problem for problem in found if problem]


def _wrong_terms(certificate: BoundCertificate, kind: CertificateKind) -> str | None:
    allowed = kind.terms
    if allowed is None or {*certificate.weights} <= {*allowed, "joint"}:
        return None
    return f"weights must have terms among {sorted(allowed)} where kind is {kind.name!r}"


def _wrong_division(certificate: BoundCertificate, kind: CertificateKind) -> str | None:
    n_select, where = certificate.n_select, f"where kind is {kind.name!r}"
    if kind.selects and not n_select:
        return f"n_select must be at least 1 {where}"
    if n_select and not kind.selects:
        return f"n_select must be 0 {where}, got {n_select}: all labeled rows certify"
    return None


def _wrong_clusters(certificate: BoundCertificate, kind: CertificateKind) -> str | None:
    c = certificate
    if not kind.by_cluster:
        return (
            f"clusters must be empty where kind is {kind.name!r}" if c.clusters else None
        )
    if any(a > m or m > n or times < 1 for times, n, m, a in c.clusters):
        return "clusters have more labels than rows, or more errors than labels"
    groups = groups_of(c.clusters)
    found = groups.n_labeled, groups.n_test, groups.n_errors
    if found != (c.n_train, c.n_test, c.n_train_errors):
        return "clusters do not add up to n_train, n_test and n_train_errors"
    return None


def _wrong_provisos(certificate: BoundCertificate, kind: CertificateKind) -> str | None:
    expected, provisos = kind.assumed(certificate.facts), certificate.provisos
    if certificate.drawn:
        needless = sorted(set(expected).intersection(provisos))
        what = " and ".join(map(repr, needless))
        return f"provisos have {what} though the rows were drawn" if needless else None
    if provisos[: len(expected)] != expected:
        return f"the first of the provisos is not {' and '.join(map(repr, expected))}"
    return None


def miscalculated(certificate: BoundCertificate) -> tuple[list[str], Method]:
    """Problems of the arithmetic, and how the tail was compared with its level."""
    c = certificate
    problems = [
        f"{term} bits are not those of the weight"
        for term, weight in c.weights.items()
        if not _same(c.bits[term], length_in_bits(Fraction(weight)))
    ]
    total = total_weight(c.weights)
    if not _same(c.description_length, length_in_bits(total)):
        problems.append("description_length is not that of the product of the weights")
    if c.bound != c.max_test_errors / c.n_test:
        problems.append("bound is not max_test_errors / n_test")
    wrong, method = wrong_bound(c)
    return problems + wrong, method


def _same(x: float, y: float) -> bool:
    # Far above what logarithms of other platforms differ by, far below what is shown.
    return isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)
