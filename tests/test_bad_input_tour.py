"""Every public class and function is called with one bad argument after another.

The tour is made from signatures: each parameter of a valid call takes, in turn, values of
a wrong type, out of range, not finite, empty, of a wrong length or far too large. What
follows is either a result, or a ValueError or TypeError that names the parameter and
shows the value, at once and with nothing half done. Which values lead to a result is
listed in ``taken.txt``; all others must raise an error, so that a check that is lost
fails. After a change that is meant, write the file anew with
``python tests/test_bad_input_tour.py`` and read the difference. A public name without a
valid call below fails.
"""

import inspect
import re
import signal
import traceback
import warnings
from contextlib import chdir, contextmanager, suppress
from dataclasses import fields
from fractions import Fraction
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import external_measures
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier as Constant

import sklearn_pacmdl
from sklearn_pacmdl import (
    BoundCertificate,
    PACMDLSearchCV,
    audits,
    certificates,
    certify_clusterings,
    displays,
)
from sklearn_pacmdl.audits import (
    AuditMonitor,
    audit_size,
    certify_difference,
    certify_share,
    class_report,
    compare_annotators,
    draw_audit,
    finish_labels,
    plan_finish,
)
from sklearn_pacmdl.cluster import Clusters, Objective
from sklearn_pacmdl.displays import CoverageDisplay, FinishedLabelsDisplay
from sklearn_pacmdl.languages import Candidate

FILE = Path(__file__).with_name("taken.txt")
ROOT = Path(sklearn_pacmdl.__file__).parent
# Rooms that nobody imports from: the tools of others, and commands.
PRIVATE = {"utils", "columns", "estimators", "shell"}
ROOMS = sorted({p.parent.name for p in ROOT.glob("*/__init__.py")} - PRIVATE)
# What else is tried: the methods that do the work. Constructors of estimators, and of
# splitters, take anything; their parameters are tried in calls of these.
WORK = ("fit", "split")
# Processor time after which a call is taken to have no end. Most take under .4 s, and
# a million circles 3 s; it is no limit of speed, which depends on the machine.
SECONDS = 60.0

X = np.repeat([[0.0, 0.0], [3.0, 3.0], [9.0, 0.0]], 10, axis=0)
X = X + np.random.RandomState(0).normal(scale=0.3, size=X.shape)
TRUTH = np.repeat([0, 1, 1], 10)
Y = np.where(np.random.RandomState(1).permutation(30) < 15, TRUTH, -1)
CLUSTERS = np.repeat([0, 1, 2], 10)
SWEEP = [Candidate("ward", 2), Candidate("ward", 3)]
HALF = {"label": Fraction(1, 2)}
PLAN = {"n_rows": 2000, "n_clusters": 3, "n_classes": 2}
OF_A_CLASS = {"tp": 8, "fp": 1, "fn": 2, "n_predicted": 20, "delta": 0.1}
OF_A_CLASS |= {"n_audited": 30, "n_rows": 60}
SAMPLE = {"n_errors": 3, "n_audited": 30, "n_rows": 60, "delta": 0.1}
TABLES = {"certifying": [[8, 1], [0, 9]], "unlabeled": [20, 20]}


class Squares(Objective):
    def place(self, rows, sums, sizes):
        means = sums / sizes
        return Clusters(means, gain=2.0, bias=-np.sum(means**2, axis=0))

    def distances(self, rows, products, clusters):
        squares = np.sum(rows.X**2, axis=1, keepdims=True)
        return np.maximum(squares - clusters.scores(products), 0)


def clusterer():
    return KMeans(2, n_init=1, random_state=0)


@cache
def certificate():
    return BoundCertificate.from_counts(90, 90, 3, weights=HALF)


@cache
def by_all_labels():
    return PACMDLSearchCV(clusterer(), certify="pac-mdl", random_state=0).fit(X, Y)


@cache
def search():
    return PACMDLSearchCV(clusterer(), n_clusters=[2, 3], random_state=0).fit(X, Y)


