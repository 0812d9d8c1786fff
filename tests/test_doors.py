"""All public names are called with all kinds of odd input.

Names and valid calls are those of the tour of bad input, KINDS what people's files hold
and no type forbids, such as a class that is called -1. Each odd call says which outcomes
are allowed, and which plain call it must equal:

- ``r``: right, the result is that of the equivalent plain call;
- ``w``: a warning that the plain call does not give;
- ``x``: a ValueError or TypeError that names the parameter and shows the value.

A kind that does not apply to a name has a reason, which ``reason`` gives by rule.
"""

import contextlib
import json
import re
import resource
import unicodedata
import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import own_registries, seed_audits
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import pairwise_distances
from test_bad_input_tour import (
    RESULTS,
    ROOMS,
    UNREAD,
    VALID,
    X,
    call,
    complaint,
    defaults_of,
    left_as_it_was,  # noqa: F401, a fixture of these tests too
    limited,
    parameters_of,
)

from sklearn_pacmdl import metrics
from sklearn_pacmdl.certificates import Verification

# Arguments that hold labels, also in lists or mappings of several columns.
LABELS = {"y", "labels", "labels_true", "labels_pred", "audit_labels", "first", "second"}
LABELS |= {"human_labels", "new_labels", "settled", "y_true", "answers", "clusterings"}
LABELS |= {"classes", "of"}
# Arguments that hold a number or several for each row.
ROWS = {"X", "confidence", "sample_weight", "affinity", "data", "source", "labeled"}
# Lists of which an entry twice is a mistake, or makes no difference.
SETS = {"metrics", "classes", "of", "looks", "rows", "exclude", "row_order", "terms"}
# Numbers that may be negative, and names of columns.
ANY = {"center_box", "classes", "of", "error_score", "column", "n_jobs"}
# A page, what joblib reads only where it starts several processes, and words of results
# that nobody makes by hand.
LEFT = {"html", "pre_dispatch", "choice", "supposed"}
# Results, certificates and audits that hold labels themselves, under their names.
STATEFUL = {"self", "certificate", "finished", "search"}
# Texts that may be anything.
FREE = {"name", "title", "column", "row_column", "other", "seed_text", "also_random"}
FREE |= {"labeled_rows", "other_rows", "algorithm", "names"}
ALL = "all labels"
WORDS = ["Café au lait", "Größe eins", "Müsli zwei"]
CONTROL = "\x1b[2J\u202ehidden"
HOSTILE = "=1+1 <script>alert(1)</script> $x^$ @"
_HEX = re.compile(r"[0-9a-f]{12,}|\d{4}-\d\d-\d\dT[\d:+.]+")
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Odd:
    """An odd call, the plain one that it must equal if right, and what may follow."""

    given: dict
    plain: dict | None = None
    allowed: str = "rwx"
    also: dict | None = None  # another plain call that it may equal
    same: bool = False  # whether the outcome must be that of the plain call
    labels: dict = field(default_factory=dict)  # those of the odd call in the plain one


def is_labels(parameter, value):
    kinds = list if parameter in ("classes", "of") else list | dict | np.ndarray
    return parameter in LABELS and isinstance(value, kinds)


def labels_in(given):
    return [p for p, value in given.items() if is_labels(p, value)]


def each(change, value):
    """The columns of labels in an argument, changed."""
    if isinstance(value, dict):
        return {name: change(np.asarray(column)) for name, column in value.items()}
    if isinstance(value, list) and np.ndim(value[0]):
        return [change(np.asarray(column)) for column in value]
    return change(np.asarray(value))


def recoded(codes):
    """A change of labels; -1, which marks missing ones, becomes None beside texts."""
    text = any(isinstance(code, str) for code in codes.values())
    codes = {-1: None if text else -1} | codes

    def change(labels):
        values = [codes.get(label, label) for label in labels.tolist()]
        return np.array(values, dtype=object if text else None)

    return change


def first(mark):
    """A change of the first label that is none already."""

    def change(labels):
        values = np.array(labels, dtype=object)
        values[next(i for i, v in enumerate(values) if v not in (-1, None))] = mark
        return values

    return change


def masked(labels):
    values = first(np.nan)(labels)
    mask = [value != value for value in values]
    return np.ma.array(labels, mask=mask)


def changed(given, names, change):
    return given | {p: each(change, given[p]) for p in names}


worded = recoded(dict(enumerate(WORDS)))
texts_of = recoded({i: str(i) for i in range(3)})


def written(write):
    """A change of codes and of words to what a person wrote for them."""
    named = [*enumerate(WORDS), *((word, word) for word in WORDS)]
    return recoded({label: write(word) for label, word in named})


