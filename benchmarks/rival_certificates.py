"""Certificates that others would give for the same clusterings and the same labels.

Each rival is a function of a `Task`, the clusterings of one sweep and the rows that are
labeled, and returns a `Certificate`: a bound that it states for a rate of errors, the
true rate on the unlabeled rows of what it is about, and in words what is bounded and
what is assumed: "labels at random" means that the labeled rows are a uniformly random
choice of all rows. All hold with probability at least 1 - delta.

``clopper_pearson``
    Half of the labels choose and label a clustering, the other half test it: the exact
    binomial bound on the error in an infinite population of which all rows are
    independent draws. No statement about the unlabeled rows at hand: their own error
    strays from that of the population, and exceeds the bound more often than delta.

``mapie``, ``mapie_selective``
    The same split, tested by ``MultiClassificationLTTController`` of the package MAPIE
    (1.6 or later; optional), which is learn-then-test of Angelopoulos et al. with binary
    Hoeffding-Bentkus p-values: again the population's error. With every row accepted
    the smallest target that it certifies is looked for: that is one test inverted, and
    by construction Clopper-Pearson again. With a target it accepts the clusters above a
    threshold of confidence, chosen with Holm's correction out of a few.

``pac_bayes``, ``pac_bayes_gibbs``
    Theorem 5 of Begin, Germain, Laviolette and Roy, "PAC-Bayesian Theory for
    Transductive Learning", AISTATS 2014. S is a uniformly random set of m of N rows, P a
    prior over classifiers that does not depend on S, D a convex function; then with
    probability at least 1 - delta, for all posteriors Q at once,

        m D(R_S(Q), R_Z(Q)) <= KL(Q || P) + ln(T_D(m, N) / delta),

    where R_S and R_Z are expected errors on S and on all rows, and Eq. (6)

        T_D(m, N) = max_K sum_k Hypergeometric(k; N, K, m) exp(m D(k / m, K / N)).

    The unlabeled rows follow from N R_Z = m R_S + (N - m) R_U. D is their D* of Eq. (8),

        m D*(R_S, R_Z) = m kl(R_S || R_Z) + (N - m) kl(R_U || R_Z),

    or the plain kl(R_S || R_Z). T is computed, not bounded: their Corollary 7(a) has
    3 ln(m) sqrt(m (1 - m / N)) for D*, 1.2 to 3 times as much. P is uniform over
    candidates and then over the labelings of their clusters. ``pac_bayes`` takes for Q
    one labeling; ``pac_bayes_gibbs`` P times exp(-lambda errors), normalized, and bounds
    the expected error of a labeling drawn from it. Trying many lambda costs nothing,
    because the theorem is for all Q at once.
"""

import math
import warnings
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp, rel_entr, xlogy
from scipy.stats import beta

from sklearn_pacmdl.certification._counts import left_out_errors
from sklearn_pacmdl.labeling import class_counts


class Task(NamedTuple):
    """Clusterings of the same rows, clusters from 0, and which rows have their label."""

    candidates: list
    codes: np.ndarray
    labeled: np.ndarray
    n_classes: int
    delta: float = 0.1
    seed: int = 0


class Certificate(NamedTuple):
    """A bound on a rate of errors, and what is true of the unlabeled rows."""

    bound: float
    error: float
    about: str
    coverage: float = 1.0  # share of the unlabeled rows that it speaks about


def counts_of(task, rows):
    """Classes by clusters among some rows, a table for each candidate."""
    return [
        class_counts(clusters[rows], task.codes[rows], clusters.max() + 1, task.n_classes)
        for clusters in task.candidates
    ]


def class_shares(counts):
    """Of each cluster. One more label, spread as all labels are, settles ties."""
    shares = counts + counts.sum(axis=0) / max(1, counts.sum())
    shares += not counts.any()  # no labels at all
    return shares / shares.sum(axis=1, keepdims=True)


# ---- Half of the labels to choose, half to test


class Choice(NamedTuple):
    """A clustering, the shares of classes in its clusters, and labels left to test."""

    candidate: int
    shares: np.ndarray
    test: np.ndarray


