"""Certificates of audits that are verified by certifying again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ..certificates import (
    Certificate,
    Comparison,
    Verification,
    assumed_of_people,
    check_seed_text,
    digest_of_labels,
    verification_of,
)
from ..estimators import num_samples
from ..utils._checks import invalid
from ..utils._words import joined
from ._audit import check_labels
from ._certify import check_audit


@dataclass(frozen=True, kw_only=True)
class RecertifiedCertificate(Certificate):
    """Base class of certificates of one audit, with digests of all that was compared."""

    seed_text: str | None = None

    _fixed: ClassVar[str]  # the proviso about what was fixed beforehand
    _labelings: ClassVar[Mapping[str, str]]  # parameters, with names of their digests

    @property
    def assumed(self) -> tuple[str, ...]:
        """Provisos of every certificate with these fields."""
        return (*assumed_of_people(0, self.seed_text), self._fixed)

    @abstractmethod
    def verify(self) -> Verification:
        """Compute the bounds again, and count again if the data are given.

        Returns
        -------
        verification : Verification
            It is true if there is no problem. Its outcome says whether data were
            compared. Printed, it lists what was checked and what was not.

        Raises
        ------
        ValueError
            If only some data are given.
        """

    def _checked(self) -> Self:
        checked = super()._checked()
        check_seed_text(self.seed_text)
        if {*checked.fingerprints} != {*self._fingerprinted}:
            allowed = f"digests of {joined(self._fingerprinted)}"
            raise invalid("fingerprints", allowed, self.fingerprints)
        return checked

    @abstractmethod
    def _certified_again(self, data: Mapping[str, Any]) -> Certificate:
        """What the function that made this certificate makes of its arguments."""

    def _verified(
        self, data: Mapping[str, Any], names: Mapping[str, str], columns: Any = None
    ) -> Verification:
        """The same with data that are called by these names.

        Also compares the ``columns`` that annotators saw with those of the audit.
        """
        missing = [f"{name}=None" for name, each in data.items() if each is None]
        if 0 < len(missing) < len(data):
            what = f"verify requires all of {joined([*data])}, or none"
            raise ValueError(f"{what}, got {joined(missing)}.")
        if problems := self._problems():
            return verification_of(problems, readable=self._is_readable())
        comparison = Comparison(self, names)
        comparison.check("certificate", "counts, bounds and SHA-256 digest")
        comparison.wrong_fields(self._wrong_bounds())
        if missing:
            comparison.leave_unchecked("data", "not given")
        if missing or comparison.problems:
            return comparison.verification("enclosure")
        return self._compared(comparison, data, columns)

    def _compared(
        self, comparison: Comparison, data: Mapping[str, Any], columns: Any
    ) -> Verification:
        """Certify again, and compare the result with this certificate."""
        audit = data["audit"]
        check_audit(audit)
        lengths = {name: num_samples(data[name]) for name in self._labelings}
        for name, n_rows in lengths.items():
            if n_rows != audit.n_rows:
                what = f"it has {n_rows} rows, and the audit is of {audit.n_rows}"
                comparison.problem(name, what)
        for problem in audit.verify(n_rows=audit.n_rows).problems:
            comparison.problem("audit", problem)
        if not comparison.problems:
            comparison.drawing(audit.seed)
            comparison.columns(columns, audit.n_rows, audit.columns)
            for name, digest in self._labelings.items():
                labels = check_labels(data[name], audit.n_rows, name, audit.classes)
                labels = labels[audit.pool] if digest == "labeling" else labels
                comparison.check(name, f"{len(labels)} labels counted")
                comparison.digest(name, digest_of_labels(labels, name), of=digest)
        if not comparison.problems:
            self._compare_counts(comparison, data)
        return comparison.verification("enclosure")

    def _compare_counts(self, comparison: Comparison, data: Mapping[str, Any]) -> None:
        """Compare with what is certified again, of an audit and labelings of it."""
        try:
            again = self._certified_again(data)
        except ValueError as error:  # such as for a class that no row has
            comparison.wrong_fields([f"nothing like it can be certified: {error}"])
            return
        comparison.compared = True
        comparison.digest("audit", again.fingerprints["audit"])
        comparison.check("audit_labels", f"{data['audit'].size} labels counted")
        comparison.digest("audit_labels", again.fingerprints["labels"], of="labels")
        compared = {f.name for f in fields(self) if f.compare}
        comparison.wrong_fields(
            f"{name} is {getattr(self, name)} here and {value} in the data"
            for name in sorted(compared - {"version", "fingerprints"})
            if (value := getattr(again, name)) != getattr(self, name)
        )
        comparison.recorded(["delta", "date", "version"])
