"""A valid call of each public name, and what its parameters may be given instead.

`VALID` makes the arguments of a call. What a parameter means, and which of the bad
values of `test_bad_input_tour.py` it therefore takes, is said by its name in `MEANS`,
and beside the call where it differs there.
"""

import inspect
from dataclasses import fields
from fractions import Fraction
from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd
from conftest import external_measures
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier as Constant
from test_public import NAMES

from sklearn_pacmdl import (
    BoundCertificate,
    PACMDLSearchCV,
    TransductiveSplit,
    audits,
    certificates,
    certify_clusterings,
)
from sklearn_pacmdl.displays import CoverageDisplay, FinishedLabelsDisplay

# What else is tried: the methods that do the work. Constructors of estimators, and of
# splitters, take anything; their parameters are tried in calls of these.
WORK = ("fit", "split")

X = np.repeat([[0.0, 0.0], [3.0, 3.0], [9.0, 0.0]], 10, axis=0)
X = X + np.random.RandomState(0).normal(scale=0.3, size=X.shape)
TRUTH = np.repeat([0, 1, 1], 10)
Y = np.where(np.random.RandomState(1).permutation(30) < 15, TRUTH, -1)
CLUSTERS = np.repeat([0, 1, 2], 10)
HALF = {"label": Fraction(1, 2)}
OF_BOUND = {"n_train": 30, "n_test": 30, "n_train_errors": 2}
PLAN = {"n_rows": 2000, "n_clusters": 3, "n_classes": 2}
OF_A_CLASS = {"tp": 8, "fp": 1, "fn": 2, "n_predicted": 20, "delta": 0.1}
OF_A_CLASS |= {"n_audited": 30, "n_rows": 60}
SAMPLE = {"n_errors": 3, "n_audited": 30, "n_rows": 60, "delta": 0.1}
TABLES = {"certifying": [[8, 1], [0, 9]], "unlabeled": [20, 20]}

ONE, TWO, ZERO, NONE = {"one"}, {"two"}, {"zero"}, {"None"}
COUNT = ONE | TWO
COUNT_0 = COUNT | ZERO
LARGE = COUNT | {"huge", "beyond what Python writes"}
SHARE = {"a half"}
SIZE = COUNT_0 | SHARE
SWITCH = {"a boolean"}
LENGTHS = {"too short", "too long"}
SAME = {"the same"}
NUMBERS = SAME | {"negative ones", "huge ones"}
ROWS = NUMBERS | LENGTHS | {"two columns"}  # with nothing else along them
LABELS = NUMBERS | {"text"}
WITH_GAPS = LABELS | {"a gap", "NaN in it"}
CELLS = WITH_GAPS | {"of one kind of objects", "of two types", "infinity in it"}
EMPTY = {"a list", "an empty array"}
ARRAY = EMPTY | {"0-d", "two columns", "three dimensions", "twenty thousand"}
COUNTS = ARRAY | COUNT_0
DICT = {"a dict", "a dict of nothing", "other values", "other keys"}
TEXTS = {"text", "empty text", "deep text"}
WORD_OR_FUNCTION = NONE | DICT | {"a class", "a function"}
LISTS = {"a list of NaN", "a list of None", "a list of text"}
ANYTHING = {"anything"}

