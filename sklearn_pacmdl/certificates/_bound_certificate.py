"""A PAC-MDL bound with all that it follows from, so that anybody can check it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from ..bounds import MAX_COUNT, QUICK, exact_bmax, pac_mdl_bound
from ..utils._checks import (
    PRINTABLE,
    check_fields,
    check_flag,
    check_integer,
    check_number,
    exact_decimal,
    invalid,
    shown,
)
from ..utils._printable import escaped
from ..utils._weights import length_in_bits
from ..utils._words import counted, percent
from ._certificate import Certificate
from ._fields import (
    are_texts,
    as_read_again,
    check_classes,
    check_provisos,
    check_weights,
    checked_digests,
)
from ._fingerprint import FINGERPRINTS
from ._record import MOST_BITS, Json
from ._statement import RANDOM_CHOICE, lines_beyond, shortened
from ._verification import (
    Arithmetic,
    Audit,
    Data,
    Mask,
    Recount,
    Verification,
    verification_of,
)

# Up to this, numbers are written as decimals. Beyond, Python takes time that grows with
# the square of the digits, and refuses to read more than 4300 of them.
_LONG = 10**18
# Errors on labeled rows: terms of a tail grow with the square root, 0.3 s for these.
_MOST_ERRORS = 2**44


# Takes half a second for the largest allowed number of digits; called by every statement
# and verification.
@lru_cache(maxsize=8)
def _product_of(ratios: tuple[Fraction, ...]) -> Fraction:
    """Exact product of weights."""
    return prod(ratios, start=Fraction(1))


@dataclass(frozen=True, kw_only=True)
class BoundCertificate(Certificate, kind="pac-mdl"):
    """A PAC-MDL bound and the facts that it follows from.

    Certificates are made by :meth:`from_counts`. The constructor takes fields as they
    are, so that :meth:`verify` can detect an altered certificate. Certificates are equal
    if they state the same from the same facts.

    Attributes
    ----------
    n_train, n_test : int
        Numbers of labeled rows (m) and of unlabeled rows (n).
    n_train_errors : int
        Number of errors of the labeling on the labeled rows (a).
    weights : mapping of str to Fraction
        Weight of the labeling, term by term, fixed before any of the ``n_train`` labels
        was seen, each in (0, 1].
    bits, description_length : mapping of str to float, float
        Minus the base-2 logarithm of each weight, and of their product; at least 0.
    max_test_errors : int
        The bound b: a count in [0, n_test]; lower is better.
    bound : float
        The bound as a rate in [0, 1], of the ``n_test`` rows.
    stated_bound : float
        The rate in [0, 1] of the statement, to compare with a target. It differs from
        ``bound`` where the statement is about all rows, as after an audit.
    subject : mapping, default={}
        Description of the labeling that the statement is about.
    n_select : int, default=0
        Number of further labeled rows that set weights or made the choice.
    n_train_abstained, n_test_abstained : int, default=0
        Numbers of further labeled and unlabeled rows, which are given no class.
    drawn : bool, default=False
        Whether the package itself drew the labeled rows, at random from rows with known
        labels. The other rows are then called held-out rows, and ``provisos`` need not
        begin with ``assumed``.
    classes : tuple of str, int, float or bool, default=()
        Names of the classes, if recorded.
    fingerprints : mapping of str to str, default={}
        SHA-256 digests, by :func:`fingerprint_labels`: of the "labels" as they were seen,
        of the certified "labeling", and of the labels of a "finished" data set. Others
        are of the "certifying" rows where some rows select, of the "row_order" of
        clusterers, by :func:`fingerprint_row_order`, and of the "audit".
    kind : str
        How the labeled rows were used: "pac-mdl", or that of a subclass.
    statement, claim, caveat : str
        What is certified, without probability and provisos, and what speaks against it.

    See Also
    --------
    Certificate : The attributes of all certificates.

    Notes
    -----
    For your own method, define a subclass with a ``kind``. It may override ``assumed``,
    ``claim``, ``stated`` and ``recounted``, and set ``labeled_rows``, ``other_rows``,
    ``selects`` (whether ``n_select`` is at least 1) and ``terms`` of weights (None allows
    any). The statement begins "over the random choice of the 90 labeled rows and"
    ``also_random``. With further fields, it is a frozen, keyword-only dataclass.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> certificate = BoundCertificate.from_counts(
    ...     1500, 1500, 45, weights={"label": Fraction(1, 27)}, delta=0.1
    ... )
    >>> print(certificate.statement)
    With probability at least 90% over the random choice of the 1500 labeled rows, at \
