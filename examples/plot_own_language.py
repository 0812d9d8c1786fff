"""
Define your own weights: fewer bits for what you expect
=======================================================

With ``certify="pac-mdl"`` all labels choose and certify, so choosing a candidate costs
bits: minus the base-2 logarithm of a weight that it had before any label was seen. If
you expect about ten clusters, say so beforehand by your own weights. Candidates near ten
then cost less and have smaller bounds, and candidates far from ten cost more. The
guarantee is the same, even if your expectation was wrong. By default, part of the labels
weighs the candidates, and your own weights change little.

Of 1,797 handwritten digits 150 are labeled, and Ward's linkage clusters them. On the left
are the costs of each number of clusters, in bits, and on the right the bounds. You can
define more than the weights of candidates: the page on extending the package defines a
whole language.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.languages import Prior

NUMBERS = range(2, 41)


def about(expected):
    """Weights that halve with every three clusters more or less, and sum to 1."""
    weights = {k: 2.0 ** (-abs(k - expected) / 3) for k in NUMBERS}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


LANGUAGES = {
    "the paper's weights": Prior(n_clusters="paper"),
    "about ten clusters": Prior(n_clusters=about(10)),
    "about thirty clusters": Prior(n_clusters=about(30)),
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("own_language.png"))
    parser.add_argument("--quick", action="store_true", help="600 digits")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    X, truth = load_digits(return_X_y=True)
    if arguments.quick:
        X, truth = X[:600], truth[:600]
    labeled = np.random.RandomState(0).permutation(len(truth)) < 150
    y = np.where(labeled, truth, -1)

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
    for name, language in LANGUAGES.items():
        search = PACMDLSearchCV(
            AgglomerativeClustering(),
            n_clusters=NUMBERS,
            certify="pac-mdl",
            language=language,
            random_state=0,
        ).fit(X, y)
        results = search.cv_results_
        bits = [terms["n_clusters"] for terms in results["bits"]]
        bounds = results["mean_test_bound"]
        axes[0].plot(NUMBERS, bits, label=name)
        (line,) = axes[1].plot(NUMBERS, bounds, label=name)
        best = search.best_index_
        axes[1].plot(NUMBERS[best], bounds[best], "*", markersize=15,
                     color=line.get_color())  # fmt: skip
        print(f"{name:<22} {NUMBERS[best]} clusters: {search.best_bound_:.2%}")
    axes[0].set(title="Cost of the number of clusters", ylabel="Bits")
    axes[1].set(title="Bound on the error rate, and the choice", ylim=(0, 1))
    axes[1].yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    for ax in axes:
        ax.set_xlabel("Number of clusters")
        ax.legend()
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