# By name, what a parameter takes besides None, if that is its default.
MEANS = {
    "delta target quantile power fraction select_fraction": SHARE,
    "expected_error": ZERO | SHARE,
    "surest": ONE | SHARE,
    "budget n_classes n_clusters n_components n_labels n_samples n_select": COUNT,
    "n_test sides size": COUNT,
    "n_features n_train": TWO,
    "max_annotator_errors n_automatic n_left n_errors": COUNT_0,
    "n_test_errors n_train_errors seed": COUNT_0,
    "max_iter n_algorithms n_draws n_grid n_init": LARGE,
    "verbose": LARGE | ZERO | SWITCH,
    "n_jobs": COUNT | {"negative"},
    "beta concentration constant_error": SIZE,
    "pseudo_count smoothing tol": SIZE,
    "random_state": NONE | COUNT_0 | SWITCH,
    "greater_is_better majority partial refit return_centers shuffle test_error": SWITCH,
    "y labels": WITH_GAPS,
    "labels_true labels_pred first second": LABELS,
    "audit_labels affinity": {"the same", "huge ones"},
    "human_labels settled y_true": WITH_GAPS - {"text"},
    "X": NUMBERS,
    "confidence": NUMBERS | {"infinity in it"},
    "sample_weight": NUMBERS | COUNT | SHARE | SWITCH,
    "cv": NONE | TWO,
    "data": {"a dict"},
    "dtype": {"a class", "a list", "a dict"},
    "error_rate": COUNTS - TWO - {"0-d"} | SHARE | LENGTHS | SAME,
    "name title": TEXTS,
    "scoring": {"a class", "a function", "a list", "a dict"},
    "init": {"two columns"},
    "row_order": EMPTY | LENGTHS | SAME | {"twenty thousand", "huge ones"},
    # What is kept as a word, and what scikit-learn and joblib read.
    "pre_dispatch": ANYTHING,
}
MEANS = {name: what for names, what in MEANS.items() for name in names.split()}


class Takes:
    """Arguments of a call whose parameters take more than their names say, or less.

    `also` is what all of them take besides.
    """

    def __init__(self, make, also=frozenset(), **takes):
        self.make, self.also, self.takes = make, also, takes

    def __call__(self):
        return self.make() if callable(self.make) else dict(self.make)


class Result(Takes):
    """Fields of a result, which functions fill in; they are what they are given."""

    def __init__(self, make):
        super().__init__(make, ANYTHING)

    def __call__(self):
        return fields_of(super().__call__())


def fields_of(record):
    if isinstance(record, dict):
        return record
    return {f.name: getattr(record, f.name) for f in fields(record) if f.init}


def anything(*args, **kwargs):
    """A function of any arguments, of which nothing comes."""


def searched(**how):
    estimator = KMeans(2, n_init=1, random_state=0)
    return cache(lambda: PACMDLSearchCV(estimator, random_state=0, **how).fit(X, Y))


def clustering(**more):
    return Takes({"n_clusters": 2, "random_state": 0, "X": X} | more, X=ROWS)


def on(make, **given):
    """Arguments of a method of what is made."""
    return lambda: {"self": make(), **given}


AUDIT = audits.draw_audit(len(X), 12, exclude=[0, 1], random_state=0)
AUDITED = {"audit": AUDIT, "audit_labels": TRUTH[AUDIT.rows]}
OF_CLUSTERS, OF_TRUTH = {"labels": CLUSTERS} | AUDITED, {"labels": TRUTH} | AUDITED
SURE = {"confidence": X[:, 0]}
FINISHED = audits.finish_labels(**OF_CLUSTERS, **SURE, target=0.3)
REST = {"human_labels": TRUTH[FINISHED.to_annotators]}
COMPARED = {"first": CLUSTERS, "second": CLUSTERS[::-1]} | AUDITED
PILOT = {"pilot": AUDIT, "labels": CLUSTERS, "audit_labels": TRUTH[AUDIT.rows]}
SAMPLING = {"n_samples": 12, "random_state": 0}
COMPARING = {"labels_true": TRUTH, "labels_pred": CLUSTERS}
JUDGES = {"classifiers": [Constant()], "cv": 2}
JUDGED = {"X": X, "labels": CLUSTERS}
CLUSTERER = KMeans(2, n_init=1, random_state=0)

# What takes long, or what calls might change, is made when it is first needed.
certificate = cache(lambda: BoundCertificate.from_counts(90, 90, 3, weights=HALF))
by_all_labels, search = searched(certify="pac-mdl"), searched(n_clusters=[2, 3])
labeler = searched(target=0.9, n_clusters=[3])
certified = cache(lambda: certify_clusterings({"a": CLUSTERS}, Y, random_state=0))
planned = cache(lambda: audits.audit_size(200, 0.2, 0.1))
report = cache(lambda: audits.class_report(**OF_TRUTH))
difference = cache(lambda: audits.certify_difference(**COMPARED))
share = cache(lambda: audits.certify_share(**OF_TRUTH, of=1))
SEGMENTS = {"text", "the same", "huge ones", "a gap"}
BY = {"by": np.arange(len(X)) % 2}
segments = cache(lambda: audits.certify_labels(**OF_TRUTH, **BY))
agreed = cache(lambda: audits.compare_annotators([TRUTH, TRUTH]))
shown = cache(lambda: CoverageDisplay.from_estimator(labeler()))
fitted = cache(lambda: KMeans(2, n_init=1, random_state=0).fit(X))


