"""The PAC-MDL bound: counts in, counts out, exactly; and its certificate."""

from ._certificate import BoundCertificate, Verification
from ._fingerprint import fingerprint_labels, fingerprint_row_order
from ._joint import JointCertificate, joint_certificate
from ._pac_mdl import bmax, bucket, log_bucket, pac_mdl_bound
from ._planning import labels_needed, planned_bound

__all__ = [
    "BoundCertificate",
    "JointCertificate",
    "Verification",
    "bmax",
    "bucket",
    "fingerprint_labels",
    "fingerprint_row_order",
    "joint_certificate",
    "labels_needed",
    "log_bucket",
    "pac_mdl_bound",
    "planned_bound",
]
