"""Certificates: the statement that a bound supports, its facts, and its verification."""

from . import _audits as _audits  # registers the kinds of audits
from ._certificate import BoundCertificate
from ._fingerprint import fingerprint_labels, fingerprint_row_order
from ._joint import JointCertificate, joint_certificate
from ._kinds import CertificateKind, register_kind
from ._random_choice import (
    RandomChoiceTest,
    random_choice_test,
)
from ._random_choice import check_counted_choice as check_counted_choice
from ._random_choice import check_groups as check_groups
from ._random_choice import check_random_choice as check_random_choice
from ._random_choice import facts_of as facts_of
from ._random_choice import partitions_to_test as partitions_to_test
from ._verification import Verification

__all__ = [
    "BoundCertificate",
    "CertificateKind",
    "JointCertificate",
    "RandomChoiceTest",
    "Verification",
    "fingerprint_labels",
    "fingerprint_row_order",
    "joint_certificate",
    "random_choice_test",
    "register_kind",
]
