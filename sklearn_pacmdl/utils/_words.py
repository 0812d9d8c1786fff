"""How results are said and shown: numbers and names in words, and tables."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from html import escape
from typing import Any

import numpy as np

from ._checks import required
from ._printable import escaped

# Parameters that are shown as a number of clusters.
_NUMBERS = ("n_clusters", "n_components")

#: What to do instead of another attempt: no share of delta covers a list that was chosen
#: by the labels that certify it.
AFTER_A_LOOK = (
    "A list that was chosen after a look needs new labels alone, or an audit of the "
    "unlabeled rows."
)


def confidence(delta: float) -> str:
    """Confidence as text, never rounded up."""
    exact = Decimal(repr(float(delta)))
    # Beyond eight decimals the digits of a percentage would have to be counted.
    if round(exact, 8) == exact:
        return f"With probability at least {(100 * (1 - exact)).normalize():f}%"
    return f"Except with probability {float(Context(4, ROUND_CEILING).plus(exact))!r}"


def counted(count: int, thing: str) -> str:
    """A number of things, such as "1 audited row"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def between(fewest: int, most: int) -> str:
    """Limits of a number as text, which is one number where they are equal."""
    return f"{most}" if fewest == most else f"between {fewest} and {most}"


def joined(clauses: Sequence[str]) -> str:
    """Clauses as a list within a sentence: "A", "A and B", "A, B and C"."""
    *first, last = clauses
    return f"{', '.join(first)} and {last}" if first else last


def percent(count: int, total: int) -> str:
    """A rate in percent, rounded up to two decimals."""
    return f"{-(-10_000 * count // total) / 100:.2f}%"


def percent_below(count: int, total: int) -> str:
    """A rate in percent, rounded down to two decimals."""
    return f"{10_000 * count // total / 100:.2f}%"


def rate_in_percent(rate: float, rounded: Callable[[float], float] = round) -> str:
    """A rate with two decimals; a bound is rounded up, by ceil, and a lower one down."""
    # A float of a ratio may be off by what is far below the decimals that are shown.
    return f"{rounded(round(1e4 * rate, 6)) / 100:.2f}%"


def candidate_name(results: Mapping[str, Any], index: int) -> str:
    """Name of a candidate in ``cv_results_``, without number of clusters and seeds."""
    if "clustering" in results:
        return escaped(str(results["clustering"][index]))
    algorithm = str(results["algorithm"][index])
    params = results["params"][index] if "params" in results else {}
    parts = [algorithm]
    for key, value in params.items() if isinstance(params, Mapping) else ():
        parameter = key.removeprefix(f"{algorithm}__")
        if not parameter.endswith(("random_state", *_NUMBERS)):
            parts.append(f"{parameter}={value}")
    return escaped(", ".join(parts))


def chosen_in_words(results: Mapping[str, Any], index: int) -> str:
    """Name of a candidate, and the number of clusters that it found."""
    n_clusters = results["n_clusters_found"][index]
    if n_clusters is np.ma.masked:
        return f"{candidate_name(results, index)}, a classifier"
    return f"{candidate_name(results, index)}, {counted(n_clusters, 'cluster')}"


def html_table(
    rows: Iterable[Sequence[str]], numeric: Sequence[bool], heads: Sequence[str] = ()
) -> str:
    """Rows of texts, the first a name, below heads of HTML; ``numeric`` columns right."""
    styles = [f"style='text-align:{'right' if each else 'left'}'" for each in numeric]

    def line(tags: Iterable[str], cells: Iterable[str]) -> str:
        each = zip(tags, styles, cells, strict=True)
        inner = "".join(f"<{tag} {style}>{cell}</{tag}>" for tag, style, cell in each)
        return f"<tr>{inner}</tr>"

    n_columns = len(styles)
    head = f"<thead>{line(['th'] * n_columns, heads)}</thead>\n" if heads else ""
    tags = ["th", *["td"] * (n_columns - 1)]
    body = "\n".join(line(tags, (escape(escaped(cell)) for cell in row)) for row in rows)
    return f"<table>\n{head}<tbody>{body}</tbody></table>"


def html_result(headline: str, facts: Iterable[Sequence[str]]) -> str:
    """A result for notebooks, in their own colors: what it says, and named facts."""
    return (
        f"<div><p style='max-width:40em'><strong>{escape(headline)}</strong></p>"
        f"{html_table(facts, [False, True])}</div>"
    )


def as_frame(columns, index):
    """A DataFrame of columns, one of which becomes the index."""
    pandas = required("pandas", "Tables require pandas", "plot")
    return pandas.DataFrame(columns).set_index(index)


class PrintedTable(ABC):
    """Result of which a sentence and columns of texts are shown."""

    _has_names = False  # in the first column

    @abstractmethod
    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        """The sentence, and the columns by their heads."""

    def __str__(self) -> str:
        sentence, columns = self._shown()
        lines = [[*columns], *zip(*columns.values(), strict=True)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = ["<" if self._has_names else ">", *">" * (len(widths) - 1)]
        form = "  ".join(f"{{:{s}{w}}}" for s, w in zip(sides, widths, strict=True))
        return "\n".join([sentence, "", *(form.format(*line) for line in lines)])

    def _repr_html_(self) -> str:
        sentence, columns = self._shown()
        numeric = [not self._has_names, *[True] * (len(columns) - 1)]
        lines = [[*line] for line in zip(*columns.values(), strict=True)]
        return (
            f"<p style='max-width:40em'><strong>{escape(sentence)}</strong></p>"
            f"{html_table(lines, numeric, [*map(escape, columns)])}"
        )
