"""Results that are printed, and shown in notebooks, as a sentence and a table."""

from __future__ import annotations

from html import escape

from ..utils._words import html_table


class PrintedTable:
    """Result of which a sentence and columns of texts are shown."""

    _has_names = False  # in the first column

    def _shown(self) -> tuple[str, dict[str, list[str]]]:
        """The sentence, and the columns by their heads."""
        raise NotImplementedError  # each kind of result has its own

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