@cache
def labeler():
    return PACMDLSearchCV(clusterer(), target=0.9, n_clusters=[3], random_state=0).fit(
        X, Y
    )


@cache
def certified():
    return certify_clusterings({"a": CLUSTERS}, Y, random_state=0)


@cache
def report_of_classes():
    return class_report(TRUTH, audit(), TRUTH[audit().rows])


@cache
def planned():
    return audit_size(200, 0.2, 0.1)


def learning():
    return {"confidence": X[:, 0], "budget": 8, "pilot": audit()} | {
        name: value for name, value in audited().items() if name != "audit"
    }


@cache
def finish_plan():
    return plan_finish(**learning())


@cache
def shown_finished():
    return FinishedLabelsDisplay.from_finished(finished())


@cache
def shown_coverage():
    return CoverageDisplay.from_estimator(labeler())


@cache
def agreement(*answers):
    named = {"truth": TRUTH, "clusters": CLUSTERS}
    return compare_annotators([named[own] for own in answers])


def fields_of(record):
    return {f.name: getattr(record, f.name) for f in fields(record) if f.init}


def anything(*args, **kwargs):
    """A function of any arguments, of which nothing comes."""


def clustering(**kwargs):
    return {"n_clusters": 2, "random_state": 0, "X": X} | kwargs


def comparing():
    return {"labels_true": TRUTH, "labels_pred": CLUSTERS}


def judging():
    return {"X": X, "labels": CLUSTERS, "classifiers": [Constant()], "cv": 2}


@cache
def fitted():
    return clusterer().fit(X)


def sampling(**kwargs):
    return {"n_samples": 12, "random_state": 0} | kwargs


def calls_of_searches(**kwargs):
    return {"estimator": clusterer(), "random_state": 0, "X": X, "y": Y} | kwargs


@cache
def audit():
    return draw_audit(len(X), 12, exclude=[0, 1], random_state=0)


def audited(**kwargs):
    answers = TRUTH[audit().rows]
    return {"labels": CLUSTERS, "audit": audit(), "audit_labels": answers} | kwargs


@cache
def finished():
    return finish_labels(**audited(confidence=X[:, 0], target=0.3))


def compared():
    return {"first": CLUSTERS, "second": CLUSTERS[::-1]} | {
        name: value for name, value in audited().items() if name != "labels"
    }


@cache
def difference():
    return certify_difference(**compared())


def of_labels():
    return {"labels": TRUTH, "audit": audit(), "audit_labels": TRUTH[audit().rows]}


@cache
def share():
    return certify_share(**of_labels(), of=1)


def monitor():
    return AuditMonitor(200, 0.2, max_labels=60)


