"""The ways to certify, by name: adding one is one class and one line."""

from dataclasses import fields, replace
from typing import Literal

import numpy as np

from ..bounds import SHARES_BY_RULE, selecting_share
from ..certificates import CertificateKind, is_known, register_kind
from ..utils._checks import check_option, invalid, is_number
from ._choice import choose_way
from ._decoupled import Decoupled
from ._holdout import HoldOut
from ._learned import Learned
from ._pac_mdl import PacMdl
from ._strategy import Strategy

#: The names that come with the package; type checkers do not know others.
WayName = Literal["decoupled", "pac-mdl", "learned", "holdout"]
#: One of them, or a choice among them from sizes.
CertifyName = WayName | Literal["auto"]

#: Share of the labels that select.
SelectFraction = float | Literal["auto"]

AUTO = "auto"

_STRATEGIES: dict[str, Strategy] = {}


def register_strategy(strategy: Strategy) -> None:
    """Register a way to certify, so that ``certify`` accepts its ``kind``.

    Parameters
    ----------
    strategy : Strategy
        With the default of its ``fraction``, which users may change unless it is 0.
        Its certificates are of a kind of the same name; to give that kind provisos of
        its own, call :func:`~sklearn_pacmdl.certificates.register_kind` first.

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
    if not is_known(strategy.kind):  # a kind with its own provisos comes before
        selects = strategy.fraction > 0
        also_random = "of their division" if selects else ""
        register_kind(CertificateKind(strategy.kind, selects, also_random))
    _STRATEGIES[strategy.kind] = strategy


register_strategy(Decoupled())
register_strategy(PacMdl())
register_strategy(Learned())
register_strategy(HoldOut())


def make_strategy(certify, fraction="auto", *, for_sets=False, size=None):
    """The strategy of this name, with its own fraction unless one is given.

    Parameters
    ----------
    certify : str
        "auto" chooses by ``size``.
    fraction : float or "auto"
    for_sets : bool, default=False
        Whether clusters may be left out, for which the fraction may differ.
    size : SweepSize, default=None
        What choices and fractions may depend on; None where only parameters are checked.

    Raises
    ------
    ValueError
        If there is no such strategy, or the fraction is not in (0, 1) or not used.
    """
    named = _STRATEGIES.keys() if for_sets else [*_STRATEGIES, AUTO]
    if check_option("certify", certify, named) == AUTO:
        if not _is_auto(fraction):
            raise invalid("select_fraction", "'auto' with certify='auto'", fraction)
        certify = HoldOut.kind if size is None else choose_way(size).certify
    default = _STRATEGIES[certify]
    strategy = replace(default, **default.of_sets) if for_sets else default
    if not _is_auto(fraction):
        return strategy.with_fraction(_check_fraction(fraction, certify, default))
    numbers = () if size is None or for_sets else size.n_clusters
    if len(numbers) and certify in SHARES_BY_RULE:
        median = float(np.median(numbers))
        return strategy.with_fraction(selecting_share(certify, median))
    return strategy


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