def monitor():
    return audits.AuditMonitor(200, 0.2, max_labels=60)


def text_of(make):
    return lambda: {"text": make().to_json()}


# By public name, and by those methods that users call.
VALID = {
    "audits.Audit.from_json": text_of(lambda: AUDIT),
    "audits.AuditMonitor.from_json": text_of(monitor),
    "audits.DifferenceCertificate.from_json": text_of(difference),
    "audits.ShareCertificate.from_json": text_of(share),
    "certificates.BoundCertificate.from_json": text_of(certificate),
    "certificates.Certificate.from_json": text_of(certificate),
    "audits.Agreement": Result(agreed),
    "audits.Agreement.labels": on(agreed, majority=True, settled=TRUTH),
    "audits.Audit": Result(lambda: AUDIT),
    "audits.Audit.labels_by_row": Takes(
        {"self": AUDIT, "audit_labels": TRUTH[AUDIT.rows]},
        audit_labels=LABELS - {"negative ones"},
    ),
    "audits.Audit.of_rows": Takes(
        SURE | {
            "rows": np.random.RandomState(0).permutation(30)[:5],
            "n_rows": len(X), "source": "project 7", "labels": CLUSTERS,
        },
        rows=SAME | LENGTHS, source=TEXTS - {"empty text"},
        exclude=EMPTY | {"twenty thousand"},
    ),
    "audits.Audit.read_labels": {
        "self": AUDIT, "source": AUDIT.to_frame().assign(label=1), "column": "label"
    },
    "audits.Audit.to_frame": {"self": AUDIT, "data": pd.DataFrame(X)},
    "audits.AuditMonitor": {"n_rows": 200, "target": 0.2, "max_labels": 60},
    "audits.AuditMonitor.expected_labels": on(monitor, error_rate=[0.1, 0.2]),
    "audits.AuditMonitor.probability_of_success": on(monitor, error_rate=0.1),
    "audits.AuditMonitor.update": on(monitor, n_labels=3, n_errors=1),
    "audits.AuditSize": Result(planned),
    "audits.AuditSize.power_at": on(planned, error_rate=[0.1, 0.2]),
    "audits.ClassReport": Result(report),
    "audits.ClassReport.from_json": text_of(report),
    "audits.DifferenceCertificate": Result(difference),
    # Whatever does not agree is told by the outcome.
    "audits.DifferenceCertificate.verify": Takes(
        on(difference, **COMPARED), ANYTHING
    ),
    "audits.FinishPlan": Result(
        cache(lambda: audits.plan_finish(**SURE, **PILOT, budget=8))
    ),
    "audits.FinishedLabels": Result(lambda: FINISHED),
    "audits.FinishedLabels.add_labels": on(lambda: FINISHED, **REST),
    "audits.FinishedLabels.at_targets": Takes(
        on(lambda: FINISHED, targets=[0.5]), targets={"the same", "too long"}
    ),
    "audits.FinishedLabels.complete": on(lambda: FINISHED, **REST),
    "audits.SegmentsCertificate": Result(segments),
    "audits.SegmentsCertificate.from_json": text_of(segments),
    "audits.SegmentsCertificate.verify": Takes(
        on(segments, **OF_TRUTH, **BY), ANYTHING
    ),
    "audits.ShareCertificate": Result(share),
    "audits.ShareSize": Result(
        cache(lambda: audits.audit_size(60, 0.2, 0.1, n_predicted=20))
    ),
    "audits.ShareCertificate.verify": Takes(
        on(share, **OF_TRUTH), ANYTHING
    ),
    "audits.audit_size": Takes(
        {"n_rows": 60, "target": 0.2, "expected_error": 0.1, "n_predicted": 20},
        expected_error={"zero", "a half", "one"}, n_predicted=COUNT,
    ),
    "audits.certify_difference": COMPARED | {"delta": 0.1},
    "audits.certify_labels": Takes(
        OF_CLUSTERS | {"delta": 0.1, "max_annotator_errors": 1, "sides": 2, **BY},
        by=SEGMENTS,
    ),
    "audits.certify_share": Takes(
        OF_TRUTH | {"of": [1], "delta": 0.1, **BY}, of={"zero", "one", "the same"},
        by=SEGMENTS,
    ),
    "audits.class_report": Takes(
        OF_TRUTH | {"classes": [0, 1, 2], "metrics": ["f1", "total"], "sides": 2, **BY},
        classes={"too short"}, metrics=SAME | LENGTHS, by=SEGMENTS,
    ),
    "audits.compare_annotators": Takes(
        {"answers": [TRUTH, CLUSTERS], "rows": np.arange(len(TRUTH))},
        answers={"too long", "the same", "huge ones", "text", "a gap"},
    ),
    "audits.draw_audit": Takes(
        SURE | {
            "n_rows": len(X), "size": 5, "labels": CLUSTERS,
            "exclude": [3], "surest": 0.5, "target": 0.5, "delta": 0.1, "random_state": 0,
        },
        exclude=EMPTY | SAME | LENGTHS | {"twenty thousand"},
    ),
    "audits.finish_labels": Takes(
        OF_CLUSTERS | SURE | {"target": 0.5, **BY}, by=SEGMENTS
    ),
    "audits.plan_finish": SURE | PILOT | {"budget": 8, "target": 0.3, "delta": 0.2},
    "bounds.bmax": Takes(OF_BOUND | {"delta": 0.1}, also=ARRAY, n_test=COUNT_0),
    "bounds.bucket": Takes(OF_BOUND | {"n_test_errors": 3}, also=ARRAY),
    "bounds.class_score_lower_bound": Takes(
        OF_A_CLASS | {"metric": "recall"}, tp=COUNTS, fp=COUNTS, fn=COUNTS,
        n_predicted=EMPTY, n_audited=EMPTY, n_rows=EMPTY, delta=EMPTY | SHARE,
    ),
    "bounds.groups_upper_bound": Takes(
        {"n_errors": [3, 0], "n_audited": [5, 4], "n_others": [5, 1, 7], "delta": 0.1},
        n_errors=SAME, n_audited=SAME, n_others=EMPTY | LENGTHS | SAME,
    ),
    "bounds.labels_needed": PLAN | {"target": 0.2, "certify": "holdout"},
    "bounds.pac_mdl_bound": Takes(
        OF_BOUND, also=ARRAY, n_test=COUNT_0, description_length=SIZE | {"infinite"}
    ),
    "bounds.stratified_upper_bound": Takes(
        {"n_errors": [3, 8], "n_audited": [22, 80], "n_rows": [130, 280], "delta": 0.1},
        n_errors=SAME, n_audited=SAME, n_rows=SAME,
    ),
    "bounds.total_upper_bound": Takes(SAMPLE, also=ARRAY),
    "certificates.BoundCertificate": Result(certificate),
    "certificates.BoundCertificate.from_counts": Takes(
        OF_BOUND | {"weights": HALF}, weights={"a dict"}
    ),
    "certificates.BoundCertificate.restated": on(certificate, delta=0.05),
    "certificates.BoundCertificate.verify": Takes(
        lambda: {
            "self": by_all_labels().certificate_, "y": Y,
            "labels": by_all_labels().transduction_,
            "row_order": by_all_labels().row_order_,
        },
        certifying=EMPTY | {"twenty thousand"},
    ),
    "certificates.Verification": Result({
        "outcome": "does not agree", "arithmetic": "integers", "problems": ()
    }),
    # Any values have a digest.
    "certificates.fingerprint_labels": Takes(
        {"y": Y}, y=WITH_GAPS | LENGTHS | EMPTY | LISTS | {"twenty thousand"},
        classes=EMPTY | LISTS | {"a ragged list", "a huge list", "twenty thousand"},
    ),
    "certificates.fingerprint_row_order": {"row_order": [1, 0, 2]},
    "certification.CertifiedClusterings": Result(certified),
    "certification.cluster_counts": Takes(
        TABLES | {"selecting": [[3, 0], [1, 3]]}, unlabeled=SAME,
        certifying=SAME | {"two columns"}, selecting=SAME | {"two columns"},
    ),
    "certification.HoldOut": {"fraction": 0.5},
    "certification.Learned": {"fraction": 0.5},
    "certification.PacMdl": {},
    "certification.certify_clusterings": lambda: {
        "clusterings": {"a": CLUSTERS, "b": TRUTH}, "y": Y, "certify": "holdout",
        "random_state": 0,
    },
    "cluster.FrequencySensitiveKMeans": clustering(),
    "cluster.KLKMeans": clustering(X=abs(X)),
    "cluster.SphericalKMeans": clustering(),
    "cluster.VonMisesFisherMixture": Takes({"n_components": 2, "X": X}, X=ROWS),
    "datasets.make_elongated_gaussians": SAMPLING,
    "datasets.make_paired_gaussians": SAMPLING,
    "datasets.make_rings": SAMPLING,
    "datasets.make_separated_gaussians": SAMPLING,
    "datasets.make_uniform_boxes": SAMPLING,
    "datasets.make_vmf_blobs": Takes(
        SAMPLING, centers=NONE | COUNT | {"two columns"}, concentration=SIZE | {"0-d"}
    ),
    "displays.ContingencyDisplay": Result(lambda: {
        "counts": np.eye(2, dtype=int), "clusters": [0, 1], "classes": [0, 1]
    }),
    "displays.ContingencyDisplay.from_estimator": lambda: {"search": search(), "y": Y},
    # Labels of clusters may be anything that can be sorted.
    "displays.ContingencyDisplay.from_labels": Takes(
        {"y": [0, 1, 1], "labels": [0, 0, 1]}, labels=CELLS | {"text", "bytes"}
    ),
    "displays.CoverageDisplay": Result(lambda: {"curve": labeler().coverage_curve_}),
    "displays.CoverageDisplay.from_curve": lambda: {
        "coverage_curve": labeler().coverage_curve_, "target": 0.9
    },
    "displays.CoverageDisplay.from_estimator": lambda: {"search": labeler()},
    "displays.CoverageDisplay.plot": on(lambda: CoverageDisplay(curve=shown().curve)),
    "displays.FinishedLabelsDisplay": Result(
        cache(lambda: FinishedLabelsDisplay.from_finished(FINISHED))
    ),
    "displays.FinishedLabelsDisplay.from_finished": {
        "finished": FINISHED, "y_true": TRUTH
    },
    "displays.LabelBudgetDisplay": Result({"curves": {}}),
    "displays.LabelBudgetDisplay.from_parameters": Takes(
        PLAN | {"n_rows": 200, "target": 0.2, "certify": "holdout"},
        expected_error=ZERO | SHARE | {"twenty thousand"}, n_classes=NONE | COUNT,
    ),
    "displays.PACMDLDisplay": Result({"table": {}, "heights": "bounds"}),
    "displays.PACMDLDisplay.from_cv_results": lambda: {
        "cv_results": search().cv_results_, "test_error": True
    },
    "displays.PACMDLDisplay.from_estimator": lambda: {"search": search()},
    "labeling.ClusterLabelClassifier": {"clusterer": CLUSTERER, "X": X, "y": Y},
    "labeling.ClusterLabelClassifier.predict": Takes(
        lambda: {"self": search().classifier_, "X": X}, X=ROWS
    ),
    "labeling.ClusterLabelClassifier.score": lambda: {
        "self": search().classifier_, "X": X, "y": TRUTH, "sample_weight": np.ones(30)
    },
    "languages.Candidate": Result({"algorithm": "ward"}),
    "languages.PaperLanguage": Takes(
        {"name": "own", "terms": ("init",)}, terms={"too short"}
    ),
    "languages.Prior": Takes({}, **dict.fromkeys(
        ["algorithm", "n_clusters", "init", "grid"], WORD_OR_FUNCTION
    )),
    **{f"metrics.{name}": COMPARING for name in sorted(external_measures())},
    "metrics.ContingencyTable": Takes(
        {"counts": np.eye(2, dtype=int)},
        counts=SAME | LENGTHS | {"two columns", "huge ones"},
    ),
    "metrics.ContingencyTable.from_labels": COMPARING | {"sample_weight": np.ones(30)},
    "metrics.balance_score": Takes(JUDGED, X=NONE | CELLS),
    "metrics.category_utility_score": {"X": TRUTH[:, None], "labels": TRUTH},
    "metrics.classification_error_loss": {"labels_true": TRUTH, "labels_pred": 1 - TRUTH},
    "metrics.dunn_score": JUDGED,
    "metrics.edge_cut_score": {"affinity": np.ones((30, 30)), "labels": CLUSTERS},
    "metrics.informativeness_score": Takes(
        JUDGED | JUDGES, X=CELLS, classifiers=SAME
    ),
    "metrics.informativeness_scorer": Takes(
        lambda: {"estimator": fitted(), "X": X}, X=ROWS
    ),
    "metrics.informativeness_scores": Takes(
        {"X": X, "clusterings": [CLUSTERS, TRUTH], "random_state": 0} | JUDGES,
        X=CELLS, classifiers=SAME, clusterings=LABELS | LENGTHS,
    ),
    "metrics.make_labeling_scorer": Takes(
        {"metric": anything, "kind": "internal"}, metric={"a class", "a function"}
    ),
    "metrics.pac_mdl_error_bound": Takes({"y": Y, "labels": CLUSTERS}, n_clusters=LARGE),
    "metrics.pac_mdl_score": Takes({"y": Y, "labels": CLUSTERS}, n_clusters=LARGE),
    "metrics.pac_mdl_scorer": lambda: {"estimator": fitted(), "X": X, "y": Y},
    "metrics.sse_score": JUDGED,
    "metrics.sum_of_squared_errors": JUDGED,
    "model_selection.PACMDLSearchCV": Takes(
        {"estimator": CLUSTERER, "random_state": 0, "X": X, "y": Y},
        memory={"text", "empty text"}, param_grid={"a dict"},
        n_clusters=NONE | COUNT | {"a dict", "a set"}, n_init=COUNT | {"a dict"},
        error_score=LARGE | SIZE | SWITCH | {"negative", "lowest", "infinite", "NaN"},
    ),
    "model_selection.PACMDLSearchCV.labels_needed": on(search, target=0.99, quantile=0.9),
    "model_selection.PACMDLSearchCV.predict": Takes(
        on(search, X=X), X=ROWS
    ),
    "model_selection.PACMDLSearchCV.score": on(
        search, X=X, y=TRUTH, sample_weight=np.ones(30)
    ),
    "model_selection.default_candidates": Takes({"X": X}, X=ANYTHING),
    "model_selection.TransductiveSplit": Takes({"X": X}, X=ANYTHING),
    "model_selection.TransductiveSplit.get_n_splits": {"self": TransductiveSplit()},
    "random_choice.RandomChoiceTest": Result(lambda: certified().random_choice_test),
    "random_choice.random_choice_test": Takes(
        {
            "labeled": Y >= 0, "clusterings": [CLUSTERS], "class_counts": [5, 10],
            "n_draws": 99,
        },
        clusterings=CELLS | EMPTY | LENGTHS | {"a dict"},
        class_counts=SAME | {"twenty thousand", "huge ones"}, random_state=ZERO | LARGE,
    ),
    "reports.Report": Result({"title": "Topics", "html": "<p>None is wrong.</p>"}),
    "reports.certificate_report": lambda: {"certificate": search().certificate_},
    "worksheets.read_worksheet": Takes(
        {"source": pd.DataFrame({"row": [1, 2], "label": 1}), "rows": [1, 2]},
        classes={"a dict"},
    ),
    "worksheets.worksheet": Takes(
        {
            "rows": [1, 2], "data": pd.DataFrame(X), "n_rows": len(X),
            "answers": {"Ann": [0, 1]},
        },
        answers={"a dict"},
    ),
}  # fmt: skip

