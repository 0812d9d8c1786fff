"""Every public object documents itself the way numpydoc reads."""

import dataclasses
import inspect
import re
from operator import attrgetter
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from test_public import NAMES as PUBLIC

import sklearn_pacmdl
from sklearn_pacmdl import bounds

# numpydoc's checks that are ours too: a summary that is a sentence of one line; all
# parameters and returns documented, with types and descriptions; no unknown sections.
CHECKS = {
    "GL06", "GL07", "GL08", "SS01", "SS02", "SS03", "SS06", "PR01", "PR02", "PR03",
    "PR04", "PR06", "PR07", "PR10", "RT01", "RT03",
}  # fmt: skip

# Results, which users do not make, are public by this page alone.
PAGE = Path(__file__).parents[1] / "doc" / "api" / "index.md"
LISTED = re.findall(r"~sklearn_pacmdl\.(\w+)\.(\w+)", PAGE.read_text(encoding="utf-8"))
OBJECTS = {
    f"{obj.__module__}.{obj.__qualname__}": obj
    for obj in (
        getattr(getattr(sklearn_pacmdl, room), name) for room, name in (*PUBLIC, *LISTED)
    )
    if inspect.isclass(obj) or inspect.isfunction(obj)
}
# Methods that inherit their docstring are checked where it is written.
METHODS = [
    f"{name}.{method}"
    for name, obj in OBJECTS.items()
    if inspect.isclass(obj)
    for method, value in inspect.getmembers(obj, inspect.isfunction)
    if not method.startswith("_") and value.__module__.startswith("sklearn_pacmdl")
    if value.__doc__ or not inspect.getdoc(value)
]


def documented(name):
    """The object of this name, public or a method of one that is."""
    parent, _, method = name.rpartition(".")
    return OBJECTS.get(name) or getattr(OBJECTS[parent], method)


NAMES = sorted({*OBJECTS, *METHODS})


@pytest.mark.parametrize("name", NAMES)
def test_numpydoc(name):
    record, checks = documented(name), CHECKS
    fields = getattr(record, "_fields", ())  # of a named tuple
    if dataclasses.is_dataclass(record):
        fields = [f.name for f in dataclasses.fields(record)]
    if fields and "\nParameters\n" not in inspect.getdoc(record):
        # A result or a method that nobody constructs by its fields: these are attributes,
        # which base classes document, too, or the class of which the others are.
        checks = CHECKS - {"PR01", "PR03"}
        others = re.findall(r"attributes are those of :class:`(\w+)`", record.__doc__)
        bases = {*OBJECTS.values()}.intersection(record.__mro__)
        bases |= {OBJECTS[place] for place in OBJECTS if place.split(".")[-1] in others}
        docs = "\n".join(inspect.getdoc(base) for base in bases)
        for field in fields:
            named = rf"^([\w, ]+, )?{field}(, [\w, ]+)? : "
            assert field.startswith("_") or re.search(named, docs, re.M), field
    errors = validate(name)["errors"]
    assert not [error for error in errors if error[0] in checks]


@pytest.mark.parametrize("name", NAMES)
def test_signature_fits_on_a_screen(name):
    assert len(str(inspect.signature(documented(name)))) <= 700


@pytest.mark.parametrize("name", NAMES)
def test_docstring_is_short(name):
    text = inspect.getdoc(documented(name))
    doc = NumpyDocString(text)
    prose = [*doc["Summary"], *doc["Extended Summary"], *doc["Notes"]]
    assert sum(bool(line.strip()) for line in prose) <= 25
    n_parameters = len(inspect.signature(documented(name)).parameters)
    most = max(80, 8 * n_parameters)  # three have 13 to 20
    if name.endswith("PACMDLSearchCV"):
        most = 210  # with the columns of its results, described nowhere else
    assert len(text.splitlines()) <= most


RANGE = re.compile(
    r"\b[Ii]n [\[(]|at (least|most)|\b[Bb]its\b|nats|[Nn]umber|[Pp]robabilit|NaN|better|"
    r"greater than|[Rr]ange|[Aa]ny |[Aa]s (in|by|exact)\b|\b[Rr]ates?\b"
)


def missing(name):
    """What the docstring does not say: shapes, ranges, directions, errors, sources."""
    obj, room = documented(name), name.split(".")[1]
    text = inspect.getdoc(obj)
    doc = NumpyDocString(text)
    is_function = inspect.isfunction(obj) and name in OBJECTS
    is_measure = is_function and room in ("bounds", "metrics")
    for entry in (*doc["Parameters"], *doc["Attributes"], *doc["Returns"]):
        kind, said = entry.type or entry.name, " ".join(entry.desc)
        if re.search("array|matrix", kind) and not re.search("shape|broad", kind + text):
            yield f"shape of {entry.name}"
        if re.match(r"(\w+ or )?float\b", kind) and not RANGE.search(said):
            yield f"range of {entry.name}"
    for entry in doc["Returns"] if is_measure else ():
        said = " ".join(entry.desc)
        if re.match("float|int", entry.type) and not re.search(
            "better|decreases?|decreasing", said
        ):
            yield "which direction is better"
    if is_function and not doc["Raises"]:
        yield "errors"
    if is_measure and not (doc["References"] or doc["See Also"] or ":doc:" in text):
        yield "its source"
    if name in OBJECTS and ">>> " not in text:
        yield "an example"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_missing(name):
    assert not [*missing(name)]


