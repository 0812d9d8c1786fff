"""What a bound entitles one to say, with all that is needed to check it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import isclose, prod
from typing import Any, NamedTuple

import numpy as np

from ..utils._checks import is_integer
from ..utils._labels import as_labels, split_unlabelled
from ..utils._weights import length_in_bits
from ._exact import exact_bmax, tail_reaches
from ._pac_mdl import pac_mdl_bound
from ._tail import MAX_COUNT

_FORMAT = 1  # of the JSON form
KINDS = ("pac-mdl", "learned", "holdout")


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


def _same(x, y):
    return isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)


def probability(delta):
    """How sure, in words that do not round up."""
    exact = Decimal(repr(delta))
    if round(exact, 8) == exact:
        return f"With probability at least {(100 * (1 - exact)).normalize():f}%"
    return f"Except with probability {delta!r}"


def _wrong_weights(weights):
    """What is wrong with the weights of a labeling, or None."""
    for term, weight in weights.items():
        if not weight > 0 or (weight > 1 and term != "pooling"):
            return "a weight is outside (0, 1]"
    return "the product of the weights is above 1" if prod(weights.values()) > 1 else None


def _percent(count, total):
    """A rate in percent, rounded up to two decimals."""
    return f"{-(-10_000 * count // total) / 100:.2f}%"


def _ratio_text(weight):
    """Exact text of a ratio; hexadecimal where decimals would be long."""
    parts = weight.numerator, weight.denominator
    return "/".join(str(v) if v < 10**18 else hex(v) for v in parts)


def _parse_ratio(text):
    numerator, denominator = (int(part, 0) for part in text.split("/"))
    return Fraction(numerator, denominator)


def _certifying_rows(certifying, labelled):
    """Mask of the labelled rows that certify, from indices or a mask."""
    if certifying is None:
        return labelled
    rows, n_rows = np.asarray(certifying), len(labelled)
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
    return mask & labelled


@dataclass(frozen=True)
class BoundCertificate:
    """A PAC-MDL bound and the facts that it follows from.

    Made by :meth:`from_counts`; the constructor takes the fields as they are, so that
    an altered certificate can be read and found out by :meth:`verify`.

    Parameters
    ----------
    n_train, n_test : int
        Labelled and unlabelled rows, m and n.
    n_train_errors : int
        Errors of the labeling on the labelled rows, a.
    delta : float
        Probability with which the statement may fail; means its printed decimal.
    weights : mapping of str to Fraction
        Weight of the labeling, term by term, fixed before any of the ``n_train`` labels
        was seen. Each is positive and their product at most 1; "pooling", what other
        descriptions of the same labeling add, may be above 1.
    bits : mapping of str to float
        Minus the base-2 logarithms of the weights.
    description_length : float
        Their sum, in bits.
    max_test_errors : int
        The bound b: a count in [0, n_test]; lower is better.
    bound : float
        The bound as a rate in [0, 1].
    provisos : tuple of str, default=()
        Assumptions that the statement needs besides the random choice of the labelled
        rows.
    subject : mapping, default={}
        The labeling that the statement is about, in words and numbers.
    kind : {"pac-mdl", "learned", "holdout"}, default="pac-mdl"
        How the labelled rows were spent.
    n_select : int, default=0
        Labelled rows beside the ``n_train`` that were spent on weights or on the choice.
    n_train_abstained, n_test_abstained : int, default=0
        Rows beside the ``n_train`` and ``n_test`` that the labeling leaves unlabelled.

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
    With probability at least 90% over the random choice of the 1500 labelled rows, at \
