"""Every public class and function is called with one bad argument after another.

The tour is made from signatures: each parameter of a valid call takes, in turn, values of
a wrong type, out of range, not finite, empty, of a wrong length or far too large. What
follows is either a result, where `calls.py` says that the value may be taken, or a
ValueError or TypeError that names the parameter and shows the value, at once and with
nothing half done. A public name without a valid call fails.
"""

import re
import signal
import traceback
import warnings
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import wraps
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pytest
from calls import (
    ANYTHING,
    VALID,
    anything,
    call,
    defaults_of,
    may_take,
    parameters_of,
    public,
    resolve,
)
from joblib import parallel_config
from matplotlib.figure import Figure
from test_public import ROOMS, ROOT

import sklearn_pacmdl

pytestmark = pytest.mark.usefixtures("left_as_it_was")
# Processor time after which a call is taken to have no end. Most take under .4 s, and
# a million circles 3 s; it is no limit of speed, which depends on the machine.
SECONDS = 60.0


def bad_values(valid):
    """What a parameter is given in place of a valid value, by what is wrong with it."""
    yield from {
        "None": None,
        "text": "bad",
        "empty text": "",
        "bytes": b"bad",
        "an object": object(),
        "a class": dict,
        "a function": anything,
        "a list": [],
        "a dict": {},
        "a dict of nothing": {"bad": None},
        "a set": {1, 2},
        "a boolean": True,
        "negative": -1,
        "zero": 0,
        "one": 1,
        "two": 2,
        "a half": 0.5,
        "a complex number": 1j,
        "huge": 10**400,
        "beyond what Python writes": 10**5000,
        "a huge ratio": Fraction(10**400),
        "lowest": -1e308,
        "NaN": np.nan,
        "deep text": "[" * 10**5,
        "infinite": np.inf,
        "an empty array": np.array([]),
        "0-d": np.array(3),
        "a list of NaN": [np.nan, np.nan],
        "a list of None": [None, None],
        "a list of text": ["bad", "worse"],
        "a ragged list": [[1], [2, 3]],
        "a huge list": [10**400, 1],
        "two columns": np.ones((2, 2)),
        "three dimensions": np.ones((2, 2, 2)),
        "twenty thousand": np.broadcast_to(0, 20_000),
        "dates": np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"),
    }.items()
    if isinstance(valid, list | tuple | np.ndarray) and not is_ragged(valid):
        yield "too short", valid[:-1]
        yield "too long", [*valid, *valid[:1]]
        yield "of one kind of objects", [object()] * len(valid)
        yield "of two types", [*valid[:-1], "bad"]
        yield "the same", [*valid[:1]] * len(valid)
        yield "negative ones", np.full(np.shape(valid), -1)
        yield "huge ones", np.full(np.shape(valid), 2**62)
        yield "NaN in it", np.full(np.shape(valid), np.nan)
        yield "infinity in it", np.full(np.shape(valid), np.inf)
        yield "text", np.full(np.shape(valid), "bad")
        yield "a gap", with_gap(valid)
    if isinstance(valid, dict):
        yield "other values", dict.fromkeys(valid)
        yield "other keys", dict.fromkeys(range(len(valid)), 1)


def with_gap(valid):
    """The same values but for the last, which is missing."""
    values = np.array(valid, dtype=object)
    values.flat[-1:] = None
    return values


