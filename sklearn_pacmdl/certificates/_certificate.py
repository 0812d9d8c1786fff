"""What a bound entitles one to say, with all that is needed to check it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..utils._checks import is_integer
from ..utils._version import __version__
from ..utils._weights import length_in_bits
from ._audit import (
    KINDS,
    contradicted_by_labels,
    contradicted_by_order,
    inconsistent,
    is_class_name,
    is_fact,
    malformed,
    miscalculated,
    shown,
    wrong_division,
)
from ._exact import exact_bmax
from ._fingerprint import fingerprint_fields
from ._pac_mdl import pac_mdl_bound
from ._weights import parse_ratio, ratio_text, total_weight, wrong_weights
from ._wording import RANDOM_CHOICE, percent, sentence

FORMAT = 2  # of the JSON form


class Verification(NamedTuple):
    """Outcome of :meth:`BoundCertificate.verify`; true if the certificate holds.

    Parameters
    ----------
    passed : bool
        Whether everything fits together.
    method : {"integers", "enclosure"}
        How the tail was compared with its level: in plain integers, or by an interval
        that encloses it and excludes the level. Either is a proof.
    problems : tuple of str
        What is wrong, if anything.
    """

    passed: bool
    method: str
    problems: tuple[str, ...]

    def __bool__(self):
        return self.passed


@dataclass(frozen=True)
class BoundCertificate:
    """A PAC-MDL bound and the facts that it follows from.

    Made by :meth:`from_counts`; the constructor takes the fields as they are, so that
    an altered certificate can be read and found out by :meth:`verify`. Certificates are
    equal if they state the same from the same facts, whenever they were issued.

    Parameters
    ----------
    n_train, n_test : int
        Labeled and unlabeled rows, m and n.
    n_train_errors : int
        Errors of the labeling on the labeled rows, a.
    delta : float
        Probability with which the statement may fail; means its printed decimal.
    weights : mapping of str to Fraction
        Weight of the labeling, term by term, fixed before any of the ``n_train`` labels
        was seen. Each is in (0, 1]; "pooling", what other candidates that express the
        same labeling add, is a factor of at least 1. The product is at most 1.
    bits : mapping of str to float
        Minus the base-2 logarithms of the weights.
    description_length : float
        That of their product, in bits.
    max_test_errors : int
        The bound b: a count in [0, n_test]; lower is better.
    bound : float
        The bound as a rate in [0, 1].
    provisos : tuple of str, default=()
        Assumptions of the statement. Unless the rows were drawn, the first is that the
        labeled rows are a uniformly random choice.
    subject : mapping, default={}
        The labeling that the statement is about, in words and numbers.
    kind : {"pac-mdl", "learned", "holdout"}, default="pac-mdl"
        How the labeled rows were spent.
    n_select : int, default=0
        Labeled rows beside the ``n_train`` that were spent on weights or on the choice.
    n_train_abstained, n_test_abstained : int, default=0
        Rows beside the ``n_train`` and ``n_test`` that the labeling leaves unlabeled.
    drawn : bool, default=False
        Whether the package itself drew the labeled rows, at random from rows whose
        labels are all known. The other rows are then called held-out rows.
    classes : tuple of str, int, float or bool, default=()
        Names of the classes, if recorded.
    facts : mapping of str to number or str, default={}
        Further facts that are recorded.
    fingerprints : mapping of str to str, default={}
        SHA-256 digests: "labels" of the labels as they were seen, and "labeling" of the
        certified labeling, as of :func:`fingerprint_labels`; "row_order" of the order in
        which clusterers saw the rows, as of :func:`fingerprint_row_order`.
    version : str, default=""
        Version of the package that issued the certificate.
    date : str, default=""
        When it did, in ISO 8601 and UTC.
    digest : str, default=""
        SHA-256 digest of all other fields.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.bounds import BoundCertificate
    >>> certificate = BoundCertificate.from_counts(
    ...     1500, 1500, 45, weights={"label": Fraction(1, 27)}, delta=0.1
    ... )
    >>> certificate.max_test_errors
    74
    >>> bool(certificate.verify())
    True
    >>> print(certificate.statement)
    With probability at least 90% over the random choice of the 1500 labeled rows, at \
