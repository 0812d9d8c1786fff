"""What hold-out hands on: how sure each row is, and its certifying rows as an audit."""

import numpy as np

from ..audits import audit_of_choice
from ..certificates import RANDOM_CHOICE
from ..certification._naming import left_out_rates
from ..utils._labels import split_unlabeled

# Means over 30 choices of labels of the share that can be automatic, for digits, breast
# cancer and synthetic documents (benchmarks/bench_finished.py,
# benchmarks/results/finished.json; standard errors are 1 to 5 points).
#
# Rows of either kind, right and wrong, that are added to what was seen of a cluster:
# Jeffreys' prior. .1 and 1 differ by less than two points.
_SMOOTHING = 0.5
# Share of errors in a cluster that weighs as much as one typical margin. With .5 it is
# .74, .80 and .92; with 1, .69, .81 and .94; with .25, .74, .73 and .89; by purity alone
# .43, .54 and .85, by margins alone .58, .68 and .92.
_MARGIN_WEIGHT = 0.5


def row_confidence(plan, index, labels, classes):
    """How sure the label of each row is, from rows, clusters and selecting labels alone.

    Parameters
    ----------
    plan : Plan
        With its rows, and one split.
    index : int
        The candidate.
    labels : ndarray of shape (n_samples,) of int
        Its clusters.
    classes : ndarray of shape (n_clusters,) of int
        Class codes of the clusters of the partition.
    """
    assessment, evaluator, job = plan.assessment, plan.evaluator, plan.jobs[index]
    partition = assessment.partition(labels)
    distances = evaluator.distances(job, labels)
    select = partition.count(assessment.cells[0], assessment.n_classes).select
    rates = _wrong_if_left_out(select, classes, distances)
    wrong, seen = (select * rates).sum(axis=1), select.sum(axis=1)
    impurity = (wrong + _SMOOTHING) / (seen + 2 * _SMOOTHING)
    confidence = -impurity[partition.clusters]
    margins = evaluator.margins(job, labels, classes)
    typical = 0.0 if margins is None else np.sqrt(np.mean(margins**2))
    if typical > 0 and np.isfinite(typical):
        confidence = confidence + _MARGIN_WEIGHT * margins / typical
    return confidence


def _wrong_if_left_out(select, classes, distances):
    """Probability that a selecting row is given a wrong class without its own label.

    Its cluster is then named by its other labels, and if there are none, by the nearest
    cluster that has labels: where labels are few, most are alone in their clusters, and a
    guess among all classes would make these look alike.
    """
    named = select[:, :-1]
    rates = np.column_stack([left_out_rates(select), np.ones(len(named))])
    alone = np.flatnonzero(named.sum(axis=1) == 1)
    labeled = np.flatnonzero(named.any(axis=1))
    between = distances() if len(alone) and len(labeled) > 1 else None
    if between is not None:
        others = np.where(alone[:, None] == labeled, np.inf, between[alone][:, labeled])
        nearest = classes[labeled[others.argmin(axis=1)]]
        rates[alone] = np.arange(rates.shape[1]) != nearest[:, None]
    return rates


def audit_of_search(plan, labeling, confidence, certificate):
    """The certifying rows of a search as an audit, with the selecting rows as known.

    Given the selecting rows, which chose and named, the certifying rows are a uniformly
    random choice of all others.
    """
    select, certify = plan.assessment.divisions[0]
    labeled, values = split_unlabeled(plan.labels, plan.classes)
    place = np.cumsum(labeled) - 1
    known, answers = (
        np.array(values[place[rows]].tolist()) for rows in (select, certify)
    )
    random = () if plan.drawn else (RANDOM_CHOICE,)
    provisos = tuple(p for p in certificate.provisos if p not in random)
    names = "random_choice_p_value", "random_choice_test"
    facts = {name: certificate.facts[name] for name in names if name in certificate.facts}
    return audit_of_choice(
        n_rows=len(plan.labels),
        rows=certify,
        audit_labels=answers,
        known=select,
        known_labels=known,
        labels=labeling,
        confidence=confidence,
        provisos=(*random, *provisos),
        facts=facts,
    )
