"""Tests draw the same in every run, unless Hypothesis is told to explore."""

import sys
from types import ModuleType

from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_pacmdl import draw_audit


def drawn(profile):
    examples = []

    @settings(settings.get_profile(profile))
    @given(st.integers(), st.text())
    def look_at(number, text):
        examples.append((number, text))

    look_at()
    return examples


def test_the_default_profile_draws_the_same_examples():
    assert drawn("reproducible") == drawn("reproducible")
    assert drawn("explore") != drawn("explore")


def test_modules_that_other_tests_have_imported_change_no_example(monkeypatch, tmp_path):
    """Which these are depends on how tests are spread over processes."""
    before = drawn("reproducible")
    module = ModuleType("constants")
    module.__file__ = str(tmp_path / "constants.py")
    lines = [f"a{i} = {i * 7919}, 'text {i}'\n" for i in range(100)]
    (tmp_path / "constants.py").write_text("".join(lines))
    monkeypatch.setitem(sys.modules, "constants", module)
    assert drawn("reproducible") == before


def test_audits_without_a_seed_are_those_of_every_run():
    assert draw_audit(1000, 3).rows.tolist() == [888, 836, 340]
