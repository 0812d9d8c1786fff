"""Checks of labels: the targets of a fit, and the classes and clusters of measures.

Values have the same meaning in lists and in arrays of NumPy (also masked ones), pandas,
Polars and Arrow:

======================================  ==============================================
value                                   meaning
======================================  ==============================================
None, NaN, NA, NaT, masked              unlabeled
-1 and -1.0, among numbers or text      unlabeled, unless ``classes`` lists -1
True, False                             classes
integers, signed or unsigned            classes
integral floats                         integers, since a column of integers with gaps
                                        is read as floats
text                                    classes
text by which a gap or -1 is written:   refused, unless ``classes`` lists it: then it
"nan", "NULL", "n/a", "?", "-1", " "    is a class like any other
what -1 becomes in an unsigned dtype,   refused likewise
such as 255 in uint8
fractions, infinity, complex numbers    refused, since these are measurements
dates, times, durations                 refused, since these are measurements too
bytes, and any other object             refused
labels of more than one type            refused
======================================  ==============================================

Measures compare complete labelings (:func:`complete_labels`). In these, -1 and all texts
are labels like any other, a gap is refused, and fractions cause a warning, as in
scikit-learn.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from ..utils._checks import as_array, hint_of_image, listed, shown, warn
from ..utils._printable import has_halves
from ._spelling import is_text_of_gap, report_alike

# Takes the place of a class code where no class is given.
ABSTAIN = -1

# Labels of different kinds are not comparable. The order matters: bool is an int.
_KINDS = {
    "bool": (bool, np.bool_),
    "number": (int, np.integer, float, np.floating),
    "text": (str,),
}


def as_labels(y: Any, name: str = "y") -> NDArray[Any]:
    """Labels as an array of booleans, integers, floats, text ("U") or objects, with gaps.

    A dtype that cannot hold labels is a TypeError about ``name``.
    """
    if hasattr(y, "to_pylist"):  # pyarrow, which forgets gaps of dictionaries in chunks
        y = y.to_pylist()
    # NumPy alone would turn gaps in a list of text into text, forget a mask, and turn
    # dates into integers.
    if isinstance(y, list | tuple):
        return np.array(y, dtype=object)
    masked = isinstance(y, np.ma.MaskedArray)
    labels = y.data if masked else as_array(name, y)
    if labels.dtype.kind not in "biufUTO":
        raise _no_label(name, f"an array of dtype {labels.dtype}")
    if labels.dtype.kind == "T":  # text of variable width, with a mark of its own
        missing = getattr(labels.dtype, "na_object", None)
        labels = labels.astype(object)
        if isinstance(missing, str):
            labels[labels == missing] = None
    if masked:
        labels = labels.astype(object)
        labels[np.ma.getmaskarray(y)] = None
    return labels


def complete_labels(labels: ArrayLike, name: str = "labels") -> NDArray[Any]:
    """Labels without gaps, as a 1-dimensional array of integers, booleans or text."""
    array = as_labels(labels, name)
    # Messages follow those of scikit-learn's check of two clusterings.
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1D: shape is {array.shape}.")
    if array.dtype.kind == "O":
        _refuse_gaps(array, name)
        array = _of_one_kind(array, name)
    if array.dtype.kind == "f":
        _refuse_gaps(array, name)
        if np.any(array != np.floor(array)):
            warn(
                f"{name} holds continuous values; measures of clusterings expect "
                "discrete ones."
            )
    return array


def _refuse_gaps(values, name):
    """Refuse gaps and infinity, even where ``assume_finite`` disables such checks."""
    is_float = values.dtype.kind == "f"
    for value in values[np.isnan(values)][:1] if is_float else values:
        if is_missing(value):
            gap = "NaN" if isinstance(value, float | np.floating) else value
            raise ValueError(f"{name} contains {gap}; every row must have a label.")
    if is_float and np.any(np.isinf(values)):
        raise ValueError(f"{name} contains infinity; labels must be finite.")


def split_unlabeled(
    y: NDArray[Any], classes: ArrayLike | None = None, name: str = "y"
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which rows of the result of :func:`as_labels` are labeled, and their labels.

    The labels are booleans, integers or text ("U" or object), by the table above. If
    ``classes`` lists -1, it is a label.
    """
    labeled = ~_gaps(y)
    if classes is not None and is_minus_one(as_labels(classes, "classes")).any():
        labeled |= is_minus_one(y)
    values = y if labeled.all() else y[labeled]
    if values.dtype.kind == "O":
        values = _of_one_kind(values, name)
    if values.dtype.kind == "f":
        values = _integers(values, name)
    if values.dtype.kind == "u":
        if np.any(values > np.iinfo(np.int64).max):
            raise _too_large(name, values.max())
        largest = np.iinfo(values.dtype).max
        if np.any(values == largest):
            mark = f"{largest}, which -1 becomes in {values.dtype},"
            _refuse_marks({int(largest): mark}, classes, name)
    if values.dtype.kind in "UO":
        texts = {*(values if values.dtype.kind == "O" else values.tolist())}
        if has_halves(texts):
            half = next(text for text in texts if has_halves([text]))
            what = f"half of a character, which no file in UTF-8 can hold: {shown(half)}"
            raise ValueError(f"{name} holds {what}. Read the texts in their encoding.")
        gaps = sorted(text for text in texts if is_text_of_gap(text))
        marks = {text: f"the text {text!r}," for text in gaps}
        _refuse_marks(marks, classes, name)
    return labeled, values


