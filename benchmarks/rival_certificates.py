"""Certificates that others would give for the same clusterings and the same labels.

Each rival is a function of a `Task`, the partitions of one sweep and the rows that are
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

    OMP_NUM_THREADS=1 python benchmarks/rival_certificates.py --check
    OMP_NUM_THREADS=1 python benchmarks/rival_certificates.py --digits
"""

import argparse
import math
import warnings
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp, rel_entr, xlogy
from scipy.stats import beta, binom, hypergeom

from sklearn_pacmdl.bounds import bmax, pac_mdl_bound
from sklearn_pacmdl.labeling import class_counts


class Task(NamedTuple):
    """Partitions of the same rows, clusters from 0, and which rows have their label."""

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


def leave_one_out_errors(counts):
    """Labeled rows that the other labels of their cluster get wrong.

    Ties, of all classes if there are no other labels, count as in a random choice.
    """
    others = counts[:, None, :] - np.eye(counts.shape[1])
    tied = others == others.max(axis=2, keepdims=True)
    correct = np.diagonal(tied, axis1=1, axis2=2) / tied.sum(axis=2)
    return np.sum(counts * (1 - correct))


def choose_by_half(task):
    """Fewest leave-one-out errors, then fewest clusters."""
    rows = np.random.RandomState(task.seed).permutation(np.flatnonzero(task.labeled))
    choosing, test = np.split(rows, [len(rows) // 2])
    tables = counts_of(task, choosing)
    keys = [(round(leave_one_out_errors(table), 9), len(table)) for table in tables]
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


def hold_out(task):
    """Ours, of the same labeling: a statement about the unlabeled rows themselves."""
    choice = choose_by_half(task)
    wrong = wrong_rows(task, choice)
    n = np.sum(~task.labeled)
    b = bmax(len(choice.test), n, wrong[choice.test].sum(), task.delta)
    about = "unlabeled rows, labeling chosen by half of the labels; labels at random"
    return Certificate(b / n, wrong[~task.labeled].mean(), about)


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
    about = "population, labeling chosen by half of the labels; i.i.d. rows"
    wrong = wrong_rows(task, choice)
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


def pac_mdl(task):
    """Ours, with the prior of the PAC-Bayesian rivals as its language."""
    m, n = np.sum(task.labeled), np.sum(~task.labeled)
    tables = counts_of(task, task.labeled)
    a = np.array([table.sum() - table.max(axis=1).sum() for table in tables])
    sizes = np.array([len(table) for table in tables])
    bits = np.log2(len(tables)) + sizes * np.log2(task.n_classes)
    bounds = pac_mdl_bound(m, n, a, description_length=bits, delta=task.delta)
    best = int(np.argmin(bounds))
    classes = class_shares(tables[best]).argmax(axis=1)
    wrong = classes[task.candidates[best]] != task.codes
    about = "unlabeled rows, one labeling; labels at random; PAC-MDL"
    return Certificate(bounds[best] / n, wrong[~task.labeled].mean(), about)


OURS = {"PAC-MDL": pac_mdl, "hold-out": hold_out}
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


def certificates(task):
    """Of all, ours first; MAPIE's only if it is installed."""
    named = (OURS | RIVALS).items()
    left_out = () if has_mapie() else (mapie, mapie_selective)
    return {name: rival(task) for name, rival in named if rival not in left_out}


# ---- Checks


def exceeds(certificate, slack=1e-9):
    return certificate.error > certificate.bound + slack


def may_be(violations, n_draws, delta):
    """One-sided binomial test at 1e-6 that the rate of violations is at most delta."""
    return binom.sf(violations - 1, n_draws, delta) > 1e-6


def complexity_by_definition(m, n, name):
    def of(errors):
        k = np.arange(max(0, errors - n), min(m, errors) + 1)
        log_weights = hypergeom.logpmf(k, m + n, errors, m)
        return logsumexp(log_weights + divergence(k / m, (errors - k) / n, m, n, name))

    return max(of(errors) for errors in range(m + n + 1))


def check_complexity():
    for m, n in ((1, 1), (5, 9), (30, 12), (40, 40)):
        for name in ("D*", "kl"):
            expected = complexity_by_definition(m, n, name)
            assert math.isclose(log_complexity(m, n, name), expected, abs_tol=1e-9)
    print("T(m, N): D*, kl, and 3 ln(m) sqrt(m (1 - m / N)) of Corollary 7(a) for D*")
    for m, n in ((20, 20), (100, 100), (250, 250), (180, 1617), (899, 898)):
        closed = 3 * math.log(m) * math.sqrt(m * n / (m + n))
        found = [math.exp(log_complexity(m, n, name)) for name in ("D*", "kl")]
        assert found[0] <= closed
        print(f"  m={m:<4} N={m + n:<5} {found[0]:8.2f} {found[1]:8.2f} {closed:8.2f}")


def check_posterior():
    """Against all labelings of two candidates, one by one."""
    rng = np.random.RandomState(0)
    train, test = rng.randint(5, size=(2, 5, 3))
    starts, temperature = np.array([0, 2]), 0.7
    labelings = [*product(range(3), repeat=2), *product(range(3), repeat=3)]
    rows = [np.arange(2) if len(labels) == 2 else np.arange(2, 5) for labels in labelings]
    prior = np.array([1 / 2 / 3 ** len(labels) for labels in labelings])
    pairs = list(zip(rows, labelings, strict=True))
    errors = [
        np.array([of[own, labels].sum() for own, labels in pairs]) for of in (train, test)
    ]
    weights = prior * np.exp(-temperature * errors[0])
    weights /= weights.sum()
    expected = (*(weights @ e for e in errors), rel_entr(weights, prior).sum())
    assert np.allclose(gibbs_posterior(train, test, starts, temperature), expected)


def random_partitions(rng, n_rows, numbers):
    return [rng.randint(c, size=n_rows) for c in numbers]


def print_rates(violations, n_draws):
    for name, found in violations.items():
        print(f"  {name:<53} {found / n_draws:.4f}")


def check_pac_bayes(n_draws=2000, n_rows=120, n_classes=3, delta=0.1):
    """Pure noise, the same rows throughout, other labels drawn: nothing to be learned."""
    rng = np.random.RandomState(0)
    candidates = random_partitions(rng, n_rows, (2, 4, 8, 8, 16))
    codes = rng.randint(n_classes, size=n_rows)
    labeled = np.arange(n_rows) < n_rows // 2
    m, n = labeled.sum(), (~labeled).sum()
    excess = log_complexity(m, n) - math.log(delta)

    def of_fixed_labeling(task):
        wrong = task.codes != 0
        bound = largest_rate(wrong[task.labeled].mean(), m, n, excess, "D*")
        return Certificate(bound, wrong[~task.labeled].mean(), "")

    def nothing_paid(task):
        table = counts_of(task, task.labeled)[-1]
        wrong = class_shares(table).argmax(axis=1)[task.candidates[-1]] != task.codes
        bound = largest_rate(wrong[task.labeled].mean(), m, n, excess, "D*")
        return Certificate(bound, wrong[~task.labeled].mean(), "")

    certified = {
        "PAC-Bayes D*": pac_bayes,
        "PAC-Bayes D*, Gibbs": pac_bayes_gibbs,
        "PAC-Bayes D*, one labeling fixed beforehand": of_fixed_labeling,
        "PAC-MDL": pac_mdl,
        "must fail: PAC-Bayes D* with KL left out": nothing_paid,
    }
    violations = dict.fromkeys(certified, 0)
    for _ in range(n_draws):
        labeled = rng.permutation(labeled)
        task = Task(candidates, codes, labeled, n_classes, delta)
        for name, certify in certified.items():
            violations[name] += exceeds(certify(task))
    print(f"\nViolations on noise, {n_draws} draws, delta = {delta}")
    print_rates(violations, n_draws)
    for name, found in violations.items():
        assert may_be(found, n_draws, delta) != name.startswith("must fail"), name


def check_halves(n_draws=2000, n_rows=2000, n_types=1000, n_classes=3, delta=0.1):
    """Independent draws from a population whose errors are known."""
    rng = np.random.RandomState(1)
    partitions = random_partitions(rng, n_types, (3, 6, 12))
    noisy = rng.uniform(size=n_types) < 0.08 * partitions[1]  # some clusters are better
    codes = np.where(noisy, rng.randint(n_classes, size=n_types), partitions[1] % 3)
    population = Task(partitions, codes, None, n_classes, delta)
    labeled = np.arange(n_rows) < n_rows // 2
    selective = "MAPIE, target 12 %, by the population"
    of_rows = "of no guarantee: Clopper-Pearson, by unlabeled rows"
    violations = dict.fromkeys(
        ["Clopper-Pearson, by the population", "hold-out, by unlabeled rows", of_rows], 0
    )
    if has_mapie():
        violations[selective] = 0
    for seed in range(n_draws):
        drawn = rng.randint(n_types, size=n_rows)
        own = [clusters[drawn] for clusters in partitions]
        task = Task(own, codes[drawn], labeled, n_classes, delta, seed)
        choice = choose_by_half(task)
        wrong = wrong_rows(population, choice)
        certificate = clopper_pearson(task)
        true = certificate._replace(error=wrong.mean())
        violations["Clopper-Pearson, by the population"] += exceeds(true)
        violations[of_rows] += exceeds(certificate)
        violations["hold-out, by unlabeled rows"] += exceeds(hold_out(task))
        if has_mapie():
            controller = selective_controller(task, choice, 0.12, 8)
            if controller.best_predict_param is not None:
                predicted = controller.predict(partitions[choice.candidate])
                accepted = ~np.isnan(predicted)
                violations[selective] += wrong[accepted].mean() > 0.12
    print(f"\nViolations, half of the labels to choose, {n_draws} draws, delta = {delta}")
    print_rates(violations, n_draws)
    for name, found in violations.items():
        assert name == of_rows or may_be(found, n_draws, delta), name


def digits_candidates(numbers=range(2, 61, 4), n_starts=5):
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    makers = [lambda c, s=s: KMeans(c, n_init=1, random_state=s) for s in range(n_starts)]
    makers.append(AgglomerativeClustering)
    return [make(c).fit_predict(X) for make in makers for c in numbers], y


def label_at_random(n_rows, share, seed):
    labeled = np.zeros(n_rows, dtype=bool)
    rows = np.random.RandomState(seed).permutation(n_rows)
    labeled[rows[: round(share * n_rows)]] = True
    return labeled


def check_mapie(n_draws=20, n_rows=600):
    """Its smallest target is Clopper-Pearson's limit of as many errors, or one more."""
    if not has_mapie():
        print("\nMAPIE is not installed: not checked.")
        return
    rng = np.random.RandomState(2)
    candidates = random_partitions(rng, n_rows, (4, 8))
    noise = rng.randint(4, size=n_rows)
    codes = np.where(rng.uniform(size=n_rows) < 0.1, noise, candidates[0] % 4)
    for seed in range(n_draws):
        labeled = label_at_random(n_rows, 0.5, seed)
        task = Task(candidates, codes, labeled, 4, 0.1, seed)
        choice = choose_by_half(task)
        errors, size = wrong_rows(task, choice)[choice.test].sum(), len(choice.test)
        low, high = (binomial_upper_limit(errors + e, size, 0.1) for e in (0, 1))
        assert low - 1e-9 <= mapie(task).bound <= high + 1e-4
    print("\nMAPIE with all rows accepted agrees with Clopper-Pearson.")


def _self_check():
    check_complexity()
    check_posterior()
    check_pac_bayes()
    check_halves()
    check_mapie()


def _digits(n_splits=5):
    candidates, y = digits_candidates()
    for share in (0.5, 0.1):
        rows = {}
        for seed in range(n_splits):
            labeled = label_at_random(len(y), share, seed)
            task = Task(candidates, y, labeled, 10, 0.1, seed)
            for name, found in certificates(task).items():
                one = found.bound, found.error, found.coverage, exceeds(found)
                rows.setdefault(name, []).append(one)
        print(f"\ndigits, {len(candidates)} candidates, {100 * share:g} % labeled (%)")
        print(f"{'':<26}   bound   error  coverage  exceeded")
        for name, values in rows.items():
            *means, _ = 100 * np.mean(values, axis=0)
            print(
                f"{name:<26}{means[0]:8.2f}{means[1]:8.2f}{means[2]:10.1f}"
                f"{int(np.sum(values, axis=0)[3]):7} of {n_splits}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="self-checks, about 1 min")
    parser.add_argument("--digits", action="store_true", help="all of them on digits")
    options = parser.parse_args()
    if options.check:
        _self_check()
    if options.digits:
        _digits()


if __name__ == "__main__":
    main()