most 74 of the 1500 unlabeled rows (4.94%) are labeled wrongly, provided the labeled \
rows are a uniformly random choice.
    >>> bool(certificate.verify())
    True

    A kind of your own:

    >>> class DrawnByLot(BoundCertificate, kind="drawn by lot"):
    ...     terms = ()
    ...     assumed = ("the labeled rows were drawn by lot",)
    >>> DrawnByLot.from_counts(90, 90, 1, weights={}).provisos
    ('the labeled rows were drawn by lot',)
    """

    n_train: int
    n_test: int
    n_train_errors: int
    weights: Mapping[str, Fraction]
    bits: Mapping[str, float] = field(default_factory=dict)
    description_length: float = 0.0
    max_test_errors: int = 0
    bound: float = 0.0
    stated_bound: float = 0.0
    subject: Mapping[str, object] = field(default_factory=dict)
    n_select: int = 0
    n_train_abstained: int = 0
    n_test_abstained: int = 0
    drawn: bool = False
    classes: tuple[str | int | float | bool, ...] = ()

    selects: ClassVar[bool] = False
    terms: ClassVar[tuple[str, ...] | None] = None
    labeled_rows: ClassVar[str] = "labeled"
    other_rows: ClassVar[str] = "unlabeled"
    _of_errors: ClassVar[str] = ""  # which rows with errors ``n_train_errors`` counts
    _title = "a certificate"
    _fingerprinted = FINGERPRINTS
    # Fields that are computed when a certificate is issued.
    _following: ClassVar[frozenset[str]] = frozenset(
        ["bits", "description_length", "max_test_errors", "bound", "stated_bound"]
    ) | {"version", "date", "digest"}

    @classmethod
    def from_counts(
        cls,
        n_train: int,
        n_test: int,
        n_train_errors: int,
        *,
        weights: Mapping[str, Fraction],
        delta: float = 0.1,
        **further: Any,
    ) -> Self:
        """Compute the bound for given counts and weights, and issue a certificate.

        Parameters
        ----------
        n_train, n_test, n_train_errors : int
            As in :func:`~sklearn_pacmdl.bounds.pac_mdl_bound`; ``n_test`` is at least 1.
        weights : mapping of str to Fraction
            Weight of the labeling by term, each in (0, 1]. Terms may have any names:
            "label" and "subset" are about the labeling within its candidate, and all
            others say which candidate it is.
        delta : float, default=0.1
            Probability, in (0, 1), with which the statement may fail.
        **further : dict
            Other fields of the class that do not follow from these. ``provisos`` are
            those besides ``assumed``; the statement quotes and marks unknown clauses.
            What JSON cannot hold of ``subject``, and other ``classes`` than text, numbers
            and booleans, are stored as their text.

        Returns
        -------
        certificate : object of this class
            The certificate. Its bound is never below the exact one, and equal to it
            unless there are more than 20,000 rows and the tail is next to its level.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described, or no field of this class.
        """
        for name in cls._following & further.keys():
            allowed = "left out, since it follows from other fields"
            raise invalid(name, allowed, further[name])
        provisos = further.pop("provisos", ())
        if not are_texts(provisos):
            raise invalid("provisos", f"a sequence of clauses {PRINTABLE}", provisos)
        certificate = cls(
            n_train=n_train,
            n_test=n_test,
            n_train_errors=n_train_errors,
            weights=weights,
            delta=delta,
            **further,
        )._checked()
        first = () if certificate.drawn else certificate.assumed
        return replace(certificate, provisos=(*first, *provisos))._issued()

    @property
    def assumed(self) -> tuple[str, ...]:
        """Provisos of every certificate with these fields, unless rows were ``drawn``."""
        return (RANDOM_CHOICE,)

    @property
    def stated(self) -> tuple[int, int]:
        """Upper bound on the errors that are stated, and the number of rows with them."""
        return self.max_test_errors, self.n_test

    @property
    def claim(self) -> str:
        """The statement without its probability, its provisos and its caveat."""
        labeled = " that are given a label" if self.n_test_abstained else ""
        share = percent(self.max_test_errors, self.n_test)
        return (
            f"at most {self.max_test_errors} of the {self.n_test} {self._others} rows"
            f"{labeled} ({share}) are labeled wrongly"
        )

    def recounted(self, counts: Mapping[str, int]) -> list[str]:
        """List the problems that counts of the data reveal.

        Parameters
        ----------
        counts : mapping of str to int
            Counts of rows in the data, by the names of the fields that hold them.

        Returns
        -------
        problems : list of str
            By default, every count that is not that of the certificate.
        """
        return [
            f"{name} is {shown(getattr(self, name))} here and {count} in the data"
            for name, count in counts.items()
            if getattr(self, name) != count
        ]

    @property
    def _chosen(self) -> str:
        n_labeled = self.n_train + self.n_train_abstained + self.n_select
        return f"the {counted(n_labeled, f'{self.labeled_rows} row')}"

    @property
    def _others(self) -> str:
        return "held-out" if self.drawn else self.other_rows

    @property
    def _level(self) -> Fraction:
        """The probability that the tail of this labeling may have."""
        return exact_decimal(self.delta) * _product_of(tuple(self.weights.values()))

    def _most(self) -> int:
        """The bound b that follows from other fields."""
        return self._most_unseen(self.n_train_errors)

    def _most_unseen(self, n_errors: int, bits: int = 0) -> int:
        """The bound for a number of errors on the labeled rows, at so many bits more."""
        counts = self.n_train, self.n_test, n_errors
        # Not the field, which may be off by rounding and so be negative.
        length = length_in_bits(_product_of(tuple(self.weights.values()))) + bits
        near = pac_mdl_bound(*counts, description_length=length, delta=self.delta)
        return exact_bmax(*counts, self._level / 2**bits, near)

    def _bounded(self) -> Self:
        b = self._most()
        right = replace(self, max_test_errors=b, bound=b / self.n_test)
        n_errors, n_rows = right.stated
        return replace(right, stated_bound=n_errors / n_rows)

    def _checked(self) -> Self:
        def count(name: str, least: int = 0, most: int = MAX_COUNT) -> int:
            return check_integer(name, getattr(self, name), least, most)

        checked = super()._checked()
        rates = "bound", "stated_bound", "description_length"
        check_fields(self, **dict.fromkeys(rates, float))
        for name in rates:
            check_number(name, getattr(self, name))
        m, n = count("n_train"), count("n_test", 1)
        weights = check_weights(self.weights, self.terms)
        product = _product_of(tuple(weights.values()))
        subject = {  # with texts that can be printed
            escaped(name): escaped(value) if isinstance(value, str) else value
            for name, value in as_read_again("subject", self.subject).items()
        }
        n_select = count("n_select")
        if self.selects != (n_select > 0):
            allowed = "at least 1" if self.selects else "0"
            raise invalid("n_select", f"{allowed} where kind is {self.kind!r}", n_select)
        return replace(
            checked,
            n_train=m,
            n_test=n,
            n_train_errors=count("n_train_errors", most=min(m, _MOST_ERRORS)),
            weights=weights,
            bits={term: length_in_bits(weight) for term, weight in weights.items()},
            description_length=length_in_bits(product),
            max_test_errors=count("max_test_errors", most=n),
            subject=subject,
            n_train_abstained=count("n_train_abstained"),
            n_test_abstained=count("n_test_abstained"),
            drawn=check_flag("drawn", self.drawn),
            classes=check_classes(self.classes),
        )

    def _check_provisos(self) -> None:
        check_provisos(self.provisos, () if self.drawn else self.assumed)
        if self.drawn and set(self.assumed).intersection(self.provisos):
            expected = " and ".join(map(repr, self.assumed))
            allowed = f"without {expected} where drawn is True"
            raise invalid("provisos", allowed, self.provisos)

    # Number of rows up to which tails are compared in plain integers.
    _n_exact: ClassVar[int] = QUICK

    # What follows is asked by the comparison with data.

    # Fields that are only stated: no data show them.
    _stated: ClassVar[tuple[str, ...]] = (
        *("drawn", "provisos", "weights", "delta", "kind", "subject", "classes"),
        *("random_choice_p_value", "random_choice_test", "date", "version"),
    )
    _audited_rows: ClassVar[str] = "pool"  # the attribute of an audit that holds them
    _is_of_drawn_labels = False  # whether its audit was drawn for its labeling

    def _wrong_audit(self, audit: Audit) -> list[str]:
        """Why this is not the audit of the certificate."""
        return ["the certificate is not of an audit"]

    def _unshown(self, audit: Audit | None) -> Iterator[str]:
        """Fields that data do not show, with this audit among them."""
        yield from self._stated

    def _wrong_parts(self, audit: Audit, labeled: Mask, wrong: Mask) -> list[str]:
        """What is wrong with counts of parts of the rows."""
        return []

    def verify(
        self,
        y: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        certifying: ArrayLike | None = None,
        row_order: ArrayLike | None = None,
        finished_labels: ArrayLike | None = None,
        audit: Audit | None = None,
        data: Any = None,
    ) -> Verification:
        """Recompute the certificate exactly, and compare it with data if given.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            The labels as they were seen; -1 or a missing value marks a row that was
            unlabeled or held out.
        labels : array-like of shape (n_samples,), default=None
            The certified labeling of the same rows; -1 or a missing value marks a row
            that is given no class. Required with ``y``.
        certifying : array-like of int or of shape (n_samples,) of bool, default=None
            Which labeled rows certify, as indices or as a mask; all by default.
        row_order : array-like of shape (n_samples,) of int, default=None
            The order in which clusterers saw the rows.
        finished_labels : array-like of shape (n_samples,), default=None
            The labels of a finished data set as people use them; -1 or a missing value
            marks a row that is still left to people. They are compared with their digest
            and, if ``y`` and ``labels`` are given, with the human labels and the
            automatic ones, row by row.
        audit : Audit, default=None
            The audit of a certificate of an audit, which is drawn again. With it, labels
            are for all rows of the data set. Without it, they are for the pool,
            ``y[audit.pool]``, or of a finished data set for the rows that were not
            excluded.
        data : data frame or mapping of str to str, default=None
            The columns that annotators saw, of all rows of the data set, or their
            digests, to compare with those of the audit. Other columns are listed as not
            checked.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. Its outcome says whether data were
            compared: "agrees with the data" requires ``y`` and ``labels``. Printed, it
            lists what was checked and what was not.

        Raises
        ------
        ValueError
            If only one of ``y`` and ``labels`` is given, or data do not fit together.

        Notes
        -----
        Without data, the bound is recomputed from the counts, ``weights`` and
        ``delta``, and the fields are compared with one another and with ``digest``, which
        detects any single altered field. Data are counted again, and compared with
        ``classes`` and ``fingerprints``.

        Neither data nor arithmetic can confirm what is stated about the past, if it is
        altered consistently and with a new digest:

        - ``drawn`` and ``provisos``: the choice of the labeled rows, and assumptions;
        - ``weights`` (``bits``, ``description_length``) and ``delta``: whether they were
          fixed before the certifying labels were seen, and all weights sum to at most 1;
        - ``kind``, among those that select alike, such as "learned" and "holdout";
        - ``subject``, ``version``, ``date``, the test of the choice of the labeled rows
          and ``classes`` without rows, which are only recorded;
        - ``max_annotator_errors`` of audits;
        - ``fingerprints`` that were left out.
        """
        if (y is None) != (labels is None):
            missing = "y" if y is None else "labels"
            raise ValueError(
                f"verify requires both y and labels, or neither, got {missing}=None."
            )
        if y is None and certifying is not None:
            raise ValueError("certifying requires y and labels.")
        labels_of = y, labels, certifying, row_order, finished_labels
        return self._verified(Data(*labels_of, audit, checked_digests(data)), {})

    def _verified(self, data: Data, names: Mapping[str, str]) -> Verification:
        """The same, where what is compared is called by other names."""
        if problems := self._problems():
            return verification_of(problems, readable=self._is_readable())
        is_counted = self.n_train + self.n_test <= self._n_exact
        arithmetic: Arithmetic = "integers" if is_counted else "enclosure"
        problems = self._wrong_bounds()
        if problems and all(each is None for each in data):
            return verification_of(problems, arithmetic)
        recount = Recount(self, names, data)
        recount.check("certificate", "fields, bound and SHA-256 digest")
        recount.wrong_fields(problems)
        recount.compare()
        return recount.verification(arithmetic)

    def _as_json(self) -> Json:
        # Exact ratios; hexadecimal where decimals would be long.
        texts = {
            term: "/".join(str(v) if v < _LONG else hex(v) for v in w.as_integer_ratio())
            for term, w in self.weights.items()
        }
        return super()._as_json() | {"weights": texts}

    @classmethod
    def _from_fields(cls, values: Json) -> Self:
        texts, most = values["weights"], MOST_BITS // 4
        if not isinstance(texts, dict):
            raise ValueError("its weights are not ratios by term")
        # Hexadecimal ones, without two prefixes, a slash, and digits that begin.
        n_digits = sum(len(text) - 7 for text in texts.values() if isinstance(text, str))
        if n_digits > most:
            raise ValueError(f"its weights have more than {most} digits: {n_digits}")
        try:
            weights = {
                term: Fraction(*(int(part, 0) for part in text.split("/")))
                for term, text in texts.items()
            }
        except (AttributeError, TypeError, ValueError, ZeroDivisionError):
            raise ValueError(f"its weights are not ratios, but {shown(texts)}") from None
        return super()._from_fields(values | {"weights": weights})

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield from ((name, str(value)) for name, value in self.subject.items())
        if self.classes:
            yield "classes", shortened(", ".join(map(repr, self.classes)))
        yield "certified by", self.kind
        labeled, other_rows = f"{self.labeled_rows} rows", f"{self._others} rows"
        if self.drawn:
            yield "labeled rows drawn", "at random by sklearn_pacmdl"
        if self.n_select:
            yield "labeled rows that select", f"{self.n_select}"
        certify = " that certify" if self.n_select else ""
        yield f"{labeled}{certify} (m)", f"{self.n_train}"
        yield f"{other_rows} (n)", f"{self.n_test}"
        if self.n_train_abstained or self.n_test_abstained:
            yield f"{labeled} abstained on", f"{self.n_train_abstained}"
            yield f"{other_rows} abstained on", f"{self.n_test_abstained}"
        a, b = self.n_train_errors, self.max_test_errors
        rate = f" ({a / self.n_train:.2%})" if self.n_train else ""
        yield f"errors on {labeled}{self._of_errors} (a)", f"{a}{rate}"
        yield "delta", f"{self.delta:g}"
        yield from ((f"{term} bits", f"{n:.2f}") for term, n in self.bits.items())
        yield "description length", f"{self.description_length:.2f} bits"
        yield "bound (b)", f"{b} ({percent(b, self.n_test)})"
        if self.stated != (b, self.n_test):
            most = f"at most {self.stated[0]} ({percent(*self.stated)})"
            yield "errors among all rows", most
        yield from lines_beyond(self, BoundCertificate)
