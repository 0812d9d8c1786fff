"""Certificates: the statement that a bound supports, its facts, and its verification."""

from . import _audits as _audits  # registers the kinds of audits
from ._certificate import BoundCertificate
from ._fingerprint import fingerprint_labels, fingerprint_row_order
from ._joint import JointCertificate, joint_certificate
from ._kinds import CertificateKind, register_kind
from ._verification import Verification

__all__ = [
    "BoundCertificate",
    "CertificateKind",
    "JointCertificate",
    "Verification",
    "fingerprint_labels",
    "fingerprint_row_order",
    "joint_certificate",
    "register_kind",
]
