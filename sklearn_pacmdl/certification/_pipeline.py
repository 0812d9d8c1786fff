"""From counted candidates to certificates: weigh, bound, rank and issue.

Each is a function of what the one before returned.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..bounds import pac_mdl_bound
from ..certificates import (
    CLASSES,
    MADE_BEFORE,
    WEIGHTS,
    WITHOUT_LABELS,
    grouped,
)
from ..languages import (
    Candidate,
    Language,
    Prior,
    UniformLabelLanguage,
    check_kraft,
    get_language,
)
from ..languages._language import SWEPT_TERMS
from ..languages._paper import PAPER_LANGUAGES, LanguageName
from ..utils._checks import shown
from ..utils._weights import length_in_bits, total_weight
from ._counting import SplitSizes
from ._goals import Counted, Goal
from ._strategy import Offers, Option, Strategy


@dataclass(frozen=True)
class Weighing:
    """Weights of the candidates of a sweep, fixed before any certifying label is seen."""

    language: Language  # that weighs labels, too, where these cost bits
    weights: Sequence[dict[str, Fraction]]  # of candidates, by term
    name: str  # of the language, or its code; empty by default
    assumed: tuple[str, ...] = ()  # of the language


def check_language_of(
    strategy: Strategy, language: LanguageName | Language | None
) -> None:
    """Refuse a language where it has no effect, and what is none."""
    if language is None:
        return
    get_language(language)
    if strategy.chooses_first:
        raise ValueError(
            f"language must be None with certify={strategy.kind!r}, where it has no "
            f"effect, got language={shown(language)}."
        )


def make_weighing(
    language: LanguageName | Language | None,
    candidates: Sequence[Candidate],
    strategy: Strategy,
) -> Weighing:
    """Ask the language for its weights, and check them."""
    check_language_of(strategy, language)
    if strategy.chooses_first:
        return Weighing(Prior(), [{} for _ in candidates], "")
    chosen: Language = Prior()
    name = ""
    if language is not None:
        chosen = get_language(language)
        name = language if isinstance(language, str) else repr(chosen)
    weights = list(chosen.candidate_weights(candidates))
    if len(weights) != len(candidates):
        raise ValueError(
            "candidate_weights of a language must return one dict per candidate "
            f"({len(candidates)}), got {len(weights)} from {language!r}."
        )
    check_kraft(weights)
    own = type(chosen).label_weight is not UniformLabelLanguage.label_weight
    assumed = (WEIGHTS,) if strategy.pays_for_labels and own else ()
    return Weighing(chosen, weights, name, assumed)


@dataclass(frozen=True)
class Sweep:
    """All candidates, counted."""

    strategy: Strategy
    goal: Goal
    candidates: Sequence[Candidate]
    counted: Sequence[Counted | None]  # None for a candidate that failed
    weighing: Weighing
    sizes: Sequence[SplitSizes]  # by split
    n_classes: int
    delta: float

    def of(self, index: int) -> Counted:
        """What was counted of a candidate that did not fail."""
        counted = self.counted[index]
        assert counted is not None
        return counted

    def refitted(self, index: int, counted: Counted) -> "Sweep":
        """The sweep with another fit of one candidate, of which claims are to be made.

        Weights are not learned again from another partition.
        """
        again = counted._replace(
            selection_errors=self.of(index).selection_errors,
            preferences=self.of(index).preferences,
        )
        return replace(
            self, counted=[again if i == index else c for i, c in enumerate(self.counted)]
        )

    def failed(self) -> NDArray[np.bool_]:
        """Whether each candidate failed."""
        return np.array([counted is None for counted in self.counted])

    def of_each(self, name: str) -> NDArray[np.floating]:
        """A field that was counted on each split, of shape (n_candidates, n_splits)."""
        missing = np.full(len(self.sizes), np.nan)
        return np.array([getattr(c, name, missing) for c in self.counted])


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


@dataclass(frozen=True)
class Weighed:
    """What may be claimed of candidates, with everything that weights consist of."""

    sweep: Sweep
    claimed: Sequence[int]  # candidates
    by_split: Sequence[Offers]
    preferred: Ranking | None  # by selecting rows, if these choose


def weigh(sweep: Sweep, only: int | None = None) -> Weighed:
    """Give weights to the options of all candidates, or of one.

    Where selecting rows choose, only what they choose may be claimed: a choice by claims
    would have to be paid for.
    """
    ranking = None
    if sweep.strategy.chooses_first and only is None:
        ranking = _preferred(sweep)
        only = ranking.best
    claimed = range(len(sweep.candidates)) if only is None else [only]
    offers = [_offers(sweep, split, claimed) for split in range(len(sweep.sizes))]
    return Weighed(sweep, claimed, offers, ranking)


def _preferred(sweep, split=None):
    """The order in which the selecting rows of one split, or of all, put the candidates.

    Candidates are ranked by their means over all starts that did not fail: the best of
    many starts on few labels is mostly a lucky one.
    """
    by_split = sweep.of_each("preferences")
    values = by_split.mean(axis=1) if split is None else by_split[:, split]
    kinds = [(c.algorithm, c.n_clusters, c.grid) for c in sweep.candidates]
    of_kind = defaultdict(list)
    for kind, value in zip(kinds, values, strict=True):
        if not np.isnan(value):
            of_kind[kind].append(value)
    means = {kind: float(np.mean(own)) for kind, own in of_kind.items()}
    over_starts = np.array([means.get(kind, np.nan) for kind in kinds])
    over_starts[np.isnan(values)] = np.nan
    n_rows = float(np.mean([sweep.goal.n_chosen_by(sizes) for sizes in sweep.sizes]))
    return Ranking.of(sweep.goal.chosen_by, over_starts, values, n_rows=n_rows)


def _offers(sweep, split, claimed):
    strategy, errors = sweep.strategy, sweep.of_each("selection_errors")[:, split]
    weights = strategy.candidate_weights(sweep.weighing.weights, errors)
    # Another split's selecting rows may certify here.
    preferred = _preferred(sweep, split).best
    offered = [
        (i, option)
        for i in claimed
        if sweep.counted[i] is not None
        for option in sweep.of(i).options[split]
        if option.n_test
    ]
    terms = [
        strategy.weight(option, weights[i], preferred=i == preferred)
        for i, option in offered
    ]
    return Offers([i for i, _ in offered], [option for _, option in offered], terms)


class Claim(NamedTuple):
    """An option of a candidate on one split, with its bound."""

    option: Option
    terms: Mapping[str, Fraction]  # all weights
    description_length: float  # of all of these, in bits
    bound: float  # rate among the unlabeled rows that have a class


@dataclass(frozen=True)
class Claims:
    """What may be claimed of candidates, with bounds that hold at once."""

    sweep: Sweep
    offered: Sequence[dict[int, list[Claim]]]  # by split and candidate
    best: Sequence[dict[int, Claim | None]]  # None where nothing reaches the goal
    preferred: Ranking | None

    def of(self, index: int) -> list[Claim | None]:
        """The best claim of one candidate, by split."""
        return [claims[index] for claims in self.best]

    def per_split(self, name: str) -> NDArray[np.floating]:
        """An attribute of best claims, of shape (n_splits, n_candidates); else NaN."""
        value = attrgetter(name)
        table = np.full((len(self.best), len(self.sweep.candidates)), np.nan)
        for split, claims in enumerate(self.best):
            for i, claim in claims.items():
                if claim is not None:
                    table[split, i] = value(claim)
        return table

    def bounds(self) -> NDArray[np.floating]:
        """Mean bound of each candidate."""
        return self.per_split("bound").mean(axis=0)

    def description_lengths(self) -> NDArray[np.floating]:
        """Mean description length of each candidate, in bits."""
        return self.per_split("description_length").mean(axis=0)

    def coverages(self) -> NDArray[np.floating]:
        """Share of the unlabeled rows with a class, of shape (n_splits, n_candidates).

        It is 0 where nothing can be claimed.
        """
        n_test = np.array([[sizes.n_test] for sizes in self.sweep.sizes])
        table = self.per_split("option.n_test") / n_test
        for split, claims in enumerate(self.best):
            for i, claim in claims.items():
                if claim is None and self.sweep.counted[i] is not None:
                    table[split, i] = 0.0
        return table

    def uncertified(self) -> NDArray[np.floating]:
        """Share of the unlabeled rows that is not certified right, of the same shape.

        These are rows without a class, and as many others as may be wrong.
        """
        given = self.coverages()
        wrong = np.where(given == 0, 0.0, given * self.per_split("bound"))
        return (1 - given) + wrong


def bound(weighed: Weighed) -> Claims:
    """Bound the errors of all that may be claimed, at once for each split."""
    sweep = weighed.sweep
    required = sweep.goal.to_bound(sweep)
    bounds = sweep.strategy.bounds(weighed.by_split, sweep.delta, required)
    offered = []
    for offers, own in zip(weighed.by_split, bounds, strict=True):
        claims: dict[int, list[Claim]] = {i: [] for i in weighed.claimed}
        for i, option, terms, errors in zip(*offers, own, strict=True):
            bits = length_in_bits(total_weight(terms))
            claims[i].append(Claim(option, terms, bits, errors / option.n_test))
        offered.append(claims)
    best = [{i: sweep.goal.best(own) for i, own in claims.items()} for claims in offered]
    return Claims(sweep, offered, best, weighed.preferred)


def rank(claims: Claims) -> Ranking:
    """The order of the candidates, by claims unless selecting rows have chosen."""
    return claims.preferred or Ranking.of(*claims.sweep.goal.order(claims))


def issue_certificate(
    claims, split, index, params, *, declared, made_before, classes, **known
):
    """Make the certificate of the best claim of a candidate on one split.

    It is said whether the classes were known beforehand for sure, and whether labelings
    were ``made_before``, by somebody else. What else is known are fields.
    """
    claim, sweep = claims.best[split][index], claims.sweep
    sizes, option = sweep.sizes[split], claim.option
    subject = _subject(sweep, split, index, params) | known.pop("subject", {})
    fields = {**option.fields, **known}
    if option.clusters is not None:
        fields["clusters"] = grouped(option.clusters)
    provisos = [MADE_BEFORE if made_before else WITHOUT_LABELS, *sweep.weighing.assumed]
    if sweep.strategy.knows_classes and not declared:
        provisos.insert(0, CLASSES.format(len(classes)))
    return sweep.strategy.certificate.from_counts(
        option.n_train,
        option.n_test,
        option.train_errors,
        subject=subject,
        weights=claim.terms,
        delta=sweep.delta,
        n_select=sizes.n_select,
        n_train_abstained=sizes.n_certify - option.n_train,
        n_test_abstained=sizes.n_test - option.n_test,
        provisos=provisos,
        classes=classes,
        **fields,
    )


def _subject(sweep, split, index, params):
    """Description of a candidate for its certificate, in the types of JSON."""
    candidate = sweep.candidates[index]
    subject = {
        "algorithm": candidate.algorithm,
        "n_clusters": candidate.n_clusters,
        "n_clusters_found": sweep.of(index).n_clusters or None,
        "init": candidate.init,
        "params": {key: shown(value) for key, value in params.items()},
        "n_classes": sweep.n_classes,
        "n_candidates": len(sweep.candidates),
    }
    if sweep.weighing.name:  # else it is the default, or there is nothing to pay for
        subject["language"] = sweep.weighing.name
    return subject | ({"split": split} if len(sweep.sizes) > 1 else {})


_FREE = Fraction(1)
# Terms are listed in this order; those that languages name stand between.
_FIRST_TERMS = ("label", *SWEPT_TERMS)
_LAST_TERMS = ("candidate", "subset")


def results_table(claims, ranking, error_score=np.nan):
    """What was found of every candidate: columns by name, failed bounds as error_score.

    Columns of splits and standard deviations are there where there are several splits,
    and those of costs, coverage and hidden labels where there are such.
    """
    columns, means, failed = _columns(claims, ranking), {}, claims.sweep.failed()
    by_split: dict[str, np.ndarray] = {}
    if failed.any():
        columns["test_bound"][:, failed] = error_score
    for name, column in columns.items():
        means[f"mean_{name}"] = column.mean(axis=0)
        if name == "test_bound" and len(column) > 1:
            means[f"std_{name}"] = column.std(axis=0)
        if len(column) > 1:
            by_split |= {f"split{i}_{name}": own for i, own in enumerate(column)}
    ranks = {
        f"rank_{ranking.column}": ranking.ranks,
        "ranking_value": np.where(failed, np.nan, ranking.values / ranking.n_rows),
    }
    described = ranks | _description(claims.sweep, failed) | means
    return described | _bits(claims) | by_split


def _description(sweep, failed):
    asked = [c.n_clusters for c in sweep.candidates]
    found = np.array([0 if c is None else c.n_clusters for c in sweep.counted])
    described = {
        "algorithm": np.array([c.algorithm for c in sweep.candidates], dtype=object),
        "n_clusters": np.ma.array(
            [a or 0 for a in asked], mask=[a is None for a in asked]
        ),
        "n_clusters_found": np.ma.array(found, mask=found == 0),
        "init": np.array([c.init for c in sweep.candidates]),
    }
    classifiers = (found == 0) & ~failed
    if classifiers.any():  # how candidates were assessed on the selecting rows
        words = np.where(classifiers, "cross-validation", "half leave-one-out")
        described["errors by"] = words.astype(object)
    return described


def _columns(claims, ranking):
    """Columns of shape (n_splits, n_candidates)."""
    sweep = claims.sweep
    columns = {
        "test_bound": claims.per_split("bound"),
        "train_errors": claims.per_split("option.train_errors"),
    }
    if sweep.goal.abstains or sweep.goal.drops_noise:
        columns["coverage"] = claims.coverages()
    if sweep.goal.drops_noise and not sweep.goal.abstains:
        columns["uncertified"] = claims.uncertified()
    if sweep.strategy.fraction:  # what candidates are chosen or weighed by, as a rate
        goal = sweep.goal
        both = zip(sweep.of_each("preferences").T, sweep.sizes, strict=True)
        rates = [goal.selection_column(*own) for own in both]
        columns[goal.chosen_by] = np.stack(rates)
    if ranking.column == "estimated_error":
        labeled = np.array([[sizes.n_labeled] for sizes in sweep.sizes])
        columns["estimated_error"] = sweep.of_each("estimated_errors").T / labeled
    test_error = _test_errors(claims)
    if not np.all(np.isnan(test_error)):
        columns["test_error"] = test_error
    return columns


def _test_errors(claims):
    """Error rate on the hidden rows of what is claimed, or else would be."""
    sweep = claims.sweep
    rates = np.full((len(sweep.sizes), len(sweep.candidates)), np.nan)
    for split, best in enumerate(claims.best):
        for i, counted in enumerate(sweep.counted):
            if counted is None:
                continue
            claim = best.get(i)
            if claim is None and len(counted.options[split]) != 1:
                continue  # which of them would be chosen is not known, or all is noise
            option = counted.options[split][0] if claim is None else claim.option
            if option.n_test and option.test_errors >= 0:
                rates[split, i] = option.test_errors / option.n_test
    return rates


def paper_columns(sweep):
    """Bounds under the paper's languages, for the majority classes of all labels."""
    ok = np.flatnonzero(~sweep.failed())
    found = np.array([sweep.of(i).n_clusters for i in ok])
    errors = np.array([sweep.of(i).train_errors for i in ok])
    selection = [lang.selection_bits(sweep.candidates)[ok] for lang in PAPER_LANGUAGES]
    bits = found * np.log2(sweep.n_classes) + np.stack(selection)
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
    return {name: own.mean(axis=0) for name, own in zip(names, bounds, strict=True)}


def _bits(claims):
    """Bits in all and by term, as means over splits; NaN and None without a claim."""
    described = dict.fromkeys(
        term
        for best in claims.best
        for claim in best.values()
        if claim is not None
        for term in claim.terms
    )
    ends = (*_FIRST_TERMS, *_LAST_TERMS)
    between = [term for term in described if term not in ends]
    listed = (*_FIRST_TERMS, *between, *_LAST_TERMS)
    terms = [term for term in listed if term in described]

    by_term = []
    for i in range(len(claims.sweep.candidates)):
        own = [best.get(i) for best in claims.best]
        by_term.append(
            None
            if None in own
            else {
                term: float(
                    np.mean([length_in_bits(c.terms.get(term, _FREE)) for c in own])
                )
                for term in terms
            }
        )
    return {
        "description_length": claims.description_lengths(),
        "bits": np.array(by_term, dtype=object),
    }
