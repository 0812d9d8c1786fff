"""Certification of clusterings: ways to use labels, and given labelings."""

# What is imported as itself is for other rooms, and not public.

from ._certify_labelings import CertifiedLabelings, certify_labelings
from ._counting import Assessment as Assessment
from ._counting import divide as divide
from ._counting import predicted_by as predicted_by
from ._counts import ClusterCounts
from ._counts import left_out_rates as left_out_rates
from ._goals import ALL_NOISE as ALL_NOISE
from ._goals import Counted as Counted
from ._goals import Noise as Noise
from ._goals import make_goal as make_goal
from ._methods import Certify as Certify
from ._methods import Decoupled, HoldOut, Learned, PacMdl
from ._methods import resolve as resolve
from ._pipeline import Claims as Claims
from ._pipeline import Sweep as Sweep
from ._pipeline import Weighing as Weighing
from ._pipeline import bound as bound
from ._pipeline import check_language_of as check_language_of
from ._pipeline import issue_certificate as issue_certificate
from ._pipeline import make_weighing as make_weighing
from ._pipeline import paper_columns as paper_columns
from ._pipeline import rank as rank
from ._pipeline import results_table as results_table
from ._pipeline import weigh as weigh
from ._strategy import Option, Strategy

__all__ = [
    "CertifiedLabelings",
    "ClusterCounts",
    "Decoupled",
    "HoldOut",
    "Learned",
    "Option",
    "PacMdl",
    "Strategy",
    "certify_labelings",
]