# One valid call for each public name, and for those methods that users call.
VALID = {
    "audits.ClassReport": lambda: fields_of(report_of_classes()),
    "audits.class_report": lambda: {
        **of_labels(),
        "classes": [0, 1, 2],
        "metrics": ["f1", "total"],
        "sides": 2,
    },
    "audits.Audit": lambda: fields_of(audit()),
    "audits.Audit.from_json": lambda: {"text": audit().to_json()},
    "audits.Audit.labels_by_row": lambda: {
        "self": audit(),
        "audit_labels": TRUTH[audit().rows],
    },
    "audits.Audit.of_clusterings": lambda: {
        "certified": certify_clusterings(
            [CLUSTERS], Y, certify="holdout", random_state=0
        ),
        "y": Y,
        "confidence": X[:, 0],
    },
    "audits.Audit.read_labels": lambda: {
        "self": audit(),
        "source": audit().to_frame().assign(label=1),
        "column": "label",
    },
    "audits.Audit.to_frame": lambda: {"self": audit(), "data": pd.DataFrame(X)},
    "audits.AuditMonitor": lambda: {
        "n_rows": 200,
        "target": 0.2,
        "max_labels": 60,
    },
    "audits.AuditMonitor.expected_labels": lambda: {
        "self": monitor(),
        "error_rate": [0.1, 0.2],
    },
    "audits.AuditMonitor.from_json": lambda: {"text": monitor().to_json()},
    "audits.AuditMonitor.probability_of_success": lambda: {
        "self": monitor(),
        "error_rate": 0.1,
    },
    "audits.AuditMonitor.update": lambda: {
        "self": monitor(),
        "n_labels": 3,
        "n_errors": 1,
    },
    "audits.AuditSize": lambda: fields_of(planned()),
    "audits.AuditSize.power_at": lambda: {"self": planned(), "error_rate": [0.1, 0.2]},
    "audits.FinishPlan": lambda: fields_of(finish_plan()),
    "audits.FinishedLabels": lambda: fields_of(finished()),
    "audits.FinishedLabels.add_labels": lambda: {
        "self": finished(),
        "human_labels": TRUTH[finished().to_annotators],
    },
    "audits.FinishedLabels.at_targets": lambda: {"self": finished(), "targets": [0.5]},
    "audits.FinishedLabels.complete": lambda: {
        "self": finished(),
        "human_labels": TRUTH[finished().to_annotators],
    },
    "audits.audit_size": lambda: {"n_rows": 200, "target": 0.2, "expected_error": 0.1},
    "audits.plan_finish": lambda: learning() | {"target": 0.3, "delta": 0.2},
    "audits.DifferenceCertificate": lambda: fields_of(difference()),
    "audits.DifferenceCertificate.from_json": lambda: {"text": difference().to_json()},
    "audits.DifferenceCertificate.verify": lambda: {"self": difference()} | compared(),
    "audits.certify_difference": lambda: compared() | {"delta": 0.1},
    "audits.ShareCertificate": lambda: fields_of(share()),
    "audits.ShareCertificate.from_json": lambda: {"text": share().to_json()},
    "audits.ShareCertificate.verify": lambda: {"self": share()} | of_labels(),
    "audits.certify_share": lambda: of_labels() | {"of": [1], "delta": 0.1},
    "audits.certify_labels": lambda: audited(delta=0.1, max_annotator_errors=1, sides=2),
    "audits.draw_audit": lambda: {
        "n_rows": len(X),
        "size": 5,
        "labels": CLUSTERS,
        "confidence": X[:, 0],
        "exclude": [3],
        "surest": 0.5,
        "target": 0.5,
        "delta": 0.1,
        "random_state": 0,
    },
    "audits.finish_labels": lambda: audited(confidence=X[:, 0], target=0.5),
    "audits.Agreement": lambda: fields_of(agreement("truth", "clusters")),
    "audits.Agreement.labels": lambda: {
        "self": agreement("truth", "truth"),
        "majority": True,
        "settled": TRUTH,
    },
    "worksheets.read_worksheet": lambda: {
        "source": pd.DataFrame({"row": [1, 2], "label": 1}),
        "rows": [1, 2],
    },
    "worksheets.worksheet": lambda: {
        "rows": [1, 2],
        "data": pd.DataFrame(X),
        "n_rows": len(X),
        "answers": {"Ann": [0, 1]},
    },
    "audits.compare_annotators": lambda: {
        "answers": [TRUTH, CLUSTERS],
        "rows": np.arange(len(TRUTH)),
    },
    "bounds.bmax": lambda: {
        "n_train": 30,
        "n_test": 30,
        "n_train_errors": 2,
        "delta": 0.1,
    },
    "bounds.bucket": lambda: {
        "n_train": 30,
        "n_test": 30,
        "n_train_errors": 2,
        "n_test_errors": 3,
    },
    "bounds.class_score_lower_bound": lambda: OF_A_CLASS | {"metric": "recall"},
    "bounds.groups_upper_bound": lambda: {
        "n_errors": [3, 0],
        "n_audited": [5, 4],
        "n_others": [5, 1, 7],
        "delta": 0.1,
    },
    "bounds.labels_needed": lambda: PLAN | {"target": 0.2, "certify": "holdout"},
    "bounds.pac_mdl_bound": lambda: {"n_train": 30, "n_test": 30, "n_train_errors": 2},
    "bounds.stratified_upper_bound": lambda: {
        "n_errors": [3, 8],
        "n_audited": [22, 80],
        "n_rows": [130, 280],
        "delta": 0.1,
    },
    "bounds.total_upper_bound": lambda: dict(SAMPLE),
    "certificates.BoundCertificate": lambda: fields_of(certificate()),
    "certificates.BoundCertificate.from_counts": lambda: {
        "n_train": 30,
        "n_test": 30,
        "n_train_errors": 2,
        "weights": HALF,
    },
    "certificates.BoundCertificate.from_json": lambda: {"text": certificate().to_json()},
    "certificates.BoundCertificate.restated": lambda: {
        "self": certificate(),
        "delta": 0.05,
    },
    "certificates.BoundCertificate.verify": lambda: {
        "self": by_all_labels().certificate_,
        "y": Y,
        "labels": by_all_labels().transduction_,
        "row_order": by_all_labels().row_order_,
    },
    "certificates.Certificate.from_json": lambda: {"text": certificate().to_json()},
    "certificates.Verification": lambda: {
        "outcome": "does not agree",
        "arithmetic": "integers",
        "problems": (),
    },
    "certificates.fingerprint_labels": lambda: {"y": Y},
    "certificates.fingerprint_row_order": lambda: {"row_order": [1, 0, 2]},
    "certification.CertifiedClusterings": lambda: fields_of(certified()),
    "certification.cluster_counts": lambda: TABLES | {"selecting": [[3, 0], [1, 3]]},
    "certification.certify_clusterings": lambda: {
        "clusterings": {"a": CLUSTERS, "b": TRUTH},
        "y": Y,
        "certify": "holdout",
        "random_state": 0,
    },
    "certification.HoldOut": lambda: {"fraction": 0.5},
    "certification.Learned": lambda: {"fraction": 0.5},
    "certification.PacMdl": dict,
    "cluster.FrequencySensitiveKMeans": clustering,
    "cluster.KLKMeans": lambda: clustering(X=abs(X)),
    "cluster.Clusters": lambda: {"directions": np.eye(2)},
    "cluster.ObjectiveClusterer": lambda: clustering(objective=Squares()),
    "cluster.SphericalKMeans": clustering,
    "cluster.VonMisesFisherMixture": lambda: {"n_components": 2, "X": X},
    "datasets.make_elongated_gaussians": sampling,
    "datasets.make_paired_gaussians": sampling,
    "datasets.make_rings": sampling,
    "datasets.make_separated_gaussians": sampling,
    "datasets.make_uniform_boxes": sampling,
    "datasets.make_vmf_blobs": sampling,
    "displays.ContingencyDisplay": lambda: {
        "counts": np.eye(2, dtype=int),
        "clusters": [0, 1],
        "classes": [0, 1],
    },
    "displays.ContingencyDisplay.from_estimator": lambda: {"search": search(), "y": Y},
    "displays.ContingencyDisplay.from_labels": lambda: {
        "y": [0, 1, 1],
        "labels": [0, 0, 1],
    },
    "displays.CoverageDisplay": lambda: {"curve": labeler().coverage_curve_},
    "displays.CoverageDisplay.from_curve": lambda: {
        "coverage_curve": labeler().coverage_curve_,
        "target": 0.9,
    },
    "displays.CoverageDisplay.from_estimator": lambda: {"search": labeler()},
    "displays.CoverageDisplay.plot": lambda: {
        "self": CoverageDisplay(curve=shown_coverage().curve)
    },
    "displays.FinishedLabelsDisplay": lambda: fields_of(shown_finished()),
    "displays.FinishedLabelsDisplay.from_finished": lambda: {
        "finished": finished(),
        "y_true": TRUTH,
    },
    "displays.LabelBudgetDisplay": lambda: {"curves": {}},
    "displays.LabelBudgetDisplay.from_parameters": lambda: (
        PLAN | {"n_rows": 200, "target": 0.2, "certify": "holdout"}
    ),
    "displays.PACMDLDisplay": lambda: {"table": {}, "heights": "bounds"},
    "displays.PACMDLDisplay.from_cv_results": lambda: {
        "cv_results": search().cv_results_,
        "test_error": True,
    },
    "reports.Report": lambda: {
        "title": "Topics",
        "html": "<p>None is wrong.</p>",
    },
    "reports.certificate_report": lambda: {"certificate": search().certificate_},
    "displays.PACMDLDisplay.from_estimator": lambda: {"search": search()},
    "labeling.ClusterLabelClassifier": lambda: {"clusterer": clusterer(), "X": X, "y": Y},
    "labeling.ClusterLabelClassifier.predict": lambda: {
        "self": search().classifier_,
        "X": X,
    },
    "labeling.ClusterLabelClassifier.score": lambda: {
        "self": search().classifier_,
        "X": X,
        "y": TRUTH,
        "sample_weight": np.ones(30),
    },
    "random_choice.RandomChoiceTest": lambda: fields_of(certified().random_choice_test),
    "random_choice.random_choice_test": lambda: {
        "labeled": Y >= 0,
        "clusterings": [CLUSTERS],
        "class_counts": [5, 10],
        "n_draws": 99,
    },
    "languages.Candidate": lambda: {"algorithm": "ward"},
    "languages.PaperLanguage": lambda: {"name": "own", "terms": ("init",)},
    "languages.Prior": dict,
    **{f"metrics.{name}": comparing for name in sorted(external_measures())},
    "metrics.ContingencyTable": lambda: {"counts": np.eye(2, dtype=int)},
    "metrics.ContingencyTable.from_labels": lambda: (
        comparing() | {"sample_weight": np.ones(30)}
    ),
    "metrics.balance_score": lambda: {"X": X, "labels": CLUSTERS},
    "metrics.category_utility_score": lambda: {"X": TRUTH[:, None], "labels": TRUTH},
    "metrics.classification_error_loss": lambda: {
        "labels_true": TRUTH,
        "labels_pred": 1 - TRUTH,
    },
    "metrics.dunn_score": lambda: {"X": X, "labels": CLUSTERS},
    "metrics.edge_cut_score": lambda: {"affinity": np.ones((30, 30)), "labels": CLUSTERS},
    "metrics.informativeness_score": judging,
    "metrics.informativeness_scorer": lambda: {"estimator": fitted(), "X": X},
    "metrics.informativeness_scores": lambda: {
        "X": X,
        "clusterings": [CLUSTERS, TRUTH],
        "classifiers": [Constant()],
        "cv": 2,
        "random_state": 0,
    },
    "metrics.make_labeling_scorer": lambda: {"metric": anything, "kind": "internal"},
    "metrics.pac_mdl_error_bound": lambda: {"y": Y, "labels": CLUSTERS},
    "metrics.pac_mdl_score": lambda: {"y": Y, "labels": CLUSTERS},
    "metrics.pac_mdl_scorer": lambda: {"estimator": fitted(), "X": X, "y": Y},
    "metrics.sse_score": lambda: {"X": X, "labels": CLUSTERS},
    "metrics.sum_of_squared_errors": lambda: {"X": X, "labels": CLUSTERS},
    "model_selection.PACMDLSearchCV": calls_of_searches,
    "model_selection.PACMDLSearchCV.labels_needed": lambda: {
        "self": search(),
        "target": 0.99,
        "quantile": 0.9,
    },
    "model_selection.PACMDLSearchCV.predict": lambda: {"self": search(), "X": X},
    "model_selection.PACMDLSearchCV.score": lambda: {
        "self": search(),
        "X": X,
        "y": TRUTH,
        "sample_weight": np.ones(30),
    },
    "model_selection.TransductiveSplit": lambda: {"X": X},
    "model_selection.TransductiveSplit.get_n_splits": lambda: {
        "self": sklearn_pacmdl.TransductiveSplit()
    },
}


