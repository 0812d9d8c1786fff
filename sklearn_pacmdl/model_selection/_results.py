"""What a search leaves behind: its table, labelings, certificates and a plan."""

import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ..audits import Audit
from ..certificates import (
    fingerprint_certifying,
    fingerprint_labels,
    fingerprint_row_order,
)
from ..certification import (
    ALL_NOISE,
    Partition,
    coverage_curve,
    issue_certificate,
    paper_columns,
    predicted_by,
    report_unreached,
    results_table,
    score_columns,
)
from ..columns import ABSTAIN, class_codes, completed, decode, unique_inverse
from ..estimators import last_step, unable_to_write
from ..labeling import (
    classifier_of,
    cluster_distances,
    describe_clusters,
    warn_of_blind_names,
)
from ..random_choice import check_random_choice, fields_of_test
from ._default_candidates import DEFAULT_LIST
from ._learners import Targets


def result_of(plan, X, evaluated, claims, ranking, last):
    """Attributes of a search by name, and why others are missing."""
    counter, search, best = plan.counter, plan.search, ranking.best
    table = search_table(plan, evaluated, claims, ranking)
    result = {
        "best_algorithm_": plan.candidates[best].algorithm,
        "best_index_": best,
        "best_mean_bound_": float(table["mean_test_bound"][best]),
        "best_params_": table["params"][best],
        "certify_": counter.method.kind,
        "classes_": plan.classes,
        "constant_error_": constant_error(counter),
        # Under hold-out nothing is claimed of the other candidates.
        "coverage_": float(last.claims.coverages()[:, best].mean()),
        "cv_results_": table,
        "divisions_": list(counter.divisions),
        "n_splits_": len(counter.splits),
        "ranked_by_": f"mean_{ranking.column}",
        "row_order_": counter.order,
        "splits_": list(counter.splits),
    }
    if counter.goal.abstains:
        result["coverage_curve_"] = coverage_curve(last.claims)
    else:
        tables = leading_tables(last.claims.sweep, table["ranking_value"], best)
        result["_planned_"] = tables, counter.method.fraction
        if not result["coverage_"]:
            report_unreached(last.claims)
    if not plan.drawn:
        # By clusterings that no label influenced.
        tested = {name: evaluated[i] for i, name in plan.tested.items()}
        clusterings = {n: e.clustering for n, e in tested.items() if e is not None}
        n_declared = None if search.classes is None else len(plan.classes)
        result["random_choice_test_"] = check_random_choice(
            counter.codes, clusterings, plan.row_groups, n_declared
        )
    if last.estimator is not None:
        result |= _last(plan, X, last, result)
    result |= _certificates(plan, last.claims, result)
    return result, _missing(plan, result)


def _last(plan, X, last, result):
    """The chosen clusterer or classifier, and classes of the rows and of clusters."""
    index, classes, counter = result["best_index_"], plan.classes, plan.counter
    result = result | {"best_estimator_": last.estimator, "refit_time_": last.seconds}
    if last.confidence is not None:
        result["confidence_"] = last.confidence
    if plan.jobs[index].learns:
        codes = counter.codes[counter.divisions[0][0]]
        # What a classifier predicts of new rows does not tell which would be left out.
        predicts = not counter.goal.abstains
        targets = Targets(last.estimator, codes, classes) if predicts else None
        result["_targets_"] = targets
    else:
        result["labels_"] = last.labels
        # Of a Pipeline the last step, in the order of X.
        _, final = last_step(last.estimator)
        with suppress(ValueError):  # of lists of different lengths
            if np.shape(vars(final).get("labels_")) == last.labels.shape:
                final.labels_ = last.labels
    claims = [best[index] for best in last.claims.best]
    by_split = _row_codes(plan, claims, last, result)
    transductions = decode(np.stack(by_split), classes)
    result["split_transductions_"] = transductions
    result["transduction_"] = transductions[0]
    if counter.goal.abstains and None in claims:
        report_unreached(last.claims)
    if "labels_" in result:
        result |= _clusters(plan, X, by_split[0], result)
    filled = completed(plan.labels, result["transduction_"], classes)
    return result | {"completed_y_": filled}


def _row_codes(plan, claims, last, result):
    """Class codes of all rows by each split, as they are claimed."""
    nothing = np.full(len(plan.labels), ABSTAIN)
    if "labels_" in result:
        clusters = Partition(last.labels, plan.counter.order).clusters
        return [nothing if c is None else c.option.classes[clusters] for c in claims]
    if None in claims:  # with a target, and so on one split
        return [nothing]
    by_split = []
    for claim, counted, predicted in zip(claims, *last.labels, strict=True):
        # Also where no row was counted: predictions of selecting rows may differ.
        class_of = np.arange(predicted.max() + counted.max() + 1) % len(plan.classes)
        partition = Partition(counted, plan.counter.order)
        class_of[predicted_by(partition, counted)] = claim.option.classes
        by_split.append(class_of[predicted])
    return by_split


