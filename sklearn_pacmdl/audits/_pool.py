"""Which rows an audit can have, and what it stores of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import randbits
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import (
    digest_of_labels,
    digest_of_numbers,
    fingerprint_columns,
    fingerprint_confidence,
    number_labels,
)
from ..columns import (
    SEVERAL_LABELS,
    as_labels,
    check_class_names,
    check_writing,
    in_type_of,
    renamed,
    report_alike,
    report_minus_one,
    split_unlabeled,
    unique_inverse,
)
from ..random_choice import check_groups
from ..utils._checks import as_array, hint_of_image, invalid, is_integer, shown, warn
from ..utils._row_order import check_same_order
from ..worksheets import refuse_json
from ._designs import SEED_BITS, SHARES, Groups, Rows, Strata

# What an audit may store digests of, by parameter.
NAMES = {"labels": "labeling", "confidence": "confidence"}


@dataclass(frozen=True)
class Pool:
    """Rows that an audit can have, and what it stores of them."""

    rows: NDArray[np.int64]  # neither excluded nor of none
    of_none: NDArray[np.int64]  # which have no label or no stratum, and are not drawn
    design: Rows
    codes: NDArray[np.int32] | None  # of the labels, -1 where there is none
    fields: dict[str, Any]


def pool_of(n_rows, exclude, by_row, classes, data, allocation="equal", drawn=True):
    """The pool, after a check of what is known ``by_row``, by names of parameters.

    Excluded rows are as the user gave them, and as sorted indices. Those without a label
    may not be ``drawn``.
    """
    names = check_class_names(classes)
    given, excluded = exclude
    check_same_order(**by_row, exclude=given, data=data)
    labels, known_labels, strata = map(by_row.get, ("labels", "known_labels", "strata"))
    known = None
    if known_labels is not None:
        excluded, known = _known(known_labels, excluded, n_rows, names)
    rows = rows_without(np.arange(n_rows), excluded)
    if len(rows) < 2:
        allowed = f"at most {n_rows - 2} of {n_rows} rows"
        if known is not None:
            raise invalid("known_labels", f"labels of {allowed}", known_labels)
        raise invalid("exclude", allowed, given)
    design = _design(n_rows, by_row["groups"], strata, names, allocation)
    digests = fingerprints_of(n_rows, None, by_row["confidence"])
    of_none = rows[design.of_none(rows)]
    _report_of_none("strata", strata, len(of_none), len(rows))
    codes = None
    if labels is not None:
        of_labels, codes = _digest_of_labels(labels, n_rows, names, known)
        digests, blank = of_labels | digests, codes < 0
        if drawn:
            _report_of_none("labels", labels, int(np.sum(blank[rows])), len(rows))
            of_none = np.union1d(of_none, rows[blank[rows]])
    fields = {
        "n_rows": n_rows,
        "excluded": excluded,
        "known_labels": known,
        "design": design,
        "fingerprints": digests,
        "classes": names,
        "columns": {} if data is None else fingerprint_columns(data, n_rows),
    }
    return Pool(rows_without(rows, of_none), of_none, design, codes, fields)


def _design(n_rows, groups, strata, classes, allocation) -> Rows:
    """How rows are drawn; the strata are numbered in the order of their names."""
    is_equal = isinstance(allocation, str) and allocation == "equal"
    if strata is None and not is_equal:
        raise invalid("allocation", '"equal" without strata', allocation)
    if groups is not None and strata is not None:
        raise invalid("strata", "None where groups are drawn", strata)
    if groups is not None:
        return Groups(check_groups(groups, n_rows, complete=True))
    if strata is None:
        return Rows()
    array = check_labels(renamed(strata, classes, "strata"), n_rows, "strata")
    labeled, labels = split_unlabeled(array, None, "strata")
    number = np.full(n_rows, -1, dtype=np.int64)
    names, number[labeled] = unique_inverse(labels)
    if not isinstance(allocation, Mapping):
        if not isinstance(allocation, str) or allocation not in SHARES:
            allowed = f"one of {[*SHARES]} or a mapping of strata to numbers of rows"
            raise invalid("allocation", allowed, allocation)
        return Strata(number, allocation)
    given = map(str, renamed([*allocation], classes, "allocation"))
    sizes, texts = dict(zip(given, allocation.values(), strict=True)), [*map(str, names)]
    are_strata = sizes.keys() <= {*texts} and len(sizes) == len(allocation)
    if not are_strata or not all(map(is_integer, sizes.values())):
        allowed = f"a number of rows for each stratum of {names.tolist()}"
        raise invalid("allocation", allowed, allocation)
    rows = tuple(int(sizes.get(text, 0)) for text in texts)
    return Strata(number, rows, tuple(texts))


def _digest_of_labels(labels, n_rows, classes, known):
    """The digest of the labeling, after labels that may be mistakes are reported.

    Also the codes of labels.
    """
    named = check_labels(labels, n_rows, classes=classes)
    numbered = number_labels(named, "labels")
    refuse_json("labels", numbered.names, "Make a column of the labels alone.")
    n_classes = len(numbered.names)
    if not classes:
        report_minus_one(labels, n_classes)
    n_rows_of = np.bincount(numbered.codes + 1, minlength=n_classes + 1)[1:]
    counts = dict(zip(numbered.names, n_rows_of.tolist(), strict=True))
    report_alike("labels", counts, by_people=False)
    if known is not None:
        in_types = in_type_of(known, np.array(numbered.names), "labels and known_labels")
        written = {*numbered.names, *classes.values()}
        check_writing("known_labels", Counter(in_types.tolist()), written, "labels")
    return {"labeling": digest_of_numbers(numbered)}, numbered.codes


def _report_of_none(name: str, values: Any, n_of_none: int, n_rows: int) -> None:
    """Warn of rows that are not drawn, because labels or strata have gaps."""
    if n_rows - n_of_none < 2:
        raise invalid(name, "given for at least two rows that may be drawn", values)
    if n_of_none:
        warn(
            f"{name} is missing in {n_of_none:,} of {n_rows:,} rows, which are not "
            "drawn. Statements are about the others, but finish_labels leaves these rows "
            "to people and counts them. To draw them as well, give them their own class."
        )


def _known(known_labels, excluded, n_rows, classes):
    """Sorted indices of the rows that are excluded, and their labels."""
    named = check_labels(known_labels, n_rows, "known_labels", classes)
    labeled, values = split_unlabeled(named, None, "known_labels")
    if not labeled[excluded].all():
        allowed = "labels of all rows in exclude, of which some have none here"
        raise invalid("known_labels", allowed, known_labels)
    return np.flatnonzero(labeled), values


def fingerprints_of(n_rows, labels, confidence, classes=None) -> dict[str, str]:
    """Digests of what was given, by the names under which an audit stores them."""
    digests = {}
    if labels is not None:
        named = check_labels(labels, n_rows, classes=classes)
        digests["labeling"] = digest_of_labels(named, "labels")
    if confidence is not None:
        checked = check_confidence(confidence, n_rows)
        digests["confidence"] = fingerprint_confidence(checked)
    return digests


def check_labels(labels, n_rows: int, name="labels", classes=None) -> NDArray[Any]:
    """Labels of all rows, of any type; rows without one have -1 or a missing value.

    Classes have the names that an audit gave to them, if any.
    """
    array = as_labels(labels, name)
    if array.shape != (n_rows,):
        what = f"{name} must have one label for each of the {n_rows} rows"
        hint = hint_of_image(name, array, n_rows) or SEVERAL_LABELS * (array.ndim == 2)
        raise ValueError(f"{what}, got shape {array.shape}: {shown(labels)}.{hint}")
    return renamed(array, classes or {}, name, complete=True)


def check_confidence(confidence: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Numbers that say how sure the label of each row is; infinity is allowed."""
    array = as_array("confidence", confidence)
    if (
        array.shape != (n_rows,)
        or array.dtype.kind not in "iuf"
        or np.any(array != array)
    ):
        what = f"{n_rows} numbers without NaN, one for each row"
        raise invalid("confidence", what, confidence)
    return array.astype(np.float64, copy=False)


