"""Reports of searches and of labelings that were given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from ..displays import CoverageDisplay, PACMDLDisplay
from ..utils._words import candidate_name, chosen_in_words
from ._contents import MOST_ROWS, Column, Picture, Section
from ._parts import certified_report
from ._report import Report

# Candidates that are listed: the search computes the sharper of its bounds for so many.
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
# Share of labels that agree, below which a cluster is pointed out.
_MIXED = 0.5
# Columns of the table of results, as far as a sweep has them, and their heads.
_RESULT_HEADS = {
    "n_clusters_found": "clusters",
    "mean_coverage": "share of the unlabeled rows that is labeled",
    "mean_test_bound": "bound on the error rate",
    "mean_selection_error": "error rate that it was chosen by",
    "mean_expected_coverage": "expected coverage that it was chosen by",
    "description_length": "bits",
    "mean_test_error": "true error rate",
}


def search_report(search: Any, title: str | None, instead: str) -> Report:
    """The report of a fitted search; `instead` says why there is no certificate."""
    certificates = search.certificates_
    results = search.cv_results_
    chosen = chosen_in_words(results, search.best_index_)
    then = [
        _picture(search),
        _alternatives(results, search.best_index_, certificates),
        *_clusters(
            getattr(search, "clusters_", None),
            certificates,
            getattr(search, "classes_without_cluster_", ()),
        ),
        Section("The search", html=estimator_html_repr(search), folded=True),
    ]
    first = [_choice(search, chosen)]
    return certified_report(title, chosen, certificates, first, then, instead)


def labelings_report(certified: Any, title: str | None) -> Report:
    """The report of labelings that were given."""
    certificates = [] if certified.certificate is None else [certified.certificate]
    table = None if certified.cluster_columns is None else certified.clusters
    names = certified.results["labeling"].tolist()
    text = f"{certified.best_name} was chosen. The labelings were {_listed(names)}."
    first = [Section("What was chosen", [text])]
    then = [
        _alternatives(certified.results, certified.best_index, certificates),
        *_clusters(table, certificates, certified.classes_without_cluster),
    ]
    instead = "No set of clusters reached the target."
    return certified_report(title, certified._chosen, certificates, first, then, instead)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_ROWS} more" if len(names) > MOST_ROWS else ""
    return f"{'; '.join(names[:MOST_ROWS])}{more}"


def _choice(search: Any, chosen: str) -> Section:
    results = search.cv_results_
    n_candidates = len(results["algorithm"])
    names = dict.fromkeys(candidate_name(results, i) for i in range(n_candidates))
    texts = [
        f"{chosen}, was chosen among {n_candidates} candidates: {_listed(list(names))}.",
        "If all rows were given one class, the best one, the error rate would be "
        f"{search.constant_error_:.2%} (descriptive: counted where labels are known).",
    ]
    return Section("What was chosen", texts)


def _picture(search: Any) -> Section:
    display: Any = PACMDLDisplay
    title, caption = "All candidates", "Every candidate, by its number of clusters."
    if hasattr(search, "coverage_curve_"):
        display, title = CoverageDisplay, "How many rows can be labeled"
        caption = "Bound against the share of the unlabeled rows that is labeled."
    picture = Picture(lambda: display.from_estimator(search).figure_, caption)
    return Section(title, picture=picture)


def _clusters(
    table: Any, certificates: Sequence[Any], missing: Sequence[Any]
) -> Iterator[Section]:
    if table is None:
        return
    table = table.sort_values("size", ascending=False, kind="stable")
    columns = [
        Column(head, _names(table[name]) if name == "class" else table[name].tolist())
        for name, head in _CLUSTER_HEADS.items()
        if name in table
    ]
    text = "What was counted in each cluster, the largest first."
    if certificates:
        text += " The guarantee is about all of them together, and about none by itself."
    # Names of the user's own in place of our numbers, since two numberings confuse.
    names = table.get("name", table.index)
    index = Column("cluster", ["noise" if n is None else str(n) for n in names])
    notes = _notes(index, table, missing)
    yield Section("Clusters", [text, *notes], [index, *columns])


def _notes(index: Column, table: Any, missing: Sequence[Any]) -> Iterator[str]:
    """What a reader of the table of clusters should not overlook."""
    if len(missing):
        yield f"No cluster is given these classes: {_listed(_names(missing))}."
    mixed = np.asarray(index.values)[table["purity"] < _MIXED]
    if len(mixed):
        yield (
            f"Fewer than half of the labels agree with the class in these clusters: "
            f"{_listed(mixed.tolist())}."
        )


def _names(values: Any) -> list[str]:
    return [str(value) for value in values]


def _alternatives(
    results: Mapping[str, Any], best: int, certificates: Sequence[Any]
) -> Section:
    ranked_by = results["ranking_value"]
    others = np.arange(len(ranked_by)) != best  # of equals, the chosen one is first
    order = np.lexsort((others, ranked_by))
    usable = ~np.ma.getmaskarray(np.ma.asarray(results["n_clusters_found"]))
    leading = order[usable[order]][:_MOST_CANDIDATES]
    sure = _hold_at_once(results, leading, certificates)
    # Random starts differ in nothing that a reader could tell apart.
    kinds = [(_name(results, i), results["n_clusters_found"][i]) for i in leading]
    first = leading[[kinds.index(kind) == i for i, kind in enumerate(kinds)]]
    columns = [Column("candidate", [_name(results, i) for i in first])]
    for name, head in _RESULT_HEADS.items():
        if name in results:
            values = results[name][first]
            if name == "description_length":
                values = ["" if np.isnan(b) else f"{b:.1f}" for b in values]
            columns.append(Column(head, list(values), sure and name == "mean_test_bound"))
    text = f"The best {len(leading)} of {len(order)} candidates, the chosen one first."
    if len(first) < len(leading):
        text += " Of those that differ only in their random start, the best one is shown."
    if sure:
        text += " Their bounds hold all at once."
    if len(set(kinds[: np.sum(ranked_by[leading] == ranked_by[best])])) > 1:
        text += " Equals share a rank, of which the shorter description was chosen."
    return Section("Alternatives considered", [text], columns)


def _hold_at_once(
    results: Mapping[str, Any], rows: Any, certificates: Sequence[Any]
) -> bool:
    """Whether the bounds of these candidates are part of one guarantee."""
    if len(certificates) != 1 or certificates[0].caveat:
        return False
    if np.isnan(results["mean_test_bound"][rows]).any():
        return False
    return bool(np.all(results.get("sharper_bound", np.ones(len(results["init"])))[rows]))


def _name(results: Mapping[str, Any], i: int) -> str:
    asked, found = results["n_clusters"][i], results["n_clusters_found"][i]
    other = "" if asked is np.ma.masked or asked == found else f", n_clusters={asked}"
    return f"{candidate_name(results, i)}{other}"
