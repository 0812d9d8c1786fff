"""The fields of a certificate as they are issued; errors name the field."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from math import isclose
from types import NoneType
from typing import Any

import numpy as np

from ..bounds import MAX_COUNT
from ..utils._checks import (
    check_fields,
    check_flag,
    check_integer,
    check_number,
    check_open_unit,
    check_printable,
    invalid,
    is_integer,
    is_iterable,
    is_number,
    shown,
)
from ..utils._printable import PRINTABLE, escaped, is_printable
from ..utils._weights import length_in_bits
from ._arithmetic import Cluster, product_of
from ._fingerprint import FINGERPRINTS
from ._json import MOST_BITS, has_types
from ._kinds import CertificateKind, are_texts, is_known, kind_of

# Entries of fields: classes and clusters take a microsecond each. Terms are multiplied.
MOST_ENTRIES, MOST_TERMS = 2**18, 100
_ENTRIES = ("weights", "bits", "provisos", "subject", "facts", "classes", "clusters")
# Errors on labeled rows: terms of a tail are a multiple of the square root, .3 s for so
# many errors.
MOST_ERRORS = 2**44


def checked(certificate: Any) -> Any:
    """The certificate with fields as they are issued, without computing its bound.

    Errors name a field that no certificate can have.
    """

    def count(name: str, least: int = 0, most: int = MAX_COUNT) -> int:
        return check_integer(name, getattr(certificate, name), least, most)

    c = certificate
    _check_sizes(c)
    check_fields(c, bound=float)
    for name in ("version", "date", "digest"):
        check_printable(name, getattr(c, name))
    check_number("bound", c.bound)
    check_fields(c, stated_rate=(float, NoneType))
    check_number("stated_rate", c.stated_rate or 0)
    kind = kind_of(c.kind)
    m, n = count("n_train"), count("n_test", 1)
    a = count("n_train_errors", most=min(m, MOST_ERRORS))
    drawn, facts = check_flag("drawn", c.drawn), _check_facts(c.facts)
    subject = {
        escaped(name): escaped(value) if isinstance(value, str) else value
        for name, value in _as_read_again("subject", c.subject).items()
    }
    weights = _check_weights(c.weights, kind)
    right = replace(
        c,
        n_train=m,
        n_test=n,
        n_train_errors=a,
        delta=check_open_unit("delta", c.delta),
        weights=weights,
        bits={term: length_in_bits(weight) for term, weight in weights.items()},
        description_length=length_in_bits(product_of(tuple(weights.values()))),
        max_test_errors=count("max_test_errors", most=n),
        subject=subject,
        n_select=count("n_select"),
        n_train_abstained=count("n_train_abstained"),
        n_test_abstained=count("n_test_abstained"),
        drawn=drawn,
        clusters=_check_clusters(c.clusters, kind, (m, n, a), "label" in weights),
        classes=_check_classes(c.classes),
        facts=facts,
        fingerprints=_check_fingerprints(c.fingerprints),
    )
    if kind.selects != (right.n_select > 0):
        allowed = "at least 1" if kind.selects else "0"
        raise invalid("n_select", f"{allowed} where kind is {kind.name!r}", c.n_select)
    for problem in kind.wrong_facts(right):
        raise ValueError(f"{problem}.")
    _check_provisos(c.provisos, kind.assumed(facts), drawn)
    return right


def problems_of(certificate: Any) -> list[str]:
    """Why no certificate with this bound could be issued with these fields."""
    try:
        right = checked(certificate)
    except ValueError as error:
        return [str(error).removesuffix(".")]
    return [
        f"{f.name} is {shown(given)}, and not {shown(expected)} as it would be issued"
        for f in fields(certificate)
        for given, expected in [(getattr(certificate, f.name), getattr(right, f.name))]
        if not _same(given, expected)
    ]


def is_readable(certificate: Any) -> bool:
    """Whether fields are of types and sizes that a certificate of a known kind has."""
    try:
        _check_sizes(certificate)
    except ValueError:
        return False
    return is_known(certificate.kind) and has_types(certificate)


def all_provisos(provisos: Any, kind: str, facts: Any, drawn: Any) -> tuple[str, ...]:
    """Those of the kind, unless the rows were drawn, and further ones."""
    if not are_texts(provisos):
        raise invalid("provisos", f"a sequence of clauses {PRINTABLE}", provisos)
    assumed = kind_of(kind).assumed(_check_facts(facts))
    return (*(() if check_flag("drawn", drawn) else assumed), *provisos)


def _check_sizes(certificate: Any) -> None:
    """Refuse fields that are too large to compute anything from, whatever they hold."""
    for name in _ENTRIES:
        value = getattr(certificate, name)
        most = MOST_TERMS if name == "weights" else MOST_ENTRIES
        if isinstance(value, Mapping | tuple) and len(value) > most:
            raise ValueError(f"{name} has more than {most} entries: {len(value)}.")
    weights = certificate.weights
    n_bits = sum(
        part.bit_length()
        for weight in (weights.values() if isinstance(weights, Mapping) else ())
        if isinstance(weight, Fraction | int)
        for part in weight.as_integer_ratio()
    )
    if n_bits > MOST_BITS:
        raise ValueError(f"weights have more than {MOST_BITS} binary digits: {n_bits}.")


def _same(given: Any, right: Any) -> bool:
    """Whether fields are equal and of one type, as 1 and True are not."""
    if isinstance(given, float) and isinstance(right, float):
        # Far above what logarithms of other platforms differ by, far below what is shown.
        return isclose(given, right, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(given, dict) and isinstance(right, dict):
        return given.keys() == right.keys() and all(
            _same(given[name], right[name]) for name in right
        )
    if isinstance(given, list | tuple) and type(given) is type(right):
        return len(given) == len(right) and all(map(_same, given, right))
    if isinstance(right, Fraction):  # 1 may stand for a weight of 1
        return isinstance(given, Fraction | int) and given == right
    return type(given) is type(right) and given == right


def _check_weights(weights: Any, kind: CertificateKind) -> dict[str, Fraction]:
    """Weights by term, of terms that the kind allows."""
    problem = _wrong_weights(weights)
    if problem:
        raise ValueError(f"weights are not valid: {problem}, got {shown(weights)}.")
    if kind.terms is not None and not {*weights} <= {*kind.terms}:
        allowed = f"terms among {sorted(kind.terms)} where kind is {kind.name!r}"
        raise ValueError(f"weights must have {allowed}, got {sorted(weights)}.")
    return {term: Fraction(weight) for term, weight in weights.items()}


def _wrong_weights(weights: Any) -> str | None:
    """What is wrong with the weights of a labeling, or None."""
    if not isinstance(weights, Mapping):
        return "they are not a mapping of terms to ratios"
    for term, weight in weights.items():
        if not is_printable(term) or not term:
            return f"a term is not text {PRINTABLE}: {shown(term)}"
        if isinstance(weight, bool) or not isinstance(weight, Fraction | int):
            return f"{term!r} is not a Fraction: {shown(weight)}"
        if not 0 < weight <= 1:
            return f"a weight is outside (0, 1]: {term!r}"
    return None


def _check_provisos(provisos: Any, assumed: tuple[str, ...], drawn: bool) -> None:
    """Different clauses, those of the kind first unless the rows were drawn."""
    if not isinstance(provisos, tuple) or not are_texts(provisos):
        raise invalid("provisos", f"a tuple of clauses {PRINTABLE}", provisos)
    if len(set(provisos)) < len(provisos):
        raise invalid("provisos", "different clauses", provisos)
    expected = " and ".join(map(repr, assumed))
    if drawn and set(assumed).intersection(provisos):
        raise invalid("provisos", f"without {expected} where drawn is True", provisos)
    if not drawn and provisos[: len(assumed)] != assumed:
        raise ValueError(f"the first of the provisos is not {expected}.")


def _check_clusters(
    clusters: Any,
    kind: CertificateKind,
    counts: tuple[int, int, int],
    pays_for_classes: bool,
) -> tuple[Cluster, ...]:
    """Counts of clusters, with equal ones together, that sum to m, n and a."""
    listed = [*clusters] if is_iterable(clusters) else [clusters]
    if not all(map(_are_counts, listed)):
        allowed = "tuples of four counts, with at most as many labels as rows, and errors"
        raise invalid("clusters", allowed, clusters)
    if not kind.by_cluster and listed:
        raise invalid("clusters", f"empty where kind is {kind.name!r}", clusters)
    if kind.by_cluster and not listed and not pays_for_classes:
        raise ValueError(
            f"clusters must be given where kind is {kind.name!r} and no weight is for "
            'the classes of clusters ("label").'
        )
    times: Counter[tuple[int, ...]] = Counter()
    for k, *own in listed:
        times[tuple(map(int, own))] += int(k)
    # Python's integers, which do not overflow.
    rows, m, a = (sum(k * own[i] for own, k in times.items()) for i in range(3))
    if listed and (m, rows - m, a) != counts:
        raise ValueError(
            "clusters do not add up to n_train, n_test and n_train_errors, got "
            f"{shown(clusters)}."
        )
    return tuple((times[n, m, a], n, m, a) for n, m, a in sorted(times))


def _are_counts(values: Any) -> bool:
    """Whether these are the four counts of a kind of clusters."""
    counts = [*values] if is_iterable(values) else []
    if len(counts) != 4 or not all(is_integer(v) and 0 <= v <= MAX_COUNT for v in counts):
        return False
    k, n, m, a = counts
    return k > 0 and a <= m <= n


def _check_classes(classes: Any) -> tuple[Any, ...]:
    """Different names of classes, by types that JSON keeps apart."""
    if not is_iterable(classes):
        raise invalid("classes", "names of classes", classes)
    plain = [name.item() if isinstance(name, np.generic) else name for name in classes]
    if any(isinstance(name, np.ndarray) for name in plain):
        raise invalid("classes", "names of classes", classes)
    names = tuple(
        name if isinstance(name, str | bool) or _is_real(name) else str(name)
        for name in plain
    )
    if len({*map(str, names)}) < len(names):
        raise invalid("classes", "different names", classes)
    return names


def _check_facts(facts: Any) -> dict[str, float | str]:
    """Numbers and texts by name."""
    facts = _as_read_again("facts", facts)
    for name, value in facts.items():
        if not isinstance(value, str) and not _is_real(value):
            raise ValueError(
                f"facts must be finite numbers or text, got {shown(value)} for {name!r}."
            )
        if not is_printable(f"{name}{value}"):
            raise invalid("facts", f"names and texts {PRINTABLE}", facts)
    p_value = facts.get("random_choice_p_value", 1)  # which the statement may end with
    if not _is_real(p_value) or not 0 < p_value <= 1:
        allowed = "facts must have a random_choice_p_value in (0, 1] if any"
        raise ValueError(f"{allowed}, got {shown(p_value)}.")
    return facts


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and is_number(value)


def _check_fingerprints(fingerprints: Any) -> dict[str, str]:
    """Digests by the names that a certificate may keep."""
    read = _as_read_again("fingerprints", fingerprints)
    for name, digest in read.items():
        is_digest = isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)
        if name not in FINGERPRINTS or not is_digest:
            allowed = f"SHA-256 digests in hexadecimal of some of {FINGERPRINTS}"
            raise invalid("fingerprints", allowed, fingerprints)
    return read


def _as_read_again(name: str, mapping: Any) -> dict[str, Any]:
    """A mapping as it will be read again; objects that JSON does not know as text."""
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise invalid(name, "None or a mapping", mapping)
    try:
        text = json.dumps(dict(mapping), default=_plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} cannot be kept as JSON ({error}), got {shown(mapping)}."
        ) from None
    read = json.loads(text)
    if "" in read:
        raise invalid(name, "a mapping of names that are not empty", mapping)
    return read


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
