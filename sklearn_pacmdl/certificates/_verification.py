"""What is wrong with a certificate: its fields by themselves, together, and with data."""

import json
import re
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from math import isclose

import numpy as np

from ..utils._checks import is_integer
from ..utils._checks import shown as plain
from ..utils._labels import as_labels, split_unlabeled
from ..utils._weights import length_in_bits
from ._exact import tail_reaches
from ._fingerprint import (
    FINGERPRINTS,
    as_token,
    fingerprint_labels,
    fingerprint_row_order,
)
from ._tail import MAX_COUNT
from ._weights import total_weight, wrong_weights
from ._wording import RANDOM_CHOICE

KINDS = ("pac-mdl", "learned", "holdout")


def _is_count(value):
    return is_integer(value) and 0 <= value <= MAX_COUNT


def _is_real(value):
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and abs(value) <= sys.float_info.max  # neither infinite nor NaN


def _is_delta(value):
    return isinstance(value, float) and 0 < value < 1


def _is_text(value):
    return isinstance(value, str) and bool(value)


def _maps_text_to(is_value):
    def is_mapping(value):
        return isinstance(value, Mapping) and all(
            _is_text(key) and is_value(item) for key, item in value.items()
        )

    return is_mapping


def _is_tuple_of(is_item):
    return lambda value: isinstance(value, tuple) and all(map(is_item, value))


def is_class_name(value):
    """Whether JSON keeps this label apart from all others."""
    return isinstance(value, str | bool) or _is_real(value)


def is_fact(value):
    """Whether this is a number or text that may be recorded."""
    return isinstance(value, str) or _is_real(value)


def _is_subject(value):
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return _maps_text_to(lambda item: True)(value)


def _is_date(value):
    try:
        return datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except (TypeError, ValueError):
        return False


def _are_fingerprints(value):
    return isinstance(value, Mapping) and all(
        name in FINGERPRINTS
        and isinstance(digest, str)
        and re.fullmatch("[0-9a-f]{64}", digest)
        for name, digest in value.items()
    )


# What each field is, and how a problem names what it is not.
_FIELDS = {
    "n_train": (_is_count, "not a count"),
    "n_test": (lambda v: _is_count(v) and v > 0, "not a count of at least 1"),
    "n_train_errors": (_is_count, "not a count"),
    "delta": (_is_delta, "not a number in (0, 1)"),
    "weights": (_maps_text_to(lambda v: isinstance(v, Fraction | int)), "not ratios"),
    "bits": (_maps_text_to(_is_real), "not numbers by term"),
    "description_length": (_is_real, "not a number"),
    "max_test_errors": (_is_count, "not a count"),
    "bound": (_is_real, "not a number"),
    "provisos": (_is_tuple_of(_is_text), "not a tuple of clauses"),
    "subject": (_is_subject, "not a mapping that JSON can hold"),
    "kind": (lambda v: isinstance(v, str) and v in KINDS, f"none of {KINDS}"),
    "n_select": (_is_count, "not a count"),
    "n_train_abstained": (_is_count, "not a count"),
    "n_test_abstained": (_is_count, "not a count"),
    "drawn": (lambda v: isinstance(v, bool), "neither True nor False"),
    "classes": (_is_tuple_of(is_class_name), "not a tuple of text and numbers"),
    "facts": (_maps_text_to(is_fact), "not numbers and text by name"),
    "fingerprints": (
        _are_fingerprints,
        f"not SHA-256 digests in hexadecimal of some of {FINGERPRINTS}",
    ),
    "version": (_is_text, "not text"),
    "date": (_is_date, "not an ISO 8601 time in UTC"),
    "digest": (lambda v: isinstance(v, str), "not text"),
}


def shown(value):
    """Text of a value of any kind, cut short."""
    try:
        text = plain(value)
    except ValueError:  # an integer with more digits than Python writes
        text = f"a long {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:97]}..."


def malformed(certificate):
    """Fields that leave nothing to compute with, and nothing to say."""
    fields = ((name, getattr(certificate, name)) for name in _FIELDS)
    return [
        f"{name} is {_FIELDS[name][1]}: {shown(value)}"
        for name, value in fields
        if not _FIELDS[name][0](value)
    ]


def wrong_division(kind, n_select):
    """What is wrong with the number of labeled rows that do not certify, or None."""
    if kind == "pac-mdl" and n_select:
        return "n_select must be 0 where kind is 'pac-mdl': all labeled rows certify"
    if kind != "pac-mdl" and not n_select:
        return f"n_select must be at least 1 where kind is {kind!r}"
    return None


