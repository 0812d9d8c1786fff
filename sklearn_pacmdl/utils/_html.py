"""Tables of HTML, as notebooks and reports show them."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(
    rows: Iterable[Sequence[str]], numeric: Sequence[bool], heads: Sequence[str] = ()
) -> str:
    """Rows of texts, of which the first names the row, below heads of HTML.

    Columns that are ``numeric`` are aligned to the right.
    """
    styles = [f"style='text-align:{'right' if each else 'left'}'" for each in numeric]

    def line(tags: Iterable[str], cells: Iterable[str]) -> str:
        each = zip(tags, styles, cells, strict=True)
        inner = "".join(f"<{tag} {style}>{cell}</{tag}>" for tag, style, cell in each)
        return f"<tr>{inner}</tr>"

    n_columns = len(styles)
    head = f"<thead>{line(['th'] * n_columns, heads)}</thead>\n" if heads else ""
    tags = ["th", *["td"] * (n_columns - 1)]
    body = "\n".join(line(tags, map(escape, row)) for row in rows)
    return f"<table>\n{head}<tbody>{body}</tbody></table>"
