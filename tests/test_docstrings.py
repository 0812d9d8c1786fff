"""Every public object documents itself the way numpydoc reads."""

import dataclasses
import inspect
import re
from pathlib import Path

import pytest
from numpydoc.validate import validate

import sklearn_pacmdl
from sklearn_pacmdl import (
    audits,
    bounds,
    certificates,
    certification,
    cluster,
    datasets,
    displays,
    labeling,
    languages,
    metrics,
    model_selection,
    random_choice,
    reports,
    worksheets,
)

# numpydoc's checks that are ours too: a summary that is a sentence of one line; all
# parameters and returns documented, with types and descriptions; no unknown sections.
CHECKS = {
    "GL06", "GL07", "GL08", "SS01", "SS02", "SS03", "SS06", "PR01", "PR02", "PR03",
    "PR04", "PR06", "PR07", "PR10", "RT01", "RT03",
}  # fmt: skip

ROOMS = [
    audits,
    sklearn_pacmdl,
    bounds,
    certificates,
    certification,
    cluster,
    datasets,
    displays,
    labeling,
    languages,
    metrics,
    model_selection,
    random_choice,
    reports,
    worksheets,
]
OBJECTS = {
    f"{obj.__module__}.{obj.__qualname__}": obj
    for room in ROOMS
    for obj in (getattr(room, name) for name in room.__all__)
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


# Results that only the functions of their room make.
MADE = {"Agreement", "Audit", "AuditSize", "CertifiedClusterings", "ClassReport"}
MADE |= {"FinishPlan", "FinishedLabels", "Option"}


@pytest.mark.parametrize("name", sorted({*OBJECTS, *METHODS}))
def test_numpydoc(name):
    checks, record = CHECKS, OBJECTS.get(name)
    is_certificate = inspect.isclass(record) and issubclass(
        record, certificates.Certificate
    )
    if is_certificate or name.rpartition(".")[2] in MADE:
        # Fields are keywords, in any order, which base classes document, too; those of
        # results are attributes, since nobody passes them.
        checks = CHECKS - {"PR01", "PR03"}
        bases = {*OBJECTS.values()}.intersection(record.__mro__)
        docs = "\n".join(inspect.getdoc(base) for base in bases)
        named = getattr(record, "_fields", None)  # Option is a named tuple
        for field in named or [field.name for field in dataclasses.fields(record)]:
            assert re.search(rf"^([\w, ]+, )?{field}(, [\w, ]+)? : ", docs, re.M)
    errors = validate(name)["errors"]
    assert not [error for error in errors if error[0] in checks]


def test_no_shared_paragraph_is_left_to_fill():
    classes = [obj for obj in OBJECTS.values() if inspect.isclass(obj)]
    methods = [own for obj in classes for _, own in inspect.getmembers(obj, callable)]
    for obj in (*OBJECTS.values(), *methods):
        assert not re.search(r"^\s*\{\w+\}$", obj.__doc__ or "", re.MULTILINE), obj


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_has_a_runnable_example(name):
    small = ("Candidate", "Verification")
    if not name.endswith(small):
        assert ">>> " in inspect.getdoc(OBJECTS[name])


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
