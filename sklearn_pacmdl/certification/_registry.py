"""The ways to certify, by name: adding one is one class and one line."""

from dataclasses import fields, replace
from typing import Literal

from ..utils._checks import check_option, invalid, is_number
from ._strategy import Strategy
from ._ways import Decoupled, HoldOut, Learned, PacMdl

#: The names that come with the package; type checkers do not know others.
WayName = Literal["decoupled", "pac-mdl", "learned", "holdout"]
#: One of them, or a choice by the number of labels.
CertifyName = WayName | Literal["auto"]

#: Share of the labels that select.
SelectFraction = float | Literal["auto"]

AUTO = "auto"

# With fewer labels "auto" divides none. Of four, each part has one at least.
FEW_LABELS = 4

_STRATEGIES: dict[str, Strategy] = {}


def register_strategy(strategy: Strategy) -> None:
    """Register a way to certify, so that ``certify`` accepts its ``kind``.

    Parameters
    ----------
    strategy : Strategy
        With the default of its ``fraction``, which users may change unless it is 0.

    Raises
    ------
    ValueError
        If it is not a Strategy, or its ``kind`` is already registered.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import Strategy, register_strategy
    >>> @dataclass(frozen=True)
    ... class FirstClass(Strategy):
    ...     fraction: float = 0.0
    ...     kind = "always the first class"
    ...
    ...     def labelings(self, counts, accepted, language, rng):
    ...         yield np.zeros(len(counts.sizes), dtype=int), {}
    >>> register_strategy(FirstClass())
    """
    if not isinstance(strategy, Strategy):
        raise invalid("strategy", "an instance of a subclass of Strategy", strategy)
    if not isinstance(strategy.kind, str) or not strategy.kind:
        raise invalid("kind", "a text that is not empty", strategy.kind)
    if not is_number(strategy.fraction) or not 0 <= strategy.fraction < 1:
        raise invalid("fraction", "in [0, 1)", strategy.fraction)
    if strategy.chooses_first and strategy.fraction == 0:
        raise invalid("fraction", "above 0 where the strategy chooses first", 0)
    if strategy.fraction and "fraction" not in {f.name for f in fields(strategy)}:
        raise invalid("strategy", "a dataclass with the field fraction", strategy)
    if strategy.kind in (taken := sorted([*_STRATEGIES, AUTO])):
        raise invalid("kind", f"other than {taken}", strategy.kind)
    _STRATEGIES[strategy.kind] = strategy


register_strategy(Decoupled())
register_strategy(PacMdl())
register_strategy(Learned())
register_strategy(HoldOut())


def make_strategy(
    certify: str,
    fraction: SelectFraction = "auto",
    *,
    n_labeled: int | None = None,
    choose: str = "bound",
    for_sets: bool = False,
) -> Strategy:
    """The strategy of this name, with its own fraction unless one is given.

    "auto" chooses by the number of labels, before any of them is seen. A choice by errors
    needs names by all labels, which cost least under "decoupled".

    Raises
    ------
    ValueError
        If there is no such strategy, or the fraction is not in (0, 1) or not used.
    """
    by_errors = check_option("choose", choose, ["bound", "errors"]) == "errors"
    if check_option("certify", certify, [*_STRATEGIES, AUTO]) == AUTO:
        few = _is_auto(fraction) and n_labeled is not None and n_labeled < FEW_LABELS
        certify = Decoupled.kind if few or by_errors else Learned.kind
    default = _STRATEGIES[certify]
    if by_errors and default.fraction:
        allowed = "'auto' or a way in which all labels certify with choose='errors'"
        raise invalid("certify", allowed, certify)
    strategy = replace(default, **default.of_sets) if for_sets else default
    if _is_auto(fraction):
        return strategy
    return strategy.with_fraction(_check_fraction(fraction, certify, default))


def _is_auto(value):
    return isinstance(value, str) and value == AUTO


def _check_fraction(fraction, certify, strategy):
    if strategy.fraction == 0:
        allowed = f"'auto' with certify={certify!r}, where all labeled rows certify"
        raise invalid("select_fraction", allowed, fraction)
    if not is_number(fraction) or not 0 < fraction < 1:
        raise invalid(
            "select_fraction", "'auto' or in the open interval (0, 1)", fraction
        )
    return float(fraction)