def scikit_learn_speaks(parameter, error):
    """Rows, labels and weights are checked by scikit-learn too, in its own words."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    ours = max(
        i for i, file in enumerate(files) if file.startswith((f"{ROOT}", __file__))
    )
    theirs = any("/sklearn/" in file for file in files[ours:])
    labels = ("labels", "labels_true", "labels_pred", "clusterings")
    return theirs and parameter in ("X", "y", "sample_weight", "affinity", *labels)


def shows(message, value):
    """Whether the message tells the value, or what kind of array or object it is."""
    array = np.asarray(value, dtype=object if is_ragged(value) else None)
    if isinstance(value, np.ma.MaskedArray):
        array = value.astype(object).filled(None)
    items = list(value)[:3] if np.iterable(value) else []
    items += value.values() if isinstance(value, dict) else []
    items += [value, *array.ravel()[:3], *array.ravel()[-1:]]
    telling = [text[:40] for item in items for text in (shown(item), plain(item))]
    telling += [f"{np.shape(item)}" for item in items if not is_ragged(item)]
    if array.dtype.kind == "f":
        telling += ["NaN"] if np.isnan(array).any() else []
        telling += ["infinity"] if np.isinf(array).any() else []
    if array.dtype.kind == "O":
        telling += ["NaN"] if any(item is np.nan for item in array.flat) else []
        telling += ["None"] if isinstance(value, np.ma.MaskedArray) else []
    telling += ["none", "None"] if np.iterable(value) and not len(value) else []
    telling += [type(value).__name__, f"{array.dtype}", f"{array.shape}"]
    if array.ndim:
        telling.append(f"{len(array)}")
    return any(text in message for text in telling)


def shown(value):
    """As messages write it: numbers of NumPy are plain, and what is too long is not."""
    try:
        with np.printoptions(legacy="1.25"):
            return repr(value)
    except ValueError:
        return f"a {type(value).__name__} that is too long to show"


def plain(value):
    return str(value) if isinstance(value, np.ndarray | str) else shown(value)


def is_ragged(value):
    try:
        np.asarray(value)
    except ValueError:
        return True
    return False


def is_ordinary(value):
    """Whether this may be right in itself, and wrong beside the other arguments."""
    return not is_ragged(value) and bool(
        np.asarray(value).dtype.kind in "biuf" and np.isfinite(np.asarray(value)).all()
    )


def complaint(name, parameter, given, error):
    """What is wrong with the error for a bad argument, or None."""
    value = given[parameter]
    if scikit_learn_speaks(parameter, error):
        return None
    if isinstance(error, OSError) and parameter == "path":
        return None  # the system names the file, and what is wrong with it
    if not isinstance(error, ValueError | TypeError):
        return "".join(traceback.format_exception(error)[-2:])
    message = str(error)
    told = {
        named: argument
        for named, argument in (defaults_of(name) | given).items()
        if re.search(rf"(?<!\w){named}(?!\w)", message)
    }
    if not is_ordinary(value):
        if parameter not in told:
            return f"{parameter} is not named: {type(error).__name__}: {message}"
        told = {parameter: value}
    if not any(shows(message, argument) for argument in told.values()):
        return f"no argument is named and shown: {message}"
    return None


@contextmanager
def limited():
    """A call that does not end raises an error."""

    def stop(*_):
        raise TimeoutError("it does not end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_every_public_name_is_on_the_tour():
    missing = sorted(set(public()) - set(VALID))
    assert not missing, f"VALID needs a valid call of each of {missing}"
    homes = {id(resolve(name)[0]) for name in VALID}
    top = {
        name: getattr(sklearn_pacmdl, name)
        for name in set(sklearn_pacmdl.__all__) - set(ROOMS)
    }
    assert not [name for name, found in top.items() if id(found) not in homes]


@pytest.mark.parametrize("name", VALID)
def test_the_valid_call(name):
    call(name, VALID[name]())


@pytest.fixture(autouse=True)
def _unfitted_figures(monkeypatch):
    """Where lines break in figures took a fifth of the time, and no input decides it."""
    monkeypatch.setattr(Figure, "draw_without_rendering", lambda figure: None)


def fault(name, parameter, what, value):
    """What is wrong with how a bad argument is taken, or None."""
    given = VALID[name]() | {parameter: value}
    try:
        with warnings.catch_warnings(), limited(), parallel_config("threading"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            call(name, given)
    except Exception as error:
        return complaint(name, parameter, given, error)
    finally:
        plt.close("all")
    is_fine = not may_take(name, parameter).isdisjoint({what, *ANYTHING})
    return None if is_fine else "it is accepted"


def faults(name, parameter):
    values = bad_values(VALID[name]().get(parameter))
    found = {what: fault(name, parameter, what, value) for what, value in values}
    return [f"{what}: {wrong}" for what, wrong in found.items() if wrong]


ON_THE_TOUR = [(name, parameter) for name in VALID for parameter in parameters_of(name)]


@pytest.mark.parametrize(("name", "parameter"), ON_THE_TOUR)
def test_bad_values(name, parameter):
    found = faults(name, parameter)
    assert not found, "\n".join(found)


def accepting(function):
    """The same function, which takes whatever it is given."""

    def accept(*args, **kwargs):
        with suppress(Exception):
            return function(*args, **kwargs)

    return wraps(function)(accept)


@pytest.mark.parametrize("name", ["bounds.bmax", "audits.certify_labels"])
def test_the_tour_sees_what_is_accepted_in_silence(name, monkeypatch):
    """A control that must fail."""
    room, function = name.split(".")
    module = import_module(f"sklearn_pacmdl.{room}")
    monkeypatch.setattr(module, function, accepting(getattr(module, function)))
    for parameter in parameters_of(name):
        assert "it is accepted" in str(faults(name, parameter))
