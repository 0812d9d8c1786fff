"""Certificates of labelings of which whole groups of rows were audited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import groups_upper_bound
from ._audits import PROVISOS, AuditKind
from ._kinds import register_kind

_AUDITED = re.compile(r"\d{1,16}/\d{1,16}( \d{1,16}/\d{1,16})*", re.ASCII)
_OTHERS = re.compile(r"\d{1,9}x\d{1,16}( \d{1,9}x\d{1,16})*", re.ASCII)
# Facts of audits of single rows, for which nothing is allowed in the bound.
_OF_ROWS = "max_people_errors", "n_changed", "sides", "min_test_errors"
# Groups that were not drawn are written by their sizes; more are no data set.
_MOST_GROUPS = 10**7


def facts_of_groups(
    found: Iterable[int], audited: Iterable[int], others: Iterable[int]
) -> dict[str, str]:
    """Errors and rows of each audited group, in drawing order, and rows of the others."""
    pairs = zip(found, audited, strict=True)
    sizes = ((len([*same]), size) for size, same in groupby(sorted(others)))
    return {
        "audited_groups": " ".join(f"{a}/{m}" for a, m in pairs),
        "other_groups": " ".join(f"{times}x{size}" for times, size in sizes),
    }


def is_of_groups(certificate: Any) -> bool:
    return certificate.kind == "groups"


def bound_of_groups(certificate: Any) -> int:
    """Errors of the groups that were not audited, at most."""
    found, audited, others = _counts(certificate.facts)
    most = groups_upper_bound(found, audited, others, certificate.delta)
    return most - int(found.sum())


def _counts(facts: Mapping[str, Any]) -> tuple[NDArray[np.int64], ...]:
    pairs = np.array([p.split("/") for p in facts["audited_groups"].split()], np.int64)
    kinds = np.array([k.split("x") for k in facts["other_groups"].split()], np.int64)
    return pairs[:, 0], pairs[:, 1], np.repeat(kinds[:, 1], kinds[:, 0])


class GroupsKind(AuditKind):
    """Errors of one labeling, by an audit of whole groups of rows.

    The fact "audited_groups" has the errors and the rows of each, in drawing order, such
    as "0/10 3/12". "other_groups" says how many others there are of which size, such as
    "80x10 5x12".
    """

    def random_choice(self, certificate: Any) -> str:
        groups = certificate.facts["audited_groups"]
        return f"the {len(groups.split())} audited groups"

    def wrong_facts(self, certificate: Any) -> list[str]:
        c = certificate
        if wrong := [name for name in _OF_ROWS if name in c.facts]:
            return [f"the fact {wrong[0]} is none of an audit of whole groups"]
        lists = {"audited_groups": _AUDITED, "other_groups": _OTHERS}
        for name, pattern in lists.items():
            text = c.facts.get(name)
            if not isinstance(text, str) or not pattern.fullmatch(text):
                return [f"the fact {name} does not list counts of groups"]
        times = [int(each.split("x")[0]) for each in c.facts["other_groups"].split()]
        if sum(times) > _MOST_GROUPS:
            return [f"the fact other_groups has more than {_MOST_GROUPS} groups"]
        found, audited, others = _counts(c.facts)
        sums = sum(found.tolist()), sum(audited.tolist()), sum(others.tolist())
        if sums != (c.n_train_errors, c.n_train, c.n_test):
            return ["the counts of groups do not add up to those of the rows"]
        if np.any(found > audited) or 0 in audited or 0 in others:
            return ["there are groups without rows, or with more errors than rows"]
        return super().wrong_facts(c)


register_kind(
    GroupsKind(
        "groups",
        provisos=PROVISOS,
        terms=(),
        labeled_rows="audited",
        other_rows="unaudited",
    )
)
