"""Checks of parameters; errors name the parameter, its value and what is allowed."""

import sys
import warnings
from collections.abc import Collection, Iterable
from fractions import Fraction
from importlib import import_module
from itertools import islice
from math import inf, isfinite, prod
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ._printable import PRINTABLE, escaped, is_printable

# Longer values are cut: a list may have a million entries.
_MOST_SHOWN = 300
# Rows, clusters or random starts: more than fit in any memory.
_MOST_COUNTED = 2**31 - 1


class InvalidParameterError(ValueError, TypeError):
    """A parameter of a wrong type or out of range; caught as either of the two."""


def required(module: str, what: str, extra: str, instead: str = "") -> Any:
    """Import what an extra installs; ``what`` requires it, as an error says."""
    try:
        return import_module(module)
    except ImportError:
        install = f"pip install 'sklearn-pacmdl[{extra}]' installs it."
        raise ImportError(f"{what}; {install}{instead}") from None


def shown(value: Any) -> str:
    """The value as text for a message, with NumPy's numbers written as plain numbers."""
    try:
        with np.printoptions(legacy="1.25"):
            text = repr(value)
    except ValueError:  # Python writes out no integers of thousands of digits
        text = f"a {type(value).__name__} that is too long to show"
    text = escaped(text, keep="\n")  # others than Python's types may show them
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def invalid(name: str, allowed: str, value: Any) -> InvalidParameterError:
    """Make the error to raise for a value that a parameter must not have."""
    return InvalidParameterError(f"{name} must be {allowed}, got {shown(value)}.")


def hint_of_image(name: str, values: Any, n_rows: int) -> str:
    """What a message adds if there is a value per row, in the shape of an image."""
    shape = np.shape(values)
    is_image = len(shape) > 1 and prod(shape) == n_rows
    return f" If each pixel is a row, pass {name}.ravel()." if is_image else ""


def first_of(texts: Iterable[str], most: int = 10) -> str:
    """The first of several texts."""
    listed = [*islice(texts, most + 1)]
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")


def listed(values: Iterable[Any]) -> str:
    """The first values as text, without the types of NumPy."""
    plain = (v.item() if isinstance(v, np.generic) else v for v in values)
    return first_of(map(repr, plain)) or "none"


# Frames of these are no code of the user: methods of this package are called through
# decorators of scikit-learn, and in processes and threads of joblib.
_NOT_OF_USERS = {__name__.partition(".")[0], "sklearn", "joblib"}


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in _NOT_OF_USERS:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether this is an integer of Python or NumPy, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a finite real number and not a boolean."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def is_iterable(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether this has items to go through, and is no text; an array of shape () has
    none."""
    return np.iterable(value) and not isinstance(value, str | bytes)


def refuse_masked(name: str, value: Any) -> None:
    """Refuse an array with masked numbers, in whose place NumPy has any."""
    if np.ma.is_masked(value):
        raise invalid(name, "an array without masked values", value)


def as_array(name: str, value: Any) -> NDArray[Any]:
    """The value as an array, unless its rows differ in length."""
    refuse_masked(name, value)
    try:
        return np.asarray(value)
    except ValueError:
        raise invalid(name, "an array with rows of one length", value) from None


def as_mask(name: str, rows: Any, n_rows: int, also: str = "") -> NDArray[np.bool_]:
    """A mask of rows, which are given by such or by indices; errors say what may also."""
    array = as_array(name, rows)
    if array.dtype == bool and array.shape == (n_rows,):
        return array
    inside = array.dtype.kind in "iu" and np.all((array >= 0) & (array < n_rows))
    if array.ndim != 1 or not (inside or not array.size):
        raise invalid(name, f"{also}a mask of {n_rows} rows, or indices of such", rows)
    mask = np.zeros(n_rows, dtype=bool)
    mask[array.astype(np.intp)] = True
    return mask


def check_integer(name: str, value: Any, least: int, most: float = inf) -> int:
    """Check an integer from ``least`` to ``most``, both included."""
    if not is_integer(value) or not least <= value <= most:
        limits = f"of at least {least}" if most == inf else f"from {least} to {most}"
        raise invalid(name, f"an integer {limits}", value)
    return int(value)


def check_count(name: str, value: Any, least: int) -> int:
    """An integer of at least ``least``, of something that is kept one by one."""
    check_integer(name, value, least)
    return check_integer(name, value, least, _MOST_COUNTED)


def check_number(name: str, value: Any, above: float = -inf, least: float = -inf) -> Any:
    """Check a finite number, greater than ``above`` and at least ``least``."""
    if not is_number(value) or not (value > above and value >= least):
        limits = "" if above == -inf else f" above {above}"
        limits += "" if least == -inf else f" of at least {least}"
        raise invalid(name, f"a finite number{limits}", value)
    return value


def check_open_unit(name: str, value: Any) -> float:
    """Check a number strictly between 0 and 1, such as a probability of failure."""
    if not is_number(value) or not 0 < value < 1:
        raise invalid(name, "in the open interval (0, 1)", value)
    return float(value)


# More jobs than any machine has cores, and few enough for what counts them.
_MOST_JOBS = 2**20


def check_n_jobs(n_jobs: Any) -> None:
    """Check what joblib takes as a number of jobs."""
    if n_jobs is not None and not (is_integer(n_jobs) and 0 < abs(n_jobs) <= _MOST_JOBS):
        raise invalid("n_jobs", "None or an integer other than 0", n_jobs)


def check_option(name: str, value: Any, options: Collection[str]) -> str:
    """Check a text that must be one of a few."""
    if not isinstance(value, str) or value not in options:
        raise invalid(name, f"one of {sorted(options)}", value)
    return value


def check_printable(name: str, value: Any) -> str:
    """Check a text that may be printed."""
    if not is_printable(value):
        raise invalid(name, f"a text {PRINTABLE}", value)
    return str(value)


def check_flag(name: str, value: Any) -> bool:
    """Check a boolean of Python or NumPy."""
    if not isinstance(value, bool | np.bool_):
        raise invalid(name, "True or False", value)
    return bool(value)


def check_fields(record: Any, **kinds: Any) -> None:
    """Check the types of the fields of a result, whose methods rely on them."""
    for name, kind in kinds.items():
        value = getattr(record, name)
        if not isinstance(value, kind):
            names = [k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,))]
            raise invalid(name, f"of type {' or '.join(names)}", value)


def exact_decimal(value: Fraction | float) -> Fraction:
    """The decimal number that a user wrote, as an exact ratio: 0.1 is one tenth."""
    if isinstance(value, Fraction | int):
        return Fraction(value)
    return Fraction(repr(float(value)))


# A rate such as 5 / 6500 is a float, whose decimal may be just below or above.
_NEARLY = Fraction(1, 10**9)


def rows_of_rate(rate: Fraction | float, n_rows: int) -> Fraction:
    """The rate, as the decimal that a user wrote, times the rows.

    What is within 1e-9 of a whole number counts as that, and so does a rate that is the
    float of a number of rows. Statements print the number, so it is what they certify.
    """
    n_of_rate = exact_decimal(rate) * n_rows
    whole = round(n_of_rate)
    is_whole = abs(n_of_rate - whole) <= _NEARLY or whole / n_rows == rate
    return Fraction(whole) if is_whole else n_of_rate
