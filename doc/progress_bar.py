"""Draw scikit-learn's progress bar halfway through a search, as ``_static/progress.svg``.

    python doc/progress_bar.py

needs scikit-learn 1.9 and rich. The picture is kept, since both are optional.
"""

import io
import re
import time
from pathlib import Path

import rich
from rich.console import Console
from rich.text import Text
from sklearn.callback import ProgressBar
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV

TERMINAL, FRAMES = io.StringIO(), []


class Watched(KMeans):
    """k-means that keeps what the terminal shows while it fits 44 clusters."""

    def fit_predict(self, X, y=None, sample_weight=None):
        if self.n_clusters == 44:
            time.sleep(1)  # the bar is drawn ten times a second
            FRAMES.append(TERMINAL.getvalue().split("\x1b[2K")[-1])
        time.sleep(0.2)
        return super().fit_predict(X, y, sample_weight)


def main():
    rich.reconfigure(
        file=TERMINAL, force_terminal=True, width=82, color_system="truecolor"
    )
    X, y = load_digits(return_X_y=True)
    y[500:] = -1
    search = PACMDLSearchCV([("kmeans", Watched(n_init=1))], random_state=0)
    search.set_callbacks(ProgressBar()).fit(X, y)
    console = Console(record=True, width=82, file=io.StringIO())
    console.print(">>> search.set_callbacks(ProgressBar()).fit(X, y)")
    console.print(Text.from_ansi(FRAMES[0]))
    svg = console.export_svg(title="", unique_id="progress")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)  # fonts of other sites
    path = Path(__file__).parent / "_static" / "progress.svg"
    path.write_text(svg.replace("Fira Code, ", ""), encoding="utf-8")


if __name__ == "__main__":
    main()