def odd_labels(given, parameter, change, plain, base=None, **rules):
    """An odd call with one label argument changed, or with all of them."""
    names = labels_in(given)
    if base is not None:
        given = changed(given, names, base)
    if parameter != ALL:
        names = [parameter]
    return Odd(changed(given, names, change), changed(given, names, plain), **rules)


def is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def is_numbers(value):
    array = isinstance(value, list | tuple | np.ndarray) and len(value)
    return array and np.asarray(value).dtype.kind in "iuf"


def is_texts(value):
    several = isinstance(value, list | tuple) and len(value)
    return several and all(isinstance(v, str) for v in value)


def entry(value, other):
    """Numbers of which the first is another."""
    values = np.array(value, dtype=object)
    values.flat[0] = other
    if is_number(other):
        return values.astype(np.asarray(value).dtype if other == -1 else float)
    return values


def minus_one(given, parameter, value):
    if parameter == ALL or is_labels(parameter, value):
        codes, other = {0: -1}, {0: -5}
        pairs = {-1: -5}
        odd = odd_labels(given, parameter, recoded(codes), recoded(other), labels=pairs)
        # Where -1 marks rows without a label; in clusters it is a name.
        marked = [p for p in labels_in(given) if p == (parameter, "y")[parameter == ALL]]
        missing = changed(given, marked, recoded({0: None, -1: None}))
        base = odd.plain if parameter == ALL else given
        odd.also = base | {p: missing[p] for p in marked}
        return odd
    if is_number(value):
        allowed = "r" if parameter in ANY else "x"
        return Odd(given | {parameter: -1}, allowed=allowed)
    if is_numbers(value) and parameter not in ROWS | ANY:
        return Odd(given | {parameter: entry(value, -1)}, allowed="wx")
    return odd_text(given, parameter, value, lambda text: -1 if text.isdigit() else "-1")


def gap(mark):
    def odd(given, parameter, value):
        if parameter == ALL or is_labels(parameter, value):
            if isinstance(mark, str):
                plain = first("other")
                rules = {"base": worded, "labels": {mark: "other"}}
                return odd_labels(given, parameter, first(mark), plain, **rules)
            same = mark is not None
            return odd_labels(given, parameter, first(mark), first(None), same=same)
        if is_number(value):
            taken = mark is None or parameter == "error_score"
            return Odd(given | {parameter: mark}, allowed="rx" if taken else "x")
        if is_numbers(value):
            allowed = "rx" if parameter in ROWS else "x"
            return Odd(given | {parameter: entry(value, mark)}, allowed=allowed)
        if mark is None and parameter != "text":
            return None
        return odd_text(given, parameter, value, lambda _: mark)

    return odd


def masks(given, parameter, value):
    if parameter == ALL or is_labels(parameter, value):
        return odd_labels(given, parameter, masked, first(None), same=True)
    if is_number(value):
        return Odd(given | {parameter: np.ma.masked}, allowed="x")
    if is_numbers(value):
        mask = np.zeros(np.shape(value), dtype=bool)
        mask.flat[0] = True
        gap = entry(value, np.nan)
        given_masked = given | {parameter: np.ma.array(value, mask=mask)}
        return Odd(given_masked, given | {parameter: gap}, same=parameter not in ROWS)
    return None


def n_rows_of(parameter, value):
    """Length of what lies along rows, also of its columns."""
    if isinstance(value, dict):
        value = [*value.values()]
    if not isinstance(value, list | tuple | np.ndarray | pd.DataFrame) or not len(value):
        return None
    if is_labels(parameter, value) and np.ndim(value[0]):
        return len(value[0])
    return len(value) if is_labels(parameter, value) or parameter in ROWS else None


def indexed(value, index):
    if isinstance(value, dict):
        return {name: indexed(column, index) for name, column in value.items()}
    if isinstance(value, list) and np.ndim(value[0]):
        return [indexed(column, index) for column in value]
    if isinstance(value, pd.DataFrame):
        return value.set_axis(index)
    frame = pd.DataFrame if np.ndim(value) == 2 else pd.Series
    return frame(np.asarray(value), index)


def reordered(value, order):
    if isinstance(value, dict):
        return {name: reordered(column, order) for name, column in value.items()}
    if isinstance(value, list) and not np.isscalar(value[0]):
        return [reordered(column, order) for column in value]
    return value.iloc[order]


