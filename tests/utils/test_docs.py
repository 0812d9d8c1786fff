"""Shared paragraphs of docstrings."""

import inspect
import re

import pytest

from sklearn_pacmdl import cluster, datasets, displays, metrics
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


def source(a, b, c):
    """Do this.

    Parameters
    ----------
    a : int or \\
            None
        A number.

        A second paragraph.
    b, c : str, default=""
        Texts.

    Returns
    -------
    found : int
        What was found.

    See Also
    --------
    function : Another one.
    """


def test_what_other_docstrings_say():
    @substituted(source, found="found : bool\n    Whether it was found.")
    def function(a, b):
        """Do that.

        Parameters
        ----------
        {b}
        {a}

        {Returns}
        {found}
        """

    assert function.__doc__.splitlines()[4:] == [
        'b, c : str, default=""',
        "    Texts.",
        "a : int or \\",
        "        None",
        "    A number.",
        "",
        "    A second paragraph.",
        "",
        "Returns",
        "-------",
        "found : int",
        "    What was found.",
        "found : bool",
        "    Whether it was found.",
    ]


OBJECTS = [
    getattr(room, name)
    for room in (cluster, datasets, displays, metrics)
    for name in room.__all__
]
METHODS = [
    method
    for obj in OBJECTS
    if inspect.isclass(obj)
    for _, method in inspect.getmembers(obj, inspect.isroutine)
]


@pytest.mark.parametrize("obj", [*OBJECTS, *METHODS])
def test_no_paragraph_is_left_to_fill(obj):
    assert not re.search(r"^\s*\{\w+\}$", obj.__doc__ or "", re.MULTILINE)
