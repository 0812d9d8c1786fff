"""Rows that belong together are refused in different orders, by every public function."""

import inspect
import re
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from calls import VALID
from numpydoc.docscrape import NumpyDocString
from odd_input import indexed, odds
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from test_docstrings import OBJECTS
from test_doors import check_doors

from sklearn_pacmdl import (
    PACMDLSearchCV,
    TransductiveSplit,
    audits,
    bounds,
    certify_clusterings,
    cluster,
    displays,
    metrics,
    random_choice,
)
from sklearn_pacmdl.certification import cluster_counts

N = 80
RNG = np.random.RandomState(0)
CLASSES = np.arange(N) % 2
TRUTH = np.where(CLASSES, "b", "a")
X = RNG.normal(size=(N, 2)) / 5 + 1 + 2 * CLASSES[:, None]
LABELS = np.where(np.arange(N) < 4, 0, CLASSES)
PARTLY = np.where(RNG.permutation(N) < 40, CLASSES, -1)
SURE = np.arange(N) / N
AUDIT = audits.draw_audit(N, 30, labels=LABELS, confidence=SURE, random_state=0)
PLAIN = audits.draw_audit(N, 30, labels=LABELS, random_state=0)
PEOPLE = CLASSES[AUDIT.rows]
FINISHED = audits.finish_labels(LABELS, SURE, PLAIN, PEOPLE, target=0.3)
EIGHT = np.array([1, 2, 3, 4, 5, 6, 7, 8])
SEARCH = PACMDLSearchCV(KMeans(2, n_init=1), random_state=0)
Q2 = metrics.make_labeling_scorer(adjusted_rand_score, kind="external")

weighted = {"X": X, "sample_weight": SURE + 1}


def fitted(estimator, score=False):
    """A function that fits, or scores; the result is what can be compared."""

    def run(**columns):
        model = estimator
        if score:
            return model.fit(X, *([PARTLY] if "y" in columns else [])).score(**columns)
        model.fit(**columns)
        return [getattr(model, name, 0) for name in ("labels_", "best_bound_")]

    return run


def finished(labels, confidence, y_true):
    done = audits.finish_labels(labels, confidence, AUDIT, PEOPLE, target=0.2)
    return done.at_targets(y_true=y_true)


def counts_of(make, **columns):
    counts = make(**columns).counts
    plt.close("all")
    return counts


def rows_of(draw, **columns):
    return draw(random_state=0, **columns).rows


def weights_by_routing(X, y, sample_weight):
    with config_context(enable_metadata_routing=True):
        clusterer = KMeans(2, n_init=1, random_state=0)
        clusterer.set_fit_request(sample_weight=True)
        search = PACMDLSearchCV(clusterer, random_state=0)
        return search.fit(X, y, sample_weight=sample_weight).labels_


NAMES = pd.Index([f"row {i}" for i in range(N)])

