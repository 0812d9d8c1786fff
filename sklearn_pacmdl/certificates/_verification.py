"""The outcome of a verification, and the comparison of records with data.

Labels that a certificate counts are counted again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import as_labels
from ..utils._checks import as_mask, invalid, shown
from ..utils._printable import escaped
from ..utils._row_order import check_same_order
from ..utils._words import joined
from ._column_digests import fingerprint_columns
from ._fingerprint import (
    digest_of_labels,
    digest_of_numbers,
    fingerprint_certifying,
    fingerprint_row_order,
    number_labels,
)
from ._record import Record

if TYPE_CHECKING:
    from ._bound_certificate import BoundCertificate

# Parameters that hold a label of each row, and the fingerprints of these labels.
FINGERPRINT_OF = {"y": "labels", "labels": "labeling", "finished_labels": "finished"}

Audit: TypeAlias = Any  # the class is one of a room above
Mask: TypeAlias = NDArray[np.bool_]
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
          by an audit of rows that a search found labeled;
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
    problems: Iterable[str],
    arithmetic: Arithmetic = "integers",
    checked: tuple[str, ...] = (),
    unchecked: tuple[str, ...] = (),
    verdict: str = "",
    *,
    compared: bool = False,
    drawn: bool = True,
    readable: bool = True,
) -> Verification:
    """The verification with the outcome that follows; ``compared`` were the labels."""
    problems = tuple(problems)
    wrong = DISAGREES if readable else UNREADABLE
    right = ALONE if not compared else AGREES if drawn else UNDRAWN
    outcome = wrong if problems else right
    return Verification(outcome, arithmetic, problems, checked, unchecked, verdict)


class Comparison:
    """Comparison of a certificate or an audit with data."""

    def __init__(self, record: Record, names: Mapping[str, str], of: str = "certificate"):
        self.record, self.of = record, of
        self.names = names  # what parameters are called, if not as they are
        self.problems: list[str] = []
        self.compared = False  # whether the labels that the record is about were
        self.drawn = True  # whether the rows of its audit follow from a seed
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

    def digest(
        self, parameter: str, digest: str, required: bool = False, of: str | None = None
    ) -> None:
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

    def drawing(self, seed: int | None) -> None:
        """List what is known of the drawing of an audit, whose fields were verified."""
        self.drawn = seed is not None
        if self.drawn:
            self.check("audit", "rows, drawn again from the seed, and SHA-256 digest")
        else:
            self.check("audit", "SHA-256 digest")
            self.leave_unchecked("audit", "the choice of the rows, which has no seed")

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
            what = "column" if len(others) == 1 else "columns"
            names = ", ".join(repr(escaped(name)) for name in others)
            self.leave_unchecked("data", f"no digest covers {what} {names}")

    def verification(self, arithmetic: Arithmetic = "integers") -> Verification:
        """The problems, and what was checked and what was not."""
        by_name = {n: t for n, t in self._checked.items() if n not in self._wrong}
        checked, unchecked = (
            tuple(f"{name}: {'; '.join(texts)}" for name, texts in each.items())
            for each in (by_name, self._unchecked)
        )
        return verification_of(
            self.problems,
            arithmetic,
            checked,
            unchecked,
            self._verdict([*by_name]),
            compared=self.compared,
            drawn=self.drawn,
        )

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


class Data(NamedTuple):
    """What a certificate is compared with: parameters of its method verify."""

    y: ArrayLike | None = None
    labels: ArrayLike | None = None
    certifying: ArrayLike | None = None
    row_order: ArrayLike | None = None
    finished_labels: ArrayLike | None = None
    audit: Audit | None = None
    data: Any = None


class Recount(Comparison):
    """Comparison of a certificate with data: labels are counted again."""

    def __init__(self, record: BoundCertificate, names: Mapping[str, str], data: Data):
        super().__init__(record, names)
        self.record: BoundCertificate = record
        self.data = data
        by_row = {**data._asdict(), "row_order": None, "audit": None}
        by_row |= {"data": None} if isinstance(data.data, Mapping) else {}
        check_same_order(**{self.name(name): each for name, each in by_row.items()})
        columns = {name: getattr(data, name) for name in FINGERPRINT_OF}
        self.arrays = {
            name: as_labels(values, name)
            for name, values in columns.items()
            if values is not None
        }
        shapes = [array.shape for array in self.arrays.values()]
        if len(set(shapes)) > 1 or any(len(shape) != 1 for shape in shapes):
            raise ValueError(
                f"{joined([*self.arrays])} must be 1-dimensional and of the same length, "
                f"got shapes {joined([*map(str, shapes)])}."
            )

    def compare(self) -> None:
        """Compare with all data that are given, and list what is not."""
        self._list_what_is_missing()
        self.columns(self.data.data, None, getattr(self.record, "columns", {}))
        self._compare_arrays()
        if self.compared:
            self.recorded(self.record._unshown(self.data.audit))

    def _compare_arrays(self) -> None:
        self.index = np.arange(max(map(len, self.arrays.values()), default=0))
        if self.data.audit is not None:
            if not self._has_audit(self.data.audit):
                for name in self.arrays:
                    self.leave_unchecked(name, "whose rows the wrong audit does not tell")
                return
            if self.arrays:
                self.index = getattr(self.data.audit, self.record._audited_rows)
        self._number()
        if "y" in self.codes:
            self._compare_labels()
        if "finished_labels" in self.codes:
            self._compare_finished()
        if self.data.row_order is not None:
            digest = fingerprint_row_order(self.data.row_order)
            self.digest("row_order", digest, required=True)

    def _list_what_is_missing(self) -> None:
        """List what is not given although the certificate says something of it."""
        kept = self.record.fingerprints
        of_digests = {"finished_labels": "finished", "certifying": "certifying"}
        of_digests |= {"audit": "audit", "row_order": "row_order"}
        names = [name for name, digest in of_digests.items() if digest in kept]
        if hasattr(self.record, "n_left") and "finished" not in kept:
            names.append("finished_labels")
        for name in ("y", "labels", *names):
            if getattr(self.data, name) is None:
                self.leave_unchecked(name, "not given")
            elif name == "labels" and "finished" in kept:
                text = (
                    "whether they are the surest, up to as many audited errors as the "
                    "target allows, which finishing again would show"
                )
                self.leave_unchecked(name, text)

    def _has_audit(self, audit: Audit) -> bool:
        """Whether the audit is that of the certificate, and was drawn as it says."""
        if not hasattr(audit, "pool"):  # audits are known only to a room above
            raise invalid("audit", "None or an Audit", audit)
        c, arrays = self.record, self.arrays
        lengths = {len(array) for array in arrays.values()} or {audit.n_rows}
        if lengths != {audit.n_rows}:
            raise ValueError(
                f"{joined([*arrays])} must have a label for each of the {audit.n_rows} "
                f"rows of the audit, got {lengths.pop()}."
            )
        problems = [*audit.verify(n_rows=audit.n_rows if arrays else None).problems]
        problems += c._wrong_audit(audit)
        if not problems:
            arrays |= {name: audit.rename(array) for name, array in arrays.items()}
        for problem in problems:
            self.problem("audit", problem)
        self.drawing(audit.seed)
        if "finished_labels" in arrays and len(audit.excluded):
            text = f"{len(audit.excluded)} rows that could not be drawn"
            self.leave_unchecked("finished_labels", text)
        expected = audit.fingerprints.get("labeling")
        if expected is None or not c._is_of_drawn_labels or "labels" not in arrays:
            self.leave_unchecked(
                "audit", "the labels and confidences that it was drawn for"
            )
        elif digest_of_labels(arrays["labels"], "labels") != expected:
            self.problem("labels", "they are not those that the audit was drawn for")
        return not problems

    def _number(self) -> None:
        """Number labels, as texts, alike in all columns, with -1 where there is none."""
        self.numbered = {
            name: number_labels(array[self.index], name, self.record.classes or None)
            for name, array in self.arrays.items()
        }
        texts = {n: [*map(str, column.names)] for n, column in self.numbered.items()}
        number = {text: i for i, text in enumerate(chain(*texts.values()))}
        self.codes = {
            name: np.array([*map(number.__getitem__, texts[name]), -1], np.int32)[
                column.codes
            ]
            for name, column in self.numbered.items()
        }

    def _counts(self) -> dict[str, int]:
        """The counts that a certificate states."""
        y, labels = self.codes["y"], self.codes["labels"]
        certifies = labeled = y >= 0
        if self.data.certifying is not None:
            certifies = labeled & as_mask("certifying", self.data.certifying, len(y))
            if self.record.n_select:
                self.digest("certifying", fingerprint_certifying(certifies))
        accepted = labels >= 0
        counted = {
            "n_train": certifies & accepted,
            "n_test": ~labeled & accepted,
            "n_train_errors": certifies & accepted & (y != labels),
            "n_select": labeled & ~certifies,
            "n_train_abstained": certifies & ~accepted,
            "n_test_abstained": ~labeled & ~accepted,
        }
        return {name: int(mask.sum()) for name, mask in counted.items()}

    def _compare_labels(self) -> None:
        """Count again, and compare classes and digests."""
        c, n_before, self.compared = self.record, len(self.problems), True
        counts = c.recounted(self._counts())
        if c.n_select and self.data.certifying is None:
            counts.append(
                f"certifying must tell which labeled rows certified, since {c.n_select} "
                "did not: divisions_[0][1] of a search, division[1] of given clusterings"
            )
        self.wrong_fields(counts)
        names = {*map(str, self.numbered["labels"].names)}
        if c.classes and not names <= {*map(str, c.classes)}:
            self.problem("labels", "there are classes that are none of the certificate's")
        if self.data.audit is not None:
            is_wrong = self.codes["y"] != self.codes["labels"]
            labeled = self.codes["labels"] >= 0
            for problem in c._wrong_parts(self.data.audit, labeled, is_wrong):
                self.problem("audit", problem)
        for name in ("y", "labels"):
            if not counts:
                self.check(name, f"{np.sum(self.codes[name] >= 0)} labels counted")
            self.digest(name, digest_of_numbers(self.numbered[name]))
        if len(self.problems) > n_before and c.drawn:
            self.problems.append(
                "the certificate is about one split of labels that are all known: y must "
                "be missing on the held-out rows, and labels must be the labeling of "
                "this split, from split_transductions_ rather than transduction_"
            )

    def _compare_finished(self) -> None:
        """Whether the labels of a finished data set are those of their sources."""
        name, finished = "finished_labels", self.codes["finished_labels"]
        if "finished" not in self.record.fingerprints:
            self.problem(name, "there is no SHA-256 digest to compare with")
            return
        n_known = n_by_people = 0
        if "y" in self.codes:
            audited, automatic = self.codes["y"] >= 0, self.codes["labels"] >= 0
            automatic &= ~audited
            for source, mask in {"y": audited, "labels": automatic}.items():
                differs = mask & (finished != self.codes[source])
                if differs.any():
                    rows = shown(self.index[differs].tolist())
                    self.problem(
                        name,
                        f"{differs.sum()} of {mask.sum()} labels are not those of "
                        f"{self.name(source)}: rows {rows}",
                    )
            left = ~audited & ~automatic
            n_known = int(left.sum()) - getattr(self.record, "n_left", 0)
            unknown = left & (finished >= 0)
            n_by_people = int(np.sum(unknown))
        how = " compared with their sources" if "y" in self.codes else ""
        self.check(name, f"{np.sum(finished >= 0)} labels{how}")
        n_left, n_without = getattr(self.record, "n_left", 0), int(np.sum(finished < 0))
        if n_by_people > n_known:
            self.problem(
                name,
                f"{n_by_people} rows that were left to people have labels, of which the "
                f"certificate knows {n_known}: rows {shown(self.index[unknown].tolist())}"
                "; finishing again with these labels (add_labels, or --rest in the "
                "shell) makes a certificate that knows them",
            )
        elif n_without != n_left:
            what = f"n_left is {n_left}, and {n_without} rows have no label"
            self.problem(name, what)
        else:
            self.digest(name, digest_of_numbers(self.numbered[name]))
