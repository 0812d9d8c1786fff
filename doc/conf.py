"""How Sphinx builds the site; CONTRIBUTING.md has the command."""

import os
from inspect import getmembers, ismodule
from pathlib import Path

from docutils.nodes import reference
from sphinx.util.nodes import make_refnode

import sklearn_pacmdl

# One thread per fit, and none for the BLAS, as in CI: pictures are drawn one by one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

project = "sklearn_pacmdl"
author = "The sklearn_pacmdl developers"
copyright = author
release = version = sklearn_pacmdl.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"

# -- Markdown --------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# -- API reference ---------------------------------------------------------------------
# Names are taken from __all__, so that no public name can be missing.
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False  # the template of classes documents them

# -- Pictures --------------------------------------------------------------------------
plot_include_source = True
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 150)]

quick = tags.has("quick")  # noqa: F821 (Sphinx provides it): sphinx-build -t quick


def arguments_of_examples(gallery_conf, script_vars):
    """What examples are called with: their pictures are not kept in the clone."""
    output = Path(script_vars["target_file"]).with_suffix(".png")
    return ["--output", str(output), *(["--quick"] if quick else [])]


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "reset_argv": arguments_of_examples,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
}
suppress_warnings = ["config.cache"]  # of the function above, which cannot be pickled

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
    return page and reference("", "", contnode, refuri=page.format(target))


def skip_inherited(app, what, name, obj, skip, options):
    """Leave out what scikit-learn documents: ``get_params``, ``set_score_request``..."""
    module = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    return True if module.startswith("sklearn.") else None


def setup(app):
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", skip_inherited)


# -- Looks -----------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_pacmdl"
html_static_path = ["_static"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the system is
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
}
