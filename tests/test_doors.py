"""All public names are called with all kinds of odd input, and follow the same rules.

An odd call ends as `odd_input.py` says that it may, names the parameter if it fails, or
has the result of the equivalent plain call.
"""

import contextlib
import re
import resource
import unicodedata
import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from calls import RESULTS, VALID, call
from conftest import own_registries, seed_audits
from joblib import parallel_config
from odd_input import ALL, KINDS, STATEFUL, is_number, labels_in, odds
from sklearn.base import BaseEstimator
from test_bad_input_tour import complaint, limited
from test_public import ROOMS

from sklearn_pacmdl import metrics
from sklearn_pacmdl.certificates import Verification

pytestmark = pytest.mark.usefixtures("left_as_it_was")
_HEX = re.compile(r"[0-9a-f]{12,}|\d{4}-\d\d-\d\dT[\d:+.]+")
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Outcome:
    """What a call did: a result or an error, and the warnings."""

    result: object = None
    error: Exception | None = None
    warned: tuple = ()


def run(name, given):
    if "self" in given:  # which calls may change
        given = given | {"self": deepcopy(given["self"])}
    seed_audits(7)
    np.random.seed(0)  # noqa: NPY002, what random_state=None stands for
    outcome = Outcome()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with own_registries(), limited(), parallel_config("threading"):
                outcome.result = call(name, given)
                draw_figures()
        except Exception as error:
            outcome.error = error
        finally:
            plt.close("all")
    outcome.warned = tuple(f"{w.message}" for w in caught)
    return outcome


def draw_figures():
    """Texts of pictures are read only when these are drawn."""
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