def bad_values(valid):
    """What a parameter is given in place of a valid value, by what is wrong with it."""
    yield from {
        "None": None,
        "text": "bad",
        "empty text": "",
        "bytes": b"bad",
        "an object": object(),
        "a class": dict,
        "a function": anything,
        "a list": [],
        "a dict": {},
        "a dict of nothing": {"bad": None},
        "a set": {1, 2},
        "a boolean": True,
        "negative": -1,
        "zero": 0,
        "one": 1,
        "two": 2,
        "a half": 0.5,
        "a complex number": 1j,
        "huge": 10**400,
        "beyond what Python writes": 10**5000,
        "a huge ratio": Fraction(10**400),
        "lowest": -1e308,
        "NaN": np.nan,
        "deep text": "[" * 10**5,
        "infinite": np.inf,
        "an empty array": np.array([]),
        "0-d": np.array(3),
        "a list of NaN": [np.nan, np.nan],
        "a list of None": [None, None],
        "a list of text": ["bad", "worse"],
        "a ragged list": [[1], [2, 3]],
        "a huge list": [10**400, 1],
        "two columns": np.ones((2, 2)),
        "three dimensions": np.ones((2, 2, 2)),
        "twenty thousand": np.broadcast_to(0, 20_000),
        "dates": np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"),
    }.items()
    if isinstance(valid, list | tuple | np.ndarray) and not is_ragged(valid):
        yield "too short", valid[:-1]
        yield "too long", [*valid, *valid[:1]]
        yield "of one kind of objects", [object()] * len(valid)
        yield "of two types", [*valid[:-1], "bad"]
        yield "the same", [*valid[:1]] * len(valid)
        yield "negative ones", np.full(np.shape(valid), -1)
        yield "huge ones", np.full(np.shape(valid), 2**62)
        yield "NaN in it", np.full(np.shape(valid), np.nan)
        yield "infinity in it", np.full(np.shape(valid), np.inf)
        yield "text", np.full(np.shape(valid), "bad")
        yield "a gap", with_gap(valid)
    if isinstance(valid, dict):
        yield "other values", dict.fromkeys(valid)
        yield "other keys", dict.fromkeys(range(len(valid)), 1)


