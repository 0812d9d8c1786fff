"""A search at the end of a Pipeline is certified by labels that have made its rows."""

import json
from pathlib import Path

from labels_in_x import PIPELINES, outcome

ROOT = Path(__file__).parents[2]
RIGHT = "search around StandardScaler and KMeans"
WRONG = "SelectKBest(k=10), then the search"


def test_the_premise_is_one():
    """What the guide calls right is certified rightly, and what it calls wrong is not."""
    right, wrong = (
        sum(outcome(PIPELINES[name], seed) != "right" for seed in range(12))
        for name in (RIGHT, WRONG)
    )
    assert right <= 2
    assert wrong >= 4


def test_the_guide_has_the_measured_rates():
    text = (ROOT / "benchmarks" / "results" / "labels_in_x.json").read_text()
    rates = json.loads(text)["certificates of noise"]
    page = " ".join((ROOT / "doc" / "trust.md").read_text(encoding="utf-8").split())
    wrong, right = rates[WRONG], rates[RIGHT]
    n_draws, unnoticed = wrong["draws"], wrong["wrong without a warning"]
    assert f"{wrong['wrong']} of {n_draws} were, {unnoticed} of them without" in page
    assert f"`KMeans`, {right['wrong']} of {n_draws} were wrong" in page