# Parameters that take anything: those that scikit-learn's conventions demand and nothing
# reads, and rows that are handed on as they are.
UNREAD = {
    "cluster.": ("y",),
    "metrics.informativeness_scorer": ("y",),
    "model_selection.TransductiveSplit": ("y", "groups"),
    "model_selection.TransductiveSplit.get_n_splits": ("X",),
}
# Classes of certificates besides BoundCertificate, and their further fields.
CERTIFICATES = {
    "AuditCertificate": {"sides": 2},
    "FinishedCertificate": {"target": 0.2, "n_automatic": 20, "n_left": 10},
    "GroupsCertificate": {"parts": [(1, 30, 30, 2), (1, 30, 0, 0)]},
    "HoldoutCertificate": {"n_select": 5, "weights": {}},
    "LearnedCertificate": {"n_select": 5, "weights": {}},
    "StrataCertificate": {"parts": [(1, 60, 30, 2)]},
}


def of_class(name):
    """Valid calls of a class of certificates and its constructors."""
    counts = {"n_train": 30, "n_test": 30, "n_train_errors": 2, **CERTIFICATES[name]}
    room = audits if hasattr(audits, name) else certificates
    issued = getattr(room, name).from_counts(**counts)
    name = f"{room.__name__.rpartition('.')[2]}.{name}"
    return {
        name: Result(lambda: issued),
        f"{name}.from_counts": Takes(counts, weights=DICT, parts=SAME),
        f"{name}.from_json": lambda: {"text": issued.to_json()},
    }


