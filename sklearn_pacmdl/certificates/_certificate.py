"""What all certificates have: a statement, provisos, a digest, and their own bounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from html import escape
from inspect import Parameter, Signature
from types import NoneType
from typing import Any, ClassVar, Self

from ..utils._checks import (
    PRINTABLE,
    check_fields,
    check_open_unit,
    check_printable,
    invalid,
    is_printable,
    shown,
)
from ..utils._version import __version__
from ..utils._words import html_result
from ._fields import are_texts, check_digests, check_provisos, check_sizes, is_same
from ._record import Json, JsonRecord, has_types
from ._statement import DIGITS, caveats_of, lines_beyond, sentence, shortened
from ._verification import Arithmetic, Verification

#: Classes of certificates by their kind, those of users included.
KINDS: dict[str, type[Certificate]] = {}


@dataclass(frozen=True, kw_only=True)
class Certificate(JsonRecord, ABC):
    """Base class of certificates, which reads those of every kind.

    A subclass that is defined with ``kind="..."`` can be issued, and :meth:`from_json`
    makes it from files of this kind.

    Attributes
    ----------
    delta : float
        Probability with which the statement may fail. It stands for its printed decimal.
    provisos : tuple of str
        Assumptions, as clauses after "provided"; those of ``assumed`` are first.
    random_choice_p_value : float or None
        The p-value, in (0, 1], of the test of the choice of the labeled rows, if it was
        tested. If it is at most 0.001, the statement ends by saying that these rows do
        not look like a random choice.
    random_choice_test : str
        What the test found, if they do not.
    fingerprints : mapping of str to str
        SHA-256 digests of data, in hexadecimal.
    version : str
        Version of the package that issued the certificate.
    date : str
        When it was issued, in ISO 8601 and UTC.
    digest : str
        SHA-256 digest of all other fields.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate, Certificate
    >>> issued = BoundCertificate.from_counts(200, 800, 4, weights={})
    >>> Certificate.from_json(issued.to_json()) == issued
    True
    """

    delta: float
    provisos: tuple[str, ...] = ()
    random_choice_p_value: float | None = None
    random_choice_test: str = ""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    date: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)

    # For help(): docstrings describe the fields, up to thirty, and nobody passes them.
    __signature__ = Signature([Parameter("fields", Parameter.VAR_KEYWORD)])
    kind: ClassVar[str] = ""
    also_random: ClassVar[str] = ""
    _fingerprinted: ClassVar[tuple[str, ...]] = ()
    # Fields that are computed when a certificate is issued.
    _following: ClassVar[frozenset[str]] = frozenset(["version", "date", "digest"])

    def __init_subclass__(cls, *, kind: str | None = None, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if kind is None:  # its files would be read as those of the class above
            cls.kind = ""
            return
        if not kind or not is_printable(kind):
            raise invalid("kind", "a printable text that is not empty", kind)
        other = KINDS.setdefault(kind, cls)
        # The same class again, as by a cell of a notebook, replaces the earlier one.
        if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise invalid("kind", f"other than that of {other!r}", kind)
        KINDS[kind], cls.kind = cls, kind

    @property
    @abstractmethod
    def claim(self) -> str:
        """The statement without its probability, its provisos and its caveat."""

    @property
    def assumed(self) -> tuple[str, ...]:
        """Provisos of every certificate of this class with these fields."""
        return ()

    @property
    def _first_provisos(self) -> tuple[str, ...]:
        """Those of ``assumed`` that have to be among the provisos, before all others."""
        return self.assumed

    @property
    def _arithmetic(self) -> Arithmetic:
        """How bounds are compared with the level of a tail."""
        return "enclosure"

    @abstractmethod
    def verify(self) -> Verification:
        """Compute the certificate again, and compare it with data if they are given.

        Returns
        -------
        verification : Verification
            It is true if there is no problem.
        """

    @property
    @abstractmethod
    def _chosen(self) -> str:
        """What was chosen at random."""

    @property
    def statement(self) -> str:
        """The statement of this certificate, as a sentence."""
        return self._states_nothing() or self._sentence()

    def _states_nothing(self) -> str:
        """What is said instead if none could be issued with these fields; else ""."""
        problems = "; ".join(self._problems())
        return problems and f"This certificate states nothing: {problems}."

    def _sentence(self) -> str:
        """The statement of fields that were checked."""
        random = [text for text in (self._chosen, self.also_random) if text]
        caveats = caveats_of([self])
        return sentence(
            self.delta, random, self.claim, self.provisos, caveats, self.assumed
        )

    @property
    def caveat(self) -> str:
        """What speaks against the provisos, by which the statement ends; usually ""."""
        return "" if self._problems() else "".join(caveats_of([self]))

    def restated(self, *, delta: float) -> Self:
        """Issue a certificate for the same facts and another delta.

        Each of k certificates may fail with probability delta. Restated with delta / k,
        they all hold with probability at least 1 - delta (the union bound). Fix the
        candidates, settings and seeds of all k attempts before the first result, and
        count those that look bad, too. A list that was chosen after a look needs new
        labels alone, or an audit of the unlabeled rows.

        Parameters
        ----------
        delta : float
            Probability, in (0, 1), with which the new statement may fail.

        Returns
        -------
        certificate : Certificate
            A new certificate, with the bound that follows from this delta.

        Examples
        --------
        >>> from sklearn_pacmdl.certificates import BoundCertificate
        >>> single = BoundCertificate.from_counts(1500, 1500, 45, weights={}, delta=0.1)
        >>> single.max_test_errors, single.restated(delta=0.1 / 2).max_test_errors
        (58, 62)
        """
        return replace(self, delta=delta)._issued()

    @classmethod
    def _made(cls, provisos: object = (), **values: Any) -> Self:
        """Issue a certificate with provisos besides those that are assumed."""
        for name in cls._following & values.keys():
            allowed = "left out, since it follows from other fields"
            raise invalid(name, allowed, values[name])
        if not are_texts(provisos):
            raise invalid("provisos", f"a sequence of clauses {PRINTABLE}", provisos)
        made = cls(**values)._checked()
        made = replace(made, provisos=(*made._first_provisos, *provisos))
        check_sizes(made)
        return made._sealed()

    def _issued(self) -> Self:
        """The same with its bounds, version, date and digest."""
        return self._checked()._sealed()

    def _sealed(self) -> Self:
        self._check_provisos()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        issued = replace(self._bounded(), version=__version__, date=now)
        return replace(issued, digest=issued._fingerprint())

    @abstractmethod
    def _bounded(self) -> Self:
        """The same with the bounds that follow."""

    def _checked(self) -> Self:
        """The same with fields as they are issued; errors name a field that is wrong."""
        if not self.kind:
            allowed = f"named where {type(self).__name__} is defined, by kind='...'"
            raise invalid("kind", allowed, self.kind)
        check_sizes(self)
        check_fields(self, random_choice_p_value=(float, NoneType))
        for name in ("version", "date", "digest", "random_choice_test"):
            check_printable(name, getattr(self, name))
        p_value = self.random_choice_p_value  # which the statement may end with
        if p_value is not None and not 0 < p_value <= 1:
            raise invalid("random_choice_p_value", "None or in (0, 1]", p_value)
        digests = check_digests(self.fingerprints, self._fingerprinted)
        delta = check_open_unit("delta", self.delta)
        return replace(self, delta=delta, fingerprints=digests)

    def _check_provisos(self) -> None:
        """Refuse provisos without those that are assumed."""
        check_provisos(self.provisos, self._first_provisos)

    def _problems(self) -> list[str]:
        """Why no certificate with these bounds could be issued with these fields."""
        try:
            right = self._checked()
            right._check_provisos()
        except ValueError as error:
            return [str(error).removesuffix(".")]
        return [
            f"{name} is {shown(ours)}, and not {shown(theirs)} as it would be issued"
            for name, ours, theirs in self._beside(right)
            if not is_same(ours, theirs)
        ]

    def _beside(self, right: Self) -> Iterator[tuple[str, object, object]]:
        """Names and values of all fields, and those of another certificate."""
        for f in fields(self):
            yield f.name, getattr(self, f.name), getattr(right, f.name)

    @property
    def numbers(self) -> tuple[dict[str, Any], dict[str, float]]:
        """Columns of a table, bounds and estimates among them, and shares beside them."""
        return {}, {}

    def _is_readable(self) -> bool:
        """Whether fields are of types and sizes that this class can have."""
        try:
            check_sizes(self)
        except ValueError:
            return False
        return has_types(self)

    def _wrong_bounds(self) -> list[str]:
        """The first bound that does not follow from other fields, and the digest."""
        wrong = [
            f"{name} is {shown(ours)}, and {shown(theirs)} follows from other fields"
            for name, ours, theirs in self._beside(self._bounded())
            if ours != theirs
        ]
        return wrong[:1] + self._wrong_digest()

    def _as_json(self) -> Json:
        return super()._as_json() | {"kind": self.kind}

    @classmethod
    def _class_for(cls, values: Json) -> type[Self]:
        if "kind" not in values:
            raise ValueError("it has no kind")
        kind = values.pop("kind")
        of_kind = KINDS.get(kind) if isinstance(kind, str) else None
        if of_kind is None and kind == "decoupled":
            raise ValueError(f"its kind is {kind!r}, and this kind is no longer known")
        if of_kind is None:
            raise ValueError(
                f"its kind is {shown(kind)}, and no class of this kind was imported: "
                "import its module, such as sklearn_pacmdl.audits, and read it again"
            )
        if not issubclass(of_kind, cls):
            raise ValueError(f"its kind is {kind!r}, which {of_kind.__name__} reads")
        return of_kind

    def _table(self) -> Iterator[tuple[str, str]]:
        """Names of what the statement follows from, and texts."""
        yield from self._lines()
        p_value = self.random_choice_p_value
        if p_value is not None:
            yield "random choice p value", f"{p_value:.6g}"
        if self.random_choice_test:
            yield "random choice test", shortened(self.random_choice_test)
        for name, digest in self.fingerprints.items():
            yield f"SHA-256 of {name.replace('_', ' ')}", shortened(digest, DIGITS)
        yield "issued", f"{self.date} by sklearn_pacmdl {self.version}"
        yield "SHA-256 of this certificate", shortened(self.digest, DIGITS)

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Those of the fields of this class."""
        yield "delta", f"{self.delta:g}"
        yield from lines_beyond(self, Certificate)

    def __str__(self) -> str:
        if nothing := self._states_nothing():
            return nothing
        rows = [*self._table()]
        width = max(len(name) for name, _ in rows)
        lines = (f"  {name:<{width}}  {value}" for name, value in rows)
        return "\n".join([self._sentence(), *lines])

    def _repr_html_(self) -> str:
        if nothing := self._states_nothing():
            return escape(nothing)
        return html_result(self._sentence(), self._table())
