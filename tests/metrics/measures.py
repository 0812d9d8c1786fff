"""What is true of each external measure, and the others, called with rows and clusters.

A new one is entered here and tested by this.
"""

from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB

from sklearn_pacmdl import metrics


class Facts(NamedTuple):
    least: float = 0
    most: float = 1
    equal: float | None = 1  # its value for equal partitions, None if sizes decide
    symmetric: bool = False
    of_any_table: bool = True  # not only of as many clusters as classes


FACTS = {
    "classification_error_loss": Facts(equal=0, of_any_table=False),
    "dom_q0_loss": Facts(most=inf, equal=None),
    "dom_q1_score": Facts(least=-inf, most=inf, equal=None),
    "dom_q2_score": Facts(),
    "empirical_conditional_entropy": Facts(most=inf, equal=0),
    "hubert_gamma_score": Facts(least=-1, symmetric=True),
    "normalized_hamming_score": Facts(symmetric=True),
    "pairwise_fbeta_score": Facts(symmetric=True),
    "pairwise_jaccard_score": Facts(symmetric=True),
    "pairwise_precision_score": Facts(),
    "pairwise_recall_score": Facts(),
    "purity_score": Facts(),
}
EXTERNAL = {name: getattr(metrics, name) for name in FACTS}
# Most tests draw labels without looking at how many clusters and classes come of it.
OF_ANY_TABLE = {
    name: measure for name, measure in EXTERNAL.items() if FACTS[name].of_any_table
}


def bound(measure):
    """Of fixed labels, -1 where there is none: a measure of rows and clusters."""
    return lambda X, labels: measure(np.resize([0, 1, -1], len(X)), labels)


INFORMATIVE = {"classifiers": GaussianNB(), "cv": 2, "random_state": 0}
UNSUPERVISED = {
    "balance_score": metrics.balance_score,
    "category_utility_score": lambda X, z: metrics.category_utility_score(X > 0.5, z),
    "dunn_score": metrics.dunn_score,
    "edge_cut_score": lambda X, z: metrics.edge_cut_score(rbf_kernel(X / 9), z),
    "informativeness_score": partial(metrics.informativeness_score, **INFORMATIVE),
    "informativeness_scores": lambda X, z: float(
        metrics.informativeness_scores(X, [z], **INFORMATIVE)[0]
    ),
    "pac_mdl_error_bound": bound(metrics.pac_mdl_error_bound),
    "pac_mdl_score": bound(metrics.pac_mdl_score),
    "sse_score": metrics.sse_score,
    "sum_of_squared_errors": metrics.sum_of_squared_errors,
}
