"""The rooms and who may import whom, read from the source."""

import ast
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from rooms import ALLOWED, with_users

import sklearn_pacmdl

ROOT = Path(sklearn_pacmdl.__file__).parent

# Third-party packages by room, besides numpy and scipy.
PACKAGES = {
    "utils": {"sklearn", "pandas"},
    "estimators": {"sklearn", "pandas"},
    "columns": {"sklearn", "narwhals", "pandas"},
    "random_choice": set(),
    "worksheets": {"pandas", "openpyxl"},
    "bounds": set(),
    "languages": set(),
    "labeling": {"sklearn"},
    "certificates": set(),
    "certification": {"sklearn", "pandas"},
    "audits": {"sklearn", "pandas"},
    "displays": {"sklearn"},
    "reports": {"sklearn", "jinja2"},
    "cluster": {"sklearn"},
    "datasets": {"sklearn"},
    "metrics": {"sklearn", "joblib"},
    "model_selection": {"sklearn", "threadpoolctl", "joblib", "pandas"},
    "shell": {"pandas", "pyarrow"},
}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def imports(path):
    """(dotted module, names) of every import, relative ones made absolute."""
    package = ("sklearn_pacmdl", *path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *(node.module.split(".") if node.module else [])])
            yield module, tuple(alias.name for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports(path):
    """Rooms import those below, by their doors, and one file what scikit-learn hides."""
    room = path.relative_to(ROOT).parts[0]
    for module, names in imports(path):
        top, *rest = module.split(".")
        private = [name for name in names if re.match(r"_[^_]", name)]
        if top == "sklearn_pacmdl":
            target, *inside = rest or [""]
            assert target in ALLOWED[room] | {room}, f"{room} imports {module}"
            through_door = not private and (not inside or target == "utils")
            assert target == room or through_door, f"{module} {private}"
        elif top not in sys.stdlib_module_names | {"numpy", "scipy", "matplotlib"}:
            assert top in PACKAGES[room], f"{room} imports {module}"
        if top == "sklearn" and path.name != "_sklearn.py":
            assert not private, f"{module} {private}"
            assert "._" not in module, module


def named_in(tree):
    """Names that a file defines, or sets on its own objects, and its texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if ast.unparse(node.value) == "self":
                yield node.attr
        elif isinstance(node, ast.Constant):
            yield node.value


# What the room of a class of certificates calls on its own, and the base class defines.
INHERITED = {"_made", "_issued", "_fingerprint", "_problems"}


def test_private_parts_of_objects_are_used_in_their_room():
    """A room neither sets nor calls what is private to an object of another room."""
    named = defaultdict(lambda: {"_replace", "_asdict", *INHERITED})
    trees = {path: ast.parse(path.read_text()) for path in MODULES}
    for path, tree in trees.items():
        named[path.parent.name] |= {*named_in(tree)}
    foreign = {
        f"{path.name}: {ast.unparse(node)}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        if re.match(r"_[^_]", node.attr) and node.attr not in named[path.parent.name]
        if ast.unparse(node.value) not in ("self", "cls", "super()", "sys")
        if path.name != "_sklearn.py"
    }
    assert not foreign


def test_a_change_of_a_room_needs_tests_of_its_users():
    assert with_users("shell") == ["shell"]
    assert with_users("languages") == [
        *("certification", "languages", "metrics", "model_selection", "shell")
    ]


def test_contributing_has_these_rooms():
    """In its table, "those of" a room are what that one may import."""
    page = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for room, allowed in ALLOWED.items():
        row = re.search(rf"^\| `{room}` \|.*\| (.*) \|$", page, flags=re.M)[1]
        named = {*re.findall(r"`(\w+)`", row)}
        if others := re.match(r"those of `(\w+)`", row):
            named |= ALLOWED[others[1]]
        assert named == allowed, room


def test_file_names_say_one_thing_each():
    names = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert [name for name, n in names.items() if n > 1] == []


def test_matplotlib_is_imported_only_when_drawing():
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", None) or node.names[0].name
                assert "matplotlib" not in module, path


def test_displays_see_results_only():
    for path in (ROOT / "displays").glob("*.py"):
        planned = {"bounds"} if path.stem == "_how_many" else set()
        dotted = [module.split(".") for module, _ in imports(path)]
        rooms = {module[1] for module in dotted if module[0] == "sklearn_pacmdl"}
        assert rooms <= {"displays", "utils", "columns"} | planned, path
        of_scikit_learn = {".".join(m) for m in dotted if m[0] == "sklearn"}
        assert of_scikit_learn <= {"sklearn.base", "sklearn.utils.validation"}, path


# A private module by its path, or one that is imported from its room.
PRIVATE = re.compile(r"\bsklearn_pacmdl(\.\w+)*(\.| import )_(?!_)\w+")


def private_parts(path):
    """What a file of tests imports of private modules, or names in a text.

    Texts are the targets of patches, and the code that other processes run.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        named = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = [node.value]
        yield from filter(PRIVATE.search, named)


def test_few_files_of_tests_know_private_modules():
    """What users rely on is public; what is behind it may move and be made anew.

    Behind it are asked only formulas with an oracle of their own, such as fractions or
    an enumeration, controls that break one rule, and what helpers make. Modules of
    utils have no other door than their names, for rooms and for their tests.
    """
    here = Path(__file__)
    files = {path for path in here.parent.rglob("*.py") if path.name != here.name}
    files -= {*(here.parent / "utils").iterdir()}
    known = {str(path) for path in files if any(private_parts(path))}
    assert {"sweeps.py", "test_exact.py"} <= {Path(path).name for path in known}
    assert len(known) <= 19, sorted(known)


def test_files_of_tests_are_read_at_one_sitting():
    long = {
        str(path): n
        for path in Path(__file__).parent.rglob("*.py")
        if (n := len(path.read_text(encoding="utf-8").splitlines())) > 900
    }
    assert not long


def test_slow_tests_exist():
    """Names of tests/slow.txt, which a renamed test would leave without being slow."""
    here = Path(__file__).parent
    for line in (here / "slow.txt").read_text().splitlines():
        if not line.startswith("#"):
            file, _, name = line.partition("[")[0].partition("::")
            source = (here.parent / file).read_text()
            assert f"def {name}(" in source, line
