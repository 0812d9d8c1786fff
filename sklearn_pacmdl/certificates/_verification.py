"""The outcome of a verification, and what of data was compared with a record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._printable import escaped

# Parameters that hold a label of each row, and the fingerprints of these labels.
FINGERPRINT_OF = {"y": "labels", "labels": "labeling", "finished_labels": "finished"}

Audit: TypeAlias = Any  # the class is one of a room above
Mask: TypeAlias = NDArray[np.bool_]
Method = Literal["integers", "enclosure"]
Outcome = Literal[
    "agrees with the data",
    "agrees with itself; no data were compared",
    "does not agree",
    "cannot be read",
]
#: Outcomes of a verification, the worst last.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
AGREES, ALONE, DISAGREES, UNREADABLE = OUTCOMES


class Verification(NamedTuple):
    """Result of a verification; it is true if there is no problem.

    Parameters
    ----------
    outcome : str
        One of four:

        - "agrees with the data": no problem, and the labels that the certificate counts,
          or those that an audit was drawn for, were compared;
        - "agrees with itself; no data were compared": no problem, but these labels were
          not compared. Anybody can make such a certificate from invented counts;
        - "does not agree": with itself or with the data;
        - "cannot be read": fields are of wrong types, of an unknown kind or too large, so
          that nothing was verified.
    method : {"integers", "enclosure"}
        How the tail was compared with its level: in plain integers, or by an interval
        that encloses it and excludes the level. Either is a proof.
    problems : tuple of str
        What is wrong; empty for the first two outcomes.
    checked : tuple of str, default=()
        What was checked and how, for the certificate and each array of data.
    unchecked : tuple of str, default=()
        What was not checked and why.

    Attributes
    ----------
    passed : bool
        Whether there is no problem.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> certificate = BoundCertificate.from_counts(2, 2, 0, weights={})
    >>> certificate.verify().outcome
    'agrees with itself; no data were compared'
    >>> print(certificate.verify([0, None, 1, None], [0, 0, 1, 1]))
    agrees with the data
    Checked:
    - certificate: fields, bound and SHA-256 digest
    - y: 2 labels counted
    - labels: 4 labels counted
    Not checked:
    - y: there is no SHA-256 digest to compare with
    - labels: there is no SHA-256 digest to compare with
    """

    outcome: Outcome
    method: Method
    problems: tuple[str, ...]
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.outcome in (AGREES, ALONE)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return escaped("\n".join([self.outcome, *verification_lines(self)]), keep="\n")


def verification_lines(verification: Verification) -> Iterator[str]:
    """Lines that say what is wrong, or what was checked and what was not."""
    parts = {"Checked:": verification.checked, "Not checked:": verification.unchecked}
    if not verification:
        parts = {"Problems:": verification.problems}
    for title, texts in parts.items():
        if texts:
            yield title
            yield from (f"- {text}" for text in texts)


def verification_of(
    problems: Iterable[str],
    method: Method = "integers",
    checked: tuple[str, ...] = (),
    unchecked: tuple[str, ...] = (),
    *,
    compared: bool = False,
    readable: bool = True,
) -> Verification:
    """The verification with the outcome that follows; ``compared`` were the labels."""
    problems = tuple(problems)
    wrong = DISAGREES if readable else UNREADABLE
    outcome = wrong if problems else AGREES if compared else ALONE
    return Verification(outcome, method, problems, checked, unchecked)


class Fingerprinted(Protocol):
    """A certificate or an audit."""

    @property
    def fingerprints(self) -> Mapping[str, str]: ...


class Comparison:
    """Comparison of a certificate or an audit with data."""

    def __init__(self, record: Fingerprinted, names: Mapping[str, str]):
        self.record = record
        self.names = names  # what parameters are called, if not as they are
        self.problems: list[str] = []
        self.compared = False  # whether the labels that the record is about were
        self._checked: defaultdict[str, list[str]] = defaultdict(list)
        self._unchecked: defaultdict[str, list[str]] = defaultdict(list)

    def name(self, parameter: str) -> str:
        return escaped(self.names.get(parameter, parameter))

    def problem(self, parameter: str, text: str) -> None:
        self.problems.append(f"{self.name(parameter)}: {text}")

    def check(self, parameter: str, how: str) -> None:
        self._checked[self.name(parameter)].append(how)

    def leave_unchecked(self, parameter: str, why: str) -> None:
        self._unchecked[self.name(parameter)].append(why)

    def digest(self, parameter: str, digest: str, required: bool = False) -> None:
        """Compare the digest of data with that of the certificate, if there is one."""
        fingerprint = FINGERPRINT_OF.get(parameter, parameter)
        expected = self.record.fingerprints.get(fingerprint)
        if expected is None:
            tell = self.problem if required else self.leave_unchecked
            tell(parameter, "there is no SHA-256 digest to compare with")
        elif expected != digest:
            self.problem(parameter, "its SHA-256 digest is not the one that was recorded")
        else:
            self.check(parameter, "SHA-256 digest")

    def verification(self, method: Method = "integers") -> Verification:
        """The problems, and what was checked and what was not."""
        lists = (
            tuple(f"{name}: {'; '.join(texts)}" for name, texts in by_name.items())
            for by_name in (self._checked, self._unchecked)
        )
        return verification_of(self.problems, method, *lists, compared=self.compared)


class Data(NamedTuple):
    """What a certificate is compared with: parameters of its method verify."""

    y: ArrayLike | None = None
    labels: ArrayLike | None = None
    certifying: ArrayLike | None = None
    row_order: ArrayLike | None = None
    clusters: ArrayLike | None = None
    finished_labels: ArrayLike | None = None
    audit: Audit | None = None