def with_gap(valid):
    """The same values but for the last, which is missing."""
    values = np.array(valid, dtype=object)
    values.flat[-1:] = None
    return values


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
        name: lambda: fields_of(issued),
        f"{name}.from_counts": lambda: dict(counts),
        f"{name}.from_json": lambda: {"text": issued.to_json()},
    }


for each in CERTIFICATES:
    VALID |= of_class(each)
# Results, whose fields are filled in by the functions that return them.
RESULTS = {
    *("audits.Agreement", "audits.Audit", "audits.AuditSize", "audits.ClassReport"),
    *("audits.FinishedLabels", "cluster.Clusters"),
    "certificates.BoundCertificate",
    *(f"audits.{name}" for name in CERTIFICATES if hasattr(audits, name)),
    *("certificates.HoldoutCertificate", "certificates.LearnedCertificate"),
    "certificates.Verification",
    *("audits.DifferenceCertificate", "audits.ShareCertificate"),
    "certification.CertifiedClusterings",
    *("random_choice.RandomChoiceTest", "languages.Candidate"),
    "reports.Report",
    *(f"displays.{name}" for name in displays.__all__),
}


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


@cache
def parameters_in_order(function):
    return [*inspect.signature(function).parameters.values()]


def call(name, given):
    """The valid call with these arguments in place of its own."""
    found, method = resolve(name)
    if "self" in given:
        rest = {p: v for p, v in given.items() if p != "self"}
        return getattr(given["self"], name.rpartition(".")[2])(**rest)
    if method is None and callable(found):
        unnamed = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
        kinds = {p.name: p.kind for p in parameters_in_order(found)}
        first = [value for p, value in given.items() if kinds.get(p) in unnamed]
        rest = {p: v for p, v in given.items() if kinds.get(p) not in unnamed}
        return found(*first, **rest)
    if method is None:
        return None
    own = [p.name for p in parameters_in_order(found)]
    made = found(**{k: v for k, v in given.items() if k in own})
    before = set(vars(made))
    try:
        done = getattr(made, method)(**{k: v for k, v in given.items() if k not in own})
        return list(done) if inspect.isgenerator(done) else done
    except BaseException:
        left = set(vars(made)) - before - {"n_features_in_", "feature_names_in_"}
        assert not left, f"an error leaves {left} on the estimator"
        raise


