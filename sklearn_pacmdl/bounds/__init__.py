"""The PAC-MDL bound: counts in, counts out, exactly; and its certificate."""

from ._certificate import BoundCertificate, Verification
from ._pac_mdl import bmax, bucket, log_bucket, pac_mdl_bound

__all__ = [
    "BoundCertificate",
    "Verification",
    "bmax",
    "bucket",
    "log_bucket",
    "pac_mdl_bound",
]