def _clusters(plan, X, codes, result):
    """The chosen clusterer as a classifier, its labeling, and a table of its clusters."""
    counter, search, labels = plan.counter, plan.search, result["labels_"]
    chosen, abstains = result["best_estimator_"], counter.goal.abstains
    # Where no label is missing, all labels give the classes of transduction_, about which
    # there is no certificate.
    by_all_labels = plan.drawn and not abstains
    classifier = classifier_of(
        chosen,
        X,
        labels,
        counter.codes,
        classes=plan.classes,
        declared=search.classes,
        random_state=counter.seed,
        row_codes=None if by_all_labels else codes,
        drops_noise=counter.goal.drops_noise,
        abstains=abstains,
    )
    transduction = classifier.transduction_
    measure = partial(
        cluster_distances,
        plan.jobs[result["best_index_"]].configured(),
        clusters=unique_inverse(labels)[1],
    )
    naming, certifying = counter.naming()
    if plan.drawn:
        naming, certifying = np.arange(len(codes)), certifying[:0]
    table = describe_clusters(
        labels,
        counter.codes,
        class_codes(transduction, plan.classes) if by_all_labels else codes,
        naming,
        certifying,
        plan.classes,
        lambda: unable_to_write(measure, X),
    )
    kind = "selecting " if len(certifying) else ""
    warn_of_blind_names(table, kind)
    return {
        "classifier_": classifier, "_clusters_": table, "transduction_": transduction
    }  # fmt: skip


def _certificates(plan, claims, result):
    """The certificate of each split, if the theorem covers it, and an audit."""
    index = result["best_index_"]
    certificates = [
        _certificate(plan, claims, split, result)
        for split, best in enumerate(claims.best if plan.objection is None else ())
        if best[index] is not None
    ]
    described: dict[str, Any] = {"certificates_": certificates}
    if len(certificates) != 1:
        return described
    (certificate,) = certificates
    described |= {"certificate_": certificate, "best_bound_": certificate.stated_bound}
    if "confidence_" in result and result["certify_"] == "holdout":
        # Audits take texts such as "nan" for gaps, even where they are declared.
        with suppress(ValueError):
            described["audit_"] = _audit(plan, result)
    return described


def _audit(plan, result):
    """The certifying rows, which neither chose nor named, as rows that a user drew."""
    select, certify = plan.counter.divisions[0]
    known = np.full(len(plan.labels), None, dtype=object)
    known[select] = plan.labels[select]
    with warnings.catch_warnings(action="ignore"):  # which are for those who draw
        audit = Audit.of_rows(
            certify,
            len(known),
            source=_SOURCE,
            labels=result["split_transductions_"][0],
            confidence=result["confidence_"],
            exclude=select,
            known_labels=known,
            test=result.get("random_choice_test_"),
        )
    audit.labels_by_row(plan.labels[certify])
    return audit


def _certificate(plan, claims, split, result):
    train, test = plan.counter.splits[split]
    known = np.zeros(len(plan.labels), dtype=bool)
    known[train] = known[test] = True
    rows = np.flatnonzero(known)
    labels = plan.labels[rows]
    if plan.drawn:  # those held out are missing
        labels = labels.astype(object)
        labels[np.isin(rows, test)] = None
    digests = {"labels": fingerprint_labels(labels, plan.classes)}
    if "split_transductions_" in result:
        labeling = result["split_transductions_"][split][rows]
        digests["labeling"] = fingerprint_labels(labeling, plan.classes)
    select, certify = plan.counter.divisions[split]
    if len(select):
        digests["certifying"] = fingerprint_certifying(np.isin(rows, certify))
    digests["row_order"] = fingerprint_row_order(plan.counter.order)
    return issue_certificate(
        claims,
        split,
        result["best_index_"],
        result["best_params_"],
        declared=plan.search.classes is not None or plan.drawn,
        made_before=False,
        drawn=plan.drawn,
        classes=plan.classes.tolist(),
        **({} if plan.drawn else fields_of_test(result["random_choice_test_"])),
        fingerprints=digests,
        subject={} if plan.search.estimator is not None else {"candidates": DEFAULT_LIST},
    )


# Who drew the rows of an audit, as its statements quote it.
_SOURCE = "whoever labeled rows for PACMDLSearchCV"
_CLUSTERS = ("labels_", "clusters_", "classes_without_cluster_", "classifier_")
_ROWS = ("transduction_", "split_transductions_", "completed_y_")
_FITS = ("best_estimator_", "refit_time_", "audit_", "confidence_")
#: Attributes of which a search says why they are missing.
EXPLAINED = ("certificate_", "best_bound_", "coverage_curve_", *_CLUSTERS, *_ROWS, *_FITS)
_NO_AUDIT = (
    "only certify='holdout' leaves labels that neither choose nor name clusters; "
    "draw_audit draws rows to audit any labeling."
)
_NO_CONFIDENCE = (
    "an audit needs one certificate, a class of every row (no target, no row of noise "
    "left out), how sure it is (clusters, or a classifier with predict_proba), and no "
    "class that is written like a missing label, such as 'nan'."
)


