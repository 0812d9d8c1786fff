"""Several certificates that hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from html import escape
from typing import Any

from ..utils._checks import exact_decimal, invalid, is_iterable, is_number, shown
from ..utils._words import joined
from ._arithmetic import slower
from ._certificate import BoundCertificate
from ._fields import same
from ._json import Sealed, of_format, parse_ratio, ratio_text
from ._kinds import kind_of
from ._limits import (
    MOST_CELLS,
    MOST_JOINT_BITS,
    MOST_PARTS,
    MOST_SHARE_BITS,
    check_digits,
    n_bits,
    n_cells,
    takes_too_long,
)
from ._texts import also_random, caveats_of, sentence
from ._verification import Verification, outcome


@dataclass(frozen=True)
class JointCertificate(Sealed):
    """Several certificates that hold together, for one delta.

    Joint certificates are made by :func:`joint_certificate`.

    Parameters
    ----------
    certificates : tuple of BoundCertificate
        The certificates, each with its share of delta as the weight "joint".
    delta : float
        Probability with which any of them may fail.
    shares : tuple of Fraction
        Shares of delta, in the order of the certificates; they sum to at most 1.
    n_certificates : int
        Number of certificates among which delta was divided.
    digest : str, default=""
        SHA-256 digest of all other fields.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate, joint_certificate
    >>> seen = [BoundCertificate.from_counts(90, 90, a, weights={}) for a in (0, 3)]
    >>> print(joint_certificate(seen).statement)
    With probability at least 90% over the random choice of the labeled rows, all of \
