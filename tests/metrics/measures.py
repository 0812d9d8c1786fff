"""What is true of each external measure. A new one is entered here and tested by this."""

from math import inf
from typing import NamedTuple

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