# What is called, and the columns that belong together by row.
CALLS = {
    "Audit.verify": (AUDIT.verify, {"labels": LABELS, "confidence": SURE}),
    "PACMDLSearchCV.fit": (fitted(SEARCH), {"X": X, "y": PARTLY, "groups": TRUTH}),
    "routed metadata": (weights_by_routing, {**weighted, "y": PARTLY}),
    "clusterings as a list": (
        lambda **columns: certify_clusterings(**columns, random_state=0).transduction,
        {"clusterings": [LABELS, TRUTH], "y": PARTLY},
    ),
    "TransductiveSplit.split": (
        lambda X, y: [*TransductiveSplit().split(X, y)],
        {"X": X, "y": CLASSES},
    ),
    "FinishedCertificate.verify": (
        partial(FINISHED.certificate.verify, audit=PLAIN, audit_labels=PEOPLE),
        {"labels": LABELS, "confidence": SURE, "finished_labels": FINISHED.labels},
    ),
    "random_choice_test": (
        partial(random_choice.random_choice_test, n_draws=50),
        {"labeled": PARTLY >= 0, "clusterings": {"k": LABELS}, "groups": TRUTH},
    ),
    "certify_clusterings": (
        lambda **columns: certify_clusterings(
            random_state=0, **columns
        ).certificate.statement,
        {"clusterings": {"k": LABELS, "l": TRUTH}, "y": PARTLY, "groups": TRUTH},
    ),
    "compare_annotators": (
        lambda **columns: audits.compare_annotators(**columns).codes,
        {"answers": [LABELS, CLASSES], "rows": np.arange(N)},
    ),
    "draw_audit, strata": (
        partial(rows_of, partial(audits.draw_audit, N, 9)),
        {"labels": LABELS, "strata": TRUTH},
    ),
    "draw_audit, groups": (
        partial(rows_of, partial(audits.draw_audit, N, 1)),
        {"labels": LABELS, "groups": TRUTH},
    ),
    "finish_labels": (
        finished,
        {"labels": LABELS, "confidence": SURE, "y_true": CLASSES},
    ),
    "cluster_counts": (
        lambda **columns: cluster_counts(**columns).sizes,
        {"certifying": np.ones((N, 2), dtype=int), "unlabeled": CLASSES},
    ),
    "stratified_upper_bound": (
        partial(bounds.stratified_upper_bound, delta=0.1),
        {"n_errors": EIGHT // 4, "n_audited": EIGHT * 5, "n_rows": EIGHT * 100},
    ),
    "a scorer of a model": (
        lambda X, y: Q2(KMeans(2, random_state=0).fit(X), X, y),
        {"X": X, "y": CLASSES},
    ),
    "a scorer of labels": (Q2.score_labels, {"X": X, "labels": LABELS, "y": CLASSES}),
    **{
        f"{kind.__name__}.{method}": (
            fitted(kind(2, random_state=0), score=method == "score"),
            weighted,
        )
        for kind in (
            cluster.KLKMeans, cluster.SphericalKMeans, cluster.FrequencySensitiveKMeans,
            cluster.VonMisesFisherMixture,
        )
        for method in ("fit", "score")
    },
}  # fmt: skip


def public():
    """Public functions and methods, by their names."""
    for obj in OBJECTS.values():
        if not inspect.isclass(obj):
            yield obj.__name__, obj
        for name, method in inspect.getmembers(obj, inspect.isroutine):
            ours = str(getattr(method, "__module__", "")).startswith("sklearn_pacmdl")
            if inspect.isclass(obj) and ours and not name.startswith("_"):
                yield f"{obj.__name__}.{name}", method


def columns_by_row(function):
    """Parameters of a function that have an entry for each row, by its docstring."""
    for entry in NumpyDocString(inspect.getdoc(function) or "")["Parameters"]:
        if re.search(r"\(n_(samples|rows)\b", entry.type):
            yield from entry.name.split(", ")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", VALID)
def test_orders_at_all_doors(name):
    check_doors(name, ["two orders"])


def test_all_functions_of_several_columns_are_called():
    """By the doors, or here where not all columns belong to a usual call."""
    by_doors = {
        name.partition(".")[2]
        for name in VALID
        if sum(odd is not None for odd in odds(name, "two orders").values()) > 1
    }
    known = {*CALLS, *by_doors, *(f"{name}.fit" for name in by_doors)}
    # "row_order" is no column, and answers by drawing order have other tests.
    several = {n for n, f in public() if len({*columns_by_row(f)} - {"row_order"}) > 1}
    # Those of other kinds of certificates are the method of BoundCertificate.
    known |= {name for name in several if name.endswith("Certificate.verify")}
    assert len(several) > 35
    assert several <= known


def shuffled(column):
    if isinstance(column, dict):  # only the last, so that columns differ among themselves
        last = list(column)[-1]
        return {**column, last: shuffled(column[last])}
    if isinstance(column, list):
        return [*column[:-1], shuffled(column[-1])]
    return column.sample(frac=1, random_state=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_rows_in_other_orders_and_nearly_the_same_rows_are_refused(name):
    call, columns = CALLS[name]
    n_rows = len(columns.get("n_errors", columns.get("n_labeled", NAMES)))
    names = NAMES[:n_rows]
    nearly = pd.Index([*NAMES[1:], "another row"])[:n_rows]  # one left out, one added
    expected = str(call(**columns))
    by_name = {key: indexed(column, names) for key, column in columns.items()}
    assert str(call(**by_name)) == expected
    first, *others = columns
    for other in others:
        message = rf"({other}|{first}).* must be in the order of .*, but its index"
        with pytest.raises(ValueError, match=message):
            call(**by_name | {other: shuffled(by_name[other])})
        message = rf"must have the rows of .* has {n_rows - 1} of these {n_rows} rows"
        with pytest.raises(ValueError, match=message):
            call(**by_name | {other: indexed(columns[other], nearly)})
        # An index of other rows says nothing, such as a default one.
        apart = indexed(columns[other], None)
        assert str(call(**by_name | {other: apart})) == expected
    if isinstance(columns[first], dict | list):
        with pytest.raises(ValueError, match=rf"{first}\[.*\] must be in the order of"):
            call(**by_name | {first: shuffled(by_name[first])})


@pytest.mark.filterwarnings("ignore")
def test_answers_for_some_rows():
    """Their index has the numbers of these rows, or what all labels call them."""
    labels = pd.Series(LABELS, NAMES)
    done = audits.finish_labels(labels, SURE, AUDIT, PEOPLE, target=0.01)
    left = done.to_annotators
    by_name = pd.Series(CLASSES, NAMES).iloc[left]
    assert len(done.complete(by_name).to_annotators) == 0
    agreement = audits.compare_annotators([PEOPLE, PEOPLE], AUDIT.rows)
    drawn = pd.Series(PEOPLE, AUDIT.rows)
    for name, call, answers in (
        ("human_labels", done.complete, by_name),
        ("audit_labels", AUDIT.labels_by_row, drawn),
        ("settled", lambda answers: agreement.labels(settled=answers), drawn),
        ("data", done.to_frame, pd.DataFrame({"text": TRUTH}, NAMES)),
        (
            r"answers\[1\]",
            lambda answers: audits.compare_annotators([PEOPLE, answers], AUDIT.rows),
            drawn,
        ),
    ):
        call(answers)
        with pytest.raises(ValueError, match=f"^{name} must be in the order of"):
            call(answers.sort_index(ascending=False))


def test_figures_of_a_search():
    search = SEARCH.fit(pd.DataFrame(X, NAMES), PARTLY)
    y = pd.Series(CLASSES, NAMES)
    draw = partial(counts_of, displays.ContingencyDisplay.from_estimator, search=search)
    assert np.array_equal(draw(y=y), draw(y=CLASSES))
    with pytest.raises(ValueError, match=r"y must be in the order of X.*loc\[X.index\]"):
        draw(y=y.iloc[::-1])