def _gaps(y):
    """Rows that hold a missing value or -1."""
    if y.dtype.kind == "U":
        return np.zeros(y.shape, dtype=bool)
    if y.dtype.kind != "O":
        return (y == -1) | (y != y)
    kinds = {t: _kind(t) for t in set(map(type, y)) - {type(None)}}
    if None not in kinds.values():  # all at once, in a fifth of the time
        gaps = y == None  # noqa: E711 ("is" does not compare the elements)
        return gaps | (y == -1) | (y != y) if "number" in kinds.values() else gaps
    gaps = [
        v == -1 or v != v if kind == "number" else kind is None and is_missing(v)
        for v, kind in ((v, kinds.get(type(v))) for v in y)
    ]
    return np.array(gaps, dtype=bool)


def is_minus_one(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Rows of the result of :func:`as_labels` that hold the number -1."""
    if y.dtype.kind in "if":
        return y == -1
    objects: Any = y if y.dtype.kind == "O" else []
    numbers = {t for t in set(map(type, objects)) if _kind(t) == "number"}
    if not numbers:  # which is known at once of a million texts
        return np.zeros(y.shape, dtype=bool)
    # NA equals nothing, and is not unequal to anything.
    return np.array([type(v) in numbers and v == -1 for v in y], dtype=bool)


def in_type_of(values: NDArray[Any], others: NDArray[Any], names: str) -> NDArray[Any]:
    """Labels in the type of other labels: 1 and the text "1" are the same label.

    A text that is no form of a label of this type is an error with these names; so are
    integers and booleans.
    """
    if not values.size or not others.size:
        return values
    types = {"b": "bool", "i": "number", "u": "number"}
    kind, wanted = (types.get(each.dtype.kind, "text") for each in (values, others))
    if kind == wanted:
        return values
    labels: list[Any] = values.tolist()
    forms: dict[str, Any] = {}
    if wanted == "text":
        return np.array([str(label) for label in labels], dtype=object)
    if kind == "text" and wanted == "bool":
        forms = {str(form): form for form in (True, False)}
    elif kind == "text":
        whole = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
        forms = {text: int(text) for text in {*labels} if whole.fullmatch(text)}
    strange = [label for label in labels if label not in forms]
    if not strange:
        return np.array([forms[text] for text in labels])
    of_others = type(others.tolist()[0]).__name__
    raise ValueError(
        f"{names} must be of one type, or each label counts as wrong; got "
        f"{of_others} such as {shown(others.tolist()[0])} and "
        f"{type(strange[0]).__name__} such as {shown(strange[0])}. Pass all of them as "
        "text: the digest of a labeling is the same."
    )


def _kind(type_):
    return next(
        (kind for kind, types in _KINDS.items() if issubclass(type_, types)), None
    )


def is_missing(value: Any) -> bool:
    """Whether this is None, NaN, NaT, NA or a masked value."""
    if value is None:
        return True
    unequal = value != value
    if isinstance(unequal, bool | np.bool_):  # NaN and NaT do not equal themselves
        return bool(unequal)
    return unequal is value  # comparing NA or a masked value returns itself


def _of_one_kind(values, name):
    """Labels in an array of objects as booleans, int64 or floats; text stays objects."""
    samples = dict(zip(map(type, values), values, strict=True))
    kinds = {_kind(t) for t in samples}
    if None in kinds:
        value = next(v for t, v in samples.items() if _kind(t) is None)
        raise _no_label(name, f"{value} of type {type(value).__name__}", value)
    if len(kinds) > 1:
        got = sorted((t.__name__, str(value)) for t, value in samples.items())
        raise TypeError(
            f"{name} must hold labels of one type, got "
            f"{', '.join(t for t, _ in got)}, such as {', '.join(v for _, v in got)}."
        )
    if kinds == {"bool"}:
        return values.astype(bool)
    if kinds != {"number"}:
        return values
    if not all(issubclass(t, int | np.integer) for t in samples):
        return values.astype(float)
    try:
        return values.astype(np.int64)
    except OverflowError:
        raise _too_large(name, max(values, key=abs)) from None


def _integers(values, name):
    """Floats as int64, which is an error unless each stands for exactly one integer."""
    _refuse_gaps(values, name)
    fractions = values[values != np.floor(values)]
    if len(fractions):
        raise ValueError(
            f"Unknown label type: continuous. {name} holds {fractions[0]}, but labels "
            "must be integers, booleans or text."
        )
    exact = 2.0 ** min(np.finfo(values.dtype).nmant + 1, 63)
    if np.any(np.abs(values) >= exact):
        raise ValueError(
            f"{name} holds {values[np.argmax(np.abs(values))]}, a float too large to "
            "stand for one integer only. Use integers, in an array of dtype object if "
            "some are missing."
        )
    return values.astype(np.int64)


def _refuse_marks(marks, classes, name):
    """Refuse labels that may stand for missing ones, unless classes lists them."""
    declared = [] if classes is None else as_labels(classes, "classes").tolist()
    for mark, what in marks.items():
        if mark in declared:
            continue
        if name == "by":  # of which no audit names the values
            raise ValueError(
                f"by holds {what} which may stand for a missing value. If these rows are "
                "of no segment, mark them by missing values (None in an array of dtype "
                "object, missing values in a nullable column). If this is the name of a "
                "segment, write it in another way."
            )
        # Only what takes y takes classes too.
        declare = " or list it with all others in classes="
        if name != "y":
            declare = " when an audit is drawn, by draw_audit(..., classes={...})"
        raise ValueError(
            f"{name} holds {what} which may stand for a missing label. If nobody looked "
            "at these rows, mark them by missing values (None in an array of dtype "
            "object, missing values in a nullable column) or by -1 among signed "
            "integers. If this is a class, also that of rows that people could not "
            f"decide, rename it{declare}."
        )


SEVERAL_LABELS = (
    " If rows have several labels, make a column of True and False for each of them, or "
    "join those of a row to one text."
)


def _no_label(name, got, value=None):
    several = isinstance(value, list | tuple | set | frozenset | np.ndarray)
    return TypeError(
        f"{name} must hold labels, which are booleans, integers or text, got {got}. "
        "Convert values of other types to text if they are classes."
        f"{SEVERAL_LABELS if several else ''}"
    )


def _too_large(name, value):
    return ValueError(
        f"{name} holds {shown(value)}, which is beyond the range of int64 (-1 becomes "
        "such a number in an unsigned dtype). Use other numbers for the classes."
    )


def encode_labels(
    y: ArrayLike, classes: ArrayLike | None = None, n_rows: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Sorted classes of a partly labeled target, and the class code of each row.

    The code is the index of the class, -1 for an unlabeled row, and n_classes for a label
    outside ``classes``. Messages count each label ``n_rows`` times, by default once.
    """
    if y is None:  # scikit-learn's checks look for these words
        raise ValueError("The call requires y to be passed, but the target y is None.")
    declared = None if classes is None else check_classes(classes)
    array = as_labels(y)
    try:
        labels = column_or_1d(array, warn=True)
    except ValueError as error:
        hint = hint_of_image("y", array, array.size) + SEVERAL_LABELS * (array.ndim == 2)
        raise ValueError(f"{error}{hint}") from error
    labeled, values = split_unlabeled(labels, declared)
    rows = np.ones(len(labels), dtype=np.int64) if n_rows is None else n_rows
    if not labeled.any():
        raise ValueError(
            f"y has no labeled row: all its {rows.sum()} values are -1 or missing, "
            "which mark unlabeled rows."
        )
    distinct, index = unique_inverse(values)
    if declared is None and len(distinct) < 2:
        raise _one_class(distinct, rows[is_minus_one(labels)].sum(), rows.sum())
    if declared is None and values.dtype.kind in "iu":
        minus, gaps = is_minus_one(labels[~labeled]), rows[~labeled]
        if minus.any() and not minus.all():
            warn(
                f"y holds -1 ({gaps[minus].sum()} rows) and missing values "
                f"({gaps[~minus].sum()} rows), which both mark unlabeled rows. If -1 is "
                "a class, give it another name; else use one mark, or list the classes "
                "in classes=."
            )
    names = distinct if declared is None else declared
    code_of_label = _codes(distinct, names)
    codes = np.full(labels.shape, -1, dtype=np.int32)  # rows may be many
    codes[labeled] = code_of_label[index]
    undeclared = distinct[code_of_label == len(names)]
    if len(undeclared):
        _report_undeclared(undeclared, distinct, names, codes, rows)
    counts = np.bincount(index, rows[labeled]).astype(np.int64)
    known = set() if declared is None else {*declared.tolist()}
    report_alike("y", counts_by_label(distinct, counts, known))
    return names, codes


def counts_by_label(labels, counts, without=()):
    """Numbers of rows by label, without those of some labels."""
    named = zip(labels.tolist(), counts.tolist(), strict=True)
    return {label: n for label, n in named if n and label not in without}


def _one_class(distinct, n_minus, n_rows):
    advice = (
        "If only one class may have been observed, pass all classes as classes=. If "
        "these are the first rows of a sorted file, they are no random choice, and "
        "certify nothing."
    )
    if n_minus:
        advice = (
            f"{n_minus} of {n_rows} rows hold -1, which always marks unlabeled rows: if "
            f"-1 is a class, give it another name in y. {advice}"
        )
    return ValueError(
        "y must have labels of at least 2 classes, got one class: "
        f"{listed(distinct)}. {advice}"
    )


def class_codes(y: ArrayLike, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Codes of labels among the classes of :func:`encode_labels`, without its checks."""
    labeled, values = split_unlabeled(as_labels(y), classes)
    distinct, index = unique_inverse(values)
    codes = np.full(labeled.shape, -1, dtype=np.int32)
    codes[labeled] = _codes(distinct, classes)[index]
    return codes


def _codes(values, classes):
    code = {value: i for i, value in enumerate(classes.tolist())}
    return np.array([code.get(v, len(classes)) for v in values.tolist()], dtype=np.int64)


def unique_inverse(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """np.unique with the inverse, but rows are sorted only where nothing else is left."""
    if values.dtype.kind in "UO":
        labels = values if values.dtype.kind == "O" else values.tolist()
        unique = sorted(set(labels))
        index = {label: i for i, label in enumerate(unique)}
        inverse = np.fromiter(map(index.__getitem__, labels), np.int64, len(labels))
        return np.array(unique, dtype=values.dtype), inverse
    low, offsets = _above_least(values) if values.dtype.kind in "iu" else (0, None)
    if offsets is None:
        return np.unique(values, return_inverse=True)
    # Clusters are mostly close together; counting takes a tenth of the time of sorting.
    occurs = np.bincount(offsets) > 0
    if not occurs.all():
        offsets = (np.cumsum(occurs) - 1)[offsets]
    return (np.flatnonzero(occurs) + low).astype(values.dtype), offsets


def small_integers(values: NDArray[np.integer]) -> NDArray[np.intp]:
    """Integers from 0 in place of others; not all up to the largest need to have rows."""
    _, offsets = _above_least(values)
    return np.unique(values, return_inverse=True)[1] if offsets is None else offsets


def _above_least(values):
    """The least value, and by how much each is above it; None if that is too much."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > len(values) or high > np.iinfo(np.int64).max:
        return low, None
    offsets = values.astype(np.int64)
    if low:
        offsets -= low
    return low, offsets


def _report_undeclared(undeclared, distinct, classes, codes, n_rows):
    """Warn of labels outside the classes; if all are outside, raise an error."""
    if len(undeclared) == len(distinct):
        raise ValueError(
            f"None of the labels in y is among classes=[{listed(classes)}] of type "
            f"{type(classes.tolist()[0]).__name__}; y holds {listed(distinct)} of type "
            f"{type(distinct.tolist()[0]).__name__}."
        )
    warn(
        "Labels that are not in classes= count as errors, whatever class their rows are "
        f"given: {listed(undeclared)} ({n_rows[codes == len(classes)].sum()} of "
        f"{n_rows[codes >= 0].sum()} labeled rows)."
    )


def decode(codes, class_names):
    """Classes of codes; for ABSTAIN it is -1, or None if the classes are not integers."""
    if np.all(codes != ABSTAIN):
        return class_names[codes]
    whole = class_names.dtype.kind in "iu"
    names = class_names.astype(np.int64 if whole else object)
    return np.append(names, [-1 if whole else None])[codes]  # ABSTAIN is the last


def completed(labels, transduction, class_names):
    """The label of each row that has one, else its class in transduction."""
    labeled, values = split_unlabeled(labels, class_names)
    whole = transduction.astype(np.result_type(values.dtype, transduction.dtype))
    whole[labeled] = values
    return whole


def check_classes(classes: ArrayLike) -> NDArray[Any]:
    """All classes, sorted, after a check that they are different labels."""
    array = as_labels(classes, "classes")
    if array.ndim != 1:
        raise ValueError(
            f"classes must be a 1-dimensional array of labels, got {shown(classes)}."
        )
    named = None if is_minus_one(array).any() else array
    labeled, values = split_unlabeled(array, named, "classes")
    if not labeled.all():
        raise ValueError(
            "classes must be a 1-dimensional array of labels, none of them -1 or "
            f"missing, got {listed(array)}. -1 marks unlabeled rows: if it is a class, "
            "give it another name, also in y."
        )
    unique, _ = unique_inverse(values)
    if len(unique) < 2 or len(unique) < len(array):
        raise ValueError(
            f"classes must be at least 2 different labels, got {listed(values)}."
        )
    return unique
