"""Paragraphs that several docstrings share, written once."""

from collections.abc import Callable
from inspect import cleandoc
from textwrap import dedent
from typing import TypeVar

F = TypeVar("F", bound=Callable)


def substituted(**paragraphs: str) -> Callable[[F], F]:
    """Decorator that replaces lines ``{name}`` of a docstring by the given paragraphs."""

    def substitute(function: F) -> F:
        if function.__doc__:  # None under python -OO
            doc = cleandoc(function.__doc__)
            for name, paragraph in paragraphs.items():
                doc = doc.replace(f"{{{name}}}", dedent(paragraph).strip())
            function.__doc__ = doc
        return function

    return substitute