def choose_by_half(task):
    """Fewest leave-one-out errors, then fewest clusters."""
    rows = np.random.RandomState(task.seed).permutation(np.flatnonzero(task.labeled))
    choosing, test = np.split(rows, [len(rows) // 2])
    tables = counts_of(task, choosing)
    # The last column is for labels that are none of the classes.
    padded = [np.pad(table, ((0, 0), (0, 1))) for table in tables]
    keys = [(round(left_out_errors(table).sum(), 9), len(table)) for table in padded]
    best = min(range(len(keys)), key=keys.__getitem__)
    return Choice(best, class_shares(tables[best]), test)


def wrong_rows(task, choice):
    """Rows whose class is not the most common one of their cluster."""
    classes = choice.shares.argmax(axis=1)
    return classes[task.candidates[choice.candidate]] != task.codes


def binomial_upper_limit(errors, n, delta):
    """One-sided Clopper-Pearson limit of a rate."""
    return float(beta.ppf(1 - delta, errors + 1, n - errors)) if errors < n else 1.0


def clopper_pearson(task):
    choice = choose_by_half(task)
    wrong = wrong_rows(task, choice)
    bound = binomial_upper_limit(wrong[choice.test].sum(), len(choice.test), task.delta)
    about = "population, labeling chosen by half of the labels; i.i.d. rows"
    return Certificate(bound, wrong[~task.labeled].mean(), about)


# ---- MAPIE


def calibrated(task, choice, target, thresholds):
    """A controller of errors among the rows accepted, calibrated on the test half.

    The rows are given as their clusters, whose shares of classes are the probabilities.
    """
    try:
        from mapie.risk_control import (
            BinaryRisk,
            MultiClassificationLTTController,
            abstention_rate,
        )
    except ImportError as error:
        raise ImportError("The rivals of MAPIE need `pip install mapie>=1.6`.") from error

    def accepted(_, predicted):
        return ~np.isnan(predicted)

    controller = MultiClassificationLTTController(
        choice.shares.__getitem__,
        # As errors: of accuracies MAPIE rounds one error up in a fifth of all cases.
        risks=[BinaryRisk(np.not_equal, accepted, higher_is_better=False)],
        target_level=[target],
        confidence_level=1 - task.delta,
        # The default is fewest errors, so least coverage.
        best_predict_param_choice=abstention_rate,
        list_predict_params=np.asarray(thresholds),
        classes=np.arange(task.n_classes),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said whenever all or no thresholds are valid
        clusters = task.candidates[choice.candidate]
        return controller.calibrate(clusters[choice.test], task.codes[choice.test])


def mapie(task, step=1e-4):
    """The smallest multiple of `step` that is certified with every row accepted."""
    choice = choose_by_half(task)

    def certified(target):
        return calibrated(task, choice, target, [0.0]).best_predict_param is not None

    low, high = 0, round(1 / step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certified(middle * step) else (middle, high)
    # One test inverted: Clopper-Pearson's limit of as many errors, or of one more.
    wrong = wrong_rows(task, choice)
    errors, size = wrong[choice.test].sum(), len(choice.test)
    least, most = (binomial_upper_limit(errors + e, size, task.delta) for e in (0, 1))
    assert least - 1e-9 <= high * step <= most + step
    about = "population, labeling chosen by half of the labels; i.i.d. rows"
    return Certificate(high * step, wrong[~task.labeled].mean(), about)


def selective_controller(task, choice, target, n_thresholds):
    """Thresholds are quantiles of the confidence of all rows: known before the test."""
    clusters = task.candidates[choice.candidate]
    confidence = choice.shares.max(axis=1)[clusters]
    levels = np.arange(n_thresholds) / n_thresholds
    thresholds = np.unique(np.quantile(confidence, levels, method="lower"))
    return calibrated(task, choice, target, thresholds)


def mapie_selective(task, target=0.05, n_thresholds=8):
    """The most rows whose error is certified to be at most the target.

    Where no threshold is valid, the error is not a number and the coverage is 0.
    """
    choice = choose_by_half(task)
    controller = selective_controller(task, choice, target, n_thresholds)
    about = "population, accepted rows only; i.i.d. rows"
    if controller.best_predict_param is None:
        return Certificate(target, math.nan, about, 0.0)
    clusters, codes = task.candidates[choice.candidate], task.codes
    predicted = controller.predict(clusters[~task.labeled])
    accepted = ~np.isnan(predicted)
    wrong = predicted[accepted] != codes[~task.labeled][accepted]
    error = wrong.mean() if wrong.size else math.nan
    return Certificate(target, error, about, accepted.mean())


# ---- PAC-Bayes


def kl(q, p):
    return rel_entr(q, p) + rel_entr(1 - q, 1 - p)


def divergence(q, t, m, n, name):
    """m D(R_S, R_Z) of the rates of errors among labeled and unlabeled rows."""
    p = (m * q + n * t) / (m + n)
    if name == "kl":
        return m * kl(q, p)
    return m * kl(q, p) + n * kl(t, p)


@lru_cache
def log_complexity(m, n, name="D*"):
    """ln T_D(m, m + n) by Eq. (6), up to rounding.

    With h(x) = x ln x - ln x! the summands of D* are exponentials of sums of h. K and
    N - K have the same sum.
    """
    x = np.arange(m + n + 1)
    h = xlogy(x, x) - gammaln(x + 1)
    largest = 0.0
    for errors in range(1, (m + n) // 2 + 1):
        k = np.arange(max(0, errors - n), min(m, errors) + 1)
        cells = (k, m - k, errors - k, n - errors + k)
        margins = h[m] + h[n] + h[errors] + h[m + n - errors]
        log_terms = sum(h[cell] for cell in cells) + h[m + n] - margins
        if name == "kl":
            log_terms -= n * kl((errors - k) / n, errors / (m + n))
        largest = max(largest, logsumexp(log_terms))
    return largest


def largest_rate(q, m, n, excess, name):
    """Largest t of which the divergence from q is at most `excess`."""
    if q >= 1 or divergence(q, 1.0, m, n, name) <= excess:
        return 1.0
    return brentq(lambda t: divergence(q, t, m, n, name) - excess, q, 1.0, xtol=1e-12)


def pac_bayes(task, name="D*"):
    """Q all on one majority labeling: that with the smallest bound."""
    m, n = np.sum(task.labeled), np.sum(~task.labeled)
    paid = math.log(len(task.candidates)) + log_complexity(m, n, name)
    bounds, errors = [], []
    for clusters, table in zip(
        task.candidates, counts_of(task, task.labeled), strict=True
    ):
        a = table.sum() - table.max(axis=1).sum()
        excess = paid + len(table) * math.log(task.n_classes) - math.log(task.delta)
        bounds.append(largest_rate(a / m, m, n, excess, name))
        classes = class_shares(table).argmax(axis=1)
        errors.append(np.mean(classes[clusters] != task.codes, where=~task.labeled))
    best = int(np.argmin(bounds))
    # Errors are whole rows; the product may have been rounded down.
    bound = min(1.0, math.floor(n * bounds[best] + 1e-9) / n)
    about = f"unlabeled rows, one labeling; labels at random; PAC-Bayes, {name}"
    return Certificate(bound, errors[best], about)


class Posterior(NamedTuple):
    """Its expected errors among labeled and unlabeled rows, and KL(Q || P)."""

    train: float
    test: float
    kl: float


def gibbs_posterior(train, test, starts, temperature):
    """Q(labeling) proportional to P(labeling) exp(-temperature train errors).

    `train` and `test` have the errors of each class (columns) in each cluster of each
    candidate (rows, candidates from `starts`). A product over the clusters of a
    candidate, so that all sums are in closed form.
    """
    log_parts = logsumexp(-temperature * train, axis=1)
    within = np.exp(-temperature * train - log_parts[:, None])
    # Logarithms of prior means of the exponential, by candidate and over all.
    log_means = np.add.reduceat(log_parts - math.log(train.shape[1]), starts)
    log_mean = logsumexp(log_means) - math.log(len(starts))
    of_candidates = np.exp(log_means - logsumexp(log_means))

    def expected(errors):
        return np.add.reduceat(np.sum(within * errors, axis=1), starts) @ of_candidates

    divergence = -temperature * expected(train) - log_mean
    return Posterior(expected(train), expected(test), max(0.0, divergence))


TEMPERATURES = np.geomspace(0.01, 20, 40)  # per error


def pac_bayes_gibbs(task, name="D*"):
    m, n = np.sum(task.labeled), np.sum(~task.labeled)
    train, test = (
        np.concatenate([table.sum(axis=1, keepdims=True) - table for table in tables])
        for tables in (counts_of(task, task.labeled), counts_of(task, ~task.labeled))
    )
    sizes = [clusters.max() + 1 for clusters in task.candidates]
    starts = np.cumsum([0, *sizes[:-1]])
    paid = log_complexity(m, n, name) - math.log(task.delta)
    posteriors = [gibbs_posterior(train, test, starts, t) for t in TEMPERATURES]
    bounds = [largest_rate(q.train / m, m, n, q.kl + paid, name) for q in posteriors]
    best = int(np.argmin(bounds))
    about = (
        f"unlabeled rows, mean of drawn labelings; labels at random; PAC-Bayes, {name}"
    )
    return Certificate(bounds[best], posteriors[best].test / n, about)


RIVALS = {
    "Clopper-Pearson on half": clopper_pearson,
    "MAPIE, all rows": mapie,
    "MAPIE, target 5 %": mapie_selective,
    "PAC-Bayes D*": pac_bayes,
    "PAC-Bayes D*, Gibbs": pac_bayes_gibbs,
    "PAC-Bayes kl": lambda task: pac_bayes(task, "kl"),
    "PAC-Bayes kl, Gibbs": lambda task: pac_bayes_gibbs(task, "kl"),
}


def has_mapie():
    return find_spec("mapie") is not None
