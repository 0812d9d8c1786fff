"""Kinds of certificates: what differs between the ways to use labeled rows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..utils._checks import check_flag, invalid, is_iterable

#: What every certificate assumes whose labeled rows the package did not draw itself,
#: unless its kind says otherwise.
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"


@dataclass(frozen=True)
class CertificateKind:
    """Kind of certificates: how the labeled rows were used, and what is assumed.

    Parameters
    ----------
    name : str
        Value of :attr:`BoundCertificate.kind`.
    selects : bool, default=False
        Whether some labeled rows set weights or choose a labeling, so that they do not
        certify. Certificates of this kind then have an ``n_select`` of at least 1;
        otherwise it is 0.
    also_random : str, default=""
        What the probability is over besides the choice of the labeled rows. It follows
        "over the random choice of the 90 labeled rows and" in the statement.
    provisos : tuple of str, default=("the labeled rows are a uniformly random choice",)
        Assumptions of every certificate of this kind, unless the package drew the labeled
        rows itself, as clauses that can follow "provided".
    terms : collection of str, default=None
        Terms that the weights may have besides the share "joint"; None allows any term.

    See Also
    --------
    register_kind : Make certificates of a kind possible.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import CertificateKind
    >>> CertificateKind("drawn by lot", terms={"label"}).selects
    False
    """

    name: str
    selects: bool = False
    also_random: str = ""
    provisos: tuple[str, ...] = (RANDOM_CHOICE,)
    terms: Collection[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise invalid("name", "a text that is not empty", self.name)
        check_flag("selects", self.selects)
        if not isinstance(self.also_random, str):
            raise invalid("also_random", "a text", self.also_random)
        if not isinstance(self.provisos, tuple) or not are_texts(self.provisos):
            raise invalid("provisos", "a tuple of clauses", self.provisos)
        if self.terms is not None:
            if not are_texts(self.terms):
                raise invalid("terms", "None or a collection of texts", self.terms)
            object.__setattr__(self, "terms", frozenset(self.terms))


def are_texts(values: Any) -> bool:
    """Whether this is a collection of non-empty texts, and not itself a text."""
    return (
        isinstance(values, Collection)
        and is_iterable(values)
        and all(isinstance(value, str) and value for value in values)
    )


_KINDS: dict[str, CertificateKind] = {}


def register_kind(kind: CertificateKind) -> CertificateKind:
    """Register a kind of certificates in the current process.

    :meth:`BoundCertificate.from_counts` and :meth:`BoundCertificate.verify` know the
    kinds "pac-mdl", "learned" and "holdout", and those that are registered. Before a
    certificate of another kind is read, that kind must be registered.

    Parameters
    ----------
    kind : CertificateKind
        The kind, which is registered under its name.

    Returns
    -------
    kind : CertificateKind
        The same kind.

    Raises
    ------
    ValueError
        If ``kind`` is not a CertificateKind, or a different kind has its name already.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import (
    ...     BoundCertificate, CertificateKind, register_kind
    ... )
    >>> kind = register_kind(CertificateKind("one fixed labeling", terms=()))
    >>> certificate = BoundCertificate.from_counts(
    ...     90, 90, 1, weights={}, kind="one fixed labeling"
    ... )
    >>> bool(certificate.verify())
    True
    """
    if not isinstance(kind, CertificateKind):
        raise invalid("kind", "a CertificateKind", kind)
    if _KINDS.setdefault(kind.name, kind) != kind:
        raise invalid("kind", f"{_KINDS[kind.name]!r}, which has this name", kind)
    return kind


register_kind(CertificateKind("pac-mdl"))
register_kind(CertificateKind("learned", selects=True, also_random="of their division"))
register_kind(CertificateKind("holdout", selects=True, also_random="of their division"))


def known_kinds() -> list[str]:
    """Names of all kinds that are registered."""
    return sorted(_KINDS)


def is_known(name: Any) -> bool:
    """Whether a kind of this name is registered."""
    return isinstance(name, str) and name in _KINDS


def kind_of(name: str) -> CertificateKind:
    """Look up the kind of this name; the error for an unknown name lists all kinds."""
    if not is_known(name):
        raise invalid("kind", f"one of {known_kinds()}", name)
    return _KINDS[name]
