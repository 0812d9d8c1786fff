"""Certificates: the statement that a bound supports, its facts, and its verification."""

# What is imported as itself is for other rooms, and not public.

from ._arithmetic import grouped as grouped
from ._audited_parts import facts_of_groups as facts_of_groups
from ._audited_parts import facts_of_strata as facts_of_strata
from ._audits import SEED_TEXTS as SEED_TEXTS
from ._audits import is_seed_text as is_seed_text
from ._certificate import BoundCertificate
from ._fields import problems_of as problems_of
from ._fingerprint import digest_of_labels as digest_of_labels
from ._fingerprint import digest_of_numbers as digest_of_numbers
from ._fingerprint import fingerprint_certifying as fingerprint_certifying
from ._fingerprint import fingerprint_confidence as fingerprint_confidence
from ._fingerprint import fingerprint_fields as fingerprint_fields
from ._fingerprint import fingerprint_labels, fingerprint_row_order
from ._fingerprint import number_labels as number_labels
from ._json import FORMAT as FORMAT
from ._json import MOST_LISTED as MOST_LISTED
from ._json import MOST_ROWS as MOST_ROWS
from ._json import Sealed as Sealed
from ._json import has_types as has_types
from ._json import of_format as of_format
from ._json import parsed as parsed
from ._json import read_text as read_text
from ._json import reading as reading
from ._json import without_repeats as without_repeats
from ._kinds import CertificateKind, register_kind
from ._kinds import are_texts as are_texts
from ._kinds import is_known as is_known
from ._kinds import kind_of as kind_of
from ._provisos import BEFOREHAND as BEFOREHAND
from ._provisos import BOTH_FIXED as BOTH_FIXED
from ._provisos import CLASSES as CLASSES
from ._provisos import FIXED as FIXED
from ._provisos import MADE_BEFORE as MADE_BEFORE
from ._provisos import RANDOM_CHOICE as RANDOM_CHOICE
from ._provisos import WEIGHTS as WEIGHTS
from ._provisos import WITHOUT_LABELS as WITHOUT_LABELS
from ._provisos import is_foreign as is_foreign
from ._random_choice import RandomChoiceTest, random_choice_test
from ._random_choice import check_counted_choice as check_counted_choice
from ._random_choice import check_groups as check_groups
from ._random_choice import check_random_choice as check_random_choice
from ._random_choice import facts_of as facts_of
from ._random_choice import partitions_to_test as partitions_to_test
from ._texts import caveats_of as caveats_of
from ._texts import ended as ended
from ._texts import sentence as sentence
from ._verification import OUTCOMES as OUTCOMES
from ._verification import Comparison as Comparison
from ._verification import Data as Data
from ._verification import Verification
from ._verification import listed as listed
from ._verification import verification_of as verification_of

__all__ = [
    "BoundCertificate",
    "CertificateKind",
    "RandomChoiceTest",
    "Verification",
    "fingerprint_labels",
    "fingerprint_row_order",
    "random_choice_test",
    "register_kind",
]
