"""
Audit the labels of a model, class by class
===========================================

A model has labeled 20,000 rows, and nobody knows how well. People check 600 rows that
the package draws at random, and one sentence then says how many of all labels are wrong,
whatever the model is: a classifier, clusters with names, a language model. A report of
the classes adds bounds of precision, recall and F1 for each class, and of its true size.
All of these hold at once.

The bars reach from the lower bound of each class to 1, and the dots are the true values,
which only this example knows. Class "rare" has few audited rows, so its bounds are low.
To raise them, check more of its rows.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sklearn_pacmdl import certify_labels, draw_audit
from sklearn_pacmdl.audits import class_report

CLASSES = np.array(["invoice", "letter", "memo", "report", "rare"])
SHARES = [0.4, 0.3, 0.18, 0.1, 0.02]
# How often the model confuses a class with one of the others.
CONFUSED = [0.03, 0.08, 0.05, 0.15, 0.3]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("audit_a_model.png"))
    parser.add_argument("--quick", action="store_true", help="no effect")
    return parser.parse_args()


def labels_of_a_model(rng, n_rows):
    codes = rng.choice(len(CLASSES), size=n_rows, p=SHARES)
    wrong = rng.uniform(size=n_rows) < np.take(CONFUSED, codes)
    others = (codes + rng.randint(1, len(CLASSES), size=n_rows)) % len(CLASSES)
    return CLASSES[codes], CLASSES[np.where(wrong, others, codes)]


def main():
    arguments = parse_arguments()
    truth, labels = labels_of_a_model(np.random.RandomState(0), 20_000)
    audit = draw_audit(len(labels), 600, labels=labels, random_state=0)
    answers = truth[audit.rows]  # people look at these rows
    print(certify_labels(labels, audit, answers).statement)
    print(f"The true error rate is {np.mean(labels != truth):.2%}.\n")

    report = class_report(labels, audit, answers)
    print(report)
    table = report.to_frame()
    figure, axes = plt.subplots(
        1, 2, figsize=(12, 4.2), sharey=True, layout="constrained"
    )
    for ax, score in zip(axes, ("precision", "recall"), strict=True):
        of = labels if score == "precision" else truth
        true = [np.mean((labels == truth)[of == name]) for name in table.index]
        low = table[f"{score}_lower_bound"]
        ax.barh(table.index, 1 - low, left=low, alpha=0.4, label="certified range")
        ax.plot(true, table.index, "o", color="tab:red", label="true value")
        ax.set(title=score.capitalize(), xlim=(0, 1.02))
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes[0].invert_yaxis()
    axes[0].legend(loc="lower left")
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
