"""What a certificate says: its statement, and the table of what this follows from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from ..utils._random import SUSPICIOUS
from ..utils._words import confidence, html_table, joined, percent
from ._kinds import CertificateKind, kind_of
from ._provisos import in_a_sentence

# Characters: a line of a table holds so much of a list of classes, and a digest is
# recognized by so many of its digits.
_LINE, _DIGITS = 60, 16


def statement_of(certificate: Any) -> str:
    """The statement of a certificate with well-formed fields, as a sentence."""
    c, kind = certificate, kind_of(certificate.kind)
    random = [kind.random_choice(c)]
    random += [kind.also_random] * bool(kind.also_random)
    assumed = kind.assumed(c.facts)
    return sentence(c.delta, random, kind.claim(c), c.provisos, caveats_of([c]), assumed)


def caveats_of(records: Iterable[Any]) -> list[str]:
    """What the facts of certificates or audits say against the provisos, each once."""
    p_values = (float(r.facts.get("random_choice_p_value", 1)) for r in records)
    return [
        f"the labeled rows do not look like a random choice (p = {p_value:.2g})"
        for p_value in dict.fromkeys(p_values)
        if p_value <= SUSPICIOUS
    ]


def ended(text: str, caveats: Sequence[str]) -> str:
    """A sentence from what it says and what speaks against it."""
    return f"{text}; but {joined(caveats)}." if caveats else f"{text}."


def sentence(
    delta: float,
    choice: Sequence[str],
    claim: str,
    provisos: Sequence[str],
    caveats: Sequence[str] = (),
    assumed: Sequence[str] = (),
) -> str:
    """Join probability, random choice, claim, provisos and caveats to a sentence.

    Provisos are marked that are neither the package's nor ``assumed`` by a kind.
    """
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    provided = f", provided {in_a_sentence(provisos, assumed)}" if provisos else ""
    return ended(f"{stated}{provided}", caveats)


def as_text(certificate: Any) -> str:
    """The statement and, below it, a table of what it follows from."""
    rows = [*_table(certificate)]
    width = max(len(name) for name, _ in rows)
    lines = (f"  {name:<{width}}  {value}" for name, value in rows)
    return "\n".join([certificate.statement, *lines])


def as_html(certificate: Any) -> str:
    """The same as HTML."""
    return (
        "<div class='pacmdl-certificate'><p style='max-width:40em'><strong>"
        f"{escape(certificate.statement)}</strong></p>"
        f"{html_table(_table(certificate), [False, True])}</div>"
    )


def _table(c: Any) -> Iterator[tuple[str, str]]:
    """Names of what is stated, and texts."""
    yield from ((name, str(value)) for name, value in c.subject.items())
    if c.classes:
        yield "classes", _short(", ".join(map(repr, c.classes)), _LINE)
    yield "certified by", c.kind
    yield from _counts(c, kind_of(c.kind))
    yield "delta", f"{c.delta:g}"
    yield from ((f"{term} bits", f"{n_bits:.2f}") for term, n_bits in c.bits.items())
    yield "description length", f"{c.description_length:.2f} bits"
    yield "bound (b)", f"{c.max_test_errors} ({percent(c.max_test_errors, c.n_test)})"
    stated = kind_of(c.kind).stated(c)
    if stated != (c.max_test_errors, c.n_test):
        yield "errors among all rows", f"at most {stated[0]} ({percent(*stated)})"
    for name, fact in c.facts.items():
        text = _short(fact, _LINE) if isinstance(fact, str) else f"{fact:.6g}"
        yield name.replace("_", " "), text
    for name, code in c.fingerprints.items():
        yield f"SHA-256 of {name.replace('_', ' ')}", _short(code, _DIGITS)
    yield "issued", f"{c.date} by sklearn_pacmdl {c.version}"
    yield "SHA-256 of this certificate", _short(c.digest, _DIGITS)


def _counts(c: Any, kind: CertificateKind) -> Iterator[tuple[str, str]]:
    labeled, others = f"{kind.labeled_rows} rows", f"{kind.others_of(c)} rows"
    if c.drawn:
        yield "labeled rows drawn", "at random by sklearn_pacmdl"
    if c.n_select:
        yield "labeled rows that select", f"{c.n_select}"
    yield f"{labeled}{' that certify' * bool(c.n_select)} (m)", f"{c.n_train}"
    yield f"{others} (n)", f"{c.n_test}"
    if c.n_train_abstained or c.n_test_abstained:
        yield f"{labeled} abstained on", f"{c.n_train_abstained}"
        yield f"{others} abstained on", f"{c.n_test_abstained}"
    rate = f" ({c.n_train_errors / c.n_train:.2%})" if c.n_train else ""
    yield f"{kind.errors_seen()} (a)", f"{c.n_train_errors}{rate}"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}..."
