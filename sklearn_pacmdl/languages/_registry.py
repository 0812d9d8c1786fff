"""Languages by name.

A language passed as an object needs no name, so there is no public registration. A new
language of this package that should have one gets a line here.
"""

from typing import Literal

from ..utils._checks import invalid
from ._auto import AUTO
from ._base import Language
from ._paper import PAPER_LANGUAGES

LanguageName = Literal["auto", "simple", "init", "cluster", "algo"]

_NAMED: dict[str, Language] = {
    "auto": AUTO,
    **{language.name: language for language in PAPER_LANGUAGES},
}


def get_language(language: LanguageName | Language) -> Language:
    """Look up a language by its name; a language itself is returned as it is.

    Parameters
    ----------
    language : {"auto", "simple", "init", "cluster", "algo"} or Language
        A name, or an instance of a class that inherits from :class:`Language`.

    Returns
    -------
    language : Language
        The language of this name, or the one passed.

    Raises
    ------
    ValueError, TypeError
        If there is no language of this name, or the object is not a :class:`Language`.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import get_language
    >>> get_language("init")
    PaperLanguage(name='init', terms=('init',))
    """
    if isinstance(language, Language):
        return language
    if isinstance(language, str) and language in _NAMED:
        return _NAMED[language]
    raise invalid(
        "language",
        f"one of {sorted(_NAMED)} or an instance of a class that inherits from "
        "sklearn_pacmdl.languages.Language",
        language,
    )