def orders(given, parameter, value):
    n_rows = n_rows_of(parameter, value)
    if n_rows is None:
        return None
    lengths = {p: n_rows_of(p, v) for p, v in given.items()}
    names = [p for p, n in lengths.items() if n == n_rows]
    order, index = np.arange(n_rows)[::-1], [f"row {i}" for i in range(n_rows)]
    by_name = given | {p: indexed(given[p], index) for p in names}
    odd = by_name | {parameter: reordered(by_name[parameter], order)}
    if len(names) > 1:
        return Odd(odd, allowed="x")
    return Odd(odd, given | {parameter: plain_in(given[parameter], order)}, same=True)


def plain_in(value, order):
    if isinstance(value, pd.DataFrame):
        return value.iloc[order].reset_index(drop=True)
    return each(lambda column: column[order], value)


def writing(write, number=None):
    def odd(given, parameter, value):
        if parameter == ALL or is_labels(parameter, value):
            alone = parameter == ALL or len(labels_in(given)) == 1
            return odd_labels(
                given,
                parameter,
                written(write),
                worded,
                base=None if alone else worded,
                same=alone,
            )
        if number and is_number(value):
            return Odd(given | {parameter: number(str(value))}, allowed="x")
        if number and is_numbers(value):
            return odd_numbers(given, parameter, value, number)
        return odd_text(given, parameter, value, write)

    return odd


def odd_numbers(given, parameter, value, write=str):
    """Numbers as texts, which scikit-learn reads where they are values of rows."""
    texts = np.vectorize(lambda v: write(str(v)), otypes=[object])(value)
    odd = given | {parameter: texts}
    if parameter not in ROWS:
        return Odd(odd, allowed="x")
    numbers = {write(str(i)): i for i in range(3)}
    return Odd(odd, given, allowed="rx", labels=numbers)


def odd_json(given, parameter, value, write):
    """A file in which the first number or, if there is none, the first text is odd."""
    match = re.search(r"(?<=: )-?\d[\d.]*", value) or re.search(r'(?<=: )"[^"]*"', value)
    odd = json.dumps(write(match[0].strip('"')))
    text = f"{value[: match.start()]}{odd}{value[match.end() :]}"
    return Odd(given | {parameter: text}, allowed="rx")


def odd_text(given, parameter, value, write):
    """Another text in place of a text, or of the first of several."""
    allowed = "rwx" if parameter in FREE else "x"
    if parameter == "text":
        return odd_json(given, parameter, value, write)
    if isinstance(value, str) and value:
        text = write(value)
        return None if text == value else Odd(given | {parameter: text}, allowed=allowed)
    if is_texts(value):
        texts = [write(value[0]), *value[1:]]
        odd = Odd(given | {parameter: texts}, allowed=allowed)
        return None if texts[0] == value[0] else odd
    return None


def full_width(text):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def other_form(text):
    decomposed = unicodedata.normalize("NFD", text)
    return decomposed if decomposed != text else full_width(text)


def pairs(given, parameter, value):
    if parameter == "estimator" or parameter == "clusterer":
        if getattr(value, "labels_", None) is not None:  # a scorer's
            return None
        rows, distances = (
            AgglomerativeClustering(2, metric=metric, linkage="average")
            for metric in ("euclidean", "precomputed")
        )
        odd = {parameter: distances, "X": pairwise_distances(X)}
        return Odd(given | odd, given | {parameter: rows})
    if parameter == "metric" and value == "euclidean":
        return Odd(given | {parameter: "precomputed", "X": pairwise_distances(X)}, given)
    return None


def as_texts(given, parameter, value):
    if parameter == ALL or is_labels(parameter, value):
        names = {str(i): i for i in range(3)}
        return odd_labels(given, parameter, texts_of, lambda v: v, labels=names)
    if is_number(value):
        return Odd(given | {parameter: str(value)}, allowed="x")
    if is_numbers(value):
        return odd_numbers(given, parameter, value)
    if isinstance(value, str) and parameter != "text":
        return Odd(given | {parameter: np.str_(value)}, given, allowed="r")
    return None


def as_categories(given, parameter, value):
    def categories(labels):
        return pd.Series(labels, dtype="category")

    if parameter == ALL or is_labels(parameter, value):
        return odd_labels(
            given, parameter, categories, lambda v: v, base=worded, same=True
        )
    if is_numbers(value) and np.ndim(value) == 1:
        return Odd(given | {parameter: categories(value)}, given)
    return None


def one_class(given, parameter, value):
    if parameter == ALL or is_labels(parameter, value):
        names = labels_in(given) if parameter == ALL else [parameter]
        odd = changed(given, names, recoded(dict.fromkeys(range(3), 0)))
        other = {0: 5, 1: 6, 2: 7}
        plain = changed(odd, labels_in(given), recoded(other))
        return Odd(odd, plain, same=True, labels=other)
    return None


