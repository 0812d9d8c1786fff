"""What may be claimed of each candidate: the bounds of its options, and the best one."""

from collections import defaultdict
from fractions import Fraction
from math import prod
from typing import NamedTuple

import numpy as np

from ..bounds import pac_mdl_bound
from ..utils._weights import length_in_bits
from ._certify import Option
from ._evaluation import Failure


class Claim(NamedTuple):
    """An option of a candidate on one split, with its bound."""

    option: Option
    terms: dict[str, Fraction]  # all weights; "pooling" may be above 1
    description_length: float  # of all of these, in bits
    bound: float  # rate among the unlabeled rows that have a class


def selection_table(outcomes, n_splits):
    """``selection_errors`` of every candidate and split, NaN where it failed."""
    missing = np.full(n_splits, np.nan)
    return np.array(
        [
            missing if isinstance(outcome, Failure) else outcome.selection_errors
            for outcome in outcomes
        ]
    )


def make_claims(split, candidates, outcomes, plan, delta, pooled):
    """Claims of some candidates on one split, with what pays for all of them.

    Parameters
    ----------
    split : int
    candidates : iterable of int
    outcomes : list of Outcome or Failure
        Of all candidates.
    plan : Plan
    delta : float
    pooled : bool
        Whether equal labelings share their weights.

    Returns
    -------
    claims : dict of int to list of Claim
        Empty for candidates that failed or label no unlabeled row.
    """
    strategy = plan.task.strategy
    selection = selection_table(outcomes, len(plan.task.splits))[:, split]
    selection_terms = strategy.candidate_terms(plan.weights, selection)
    offered = [
        (i, option, labeling)
        for i in candidates
        if not isinstance(outcomes[i], Failure)
        for option, labeling in zip(
            outcomes[i].options[split], outcomes[i].labelings[split], strict=True
        )
        if option.n_test
    ]
    terms = [selection_terms[i] | option.terms for i, option, _ in offered]
    terms, lengths = _paid(terms, [labeling for *_, labeling in offered], pooled)
    bounds = pac_mdl_bound(
        np.array([option.n_train for _, option, _ in offered], dtype=np.int64),
        np.array([option.n_test for _, option, _ in offered], dtype=np.int64),
        np.array([option.train_errors for _, option, _ in offered], dtype=np.int64),
        description_length=np.array(lengths, dtype=float),
        delta=delta,
    )
    claims: dict[int, list[Claim]] = {i: [] for i in candidates}
    for (i, option, _), t, length, bound in zip(
        offered, terms, lengths, bounds, strict=True
    ):
        claims[i].append(Claim(option, t, length, bound / option.n_test))
    return claims


def _paid(terms, labelings, pooled):
    """Terms with what pooling saves, and the lengths of their products in bits.

    Pooled, the weights of equal labelings, by whichever candidate, are added up; their
    lengths, of the exact sums, are then equal to the last bit.
    """
    own = weights = [prod(t.values(), start=Fraction(1)) for t in terms]
    if pooled:
        totals: dict[bytes, Fraction] = defaultdict(Fraction)
        for labeling, weight in zip(labelings, own, strict=True):
            totals[labeling] += weight
        weights = [totals[labeling] for labeling in labelings]
        terms = [
            t | ({"pooling": weight / alone} if weight > alone else {})
            for t, weight, alone in zip(terms, weights, own, strict=True)
        ]
    return terms, [length_in_bits(weight) for weight in weights]