most 74 of the 1500 unlabeled rows (4.94%) are labeled wrongly, provided the labeled \
rows are a uniformly random choice.
    """

    n_train: int
    n_test: int
    n_train_errors: int
    delta: float
    weights: Mapping[str, Fraction]
    bits: Mapping[str, float]
    description_length: float
    max_test_errors: int
    bound: float
    provisos: tuple[str, ...] = ()
    subject: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "pac-mdl"
    n_select: int = 0
    n_train_abstained: int = 0
    n_test_abstained: int = 0
    drawn: bool = False
    classes: tuple[str | int | float | bool, ...] = ()
    facts: Mapping[str, float | str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    date: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)

    @classmethod
    def from_counts(
        cls,
        n_train,
        n_test,
        n_train_errors,
        *,
        weights,
        delta=0.1,
        provisos=(),
        subject=None,
        kind="pac-mdl",
        n_select=0,
        n_train_abstained=0,
        n_test_abstained=0,
        drawn=False,
        classes=(),
        facts=None,
        fingerprints=None,
    ):
        """Certificate for these counts and weights, with the exact bound.

        Parameters
        ----------
        n_train, n_test, n_train_errors : int
            As in :func:`pac_mdl_bound`; ``n_test`` at least 1.
        weights : mapping of str to Fraction
            Weight of the labeling by term, each in (0, 1]; but "pooling", what other
            candidates that express the same labeling add, is a factor of at least 1.
        delta : float, default=0.1
            In (0, 1).
        provisos : sequence of str, default=()
            Assumptions besides the random choice of the labeled rows, which is put
            first unless ``drawn``; each a clause that can follow "provided".
        subject : mapping, default=None
            What the certificate is about; kept as JSON would keep it, other objects as
            their text.
        kind : {"pac-mdl", "learned", "holdout"}, default="pac-mdl"
            How the labeled rows were spent.
        n_select, n_train_abstained, n_test_abstained : int, default=0
            Rows that do not count here; ``n_select`` is at least 1 unless ``kind`` is
            "pac-mdl", where it is 0.
        drawn : bool, default=False
            Whether the package itself drew the labeled rows at random.
        classes : sequence, default=()
            Names of the classes: text, numbers or booleans; others become text.
        facts : mapping of str to number or str, default=None
            Further facts to record.
        fingerprints : mapping of str to str, default=None
            Digests named "labels", "labeling" and "row_order", any of them.

        Returns
        -------
        certificate : BoundCertificate
            Its bound is never below the exact one, and equal to it unless counts are
            above a million and the tail is a tie.

        Raises
        ------
        ValueError
            If a parameter is not as described.
        """
        subject = _as_json("subject", subject)
        problem = wrong_weights(weights, subject)
        if problem:
            raise ValueError(f"weights are not valid: {problem}, got {weights!r}.")
        aside = _check_division(kind, n_select, n_train_abstained, n_test_abstained)
        total = total_weight(weights)
        length = length_in_bits(total)  # of the exact product: a sum of lengths rounds
        guess = pac_mdl_bound(
            n_train, n_test, n_train_errors, description_length=length, delta=delta
        )
        if n_test < 1:
            raise ValueError(f"n_test must be at least 1, got {n_test}.")
        m, n, a = int(n_train), int(n_test), int(n_train_errors)
        b = exact_bmax(m, n, a, Fraction(repr(float(delta))) * total, guess)
        certificate = cls(
            n_train=m,
            n_test=n,
            n_train_errors=a,
            delta=float(delta),
            weights={term: Fraction(weight) for term, weight in weights.items()},
            bits={t: length_in_bits(Fraction(weight)) for t, weight in weights.items()},
            description_length=length,
            max_test_errors=b,
            bound=b / n,
            provisos=_all_provisos(provisos, drawn),
            subject=subject,
            kind=kind,
            **aside,
            drawn=drawn,
            classes=tuple(_class_name(name) for name in classes),
            facts=_check_facts(facts),
            fingerprints=dict(fingerprints or {}),
            version=__version__,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return certificate._sealed()

    def _sealed(self):
        """The same with the digest of its fields, which have to be well-formed."""
        sealed = replace(self, digest=self._fingerprint())
        problems = malformed(sealed) or inconsistent(sealed)
        if problems:
            raise ValueError(f"{problems[0]}.")
        return sealed

    def _fingerprint(self):
        return fingerprint_fields({**self._as_json(), "digest": None})

    def _as_json(self):
        """All fields as JSON can hold them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        texts = {term: ratio_text(weight) for term, weight in self.weights.items()}
        return values | {"weights": texts, "format": FORMAT}

    @property
    def statement(self):
        """The sentence that this certificate entitles one to say."""
        problems = malformed(self)
        if problems:
            return f"This certificate states nothing: {'; '.join(problems)}."
        total = self.n_train + self.n_train_abstained + self.n_select
        choice = f"the {total} labeled rows{self.division}"
        return sentence(self.delta, choice, self.claim, self.provisos)

    @property
    def claim(self):
        """What is stated, without how sure it is."""
        given = " that are given a label" if self.n_test_abstained else ""
        return (
            f"at most {self.max_test_errors} of the {self.n_test} {self._others} rows"
            f"{given} ({percent(self.max_test_errors, self.n_test)}) are labeled wrongly"
        )

    @property
    def division(self):
        """What is random besides the choice of the labeled rows, in words."""
        return " and of their division" if self.kind != "pac-mdl" else ""

    @property
    def _others(self):
        return "held-out" if self.drawn else "unlabeled"

    def verify(self, y=None, labels=None, certifying=None, row_order=None):
        """Recompute the certificate exactly, and compare it with data if given.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            The labels as they were seen: -1 or missing where unlabeled or held out.
        labels : array-like of shape (n_samples,), default=None
            The certified labeling of the same rows, -1 or missing where it abstains;
            required with ``y``.
        certifying : array-like of int or bool, default=None
            Which labeled rows certify, as indices or as a mask; all by default.
        row_order : array-like of shape (n_samples,) of int, default=None
            The order in which clusterers saw the rows.

        Returns
        -------
        verification : Verification
            Truth value: whether everything fits together.

        Raises
        ------
        ValueError
            If only one of ``y`` and ``labels`` is given, or they do not fit together.

        Notes
        -----
        Without data, the bound is recomputed from the counts, ``weights`` and
        ``delta``, and the fields are compared with one another and with ``digest``. A
        single altered field is always found. Whoever alters several fields so that they
        fit together, and recomputes the digest, is found out by data only: ``y`` and
        ``labels`` are counted again, which catches altered counts, and compared with
        ``classes`` and ``fingerprints``, as ``row_order`` is. Failing that, compare
        ``digest`` with one that was published before.

        No data and no arithmetic can confirm what is said about the past, if it is
        altered consistently and with a new digest:

        - ``drawn`` with the first of ``provisos``, and further ``provisos``: how the
          labeled rows were chosen, and what else was assumed;
        - ``weights`` (with ``bits`` and ``description_length``) and ``delta``, with the
          bound that follows: that they were fixed before the certifying labels were
          seen, and that the weights of all labelings sum to at most 1. Only the search,
          run again on the rows, shows which weights it gives. Checked is that no weight
          is above 1, and that "pooling" is not more than others can add;
        - ``kind``, where it says "learned" or "holdout": what the selecting labels were
          used for;
        - ``subject``, ``facts``, ``version``, ``date``, and ``classes`` that no row is
          given: they are recorded only;
        - ``fingerprints`` that were left out.
        """
        if (y is None) != (labels is None):
            raise ValueError("verify needs both y and labels, or neither.")
        if y is None and certifying is not None:
            raise ValueError("certifying needs y and labels.")
        problems, method = malformed(self), "integers"
        if problems:
            return Verification(False, method, tuple(problems))
        problems = inconsistent(self)
        if not problems:
            problems, method = miscalculated(self)
        if y is not None:
            problems += contradicted_by_labels(self, y, labels, certifying)
        if row_order is not None:
            problems += contradicted_by_order(self, row_order)
        problems += self._mistaken_digest()
        return Verification(not problems, method, tuple(problems))

    def _mistaken_digest(self):
        try:
            right = self.digest == self._fingerprint()
        except (TypeError, ValueError):
            return ["a field is nothing that a digest could be computed of"]
        return [] if right else ["digest is not that of the other fields"]

    def to_json(self, **kwargs):
        """The certificate as JSON text.

        Parameters
        ----------
        **kwargs : dict
            For :func:`json.dumps`, such as ``indent``.

        Returns
        -------
        text : str
            Weights are exact ratios, "1/27", hexadecimal where they are long.
        """
        return json.dumps(self._as_json(), **kwargs)

    @classmethod
    def from_json(cls, text):
        """Read a certificate; nothing is recomputed, see :meth:`verify`.

        Parameters
        ----------
        text : str
            As written by :meth:`to_json`.

        Returns
        -------
        certificate : BoundCertificate
            With the fields as they stand in the text.

        Raises
        ------
        ValueError
            If the text is not a certificate of a known format.
        """
        try:
            values = json.loads(text)
            if values.pop("format") != FORMAT:
                raise ValueError(f"its format is not {FORMAT}")
            names = {f.name for f in fields(cls)}
            if set(values) != names:
                raise ValueError(f"its fields must be {sorted(names)}")
            weights = {t: parse_ratio(w) for t, w in values["weights"].items()}
            for name in ("provisos", "classes"):
                if not isinstance(values[name], list):
                    raise ValueError(f"its {name} are not a list")
                values[name] = tuple(values[name])
            return cls(**values | {"weights": weights})
        except (AttributeError, KeyError, TypeError, ZeroDivisionError) as error:
            raise ValueError(f"Not a certificate: {error!r}.") from None
        except ValueError as error:
            raise ValueError(f"Not a certificate: {error}.") from None

    def _rows(self):
        """Names and texts of a table of the well-formed fields."""
        yield from ((name, str(value)) for name, value in self.subject.items())
        if self.classes:
            yield "classes", _short(", ".join(map(repr, self.classes)))
        yield "certified by", self.kind
        if self.drawn:
            yield "labeled rows drawn", "at random by sklearn_pacmdl"
        if self.n_select:
            yield "labeled rows that select", f"{self.n_select}"
        that_certify = " that certify" if self.n_select else ""
        yield f"labeled rows{that_certify} (m)", f"{self.n_train}"
        yield f"{self._others} rows (n)", f"{self.n_test}"
        if self.n_train_abstained or self.n_test_abstained:
            yield "labeled rows abstained on", f"{self.n_train_abstained}"
            yield f"{self._others} rows abstained on", f"{self.n_test_abstained}"
        errors = f"{self.n_train_errors}"
        if self.n_train:
            errors += f" ({self.n_train_errors / self.n_train:.2%})"
        yield "errors on labeled rows (a)", errors
        yield "delta", f"{self.delta:g}"
        for term, n_bits in self.bits.items():
            yield f"{term} bits", f"{n_bits:.2f}"
        yield "description length", f"{self.description_length:.2f} bits"
        rate = percent(self.max_test_errors, self.n_test)
        yield "bound (b)", f"{self.max_test_errors} ({rate})"
        yield from self._origin()

    def _origin(self):
        for name, fact in self.facts.items():
            text = fact if isinstance(fact, str) else f"{fact:.6g}"
            yield name.replace("_", " "), text
        for name, code in self.fingerprints.items():
            yield f"SHA-256 of {name.replace('_', ' ')}", _short(code, 16)
        yield "issued", f"{self.date} by sklearn_pacmdl {self.version}"
        yield "SHA-256 of this certificate", _short(self.digest, 16)

    def _table(self):
        """Of malformed fields, which nothing can be computed with, as they are."""
        if not malformed(self):
            return [*self._rows()]
        return [(f.name, shown(getattr(self, f.name))) for f in fields(self)]

    def __str__(self):
        rows = self._table()
        width = max(len(name) for name, _ in rows)
        table = "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)
        return f"{self.statement}\n{table}"

    def _repr_html_(self):
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:right'>{escape(value)}</td></tr>"
            for name, value in self._table()
        )
        return (
            "<div class='pacmdl-certificate'><p style='max-width:40em'><strong>"
            f"{escape(self.statement)}</strong></p><table>{cells}</table></div>"
        )