these hold: (1) at most 4 of the 90 unlabeled rows (4.45%) are labeled wrongly; (2) at \
most 9 of the 90 unlabeled rows (10.00%) are labeled wrongly, provided the labeled rows \
are a uniformly random choice.
    """

    certificates: tuple[BoundCertificate, ...]
    delta: float
    shares: tuple[Fraction, ...]
    n_certificates: int
    digest: str = field(default="", compare=False)

    _what = "a joint certificate"

    @property
    def statement(self) -> str:
        """The joint statement of all certificates, as a sentence."""
        problems = self._problems()
        if problems:
            return f"These certificates state nothing: {'; '.join(problems)}."
        parts = self.certificates
        claim = "; ".join(f"({i}) {part.claim}" for i, part in enumerate(parts, 1))
        provisos = dict.fromkeys(p for c in parts for p in c.provisos)
        seen = dict.fromkeys(kind_of(c.kind).labeled_rows for c in parts)
        choice = [f"the {joined([*seen])} rows", *also_random(parts)]
        claim = f"all of these hold: {claim}"
        return sentence(self.delta, choice, claim, [*provisos], caveats_of(parts))

    def verify(self) -> Verification:
        """Recompute each certificate, and compare them with one another.

        Returns
        -------
        verification : Verification
            It is true if each certificate verifies, there are as many as stated, each
            has the stated share, and the shares sum to at most 1.

        Notes
        -----
        To compare with data, call :meth:`BoundCertificate.verify` of each certificate. A
        single altered field and a missing certificate are always detected. If a
        certificate is removed, the other fields are corrected and the digest is
        recomputed, this can be detected only by comparing ``digest`` with one that was
        published before. The statement about the other certificates then still holds.
        """
        problems = self._problems() or self._too_long()
        if problems:
            return outcome(problems)
        single = [certificate.verify() for certificate in self.certificates]
        problems = [
            f"certificate {i}: {problem}"
            for i, verification in enumerate(single, 1)
            for problem in verification.problems
        ]
        problems += self._mistaken_digest()
        checked = ["certificates: fields, bounds and SHA-256 digests"]
        unchecked = ["data: each certificate by itself can be compared with them"]
        method = slower(part.method for part in single)
        return outcome(problems, method, checked, unchecked)

    def _problems(self) -> list[str]:
        """Which fields are not those of certificates that were issued together."""
        parts = self.certificates
        if not isinstance(parts, tuple) or not parts:
            return ["there are no certificates"]
        if not all(isinstance(part, BoundCertificate) for part in parts):
            return ["not all of the certificates are BoundCertificates"]
        problems = [
            f"certificate {i}: {problem}"
            for i, part in enumerate(parts, 1)
            for problem in part._problems()
        ]
        if problems:
            return problems
        expected = tuple(part.weights.get("joint") for part in parts)
        if None in expected or not same(self.shares, expected):
            problems.append("shares are not those of the certificates")
        elif sum(self.shares) > 1:
            problems.append("shares sum to more than 1")
        if not same(self.n_certificates, len(parts)):
            problems.append(
                f"of {shown(self.n_certificates)} certificates that were issued "
                f"together, {len(parts)} are present"
            )
        if any(type(self.delta) is not float or c.delta != self.delta for c in parts):
            problems.append("delta is not that of all certificates")
        return problems

    def _too_long(self) -> list[str]:
        """Whether the bounds together take too long to compute."""
        parts = self.certificates
        together = {
            "certificates": (len(parts), MOST_PARTS),
            "binary digits of weights": (sum(map(n_bits, parts)), MOST_JOINT_BITS),
            "cells of tables": (sum(map(n_cells, parts)), MOST_CELLS),
        }
        return [
            f"there are more than {most} {name}: {count}"
            for name, (count, most) in together.items()
            if count > most
        ] or [
            f"certificate {i}: {problem}"
            for i, part in enumerate(parts, 1)
            for problem in takes_too_long(part)
        ]

    def _as_json(self) -> dict[str, Any]:
        values = super()._as_json()
        parts = [certificate._as_json() for certificate in values.pop("certificates")]
        return {"joint": parts, **values, "shares": [*map(ratio_text, self.shares)]}

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> JointCertificate:
        """The certificates from what was parsed."""
        names = {"joint", *(f.name for f in fields(cls))} - {"certificates"}
        values = of_format(values, names)
        parts, shares = values.pop("joint"), values.pop("shares")
        if not isinstance(parts, list) or not 0 < len(parts) <= MOST_PARTS:
            raise ValueError(f"it must have 1 to {MOST_PARTS} certificates")
        if not isinstance(shares, list):
            raise ValueError("its shares are not a list")
        check_digits("shares", shares, MOST_SHARE_BITS)
        ratios = tuple(parse_ratio("shares", share) for share in shares)
        certificates, n_digits = [], 0
        for part in parts:
            certificates.append(BoundCertificate._from_fields(part))
            n_digits += n_bits(certificates[-1])
            if n_digits > MOST_JOINT_BITS:
                raise ValueError(
                    f"its weights have more than {MOST_JOINT_BITS} binary digits"
                )
        return cls(tuple(certificates), shares=ratios, **values)

    def __str__(self) -> str:
        return self.statement

    def _repr_html_(self) -> str:
        parts = [] if self._problems() else self.certificates
        inner = "".join(c._repr_html_() for c in parts)
        return f"<p><strong>{escape(self.statement)}</strong></p>{inner}"


def joint_certificate(
    certificates: Iterable[BoundCertificate],
    *,
    shares: Sequence[Fraction | float] | None = None,
) -> JointCertificate:
    """Restate certificates so that they hold together.

    Each of several certificates may fail with probability delta, so if there are many,
    there is no guarantee that none of them fails. This function divides delta among them
    (the union bound). A share is a weight like those of a language, and costs
    log2(1 / share) bits.

    Parameters
    ----------
    certificates : sequence of BoundCertificate
        Up to 256 certificates of any kinds, for example of several splits, targets or
        searches. All have the same delta.
    shares : sequence of Fraction or float, default=None
        Positive shares of delta that sum to at most 1; equal by default.

    Returns
    -------
    joint : JointCertificate
        The certificates with their shares, and with bounds that are larger accordingly.

    Raises
    ------
    ValueError
        If there are no certificates or too many, they differ in delta or are joint
        already, or the shares are not as described.

    Notes
    -----
    The number of certificates and their shares must be fixed before labels are seen.
    All of them count: leaving out those that look bad is a choice.

    Under ``certify="pac-mdl"`` and "learned" the bounds of all candidates of one search
    hold at once already, for one split; so do the points of a coverage curve. Under the
    language "decoupled" this is so for bounds by tables, and for those by the closed
    form, but not for a mixture of both.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.certificates import BoundCertificate, joint_certificate
    >>> single = BoundCertificate.from_counts(
    ...     1500, 1500, 45, weights={"label": Fraction(1, 27)}, delta=0.1
    ... )
    >>> joint = joint_certificate([single, single])
    >>> single.max_test_errors, joint.certificates[0].max_test_errors
    (74, 77)
    >>> bool(joint.verify())
    True
    """
    listed = [*certificates] if is_iterable(certificates) else []
    if not 0 < len(listed) <= MOST_PARTS or not all(
        isinstance(each, BoundCertificate) for each in listed
    ):
        allowed = f"a sequence of 1 to {MOST_PARTS} BoundCertificates"
        raise invalid("certificates", allowed, certificates)
    if any("joint" in certificate.weights for certificate in listed):
        raise invalid("certificates", "without shares of delta", certificates)
    deltas = sorted({certificate.delta for certificate in listed})
    if len(deltas) > 1:
        raise ValueError(f"certificates must have the same delta, got {deltas}.")
    given: list[Any] = [Fraction(1, len(listed))] * len(listed)
    if shares is not None:
        given = [*shares] if is_iterable(shares) else []
    # The decimals that the user wrote, as exact ratios.
    exact = tuple(exact_decimal(share) for share in given if is_number(share))
    if len(exact) != len(listed) or min(exact) <= 0 or sum(exact) > 1:
        raise ValueError(
            f"shares must be {len(listed)} positive numbers that sum to at most 1, "
            f"got {shown(shares)}."
        )
    restated = tuple(
        certificate.restated(weights={**certificate.weights, "joint": share})
        for certificate, share in zip(listed, exact, strict=True)
    )
    joint = JointCertificate(restated, deltas[0], exact, len(exact))
    for problem in joint._too_long():  # or it could not be verified
        raise ValueError(f"certificates must be fewer or smaller: {problem}.")
    return replace(joint, digest=joint._fingerprint())
