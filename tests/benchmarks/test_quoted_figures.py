"""Figures in README and the documentation are those of ``benchmarks/results``.

A comment behind a table or a paragraph says from which file its figures are and, as an
expression of Python, which they are. Rounded as in the text, they must be found there in
this order. In the expression ``r`` is the content of the file, and ``s`` that of a second
one. ``over(value)`` has this value for each name (rows) and problem (columns), and
``cells(*values)`` has several values for the rows and columns of the table in the text,
which are named as in the results.
"""

import json
import re
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
COMMENT = re.compile(r"<!-- figures from (\S+)(?: and (\S+))?:(.*?)-->", flags=re.S)
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
FIGURE = re.compile(rf"(?<![\w.-]){MINUS}?(?:\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)")
PAGES = ["README.md", *sorted(f"doc/{path.name}" for path in (ROOT / "doc").glob("*.md"))]


def read(name):
    if name.endswith(".csv"):
        return pd.read_csv(RESULTS / name)
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def over(results, value):
    problems = {name: of for name, of in results.items() if "labeled" in name}
    return pd.DataFrame(problems).map(lambda of: of[value], na_action="ignore")


def labels(cells):
    """Of rows or columns, without marks and what is in brackets."""
    marks = r' ?\(.*\)| †|\*\*|[`"]'
    return [re.sub(marks, "", cell).strip().replace(DASH, "-") for cell in cells]


def names_for(results, others, table):
    """What expressions may use."""
    columns = labels(table[0][1:]) if table else []
    rows = labels(line[0] for line in table[2:])
    values_of = cache(partial(over, results))

    def cells(*values):
        return np.dstack([values_of(v).loc[rows, columns] for v in values]).ravel()

    tools = {"over": values_of, "cells": cells, "rows": rows, "columns": columns}
    return tools | {"r": results, "s": others, "np": np}


def quotations(page):
    """Figures in the text before each comment, and the values that they should have."""
    text = (ROOT / page).read_text(encoding="utf-8")
    comments = [*COMMENT.finditer(text)]
    assert len(comments) == text.count("<!--")
    for comment in comments:
        block = re.split(r"\n\n|-->", text[: comment.start()].rstrip())[-1]
        table = [line.split("|")[1:-1] for line in block.splitlines() if line[:1] == "|"]
        if table:
            block = " ".join(cell for line in table[2:] for cell in line[1:])
        results, others = (name and read(name) for name in comment.groups()[:2])
        values = eval(f"[{comment[3]}]", names_for(results, others, table))
        yield FIGURE.findall(block), [value for value in values if not pd.isna(value)]


def is_rounded(figure, value):
    figure = figure.replace(",", "").replace(MINUS, "-")
    decimals = len(figure.partition(".")[2])
    return float(figure) == float(f"{value:.{decimals}f}")


@pytest.mark.skipif(not RESULTS.exists(), reason="the results are not shipped")
@pytest.mark.parametrize("page", PAGES)
def test_figures_are_those_of_the_results(page):
    for figures, values in quotations(page):
        assert values
        rest = iter(figures)
        for i, value in enumerate(values):
            assert any(is_rounded(figure, value) for figure in rest), (
                f"{page}: {values[max(i - 2, 0) : i + 1]} do not follow in {figures}"
            )
