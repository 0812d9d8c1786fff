"""Measures of clusterings, external and internal, and scorers that use them."""

from ._bound_of_labels import pac_mdl_error_bound, pac_mdl_score
from ._contingency import ContingencyTable
from ._external import (
    classification_error_loss,
    dom_q0_loss,
    dom_q1_score,
    dom_q2_score,
    empirical_conditional_entropy,
    hubert_gamma_score,
    normalized_hamming_score,
    pairwise_fbeta_score,
    pairwise_jaccard_score,
    pairwise_precision_score,
    pairwise_recall_score,
    purity_score,
)
from ._informativeness import informativeness_score, informativeness_scores
from ._internal import (
    balance_score,
    category_utility_score,
    dunn_score,
    edge_cut_score,
    sse_score,
    sum_of_squared_errors,
)
from ._scorer import informativeness_scorer, make_labeling_scorer, pac_mdl_scorer

__all__ = [
    "ContingencyTable",
    "balance_score",
    "category_utility_score",
    "classification_error_loss",
    "dom_q0_loss",
    "dom_q1_score",
    "dom_q2_score",
    "dunn_score",
    "edge_cut_score",
    "empirical_conditional_entropy",
    "hubert_gamma_score",
    "informativeness_score",
    "informativeness_scorer",
    "informativeness_scores",
    "make_labeling_scorer",
    "normalized_hamming_score",
    "pac_mdl_error_bound",
    "pac_mdl_score",
    "pac_mdl_scorer",
    "pairwise_fbeta_score",
    "pairwise_jaccard_score",
    "pairwise_precision_score",
    "pairwise_recall_score",
    "purity_score",
    "sse_score",
    "sum_of_squared_errors",
]
