"""The notebook runs from top to bottom, and shows what notebooks are for."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples" / "first_certificate.ipynb"


# Jupyter's own parts warn about what their next versions will do.
@pytest.mark.filterwarnings("default")
@pytest.mark.needs_callbacks
def test_first_certificate():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(
        notebook, timeout=240, resources={"metadata": {"path": NOTEBOOK.parent}}
    ).execute()
    shown: dict[int, list] = {}
    for i, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            shown.setdefault(i, []).append(output.get("data", output))
    widgets = notebook.metadata.get("widgets", {}).values()
    pages = [p["text/html"] for out in shown.values() for p in out if "text/html" in p]
    text = "".join(map(str, [*shown.values(), *widgets]))
    # The bar of a finished search, the result in the first line, the picture, the report.
    assert "100%" in text
    assert any(page.startswith("<p><strong>ward, ") for page in pages)
    assert any("pacmdl-certificate" in page for page in pages)
    assert any("image/png" in p for out in shown.values() for p in out)
    assert any("<iframe srcdoc=" in page for page in pages)