most 74 of the 1500 unlabelled rows (4.94%) are labelled wrongly.
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
    ):
        """Certificate for these counts and weights, with the exact bound.

        Parameters
        ----------
        n_train, n_test, n_train_errors : int
            As in :func:`pac_mdl_bound`; ``n_test`` at least 1.
        weights : mapping of str to Fraction
            Weight of the labeling by term; their product in (0, 1].
        delta : float, default=0.1
            In (0, 1).
        provisos : sequence of str, default=()
            Further assumptions.
        subject : mapping, default=None
            What the certificate is about.
        kind : {"pac-mdl", "learned", "holdout"}, default="pac-mdl"
            How the labelled rows were spent.
        n_select, n_train_abstained, n_test_abstained : int, default=0
            Rows that do not count here.

        Returns
        -------
        certificate : BoundCertificate
            Its bound is never below the exact one, and equal to it unless counts are
            above a million and the tail is a tie.

        Raises
        ------
        ValueError
            If a count, a weight or ``delta`` is out of range.
        """
        problem = _wrong_weights(weights)
        if problem:
            raise ValueError(f"weights are no weights: {problem}, got {dict(weights)!r}.")
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, got {kind!r}.")
        aside = {
            "n_select": n_select,
            "n_train_abstained": n_train_abstained,
            "n_test_abstained": n_test_abstained,
        }
        for name, value in aside.items():
            if not is_integer(value) or value < 0:
                raise ValueError(
                    f"{name} must be an integer of at least 0, got {value!r}."
                )
        if kind == "pac-mdl" and n_select:
            raise ValueError(
                f"n_select must be 0 where kind is 'pac-mdl', got {n_select!r}."
            )
        if n_test < 1:
            raise ValueError(f"n_test must be at least 1, got {n_test!r}.")
        bits = {term: length_in_bits(weight) for term, weight in weights.items()}
        length = sum(bits.values())
        guess = pac_mdl_bound(
            n_train, n_test, n_train_errors, description_length=length, delta=delta
        )
        m, n, a = int(n_train), int(n_test), int(n_train_errors)
        level = Fraction(repr(float(delta))) * prod(weights.values())
        b = exact_bmax(m, n, a, level, guess)
        return cls(
            n_train=m,
            n_test=n,
            n_train_errors=a,
            delta=float(delta),
            weights=dict(weights),
            bits=bits,
            description_length=length,
            max_test_errors=b,
            bound=b / n,
            provisos=tuple(provisos),
            subject=dict(subject or {}),
            kind=kind,
            **{name: int(value) for name, value in aside.items()},
        )

    @property
    def statement(self):
        """The sentence that this certificate entitles one to say."""
        which = " that certify" if self.n_select else ""
        sentence = (
            f"{probability(self.delta)} over the random choice of the {self._labelled} "
            f"labelled rows{which}, {self.claim}"
        )
        return ", ".join([sentence, *(f"provided {p}" for p in self.provisos)]) + "."

    @property
    def claim(self):
        """What is stated, without how sure it is."""
        given = " that are given a label" if self.n_test_abstained else ""
        return (
            f"at most {self.max_test_errors} of the {self.n_test} unlabelled rows{given} "
            f"({_percent(self.max_test_errors, self.n_test)}) are labelled wrongly"
        )

    @property
    def _labelled(self):
        return self.n_train + self.n_train_abstained

    def verify(self, y=None, labels=None, certifying=None):
        """Recompute the certificate exactly, and from data if they are given.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            The labels as they were seen: -1 or missing where unlabelled.
        labels : array-like of shape (n_samples,), default=None
            The certified labeling of the same rows, -1 or missing where it abstains;
            required with ``y``.
        certifying : array-like of int or bool, default=None
            Which labelled rows certify, as indices or as a mask; all by default.

        Returns
        -------
        verification : Verification
            Truth value: whether everything fits together.

        Notes
        -----
        The weights are taken as stated: that they were fixed without looking at labels
        and obey Kraft's inequality is a property of the language and the sweep, not of
        the counts. Recounting catches a certificate altered consistently in its counts.
        """
        problems = self._out_of_range()
        method = "integers"
        if not problems:
            problems, method = self._miscalculated()
        if (y is None) != (labels is None):
            raise ValueError("verify needs both y and labels, or neither.")
        if y is None and certifying is not None:
            raise ValueError("certifying needs y and labels.")
        if y is not None:
            found = self._counted(as_labels(y), as_labels(labels), certifying)
            problems = [*problems, *self._miscounted(found)]
        return Verification(not problems, method, tuple(problems))

    def _out_of_range(self):
        """Problems that leave nothing to compute with."""
        numbers = [self.delta, self.description_length, self.bound, *self.bits.values()]
        if not all(isinstance(v, int | float) for v in numbers):
            return ["delta, bits, description_length or bound is not a number"]
        counts = {
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_train_errors": self.n_train_errors,
            "max_test_errors": self.max_test_errors,
            "n_select": self.n_select,
            "n_train_abstained": self.n_train_abstained,
            "n_test_abstained": self.n_test_abstained,
        }
        problems = [
            f"{name} is not a count: {value!r}"
            for name, value in counts.items()
            if not is_integer(value) or not 0 <= value <= MAX_COUNT
        ]
        if problems:
            return problems
        if self.n_train_errors > self.n_train:
            problems.append("n_train_errors is above n_train")
        if not self.n_test >= 1 or self.max_test_errors > self.n_test:
            problems.append("max_test_errors is above n_test")
        if not 0 < self.delta < 1:
            problems.append(f"delta is outside (0, 1): {self.delta!r}")
        problem = _wrong_weights(self.weights)
        if problem:
            problems.append(problem)
        if self.kind not in KINDS:
            problems.append(f"kind is none of {KINDS}: {self.kind!r}")
        if self.kind == "pac-mdl" and self.n_select:
            problems.append("n_select is not 0 where all labelled rows certify")
        if set(self.weights) != set(self.bits):
            problems.append("bits and weights have different terms")
        return problems

    def _miscalculated(self):
        problems = [
            f"{term} bits are not those of the weight"
            for term, weight in self.weights.items()
            if not isclose(
                self.bits[term], length_in_bits(weight), rel_tol=1e-9, abs_tol=1e-9
            )
        ]
        total = sum(self.bits.values())
        if not _same(self.description_length, total):
            problems.append("description_length is not the sum of the bits")
        if self.bound != self.max_test_errors / self.n_test:
            problems.append("bound is not max_test_errors / n_test")
        counts = self.n_train, self.n_test, self.n_train_errors
        level = Fraction(repr(self.delta)) * prod(self.weights.values())
        b, methods = self.max_test_errors, []
        if b < self.n_test:
            above, method = tail_reaches(*counts, b + 1, level)
            methods.append(method)
            if above is not False:  # None: not proven
                problems.append("max_test_errors is below the bound")
        here, method = tail_reaches(*counts, b, level)
        methods.append(method)
        if here is False:
            problems.append("max_test_errors is above the bound")
        return problems, "integers" if "integers" in methods else "enclosure"

    def _counted(self, y, labels, certifying):
        """The counts that a certificate states, from data."""
        if y.shape != labels.shape or y.ndim != 1:
            raise ValueError(
                "y and labels must be 1-dimensional and of the same length, got shapes "
                f"{y.shape} and {labels.shape}."
            )
        labelled, values = split_unlabelled(y)
        accepted, given = split_unlabelled(labels)
        chosen = _certifying_rows(certifying, labelled)
        seen = np.flatnonzero(labelled)
        answers = dict(zip(np.flatnonzero(accepted), given, strict=True))
        counted = [i for i, row in enumerate(seen) if chosen[row] and row in answers]
        return {
            "n_train": len(counted),
            "n_test": int(np.sum(~labelled & accepted)),
            "n_train_errors": int(sum(values[i] != answers[seen[i]] for i in counted)),
            "n_select": int(np.sum(labelled & ~chosen)),
            "n_train_abstained": int(np.sum(labelled & chosen & ~accepted)),
            "n_test_abstained": int(np.sum(~labelled & ~accepted)),
        }

    def _miscounted(self, found):
        return [
            f"{name} is {getattr(self, name)} here and {count} in the data"
            for name, count in found.items()
            if getattr(self, name) != count
        ]

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
        fields = asdict(self) | {"format": _FORMAT}
        fields["weights"] = {t: _ratio_text(w) for t, w in self.weights.items()}
        return json.dumps(fields, **{"default": str} | kwargs)

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
            fields = json.loads(text)
            if fields.pop("format") != _FORMAT:
                raise ValueError(f"its format is not {_FORMAT}")
            weights = {t: _parse_ratio(w) for t, w in fields["weights"].items()}
            bits, subject = dict(fields["bits"]), dict(fields["subject"])
            provisos = tuple(fields["provisos"])
            if not all(isinstance(p, str) and len(p) > 1 for p in provisos):
                raise ValueError("its provisos are not sentences")
            replaced = {"weights": weights, "bits": bits, "provisos": provisos}
            return cls(**fields | replaced | {"subject": subject})
        except (AttributeError, KeyError, TypeError, ZeroDivisionError) as error:
            raise ValueError(f"Not a certificate: {error!r}.") from None
        except ValueError as error:
            raise ValueError(f"Not a certificate: {error}.") from None

    def _rows(self):
        yield "certified by", self.kind
        if self.n_select:
            yield "labelled rows that select", f"{self.n_select}"
        yield "labelled rows (m)", f"{self.n_train}"
        yield "unlabelled rows (n)", f"{self.n_test}"
        if self.n_train_abstained or self.n_test_abstained:
            yield "labelled rows without answer", f"{self.n_train_abstained}"
            yield "unlabelled rows without answer", f"{self.n_test_abstained}"
        errors = f"{self.n_train_errors}"
        if self.n_train:
            errors += f" ({self.n_train_errors / self.n_train:.2%})"
        yield "errors on labelled rows (a)", errors
        yield "delta", f"{self.delta:g}"
        for term, n_bits in self.bits.items():
            yield f"{term} bits", f"{n_bits:.2f}"
        yield "description length", f"{self.description_length:.2f} bits"
        rate = _percent(self.max_test_errors, self.n_test)
        yield "bound (b)", f"{self.max_test_errors} ({rate})"

    def __str__(self):
        rows = [(name, str(value)) for name, value in self.subject.items()]
        rows += list(self._rows())
        width = max(len(name) for name, _ in rows)
        table = "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)
        return f"{self.statement}\n{table}"

    def _repr_html_(self):
        rows = [(name, str(value)) for name, value in self.subject.items()]
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:right'>{escape(value)}</td></tr>"
            for name, value in [*rows, *self._rows()]
        )
        return (
            "<div class='pacmdl-certificate'><p style='max-width:40em'><strong>"
            f"{escape(self.statement)}</strong></p><table>{cells}</table></div>"
        )
