"""Arguments that are wrong beside each other, or in ways that no tour thinks of.

A line for each: what is changed in a valid call, and words of the error.
"""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from calls import AUDIT, CLUSTERS, TRUTH, VALID, X, Y, call, monitor
from conftest import Untouched, external_measures
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import (
    accuracy_score,
    adjusted_rand_score,
    roc_auc_score,
    silhouette_score,
)
from sklearn.model_selection import LeaveOneGroupOut

from sklearn_pacmdl import draw_audit
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import Candidate, Prior
from sklearn_pacmdl.metrics import dunn_score, purity_score

LAST = np.arange(30) == 29
D = np.abs(X[:, :1] - X[:, 0])
DRAWN = draw_audit(30, 12, labels=CLUSTERS, confidence=X[:, 0], random_state=0)
FIRST = draw_audit(30, 5, random_state=0)
SHEET = AUDIT.to_frame().assign(label=1)
WORDS = TRUTH.astype(str)
WITH_GAP = SHEET.assign(label=[None] + [1] * 11)
LABELS = [-1] + [1] * 11
BOUNDARIES = [30, 20], [0], [61], [1, 1, 1], [20.5], [[20]], "20", [[1], [2, 3]], None
EMPTY = [[0, 0], [1, 0]]
PROVISO = "the labeled rows are a uniformly random choice"
ITEMS = [[c] for c in CLUSTERS]
OF_FIVE = {"n_samples": 5, "clusterings": ()}
PLAIN = {"labels": None, "confidence": None, "surest": None, "target": None}
PLAIN |= {"delta": None}
NO_PILOT = {"confidence": X[:, 0], "budget": 8}
NO_PILOT |= dict.fromkeys(["labels", "pilot", "audit_labels"])
COUNTS = cluster_counts([[5, 0], [1, 4]], [9, 9])
OTHER_COUNTS = cluster_counts([[5, 0], [2, 4]], [9, 9])
OF_COUNTS = {"clusterings": [COUNTS], "y": None, "certify": "auto"}
OF_OTHER_COUNTS = {"clusterings": [COUNTS, OTHER_COUNTS], "y": None, "certify": "pac-mdl"}
EXTERNAL = {"metric": purity_score, "kind": "external"}
ALONE = {"labels_true": None, "labels_pred": None}
TABLES = [1, 2], 3, "text", [["a"]], [[1, -2], [0, 1]], [[np.nan]], [[np.inf]]
TABLES += ([[1], [1, 2]], np.zeros((2, 2, 2)), sp.csr_array([[-1.0]]), object())
OF_ROWS = dunn_score, silhouette_score, lambda X, labels: 0


class Annotated:
    """What an AnnData has."""

    obs = pd.DataFrame({"leiden": [0, 1] * 15})
    obsm, shape = {}, (30, 2)

    def __len__(self):
        return 30


UNTOUCHED = {"estimator": Untouched()}
COMPLETE = UNTOUCHED | {"y": np.arange(30) % 2}
ONE, TWO = UNTOUCHED | {"n_clusters": 1}, UNTOUCHED | {"n_clusters": [2, 3]}
HEAVY = Prior(n_clusters={2: 0.9, 3: 0.9})
NO_SPLITS = [([0, 30], [1, 2])], [([0.5, 2], [1])], [([0, 0], [1])]
PAIR = [("a", Untouched()), ("b", Untouched())]


def altered(record, **changes):
    return {"text": json.dumps(json.loads(record.to_json()) | changes)}


def each(parameter, words, *values, **others):
    return [(others | {parameter: value}, words) for value in values]


