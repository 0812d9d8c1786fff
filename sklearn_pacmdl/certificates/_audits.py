"""Kinds of certificates of audits: rows that were drawn for people to label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from ..utils._checks import is_integer
from ..utils._words import percent, percent_below
from ._kinds import CertificateKind, register_kind
from ._provisos import KNOWN, ONCE, PEOPLE, REST, RIGHT, SEED_TEXT, TARGET

#: Texts that rows can be drawn by, in errors.
SEED_TEXTS = "a text of 1 to 200 printable characters without spaces around them"
PROVISOS = RIGHT, ONCE


def is_seed_text(text: Any) -> bool:
    """Whether rows can be drawn by this text, and statements can have it."""
    is_short = isinstance(text, str) and 0 < len(text) <= 200
    return is_short and text.isprintable() and text == text.strip()


def n_changed(certificate: Any) -> Any:
    """Rows whose label was changed after the audit."""
    return certificate.facts.get("n_changed", 0)


def has_two_sides(certificate: Any) -> bool:
    """Whether a certificate of an audit bounds the errors from below, too."""
    return certificate.kind == "audit" and "sides" in certificate.facts


def fewest_seen(certificate: Any) -> int:
    """Fewest audited rows that are labeled wrongly, whatever people got wrong."""
    # Those that seem wrong, at least, are n_train_errors without what allows for people.
    return max(certificate.n_train_errors - 2 * int(_people_errors(certificate)), 0)


def _least_left(certificate: Any) -> int:
    """Fewest errors on rows that were not audited, as it is stored."""
    return int(certificate.facts.get("min_test_errors", 0))


def n_left(certificate: Any) -> Any:
    """Rows of a finished data set that people have not labeled yet."""
    c = certificate
    return c.facts.get("n_left", _n_not_automatic(c))


def _n_not_automatic(certificate: Any) -> Any:
    """Rows of a finished data set that were left to people."""
    c = certificate
    return c.n_test - int(c.facts["n_automatic"]) + n_doubtful(c)


def n_doubtful(certificate: Any) -> Any:
    """Rows that could not be drawn since others were surer."""
    return certificate.facts.get("n_doubtful", 0)


def _people_errors(certificate: Any) -> Any:
    """Audited rows to which people may have given a wrong label."""
    return certificate.facts.get("max_people_errors", 0)


class _OfPeople(CertificateKind):
    """Kinds of certificates that rest on what people said of the audited rows.

    The fact "max_people_errors" is the number of audited rows to which people may have
    given a wrong label. ``n_train_errors`` allows for them: it is a number of errors that
    is not exceeded, whichever rows these are. The fact "n_excluded" is the number of rows
    of the data set that could not be drawn, about which nothing is said. "n_doubtful" is
    the number of further rows that could not be drawn, since the others were surer.
    "seed_text" is the text that the drawing follows from, if any.
    """

    def assumed(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        most, text = facts.get("max_people_errors", 0), facts.get("seed_text")
        first, *others = self.provisos
        if most:
            first = PEOPLE.format(most)
        if text is not None:
            others.append(SEED_TEXT.format(text))
        return (first, *others)

    def _counts(self, certificate: Any) -> Iterator[tuple[str, int | None, float, str]]:
        """Facts that are counts: the default, the largest, and what is counted."""
        c = certificate
        yield "max_people_errors", 0, c.n_train + c.n_train_abstained, " of audited rows"
        yield "n_excluded", 0, inf, ""
        yield "n_doubtful", 0, inf, ""

    def wrong_facts(self, certificate: Any) -> list[str]:
        facts = certificate.facts
        for name, default, most, what in self._counts(certificate):
            value = facts.get(name, default)
            if not is_integer(value) or not 0 <= value <= most:
                return [f"the fact {name} is not a count{what}"]
        if "seed_text" in facts and not is_seed_text(facts["seed_text"]):
            return [f"the fact seed_text is not {SEED_TEXTS}"]
        return []

    def _which(self, certificate: Any) -> list[str]:
        """What is true of these rows, if they are not all rows."""
        return ["could be drawn"] * bool(certificate.facts.get("n_excluded", 0))

    def fewest(self, certificate: Any) -> int | None:
        """Lower bound on the errors that the upper bound is about, if there is one."""
        return None

    def _wrong(self, certificate: Any, labeled: bool = False) -> str:
        """How many of all rows that the statement is about are labeled wrongly."""
        errors, n_rows = self.stated(certificate)
        which = self._which(certificate) + ["are given a label"] * labeled
        rows = f"{n_rows} rows" + (f" that {' and '.join(which)}" if which else "")
        most, share = f"at most {errors}", percent(errors, n_rows)
        if (fewest := self.fewest(certificate)) is not None:
            most = f"between {fewest} and {errors}"
            share = f"{percent_below(fewest, n_rows)} to {share}"
        return f"{most} of all {rows} ({share}) are labeled wrongly"


class AuditKind(_OfPeople):
    """Errors of one labeling of all rows; those on audited rows are known.

    They are known up to the errors of people. The fact "n_changed" is the number of rows
    whose label was changed since, each of which adds an error. If the fact "sides" is 2,
    delta is halved, and "min_test_errors" bounds the errors on other rows from below.
    """

    def stated(self, certificate: Any) -> tuple[int, int]:
        c = certificate
        n_rows = c.n_train + c.n_test
        errors = c.n_train_errors + c.max_test_errors + n_changed(c)
        return min(errors, n_rows), n_rows

    def _which(self, certificate: Any) -> list[str]:
        c = certificate
        if not n_doubtful(c):
            return super()._which(c)
        n_rows = c.n_train + c.n_test + c.n_train_abstained + c.n_test_abstained
        return [f"belong to the surest {n_rows} of {n_rows + n_doubtful(c)}"]

    def _counts(self, certificate: Any) -> Iterator[tuple[str, int | None, float, str]]:
        yield "n_changed", 0, inf, ""
        yield "min_test_errors", 0, certificate.n_test, " of at most n_test"
        yield from super()._counts(certificate)

    def wrong_facts(self, certificate: Any) -> list[str]:
        sides = certificate.facts.get("sides", 2)
        wrong = sides != 2
        return ["the fact sides is not 2"] * wrong or super().wrong_facts(certificate)

    def recounted(self, certificate: Any, counts: Mapping[str, int]) -> list[str]:
        # A change turns at most one audited row from right to wrong or back.
        allowed = counts["n_train_errors"] + _people_errors(certificate)
        found, stated = min(allowed, counts["n_train"]), certificate.n_train_errors
        expected = stated if abs(found - stated) <= n_changed(certificate) else found
        return super().recounted(certificate, {**counts, "n_train_errors": expected})

    def claim(self, certificate: Any) -> str:
        c = certificate
        seen, others = str(c.n_train_errors), f"at most {c.max_test_errors}"
        before = f" before {n_changed(c)} rows were changed, which may be wrong"
        if has_two_sides(c):
            others = f"between {_least_left(c)} and {c.max_test_errors}"
            before += " or right"
        if _people_errors(c):
            least = f"between {fewest_seen(c)} and" if has_two_sides(c) else "at most"
            seen = f"{least} {seen}"
        return (
            f"{self._wrong(c, labeled=c.n_train_abstained + c.n_test_abstained > 0)}: "
            f"{seen} of the {c.n_train} audited rows and {others} of "
            f"the {c.n_test} others{before * (n_changed(c) > 0)}"
        )

    def fewest(self, certificate: Any) -> int | None:
        if not has_two_sides(certificate):
            return None
        c = certificate
        before = fewest_seen(c) + _least_left(c)
        return max(before - n_changed(c), 0)


class FinishedKind(_OfPeople):
    """Errors that are left in a data set that a machine and people label together.

    The fact "n_automatic" is the number of unaudited rows that the machine labels, and
    "n_left" how many of the others people have not labeled yet: by default, all.
    ``n_train_errors`` is the number of audited errors up to which it may label rows, of
    which there may be fewer. Audited rows keep the labels of people, errors included.
    The fact "n_known" is the number of further rows of the data set, whose labels people
    had given before, and which are taken to be right. The "n_doubtful" rows are left to
    people, too.
    """

    def assumed(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        provisos = super().assumed(facts)
        return (*provisos, KNOWN) if facts.get("n_known", 0) else provisos

    def stated(self, certificate: Any) -> tuple[int, int]:
        c = certificate
        n_rows = c.facts.get("n_known", 0) + c.n_train + c.n_test + n_doubtful(c)
        return c.max_test_errors + _people_errors(c), n_rows

    def errors_seen(self) -> str:
        return f"errors on {self.labeled_rows} rows that may be accepted"

    def claim(self, certificate: Any) -> str:
        c, left = certificate, n_left(certificate)
        among = f"the {int(c.facts['n_automatic'])} rows that were labeled automatically"
        where = f"these are among {among}"
        if _people_errors(c):
            where = (
                f"at most {c.max_test_errors} of these are among {among}, and the others "
                "among the audited rows"
            )
        once = f"once people have labeled the {left} rows that are left, " if left else ""
        return f"{once}{self._wrong(c)}, and {where}"

    def _counts(self, certificate: Any) -> Iterator[tuple[str, int | None, float, str]]:
        c = certificate
        yield from super()._counts(c)
        yield "n_automatic", None, c.n_test, " of at most n_test"
        others = _n_not_automatic(c)
        yield "n_left", others, others, " of rows that are not automatic"
        yield "n_known", 0, inf, ""

    def _which(self, certificate: Any) -> list[str]:
        which = super()._which(certificate)
        return ["were not excluded"] if which and n_doubtful(certificate) else which

    def recounted(self, certificate: Any, counts: Mapping[str, int]) -> list[str]:
        c, n_automatic = certificate, certificate.facts["n_automatic"]
        found = {
            "n_train": counts["n_train"] + counts["n_train_abstained"],
            "n_test": counts["n_test"] + counts["n_test_abstained"] - n_doubtful(c),
        }
        problems = super().recounted(c, found)
        if counts["n_test"] != n_automatic:
            problems.append(
                f"the fact n_automatic is {n_automatic} here and {counts['n_test']} in "
                "the data"
            )
        allowed = c.n_train_errors - _people_errors(c)
        if counts["n_train_errors"] > allowed:
            problems.append(
                f"n_train_errors allows {allowed} errors on audited rows that are "
                f"labeled automatically, and there are {counts['n_train_errors']} in the "
                "data"
            )
        return problems


def wrong_plan(certificate: Any, audit: Any) -> list[str]:
    """What a data set was finished for, if its audit was drawn for something else."""
    c = certificate
    plan = {"target": (audit.target, c.facts.get("target"))}
    plan["delta"] = (audit.delta, c.delta)
    for name, (planned, found) in plan.items():
        if planned not in (None, found):
            return [f"its {name} is {planned}, and that of the certificate is {found}"]
    return []


_NAMES: dict[str, Any] = {"labeled_rows": "audited", "other_rows": "unaudited"}
register_kind(AuditKind("audit", provisos=PROVISOS, terms=(), **_NAMES))
register_kind(
    FinishedKind("finished", provisos=(*PROVISOS, REST, TARGET), terms=(), **_NAMES)
)
