"""What a verification finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ._arithmetic import Method

# Parameters that hold a label of each row, and the fingerprints of these labels.
FINGERPRINT_OF = {"y": "labels", "labels": "labeling", "finished_labels": "finished"}


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
    parts = {"Checked:": verification.checked, "Not checked:": verification.unchecked}
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


class Comparison:
    """What is found by comparing a certificate or an audit with data.

    Parameters
    ----------
    record : BoundCertificate or Audit
    names : mapping of str to str
        What parameters of the data are called; by default as they are.
    """

    def __init__(self, record: Any, names: Mapping[str, str]):
        self.record, self.names = record, names
        self.problems: list[str] = []
        self._checked: defaultdict[str, list[str]] = defaultdict(list)
        self._unchecked: defaultdict[str, list[str]] = defaultdict(list)

    def name(self, parameter: str) -> str:
        return self.names.get(parameter, parameter)

    def problem(self, parameter: str, text: str) -> None:
        self.problems.append(f"{self.name(parameter)}: {text}")

    def check(self, parameter: str, how: str) -> None:
        self._checked[self.name(parameter)].append(how)

    def leave(self, parameter: str, why: str) -> None:
        self._unchecked[self.name(parameter)].append(why)

    def digest(self, parameter: str, digest: str, required: bool = False) -> None:
        """Compare the digest of data with that of the certificate, if there is one."""
        fingerprint = FINGERPRINT_OF.get(parameter, parameter)
        expected = self.record.fingerprints.get(fingerprint)
        if expected is None:
            tell = self.problem if required else self.leave
            tell(parameter, "there is no SHA-256 digest to compare with")
        elif expected != digest:
            self.problem(parameter, "its SHA-256 digest is not the one that was recorded")
        else:
            self.check(parameter, "SHA-256 digest")

    def outcome(self, method: Method = "integers") -> Verification:
        """What was found, checked and not checked."""
        checked, unchecked = (
            tuple(f"{name}: {'; '.join(texts)}" for name, texts in found.items())
            for found in (self._checked, self._unchecked)
        )
        return outcome(self.problems, method, checked, unchecked)