def _missing(plan, result):
    """Why attributes are missing, of those that are."""
    why = {"coverage_curve_": "only a search with a target leaves clusters out."}
    n_certificates = len(result["certificates_"])
    abstains = plan.counter.goal.abstains
    none = "no labeling reached the target" if abstains else ALL_NOISE.lower()
    not_one = plan.objection or f"{none}."
    if n_certificates > 1:
        not_one = (
            f"each of the {n_certificates} splits has a certificate of its own, in "
            "certificates_, and best_mean_bound_ is only descriptive; with cv=None there "
            "is one split and one certificate."
        )
    why |= dict.fromkeys(("certificate_", "best_bound_"), not_one)
    no_audit = _NO_CONFIDENCE if result["certify_"] == "holdout" else _NO_AUDIT
    why |= {"audit_": no_audit, "confidence_": no_audit}
    if "best_estimator_" not in result:
        not_kept = "the chosen clusterer was not kept; fit with refit=True."
        why |= dict.fromkeys((*_CLUSTERS, *_ROWS, *_FITS), not_kept)
    elif "labels_" not in result:
        why |= dict.fromkeys(
            _CLUSTERS,
            f"the chosen {result['best_algorithm_']!r} is a classifier, which makes no "
            "clusters; best_estimator_ and transduction_ are its own.",
        )
        why["confidence_"] = _NO_CONFIDENCE
    present = result.keys() | ({"clusters_"} if "_clusters_" in result else set())
    return {name: text for name, text in why.items() if name not in present}


def search_table(plan, evaluated, claims, ranking):
    """``cv_results_``: the results of the sweep, with parameters, times and scores."""
    results = results_table(claims, ranking, plan.search.error_score)
    goal, method = plan.counter.goal, plan.counter.method
    # The paper has no bounds for labelings that leave rows out.
    if method.kind == "pac-mdl" and not (goal.abstains or goal.drops_noise):
        results |= paper_columns(claims.sweep)
    params = [plan.params(i) for i in range(len(evaluated))]
    results["params"] = np.array(params, dtype=object)
    variants = plan.variants.values()
    for key in dict.fromkeys(f"{v.prefix}{key}" for v in variants for key in v.params):
        # Masked where a candidate does not have it; of the type of the values if they
        # share one, as in scikit-learn's searches.
        values = {i: point[key] for i, point in enumerate(params) if key in point}
        kinds = {type(value) for value in values.values()}
        dtype = kinds.pop() if len(kinds) == 1 and kinds <= {bool, int, float} else object
        column = results[f"param_{key}"] = np.ma.masked_all(len(params), dtype=dtype)
        for i, value in values.items():
            column[i] = value
    results["largest_cluster"] = np.array([_largest_share(e) for e in evaluated])
    times = [np.nan if e is None else e.fit_time for e in evaluated]
    results["fit_time"] = np.array(times)
    scores = [{} if e is None else e.scores for e in evaluated]
    results |= score_columns(plan.evaluator.scorers, scores)
    return results


def _largest_share(evaluated):
    """Share of the rows that are in the largest cluster; NaN of a classifier."""
    if evaluated is None or not evaluated.counted.n_clusters:
        return np.nan
    sizes = evaluated.counted.sizes
    return float(sizes.max() / sizes.sum())


def constant_error(counter):
    """Error rate of the best constant classifier, a mean over splits."""
    # The rate is that on the unlabeled rows if their labels are known, else that on the
    # labeled rows.
    rates = []
    for train, test in counter.splits:
        known = np.all(counter.codes[test] >= 0)
        codes = counter.codes[test if known else train]
        counts = np.bincount(codes, minlength=counter.n_classes)
        rates.append(1 - counts[: counter.n_classes].max() / len(codes))
    return float(np.mean(rates))


# Clusterings that are kept, of different numbers of clusters: up to 39 in the searches
# of benchmarks/bench_planning.py, of which every second one is enough.
_MOST = 20


def leading_tables(sweep, values, best):
    """Sizes of clusters, and labels in them by class, of candidates to plan with."""
    # The best one of each number of clusters: more labels allow more clusters.
    counted = sweep.counted
    leaders = {counted[best].n_clusters: best}
    for i in np.argsort(values, kind="stable"):
        if counted[i] is not None:
            leaders.setdefault(counted[i].n_clusters, i)
    numbers = sorted(leaders, key=lambda number: number or 0)  # None of a classifier
    places = np.linspace(0, len(numbers) - 1, min(_MOST, len(numbers))).round()
    chosen = {leaders[numbers[int(place)]] for place in places} | {best}
    return [(counted[i].sizes, counted[i].labeled) for i in sorted(chosen)]