def _short(text, length=60):
    return text if len(text) <= length else f"{text[:length]}..."


def _plain(value):
    return value.item() if isinstance(value, np.generic) else str(value)


def _as_json(name, mapping):
    """A mapping as it will be read again; objects that JSON does not know as text."""
    try:
        return json.loads(json.dumps(mapping or {}, default=_plain, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} cannot be kept as JSON ({error}), got {mapping!r}."
        ) from None


def _class_name(name):
    plain = name.item() if isinstance(name, np.generic) else name
    return plain if is_class_name(plain) else str(plain)


def _check_division(kind, n_select, n_train_abstained, n_test_abstained):
    """Counts of the rows that do not count, by name."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {shown(kind)}.")
    aside = {
        "n_select": n_select,
        "n_train_abstained": n_train_abstained,
        "n_test_abstained": n_test_abstained,
    }
    for name, value in aside.items():
        if not is_integer(value) or value < 0:
            raise ValueError(
                f"{name} must be an integer of at least 0, got {shown(value)}."
            )
    problem = wrong_division(kind, n_select)
    if problem:
        raise ValueError(f"{problem}, got {n_select}.")
    return {name: int(value) for name, value in aside.items()}


def _all_provisos(provisos, drawn):
    if not isinstance(drawn, bool):
        raise ValueError(f"drawn must be True or False, got {shown(drawn)}.")
    further = () if isinstance(provisos, str) else tuple(provisos)
    clauses = all(isinstance(p, str) and p and p != RANDOM_CHOICE for p in further)
    if isinstance(provisos, str) or not clauses:
        raise ValueError(
            "provisos must be a sequence of clauses, without that of the random choice "
            f"of the labeled rows, got {provisos!r}."
        )
    return further if drawn else (RANDOM_CHOICE, *further)


def _check_facts(facts):
    facts = _as_json("facts", facts)
    for name, value in facts.items():
        if not is_fact(value):
            raise ValueError(
                f"facts must be finite numbers or text, got {value!r} for {name!r}."
            )
    return facts
