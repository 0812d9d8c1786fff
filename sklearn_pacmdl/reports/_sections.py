"""Reports of searches, clusterings and audits: what their pages say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from ..certificates import (
    Certificate,
    ErrorsCertificate,
    Verification,
    is_foreign,
)
from ..displays import CoverageDisplay, FinishedLabelsDisplay, PACMDLDisplay
from ..utils._checks import invalid
from ..utils._printable import escaped
from ..utils._words import candidate_name, chosen_in_words
from ._page import MOST_ROWS, Column, Picture, Report, Section, make_report

_UNCHECKED = "Not checked: only those who made the data know."
_DRAWN = "The package drew the labeled rows itself, since all labels are known."
# Columns of the table of targets, and their heads.
_TARGET_HEADS = {
    "target": "target",
    "n_automatic": "rows labeled automatically",
    "n_to_annotators": "rows left to people",
    "certified": "chosen target",
}
# The first of these that a sweep has estimates the error rates of all candidates.
_ESTIMATES = "mean_estimated_error", "mean_certifying_error", "mean_selection_error"
# What these are rounded by: no bound seems better than it is.
_UPPER_BOUNDS = ("mean_test_bound", "mean_uncertified")
_ROUNDED = {"_lower_bound": floor, "_upper_bound": ceil}
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


def certificate_report(certificate: Certificate, title: str | None = None) -> Report:
    """Make the report of a certificate, such as that of an audit.

    Parameters
    ----------
    certificate : Certificate
        Of any kind.
    title : str, default=None
        The heading; by default it names the kind.

    Returns
    -------
    report : Report
        Whether the certificate agrees with itself, its statement, what was assumed, what
        was counted, and the certificate in full. If it does not agree or cannot be read,
        only the problems.

    Raises
    ------
    ValueError
        If ``certificate`` is not a certificate.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> from sklearn_pacmdl.reports import certificate_report
    >>> certificate = BoundCertificate.from_counts(
    ...     n_train=100, n_test=900, n_train_errors=2, weights={}, delta=0.05
    ... )
    >>> report = certificate_report(certificate, title="Topics of 2025")
    >>> report.save("topics.html")  # doctest: +SKIP
    """
    if not isinstance(certificate, Certificate):
        raise invalid("certificate", "a certificate", certificate)
    c, verification = certificate, certificate.verify()
    if not verification:
        return _without_statement(verification, title)
    then = []
    if isinstance(c, ErrorsCertificate):
        counts = [
            Column("rows", ["labeled rows that were compared", "errors among these"]),
            Column("number", [c.n_train, c.n_train_errors]),
        ]
        then = [Section("What was counted", columns=counts)]
    first = [_outcome(verification)]
    return certified_report(title, f"Certificate: {c.kind}", [c], first, then)


def _outcome(verification: Verification) -> Section:
    return Section("Verification", [f"This certificate {verification.outcome}."])


def _without_statement(verification: Verification, title: str | None) -> Report:
    """The report of a certificate that does not agree or cannot be read."""
    problems = "; ".join(verification.problems)
    instead = f"This certificate {verification.outcome}: {problems}."
    return make_report(title, "Certificate", [], [], instead)


def finished_report(finished: Any, title: str | None) -> Report:
    """The report of a finished data set."""
    rule = finished.at_targets().reset_index()
    curve = [Column(head, rule[name].tolist()) for name, head in _TARGET_HEADS.items()]
    caption = "Errors that may be left, against the share labeled automatically."
    drawn = Picture(
        lambda: FinishedLabelsDisplay.from_finished(finished).figure_, caption
    )
    n_left = len(finished.to_annotators)
    shared = (
        f"{finished.share_automatic:.1%} of the rows are labeled automatically, and "
        f"{n_left:,} rows are left to people, the most doubtful first. Audited rows keep "
        "the labels that people gave them."
    )
    note = (
        "What other targets would have led to. Picking one of them because of this table "
        "is a choice that no certificate covers."
    )
    instead = (
        "Nothing is certified: the audit is too small for the target, so that no row is "
        "labeled automatically."
    )
    first = [Section("Who labels what", [shared])]
    then = [Section("The target", picture=drawn)]
    then.append(Section("Other targets", [note], curve, folded=True))
    name, certificates = "A finished data set", [finished.certificate]
    return certified_report(title, name, certificates, first, then, instead)


def classes_report(certificate: Any, title: str | None) -> Report:
    """The report of what holds of each class."""
    verification = certificate.verify()
    if not verification:
        return _without_statement(verification, title)
    frame, sure = certificate.to_frame().drop(columns="delta"), not certificate.caveat
    columns = [Column("class", [str(name) for name in frame.index])]
    for name in frame:
        is_bound, rounded = name.endswith("_bound"), _ROUNDED.get(name[-12:], round)
        head, values = name.replace("_", " "), frame[name].tolist()
        columns.append(Column(head, values, sure and is_bound, rounded))
    first = [Section("Classes", ["All bounds hold together."], columns)]
    then = [_outcome(verification)]
    heading = "What holds of each class"
    return certified_report(title, heading, [certificate], first, then)


def share_report(certificate: Any, title: str | None) -> Report:
    """The report of what share of the rows is truly of a class."""
    verification = certificate.verify()
    if not verification:
        return _without_statement(verification, title)
    heads = "rows", "audited rows", "of these truly of the class"
    table = zip(heads, zip(*certificate.strata, strict=True), strict=True)
    columns = [Column(head, [*values]) for head, values in table]
    estimate = f"The estimate is {certificate.estimate:.2%}, which is not guaranteed."
    first = [_outcome(verification)]
    then = [Section("What was found", [estimate], columns)]
    return certified_report(title, "A share of the rows", [certificate], first, then)


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


def certified_report(
    title: str | None,
    default_title: str,
    certificates: Sequence[Certificate | None],
    first: Sequence[Section],
    then: Sequence[Section],
    instead: str = "",
) -> Report:
    """The report of what certificates guarantee; None stands for no certificate.

    What was assumed is between the first sections and the others; `instead` says why
    there is no certificate.
    """
    issued = [each for each in certificates if each is not None]
    before = []
    if issued:
        provisos, drawn = issued[0].provisos, getattr(issued[0], "drawn", False)
        checks = [_check(proviso, issued[0]) for proviso in provisos]
        columns = [Column("assumption", provisos), Column("check", checks)]
        assumed = Section("What was assumed", [_DRAWN] * drawn, columns)
        before = [_how_to_read(issued), assumed]
    in_full = []  # so that anybody can check them
    command = "pacmdl verify certificate.json"
    texts = [f"Saved as certificate.json, it can be checked with {command}."]
    for i, certificate in enumerate(issued, start=1):
        name = f"Certificate {i}" if len(issued) > 1 else "Certificate"
        text, json = str(certificate), certificate.to_json()
        in_full.append(Section(f"{name} in full", verbatim=text, folded=True))
        heading = f"{name} as JSON, to be verified"
        in_full.append(Section(heading, texts, verbatim=json, folded=True))
    sections = [*first, *before, *then, *in_full]
    statements = [certificate.statement for certificate in issued]
    return make_report(title, default_title, statements, sections, instead)


def _how_to_read(certificates: Sequence[Certificate]) -> Section:
    """What the probability means, and what is not said."""
    delta, n, several = max(c.delta for c in certificates), len(certificates), ""
    if n > 1:
        several = (
            f" Each of the {n} statements holds by itself with this probability; all of "
            "them together need not."
        )
    divided = " and of their division" * any(c.also_random for c in certificates)
    probability = (
        f"The probability is that of the random choice of rows{divided}. If rows were "
        "drawn and "
        f"labeled again and again, at most {100 * delta:.3g}% of the statements would be "
        f"wrong.{several} This is not the probability that one statement is wrong, given "
        "what it says."
    )
    rows = (
        "The statement is about the rows of this data set. Nothing is guaranteed about "
        "other rows, about single rows, or about any part of these rows by itself."
    )
    return Section("How to read this", [probability, rows])


def _check(proviso: str, certificate: Certificate) -> str:
    if is_foreign(proviso, certificate.assumed):
        return "Not checked: stated by the author of the certificate."
    p_value = certificate.random_choice_p_value
    if "uniformly" not in proviso or p_value is None:  # what was chosen at random
        return _UNCHECKED
    if certificate.caveat:
        return (
            f"Tested, and doubtful (p = {p_value:.2g}): the labeled rows do not look "
            "like a random choice. The guarantee does not hold for another choice."
        )
    return (
        f"Tested: the labeled rows look like a random choice (p = {p_value:.2g}). A "
        "choice that passes the test may still not be random."
    )
