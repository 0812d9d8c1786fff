"""Every example of the gallery runs as the notebook that readers download."""

import json
import os
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.notebook
ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").rglob("plot_*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
# What a new kernel would be, in one that has run other notebooks.
NEW = """\
%reset -f
import os
import matplotlib.pyplot
matplotlib.pyplot.close("all")
matplotlib.rcdefaults()
os.chdir({folder!r})
%reset -f
%matplotlib inline
"""


@pytest.fixture(scope="module")
def kernel():
    """One for all examples, since starting one takes longer than most of these."""
    from jupyter_client.manager import KernelManager

    # Jupyter sets the backend that draws in notebooks, unless the environment does.
    environment = {k: v for k, v in os.environ.items() if k != "MPLBACKEND"}
    kernel = KernelManager()
    kernel.start_kernel(env=environment)
    yield kernel
    kernel.shutdown_kernel(now=True)


def run(path, folder, kernel):
    """All outputs of an example, converted as the site does it."""
    from nbclient import NotebookClient
    from nbformat import reads
    from nbformat.v4 import new_code_cell
    from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
    from sphinx_gallery.notebook import jupyter_notebook
    from sphinx_gallery.py_source_parser import split_code_and_text_blocks

    _, blocks = split_code_and_text_blocks(str(path))
    made = jupyter_notebook(blocks, DEFAULT_GALLERY_CONF, str(folder))
    notebook = reads(json.dumps(made), as_version=4)
    notebook.cells.insert(0, new_code_cell(NEW.format(folder=str(folder))))
    client = NotebookClient(notebook, km=kernel, timeout=240)
    client.execute()
    client.kc.stop_channels()
    assert sum(cell.cell_type == "markdown" for cell in notebook.cells) > 2
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


# Jupyter's own parts warn about what their next versions will do.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, kernel):
    outputs = run(path, tmp_path, kernel)
    printed = "".join(output.get("text", "") for output in outputs)
    # Warnings, which an example explains or avoids.
    assert not [output for output in outputs if output.get("name") == "stderr"]
    shown = [output["data"] for output in outputs if "data" in output]
    assert any("image/png" in data for data in shown)
    pages = [data["text/html"] for data in shown if "text/html" in data]
    if path.stem == "plot_first_certificate":
        # The result in the first line, the certificate, the report.
        for text in ("<p><strong>ward, ", "<strong>With probability", "<iframe srcdoc="):
            assert any(text in page for page in pages)
    if path.name in README.partition("## Choose a clustering\n")[0]:
        text = " ".join(README.replace("\n>", "").split())
        quoted = re.search(r"(With probability .*?) (The true error rate .*?%)", text)
        assert all(sentence in printed for sentence in quoted.groups())
        picture = re.search(r"`(\w+\.png)`", text)[1]
        assert (tmp_path / picture).exists()