def inconsistent(certificate):
    """Well-formed fields that do not go together."""
    c, problems = certificate, []
    if c.n_train_errors > c.n_train:
        problems.append("n_train_errors is above n_train")
    if c.max_test_errors > c.n_test:
        problems.append("max_test_errors is above n_test")
    problem = wrong_weights(c.weights, c.subject)
    if problem:
        problems.append(f"weights: {problem}")
    problem = wrong_division(c.kind, c.n_select)
    if problem:
        problems.append(problem)
    if set(c.weights) != set(c.bits):
        problems.append("bits and weights have different terms")
    if c.drawn and RANDOM_CHOICE in c.provisos:
        problems.append(f"provisos have {RANDOM_CHOICE!r} though the rows were drawn")
    if not c.drawn and c.provisos[:1] != (RANDOM_CHOICE,):
        problems.append(f"the first of the provisos is not {RANDOM_CHOICE!r}")
    if len(set(c.provisos)) < len(c.provisos):
        problems.append("provisos are repeated")
    if len(set(map(as_token, c.classes))) < len(c.classes):
        problems.append("classes are repeated")
    return problems


def _same(x, y):
    return isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)


def miscalculated(certificate):
    """Problems of the arithmetic, and how the tail was compared with its level."""
    c = certificate
    problems = [
        f"{term} bits are not those of the weight"
        for term, weight in c.weights.items()
        if not _same(c.bits[term], length_in_bits(Fraction(weight)))
    ]
    total = total_weight(c.weights)
    if not _same(c.description_length, length_in_bits(total)):
        problems.append("description_length is not that of the product of the weights")
    if c.bound != c.max_test_errors / c.n_test:
        problems.append("bound is not max_test_errors / n_test")
    counts = c.n_train, c.n_test, c.n_train_errors
    level = Fraction(repr(float(c.delta))) * total
    b, methods = c.max_test_errors, []
    if b < c.n_test:
        above, method = tail_reaches(*counts, b + 1, level)
        methods.append(method)
        if above is not False:  # None: not proven
            problems.append("max_test_errors is below the bound")
    here, method = tail_reaches(*counts, b, level)
    methods.append(method)
    if here is False:
        problems.append("max_test_errors is above the bound")
    return problems, "integers" if "integers" in methods else "enclosure"


def _certifying_rows(certifying, labeled):
    """Mask of the labeled rows that certify, from indices or a mask."""
    if certifying is None:
        return labeled
    rows, n_rows = np.asarray(certifying), len(labeled)
    if rows.dtype == bool and rows.shape == (n_rows,):
        mask = rows
    else:
        inside = rows.dtype.kind in "iu" and np.all((rows >= 0) & (rows < n_rows))
        if rows.ndim != 1 or not (inside or not rows.size):
            raise ValueError(
                f"certifying must be a mask of {n_rows} rows or indices of such, got "
                f"{certifying!r}."
            )
        mask = np.isin(np.arange(n_rows), rows)
    return mask & labeled


def _counted(labeled, truth, accepted, given, chosen):
    """The counts that a certificate states, from data."""
    seen = np.flatnonzero(labeled)
    answers = dict(zip(np.flatnonzero(accepted), given, strict=True))
    counted = [i for i, row in enumerate(seen) if chosen[row] and row in answers]
    return {
        "n_train": len(counted),
        "n_test": int(np.sum(~labeled & accepted)),
        "n_train_errors": int(sum(truth[i] != answers[seen[i]] for i in counted)),
        "n_select": int(np.sum(labeled & ~chosen)),
        "n_train_abstained": int(np.sum(labeled & chosen & ~accepted)),
        "n_test_abstained": int(np.sum(~labeled & ~accepted)),
    }


def contradicted_by_labels(certificate, y, labels, certifying):
    """Problems that labels and the labeling of the same rows bring to light."""
    y, labels = as_labels(y), as_labels(labels, "labels")
    if y.shape != labels.shape or y.ndim != 1:
        raise ValueError(
            "y and labels must be 1-dimensional and of the same length, got shapes "
            f"{y.shape} and {labels.shape}."
        )
    declared = certificate.classes or None
    labeled, truth = split_unlabeled(y, declared)
    accepted, given = split_unlabeled(labels, declared, "labels")
    chosen = _certifying_rows(certifying, labeled)
    found = _counted(labeled, truth, accepted, given, chosen)
    problems = [
        f"{name} is {shown(getattr(certificate, name))} here and {count} in the data"
        for name, count in found.items()
        if getattr(certificate, name) != count
    ]
    classes = {as_token(name) for name in certificate.classes}
    if classes and not classes.issuperset(map(as_token, given.tolist())):
        problems.append("labels have classes that are none of the certificate's")
    problems += _mistaken(certificate, {"labels": y, "labeling": labels})
    if problems and certificate.drawn:
        problems.append(
            "the certificate is about one split of labels that are all known: y must be "
            "missing on the held-out rows, and the labeling is the split's own, in "
            "split_transductions_ rather than transduction_"
        )
    return problems


def _mistaken(certificate, data):
    return [
        f"the fingerprint of the {name} is not that of the data"
        for name, values in data.items()
        if name in certificate.fingerprints
        and certificate.fingerprints[name]
        != fingerprint_labels(values, certificate.classes or None)
    ]


def contradicted_by_order(certificate, row_order):
    """Whether the rows were seen in another order than the certificate records."""
    expected = certificate.fingerprints.get("row_order")
    if expected is None:
        return ["there is no fingerprint that row_order could be compared with"]
    if expected != fingerprint_row_order(row_order):
        return ["the fingerprint of the row_order is not that of the data"]
    return []
