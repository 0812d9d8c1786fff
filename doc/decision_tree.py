"""Draws the decision tree of guide.md; conf.py does so when the site is built.

The picture is transparent, and dark pages invert it.
"""

import matplotlib.pyplot as plt

# Questions from top to bottom, and where "yes" leads to.
TREE = [
    (
        "Does every row have a label,\nby a model, an LLM or people?",
        "audit them: certify_labels,\nfinish_labels",
    ),
    (
        "Has nobody labeled\na row by hand?",
        "label a random choice:\nlabels_needed says how many",
    ),
    (
        "Were the labeled rows chosen\nother than at random?",
        "make labels from them,\nthen audit these",
    ),
    (
        "Are there clusterings already\n(topics, communities)?",
        "certify_labelings",
    ),
    (
        "May doubtful rows\nbe left out?",
        "PACMDLSearchCV\nwith target=",
    ),
]
LAST = "PACMDLSearchCV"
BOX = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "0.5"}
ANSWER = {**BOX, "edgecolor": "C0", "linewidth": 1.5}
ARROW = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}


def draw(folder):
    """Save the tree as decision-tree.svg."""
    left, right, half = 0.24, 0.78, 0.235  # centers of the columns, and half a question
    with plt.style.context(["default", {"svg.hashsalt": "tree", "font.size": 9}]):
        figure, ax = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
        center = {"ha": "center", "va": "center"}
        heights = [1 - i / len(TREE) for i in range(len(TREE) + 1)]
        for (question, answer), y, below in zip(TREE, heights, heights[1:], strict=False):
            ax.text(left, y, question, bbox=BOX, **center)
            ax.text(right, y, answer, bbox=ANSWER, **center)
            ax.annotate("", (right - 0.225, y), (left + half, y), arrowprops=ARROW)
            ax.text(left + half + 0.035, y + 0.012, "yes", ha="center", va="bottom")
            ax.annotate("", (left, below + 0.05), (left, y - 0.05), arrowprops=ARROW)
            ax.text(left + 0.015, (y + below) / 2, "no", va="center")
        ax.text(left, heights[-1], LAST, bbox=ANSWER, **center)
        ax.set(xlim=(0, 1), ylim=(heights[-1] - 0.06, 1.07))
        ax.axis("off")
        path = folder / "decision-tree.svg"
        figure.savefig(path, transparent=True, metadata={"Date": None})
        plt.close(figure)