for each in CERTIFICATES:
    VALID |= of_class(each)


# Plain arguments are those of a call, too.
VALID = {
    name: made if isinstance(made, Takes) else Takes(made) for name, made in VALID.items()
}
RESULTS = {name for name, made in VALID.items() if isinstance(made, Result)}


def resolve(name):
    """What a name stands for, and what it is called through."""
    room, *path = name.split(".")
    found = import_module(f"sklearn_pacmdl.{room}")
    for part in path:
        found = getattr(found, part)
    if inspect.isclass(found):
        for method in WORK:
            if hasattr(found, method):
                return found, method
    return found, None


@cache
def signature_of(name):
    """Parameters of the class or function, and of the method that works with them."""
    found, method = resolve(name)
    parts = [found, getattr(found, method)] if method else [found]
    return {
        p.name: p.default
        for part in parts
        if callable(part)
        for p in inspect.signature(part).parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }


def defaults_of(name):
    return {
        p: v for p, v in signature_of(name).items() if v is not inspect.Parameter.empty
    }


def parameters_of(name):
    named = dict.fromkeys([*signature_of(name), *VALID[name]()])
    return [p for p in named if p != "self" and not p.startswith("_")]


def call(name, given):
    """The valid call with these arguments in place of its own."""
    found, method = resolve(name)
    if "self" in given:
        rest = {p: v for p, v in given.items() if p != "self"}
        return getattr(given["self"], name.rpartition(".")[2])(**rest)
    if method is None and callable(found):
        unnamed = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
        kinds = {p.name: p.kind for p in inspect.signature(found).parameters.values()}
        first = [value for p, value in given.items() if kinds.get(p) in unnamed]
        rest = {p: v for p, v in given.items() if kinds.get(p) not in unnamed}
        return found(*first, **rest)
    if method is None:
        return None
    own = [*inspect.signature(found).parameters]
    made = found(**{k: v for k, v in given.items() if k in own})
    before = set(vars(made))
    try:
        done = getattr(made, method)(**{k: v for k, v in given.items() if k not in own})
        return list(done) if inspect.isgenerator(done) else done
    except BaseException:
        left = set(vars(made)) - before - {"n_features_in_", "feature_names_in_"}
        assert not left, f"an error leaves {left} on the estimator"
        raise


def may_take(name, parameter):
    """The bad values that may be taken, by what is wrong with them."""
    call, none = VALID[name], defaults_of(name).get(parameter, ...) is None
    takes = call.takes.get(parameter, MEANS.get(parameter, set()))
    unread = any(name.startswith(n) and parameter in p for n, p in UNREAD.items())
    return takes | call.also | (NONE if none else set()) | (ANYTHING if unread else set())


def public():
    """What needs a valid call: all public names but abstract classes, and the other ways
    to construct a class."""
    for room, name in NAMES:
        found = getattr(import_module(f"sklearn_pacmdl.{room}"), name)
        if inspect.isabstract(found):
            continue
        yield f"{room}.{name}"
        makers = inspect.getmembers(found, inspect.ismethod)
        for maker, made in makers if inspect.isclass(found) else ():
            if made.__module__.startswith("sklearn_pacmdl") and maker[0] != "_":
                yield f"{room}.{name}.{maker}"
