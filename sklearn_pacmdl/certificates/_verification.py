"""What a verification finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ._arithmetic import Method


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
