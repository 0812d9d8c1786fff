"""Certificates of audits that are verified by certifying again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ..certificates import (
    Certificate,
    Verification,
    assumed_of_people,
    check_seed_text,
    verification_of,
)
from ..utils._checks import invalid
from ..utils._words import joined


@dataclass(frozen=True, kw_only=True)
class RecertifiedCertificate(Certificate):
    """Base class of certificates of one audit, with digests of all that was compared."""

    seed_text: str | None = None

    _fixed: ClassVar[str]  # the proviso about what was fixed beforehand

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
            If only some data are given, or they do not fit together.
        """

    def _checked(self) -> Self:
        checked = super()._checked()
        check_seed_text(self.seed_text)
        if {*checked.fingerprints} != {*self._fingerprinted}:
            allowed = f"digests of {joined(self._fingerprinted)}"
            raise invalid("fingerprints", allowed, self.fingerprints)
        return checked

    def _verified_by(
        self, certify: Callable[..., Certificate], **data: Any
    ) -> Verification:
        """Compute the bounds again, and all fields from data, if they are given."""
        missing = [f"{name}=None" for name, each in data.items() if each is None]
        if 0 < len(missing) < len(data):
            what = f"verify requires all of {joined([*data])}, or none"
            raise ValueError(f"{what}, got {joined(missing)}.")
        if problems := self._problems():
            return verification_of(problems, readable=self._is_readable())
        if problems := self._wrong_bounds():
            return verification_of(problems, "enclosure")
        what = "certificate: counts, bounds and SHA-256 digest"
        if missing:
            return verification_of([], "enclosure", (what,), ("data: not given",))
        again = certify(**data, delta=self.delta)
        compared = {f.name for f in fields(self) if f.compare}
        problems = [
            f"{name} is {getattr(self, name)} here and {value} in the data"
            for name in sorted(compared - {"version", "fingerprints"})
            if (value := getattr(again, name)) != getattr(self, name)
        ]
        problems += [
            f"fingerprints: the digest of {name!r} is not that of the data"
            for name, digest in again.fingerprints.items()
            if self.fingerprints[name] != digest
        ]
        checked = what, "data: counted, and digests"
        return verification_of(problems, "enclosure", checked, compared=True)
