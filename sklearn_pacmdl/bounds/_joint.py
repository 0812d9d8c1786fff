"""Several certificates that hold together."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape

from ..utils._checks import is_number
from ._certificate import BoundCertificate, probability


@dataclass(frozen=True)
class JointCertificate:
    """Certificates that hold all at once, with delta spent once.

    Made by :func:`joint_certificate`.

    Parameters
    ----------
    certificates : tuple of BoundCertificate
        Each with its share of delta as a weight, "joint".
    delta : float
        Probability with which any of them may fail.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import BoundCertificate, joint_certificate
    >>> seen = [BoundCertificate.from_counts(90, 90, a, weights={}) for a in (0, 3)]
    >>> print(joint_certificate(seen).statement)
    With probability at least 90% over the random choice of the labelled rows, all of \
these hold: (1) at most 4 of the 90 unlabelled rows (4.45%) are labelled wrongly; (2) at \
most 9 of the 90 unlabelled rows (10.00%) are labelled wrongly.
    """

    certificates: tuple
    delta: float

    @property
    def statement(self):
        """The sentence that the certificates entitle one to say together."""
        parts = [certificate.claim for certificate in self.certificates]
        provisos = dict.fromkeys(p for c in self.certificates for p in c.provisos)
        sentence = (
            f"{probability(self.delta)} over the random choice of the labelled rows, all "
            f"of these hold: {'; '.join(f'({i}) {p}' for i, p in enumerate(parts, 1))}"
        )
        return ", ".join([sentence, *(f"provided {p}" for p in provisos)]) + "."

    def verify(self):
        """Whether each certificate verifies and their shares sum to at most 1.

        Returns
        -------
        passed : bool
            Recounting from data is up to each certificate's own ``verify``.
        """
        shares = [c.weights.get("joint", Fraction(1)) for c in self.certificates]
        return (
            all(c.delta == self.delta and c.verify() for c in self.certificates)
            and sum(shares) <= 1
        )

    def to_json(self, **kwargs):
        """The certificates as one JSON text.

        Parameters
        ----------
        **kwargs : dict
            For :func:`json.dumps`, such as ``indent``.

        Returns
        -------
        text : str
            Each as :meth:`BoundCertificate.to_json` writes it.
        """
        parts = [json.loads(c.to_json()) for c in self.certificates]
        return json.dumps({"joint": parts, "delta": self.delta}, **kwargs)

    @classmethod
    def from_json(cls, text):
        """Read certificates; nothing is recomputed, see :meth:`verify`.

        Parameters
        ----------
        text : str
            As written by :meth:`to_json`.

        Returns
        -------
        joint : JointCertificate
            With the fields as they stand in the text.

        Raises
        ------
        ValueError
            If the text is not that of certificates of a known format.
        """
        try:
            fields = json.loads(text)
            parts, delta = list(fields["joint"]), fields["delta"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"Not a joint certificate: {error!r}.") from None
        if not parts or not is_number(delta):
            raise ValueError(
                "Not a joint certificate: it needs certificates and a number as delta, "
                f"got {len(parts)} and {delta!r}."
            )
        read = (BoundCertificate.from_json(json.dumps(part)) for part in parts)
        return cls(tuple(read), delta)

    def __str__(self):
        return self.statement

    def _repr_html_(self):
        inner = "".join(c._repr_html_() for c in self.certificates)
        return f"<p><strong>{escape(self.statement)}</strong></p>{inner}"


def joint_certificate(certificates, *, shares=None):
    """Restate certificates so that they hold together.

    Each of several certificates may fail with probability delta; that none fails is
    then no certainty at all for many of them. This divides delta among them: a share is
    a weight like those of a language, log2(1 / share) bits (the union bound).

    Parameters
    ----------
    certificates : sequence of BoundCertificate
        Of several splits, targets or searches, of any kind, all with the same delta.
    shares : sequence of Fraction or float, default=None
        Shares of delta, positive, with a sum of at most 1; equal by default.

    Returns
    -------
    joint : JointCertificate
        With the larger bounds that this costs.

    Raises
    ------
    ValueError
        If there are none, they differ in delta or are joint already, or the shares are
        not such.

    Notes
    -----
    How many certificates there are to be, and their shares, must be fixed before labels
    are seen, and all of them count: leaving out those that look bad is a choice.

    Under ``certify="pac-mdl"`` and "learned" the bounds of all candidates of one search
    hold at once already, for one split; so do the points of a coverage curve.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.bounds import BoundCertificate, joint_certificate
    >>> single = BoundCertificate.from_counts(
    ...     1500, 1500, 45, weights={"label": Fraction(1, 27)}, delta=0.1
    ... )
    >>> joint = joint_certificate([single, single])
    >>> single.max_test_errors, joint.certificates[0].max_test_errors
    (74, 77)
    >>> joint.verify()
    True
    """
    certificates = (
        [] if isinstance(certificates, BoundCertificate) else list(certificates)
    )
    if not certificates or not all(
        isinstance(c, BoundCertificate) and "joint" not in c.weights for c in certificates
    ):
        raise ValueError(
            "certificates must be one or more BoundCertificates that are not joint, got "
            f"{certificates!r}."
        )
    deltas = sorted({certificate.delta for certificate in certificates})
    if len(deltas) > 1:
        raise ValueError(f"certificates must have the same delta, got {deltas}.")
    given = [Fraction(1, len(certificates))] * len(certificates)
    if shares is not None:
        given = [as_share(share) for share in shares]
    if len(given) != len(certificates) or min(given) <= 0 or sum(given) > 1:
        raise ValueError(
            f"shares must be {len(certificates)} positive numbers that sum to at most 1, "
            f"got {shares!r}."
        )
    restated = (_restated(c, share) for c, share in zip(certificates, given, strict=True))
    return JointCertificate(tuple(restated), deltas[0])


def as_share(value):
    """The decimal that the user wrote, as an exact ratio; 0 for what is no number."""
    if isinstance(value, Fraction):
        return value
    return Fraction(repr(float(value))) if is_number(value) else Fraction(0)


def _restated(certificate, share):
    weights = dict(certificate.weights) | {"joint": share}
    again = BoundCertificate.from_counts(
        certificate.n_train,
        certificate.n_test,
        certificate.n_train_errors,
        weights=weights,
        delta=certificate.delta,
    )
    return replace(
        certificate,
        weights=weights,
        bits=again.bits,
        description_length=again.description_length,
        max_test_errors=again.max_test_errors,
        bound=again.bound,
    )