# What is described in the same words wherever it occurs: its own words may follow.
SAME = [
    ("audits.certify_labels audits.certify_share audits.certify_difference "
     "audits.finish_labels", "delta"),
    ("audits.certify_labels audits.certify_share audits.class_report "
     "audits.finish_labels", "audit audit_labels max_annotator_errors"),
    ("audits.certify_labels audits.certify_share audits.class_report", "by"),
    ("audits.audit_size audits.AuditMonitor", "n_rows target"),
    ("audits.AuditSize.power_at audits.AuditMonitor.expected_labels "
     "audits.AuditMonitor.probability_of_success", "error_rate"),
    ("audits.AuditCertificate audits.ShareCertificate audits.DifferenceCertificate "
     "audits.ClassReport audits.SegmentsCertificate", "seed_text columns segment"),
    ("audits.AuditCertificate.verify audits.FinishedCertificate.verify "
     "audits.DifferenceCertificate.verify audits.SegmentsCertificate.verify", "data"),
    ("audits.Audit.read_labels audits.FinishedLabels.read_labels",
     "column row_column dtype"),
    ("audits.Audit.to_frame audits.FinishedLabels.to_frame", "path"),
    ("audits.Agreement.undecided audits.Agreement.labels", "majority"),
    ("BoundCertificate audits.AuditCertificate",
     "n_train_errors max_test_errors bound stated_bound"),
    ("cluster.SphericalKMeans cluster.KLKMeans", "init"),
    ("cluster.SphericalKMeans cluster.KLKMeans "
     "cluster.FrequencySensitiveKMeans", "n_clusters"),
    ("cluster.SphericalKMeans cluster.KLKMeans "
     "cluster.FrequencySensitiveKMeans cluster.VonMisesFisherMixture",
     "n_init max_iter random_state n_iter_ n_features_in_ feature_names_in_"),
    ("datasets.make_separated_gaussians datasets.make_paired_gaussians "
     "datasets.make_elongated_gaussians datasets.make_uniform_boxes "
     "datasets.make_vmf_blobs", "shuffle random_state return_centers"),
    ("metrics.empirical_conditional_entropy metrics.dom_q0_loss metrics.dom_q1_score "
     "metrics.dom_q2_score metrics.purity_score metrics.normalized_hamming_score "
     "metrics.pairwise_jaccard_score metrics.hubert_gamma_score "
     "metrics.pairwise_precision_score metrics.pairwise_recall_score "
     "metrics.pairwise_fbeta_score", "labels_true labels_pred contingency"),
    ("metrics.informativeness_score metrics.informativeness_scores",
     "X classifiers cv random_state"),
    ("metrics.pac_mdl_error_bound metrics.pac_mdl_score",
     "y labels delta language n_clusters classes n_test"),
]  # fmt: skip


@pytest.mark.parametrize(("objects", "names"), SAME)
def test_parameters_of_one_name_agree(objects, names):
    said = {}
    for place in objects.split():
        doc = NumpyDocString(inspect.getdoc(attrgetter(place)(sklearn_pacmdl)))
        for entry in (*doc["Parameters"], *doc["Attributes"]):
            for name in entry.name.split(", "):
                text = f"{entry.type}: {' '.join(entry.desc)}"
                said.setdefault(name, {})[place] = text
    for name in names.split():
        texts = [*said[name].values()]
        assert len(texts) > 1, f"{name} is in one place"
        assert all(text.startswith(min(texts, key=len)) for text in texts), said[name]


@pytest.mark.parametrize("name", ["bucket", "bmax", "pac_mdl_bound"])
def test_formulas_cite_their_source(name):
    assert "\nReferences\n" in inspect.getdoc(getattr(bounds, name))


def titles(text):
    """What stands between quotation marks, in small letters and single spaces."""
    return [" ".join(title.lower().split()) for title in re.findall(r'"([^"]+)"', text)]


def test_works_that_docstrings_cite_are_in_the_list_of_references():
    page = Path(__file__).parents[1] / "doc" / "literature.md"
    references = " ".join(page.read_text(encoding="utf-8").lower().split())
    docs = [inspect.getdoc(obj) for obj in OBJECTS.values()]
    cited = {
        title
        for doc in docs
        for reference in re.split(r"^\.\. \[\d+\]", doc, flags=re.M)[1:]
        for title in titles(reference.split("\n\n")[0])
    }
    assert len(cited) > 15
    assert not [title for title in cited if f"*{title}" not in references]