def repeated(given, parameter, value):
    n_rows = n_rows_of(parameter, value)
    if n_rows is not None and parameter not in SETS:
        odd = indexed(value, [0] * n_rows)
        return Odd(given | {parameter: odd}, given, same=True)
    if parameter == "text":  # of which JSON would take the last
        first = value[: value.index(",")]
        return Odd(given | {parameter: f"{first}, {value[1:]}"}, given)
    if parameter in SETS and isinstance(value, list | tuple | np.ndarray) and len(value):
        return Odd(given | {parameter: [*value, *value[:1]]}, given)
    return None


def hostile(text):
    def odd(given, parameter, value):
        if parameter == ALL or is_labels(parameter, value):
            names = [f"{word} {text}" for word in WORDS]
            change = recoded(dict(enumerate(names)))
            plain = recoded(dict(enumerate(WORDS)))
            labels = dict(zip(names, WORDS, strict=True))
            return odd_labels(given, parameter, change, plain, labels=labels)
        if is_number(value):
            return Odd(given | {parameter: text}, allowed="x")
        if isinstance(value, pd.DataFrame):
            return Odd(given | {parameter: value.assign(**{text: text})})
        return odd_text(given, parameter, value, lambda own: f"{own} {text}")

    return odd


MANY = np.arange(10**6)


def million(given, parameter, value):
    if parameter == ALL:
        rest = [p for p, v in given.items() if p not in labels_in(given)]
        if any(p in ROWS or p in ("audit", "self", "certificate") for p in rest):
            return None
        return Odd(changed(given, labels_in(given), lambda _: MANY))
    if is_labels(parameter, value):
        return Odd(given | {parameter: each(lambda _: MANY, value)})
    if is_number(value):  # some functions take many numbers
        return Odd(given | {parameter: MANY})
    if isinstance(value, str):
        return Odd(given | {parameter: MANY}, allowed="x")
    if is_numbers(value):
        many = np.broadcast_to(MANY[:, None], (10**6, 2)) if np.ndim(value) == 2 else MANY
        return Odd(given | {parameter: many})
    return None


KINDS = {
    "class -1": minus_one,
    "gap None": gap(None),
    "gap NaN": gap(np.nan),
    "gap n/a": gap("n/a"),
    "masked": masks,
    "two orders": orders,
    "Unicode": writing(other_form, full_width),
    "blank at end": writing(lambda text: f"{text} ", lambda text: f"{text} "),
    "blank inside": writing(
        lambda text: text.replace(" ", "  ") if " " in text else f"{text[:2]} {text[2:]}",
        lambda text: f"{text[:1]} {text[1:]}",
    ),
    "capitals": writing(str.upper),
    "distances": pairs,
    "texts": as_texts,
    "categories": as_categories,
    "one class": one_class,
    "repeated": repeated,
    "control": hostile(CONTROL),
    "hostile": hostile(HOSTILE),
    "a million": million,
}


def is_unread(name, parameter):
    return any(name.startswith(start) and parameter in UNREAD[start] for start in UNREAD)


def is_result(name):
    return name in RESULTS or name == "audits.FinishPlan"


def reason(name, kind):
    """Why a kind does not apply to a name, by rule; None if it may."""
    if is_result(name) and kind not in ("control", "hostile"):
        return "a result, whose fields are filled in by functions"
    if kind == "distances" and not {"estimator", "clusterer", "metric"} & {
        *parameters_of(name)
    }:
        return "takes no clusterer and no metric"
    if not any(odds(name, kind).values()):
        return {
            "class -1": "takes neither labels nor numbers nor texts",
            "one class": "takes no labels",
            "two orders": "takes nothing that lies along rows",
            "repeated": "takes no list and nothing that lies along rows",
            "categories": "takes no labels and no lists of numbers",
            "capitals": "takes neither labels nor texts",
        }.get(kind, "takes neither labels nor numbers nor texts")
    return None


def odds(name, kind):
    """The odd calls of a cell: one for each parameter, and one for all labels."""
    given = VALID[name]()
    values = defaults_of(name) | given
    made = {}
    for parameter in parameters_of(name):
        value = values.get(parameter)
        skip = value is None or is_unread(name, parameter) or parameter in LEFT
        skip |= is_result(name) and not (is_texts(value) or isinstance(value, str))
        made[parameter] = None if skip else KINDS[kind](given, parameter, value)
    several = len(labels_in(given)) > 1 and kind not in ("two orders", "repeated")
    made[ALL] = KINDS[kind](given, ALL, None) if several else None
    return made


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


