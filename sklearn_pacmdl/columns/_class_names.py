"""Names of classes that are fixed when an audit is drawn, such as "no" for -1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import invalid, listed, shown, warn
from ._labels import (
    as_labels,
    decode,
    is_minus_one,
    is_missing,
    split_unlabeled,
    unique_inverse,
)


def check_class_names(classes: Any) -> dict[str, Any]:
    """The name of each class, by the text of its label."""
    if classes is None:
        return {}
    allowed = "a mapping of labels to different names, none of them -1 or missing"
    if not isinstance(classes, Mapping) or any(map(is_missing, classes or [None])):
        raise invalid("classes", f"None or {allowed}", classes)
    array = as_labels([*classes.values()], "classes")
    labeled, names = split_unlabeled(array, None, "classes")
    by_label = dict(zip(map(_as_text, classes), names.tolist(), strict=False))
    if not labeled.all() or len(by_label) < len(classes):
        raise invalid("classes", allowed, classes)
    texts = [*map(str, by_label.values())]
    # A name that is the label of another class would be read in two ways.
    is_other = any(str(by_label.get(text, text)) != text for text in texts)
    if len({*texts}) < len(texts) or is_other:
        raise invalid("classes", f"{allowed} or labels of other classes", classes)
    return by_label


def _as_text(label: Any) -> str:
    whole = isinstance(label, float | np.floating) and label.is_integer()
    return str(int(label) if whole else label)


def renamed(
    labels: ArrayLike, names: Mapping[str, Any], what: str, *, complete: bool = False
) -> NDArray[Any]:
    """Labels as an array in which classes have their names; errors call it by ``what``.

    Labels that are names already stay, and so do others. If ``complete``, all must be
    labels of the mapping, or all of them names.
    """
    array = as_labels(labels, what)
    if not names:
        return array
    declared: Any = [*names, -1] if "-1" in names else [*names]
    labeled, values = split_unlabeled(array, declared, what)
    distinct, codes = unique_inverse(values)
    texts = [*map(str, distinct.tolist())]
    known = {str(name): name for name in names.values()}
    if complete and not ({*texts} <= names.keys() or {*texts} <= known.keys()):
        raise ValueError(
            f"{what} must hold labels of classes={shown(dict(names))}, or their names, "
            f"got {listed(distinct)}."
        )
    is_text = any(isinstance(name, str) for name in names.values())
    plain = texts if is_text else distinct.tolist()
    of_label = {**known, **names}
    new = [of_label.get(t, p) for t, p in zip(texts, plain, strict=True)]
    index = np.full(array.shape, -1, dtype=np.int64)
    index[labeled] = codes
    return decode(index, np.array(new, dtype=object if is_text else None))


_NAMED = "name it when the audit is drawn: draw_audit(..., classes={-1: 'no', 1: 'yes'})"


def report_minus_one(
    labels: ArrayLike,
    n_classes: int,
    name: str = "labels",
    advice: str = f"{_NAMED} with all labels",
) -> None:
    """Warn of labels that are -1, of so many classes besides; refuse one class alone."""
    array = as_labels(labels, name)
    n_minus = int(is_minus_one(array).sum())
    if not n_minus:
        return
    held = f"{name} holds -1 in {n_minus:,} of {len(array):,} rows"
    advice = (
        f"If -1 is a class, {advice}. Otherwise mark these rows by missing values (None "
        "or NaN)."
    )
    if n_classes < 2:
        raise ValueError(f"{held}, and no two other labels. {advice}")
    warn(f"{held}, which are taken for rows without a label. {advice}")
