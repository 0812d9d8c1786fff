"""The public face: every public name is documented, listed, and imported when used."""

import dataclasses
import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import sklearn_pacmdl

ROOT = Path(sklearn_pacmdl.__file__).parent
PROJECT = Path(__file__).parents[1]  # of a source distribution, too
# These are for the other rooms, and for those who type commands.
PRIVATE = {"utils", "columns", "estimators", "shell"}
ROOMS = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - PRIVATE)
TOP = sorted(set(sklearn_pacmdl.__all__) - set(ROOMS))
NAMES = [
    (room, name)
    for room in ROOMS
    for name in import_module(f"sklearn_pacmdl.{room}").__all__
]


RECORDS = [
    (room, name)
    for room, name in NAMES
    if name != "Audit"  # only functions make it, from what they have checked
    if inspect.isclass(found := getattr(import_module(f"sklearn_pacmdl.{room}"), name))
    and dataclasses.is_dataclass(found)
    and not inspect.isabstract(found)
]


def run(code):
    """What a new interpreter prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_every_room_is_an_attribute():
    assert set(ROOMS) <= set(sklearn_pacmdl.__all__)
    for room in ROOMS:
        assert getattr(sklearn_pacmdl, room) is import_module(f"sklearn_pacmdl.{room}")


@pytest.mark.parametrize("name", TOP)
def test_names_at_top_are_those_of_one_room(name):
    found = getattr(sklearn_pacmdl, name)
    homes = [room for room, inner in NAMES if inner == name]
    assert len(homes) == 1
    assert getattr(getattr(sklearn_pacmdl, homes[0]), name) is found


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_public_names(room, name):
    module = import_module(f"sklearn_pacmdl.{room}")
    assert name in dir(module)
    found = getattr(module, name)
    if inspect.isclass(found) or inspect.isroutine(found):
        assert inspect.getdoc(found)
        # Its home; that of a contract which two rooms share is utils.
        homes = f"sklearn_pacmdl.{room}.", "sklearn_pacmdl.utils."
        assert found.__module__.startswith(homes)


def test_users_have_few_names():
    assert len({name for _, name in NAMES}) <= 92


def test_results_are_documented_and_not_made_by_users():
    page = (PROJECT / "doc" / "api" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"~sklearn_pacmdl\.(\w+)\.(\w+)", page.split("\n## ")[3])
    assert page.split("\n## ")[3].startswith("Results")
    assert len(listed) == 9
    assert not {*listed} & {*NAMES}


@pytest.mark.parametrize(
    "module", ["sklearn_pacmdl", *(f"sklearn_pacmdl.{room}" for room in ROOMS)]
)
def test_all_is_listed_and_complete(module):
    module = import_module(module)
    assert inspect.getdoc(module)
    assert set(module.__all__) <= set(dir(module))
    namespace = {}
    exec(f"from {module.__name__} import *", namespace)
    assert set(module.__all__) <= set(namespace)


@pytest.mark.parametrize("value", [None, "text", -1, object], ids=repr)
@pytest.mark.parametrize(("room", "name"), RECORDS)
def test_records_of_anything_are_refused_or_can_be_shown(room, name, value):
    record = getattr(import_module(f"sklearn_pacmdl.{room}"), name)
    fields = [field.name for field in dataclasses.fields(record) if field.init]
    try:
        made = record(**dict.fromkeys(fields, value))
    except (TypeError, ValueError):
        return
    assert repr(made)
    assert str(made)
    assert getattr(made, "_repr_html_", made.__repr__)()


def test_unknown_names():
    with pytest.raises(AttributeError, match="PACMDLSearch$"):
        _ = sklearn_pacmdl.PACMDLSearch
    with pytest.raises(ImportError, match="PACMDLSearch"):
        from sklearn_pacmdl import PACMDLSearch  # noqa: F401 (it fails)


def test_names_are_imported_when_they_are_used():
    code = (
        "import sys, sklearn_pacmdl;"
        "print({'sklearn', 'numpy', 'pandas', 'matplotlib'} & set(sys.modules));"
        "print(sklearn_pacmdl.cluster.SphericalKMeans.__name__);"
        "from sklearn_pacmdl import *;"
        "print(PACMDLSearchCV.__name__, 'matplotlib' in sys.modules)"
    )
    assert run(code).split("\n") == [
        "set()",
        "SphericalKMeans",
        "PACMDLSearchCV False",
        "",
    ]


def test_representations_link_to_the_page_of_an_estimator():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    site = project["urls"]["Documentation"]
    for room, name in NAMES:
        estimator = getattr(import_module(f"sklearn_pacmdl.{room}"), name)
        if inspect.isclass(estimator) and issubclass(estimator, BaseEstimator):
            link = estimator.__new__(estimator)._get_doc_link()
            assert link == f"{site}/page/api/generated/sklearn_pacmdl.{room}.{name}.html"