def scikit_learn_speaks(parameter, error):
    """Rows, labels and weights are checked by scikit-learn too, in its own words."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    ours = max(
        i for i, file in enumerate(files) if file.startswith((f"{ROOT}", __file__))
    )
    theirs = any("/sklearn/" in file for file in files[ours:])
    labels = ("labels", "labels_true", "labels_pred", "clusterings")
    return theirs and parameter in ("X", "y", "sample_weight", "affinity", *labels)


def shows(message, value):
    """Whether the message tells the value, or what kind of array or object it is."""
    array = np.asarray(value, dtype=object if is_ragged(value) else None)
    if isinstance(value, np.ma.MaskedArray):
        array = value.astype(object).filled(None)
    items = list(value)[:3] if np.iterable(value) else []
    items += value.values() if isinstance(value, dict) else []
    items += [value, *array.ravel()[:3], *array.ravel()[-1:]]
    telling = [text[:40] for item in items for text in (shown(item), plain(item))]
    telling += [f"{np.shape(item)}" for item in items if not is_ragged(item)]
    if array.dtype.kind == "f":
        telling += ["NaN"] if np.isnan(array).any() else []
        telling += ["infinity"] if np.isinf(array).any() else []
    if array.dtype.kind == "O":
        telling += ["NaN"] if any(item is np.nan for item in array.flat) else []
        telling += ["None"] if isinstance(value, np.ma.MaskedArray) else []
    telling += ["none", "None"] if np.iterable(value) and not len(value) else []
    telling += [type(value).__name__, f"{array.dtype}", f"{array.shape}"]
    if array.ndim:
        telling.append(f"{len(array)}")
    return any(text in message for text in telling)


def shown(value):
    """As messages write it: numbers of NumPy are plain, and what is too long is not."""
    try:
        with np.printoptions(legacy="1.25"):
            return repr(value)
    except ValueError:
        return f"a {type(value).__name__} that is too long to show"


def plain(value):
    return str(value) if isinstance(value, np.ndarray | str) else shown(value)


def is_ragged(value):
    try:
        np.asarray(value)
    except ValueError:
        return True
    return False


def is_ordinary(value):
    """Whether this may be right in itself, and wrong beside the other arguments."""
    return not is_ragged(value) and bool(
        np.asarray(value).dtype.kind in "biuf" and np.isfinite(np.asarray(value)).all()
    )


def complaint(name, parameter, given, error):
    """What is wrong with the error for a bad argument, or None."""
    value = given[parameter]
    if scikit_learn_speaks(parameter, error):
        return None
    if isinstance(error, OSError) and parameter == "path":
        return None  # the system names the file, and what is wrong with it
    if not isinstance(error, ValueError | TypeError):
        return "".join(traceback.format_exception(error)[-2:])
    message = str(error)
    told = {
        named: argument
        for named, argument in (defaults_of(name) | given).items()
        if re.search(rf"(?<!\w){named}(?!\w)", message)
    }
    if not is_ordinary(value):
        if parameter not in told:
            return f"{parameter} is not named: {type(error).__name__}: {message}"
        told = {parameter: value}
    if not any(shows(message, argument) for argument in told.values()):
        return f"no argument is named and shown: {message}"
    return None


def outcome(name, parameter, value):
    """What is wrong with how a bad argument is taken, or None, and whether it is."""
    given = VALID[name]() | {parameter: value}
    try:
        with warnings.catch_warnings(), limited(), parallel_config("threading"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            call(name, given)
    except Exception as error:
        return complaint(name, parameter, given, error), False
    finally:
        plt.close("all")
    return None, True


def outcomes(name, parameter):
    """The faults of how bad values of a parameter are taken, and the values that are."""
    valid, faults, taken = VALID[name]().get(parameter), {}, []
    for what, value in bad_values(valid):
        wrong, is_taken = outcome(name, parameter, value)
        faults |= {what: wrong} if wrong else {}
        taken += [what] if is_taken else []
    return faults, taken


@cache
def taken_before():
    """By name and parameter, the bad values that lead to a result."""
    taken = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        name, parameters, values = line.split(maxsplit=2)
        taken |= dict.fromkeys(((name, p) for p in parameters.split(",")), values)
    return taken


def listed(taken, name, parameter):
    """As the file lists them, whichever is shorter."""
    kinds = dict(bad_values(VALID[name]().get(parameter)))
    refused = [what for what in kinds if what not in taken]
    short = len(refused) < len(taken)
    return ", ".join(["all but", *refused] if short else taken)


def is_listed(what, text):
    named = what in text.removeprefix("all but, ").split(", ")
    return named != text.startswith("all but")


def written(taken):
    """The lines of the file; parameters of one name with the same values share one."""
    alike = {}
    for (name, parameter), values in taken.items():
        text = listed(values, name, parameter)
        alike.setdefault((name, text), []).append(parameter)
    return "".join(f"{name} {','.join(p)} {v}\n" for (name, v), p in alike.items() if v)


@contextmanager
def limited():
    """A call that does not end raises an error."""

    def stop(*_):
        raise TimeoutError("it does not end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(autouse=True)
def left_as_it_was(registries, monkeypatch, tmp_path):
    """What is registered or written in a tour is forgotten; jobs are threads."""
    monkeypatch.chdir(tmp_path)


def public():
    """What needs a valid call: all public names but abstract classes, and the other ways
    to construct a class."""
    for room in ROOMS:
        module = import_module(f"sklearn_pacmdl.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isabstract(found):
                continue
            yield f"{room}.{name}"
            makers = inspect.getmembers(found, inspect.ismethod)
            for maker, made in makers if inspect.isclass(found) else ():
                if made.__module__.startswith("sklearn_pacmdl") and maker[0] != "_":
                    yield f"{room}.{name}.{maker}"


def test_every_public_name_is_on_the_tour():
    missing = sorted(set(public()) - set(VALID))
    assert not missing, f"VALID needs a valid call of each of {missing}"
    homes = {id(resolve(name)[0]) for name in VALID}
    top = {
        name: getattr(sklearn_pacmdl, name)
        for name in set(sklearn_pacmdl.__all__) - set(ROOMS)
    }
    assert not [name for name, found in top.items() if id(found) not in homes]


@pytest.mark.parametrize("name", VALID)
def test_the_valid_call(name):
    call(name, VALID[name]())


ON_THE_TOUR = [(name, parameter) for name in VALID for parameter in parameters_of(name)]


@pytest.mark.parametrize(("name", "parameter"), ON_THE_TOUR)
def test_bad_values(name, parameter):
    faults, taken = outcomes(name, parameter)
    before = taken_before().get((name, parameter), "")
    new = [what for what in taken if not is_listed(what, before)]
    faults |= dict.fromkeys(new, "it is accepted")
    assert not faults, "\n".join(f"{what}: {found}" for what, found in faults.items())


def test_the_file_has_no_other_names():
    assert taken_before().keys() <= {*ON_THE_TOUR}


def accepting(function):
    """The same function, which takes whatever it is given."""

    def accept(*args, **kwargs):
        with suppress(Exception):
            return function(*args, **kwargs)

    return wraps(function)(accept)


@pytest.mark.parametrize("name", ["bounds.bmax", "audits.certify_labels"])
def test_the_tour_sees_what_is_accepted_in_silence(name, monkeypatch):
    """A control that must fail."""
    room, function = name.split(".")
    module = import_module(f"sklearn_pacmdl.{room}")
    monkeypatch.setattr(module, function, accepting(getattr(module, function)))
    for parameter in parameters_of(name):
        before = taken_before().get((name, parameter), "")
        taken = outcomes(name, parameter)[1]
        assert not all(is_listed(what, before) for what in taken)


if __name__ == "__main__":
    taken = {}
    for key in ON_THE_TOUR:
        with TemporaryDirectory() as folder, chdir(folder):
            taken[key] = outcomes(*key)[1]
    FILE.write_text(written(taken))