def try_cell(name, kind, parameter, odd):
    """What breaks a rule in the call with one odd parameter, or None."""
    with little_memory() if kind == "a million" else contextlib.nullcontext():
        outcome = run(name, odd.given)
    plain = reference(name) if odd.plain is None else run(name, odd.plain)
    return broken_rule(name, kind, parameter, odd, outcome, plain, letter(outcome, plain))


def broken_rule(name, kind, parameter, odd, outcome, plain, code):
    if code == "!":
        return f"{type(outcome.error).__name__}: {outcome.error}"
    if code not in odd.allowed and not is_result(name):
        return f"{code} is not among {odd.allowed}: {outcome.error or outcome.warned}"
    if found := hostile_text(outcome):
        return found
    if plain.error is not None and STATEFUL & odd.given.keys():
        return None  # in other words than the state has
    if code == "x" and parameter == "text":  # where fields have names of their own
        fields_of_text = [parameter, *re.findall(r'"(\w+)":', VALID[name]()["text"])]
        if any(field in str(outcome.error) for field in fields_of_text):
            return None
        return f"no field is named: {outcome.error}"
    if code == "x" and plain.error is None:
        names = labels_in(VALID[name]()) if parameter == ALL else [parameter]
        wrong = [complaint(name, p, odd.given, outcome.error) for p in names]
        if all(wrong):
            return wrong[0]
        if (
            kind == "two orders"
            and odd.allowed == "x"
            and "in the order of" not in str(outcome.error)
        ):
            return f"the order is not named: {outcome.error}"
    if odd.same and code != letter(plain, plain):
        return f"{code} ({outcome.error or outcome.warned}) for the plain {plain.error}"
    if (
        code == "r"
        and odd.plain is not None
        and not (kind in ("class -1", "one class") and STATEFUL & odd.given.keys())
    ):
        if plain.error is not None:
            return f"it is right, and the plain call is not: {plain.error}"
        results = told(outcome.result), told(plain.result)
        differs = difference(*results, odd.labels)
        if differs and odd.also is not None:
            also = run(name, odd.also)
            return difference(results[0], told(also.result), odd.labels) and differs
        return differs
    return None


def broken_rules(name, kinds):
    """What breaks rules, for each parameter and kind of input that apply to a name."""
    for kind in kinds:
        if reason(name, kind):
            continue
        for parameter, odd in odds(name, kind).items():
            if odd is not None and (wrong := try_cell(name, kind, parameter, odd)):
                yield f"{name}, {kind}, {parameter}: {wrong}"


def check_doors(name, kinds):
    broken = [*broken_rules(name, kinds)]
    assert not broken, "\n".join(broken)


# One or two names of each room; of the dearest kind and room, the whole table only.
QUICK = [
    "audits.AuditMonitor.from_json",
    "audits.certify_difference",
    "audits.class_report",
    "audits.draw_audit",
    "worksheets.read_worksheet",
]
QUICK += ["audits.compare_annotators", "bounds.groups_upper_bound", "bounds.bmax"]
QUICK += ["certificates.fingerprint_labels", "certificates.BoundCertificate.verify"]
QUICK += ["certification.certify_clusterings", "cluster.SphericalKMeans"]
QUICK += ["datasets.make_rings", "displays.CoverageDisplay.from_curve"]
QUICK += [
    "labeling.ClusterLabelClassifier",
    "metrics.purity_score",
]
QUICK += ["metrics.purity_score", "metrics.pac_mdl_error_bound"]
QUICK += ["metrics.ContingencyTable"]
QUICK += ["model_selection.PACMDLSearchCV.score", "reports.certificate_report"]
QUICK += ["random_choice.random_choice_test"]
CHEAP = [kind for kind in KINDS if kind != "a million"]


@pytest.mark.parametrize("name", QUICK)
def test_some_doors(name):
    check_doors(name, CHEAP)


def test_a_million_labels():
    check_doors("metrics.purity_score", ["a million"])
    check_doors("metrics.pac_mdl_error_bound", ["a million"])


def test_hostile_names_in_a_picture():
    check_doors("displays.ContingencyDisplay.from_labels", ["control", "hostile"])


@pytest.mark.parametrize("name", VALID)
def test_all_doors(name):
    check_doors(name, KINDS)


def test_most_kinds_apply():
    # Each kind of certificates has the doors of BoundCertificate again.
    kinds = re.compile(r"certificates\.(?!Bound)\w+Certificate\b")
    names = [name for name in VALID if not kinds.match(name)]
    assert np.mean([not reason(name, kind) for name in names for kind in KINDS]) >= 0.6
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