@contextlib.contextmanager
def little_memory(more=3 * 2**30):
    """No more than this many bytes besides what is used."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + more, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


# Attributes that differ between runs, or between names of classes.
APART = (
    "time",
    "digest",
    "fingerprint",
    "date",
    "version",
    "feature_names_in",
    "n_features",
)


def told(value, depth=0):
    """What a result holds, as numbers, texts, lists and dicts."""
    if isinstance(value, str | bool | int | float | Fraction | None):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [told(v, depth) for v in value.tolist()]
    if isinstance(value, pd.DataFrame | pd.Series):
        return told(value.to_dict("list") if value.ndim == 2 else value.tolist(), depth)
    if isinstance(value, list | tuple | set):
        return [told(v, depth + 1) for v in value]
    if isinstance(value, Mapping):
        parts = value
    elif is_dataclass(value):
        names = [f.name for f in fields(value) if f.name[0] != "_"]
        parts = {name: getattr(value, name) for name in names}
    elif isinstance(value, BaseEstimator):
        parts = {k: v for k, v in vars(value).items() if k[-1] == "_" and k[0] != "_"}
    elif depth < 2 and hasattr(value, "__dict__"):
        parts = {k: v for k, v in vars(value).items() if k[0] != "_"}
    else:
        return type(value).__name__
    return {
        str(k): told(v, depth + 1)
        for k, v in parts.items()
        if not any(word in str(k) for word in APART) and depth < 5
    }


def canonical(text, labels):
    """The text without digests and without what differs in writing only."""
    text = _HEX.sub("", text)
    for odd in sorted(map(str, labels), key=len, reverse=True):
        if not odd.lstrip("-").isdigit():
            other = {str(k): str(v) for k, v in labels.items()}[odd]
            text = text.replace(odd, other).replace(repr(odd)[1:-1], other)
    text = unicodedata.normalize("NFC", text).casefold()
    return re.sub(r"\s+", " ", re.sub(r"\d+", "#", text) if labels else text).strip()


def difference(odd, plain, labels, where="result"):
    """Where two results differ up to the names of labels, or None."""
    if isinstance(odd, dict) and isinstance(plain, dict):
        keys = [{canonical(k, labels): v for k, v in d.items()} for d in (odd, plain)]
        if keys[0].keys() != keys[1].keys():
            return f"{where}: {[*keys[0]]} for {[*keys[1]]}"
        parts = [(f"{where}.{k}", v, keys[1][k]) for k, v in keys[0].items()]
    elif isinstance(odd, list) and isinstance(plain, list):
        if len(odd) != len(plain):
            return f"{where}: {len(odd)} for {len(plain)}"
        parts = [
            (f"{where}[{i}]", *pair)
            for i, pair in enumerate(zip(odd, plain, strict=True))
        ]
    else:
        return None if is_equal(odd, plain, labels) else f"{where}: {odd!r} for {plain!r}"
    return next((d for w, a, b in parts if (d := difference(a, b, labels, w))), None)


def is_gap(value):
    """Whether this is no label: -1 among integers, and a missing value among others."""
    return value is None or (is_number(value) and (value == -1 or value != value))


def is_equal(odd, plain, labels):
    if is_gap(odd) and is_gap(plain):
        return True
    if is_number(odd) and is_number(plain):
        close = np.isclose(float(odd), float(plain), rtol=1e-9, equal_nan=True)
        return bool(close) or labels.get(odd, odd) == plain
    if isinstance(odd, str) and isinstance(plain, str):
        return canonical(odd, labels) == canonical(plain, labels)
    try:
        return odd == plain or labels.get(odd, odd) == plain
    except TypeError:
        return False


def letter(outcome, plain):
    """Code of an outcome; "!" stands for what is never right."""
    if outcome.error is not None:
        return "x" if isinstance(outcome.error, ValueError | TypeError) else "!"
    if isinstance(outcome.result, Verification) and not outcome.result:
        return "w"  # which names what does not agree
    usual = {re.sub(r"\d+", "#", text) for text in plain.warned}
    return (
        "w" if any(re.sub(r"\d+", "#", w) not in usual for w in outcome.warned) else "r"
    )


def shown_texts(result):
    """All that users read of a result, by how they come to read it."""
    ours = type(result).__module__.startswith("sklearn_pacmdl")
    if not ours and not isinstance(result, str):
        return
    yield "str", str(result)
    yield "repr", repr(result)
    for way in ("_repr_html_", "to_json", "statement"):
        with contextlib.suppress(Exception):
            found = getattr(result, way)
            yield way, found() if callable(found) else found
    if isinstance(result, BaseEstimator):
        for name in ("certificate_", "random_choice_test_"):
            if hasattr(result, name):
                yield from shown_texts(getattr(result, name))
    certificate = getattr(result, "certificate", None)
    if certificate is not None:
        yield from shown_texts(certificate)


def hostile_text(outcome):
    """What a terminal or a browser would obey, or None."""
    messages = [("warning", w) for w in outcome.warned]
    messages += [("error", str(outcome.error))] if outcome.error else []
    messages += shown_texts(outcome.result)
    for way, text in messages:
        if raw := _RAW.search(str(text)):
            return f"{way} holds {raw[0]!r}: {text[:300]!r}"
        if way == "_repr_html_" and "<script>alert" in text:
            return f"{way} holds HTML of the input"
    return None


@cache
def reference(name):
    return run(name, VALID[name]())


def other_result(odd, result, plain, name):
    """Where the result is not that of the plain call, nor of the other one, or None."""
    wrong = difference(told(result), told(plain), odd.labels)
    if wrong and odd.also is not None:
        also = told(run(name, odd.also).result)
        return difference(told(result), also, odd.labels) and wrong
    return wrong


def unclear(name, kind, parameter, odd, error):
    """What the error does not name: the parameter, a field of a text, or the order."""
    if parameter == "text":  # whose fields have names of their own
        names = ["text", *re.findall(r'"(\w+)":', VALID[name]()["text"])]
        is_named = any(field in str(error) for field in names)
        return not is_named and f"no field is named: {error}"
    must_have = "in the order of" if kind == "two orders" and odd.allowed == "x" else ""
    if must_have not in str(error):
        return f"the order is not named: {error}"
    names = labels_in(VALID[name]()) if parameter == ALL else [parameter]
    wrong = [complaint(name, named, odd.given, error) for named in names]
    return all(wrong) and wrong[0]


def broken_rule(name, kind, parameter, odd):
    """What breaks a rule in the call with one odd parameter, or None."""
    with little_memory() if kind == "a million" else contextlib.nullcontext():
        outcome = run(name, odd.given)
    plain = reference(name) if odd.plain is None else run(name, odd.plain)
    error, code = outcome.error, letter(outcome, plain)
    why = f"{type(error).__name__}: {error}" if error else outcome.warned
    if code == "!" or (code not in odd.allowed and name not in RESULTS):
        return f"{code} is not among {odd.allowed}: {why}"
    if wrong := hostile_text(outcome):
        return wrong
    has_state = bool(STATEFUL & odd.given.keys())
    if has_state and plain.error is not None:  # because of what it holds, in its words
        return None
    must_be_clear = code == "x" and (parameter == "text" or plain.error is None)
    if must_be_clear and (wrong := unclear(name, kind, parameter, odd, error)):
        return wrong
    if odd.same and code != letter(plain, plain):
        return f"{code} ({why}) for the plain {plain.error}"
    named_in_state = has_state and kind in ("class -1", "one class")
    if code != "r" or odd.plain is None or named_in_state:
        return None
    if plain.error is not None:
        return f"it is right, and the plain call is not: {plain.error}"
    return other_result(odd, outcome.result, plain.result, name)


def check_doors(name, kinds):
    broken = [
        f"{name}, {kind}, {parameter}: {wrong}"
        for kind in kinds
        for parameter, odd in odds(name, kind).items()
        if (wrong := broken_rule(name, kind, parameter, odd))
    ]
    assert not broken, "\n".join(broken)


# One or two names of each room; of the dearest kind and room, the whole table only.
QUICK = [
    "audits.AuditMonitor.from_json",
    "audits.certify_difference",
    "audits.class_report",
    "audits.compare_annotators",
    "audits.draw_audit",
    "bounds.bmax",
    "bounds.groups_upper_bound",
    "certificates.BoundCertificate.verify",
    "certificates.fingerprint_labels",
    "certification.certify_clusterings",
    "cluster.SphericalKMeans",
    "datasets.make_rings",
    "displays.CoverageDisplay.from_curve",
    "labeling.ClusterLabelClassifier",
    "languages.PaperLanguage",
    "metrics.ContingencyTable",
    "metrics.pac_mdl_error_bound",
    "metrics.purity_score",
    "model_selection.PACMDLSearchCV.score",
    "random_choice.random_choice_test",
    "reports.certificate_report",
    "worksheets.read_worksheet",
]
CHEAP = [kind for kind in KINDS if kind != "a million"]


@pytest.mark.parametrize("name", QUICK)
def test_some_doors(name):
    check_doors(name, CHEAP)


def test_a_million_labels():
    check_doors("metrics.purity_score", ["a million"])


@pytest.mark.parametrize("name", VALID)
def test_all_doors(name):
    check_doors(name, KINDS)


def test_most_kinds_apply():
    # Each kind of certificates has the doors of BoundCertificate again.
    kinds = re.compile(r"certificates\.(?!Bound)\w+Certificate\b")
    names = [name for name in VALID if not kinds.match(name)]
    assert np.mean([bool(odds(name, kind)) for name in names for kind in KINDS]) >= 0.6
    assert {room for room, _, _ in (name.partition(".") for name in QUICK)} == {*ROOMS}


def drop_everything(*args, **kwargs):
    """A measure that takes anything, and depends on how labels are written."""
    return float(sum(len(str(label)) for column in kwargs.values() for label in column))


@pytest.mark.parametrize("kind", ["masked", "two orders", "Unicode", "blank at end"])
def test_a_wrong_outcome_is_seen(kind, monkeypatch):
    """A control that must fail."""
    monkeypatch.setattr(metrics, "purity_score", drop_everything)
    with pytest.raises(AssertionError, match=rf"metrics.purity_score, {kind}, labels_t"):
        check_doors("metrics.purity_score", [kind])
