"""Pages of the site that list names list all of them, and searches lead to answers."""

import re
from pathlib import Path

import pytest
from test_public import NAMES, ROOMS, TOP

DOC = Path(__file__).parents[1] / "doc"
# What measures are called; other names of the room are tables, results and scorers.
MEASURE = re.compile(r".*(_score|_loss|_bound|_entropy|_errors)")

# What people type into the search box, by the page with a section that answers it.
SEARCHES = {
    "elsewhere": "HDBSCAN noise",
    "faq": "active learning, annotation budget, confidence interval accuracy, conformal "
    "prediction, cross-validation, custom metric, elbow, imbalanced classes, "
    "multi-label, number of clusters, rounded up, semi-supervised, silhouette, "
    "unknown classes",
    "judge": "LLM judge, prediction-powered inference, prevalence",
    "moving": "cleanlab, Label Studio, weak supervision",
}
QUERIES = [(page, query) for page, of in SEARCHES.items() for query in of.split(", ")]


@pytest.mark.parametrize(("page", "query"), QUERIES)
def test_a_section_answers_what_people_type(page, query):
    """In its heading and its first 60 words; the site's search links to headings."""
    text = (DOC / f"{page}.md").read_text(encoding="utf-8").lower()
    words = query.lower().split()
    sections = (" ".join(s.split()[:60]) for s in re.split(r"^#+ ", text, flags=re.M))
    assert any(all(word in section for word in words) for section in sections)


@pytest.mark.parametrize("name", [*ROOMS, *TOP])
def test_reference_begins_with_every_room_and_every_name_at_the_top(name):
    page = (DOC / "api" / "index.md").read_text(encoding="utf-8")
    assert re.search(rf"^   ~?sklearn_pacmdl\.{name}$", page, flags=re.M)


def test_every_measure_is_compared():
    page = (DOC / "criteria.md").read_text(encoding="utf-8")
    measures = {n for room, n in NAMES if room == "metrics" and MEASURE.fullmatch(n)}
    assert len(measures) > 20
    missing = {n for n in measures if not re.search(rf"^\| `{n}`", page, flags=re.M)}
    assert not missing, f"the tables of doc/criteria.md have no row for {missing}"


def test_every_theorem_has_a_figure_of_its_idea():
    theory = (DOC / "theory.md").read_text(encoding="utf-8")
    figures = (DOC / "theory_figures.py").read_text(encoding="utf-8")
    theorems = re.findall(r"^#+ Theorem (\w+)$", theory, flags=re.M)
    assert len(theorems) == 10
    assert re.findall(r"drawn/theorem-(\w+)\.svg", theory) == theorems
    assert re.findall(r"^def theorem_(\w+)\(", figures, flags=re.M) == theorems
