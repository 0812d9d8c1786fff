"""Reports of searches and clusterings: what their pages say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from ..displays import CoverageDisplay, PACMDLDisplay
from ..utils._printable import escaped
from ..utils._words import candidate_name, chosen_in_words
from ._certificate_pages import certified_report
from ._page import MOST_ROWS, Column, Picture, Report, Section

# The first of these that a sweep has estimates the error rates of all candidates.
_ESTIMATES = "mean_estimated_error", "mean_certifying_error", "mean_selection_error"
# What these are rounded by: no bound seems better than it is.
_UPPER_BOUNDS = ("mean_test_bound", "mean_uncertified")
# Candidates that are listed: a reader compares no more.
_MOST_CANDIDATES = 8
# Heads of columns of the table of clusters, by their names there; the others are left to
# the table itself.
_CLUSTER_HEADS = {
    "size": "rows",
    "n_unlabeled": "unlabeled rows",
    "class": "class",
    "named_by": "named by",
    "n_labels": "labels",
    "purity": "labels that agree",
    "n_automatic": "rows labeled automatically",
    "n_certifying": "certifying labels",
    "n_certifying_errors": "errors among these",
}
# Share of agreeing labels below which a cluster is pointed out.
_MIXED = 0.5
# Columns of the table of results, as far as a sweep has them, and their heads.
_RESULT_HEADS = {
    "n_clusters_found": "clusters",
    "mean_estimated_error": "error rate estimated by all labels",
    "mean_certifying_error": "error rate among certifying labels",
    "mean_selection_error": "error rate estimated by selecting labels",
    "mean_coverage": "share of the unlabeled rows that is labeled",
    "mean_uncertified": "share that is not certified right",
    "mean_test_bound": "bound on the error rate",
    "mean_expected_coverage": "expected coverage that it was chosen by",
    "mean_test_error": "true error rate",
}


def search_report(search: Any, title: str | None, *, advice: str, instead: str) -> Report:
    """The report of a fitted search; `instead` says why there is no certificate."""
    certificates, results = search.certificates_, search.cv_results_
    chosen = chosen_in_words(results, search.best_index_)
    table = getattr(search, "clusters_", None)
    missing = getattr(search, "classes_without_cluster_", ())
    diagram = estimator_html_repr(search)
    then = [
        _picture(search),
        _alternatives(results, search.best_index_, certificates),
        *_clusters(table, certificates, missing, "mean_estimated_error" in results),
        Section("The search", html=escaped(diagram, keep="\n"), folded=True),
    ]
    n_candidates = len(results["algorithm"])
    names = [*dict.fromkeys(candidate_name(results, i) for i in range(n_candidates))]
    texts = [
        f"{chosen}, was chosen among {n_candidates} candidates: {_first_names(names)}.",
        "If all rows were given one class, the best one, the error rate would be "
        f"{search.constant_error_:.2%} (descriptive: counted where labels are known).",
    ]
    first = [Section("What was chosen", [*texts, *[advice] * bool(advice)])]
    return certified_report(title, chosen, certificates, first, then, instead)


def clusterings_report(certified: Any, title: str | None, heading: str) -> Report:
    """The report of clusterings that existed already."""
    certificates = [] if certified.certificate is None else [certified.certificate]
    missing = certified.classes_without_cluster
    by_errors = "mean_estimated_error" in certified.results
    table = None if certified.cluster_columns is None else certified.clusters
    names = _first_names(certified.results["clustering"].tolist())
    text = f"{certified.best_name} was chosen. The clusterings were {names}."
    first = [Section("What was chosen", [text])]
    is_drawn = certificates and "rank_coverage" not in certified.results
    then = [
        *([_picture(certified)] if is_drawn else []),
        _alternatives(certified.results, certified.best_index, certificates),
        *_clusters(table, certificates, missing, by_errors),
    ]
    instead = "No set of clusters reached the target."
    return certified_report(title, heading, certificates, first, then, instead)


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_ROWS} more" if len(names) > MOST_ROWS else ""
    return f"{'; '.join(names[:MOST_ROWS])}{more}"


def _picture(search: Any) -> Section:
    display: Any = PACMDLDisplay
    title, caption = "All candidates", "Candidates, by their number of clusters."
    if hasattr(search, "coverage_curve_"):
        display, title = CoverageDisplay, "How many rows can be labeled"
        caption = "Bound against the share of the unlabeled rows that is labeled."
    drawn = Picture(lambda: display.from_estimator(search).figure_, caption)
    return Section(title, picture=drawn)


def _clusters(
    table: Any, certificates: Sequence[Any], missing: Sequence[Any], by_errors: bool
) -> Iterator[Section]:
    if table is None:
        return
    table = table.sort_values("size", ascending=False, kind="stable")
    columns = [
        Column(
            head, [*map(str, table[name])] if name == "class" else table[name].tolist()
        )
        for name, head in _CLUSTER_HEADS.items()
        if name in table
    ]
    texts = ["What was counted in each cluster, the largest first."]
    if certificates:
        texts[0] += (
            " The guarantee is about all of them together, and about none by itself."
        )
    names = [*map(str, table.index)]
    if len(missing):
        unused = _first_names([*map(str, missing)])
        texts.append(f"No cluster is given these classes: {unused}.")
    mixed = np.asarray(names)[table["purity"] < _MIXED]
    if len(mixed):
        fault = "Fewer than half of the labels agree with the class in these clusters"
        texts.append(f"{fault}: {_first_names(mixed.tolist())}.")
    renamed = np.asarray(names)[table["named_by"] == "learned weights"]
    if len(renamed) and not by_errors:
        texts.append(
            "Another class has more labels in these clusters, but the class that they "
            f"have makes the bound smaller: {_first_names(renamed.tolist())}. A search "
            "that is started with choose='errors' names them by all labels, at a larger "
            "bound; after this result, only with new labels."
        )
    yield Section("Clusters", texts, [Column("cluster", names), *columns])


def _alternatives(
    results: Mapping[str, Any], best: int, certificates: Sequence[Any]
) -> Section:
    ranked_by = results["ranking_value"]
    is_other = np.arange(len(ranked_by)) != best  # of equals, the chosen one is first
    order = np.lexsort((is_other, ranked_by))
    usable = ~np.isnan(ranked_by)  # neither failed nor without a bound
    leading = order[usable[order]][:_MOST_CANDIDATES]
    # Random starts differ in nothing that a reader could tell apart.
    kinds = [(_name(results, i), str(results["n_clusters_found"][i])) for i in leading]
    first = leading[[kinds.index(kind) == i for i, kind in enumerate(kinds)]]
    columns = [Column("candidate", [_name(results, i) for i in first])]
    estimate = next((name for name in _ESTIMATES if name in results), None)
    # Only the bound of the chosen one is shown, or all are part of one guarantee.
    sure = len(certificates) == 1 and not certificates[0].caveat
    sure = sure and not (
        estimate is None and np.isnan(results["mean_test_bound"][first]).any()
    )
    for name, head in _RESULT_HEADS.items():
        if name in results and (name == estimate or name not in _ESTIMATES):
            values = list(results[name][first])
            if name in _UPPER_BOUNDS and estimate:
                values[1:] = [None] * (len(values) - 1)
            is_certified = sure and name == "mean_test_bound"
            rounded = ceil if name in _UPPER_BOUNDS else round
            columns.append(Column(head, values, is_certified, rounded))
    text = f"The best {len(leading)} of {len(order)} candidates, the chosen one first."
    if estimate:
        text += (
            " Estimates are not certified, and the lowest is optimistic. The table of "
            "all candidates, cv_results_, has bounds of the others."
        )
    if len(first) < len(leading):
        text += " Of those that differ only in their random start, the best one is shown."
    if len(set(kinds[: np.sum(ranked_by[leading] == ranked_by[best])])) > 1:
        text += " Equals share a rank, of which the shorter description was chosen."
    return Section("Alternatives considered", [text], columns)


def _name(results: Mapping[str, Any], i: int) -> str:
    number, n_errors = results["n_clusters"][i], results["n_clusters_found"][i]
    is_clear = number is np.ma.masked or number == n_errors
    return f"{candidate_name(results, i)}{'' if is_clear else f', n_clusters={number}'}"
