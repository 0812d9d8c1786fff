"""From counted candidates to certificates: weigh and bound, rank, and issue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..bounds import pac_mdl_bound
from ..certificates import clauses
from ..languages import (
    PAPER_LANGUAGES,
    SWEPT_TERMS,
    Candidate,
    Language,
    LanguageName,
    Prior,
    UniformLabelLanguage,
    check_kraft,
    get_language,
)
from ..utils._checks import shown
from ..utils._weights import length_in_bits, total_weight
from ._counting import CandidateCounts, SplitSizes
from ._goals import LabelAll
from ._methods import Method, Option, Terms
from ._weighing import best_of_kinds, means_over_starts, preferred_kind, weigh


class LanguageWeights(NamedTuple):
    """Weights of the candidates of a sweep, fixed before any certifying label is seen."""

    language: Language  # also weighs labels, where these cost bits
    of_candidates: Sequence[Mapping[str, Fraction]]  # by term
    name: str = ""  # of the language, or its code; empty by default
    assumed: tuple[str, ...] = ()  # of the language


def weigh_candidates(
    language: LanguageName | Language | None,
    candidates: Sequence[Candidate],
    method: Method,
) -> LanguageWeights:
    """Ask a checked language for its weights, and check them."""
    if method.chooses_first:
        return LanguageWeights(Prior(), [{} for _ in candidates])
    chosen = Prior() if language is None else get_language(language)
    weights = list(chosen.candidate_weights(candidates))
    if len(weights) != len(candidates):
        raise ValueError(
            "candidate_weights of a language must return one dict per candidate "
            f"({len(candidates)}), got {len(weights)} from {language!r}."
        )
    check_kraft(weights)
    weighs_labels = type(chosen).label_weight is not UniformLabelLanguage.label_weight
    assumed = (clauses.WEIGHTS,) if not method.fraction and weighs_labels else ()
    name = language if isinstance(language, str) else repr(language)
    return LanguageWeights(chosen, weights, "" if language is None else name, assumed)


@dataclass(frozen=True)
class Sweep:
    """All candidates, counted."""

    method: Method
    goal: LabelAll
    candidates: Sequence[Candidate]
    counted: Sequence[Any]  # CandidateCounts; None for a candidate that failed
    weights: LanguageWeights
    sizes: Sequence[SplitSizes]  # by split
    n_classes: int
    delta: float
    learns: Sequence[bool] = ()  # whether candidates are classifiers, if some are

    @property
    def two_kinds(self) -> bool:
        """Whether some candidates are clusterers, and some are classifiers."""
        return len({*self.learns}) > 1

    def refitted(self, index: int, counted: CandidateCounts) -> "Sweep":
        """The sweep with another fit of one candidate, whose weights stay as they are.

        What equal clusterings had in common is not of this one.
        """
        again = counted._replace(
            selection_errors=self.counted[index].selection_errors,
            preferences=self.counted[index].preferences,
            nested=self.counted[index].nested,
            equal=(),
        )
        return replace(
            self, counted=[again if i == index else c for i, c in enumerate(self.counted)]
        )

    def of_each(self, name: str) -> NDArray[np.floating]:
        """A field that was counted on each split, of shape (n_candidates, n_splits)."""
        missing = np.full(len(self.sizes), np.nan)
        return np.array([getattr(c, name, missing) for c in self.counted])

    def estimated_error_rates(self) -> NDArray[np.floating]:
        """Error rates that all labels let expect, of the same shape."""
        n_labeled = np.array([sizes.n_labeled for sizes in self.sizes])
        return self.of_each("estimated_errors") / n_labeled


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Ranking:
    """Order of the candidates of a sweep, with the values by which they are ordered."""

    column: str  # of the results
    values: NDArray[np.floating]  # lower is better; NaN for who cannot be chosen
    best: int
    ranks: NDArray[np.integer]  # equal values share a rank
    n_rows: float = 1.0  # denominator that turns values into rates

    @classmethod
    def of(
        cls, column: str, values: NDArray, *tie_breakers: NDArray, n_rows: float = 1.0
    ) -> "Ranking":
        """Order the candidates; the first one is best if several are equal in all."""
        filled = np.where(np.isnan(values), np.inf, values)
        best = int(np.lexsort((*tie_breakers[::-1], filled))[0])
        ranks = rankdata(filled, method="min").astype(int)
        return cls(column, values, best, ranks, n_rows)


class Claim(NamedTuple):
    """An option of a candidate on one split, with its bound."""

    option: Option
    terms: Terms  # all weights
    description_length: float  # of all of these, in bits
    bound: float  # rate among the unlabeled rows that have a class


@dataclass(frozen=True)
class Claims:
    """What may be claimed of candidates, with bounds that hold at once."""

    sweep: Sweep
    offered: Sequence[dict[int, list[Claim]]]  # by split and candidate
    best: Sequence[dict[int, Claim | None]]  # None where nothing reaches the goal
    preferred: Ranking | None  # by selecting rows, if these choose

    def per_split(self, name: str) -> NDArray[np.floating]:
        """An attribute of best claims, of shape (n_splits, n_candidates); else NaN."""
        value = attrgetter(name)
        table = np.full((len(self.best), len(self.sweep.candidates)), np.nan)
        for split, claims in enumerate(self.best):
            for i, claim in claims.items():
                if claim is not None:
                    table[split, i] = value(claim)
        return table

    def coverages(self) -> NDArray[np.floating]:
        """Share of unlabeled rows with a class, by split and candidate; 0 if no claim."""
        n_test = np.array([[sizes.n_test] for sizes in self.sweep.sizes])
        table = self.per_split("option.n_test") / n_test
        for split, claims in enumerate(self.best):
            for i, claim in claims.items():
                if claim is None and self.sweep.counted[i] is not None:
                    table[split, i] = 0.0
        return table

    def uncertified(self) -> NDArray[np.floating]:
        """Share of the unlabeled rows without a class or perhaps wrong, likewise."""
        coverages = self.coverages()
        wrong = np.where(coverages == 0, 0.0, coverages * self.per_split("bound"))
        return (1 - coverages) + wrong


def bound(sweep: Sweep, only: int | None = None) -> Claims:
    """Weigh the options of all candidates, or of one, and bound them at once."""
    ranking = None
    if sweep.method.chooses_first and only is None:
        ranking = _preferred(sweep)
        only = ranking.best
    claimed = range(len(sweep.candidates)) if only is None else [only]
    offered = []
    for split in range(len(sweep.sizes)):
        by_candidate = [*weigh(sweep, split, claimed)]
        claims: dict[int, list[Claim]] = {i: [] for i in claimed}
        for i, claim in _claims(by_candidate, sweep.delta):
            claims[i].append(claim)
        offered.append(claims)
    best = [{i: sweep.goal.best(c) for i, c in claims.items()} for claims in offered]
    return Claims(sweep, offered, best, ranking)


def _claims(by_candidate, delta):
    """Candidates, and claims of their options by the PAC-MDL bound."""
    counts = [(o.n_train, o.n_test, o.train_errors) for _, o, _ in by_candidate]
    bits = [length_in_bits(total_weight(terms)) for *_, terms in by_candidate]
    bounds = pac_mdl_bound(
        *np.array(counts, dtype=np.int64).reshape(-1, 3).T,
        description_length=np.array(bits, dtype=float),
        delta=delta,
    )
    for (i, option, terms), length, most in zip(by_candidate, bits, bounds, strict=True):
        yield i, Claim(option, terms, length, most / option.n_test)


def _preferred(sweep):
    """The order of the candidates by the selecting rows of all splits."""
    values = sweep.of_each("preferences").mean(axis=1)
    n_rows = float(np.mean([sweep.goal.n_chosen_by(sizes) for sizes in sweep.sizes]))
    means = means_over_starts(sweep.candidates, values)
    ranking = Ranking.of(sweep.goal.chosen_by, means, values, n_rows=n_rows)
    if not sweep.two_kinds:
        return ranking
    # Of the kind that nested cross-validation prefers, whatever the estimates of others.
    kind = preferred_kind(sweep, values, [*range(len(sweep.sizes))])
    best = best_of_kinds(sweep, values)[kind]
    first = np.where(np.arange(len(means)) == best, -np.inf, means)
    ranks = Ranking.of(sweep.goal.chosen_by, first).ranks
    return replace(ranking, best=best, ranks=ranks)


def rank(claims: Claims) -> Ranking:
    """The order of the candidates, by claims unless selecting rows have chosen."""
    return claims.preferred or Ranking.of(*claims.sweep.goal.order(claims))


def issue_certificate(
    claims, split, index, params, *, declared, made_before, classes, **known
):
    """Make the certificate of the best claim of a candidate on one split.

    It is said whether the classes were known beforehand for sure, and if clusterings
    were ``made_before``, by somebody else. What else is known are fields.
    """
    claim, sweep = claims.best[split][index], claims.sweep
    sizes, option = sweep.sizes[split], claim.option
    candidate = sweep.candidates[index]
    subject = {
        "algorithm": candidate.algorithm,
        "n_clusters": candidate.n_clusters,
        "n_clusters_found": sweep.counted[index].n_clusters,
        "init": candidate.init,
        "params": {key: shown(value) for key, value in params.items()},
        "n_classes": sweep.n_classes,
        "n_candidates": len(sweep.candidates),
    }
    if sweep.weights.name:  # else it is the default, or there is nothing to pay for
        subject["language"] = sweep.weights.name
    if len(sweep.sizes) > 1:
        subject["split"] = split
    fields = {**known, "subject": subject | known.get("subject", {})}
    made = clauses.MADE_BEFORE if made_before else clauses.WITHOUT_LABELS
    provisos = [made, *sweep.weights.assumed]
    if not sweep.method.fraction and not declared:
        provisos.insert(0, clauses.CLASSES.format(len(classes)))
    return sweep.method.certificate.from_counts(
        option.n_train,
        option.n_test,
        option.train_errors,
        weights=claim.terms,
        delta=sweep.delta,
        n_select=sizes.n_select,
        n_train_abstained=sizes.n_certify - option.n_train,
        n_test_abstained=sizes.n_test - option.n_test,
        provisos=provisos,
        classes=classes,
        **fields,
    )


_FREE = Fraction(1)
# Terms are listed in this order; those that languages name stand between.
_FIRST_TERMS = ("label", *SWEPT_TERMS)
_LAST_TERMS = ("candidate", "subset")


def results_table(claims, ranking, error_score=np.nan):
    """Results of every candidate: columns by name, failed bounds as error_score."""
    columns, means, sweep = _columns(claims, ranking), {}, claims.sweep
    by_split: dict[str, np.ndarray] = {}
    failed = np.array([counted is None for counted in sweep.counted])
    if failed.any():
        columns["test_bound"][:, failed] = error_score
    for name, column in columns.items():
        means[f"mean_{name}"] = column.mean(axis=0)
        if name == "test_bound" and len(column) > 1:
            means[f"std_{name}"] = column.std(axis=0)
        if len(column) > 1:
            by_split |= {f"split{i}_{name}": row for i, row in enumerate(column)}
    ranks = {
        f"rank_{ranking.column}": ranking.ranks,
        "ranking_value": np.where(failed, np.nan, ranking.values / ranking.n_rows),
    }
    found = [None if c is None else c.n_clusters for c in sweep.counted]
    described = {
        "algorithm": np.array([c.algorithm for c in sweep.candidates], dtype=object),
        "n_clusters": _masked([c.n_clusters for c in sweep.candidates]),
        "n_clusters_found": _masked(found),
        "init": np.array([c.init for c in sweep.candidates]),
    }
    classifiers = _masked(found).mask & ~failed
    if classifiers.any():  # how candidates were assessed on the selecting rows
        words = np.where(classifiers, "cross-validation", "half leave-one-out")
        described["errors by"] = words.astype(object)
    costs = {
        "description_length": claims.per_split("description_length").mean(axis=0),
        "bits": _bits(claims),
    }
    return ranks | described | means | costs | by_split


def _masked(numbers):
    """Integers as a masked array, without those that are None."""
    return np.ma.array([n or 0 for n in numbers], mask=[n is None for n in numbers])


def _columns(claims, ranking):
    """Columns of shape (n_splits, n_candidates)."""
    sweep, goal = claims.sweep, claims.sweep.goal
    columns = {
        "test_bound": claims.per_split("bound"),
        "n_certifying_errors": claims.per_split("option.train_errors"),
    }
    if sweep.method.fraction and not sweep.method.chooses_first:
        with np.errstate(invalid="ignore"):  # of none that certifies there is no share
            n_certify = claims.per_split("option.n_train")
            columns["certifying_error"] = columns["n_certifying_errors"] / n_certify
    if goal.abstains or goal.drops_noise:
        columns["coverage"] = claims.coverages()
    if goal.drops_noise and not goal.abstains:
        columns["uncertified"] = claims.uncertified()
    if sweep.method.fraction:  # what candidates are chosen or weighed by, as a rate
        n_rows = np.array([[goal.n_chosen_by(sizes)] for sizes in sweep.sizes])
        values = sweep.of_each("preferences").T
        rates = 1 - np.floor(values) / n_rows if goal.abstains else values / n_rows
        columns[goal.chosen_by] = rates
    if ranking.column == "estimated_error":
        columns["estimated_error"] = sweep.estimated_error_rates().T
    test_error = np.full(columns["test_bound"].shape, np.nan)
    for split, best in enumerate(claims.best):
        for i, counted in enumerate(sweep.counted):
            options = [] if counted is None else counted.options[split]
            # Of the claim, or of the only option.
            option = options[0] if len(options) == 1 else None
            option = option if best.get(i) is None else best[i].option
            if option is not None and option.n_test and option.test_errors >= 0:
                test_error[split, i] = option.test_errors / option.n_test
    if not np.all(np.isnan(test_error)):
        columns["test_error"] = test_error
    return columns


def paper_columns(sweep):
    """Bounds under the paper's languages, for the majority classes of all labels."""
    ok = np.array([i for i, c in enumerate(sweep.counted) if c is not None])
    n_clusters = np.array([sweep.counted[i].n_clusters for i in ok])
    errors = np.array([sweep.counted[i].train_errors for i in ok])
    selection = [lang.selection_bits(sweep.candidates)[ok] for lang in PAPER_LANGUAGES]
    bits = n_clusters * np.log2(sweep.n_classes) + np.stack(selection)
    language, candidate = np.nonzero(~np.isnan(bits))  # what is described
    bounds = np.full((len(bits), len(sweep.sizes), len(sweep.candidates)), np.nan)
    for split, sizes in enumerate(sweep.sizes):
        bounds[language, split, ok[candidate]] = (
            pac_mdl_bound(
                sizes.n_labeled,
                sizes.n_test,
                errors[candidate, split],
                description_length=bits[language, candidate],
                delta=sweep.delta,
            )
            / sizes.n_test
        )
    names = [f"mean_{language.name}_bound" for language in PAPER_LANGUAGES]
    return {name: rows.mean(axis=0) for name, rows in zip(names, bounds, strict=True)}


def _bits(claims):
    """Bits of each candidate by term, as means over splits; None without a claim."""
    candidates = [
        [best.get(i) for best in claims.best] for i in range(len(claims.sweep.candidates))
    ]
    made = [claim for of_splits in candidates for claim in of_splits if claim is not None]
    described = dict.fromkeys(term for claim in made for term in claim.terms)
    between = [t for t in described if t not in (*_FIRST_TERMS, *_LAST_TERMS)]
    ordered = (*_FIRST_TERMS, *between, *_LAST_TERMS)
    terms = [term for term in ordered if term in described]
    by_term = np.full(len(candidates), None)
    for i, of_splits in enumerate(candidates):
        if None not in of_splits:
            weights = {t: [c.terms.get(t, _FREE) for c in of_splits] for t in terms}
            by_term[i] = {
                term: float(np.mean([*map(length_in_bits, each)]))
                for term, each in weights.items()
            }
    return by_term
