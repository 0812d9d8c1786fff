"""Odd input: what people's files hold and no type forbids, such as a class called -1.

`odds` makes the odd calls of a public name from its valid one, by the kinds of `KINDS`.
Each says which plain call it must equal, and what may follow:

- ``r``: right, the result is that of the plain call;
- ``w``: a warning that the plain call does not give;
- ``x``: a ValueError or TypeError that names the parameter and shows the value.
"""

import json
import re
import unicodedata
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from calls import RESULTS, UNREAD, VALID, X, defaults_of, parameters_of
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import pairwise_distances

# Arguments that hold labels, also in lists or mappings of several columns.
LABELS = {"y", "labels", "labels_true", "labels_pred", "audit_labels", "first", "second"}
LABELS |= {"human_labels", "new_labels", "settled", "y_true", "answers", "clusterings"}
LABELS |= {"classes", "of"}
# Arguments that hold a number or several for each row.
ROWS = {"X", "confidence", "sample_weight", "affinity", "data", "source", "labeled"}
# Lists of which an entry twice is a mistake, or makes no difference.
SETS = {"metrics", "classes", "of", "looks", "rows", "exclude", "row_order", "terms"}
# Numbers that may be negative, and names of columns.
ANY = {"classes", "of", "error_score", "column", "n_jobs"}
# A page, what joblib reads only where it starts several processes, words of results that
# nobody makes by hand, and segments, whose names may be anything.
LEFT = {"html", "pre_dispatch", "choice", "supposed", "by"}
# Results, certificates and audits that hold labels themselves, under their names.
STATEFUL = {"self", "certificate", "finished", "search"}
# Texts that may be anything.
FREE = {"name", "title", "column", "row_column", "other", "seed_text", "also_random"}
FREE |= {"labeled_rows", "other_rows", "algorithm", "names", "source"}
ALL = "all labels"
WORDS = ["Café au lait", "Größe eins", "Müsli zwei"]
CONTROL = "\x1b[2J\u202ehidden"
HOSTILE = "=1+1 <script>alert(1)</script> $x^$ @"


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


def odds(name, kind):
    """The odd calls of a kind by parameter, and one of all labels, where there are any.

    Fields of results are filled in by functions; only their texts are read by people.
    """
    given, make = VALID[name](), KINDS[kind]
    values, is_result = defaults_of(name) | given, name in RESULTS
    if is_result and kind not in ("control", "hostile"):
        return {}
    made = {}
    for parameter in parameters_of(name):
        value = values.get(parameter)
        is_text = is_texts(value) or isinstance(value, str)
        left = value is None or is_unread(name, parameter) or parameter in LEFT
        if not left and (is_text or not is_result):
            made[parameter] = make(given, parameter, value)
    if len(labels_in(given)) > 1 and kind not in ("two orders", "repeated"):
        made[ALL] = make(given, ALL, None)
    return {parameter: odd for parameter, odd in made.items() if odd is not None}