CASES = {
    "bounds.total_upper_bound": [
        ({"n_errors": 31}, "n_errors must be at most n_audited"),
        ({"n_audited": 61}, "n_audited must be at most n_rows"),
    ],
    "bounds.bucket": [({"n_test_errors": 31}, "n_test_errors must be at most n_test")],
    "audits.Audit.read_labels": [
        *each("source", "Labels of 1 row are missing", SHEET[1:], WITH_GAP),
        *each("source", "classes={-1: 'no', 1: 'yes'}", SHEET.assign(label=LABELS)),
        *each("source", "must not have rows twice", pd.concat([SHEET, SHEET[:2]])),
        *each("source", "not to be labeled", pd.concat([SHEET, SHEET.assign(row=0)[:1]])),
        ({"source": SHEET.assign(row=SHEET["row"] + 0.5)}, "'row' must be the numbers"),
        *each("source", "several columns 'label'", SHEET.set_axis(["label"] * 2, axis=1)),
    ],
    "audits.Audit.to_frame": [
        *each("data", "data must have all 30 rows", pd.DataFrame(X)[1:]),
        *each("data", "no column called 'row'", pd.DataFrame({"row": range(30)})),
        *each("data", "no column called 'label'", pd.DataFrame({"label": range(30)})),
        *each("data", "several columns 'x'", pd.DataFrame(X, columns=["x", "x"])),
    ],
    "audits.AuditMonitor": [({"max_labels": 5}, "max_labels must be at least")],
    "audits.AuditMonitor.from_json": [
        (altered(monitor(), history=[[1, 0]]), "history must be a list that begins with"),
        (altered(monitor(), history=[[0, 0], [5, 6]]), "n_errors must be an integer"),
        (altered(monitor(), history=[[0, 0], [500, 1]]), "n_labels must be an integer"),
        (altered(monitor(), target=2), "target must be in the open interval"),
        (altered(monitor(), delta=0), "delta must be in the open interval"),
        (altered(monitor(), delta=0.05), "at most delta=0.05 is spent"),
        (altered(monitor(), n_rows=1), "n_rows must be an integer of at least 2"),
        *((altered(monitor(), boundaries=v), "boundaries must be") for v in BOUNDARIES),
    ],
    "audits.certify_difference": [
        ({"second": np.where(LAST, -1, CLUSTERS[::-1])}, "have a label in the same"),
        ({"second": CLUSTERS}, "second must be a labeling that differs"),
    ],
    "audits.certify_labels": [
        ({"labels": ["None"] * 30}, "labels holds the text 'None'"),
        ({"labels": TRUTH, "audit": DRAWN}, "labels must be what the audit was drawn"),
    ],
    "audits.class_report": [
        ({"labels": WORDS, "audit_labels": ["x"] * 12}, "hold labels that are in labels")
    ],
    "audits.draw_audit": [
        (PLAIN | {"size": 30, "exclude": ()}, "an integer from 1 to 29, got 30"),
        *each("seed_text", "must not both", "a"),
        *each("exclude", "exclude must be at most 28 of 30", range(29), **PLAIN),
        *each("exclude", "of the same 30", draw_audit(31, 2), [FIRST, 3], **PLAIN),
        *each("exclude", "must not be the seed of an audit in exclude", [FIRST], **PLAIN),
        *each("seed_text", "seed_text must be", " a", "a ", "a" * 201, random_state=None),
        *each("labels", "labels holds the text 'nan'", ["nan"] * 30),
        *each("confidence", "without masked", np.ma.masked_less(X[:, 0], 1)),
        *each("classes", "classes", {0: "no", 1: "no"}, {0: -1, 1: 1}, {0: 1, 1: 0}),
        *each("classes", "labels must hold labels of classes=", {0: "no"}, {0: 1, 5: 2}),
    ],
    "audits.finish_labels": [
        ({"confidence": X[:, 1], "audit": DRAWN}, "confidence must be what the audit"),
        ({"labels": TRUTH, "audit": DRAWN}, "labels must be what the audit was drawn"),
    ],
    "audits.plan_finish": [
        *each("labels", "labels must be given with pilot", None),
        *each("audit_labels", "audit_labels must be given with pilot", None),
        *each("expected_accuracy", "expected_accuracy must be left out", 0.9),
        *each("budget", "budget must be an integer from 1 to", 18),
        (NO_PILOT | {"labels": CLUSTERS}, "pilot must be given with labels"),
        (NO_PILOT | {"confidence": [0.5]}, "confidence must be that of at least 2 rows"),
        ({"labels": TRUTH, "pilot": DRAWN}, "labels must be what the"),
    ],
    "bounds.class_score_lower_bound": [
        ({"n_predicted": 61}, "n_predicted must be at most n_rows"),
        ({"n_predicted": 59}, "n_audited - (tp + fp) must be at most n_rows - n_pre"),
    ],
    "bounds.groups_upper_bound": [
        ({"n_errors": [6, 0]}, "n_errors must be at most n_audited")
    ],
    "bounds.labels_needed": [
        ({"n_clusters": None}, "Either n_clusters or cluster_sizes"),
        ({"cluster_sizes": [2000]}, "Either n_clusters or cluster_sizes"),
        *each("cluster_sizes", "counts of n_rows = 2000", [9], n_clusters=None),
        *each("cluster_sizes", "cluster_sizes must be integer", [-1], n_clusters=None),
    ],
    "bounds.stratified_upper_bound": [
        ({"n_errors": [3, 81]}, "n_errors must be at most n_audited, got n_errors=81"),
        ({"n_audited": [22, 281]}, "n_audited must be at most n_rows"),
    ],
    "certificates.BoundCertificate.from_counts": [
        ({"n_train_errors": 31}, "n_train_errors must be an integer from 0 to 30"),
        ({"n_select": 2}, "n_select must be 0 where kind is 'pac-mdl'"),
        *each("classes", "classes must be different names", [1, np.int64(1)], [1, "1"]),
        *each("random_choice_p_value", "_p_value must be", "small", 0, -0.1, 1.1),
        ({"subject": {"p": np.inf}}, "subject cannot be kept as JSON"),
        *each("provisos", "provisos must be different clauses", ["a", "a"]),
        ({"provisos": [PROVISO], "drawn": True}, "provisos must be without"),
    ],
    "certificates.HoldoutCertificate.from_counts": [
        ({"n_select": 0}, "n_select must be at least 1 where kind is 'holdout'")
    ],
    "certificates.BoundCertificate.verify": [
        ({"labels": None}, "both y and labels"),
        *each("certifying", "certifying must be a mask of 30 rows", [30], [-1], LAST[1:]),
        *each("certifying", "certifying requires y and", [1], y=None, labels=None),
    ],
    "random_choice.random_choice_test": [
        *each("labeled", "n_samples must be given", [1, 2], clusterings=()),
        *each("labeled", "labeled must hold at least one row", [True] * 30, [False] * 30),
        *each("clusterings", "clusterings must be at most 8", [CLUSTERS] * 9),
        *each("class_counts", "class_counts", [20, 1]),
        *each("n_samples", "n_samples must be 30, as labeled is long, got 31", 31),
        *each("labeled", "row indices from 0 to 4", [1, 7], [0, 5], [1, -1], **OF_FIVE),
        *each("labeled", "must be different rows", [1, 3, 1], [3, 1, 3], **OF_FIVE),
        *each("clusterings", "clusterings must be hashable", [ITEMS]),
        *each("groups", "groups must be hashable", ITEMS),
    ],
    "certification.cluster_counts": [
        ({"selecting_others": [-1, 0]}, "selecting_others must be counts from 0"),
        *each("certifying", "rows in every", EMPTY, unlabeled=[0, 1], selecting=None),
    ],
    "certification.certify_clusterings": [
        *each("clusterings", "clusterings must be a data frame", pd.Series([0] * 30)),
        *each("clusterings", "names of clusterings must", {1: CLUSTERS, "1": TRUTH}),
        *each("clusterings", "one type that can be sorted", {"a": [0, "b", None] * 10}),
        *each("clusterings", "clusterings must not be a whole", Annotated()),
        *each("y", "no unlabeled row", TRUTH),
        *each("candidates", "candidates must be different", [Candidate("a")] * 2),
        *each("certify", "certify must be one of", "hold-out"),
        ({"choose": "errors"}, "choose must be 'bound' with certify='holdout'"),
        *each("choose", "choose must be 'bound'", "errors", target=0.1, certify="auto"),
        ({"language": "simple", "certify": "pac-mdl"}, "does not describe"),
        ({"language": Prior()}, "language must be None with certify='holdout'"),
        (OF_COUNTS | {"noise": "abstain"}, "noise must be 'cluster' for cluster_counts"),
        (OF_COUNTS | {"groups": [1, 2]}, "groups must be None where clusterings are"),
        (OF_COUNTS | {"y": Y}, "y must be None"),
        (OF_OTHER_COUNTS, "must count the same rows"),
        (OF_COUNTS | {"clusterings": [COUNTS] * 2}, "must count selecting rows apart"),
        (OF_COUNTS | {"clusterings": [COUNTS, [0, 1]]}, "all rows or all cluster_counts"),
        (OF_COUNTS | {"classes": ["a"]}, "2 different names of columns"),
    ],
    "datasets.make_vmf_blobs": each(
        "centers", "centers must be rows of", [[1.0], [2.0]], [[1.0, 0], [0, 0]]
    ),
    "displays.CoverageDisplay.from_curve": each(
        "coverage_curve", "at least one point, got none", {"coverage": [], "bound": []}
    ),
    "labeling.ClusterLabelClassifier": each("y", "continuous", X[:, 0]),
    **{
        f"metrics.{name}": [
            *each("labels_true", "labels_true must be given", None, labels_pred=None),
            *each("contingency", "contingency must be a 2-d", *TABLES, **ALONE),
        ]
        for name in sorted(external_measures() - {"classification_error_loss"})
    },
    "metrics.balance_score": each("labels", "at least one label", [], X=None),
    "metrics.dunn_score": [
        *each("metric", "distances must be square", "precomputed"),
        *each("X", "X of distances must be non-negative", -D, metric="precomputed"),
        *each("X", "X of distances must be symmetric", np.triu(D), metric="precomputed"),
        *each("X", "zero on its diagonal, got", D + np.eye(30), metric="precomputed"),
    ],
    "metrics.edge_cut_score": [
        *each("affinity", "affinity must be square", X),
        *each("affinity", "affinity must be non-negative", -np.ones((30, 30))),
        *each("affinity", "must be symmetric", np.triu(D), sp.csr_array(np.triu(D))),
    ],
    "metrics.make_labeling_scorer": [
        *each("metric", "kind must be 'external' for", purity_score, adjusted_rand_score),
        *each("metric", "kind must be 'internal' for", *OF_ROWS, kind="external"),
        *each("metric", "kind must be 'classes' for", accuracy_score, kind="external"),
        *each("metric", "kind must be 'external'", adjusted_rand_score, kind="classes"),
        *each("metric", "metric must be one of classes", roc_auc_score, kind="classes"),
        *each("metric", "dunn_score cannot be called", dunn_score, metrik="a"),
        (EXTERNAL | {"classes": [[0]]}, "classes must be None or"),
    ],
    "model_selection.PACMDLSearchCV": [
        (UNTOUCHED | {"y": np.zeros(30, int)}, "got one class: 0."),
        (UNTOUCHED | {"cv": 2}, "cv must be None when y has unlabeled rows"),
        *each("n_clusters", "n_clusters", 31, [3, 3], {"x": 2}, **UNTOUCHED),
        *each("n_init", "n_init has entries for", {"x": 2}, **UNTOUCHED),
        (UNTOUCHED | {"y": X[:, 0]}, "continuous"),
        (UNTOUCHED | {"X": Annotated()}, "X must not be a whole Annotated: pass its .X"),
        *each("cv", "cv must be at least 1 when it is an int, got 0.", 0, **COMPLETE),
        *each("cv", "cv must give at least one split", [], **COMPLETE),
        *each("cv", "do not overlap, got 0 and 1 rows", [([], [0])], **COMPLETE),
        *each("cv", "2 rows, 1 of them in both", [([0, 1], [1, 2])], **COMPLETE),
        *each("cv", "cv must give row indices", *NO_SPLITS, **COMPLETE),
        *each("cv", "'groups' parameter", LeaveOneGroupOut(), **COMPLETE),
        *each("cv", "cv", "loo", **COMPLETE),
        *each("estimator", "pass KMeans() instead", KMeans, [("a", KMeans)]),
        *each("estimator", "dbscan", DBSCAN(), n_clusters=3),
        *each("estimator", "of a clusterer must be", Untouched(31), n_clusters=None),
        *each("estimator", "of a clusterer must be", Untouched(0)),
        *each("estimator", "Names provided are not unique", [PAIR[0]] * 2),
        *each("estimator", "must not contain __", [("a__b", Untouched())]),
        *each("estimator", "conflict with", [("delta", Untouched())]),
        *each("language", "n_clusters must be at least 2", "cluster", "algo", **ONE),
        *each("language", "2 values of 'n_clusters'", "init", **TWO),
        *each("language", "sum to 1.8; by Kraft's inequality", HEAVY, **TWO),
        *each("language", "a choice among 2", "cluster", estimator=PAIR),
        *each("language", "language must be None", "algo", Prior(), certify="holdout"),
        *each("param_grid", "must hold integers", {"n_clusters": [0]}, **UNTOUCHED),
        *each("param_grid", "Use n_init= instead", {"random_state": [2]}, **UNTOUCHED),
        *each("param_grid", "'untouched' does not take", {"eps": [2]}, **UNTOUCHED),
        *each("param_grid", "name__param", {"c__eps": [2]}, {"a": [2]}, estimator=PAIR),
        *each("certify", "choose must be 'bo", "holdout", choose="errors", **UNTOUCHED),
        (COMPLETE | {"cv": 2, "target": 0.1}, "cv must give one split, got 2"),
    ],
}


@pytest.mark.usefixtures("left_as_it_was")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [(name, *case) for name, cases in CASES.items() for case in cases],
)
def test_is_refused(name, changes, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(name, VALID[name]() | changes)
    assert words in str(caught.value)
