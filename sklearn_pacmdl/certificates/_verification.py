"""The outcome of a verification, and the comparison of records with data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from ..utils._printable import escaped
from ..utils._words import joined
from ._column_digests import fingerprint_columns
from ._record import Record

# Parameters that hold a label of each row, and the fingerprints of these labels.
FINGERPRINT_OF = {"y": "labels", "labels": "labeling", "finished_labels": "finished"}

Arithmetic = Literal["integers", "enclosure"]
Outcome = Literal[
    "agrees with the data",
    "agrees with the data, but no seed shows how the rows were chosen",
    "agrees with itself; no data were compared",
    "does not agree",
    "cannot be read",
]
#: Outcomes of a verification, the worst last.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
AGREES, UNDRAWN, ALONE, DISAGREES, UNREADABLE = OUTCOMES


class Verification(NamedTuple):
    """Result of a verification; it is true if there is no problem.

    Attributes
    ----------
    outcome : str
        One of five:

        - "agrees with the data": no problem, and the counted labels, or those of an
          audit, were compared;
        - "agrees with the data, but no seed shows how the rows were chosen": the same,
          by an audit of rows that were drawn elsewhere;
        - "agrees with itself; no data were compared": no problem, but anybody can make
          such a certificate from invented counts;
        - "does not agree": with itself or with the data;
        - "cannot be read": fields are of wrong types or too large to be verified.
    arithmetic : {"integers", "enclosure"}
        How the tail was compared with its level: in plain integers, or by an interval
        that encloses it and excludes the level. Either is a proof.
    problems : tuple of str
        What is wrong; empty for the first three outcomes.
    checked : tuple of str, default=()
        What was checked and found right, and how, for the certificate and each array of
        data.
    unchecked : tuple of str, default=()
        What was not checked and why.
    verdict : str, default=""
        A sentence about what agrees and what does not, if data were compared and there
        are problems.
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
    - certificate: no data show its drawn, provisos, weights, delta, kind, subject, \
classes, random_choice_p_value, random_choice_test, date and version
    """

    outcome: Outcome
    arithmetic: Arithmetic
    problems: tuple[str, ...]
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome in (AGREES, UNDRAWN, ALONE)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        problems = [f"- {text}" for text in self.problems]
        lines = ["Problems:", *problems] if problems else []
        lines = [self.outcome, *lines, *verification_lines(self)]
        return escaped("\n".join(lines), keep="\n")


def verification_lines(verification: Verification) -> Iterator[str]:
    """Lines that say what agrees, what was checked and what was not."""
    if verification.verdict:
        yield verification.verdict
    parts = {"Checked:": verification.checked, "Not checked:": verification.unchecked}
    for title, texts in parts.items():
        if texts:
            yield title
            yield from (f"- {text}" for text in texts)


def verification_of(
    problems, arithmetic="integers", right=ALONE, readable=True, **texts: Any
) -> Verification:
    """The verification with the outcome that follows: ``right`` if nothing is wrong."""
    problems = tuple(problems)
    wrong = DISAGREES if readable else UNREADABLE
    return Verification(wrong if problems else right, arithmetic, problems, **texts)


def not_covered(columns: Sequence[str]) -> str:
    """That no digest covers columns of a table."""
    names = ", ".join(repr(escaped(name)) for name in columns)
    return f"no digest covers {'column' if len(columns) == 1 else 'columns'} {names}"


# What verifications call parameters, if not as they are.
_NAMES: ContextVar[Mapping[str, str]] = ContextVar("names", default=MappingProxyType({}))


@contextmanager
def called(names: Mapping[str, str]) -> Iterator[None]:
    """Let verifications call parameters by other names, such as those of files."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


