"""How Sphinx builds the site; CONTRIBUTING.md has the command."""

import re
from contextlib import redirect_stdout
from importlib import import_module
from inspect import getmembers, ismodule
from pathlib import Path
from runpy import run_path

import matplotlib.pyplot as plt
from docutils import nodes
from sklearn.base import BaseEstimator
from sphinx.util.nodes import make_refnode

import sklearn_pacmdl

project = "sklearn_pacmdl"
author = "The sklearn_pacmdl developers"
copyright = author
release = version = sklearn_pacmdl.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",  # pages need no network
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "literal"

# -- Markdown --------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

# -- API reference ---------------------------------------------------------------------
# Names are taken from __all__, so that no public name can be missing.
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"  # numpydoc's sections have the types
toc_object_entries_show_parents = "hide"  # methods, beside the page of their class
numpydoc_show_class_members = False  # the template of classes documents them

# -- Gallery ---------------------------------------------------------------------------
SECTIONS = ["labels", "documents", "compare", "large", "extend"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "subsection_order": [f"../examples/{section}" for section in SECTIONS],
    # Pages of names list the examples that use them.
    "backreferences_dir": "gallery/backreferences",
    "doc_module": "sklearn_pacmdl",
    "image_srcset": ["2x"],
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}

# -- Links -----------------------------------------------------------------------------
nitpicky = True
# Where others document a name. Inventories would have to be fetched, and builds need no
# network; `sphinx-build -b linkcheck` finds addresses that are wrong.
PAGES = {
    "sklearn": "https://scikit-learn.org/stable/modules/generated/{}.html",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/generated/{}.html",
    "joblib": "https://joblib.readthedocs.io/en/stable/generated/{}.html",
    "numpy": "https://numpy.org/doc/stable/reference/random/legacy.html#{}",
    "json": "https://docs.python.org/3/library/json.html#{}",
}
ROOMS = [name for name, _ in getmembers(sklearn_pacmdl, ismodule)]


def resolve(app, env, node, contnode):
    """Link public names of any room, with or without its name, and those of others."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    name = target.removeprefix("sklearn_pacmdl.")
    for room in ROOMS:
        docname = env.domains["py"].objects.get(f"sklearn_pacmdl.{room}.{name}")
        if docname:
            return make_refnode(
                app.builder, node["refdoc"], docname.docname, docname.node_id, contnode
            )
    page = PAGES.get(target.partition(".")[0])
    return page and nodes.reference("", "", contnode, refuri=page.format(target))


def list_names(app, docname, source):
    """List the names of each room that have no other place in the API reference."""
    if docname != "api/index":
        return
    before, after = source[0].split("% Names of each module\n")
    elsewhere = set(re.findall(r"~(\S+)", after))
    lists = ""
    for room in re.findall(r"^   (sklearn_pacmdl\.\w+)$", before, flags=re.M):
        names = (f"{room}.{name}" for name in import_module(room).__all__)
        listed = "".join(f"   ~{name}\n" for name in names if name not in elsewhere)
        lists += f"### `{room}`\n\n```{{eval-rst}}\n.. autosummary::\n"
        lists += f"   :nosignatures:\n\n{listed}```\n\n"
    source[0] = before + lists + after


def skip_inherited(app, what, name, obj, skip, options):
    """Leave out what scikit-learn documents: ``get_params``, ``set_score_request``..."""
    module = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    overrides = hasattr(BaseEstimator, name) and not obj.__doc__
    return True if module.startswith("sklearn.") or overrides else None


def mark_sentences(app, doctree, docname):
    """Give cells of a column with sentences a class, so that they stay readable.

    Columns of numbers and names may become narrow on phones.
    """
    for table in doctree.findall(nodes.tgroup):
        for column in zip(*([*row] for row in table.findall(nodes.row)), strict=True):
            if max(len(cell.astext()) for cell in column) > 30:
                for cell in column:
                    cell["classes"].append("sentences")


def draw_landing_page(app):
    """Draw what the code on the landing page draws, for light and for dark pages."""
    page = Path(app.srcdir, "index.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    folder = Path(app.srcdir, "_static", "drawn")
    folder.mkdir(parents=True, exist_ok=True)
    for name, style in (("light", "default"), ("dark", "dark_background")):
        with plt.style.context(style), redirect_stdout(None):
            exec(code, {})
            plt.savefig(folder / f"{name}.png", dpi=150, transparent=True)
            plt.close()


def draw_figures(app):
    draw = run_path(str(Path(app.srcdir, "theory_figures.py")))["draw"]
    draw(Path(app.srcdir, "_static", "drawn"))


def setup(app):
    app.connect("builder-inited", draw_landing_page)
    app.connect("builder-inited", draw_figures)
    app.connect("source-read", list_names)
    app.connect("doctree-resolved", mark_sentences)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", skip_inherited)


# -- Looks -----------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_pacmdl"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]  # an overview for coding assistants
html_css_files = ["site.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the system is
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    # Pages with wide tables have no list of sections beside them.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        **{page: [] for page in ("certificates", "criteria", "experiments", "index")},
    },
}
