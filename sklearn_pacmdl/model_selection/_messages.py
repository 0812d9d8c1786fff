"""Warnings of a sweep."""

import re
import warnings
from collections import Counter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from ..utils._checks import shown
from ._evaluation import Failure

# Messages that differ in their numbers only, such as those of convergence, are one kind.
_NUMBER = re.compile(r"\d[\d.]*(e[+-]?\d+)?")
# Causes and candidates that one message names: a choice of length, and nothing else.
_MOST_CAUSES = 5
_MOST_NAMES = 10
# With fewer numbers of clusters, half of the choices would be at an edge by chance.
_FEWEST_OF_A_RANGE = 5


def report_sweep(plan, outcomes, caught, error_score, stacklevel):
    """Warn of what went wrong in a sweep; the outcomes, None for what failed."""
    _report_warnings(caught, stacklevel + 1)
    evaluated = _report_failures(plan, outcomes, error_score, stacklevel + 1)
    succeeded = [outcome for outcome in evaluated if outcome is not None]
    _report_scores(succeeded, stacklevel + 1)
    return evaluated


def _report_warnings(caught, stacklevel):
    """Issue each distinct warning once, with the number of candidates it concerns."""
    # Texts that differ only in numbers count as one.
    by_kind: dict[tuple, list[str]] = {}
    for own in caught:
        kinds = {(category, _NUMBER.sub("#", text)): text for category, text in own}
        for kind, text in kinds.items():
            by_kind.setdefault(kind, []).append(text)
    for (category, _), texts in by_kind.items():
        example = ", for example" if len(set(texts)) > 1 else ""
        message = f"{len(texts)} of {len(caught)} candidates{example}: {texts[0]}"
        warnings.warn(_of_category(category, message), stacklevel=stacklevel + 1)


def _of_category(category, message):
    try:
        return category(message)
    except TypeError:  # a category that takes something else than a text
        return UserWarning(message)


def _report_failures(plan, outcomes, error_score, stacklevel):
    """Warn of the candidates that failed, and put None in their place."""
    failures = {i: o for i, o in enumerate(outcomes) if isinstance(o, Failure)}
    if not failures:
        return outcomes
    causes = _causes(failures.values())
    if len(failures) == len(outcomes):
        first = next(iter(failures.values()))
        raise ValueError(
            f"All {len(outcomes)} candidates failed: {causes}. error_score='raise' "
            "raises the first error itself."
        ) from RuntimeError(first.details)
    names = ", ".join(_describe(plan, i) for i in list(failures)[:_MOST_NAMES])
    if len(failures) > _MOST_NAMES:
        names += f" and {len(failures) - _MOST_NAMES} more"
    warnings.warn(
        f"{len(failures)} of {len(outcomes)} candidates failed; their bound is "
        f"recorded as {shown(error_score)}: {names}. Causes: {causes}. "
        "error_score='raise' raises the first error itself.",
        FitFailedWarning,
        stacklevel=stacklevel + 1,
    )
    return [None if i in failures else outcome for i, outcome in enumerate(outcomes)]


def report_edge(plan, index, stacklevel):
    """Warn if the chosen number of clusters is the largest or the smallest one tried."""
    # Nothing is said of a grid of a few numbers, most of which are at its edges, nor of
    # two clusters, since one cluster is no clustering.
    chosen = plan.candidates[index]
    numbers = plan.variants[chosen.algorithm, chosen.grid].n_clusters
    if len(numbers) < _FEWEST_OF_A_RANGE or chosen.n_clusters <= 2:
        return
    edges = {min(numbers): ("smallest", "fewer"), max(numbers): ("largest", "more")}
    if chosen.n_clusters not in edges:
        return
    edge, more = edges[chosen.n_clusters]
    warnings.warn(
        f"The chosen n_clusters={chosen.n_clusters} is the {edge} number tried for "
        f"{chosen.algorithm!r}, so {more} clusters may have a smaller bound. The choice "
        "between this search and one of a wider range is not covered, unless delta is "
        "divided between both.",
        stacklevel=stacklevel + 1,
    )


def _report_scores(outcomes, stacklevel):
    """Issue one warning for each scorer that failed or returned NaN."""
    for name in outcomes[0].scores:
        values = [outcome.scores[name] for outcome in outcomes]
        failed = [value for value in values if isinstance(value, Failure)]
        n_missing = sum(not isinstance(v, Failure) and np.isnan(v) for v in values)
        told = []
        if failed:
            told.append(
                f"failed for {len(failed)} of {len(values)} candidates, recorded as nan: "
                f"{_causes(failed)}"
            )
        if n_missing:
            told.append(f"returned nan for {n_missing} of {len(values)} candidates")
        if told:
            warnings.warn(
                f"Scorer {name!r} {' and '.join(told)}.", stacklevel=stacklevel + 1
            )


def _causes(failures):
    """First lines of the distinct error messages, the most frequent first."""
    lines = [failure.cause.partition("\n")[0].rstrip(".") for failure in failures]
    first = {_NUMBER.sub("#", line): line for line in reversed(lines)}
    counts = Counter(_NUMBER.sub("#", line) for line in lines).most_common()
    told = [f"{count} with {first[kind]}" for kind, count in counts[:_MOST_CAUSES]]
    more = len(counts) - _MOST_CAUSES
    return "; ".join([*told, *([f"{more} other causes"] if more > 0 else [])])


def _describe(plan, index):
    params = ", ".join(f"{k}={shown(v)}" for k, v in plan.params(index).items())
    return f"{plan.candidates[index].algorithm} ({params})"
