"""A PAC-MDL bound with all that it follows from, so that anybody can check it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from ..bounds import MAX_COUNT
from ..utils._checks import (
    check_fields,
    check_flag,
    check_integer,
    check_number,
    invalid,
    shown,
)
from ..utils._printable import escaped
from ..utils._weights import length_in_bits
from ..utils._words import counted, percent
from ._clauses import RANDOM_CHOICE
from ._errors_certificate import ErrorsCertificate
from ._fields import as_read_again, check_classes, check_weights
from ._record import MOST_BITS, Json
from ._recount import Recount
from ._statement import lines_beyond, shortened
from ._verification import Verification, verification_of

# Up to this, numbers are written as decimals. Beyond, Python takes time that grows with
# the square of the digits, and refuses to read more than 4300 of them.
_LONG = 10**18


# Takes half a second for the largest allowed number of digits; called by every statement
# and verification.
@lru_cache(maxsize=8)
def _product_of(ratios: tuple[Fraction, ...]) -> Fraction:
    """Exact product of weights."""
    return prod(ratios, start=Fraction(1))


@dataclass(frozen=True, kw_only=True)
class BoundCertificate(ErrorsCertificate, kind="pac-mdl"):
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
        was seen, each in (0, 1]. Terms may have any names: "label" and "subset" are about
        the labeling within its candidate, and all others say which candidate it is.
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
        SHA-256 digests, by :func:`fingerprint_labels`: of the "labels" as they were seen
        and of the certified "labeling". Others are of the "certifying" rows where some
        rows select, and of the "row_order" of clusterers, by
        :func:`fingerprint_row_order`.
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

    weights: Mapping[str, Fraction]
    bits: Mapping[str, float] = field(default_factory=dict)
    description_length: float = 0.0
    subject: Mapping[str, object] = field(default_factory=dict)
    n_select: int = 0
    drawn: bool = False
    classes: tuple[str | int | float | bool, ...] = ()

    selects: ClassVar[bool] = False
    terms: ClassVar[tuple[str, ...] | None] = None
    _title = "a certificate"
    _fingerprinted = "labels", "labeling", "certifying", "row_order"
    _following = ErrorsCertificate._following | {"bits", "description_length"}

    @property
    def assumed(self) -> tuple[str, ...]:
        """Provisos of every certificate with these fields, unless rows were ``drawn``."""
        return (RANDOM_CHOICE,)

    @property
    def _first_provisos(self) -> tuple[str, ...]:
        return () if self.drawn else self.assumed

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
    def _weight(self) -> Fraction:
        return _product_of(tuple(self.weights.values()))

    def _checked(self) -> Self:
        checked = super()._checked()
        check_fields(self, description_length=float)
        check_number("description_length", self.description_length)
        weights = check_weights(self.weights, self.terms)
        product = _product_of(tuple(weights.values()))
        subject = {  # with texts that can be printed
            escaped(name): escaped(value) if isinstance(value, str) else value
            for name, value in as_read_again("subject", self.subject).items()
        }
        n_select = check_integer("n_select", self.n_select, 0, MAX_COUNT)
        if self.selects != (n_select > 0):
            allowed = "at least 1" if self.selects else "0"
            raise invalid("n_select", f"{allowed} where kind is {self.kind!r}", n_select)
        return replace(
            checked,
            weights=weights,
            bits={term: length_in_bits(weight) for term, weight in weights.items()},
            description_length=length_in_bits(product),
            subject=subject,
            n_select=n_select,
            drawn=check_flag("drawn", self.drawn),
            classes=check_classes(self.classes),
        )

    def _check_provisos(self) -> None:
        super()._check_provisos()
        if self.drawn and set(self.assumed).intersection(self.provisos):
            expected = " and ".join(map(repr, self.assumed))
            allowed = f"without {expected} where drawn is True"
            raise invalid("provisos", allowed, self.provisos)

    # Fields that are only stated: no data show them.
    _stated: ClassVar[tuple[str, ...]] = (
        *("drawn", "provisos", "weights", "delta", "kind", "subject", "classes"),
        *("random_choice_p_value", "random_choice_test", "date", "version"),
    )

    def verify(
        self,
        y: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        certifying: ArrayLike | None = None,
        row_order: ArrayLike | None = None,
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
        - ``fingerprints`` that were left out.
        """
        if (y is None) != (labels is None):
            missing = "y" if y is None else "labels"
            raise ValueError(
                f"verify requires both y and labels, or neither, got {missing}=None."
            )
        if y is None and certifying is not None:
            raise ValueError("certifying requires y and labels.")
        data: dict[str, Any] = {"y": y, "labels": labels}
        data |= {"certifying": certifying, "row_order": row_order}
        if problems := self._problems():
            return verification_of(problems, readable=self._is_readable())
        problems = self._wrong_bounds()
        if problems and all(each is None for each in data.values()):
            return verification_of(problems, self._arithmetic)
        recount = Recount(self, data)
        recount.check("certificate", "fields, bound and SHA-256 digest")
        recount.wrong_fields(problems)
        recount.compare()
        return recount.verification(self._arithmetic)

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
        if self.drawn:
            yield "labeled rows drawn", "at random by sklearn_pacmdl"
        if self.n_select:
            yield "labeled rows that select", f"{self.n_select}"
        yield from self._lines_of_counts(" that certify" if self.n_select else "")
        yield from ((f"{term} bits", f"{n:.2f}") for term, n in self.bits.items())
        yield "description length", f"{self.description_length:.2f} bits"
        yield from self._lines_of_bounds()
        yield from lines_beyond(self, BoundCertificate)
