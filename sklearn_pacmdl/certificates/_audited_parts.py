"""Certificates of labelings of which whole groups or samples of strata were audited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import groups_upper_bound, stratified_upper_bound
from ._audits import PROVISOS, AuditKind
from ._kinds import kind_of, register_kind

_AUDITED = re.compile(r"\d{1,16}/\d{1,16}( \d{1,16}/\d{1,16})*", re.ASCII)
_OTHERS = re.compile(r"\d{1,9}x\d{1,16}( \d{1,9}x\d{1,16})*", re.ASCII)
_STRATA = re.compile(r"(\d{1,16}/){2}\d{1,16}( (\d{1,16}/){2}\d{1,16})*", re.ASCII)
# Facts of audits of single rows, for which nothing is allowed in the bound.
_OF_ROWS = "max_people_errors", "n_changed", "sides", "min_test_errors"
#: What was drawn, by the kind of the certificate.
DRAWN = {"audit": "single rows", "groups": "whole groups", "strata": "strata"}
# Groups that were not drawn are written by their sizes; more are no data set.
_MOST_GROUPS = 10**7


def facts_of_groups(
    found: Iterable[int], audited: Iterable[int], others: Iterable[int]
) -> dict[str, str]:
    """Errors and rows of each audited group, in drawing order, and rows of the others."""
    sizes = ((len([*same]), size) for size, same in groupby(sorted(others)))
    return {
        "audited_groups": _listed(found, audited),
        "other_groups": " ".join(f"{times}x{size}" for times, size in sizes),
    }


def facts_of_strata(
    found: Iterable[int], audited: Iterable[int], n_rows: Iterable[int]
) -> dict[str, str]:
    """Errors and number of the audited rows, and all rows, of each stratum."""
    return {"strata": _listed(found, audited, n_rows)}


def _listed(*counts: Iterable[int]) -> str:
    return " ".join("/".join(map(str, each)) for each in zip(*counts, strict=True))


def _counts(text: str, sep: str = "/") -> NDArray[np.int64]:
    """One line for each of several counts that are listed together."""
    return np.array([each.split(sep) for each in text.split()], dtype=np.int64).T


def is_by_parts(certificate: Any) -> bool:
    """Whether the bound follows from counts of groups or of strata, listed as facts."""
    return isinstance(kind_of(certificate.kind), _PartsKind)


def bound_by_parts(certificate: Any) -> int:
    """Errors of the rows that were not audited, at most."""
    kind, c = kind_of(certificate.kind), certificate
    assert isinstance(kind, _PartsKind)
    return kind.most(c.facts, c.delta) - c.n_train_errors


class _PartsKind(AuditKind):
    """Kinds of certificates that list counts of parts of the rows as facts."""

    lists: ClassVar[Mapping[str, re.Pattern[str]]]

    def most(self, facts: Mapping[str, Any], delta: float) -> int:
        """Errors of all rows, at most."""
        raise NotImplementedError  # groups and strata have their own

    def wrong_counts(self, certificate: Any) -> list[str]:
        """What is wrong with lists that can be read."""
        raise NotImplementedError  # groups and strata have their own

    def wrong_facts(self, certificate: Any) -> list[str]:
        if wrong := [name for name in _OF_ROWS if name in certificate.facts]:
            return [f"the fact {wrong[0]} is none of an audit of {DRAWN[self.name]}"]
        for name, pattern in self.lists.items():
            text = certificate.facts.get(name)
            if not isinstance(text, str) or not pattern.fullmatch(text):
                return [f"the fact {name} does not list counts of {self.name}"]
        return self.wrong_counts(certificate) or super().wrong_facts(certificate)


class GroupsKind(_PartsKind):
    """Errors of one labeling, by an audit of whole groups of rows.

    The fact "audited_groups" has the errors and the rows of each, in drawing order, such
    as "0/10 3/12". "other_groups" says how many others there are of which size, such as
    "80x10 5x12".
    """

    lists: ClassVar = {"audited_groups": _AUDITED, "other_groups": _OTHERS}

    def random_choice(self, certificate: Any) -> str:
        n_groups = len(certificate.facts["audited_groups"].split())
        return f"the {n_groups} audited {'groups' if n_groups > 1 else 'group'}"

    def most(self, facts: Mapping[str, Any], delta: float) -> int:
        found, audited, others = _counts_of_groups(facts)
        return groups_upper_bound(found, audited, others, delta)

    def wrong_counts(self, certificate: Any) -> list[str]:
        c = certificate
        times = [int(each.split("x")[0]) for each in c.facts["other_groups"].split()]
        if sum(times) > _MOST_GROUPS:
            return [f"the fact other_groups has more than {_MOST_GROUPS} groups"]
        found, audited, others = _counts_of_groups(c.facts)
        sums = sum(found.tolist()), sum(audited.tolist()), sum(others.tolist())
        if sums != (c.n_train_errors, c.n_train, c.n_test):
            return ["the counts of groups do not add up to those of the rows"]
        if np.any(found > audited) or 0 in audited or 0 in others:
            return ["there are groups without rows, or with more errors than rows"]
        return []


def _counts_of_groups(facts: Mapping[str, Any]) -> tuple[NDArray[np.int64], ...]:
    found, audited = _counts(facts["audited_groups"])
    times, size = _counts(facts["other_groups"], "x")
    return found, audited, np.repeat(size, times)


class StrataKind(_PartsKind):
    """Errors of one labeling, by an audit with a fixed number of rows of each stratum.

    The fact "strata" has the errors and the number of the audited rows, and the number of
    all rows, of each, such as "3/220/1318 8/80/279".
    """

    lists: ClassVar = {"strata": _STRATA}

    def random_choice(self, certificate: Any) -> str:
        n_strata = len(certificate.facts["strata"].split())
        rows = super().random_choice(certificate)
        return f"{rows} in {n_strata} {'strata' if n_strata > 1 else 'stratum'}"

    def most(self, facts: Mapping[str, Any], delta: float) -> int:
        found, audited, rows = _counts(facts["strata"])
        return stratified_upper_bound(found, audited, rows, delta)

    def wrong_counts(self, certificate: Any) -> list[str]:
        c = certificate
        found, audited, rows = _counts(c.facts["strata"])
        sums = sum(found.tolist()), sum(audited.tolist()), sum(rows.tolist())
        if sums != (c.n_train_errors, c.n_train, c.n_train + c.n_test):
            return ["the counts of strata do not add up to those of the rows"]
        if np.any(found > audited) or np.any(audited > rows) or 0 in rows:
            return ["there are strata without rows, or with more of a kind than rows"]
        return []


for _kind in (GroupsKind, StrataKind):
    register_kind(
        _kind(
            _kind.__name__.removesuffix("Kind").lower(),
            provisos=PROVISOS,
            terms=(),
            labeled_rows="audited",
            other_rows="unaudited",
        )
    )
