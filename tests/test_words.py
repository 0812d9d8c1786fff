"""Sentences of README, pages, examples and public docstrings are short and plain.

``[tool.words]`` of pyproject.toml has the limits and the phrases.
"""

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from test_docstrings import NAMES, OBJECTS, documented

ROOT = Path(__file__).parents[1]
WORDS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["words"]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "doc").glob("*.md")),
]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
# The theory has symbols, and the list of references has the titles of others.
WITH_SYMBOLS = {"theory.md", "literature.md"}
PROSE = ("Summary", "Extended Summary", "Notes")
LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")

NOT_PROSE = re.compile(
    r"^(?P<fence> *(`{3,}|~{3,}))(?!\{glossary\}).*?^(?P=fence)"  # blocks of code
    r"|<!--.*?-->"
    r"|^(:{3,}|:[\w-]+:|\.\. |#|> )[^\n]*$",  # directives, headings, what is printed
    flags=re.S | re.M,
)
CODE = re.compile(r"(`+)[^`]+?\1_?|(\$+)[^$]+\2")
TARGET = re.compile(r"\]\([^)]*\)|\{[\w:~]+\}(?=code)|:\w+:(?=code)")
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.) )|::?\n(?=\s)")
SENTENCE = re.compile(r"""(?<=[.!?])[)\]"*_]*\s+(?=[A-Z"'(*\[{_]|code)""")
# "that" after these is no relative pronoun.
CONJUNCTION = re.compile(
    r"\b(says?|said|sees?|seen|assume[sd]?|states?|knows?|known|means?|shows?|checks?|checked"
    r"|so|such|now|certain|sure|than|proves?|tells?|requires?|supposes?|provided|finds?|fact"
    r"|probability|chance|condition|expects?|decides?|warns?|ensures?|like|of|by|in|for|to"
    r"|on|with|at|from|as|or|and|not|but|is|are|was|be|does|,) that\b|^That\b",
    flags=re.I,
)


def plain(text):
    """Prose without code: what is between backticks is one word."""
    return TARGET.sub("", CODE.sub("code", NOT_PROSE.sub("", text)))


def sentences(text):
    """Sentences of plain text; rows of tables are none."""
    for block in BLOCK.split(text):
        lines = (line for line in block.splitlines() if line.lstrip()[:1] != "|")
        yield from SENTENCE.split(" ".join(" ".join(lines).split()))


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def relative_clauses(sentence):
    return re.findall(r"\b(?:which|who|whom|whose|that)\b", CONJUNCTION.sub("", sentence))


def faults(text, symbols=False):
    """What is to be said otherwise."""
    text = plain(text)
    for sentence in sentences(text):
        n_words = len(words(sentence))
        if n_words > WORDS["longest-sentence"]:
            yield f"{n_words} words: {sentence}"
    for phrase, better in WORDS["phrases"].items():
        for match in re.finditer(phrase, " ".join(text.split())):
            yield f"{match[0]!r}: say {better}"
    if not symbols:
        yield from re.findall("|".join(WORDS["symbols"]), text)


def prose(docstring):
    """The texts of a docstring, without examples, references and types."""
    doc = NumpyDocString(docstring)
    yield from ("\n".join(doc[section]) for section in PROSE)
    for section in LISTS:
        yield from ("\n".join(entry.desc) for entry in doc[section])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page):
    assert not [*faults(page.read_text("utf-8"), symbols=page.name in WITH_SYMBOLS)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path):
    text = path.read_text("utf-8")
    cells = re.findall(r"^# %%\n((?:#.*\n)+)", text, flags=re.M)
    said = [ast.get_docstring(ast.parse(text)), *(c.replace("# ", "") for c in cells)]
    assert len(said) > 2
    assert not [fault for words in said for fault in faults(words)]


def docstrings(room):
    """Each public docstring of a room, by the name of its object."""
    for name in NAMES:
        if name.split(".")[1] == room:
            yield name, inspect.getdoc(documented(name))


ROOMS = {name.split(".")[1] for name in OBJECTS}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_docstrings(room):
    found = {
        name: [fault for text in prose(doc) for fault in faults(text)]
        for name, doc in docstrings(room)
    }
    assert not {name: of for name, of in found.items() if of}


def all_sentences():
    """Sentences of pages and of public docstrings, each once; not those of the theory."""
    pages = [p.read_text("utf-8") for p in PAGES if p.name not in WITH_SYMBOLS]
    docs = {doc for room in ROOMS for _, doc in docstrings(room)}
    texts = [*pages, *(text for doc in sorted(docs) for text in prose(doc))]
    said = [sentence for text in texts for sentence in sentences(plain(text))]
    return [sentence for sentence in said if words(sentence)]


def test_few_sentences_are_long_or_have_two_relative_clauses():
    said = all_sentences()
    assert len(said) > 2000
    long = [sentence for sentence in said if len(words(sentence)) > 30]
    assert len(long) <= 0.01 * len(said), long
    twice = [sentence for sentence in said if len(relative_clauses(sentence)) > 1]
    assert len(twice) <= 25, twice


def test_relative_clauses_are_counted():
    twice = "Rows that nobody labeled, which are many, count."
    assert len(relative_clauses(twice)) == 2
    assert len(relative_clauses("The table says that rows that differ count.")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "One " + "more " * WORDS["longest-sentence"] + "word.",
        "- This is paid\n  for.",
        "| at δ = 0.1 |",
        "It takes .1 s.",
    ],
)
def test_faults_are_found(text):
    assert [*faults(text)]


@pytest.mark.parametrize(
    "text",
    [
        "One. " * 2 * WORDS["longest-sentence"],
        "```python\n" + "word " * 99 + "\n```\n",
        "| " + "word " * 99 + "|",
        "Take `x = .1` [here](paid%20for.md).",
    ],
)
def test_code_tables_and_short_sentences_are_right(text):
    assert not [*faults(text)]
