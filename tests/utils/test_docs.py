"""Shared paragraphs of docstrings."""

import pytest

from sklearn_pacmdl import metrics
from sklearn_pacmdl.utils._docs import substituted


def test_paragraphs_take_the_indentation_of_the_docstring():
    @substituted(
        x="""
            x : int
                A number in {0, 1}.
            """,
        source="A book,\n       2001",
    )
    def function(x):
        """Do this.

        Parameters
        ----------
        {x}

        References
        ----------
        .. [1] {source}, page 3, of {others}.
        """

    assert function.__doc__.splitlines() == [
        "Do this.",
        "",
        "Parameters",
        "----------",
        "x : int",
        "    A number in {0, 1}.",
        "",
        "References",
        "----------",
        ".. [1] A book,",
        "       2001, page 3, of {others}.",
    ]


def test_without_docstrings():
    """As under ``python -OO``."""

    @substituted(x="x : int")
    def function(x):
        return x

    assert function.__doc__ is None
    assert function(1) == 1


@pytest.mark.parametrize("name", metrics.__all__)
def test_no_paragraph_is_left_to_fill(name):
    names = ["parameters", "errors", "labels", "X", "dom", "manning", "strehl", "seed"]
    names += ["description", "classifiers"]
    doc = getattr(metrics, name).__doc__ or ""
    assert not [name for name in names if f"{{{name}}}" in doc]