class Comparison:
    """Comparison of a certificate or an audit with data."""

    def __init__(self, record: Record, of: str = "certificate"):
        self.record, self.of = record, of
        self.names = _NAMES.get()
        self.problems: list[str] = []
        self.compared = False  # whether the labels that the record is about were
        self.drawn = True  # whether the rows of its audit follow from its seed
        self._wrong: dict[str, None] = {}
        self._checked: defaultdict[str, list[str]] = defaultdict(list)
        self._unchecked: defaultdict[str, list[str]] = defaultdict(list)

    def name(self, parameter: str) -> str:
        return escaped(self.names.get(parameter, parameter))

    def problem(self, parameter: str, text: str) -> None:
        self.problems.append(f"{self.name(parameter)}: {text}")
        self._wrong[self.name(parameter)] = None

    def wrong_fields(self, problems: Iterable[str]) -> None:
        """Add problems of fields of the record itself."""
        for text in problems:
            self.problems.append(text)
            self._wrong[self.name(self.of)] = None

    def check(self, parameter: str, how: str) -> None:
        self._checked[self.name(parameter)].append(how)

    def leave_unchecked(self, parameter: str, why: str) -> None:
        self._unchecked[self.name(parameter)].append(why)

    def digest(self, parameter, digest: str, required=False, of=None) -> None:
        """Compare the digest of data with that of the certificate, if there is one."""
        fingerprint = of or FINGERPRINT_OF.get(parameter, parameter)
        expected = self.record.fingerprints.get(fingerprint)
        if expected is None:
            tell = self.problem if required else self.leave_unchecked
            tell(parameter, "there is no SHA-256 digest to compare with")
        elif expected != digest:
            self.problem(parameter, "its SHA-256 digest is not the one that was recorded")
        else:
            self.check(parameter, "SHA-256 digest")

    def drawing(self, source: str | None) -> None:
        """List what is known of the drawing of an audit, whose fields were verified.

        Rows of a source were drawn elsewhere.
        """
        self.drawn = source is None
        if self.drawn:
            self.check("audit", "rows, drawn again from the seed, and SHA-256 digest")
        else:
            self.check("audit", "SHA-256 digest")
            self.leave_unchecked("audit", f"the choice of the rows, by {source!r}")

    def recorded(self, names: Iterable[str]) -> None:
        """List fields that the record states and no data show."""
        self.leave_unchecked(self.of, f"no data show its {joined([*names])}")

    def columns(self, data: Any, n_rows: int | None, expected: Mapping[str, str]) -> None:
        """Compare the columns that annotators saw, and list those without a digest.

        ``data`` is a data frame, or digests by name, which are empty if not needed.
        """
        if data is None:
            if expected:
                self.leave_unchecked("data", "not given")
            return
        is_known = isinstance(data, Mapping)
        digests = data if is_known else fingerprint_columns(data, n_rows, expected)
        for name, digest in expected.items():
            column = f"{self.name('data')}, column {escaped(name)!r}"
            if name not in digests:
                self.leave_unchecked(column, "there is no such column")
            elif digests[name] == digest:
                self.check(column, "SHA-256 digest")
            else:
                self.problem(column, "it is not as it was when the audit was drawn")
        if others := [name for name in digests if name not in expected]:
            self.leave_unchecked("data", not_covered(others))

    def verification(self, arithmetic: Arithmetic = "integers") -> Verification:
        """The problems, and what was checked and what was not."""
        by_name = {n: t for n, t in self._checked.items() if n not in self._wrong}
        checked, unchecked = (
            tuple(f"{name}: {'; '.join(texts)}" for name, texts in each.items())
            for each in (by_name, self._unchecked)
        )
        right = ALONE if not self.compared else AGREES if self.drawn else UNDRAWN
        texts: Any = {"checked": checked, "unchecked": unchecked}
        verdict = self._verdict([*by_name])
        return verification_of(self.problems, arithmetic, right, verdict=verdict, **texts)

    def _verdict(self, right: list[str]) -> str:
        """What agrees with the record and what does not."""
        own = self.name(self.of)
        right = [name for name in right if name != own]
        wrong = [name for name in self._wrong if name != own]
        wrong += ["some of its fields"] * (own in self._wrong)
        if not right or not wrong:
            return ""
        agree = "agrees" if len(right) == 1 else "agree"
        do = "does" if len(wrong) == 1 and own not in self._wrong else "do"
        return f"{joined(right)} {agree} with {own}, but {joined(wrong)} {do} not."
