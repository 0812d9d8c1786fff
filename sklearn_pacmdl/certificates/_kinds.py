"""Kinds of certificates: what differs between the ways to use labeled rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..utils._checks import check_fields, check_printable, invalid, is_iterable, shown
from ..utils._printable import PRINTABLE, is_printable
from ..utils._words import percent
from ._provisos import RANDOM_CHOICE


@dataclass(frozen=True)
class CertificateKind:
    """Kind of certificates: how the labeled rows were used, and what is assumed.

    Parameters
    ----------
    name : str
        Value of the attribute ``kind`` of :class:`BoundCertificate`.
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
        Terms that the weights may have; None allows any term.
    labeled_rows : str, default="labeled"
        What the rows are called whose labels were seen.
    other_rows : str, default="unlabeled"
        What the other rows are called.
    by_cluster : bool, default=False
        Whether certificates have the counts of each cluster, unless a weight "label" is
        for the classes of clusters. The bound then follows from these counts, by
        :func:`~sklearn_pacmdl.bounds.decoupled_bound`, and not from those of all rows.

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
    labeled_rows: str = "labeled"
    other_rows: str = "unlabeled"
    by_cluster: bool = False

    def __post_init__(self) -> None:
        texts = dict.fromkeys(["name", "also_random", "labeled_rows", "other_rows"], str)
        check_fields(self, **texts, selects=bool, by_cluster=bool, provisos=tuple)
        if not self.name:
            raise invalid("name", "a text that is not empty", self.name)
        for name in texts:
            check_printable(name, getattr(self, name))
        if not are_texts(self.provisos):
            raise invalid("provisos", f"a tuple of clauses {PRINTABLE}", self.provisos)
        if self.terms is not None:
            if not are_texts(self.terms):
                raise invalid("terms", "None or a collection of texts", self.terms)
            object.__setattr__(self, "terms", frozenset(self.terms))

    def assumed(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """List what a certificate with these facts assumes.

        Parameters
        ----------
        facts : mapping of str to number or str
            Those of the certificate.

        Returns
        -------
        provisos : tuple of str
            Clauses that can follow "provided"; by default ``provisos``, whatever the
            facts are.
        """
        return self.provisos

    def random_choice(self, certificate: Any) -> str:
        """Say what was chosen at random.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.

        Returns
        -------
        text : str
            All labeled rows by default, such as "the 90 labeled rows".
        """
        c = certificate
        n_labeled = c.n_train + c.n_train_abstained + c.n_select
        return f"the {n_labeled} {self.labeled_rows} rows"

    def others_of(self, certificate: Any) -> str:
        """Name the rows without a visible label.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.

        Returns
        -------
        name : str
            "held-out" if the package drew the labeled rows, else ``other_rows``.
        """
        return "held-out" if certificate.drawn else self.other_rows

    def stated(self, certificate: Any) -> tuple[int, int]:
        """Upper bound on the errors, and the number of rows that it is about.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.

        Returns
        -------
        n_errors, n_rows : int
            By default those of the rows whose labels were not seen.
        """
        return certificate.max_test_errors, certificate.n_test

    def errors_seen(self) -> str:
        """Name what ``n_train_errors`` counts.

        Returns
        -------
        name : str
            "errors on labeled rows" by default.
        """
        return f"errors on {self.labeled_rows} rows"

    def claim(self, certificate: Any) -> str:
        """Say what a certificate of this kind claims, without probability and provisos.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.

        Returns
        -------
        claim : str
            A clause that can follow "with probability at least 90%".
        """
        c = certificate
        given = " that are given a label" if c.n_test_abstained else ""
        return (
            f"at most {c.max_test_errors} of the {c.n_test} {self.others_of(c)} rows"
            f"{given} ({percent(c.max_test_errors, c.n_test)}) are labeled wrongly"
        )

    def wrong_facts(self, certificate: Any) -> list[str]:
        """List the problems of facts that certificates of this kind must have.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.

        Returns
        -------
        problems : list of str
            None by default.
        """
        return []

    def recounted(self, certificate: Any, counts: Mapping[str, int]) -> list[str]:
        """List the problems that counts of the data reveal.

        Parameters
        ----------
        certificate : BoundCertificate
            Its fields are well-formed.
        counts : mapping of str to int
            Counts of rows in the data, by the names of the fields that hold them in a
            certificate.

        Returns
        -------
        problems : list of str
            By default, every count that is not that of the certificate.
        """
        return [
            f"{name} is {shown(getattr(certificate, name))} here and {count} in the data"
            for name, count in counts.items()
            if getattr(certificate, name) != count
        ]


def are_texts(values: Any) -> bool:
    """Whether this is a collection of texts that are not empty and can be quoted."""
    is_collection = isinstance(values, Collection) and is_iterable(values)
    return is_collection and all(is_printable(text) and text for text in values)


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
register_kind(CertificateKind("decoupled", by_cluster=True))
for _name in ("learned", "holdout"):
    register_kind(CertificateKind(_name, selects=True, also_random="of their division"))


def is_known(name: Any) -> bool:
    """Whether a kind of this name is registered."""
    return isinstance(name, str) and name in _KINDS


def kind_of(name: str) -> CertificateKind:
    """Look up the kind of this name; the error for an unknown name lists all kinds."""
    if not is_known(name):
        raise invalid("kind", f"one of {sorted(_KINDS)}", name)
    return _KINDS[name]
