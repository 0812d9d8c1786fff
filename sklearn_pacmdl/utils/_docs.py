"""Paragraphs that several docstrings share, written once."""

import re
from collections.abc import Callable
from inspect import cleandoc
from textwrap import dedent
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)
# What numpydoc takes for the start of a section, and for what is said of a parameter.
_NEW_SECTION = re.compile(r"\n\n(?=[A-Z][\w ]+\n-+\n)")
_ENTRY = re.compile(r"^(\w+)[\w, ]* : .+(?:\n+    .+)*", re.MULTILINE)


def substituted(*sources: Any, **paragraphs: str) -> Callable[[F], F]:
    """Decorator that replaces ``{name}`` in a docstring.

    What replaces it is the paragraph of this name, or what the docstrings of ``sources``
    say of the parameter or attribute, or the whole section that has the name.
    """
    for source in sources:
        doc = cleandoc(source.__doc__ or "")
        entries = {match[1]: match[0] for match in _ENTRY.finditer(doc)}
        sections = {text.partition("\n")[0]: text for text in _NEW_SECTION.split(doc)[1:]}
        paragraphs = entries | sections | paragraphs

    def substitute(function: F) -> F:
        if function.__doc__:  # None under python -OO
            doc = cleandoc(function.__doc__)
            for name, paragraph in paragraphs.items():
                doc = doc.replace(f"{{{name}}}", dedent(paragraph).strip())
            function.__doc__ = doc
        return function

    return substitute
