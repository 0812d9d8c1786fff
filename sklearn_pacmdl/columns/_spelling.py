"""Labels as people write them: some differ in writing only, and some look like gaps.

Nothing is changed, since labels that look alike may be different classes: they are
refused or named in a warning. Only distinct labels are looked at, however many the rows.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..utils._checks import first_of, listed, shown, warn

# Texts for a missing value or -1, as Python, NumPy and pandas write them or pandas reads
# them, "?" of the UCI repository, and what people write.
_TEXTS_OF_GAPS = {"", "-1", "-1.0", "None", "nan", "NaN", "-nan", "-NaN", "NaT", "--"}
_TEXTS_OF_GAPS |= {"NA", "<NA>", "#NA", "N/A", "#N/A", "#N/A N/A", "n/a", "NULL", "null"}
_TEXTS_OF_GAPS |= {"1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
_TEXTS_OF_GAPS |= {"?", "unlabeled", "Unlabeled"}
# Further texts, in lower case, that may stand for no label; and numbers that often do.
_LIKE_GAPS = {"-", "\u2013", "\u2014", ".", "..", "...", "??", "???", "#", "n.a.", "na"}
_LIKE_GAPS |= {"blank", "empty", "missing", "nil", "no label", "none", "not available"}
_LIKE_GAPS |= {"not labeled", "tba", "tbd", "todo", "undefined", "unk", "unknown"}
_LIKE_GAPS |= {"unspecified", "-99", "-999", "-9999", "-99999", "-32768", "-2147483648"}
# Of numbers with more digits, different ones may be one float.
_NUMBER = re.compile(r"[+-]?\d{1,15}([.,]\d*)?(e[+-]?\d{1,2})?", re.I | re.ASCII)
# So many rows may have typos that no other row of their class has.
_HANDFUL = 5


def is_text_of_gap(text: str) -> bool:
    """Whether this may stand for a missing label, with or without spaces around it."""
    return text.strip() in _TEXTS_OF_GAPS


def _without_forms(text: str) -> str:
    if text.isascii():
        return text
    # NFKC also makes ordinary blanks and letters of those of fixed width.
    text = unicodedata.normalize("NFKC", text)
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def _without_form_of_number(text: str) -> str:
    # Spreadsheets make 1 of 01, and 100000 of 1E5.
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text.replace(",", "."))
    return str(int(number)) if number.is_integer() else repr(number)


_WAYS = {
    "case": str.casefold,
    "blanks": lambda text: " ".join(text.split()),
    "the form of its Unicode letters": _without_forms,
    "the form of a number": _without_form_of_number,
}


def plain_writing(label: Any) -> str:
    """What labels that differ in writing only have in common."""
    text = _without_forms(_without_forms(str(label)).casefold())
    return _WAYS["the form of a number"](_WAYS["blanks"](text))


def _difference(label: Any, other: Any) -> str:
    """In what the writing of two labels differs."""
    first, second = str(label), str(other)
    ways = (name for name, same in _WAYS.items() if same(first) == same(second))
    way = next(ways, "case, blanks or the form of its letters")
    same_in_print = way == "the form of its Unicode letters"
    return f"differs from {ascii(other) if same_in_print else repr(other)} in {way} only"


# Who leaves out the rows that people could not decide is left with the easy ones.
_TWO_CASES = (
    "If nobody looked at these rows, mark them by missing values (None). If people "
    "looked and could not decide, keep the class: without these rows, the others are "
    "not a random choice."
)


def report_alike(name: str, counts: Mapping[Any, int], *, by_people: bool = True) -> None:
    """Warn of different labels that are equal up to writing, and of labels like gaps."""
    by_plain: dict[str, list[Any]] = {}
    for label in sorted(counts, key=lambda label: -counts[label]):
        by_plain.setdefault(plain_writing(label), []).append(label)
    alike = [
        f"{_counted(label, counts)} {_difference(label, first)}"
        for first, *rarer in by_plain.values()
        for label in rarer
    ]
    if alike:
        warn(
            f"{name} holds different labels that are written alike: {first_of(alike)}. "
            "If they are one class, write it in one way."
        )
    gaps = [
        _counted(label, counts)
        for text, labels in by_plain.items()
        for label in labels
        if text in _LIKE_GAPS or is_text_of_gap(text)
    ]
    if gaps:
        of_machines = "If it does, mark these rows by missing values (None)."
        warn(
            f"{name} holds a class that may stand for a missing label: {first_of(gaps)}. "
            f"{_TWO_CASES if by_people else of_machines}"
        )


def check_writing(
    name: str,
    counts: Mapping[Any, int],
    known: Collection[Any],
    where: str,
    *,
    count_as: str = "",
    few: int = _HANDFUL,
) -> None:
    """Compare labels that people gave with those ``known`` from ``where``.

    Those that are not known are named in a warning. They are refused if a class is known
    by another writing only, if so many rows cannot be typos, or if none of more than a
    ``few`` rows has a known label: the classes then have other names.
    """
    unknown = [u for u in sorted(counts, key=lambda u: -counts[u]) if u not in known]
    if not unknown or not known:
        return
    # The most frequent of known labels that are written alike.
    in_order = sorted(known, key=lambda label: (counts.get(label, 0), str(label)))
    alike = _written_alike(unknown, in_order)
    named = {label: _counted(label, counts) for label in unknown}
    named |= {u: f"{named[u]} {_difference(u, other)}" for u, other in alike.items()}
    refused = [named[u] for u in alike if _is_no_typo(alike[u], counts, alike)]
    if refused:
        raise _written_otherwise(name, where, refused)
    missing = "If a class is really missing there, name all classes when the audit is"
    missing = f" {missing} drawn, by draw_audit(..., classes={{...}})."
    advice = missing if count_as else ""
    refuse_other_names(name, counts, known, where, few=few, advice=advice)
    meaning = f" They count as {count_as}." if count_as else ""
    what = f"{name} holds labels that are not in {where}"
    warn(f"{what}: {first_of(named.values())}.{meaning}")


def refuse_other_names(
    name: str,
    counts: Mapping[Any, int],
    known: Collection[Any],
    where: str,
    *,
    few: int = _HANDFUL,
    advice: str = "",
) -> None:
    """Refuse labels of more than a ``few`` rows of which none is known."""
    if sum(counts.values()) <= few or any(label in known for label in counts):
        return
    in_order = sorted(counts, key=lambda label: -counts[label])
    got = first_of(_counted(label, counts) for label in in_order)
    raise ValueError(
        f"{name} must hold labels that are in {where}, such as "
        f"{listed(sorted(known, key=str))}, got others: {got}. Give each class one name "
        f"in both.{advice}"
    )


def check_same_writing(
    name: str, labels: Iterable[Any], known: Collection[Any], where: str
) -> None:
    """Refuse labels that are ``known`` from ``where`` by another writing only."""
    alike = _written_alike([each for each in labels if each not in known], known)
    refused = [f"{shown(each)} {_difference(each, alike[each])}" for each in alike]
    if refused:
        raise _written_otherwise(name, where, refused)


def _written_alike(labels: Iterable[Any], known: Iterable[Any]) -> dict[Any, Any]:
    """The labels that differ in writing only from known ones, with the last of these."""
    by_plain = {plain_writing(label): label for label in known}
    plain = {label: plain_writing(label) for label in labels}
    return {label: by_plain[text] for label, text in plain.items() if text in by_plain}


def _written_otherwise(name: str, where: str, labels: Iterable[str]) -> ValueError:
    return ValueError(
        f"{name} must be written as {where}, got {first_of(labels)}. Write them as "
        f"{where}; a class of its own needs a name that differs in more than that."
    )


def most_common(counts: Mapping[Any, int]) -> set[Any]:
    """The most common writing of each label."""
    in_order = sorted(counts, key=lambda label: -counts[label])
    return {*{plain_writing(label): label for label in reversed(in_order)}.values()}


def folded(labels: Collection[Any], known: Mapping[Any, Any]) -> dict[Any, Any]:
    """Labels by another writing: those of ``known`` writings, of which none are alike."""
    meant: dict[str, Any] = {}
    for writing, label in known.items():
        other = meant.setdefault(plain_writing(writing), label)
        if other != label:
            got = f"{shown(other)}, which {_difference(other, label)}"
            raise ValueError(f"classes must differ in more than their writing, got {got}")
    alike = _written_alike([each for each in labels if each not in known], known)
    return {label: known[writing] for label, writing in alike.items()}


def _is_no_typo(label: Any, counts: Mapping[Any, int], alike: Mapping[Any, Any]) -> bool:
    """Whether rows with other writings of a label are too many for typos."""
    n_others = sum(counts[other] for other, meant in alike.items() if meant == label)
    n_exact = counts.get(label, 0)
    return not n_exact or n_others > max(_HANDFUL, (n_exact + n_others) / 10)


def _counted(label: Any, counts: Mapping[Any, int]) -> str:
    n_rows = int(counts[label])
    return f"{shown(label)} ({n_rows} row{'' if n_rows == 1 else 's'})"
