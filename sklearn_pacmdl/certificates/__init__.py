"""Certificates: the statement that a bound supports, its fields, and its verification."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from . import _clauses as clauses  # noqa: F401 (for other rooms)
from ._bound_certificate import BoundCertificate
from ._certificate import Certificate
from ._column_digests import ColumnDigest as ColumnDigest
from ._column_digests import fingerprint_columns as fingerprint_columns
from ._column_digests import plain_text as plain_text
from ._errors_certificate import ErrorsCertificate as ErrorsCertificate
from ._fields import are_texts as are_texts
from ._fields import check_classes as check_classes
from ._fields import check_digests as check_digests
from ._fields import checked_digests as checked_digests
from ._fields import with_counts as with_counts
from ._fingerprint import NumberedLabels as NumberedLabels
from ._fingerprint import digest_of_codes as digest_of_codes
from ._fingerprint import digest_of_labels as digest_of_labels
from ._fingerprint import digest_of_numbers as digest_of_numbers
from ._fingerprint import fingerprint_certifying as fingerprint_certifying
from ._fingerprint import fingerprint_confidence as fingerprint_confidence
from ._fingerprint import fingerprint_labels, fingerprint_row_order
from ._fingerprint import number_labels as number_labels
from ._record import FORMAT as FORMAT
from ._record import MOST_LISTED as MOST_LISTED
from ._record import MOST_ROWS as MOST_ROWS
from ._record import Json as Json
from ._record import JsonRecord as JsonRecord
from ._record import has_types as has_types
from ._record import parsed as parsed
from ._record import read_text as read_text
from ._record import reading as reading
from ._record import without_repeats as without_repeats
from ._searches import HoldoutCertificate, LearnedCertificate
from ._statement import caveats_of as caveats_of
from ._statement import lines_beyond as lines_beyond
from ._statement import sentence as sentence
from ._statement import with_caveats as with_caveats
from ._verification import OUTCOMES as OUTCOMES
from ._verification import Arithmetic as Arithmetic
from ._verification import Comparison as Comparison
from ._verification import Verification as Verification
from ._verification import called as called
from ._verification import not_covered as not_covered
from ._verification import verification_lines as verification_lines
from ._verification import verification_of as verification_of

__all__ = [
    "BoundCertificate",
    "Certificate",
    "HoldoutCertificate",
    "LearnedCertificate",
    "fingerprint_labels",
    "fingerprint_row_order",
]
