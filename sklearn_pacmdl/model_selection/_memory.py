"""Finished clusterings on disk, found again while the clusterer's code is the same."""

import sys
from hashlib import blake2b
from tempfile import TemporaryFile
from types import CodeType, FunctionType, ModuleType

import joblib
import numpy as np
import scipy
import sklearn
from sklearn.utils.validation import check_memory

from ..utils._checks import shown
from ._evaluation import fit_clusterer

# Compiled code cannot be followed, so these count by their versions in every digest.
_COMPILED = (np, scipy, sklearn)
_BY_VERSION = {module.__name__ for module in _COMPILED}
# Where properties, class methods, caches and the like keep their functions.
_WRAPPED = ("__func__", "__wrapped__", "fget", "fset", "func", "fn")
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_CONTAINERS = (dict, list, tuple, set, frozenset)
# Containers in containers that are looked through. It ends the search in a container that
# holds itself; parameters of clusterers are seldom nested more than twice.
_DEPTH = 5


def make_cache(memory):
    """Decorator that caches a function."""
    try:
        checked = check_memory(memory)
        store = getattr(checked, "store_backend", None)
        if store is not None:
            with TemporaryFile(dir=store.location):
                pass
    except (OSError, ValueError) as error:
        raise ValueError(
            f"memory must be a folder that can be written to, got {shown(memory)}: "
            f"{error}"
        ) from error
    return checked.cache


def code_digest(estimator):
    """Fingerprint of the code that a fit runs, as far as it can be followed."""
    # It covers the class of the clusterer, the classes of its parameters and what calls
    # them here, with all functions, classes and plain constants that they refer to. Other
    # packages than their own count by their versions; so do scikit-learn, SciPy and
    # NumPy.
    versions = [f"{module.__name__} {module.__version__}" for module in _COMPILED]
    lines = {sys.version, *versions, *_lines_of(fit_clusterer)}
    for part in [estimator, *estimator.get_params(deep=True).values()]:
        for root in _definitions(part):
            lines |= _lines_of(root)
    return blake2b("\n".join(sorted(lines)).encode(), digest_size=16).hexdigest()


def _lines_of(root):
    """Describe a function or a class and all that it refers to, in one line each."""
    lines, visited, waiting = set(), set(), [root]
    while waiting:
        item = waiting.pop()
        if item in visited:
            continue
        visited.add(item)
        name, version = f"{item.__module__}.{item.__qualname__}", _version(item)
        lines.add(f"{name} {version}")
        if version and (
            _package(item) in _BY_VERSION or _package(item) != _package(root)
        ):
            continue
        parts = _parts_of_class(item) if isinstance(item, type) else _parts(item)
        for key, value in parts:
            lines.add(f"{name} {key} {_text(value)}")
            waiting += _definitions(value)
    return lines


def _package(item):
    return (item.__module__ or "").partition(".")[0]


def _version(item):
    """Version of the package; empty for scripts and modules, which have none."""
    package = _package(item)
    if package in sys.stdlib_module_names:
        return sys.version
    return getattr(sys.modules.get(package), "__version__", "")


def _parts_of_class(item):
    for base in item.__bases__:
        yield "base", base
    for name, value in vars(item).items():
        if not name.startswith("__") or isinstance(value, FunctionType):
            yield name, value


def _parts(function):
    code = function.__code__
    yield "code", code
    yield "defaults", (function.__defaults__, function.__kwdefaults__)
    for cell in function.__closure__ or ():
        try:
            yield "closure", cell.cell_contents
        except ValueError:  # not filled yet
            continue
    names = _names(code)
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if not isinstance(value, ModuleType):
            yield name, value
            continue
        for attribute in names & vars(value).keys():
            yield f"{name}.{attribute}", vars(value)[attribute]


def _names(code):
    """Global names and attributes that code refers to."""
    inner = [_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*inner)


def _definitions(value, depth=0):
    """Functions and classes that a value is, holds or is an instance of."""
    if isinstance(value, FunctionType | type):
        return [value]
    if isinstance(value, (*_PLAIN, CodeType, ModuleType)) or depth > _DEPTH:
        return []
    if isinstance(value, _CONTAINERS):
        held = value.values() if isinstance(value, dict) else value
        return [item for part in held for item in _definitions(part, depth + 1)]
    wrapped = [getattr(value, name, None) for name in _WRAPPED]
    return [type(value), *(item for item in wrapped if isinstance(item, FunctionType))]


def _text(value, depth=0):
    """Text that is the same for equal constants in every process; else only the type."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, CodeType):
        names = (value.co_names, value.co_varnames)
        return f"{value.co_code.hex()} {names} {_text(value.co_consts)}"
    if isinstance(value, np.ndarray):
        return joblib.hash(value)
    if not isinstance(value, _CONTAINERS) or depth > _DEPTH:
        return type(value).__name__
    held = value.items() if isinstance(value, dict) else value
    texts = [_text(item, depth + 1) for item in held]
    return repr(texts if isinstance(value, list | tuple) else sorted(texts))
