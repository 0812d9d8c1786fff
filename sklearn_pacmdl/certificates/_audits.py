"""Certificates of audits: rows that were drawn for people to label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from ..bounds import MAX_COUNT, groups_upper_bound, stratified_upper_bound
from ..utils._checks import check_integer, check_open_unit, invalid
from ..utils._docs import substituted
from ..utils._words import between, counted, percent, percent_below
from ._bound_certificate import BoundCertificate
from ._fields import Part, check_digests, check_parts
from ._record import Json
from ._statement import FIXED, KNOWN, ONCE, PEOPLE, REST, RIGHT, SEED_TEXT, TARGET
from ._verification import Audit, Mask

#: What was drawn, by the design of an audit.
DRAWN = {"audit": "single rows", "groups": "whole groups", "strata": "strata"}
# Groups that were not drawn are written by their sizes; more are no data set.
_MOST_GROUPS = 10**7


def check_seed_text(text: object) -> None:
    """Refuse a text that rows cannot be drawn by, or that statements cannot have."""
    is_text = isinstance(text, str) and text.isprintable() and text == text.strip()
    if text is not None and not (is_text and 0 < len(str(text)) <= 200):
        allowed = "a text of 1 to 200 printable characters without spaces around them"
        raise invalid("seed_text", f"None or {allowed}", text)


def assumed_of_people(
    max_annotator_errors: int, seed_text: str | None, *further: str
) -> tuple[str, ...]:
    """What is assumed of human labels of audited rows, and of the drawing."""
    right = PEOPLE.format(max_annotator_errors) if max_annotator_errors else RIGHT
    texts = [] if seed_text is None else [SEED_TEXT.format(seed_text)]
    return (right, ONCE, *further, *texts)


@dataclass(frozen=True, kw_only=True)
class AuditedCertificate(BoundCertificate):
    """Base class of certificates that rest on human labels of audited rows.

    Attributes
    ----------
    max_annotator_errors : int, default=0
        Number of audited rows that may have a wrong human label. ``n_train_errors``
        allows for them: it is an upper limit of the errors, whichever rows these are.
    n_excluded : int, default=0
        Rows of the data set that could not be drawn; nothing is said about them. They
        were excluded, have no label or are in no stratum.
    n_doubtful : int, default=0
        Further rows that could not be drawn, since the others were surer.
    seed_text : str, default=None
        The text that the drawing follows from, if any.
    columns : mapping of str to str, default={}
        SHA-256 digests of the columns that annotators saw, by name, as they were when the
        audit was drawn.

    See Also
    --------
    BoundCertificate : The other attributes.
    """

    max_annotator_errors: int = 0
    n_excluded: int = 0
    n_doubtful: int = 0
    seed_text: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    terms = ()
    labeled_rows = "audited"
    other_rows = "unaudited"
    _design: ClassVar[str] = "audit"
    _stated: ClassVar[tuple[str, ...]] = (
        *("delta", "max_annotator_errors", "date", "version"),
    )
    # What an audit shows, if it is given.
    _of_audit: ClassVar[tuple[str, ...]] = (
        *("seed_text", "columns", "provisos", "subject", "classes"),
        *("random_choice_p_value", "random_choice_test"),
    )
    _fixed: ClassVar[tuple[str, ...]] = ("labeling",)  # before the audit was drawn
    _is_of_drawn_labels = True

    @property
    def assumed(self) -> tuple[str, ...]:
        return assumed_of_people(self.max_annotator_errors, self.seed_text)

    def _checked(self) -> Self:
        checked = super()._checked()
        if self.drawn:
            raise invalid("drawn", "False where rows were audited", self.drawn)
        check_seed_text(self.seed_text)
        most = {"n_excluded": MAX_COUNT, "n_doubtful": MAX_COUNT}
        most["max_annotator_errors"] = self.n_train + self.n_train_abstained
        counts: Json = {
            name: check_integer(name, getattr(self, name), 0, limit)
            for name, limit in most.items()
        }
        columns = check_digests(self.columns, None, "columns")
        return replace(checked, columns=columns, **counts)

    @property
    def stated(self) -> tuple[int, int]:
        n_rows = self.n_train + self.n_test
        return min(self.n_train_errors + self.max_test_errors, n_rows), n_rows

    @property
    def fewest(self) -> int | None:
        """Lower bound on the errors that are stated, if there is one."""
        return None

    @property
    def _the_audited(self) -> str:
        return f"the {counted(self.n_train, 'audited row')}"

    def _which(self) -> list[str]:
        """What is true of the rows that are stated, if they are not all rows."""
        if not self.n_doubtful:
            return ["could be drawn"] if self.n_excluded else []
        n_rows = self.n_train + self.n_test
        n_rows += self.n_train_abstained + self.n_test_abstained
        return [f"belong to the surest {n_rows} of {n_rows + self.n_doubtful}"]

    def _wrong(self) -> str:
        """How many of all rows that the statement is about are labeled wrongly."""
        errors, n_rows = self.stated
        which = self._which()
        if self.n_train_abstained + self.n_test_abstained:
            which.append("are given a label")
        rows = f"{n_rows} rows" + (f" that {' and '.join(which)}" if which else "")
        most, share = f"at most {errors}", percent(errors, n_rows)
        if (fewest := self.fewest) is not None:
            most = between(fewest, errors)
            if fewest < errors:
                share = f"{percent_below(fewest, n_rows)} to {share}"
        return f"{most} of all {rows} ({share}) are labeled wrongly"

    @property
    def claim(self) -> str:
        return (
            f"{self._wrong()}: {self.n_train_errors} of {self._the_audited} and at most "
            f"{self.max_test_errors} of the {self.n_test} others"
        )

    def _wrong_audit(self, audit: Audit) -> list[str]:
        problems = []
        if self.fingerprints.get("audit") != audit.digest:
            problems.append("it is not the audit of the certificate")
        fixed = [FIXED[name] for name in self._fixed if name not in audit.fingerprints]
        own: Json = {"provisos": (*self.assumed, *fixed, *audit.provisos)}
        own |= {"subject": {}, "classes": ()}  # which certificates of audits leave empty
        for name in self._of_audit[: 2 if problems else None]:
            if getattr(self, name) != own.get(name, getattr(audit, name, None)):
                those = "are not those" if name.endswith("s") else "is not that"
                problems.append(f"its {name} {those} of the certificate")
        if self._design != audit.design.kind:
            drawn = DRAWN[audit.design.kind]
            problems.append(f"it is one of {drawn}, and the certificate is not")
        numbers = "are not as many as in the certificate"
        n_of_none = self._n_of_none(audit)
        if n_of_none < 0:
            problems.append(f"its excluded rows {numbers}")
        elif self.n_doubtful + n_of_none != len(audit.doubtful):
            which = "excluded" if n_of_none else "doubtful"
            problems.append(f"its {which} rows {numbers}")
        return problems

    def _n_of_none(self, audit: Audit) -> int:
        """Excluded rows that the audit has as doubtful: without a label or a stratum."""
        return self.n_excluded - len(audit.excluded)

    def _unshown(self, audit: Audit | None) -> Iterator[str]:
        yield from self._stated
        yield from self._of_audit if audit is None else ()


@substituted(AuditedCertificate)
@dataclass(frozen=True, kw_only=True)
class AuditCertificate(AuditedCertificate, kind="audit"):
    """Certificate of one labeling of all rows, of which single rows were audited.

    {Attributes}
    sides : {1, 2}, default=1
        1 if errors are bounded from above; 2 if also from below, at ``delta / 2`` each.
    min_test_errors : int, default=0
        Lower bound on the errors of the unaudited rows; 0 with one side.

    See Also
    --------
    BoundCertificate : The other attributes.
    sklearn_pacmdl.audits.certify_labels : Makes it.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import AuditCertificate
    >>> AuditCertificate.from_counts(200, 800, 4, weights={}, sides=2).claim
    'between 8 and 42 of all 1000 rows (0.80% to 4.20%) are labeled wrongly: 4 of the \
200 audited rows and between 4 and 38 of the 800 others'
    """

    sides: int = 1
    min_test_errors: int = 0

    _following = AuditedCertificate._following | {"min_test_errors"}
    _stated = "sides", *AuditedCertificate._stated

    def _checked(self) -> Self:
        sides, checked = check_integer("sides", self.sides, 1, 2), super()._checked()
        least = check_integer("min_test_errors", self.min_test_errors, 0, self.n_test)
        return replace(checked, sides=sides, min_test_errors=least)

    @property
    def fewest(self) -> int | None:
        if self.sides == 1:
            return None
        return self._fewest_audited + self.min_test_errors

    @property
    def _fewest_audited(self) -> int:
        """Fewest audited rows that are labeled wrongly, whatever people got wrong."""
        # Lower limit: n_train_errors minus the allowance for annotators' errors.
        return max(self.n_train_errors - 2 * self.max_annotator_errors, 0)

    @property
    def claim(self) -> str:
        two_sides = self.sides == 2
        audited, unaudited = f"{self.n_train_errors}", f"at most {self.max_test_errors}"
        if two_sides:
            unaudited = between(self.min_test_errors, self.max_test_errors)
        if self.max_annotator_errors:
            least = f"between {self._fewest_audited} and" if two_sides else "at most"
            audited = f"{least} {audited}"
        return (
            f"{self._wrong()}: {audited} of {self._the_audited} and {unaudited} of the "
            f"{self.n_test} others"
        )

    def recounted(self, counts: Mapping[str, int]) -> list[str]:
        allowed = counts["n_train_errors"] + self.max_annotator_errors
        errors = min(allowed, counts["n_train"])
        return super().recounted({**counts, "n_train_errors": errors})

    def _most(self) -> int:
        # Half of delta costs as much as a bit.
        return self._most_unseen(self.n_train_errors, bits=self.sides - 1)

    def _bounded(self) -> Self:
        least = 0
        if self.sides == 2:  # all but the most that can be right
            n_right = self.n_train - self._fewest_audited
            least = self.n_test - self._most_unseen(n_right, bits=1)
        return replace(super()._bounded(), min_test_errors=least)


@dataclass(frozen=True, kw_only=True)
class PartsCertificate(AuditedCertificate):
    """Base class of certificates whose bound follows from counts of parts of the rows."""

    parts: tuple[Part, ...]

    _n_exact = 0  # bounds are decided in floats
    _stated = "delta", "date", "version"

    def _lines(self) -> Iterator[tuple[str, str]]:
        for name, text in super()._lines():
            yield (self.kind if name == "parts" else name), text

    def _checked(self) -> Self:
        checked = super()._checked()
        if self.max_annotator_errors:
            allowed = f"0 where {DRAWN[self._design]} were audited"
            raise invalid("max_annotator_errors", allowed, self.max_annotator_errors)
        counts = checked.n_test, checked.n_train, checked.n_train_errors
        return replace(checked, parts=check_parts("parts", self.parts, counts))

    @abstractmethod
    def _most(self) -> int:
        """By a sample of groups, or by samples of strata."""

    def _wrong_parts(self, audit: Audit, labeled: Mask, wrong: Mask) -> list[str]:
        design, pool, rows = audit.design, audit.pool, audit.rows
        if design.parts(pool, rows, labeled, wrong) == self.parts:
            return []
        return [f"counts of {self.kind} are not those of the data"]


@substituted(AuditedCertificate)
@dataclass(frozen=True, kw_only=True)
class GroupsCertificate(PartsCertificate, kind="groups"):
    """Certificate of one labeling, by an audit of whole groups of rows.

    {Attributes}
    parts : tuple of tuple of int
        For each audited group, in drawing order: 1, its rows twice, since all are
        audited, and its errors. For the other groups, by size: how many, their rows, 0,
        0.

    See Also
    --------
    BoundCertificate : The other attributes.
    sklearn_pacmdl.audits.draw_audit : Draws whole groups.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import GroupsCertificate
    >>> parts = [(1, 20, 20, 1), (1, 30, 30, 0), (1, 25, 25, 0), (9, 25, 0, 0)]
    >>> GroupsCertificate.from_counts(75, 225, 1, weights={}, parts=parts).claim
    'at most 190 of all 300 rows (63.34%) are labeled wrongly: 1 of the 75 audited rows \
and at most 189 of the 225 others'
    """

    _design = "groups"

    def _checked(self) -> Self:
        checked = super()._checked()
        are_groups = all(
            n_rows > 0 and (n_audited == 0 or (n_audited == n_rows and times == 1))
            for times, n_rows, n_audited, _ in checked.parts
        )
        n_groups = sum(times for times, *_ in checked.parts)
        if not are_groups or n_groups > _MOST_GROUPS or not self.n_train:
            allowed = (
                "audited groups, at least one, each on its own, and others without "
                f"audited rows, of at most {_MOST_GROUPS} in all"
            )
            raise invalid("parts", allowed, self.parts)
        return checked

    @property
    def _chosen(self) -> str:
        n_groups = sum(n_audited > 0 for _, _, n_audited, _ in self.parts)
        return f"the {n_groups} audited {'groups' if n_groups > 1 else 'group'}"

    def _most(self) -> int:
        parts = np.array(self.parts, dtype=np.int64).reshape(-1, 4)
        audited = parts[:, 2] > 0
        _, n_rows, _, errors = parts[audited].T
        times, rows_of_others, _, _ = parts[~audited].T
        of_others = np.repeat(rows_of_others, times)
        most_of_all = groups_upper_bound(errors, n_rows, of_others, self.delta)
        return most_of_all - self.n_train_errors


@substituted(AuditedCertificate)
@dataclass(frozen=True, kw_only=True)
class StrataCertificate(PartsCertificate, kind="strata"):
    """Certificate of one labeling, by an audit of a number of rows of each stratum.

    {Attributes}
    parts : tuple of tuple of int
        For each stratum, 1 and the numbers of its rows, of audited rows and of errors.

    See Also
    --------
    BoundCertificate : The other attributes.
    sklearn_pacmdl.audits.draw_audit : Draws strata.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import StrataCertificate
    >>> parts = [(1, 900, 100, 2), (1, 100, 50, 3)]
    >>> StrataCertificate.from_counts(150, 850, 5, weights={}, parts=parts).claim
    'at most 49 of all 1000 rows (4.90%) are labeled wrongly: 5 of the 150 audited rows \
and at most 44 of the 850 others'
    """

    _design = "strata"

    def _checked(self) -> Self:
        checked = super()._checked()
        if not all(times == 1 and n_rows > 0 for times, n_rows, *_ in checked.parts):
            raise invalid("parts", "strata with rows, one by one", self.parts)
        return checked

    @property
    def _chosen(self) -> str:
        n = len(self.parts)
        return f"{super()._chosen} in {n} {'strata' if n > 1 else 'stratum'}"

    def _most(self) -> int:
        _, n_rows, n_audited, errors = np.array(self.parts, dtype=np.int64).T
        most_of_all = stratified_upper_bound(errors, n_audited, n_rows, self.delta)
        return most_of_all - self.n_train_errors


@substituted(AuditedCertificate)
@dataclass(frozen=True, kw_only=True)
class FinishedCertificate(AuditedCertificate, kind="finished"):
    """Certificate of a data set that a machine and people label together.

    ``n_train_errors`` is the largest number of audited errors among accepted rows.
    Audited rows keep their human labels, errors included, and people also label the
    ``n_doubtful`` rows.

    {Attributes}
    target : float
        The error rate, in (0, 1), that the data set was finished for.
    n_automatic : int
        Number of unaudited rows that the machine labels.
    n_left : int
        Number of the other rows without a human label so far.
    n_known : int, default=0
        Number of further rows with earlier human labels, which are assumed to be right.

    See Also
    --------
    BoundCertificate : The other attributes.
    sklearn_pacmdl.audits.finish_labels : Makes it.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import FinishedCertificate
    >>> FinishedCertificate.from_counts(
    ...     200, 800, 4, weights={}, target=0.05, n_automatic=600, n_left=200
    ... ).claim
    'once people have labeled the 200 rows that are left, at most 33 of all 1000 rows \
(3.30%) are labeled wrongly, and these are among the 600 rows that were labeled \
automatically'
    """

    target: float
    n_automatic: int
    n_left: int
    n_known: int = 0

    _of_errors = " that may be accepted"
    _audited_rows = "not_excluded"
    _fixed = "labeling", "confidence"
    _stated = "n_train_errors", "target", *AuditedCertificate._stated
    _is_of_drawn_labels = False

    @property
    def assumed(self) -> tuple[str, ...]:
        most, text = self.max_annotator_errors, self.seed_text
        known = (KNOWN,) if self.n_known else ()
        return (*assumed_of_people(most, text, REST, TARGET), *known)

    def _checked(self) -> Self:
        target = check_open_unit("target", self.target)
        # A recount adds them to the labeled rows, and could not tell them apart.
        for name in ("n_train_abstained", "n_test_abstained"):
            check_integer(name, getattr(self, name), 0, 0)
        checked = super()._checked()
        n_automatic = check_integer("n_automatic", self.n_automatic, 0, self.n_test)
        most_left = self.n_test - n_automatic + self.n_doubtful
        return replace(
            checked,
            target=target,
            n_automatic=n_automatic,
            n_left=check_integer("n_left", self.n_left, 0, most_left),
            n_known=check_integer("n_known", self.n_known, 0, MAX_COUNT),
        )

    @property
    def stated(self) -> tuple[int, int]:
        n_rows = self.n_known + self.n_train + self.n_test + self.n_doubtful
        return self.max_test_errors + self.max_annotator_errors, n_rows

    @property
    def _the_audited(self) -> str:
        return f"the {counted(self.n_train, 'audited row')}"

    def _which(self) -> list[str]:
        if self.n_excluded and self.n_doubtful:
            return ["were not excluded"]
        return ["could be drawn"] if self.n_excluded else []

    @property
    def claim(self) -> str:
        among = f"the {self.n_automatic} rows that were labeled automatically"
        where = f"these are among {among}"
        if self.max_annotator_errors:
            where = (
                f"at most {self.max_test_errors} of these are among {among}, and the "
                "others among the audited rows"
            )
        rows = f"the {self.n_left} rows that are left"
        once = f"once people have labeled {rows}, " if self.n_left else ""
        return f"{once}{self._wrong()}, and {where}"

    def recounted(self, counts: Mapping[str, int]) -> list[str]:
        problems = super().recounted(
            {
                "n_train": counts["n_train"] + counts["n_train_abstained"],
                "n_test": counts["n_test"] + counts["n_test_abstained"] - self.n_doubtful,
                "n_automatic": counts["n_test"],
            }
        )
        allowed = self.n_train_errors - self.max_annotator_errors
        if counts["n_train_errors"] > allowed:
            problems.append(
                f"n_train_errors allows {allowed} errors on audited rows that are "
                f"labeled automatically, and there are {counts['n_train_errors']} in the "
                "data"
            )
        return problems

    def _wrong_audit(self, audit: Audit) -> list[str]:
        plan = {"target": (audit.target, self.target), "delta": (audit.delta, self.delta)}
        return super()._wrong_audit(audit) + [
            f"its {name} is {planned}, and that of the certificate is {ours}"
            for name, (planned, ours) in plan.items()
            if planned not in (None, ours)
        ]

    def _n_of_none(self, audit: Audit) -> int:
        n_excluded, is_known = len(audit.excluded), audit.known_labels is not None
        expected = (0, n_excluded) if is_known else (n_excluded, 0)
        return 0 if (self.n_excluded, self.n_known) == expected else -1

    def _unshown(self, audit: Audit | None) -> Iterator[str]:
        held = {n for n in ("target", "delta") if getattr(audit, n, None) is not None}
        yield from (name for name in super()._unshown(audit) if name not in held)
