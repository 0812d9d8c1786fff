"""Certification of clusterings: methods, and clusterings that exist already."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from ._certify_clusterings import CertifiedClusterings as CertifiedClusterings
from ._certify_clusterings import certify_clusterings
from ._counting import CandidateCounts as CandidateCounts
from ._counting import Partition as Partition
from ._counting import SplitCounter as SplitCounter
from ._counting import divide as divide
from ._counting import predicted_by as predicted_by
from ._counts import cluster_counts
from ._counts import left_out_rates as left_out_rates
from ._folds import fold_numbers as fold_numbers
from ._goals import ALL_NOISE as ALL_NOISE
from ._goals import Noise as Noise
from ._goals import coverage_curve as coverage_curve
from ._goals import make_goal as make_goal
from ._goals import report_reach as report_reach
from ._goals import report_unreached as report_unreached
from ._methods import Certify as Certify
from ._methods import HoldOut, Learned, PacMdl
from ._methods import resolve as resolve
from ._pipeline import Claims as Claims
from ._pipeline import LanguageWeights as LanguageWeights
from ._pipeline import Sweep as Sweep
from ._pipeline import bound as bound
from ._pipeline import issue_certificate as issue_certificate
from ._pipeline import paper_columns as paper_columns
from ._pipeline import rank as rank
from ._pipeline import results_table as results_table
from ._pipeline import weigh_candidates as weigh_candidates
from ._scoring import NUMBER as NUMBER
from ._scoring import Failure as Failure
from ._scoring import Scoring as Scoring
from ._scoring import causes as causes
from ._scoring import make_scorers as make_scorers
from ._scoring import named_scorers as named_scorers
from ._scoring import report_scores as report_scores
from ._scoring import score_all as score_all
from ._scoring import score_columns as score_columns
from ._scoring import scorer_routing as scorer_routing
from ._sources import choose_columns as choose_columns

__all__ = ["HoldOut", "Learned", "PacMdl", "certify_clusterings", "cluster_counts"]
