"""
Finish a data set: most labels by a machine, the doubtful ones by people
========================================================================

The first fifty handwritten digits were labeled by hand, and their labels spread to
similar digits. Of the other 1,747, about one in seven is labeled wrongly in this way, and
at most one in twenty may be wrong in the end. People first label an audit: 250 rows that
the package draws at random after the automatic labels were made. From the errors in the
audit, ``finish_labels`` computes which rows may keep their label, and people label the
others, the most doubtful first.

The guarantee does not depend on where the labels and the confidences come from: a
language model, clusters with names, or anything that was learned from the labels at hand,
as here. It only requires that they were fixed before the audit, so the audit stores their
fingerprints.

In the picture, the staircase shows the bounds if more or fewer rows were labeled
automatically, and the star is what is certified. Below are some of the digits, the surest
on the left.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from sklearn_pacmdl import FinishedLabelsDisplay, draw_audit, finish_labels

TARGET = 0.05
N_LEARNED, N_AUDITED = 50, 250
# Digits in the picture, which have 8 by 8 pixels, and a margin.
N_LINES, N_COLUMNS, HEIGHT, WIDTH = 5, 46, 10, 9
RED, BLUE = "tab:red", "dodgerblue"  # seen on white and on black


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="no effect")
    parser.add_argument("--output", type=Path, default=Path("finish_labels.png"))
    return parser.parse_args()


def fill_in(sheet, path, y):
    """What people do: they open the table, label its rows in any order, and save it."""
    sheet = sheet.sample(frac=1, random_state=0)
    sheet["label"] = y[sheet["row"]]
    sheet.to_csv(path, index=False)


def draw_digits(ax, images, rows, colors):
    """Some of the rows from the left to the right, in their colors."""
    places = np.linspace(0, len(rows) - 1, N_LINES * N_COLUMNS).round().astype(int)
    picture = np.zeros((N_LINES * HEIGHT, N_COLUMNS * WIDTH, 4))
    for i, row in enumerate(rows[places]):
        top, left = HEIGHT * (i % N_LINES), WIDTH * (i // N_LINES)
        digit = picture[top : top + 8, left : left + 8]
        digit[..., :3] = to_rgb(colors[row])
        # Transparent paper, so that the ink can have the color of text on any background.
        digit[..., 3] = images[row] / 16
    ax.imshow(picture, extent=(0, 1, 0, 1), aspect="auto")
    ax.axis("off")


def draw(finished, audit, images, labels, confidence, y):
    figure, (ax, strip) = plt.subplots(
        2, 1, figsize=(11, 7), height_ratios=(3, 1), layout="constrained"
    )
    FinishedLabelsDisplay.from_finished(finished, y, ax=ax)
    automatic = np.setdiff1d(np.flatnonzero(finished.accepted), audit.rows)
    automatic = automatic[np.argsort(-confidence[automatic], kind="stable")]
    rows = np.concatenate([automatic, finished.to_people[::-1], audit.rows])
    wrong = labels != y
    colors = np.where(wrong, BLUE, plt.rcParams["text.color"]).astype(object)
    colors[automatic[wrong[automatic]]] = RED
    draw_digits(strip, images, rows, colors)
    strip.set_title("Red: still wrong. Blue: corrected by people.", fontsize="medium")
    ax.set_title(
        f"{finished.share_automatic:.0%} of the digits need no person, and at most "
        f"{TARGET:.0%} of all labels are wrong"
    )
    return figure


def main():
    arguments = parse_arguments()
    digits = load_digits()
    hidden = np.arange(len(digits.target)) >= N_LEARNED
    model = LabelSpreading(kernel="knn", n_neighbors=10)
    model.fit(digits.data, np.where(hidden, -1, digits.target))
    labels = model.transduction_[hidden]
    confidence = model.label_distributions_[hidden].max(axis=1)
    y, images = digits.target[hidden], digits.images[hidden]

    audit = draw_audit(
        len(labels), N_AUDITED, labels=labels, confidence=confidence, random_state=0
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "audit.csv"
        fill_in(audit.to_frame(), path, y)
        audit_labels = audit.read_labels(path)
        finished = finish_labels(labels, confidence, audit, audit_labels, target=TARGET)
        path = Path(folder) / "doubtful.csv"
        fill_in(finished.to_frame(), path, y)
        completed = finished.complete(finished.read_labels(path))

    wrong_in_audit = np.mean(labels[audit.rows] != audit_labels)
    print(f"In the audit, {wrong_in_audit:.1%} of {audit.size} labels are wrong.")
    print(f"{len(finished.to_people)} doubtful rows are left to people, who label them:")
    print(f"\n{completed.certificate.statement}\n")
    print(
        f"Truly, {np.mean(completed.labels != y):.2%} of all labels are wrong now; ",
        end="",
    )
    print(f"before, {np.mean(labels != y):.2%} were.")
    print("\nOther targets would have led to this:\n")
    columns = ["max_errors", "share_automatic", "n_to_people", "true_error_rate"]
    table = finished.at_targets([0.01, 0.02, TARGET, 0.1], y_true=y)[columns]
    print(table.round(3).to_string())

    figure = draw(finished, audit, images, labels, confidence, y)
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
