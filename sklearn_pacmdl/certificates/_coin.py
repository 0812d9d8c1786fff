"""A coin that spends what a whole number of tolerated errors leaves of delta."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, NamedTuple

from ..bounds import chance_rounded_up
from ..utils._checks import exact_decimal

#: Audited rows up to which there is a coin. With more than 500 there is next to nothing
#: to gain, and the exact probabilities for so many take up to .4 s.
MOST_TOSSED = 1000
#: In place of the coin, if there might have been one and it was not to decide.
NOT_TOSSED = "not tossed"
_PLACES = 30  # of probabilities: too many for anybody to notice what rounding costs
_SIDES = 2**256  # of the coin, a digest of SHA-256


class Toss(NamedTuple):
    """What a coin decides."""

    n_seen: int  # audited errors up to which rows are accepted; -1 if none is
    facts: dict[str, str]  # what a certificate records


def is_coin(value: Any) -> bool:
    """Whether this is a digest in hexadecimal, or says that there was none."""
    is_text = isinstance(value, str)
    return is_text and re.fullmatch(f"[0-9a-f]{{64}}|{NOT_TOSSED}", value) is not None


def has_coin(certificate: Any) -> bool:
    """Whether the statement of a certificate of a finished data set rests on a coin."""
    return certificate.kind == "finished" and "coin" in certificate.facts


def is_tossed(facts: Mapping[str, Any]) -> bool:
    """Whether these facts of a certificate have a coin that decided."""
    return facts.get("coin", NOT_TOSSED) != NOT_TOSSED


@lru_cache(maxsize=64)
def toss(coin: str, n_audited: int, n_others: int, most: int, delta: float) -> Toss:
    """Let a coin tolerate one audited error more, as often as delta allows.

    At most ``most`` of the others, which are more than that, may be accepted and wrong.
    """

    def chance(n_seen: int) -> Fraction:
        """That there are more, if so many audited errors are tolerated."""
        return chance_rounded_up(n_audited, n_others, n_seen, most + 1, _PLACES)

    level = exact_decimal(delta)
    # It grows with n_seen, and is 1 if all audited rows may be wrong.
    n_allowed = bisect_right(range(n_audited + 1), level, key=chance)
    lost, won = chance(n_allowed - 1) if n_allowed else Fraction(0), chance(n_allowed)
    # Both are rounded up, which makes the ratio smaller, and it is rounded down.
    winners = floor((level - lost) / (won - lost) * _SIDES)
    wins = coin != NOT_TOSSED and int(coin, 16) < winners
    facts = {"chance_if_lost": _text(lost), "chance_if_won": _text(won)}
    return Toss(n_allowed - 1 + wins, {"coin": coin, **facts})


def _text(value: Fraction) -> str:
    return f"0.{int(value * 10**_PLACES):0{_PLACES}d}" if value < 1 else "1"
