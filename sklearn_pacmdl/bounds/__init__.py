"""The PAC-MDL bound: counts in, counts out, exactly; and its certificate."""

from ._certificate import BoundCertificate, Verification
from ._joint import JointCertificate, joint_certificate
from ._pac_mdl import bmax, bucket, log_bucket, pac_mdl_bound
from ._planning import labels_needed, planned_bound

__all__ = [
    "BoundCertificate",
    "JointCertificate",
    "Verification",
    "bmax",
    "bucket",
    "joint_certificate",
    "labels_needed",
    "log_bucket",
    "pac_mdl_bound",
    "planned_bound",
]