def check_seed_text(text: object) -> None:
    """Refuse a text that rows cannot be drawn by, or that statements cannot have."""
    is_text = isinstance(text, str) and text.isprintable() and text == text.strip()
    if text is not None and not (is_text and 0 < len(str(text)) <= 200):
        allowed = "a text of 1 to 200 printable characters without spaces around them"
        raise invalid("seed_text", f"None or {allowed}", text)


def seed_of(text: str) -> int:
    """The seed that follows from a text."""
    check_seed_text(text)
    return int.from_bytes(sha256(text.encode()).digest()[: SEED_BITS // 8], "big")


def seed_from(random_state: Any, seed_text: str | None = None) -> int:
    """The seed that is given, follows from a text, or is from the system."""
    if seed_text is not None and random_state is not None:
        got = f"{shown(random_state)} and {shown(seed_text)}"
        raise ValueError(f"random_state and seed_text must not both be given, got {got}.")
    if seed_text is not None:
        return seed_of(seed_text)
    if random_state is None:
        return randbits(SEED_BITS)
    if isinstance(random_state, np.random.RandomState):
        return int.from_bytes(random_state.bytes(SEED_BITS // 8), "little")
    if is_integer(random_state) and 0 <= random_state < 2**SEED_BITS:
        return int(random_state)
    allowed = "None, an integer from 0 to 2**128 - 1 or a RandomState of NumPy"
    raise invalid("random_state", allowed, random_state)


def rows_without(rows, excluded) -> NDArray[np.int64]:
    return np.setdiff1d(rows, excluded, assume_unique=True) if len(excluded) else rows
