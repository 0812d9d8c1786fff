"""Dom's comparison of external measures, computed again.

Reproduces tables 1 to 5, figures 1 to 7 and the tests of properties P1 to P5 of B. E.
Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM Research Report
RJ 10219, 2001. Nothing is sampled: the measures are taken of expected tables, of counts
for Q0, Q1, Q2 and Hamming, and of pairs (appendix A of the report) for the other four.

    python benchmarks/paper_dom.py

writes ``measures.csv`` (a row for each case and measure), ``comparison.json`` (what the
report prints beside what is found here) and the figures as PNG and SVG. The report does
not say which n its figures 1 and 2 are for; here it is 500, as in its other figures. It
does not say either whether rank 1 is best or worst; here it is best.
"""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import tables_dom
from common import (
    clock,
    experiment_parser,
    parse_options,
    print_tables,
    save_figures,
    write_json,
)
from figures_dom import draw_comparison
from sklearn.utils.parallel import Parallel, delayed
from tables_dom import Case, joint_distribution

from sklearn_pacmdl import metrics


def family(grid):
    """Cases of section 7.2.1: there is an epsilon_2 if and only if there is noise."""
    cases = (Case(*values) for values in product(*grid.values()))
    return [case for case in cases if (case.n_noise > 0) == (case.e2 > 0)]


N = 500
GRID = {
    "n_useful": range(2, 12),
    "n_noise": range(7),
    "e1": (0.0, 0.2 / 3, 0.4 / 3, 0.2),
    "e2": (0.0, 0.1, 0.2, 0.3),
}
QUICK_GRID = GRID | {"n_noise": (0, 1, 3, 6), "e1": (0.0, 0.2), "e2": (0.0, 0.1, 0.3)}


def rand(*, contingency):
    """scikit-learn's takes labels only."""
    (neither, _), (_, both) = pairs = contingency.pair_confusion_matrix()
    return (neither + both) / pairs.sum()


def fowlkes_mallows(*, contingency):
    """scikit-learn's takes labels only."""
    (_, cluster_only), (class_only, both) = contingency.pair_confusion_matrix()
    if not both:
        return 0.0
    return np.sqrt(both / (both + class_only)) * np.sqrt(both / (both + cluster_only))


OF_PAIRS = {
    "Rand": rand,
    "Fowlkes": fowlkes_mallows,
    "Gamma": metrics.hubert_gamma_score,
    "Jaccard": metrics.pairwise_jaccard_score,
}
OF_COUNTS = {
    "Hamming": metrics.normalized_hamming_score,
    "Q0": metrics.dom_q0_loss,
    "Q1": metrics.dom_q1_score,
    "Q2": metrics.dom_q2_score,
}


class ExpectedTable(metrics.ContingencyTable):
    """Expected counts and pairs, Eqs. 25-30; the last lines of 26-28 are misprinted."""

    def __init__(self, p):
        super().__init__(N * p)
        self.p = p

    def pair_confusion_matrix(self):
        n_pairs, sums = N * (N - 1), (self.p, self.p.sum(axis=1), self.p.sum(axis=0))
        both, classes, clusters = (n_pairs * (q**2).sum() for q in sums)
        neither = n_pairs - classes - clusters + both
        pairs = np.array([[neither, clusters - both], [classes - both, both]])
        return np.maximum(pairs, 0)  # rounding can leave -1e-12


def measure(case):
    """All measures of the expected tables of N objects."""
    table = ExpectedTable(joint_distribution(*case))
    return {name: f(contingency=table) for name, f in (OF_PAIRS | OF_COUNTS).items()}


def measure_all(cases, n_jobs=1):
    """A row for each case, the parameters and the measures as columns."""
    values = Parallel(n_jobs=n_jobs)(delayed(measure)(case) for case in cases)
    return pd.concat([pd.DataFrame(cases), pd.DataFrame(values)], axis=1)


def simple_case_1():
    cases = [Case(5, 0, e1, 0.0) for e1 in np.linspace(0, 0.8, 161)]
    return measure_all(cases)


def simple_case_2():
    return measure_all([Case(k, 0, 0.0, 0.0, n_classes=6) for k in range(6, 61)])


def parse_arguments():
    quick = "a part of the cases; counts are then smaller than the printed ones"
    return parse_options(experiment_parser(__doc__, "dom", quick))


def main():
    arguments = parse_arguments()
    output = arguments.output
    cases = family(QUICK_GRID if arguments.quick else GRID)
    seconds, wide = clock(partial(measure_all, cases, arguments.n_jobs))
    simple_cases = simple_case_1(), simple_case_2()
    measured = {n: measure(case) for n, (case, _) in tables_dom.PUBLISHED_TABLES.items()}
    results = tables_dom.analyze(wide, simple_cases, measured)
    print_tables(tables_dom.printed(results))
    output.mkdir(parents=True, exist_ok=True)
    tables_dom.tidy(wide).to_csv(
        output / "measures.csv", index=False, float_format="%.12g"
    )
    save_figures(output, {"figures_3_to_7": draw_comparison(wide)})
    results["quick"] = arguments.quick
    results["seconds"] = round(seconds, 1)
    write_json(output / "comparison.json", results)


if __name__ == "__main__":
    main()
