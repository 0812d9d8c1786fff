"""How many rows need no person if a model labels a data set: ours and PAC labels.

A model labels all rows and says how sure it is. People label a random choice of them, the
audit, then all rows below a threshold of confidence that follows from it; at most 5% of
all labels may be wrong in the end, except with probability 0.05. All methods are given
the same labels and confidences, and as many draws for the audit.

    OMP_NUM_THREADS=1 python benchmarks/compare_finished_labels.py --data FOLDER

FOLDER holds misinfo.csv and imagenet.csv with the columns y_true, y_pred and confidence,
made of the data sets of the same names at github.com/tijana-zrnic/pac-labels: headlines
labeled by a language model, and images labeled by a network. The draws are theirs too:
500, and a tenth of the rows; and ties of confidence are broken by normal noise of 1e-5.
Without FOLDER, and in the small mode, only digits are labeled, by a logistic regression
on 100 of them. Writes ``draws.csv`` (a row for each data set, draw and method),
``tables.json`` and a figure.

- exact: ``draw_audit`` and ``finish_labels``, digests and certificate included. No row is
  drawn twice.
- PAC labels: see ``rival_finished_labels.py``, with betting (the option that is valid
  for any number of draws) and with the normal distribution. Draws may repeat a row, and
  then meet fewer rows; with "as many rows" there are so many more draws that the number
  of different rows is that of the exact audit on average.
- plug-in: as many rows as leave the target share of errors, if errors among the rows that
  were not audited were as frequent as among those that were. It guarantees nothing, and
  shows what happens without a guarantee.

A row is spared if no person labels it. A violation is a data set with more errors than
the target allows. Violations of the exact rule are also counted in 100,000 draws, by the
two functions that ``finish_labels`` is made of, and compared with their probability: if
the labels have enough errors it is that of one hypergeometric event.

With ``--pools``, something else is compared, at delta 0.1, and written to ``pools.json``:
audits of all rows and of the surest ones (``surest="auto"``), for several sizes of the
audit, of digits and misinfo.

With ``--plans``, what ``plan_finish`` expects of three budgets is compared with what real
audits spare, and written to ``plans.json``: it knows the confidences alone, the accuracy
of the labels in whole percent, or a pilot of 100 rows. There, FOLDER also holds
stance.csv and imagenetv2.csv of the same source; sets that are missing are left out, and
imagenet has a quarter of the draws.
"""

import warnings
from fractions import Fraction
from functools import partial
from math import floor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import rival_finished_labels as rivals
from common import clock, experiment_parser, parse_options, save_figures, write_json
from figures_finished_labels import draw_all
from plans_finished_labels import BUDGETS, PILOT, PLAN, compare_plans
from scipy.stats import binom
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.utils.parallel import Parallel, delayed

from sklearn_pacmdl.audits import draw_audit, finish_labels
from sklearn_pacmdl.audits._finish import (
    by_confidence,
    n_accepted,
    stops_at,
)
from sklearn_pacmdl.bounds import bucket, tolerated_audit_errors

TARGET = DELTA = 0.05

# ---- Data


class Labeled(NamedTuple):
    """Labels of a model, the truth about them, and how many rows are audited."""

    truth: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    size: int

    @property
    def wrong(self):
        return self.labels != self.truth

    @property
    def n_rows(self):
        return len(self.truth)


def labeled_digits(size=250):
    """Those that a classifier did not learn from."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.RandomState(0).permutation(len(y))
    learned, others = rows[:100], rows[100:]
    model = LogisticRegression(C=0.01, max_iter=1000).fit(X[learned], y[learned])
    shares = model.predict_proba(X[others])
    labels = model.classes_[shares.argmax(axis=1)]
    return Labeled(y[others], labels, shares.max(axis=1), size)


def read_labeled(path, size=None):
    table = pd.read_csv(path)
    columns = (table[name].to_numpy() for name in ("y_true", "y_pred", "confidence"))
    return Labeled(*columns, size or len(table) // 10)


def load(folder):
    """Data sets by name."""
    data = {"digits": labeled_digits()}
    if folder is not None:
        data["misinfo"] = read_labeled(folder / "misinfo.csv", 500)
        data["imagenet"] = read_labeled(folder / "imagenet.csv")
    return data


def without_ties(data, rng):
    noise = 1e-5 * rng.normal(size=data.n_rows)
    return data._replace(confidence=data.confidence - noise)


# ---- Methods, which return the rows that are spared and those that are audited


def exact(data, seed):
    audit = draw_audit(
        data.n_rows,
        data.size,
        labels=data.labels,
        confidence=data.confidence,
        random_state=seed,
    )
    finished = finish_labels(
        data.labels,
        data.confidence,
        audit,
        data.truth[audit.rows],
        target=TARGET,
        delta=DELTA,
    )
    return finished.accepted, audit.rows


def kept(data, n_rows):
    """The surest rows."""
    mask = np.zeros(data.n_rows, dtype=bool)
    mask[by_confidence(data.confidence, np.arange(data.n_rows))[:n_rows]] = True
    return mask


def pac_labels(data, seed, certified=rivals.betting, n_draws=None):
    rng = np.random.RandomState(seed)
    draws = rng.randint(data.n_rows, size=n_draws or data.size)
    n_rows = rivals.n_kept(
        -data.confidence, draws, data.wrong[draws], TARGET, DELTA, certified
    )
    return kept(data, n_rows), draws


def pac_labels_as_many_rows(data, seed):
    n_draws = rivals.n_draws_for(data.size, data.n_rows)
    return pac_labels(data, seed, n_draws=n_draws)


def plug_in(data, seed):
    n_rows, m = data.n_rows, data.size
    rows = np.random.RandomState(seed).permutation(n_rows)[:m]
    order = by_confidence(data.confidence, np.arange(n_rows))
    stops = stops_at(order, rows, data.wrong[rows])
    tolerated = floor(TARGET * n_rows * m / (n_rows - m))
    return kept(data, n_accepted(stops, tolerated)), rows


METHODS = {
    "exact": exact,
    "PAC labels, betting": pac_labels,
    "PAC labels, betting, as many rows": pac_labels_as_many_rows,
    "PAC labels, normal": partial(pac_labels, certified=rivals.normal),
    "plug-in": plug_in,
}


def compare(name, data, draw):
    """A row for each method."""
    data = without_ties(data, np.random.RandomState(draw))
    rows = []
    for method, finish in METHODS.items():
        seconds, (accepted, audited) = clock(partial(finish, data, draw))
        spared = accepted.copy()
        spared[audited] = False
        key = {"data": name, "draw": draw, "method": method}
        values = {
            "spared": spared.mean(),
            "error": np.mean(spared & data.wrong),
            "different": len(np.unique(audited)) / data.n_rows,
        }
        rows.append(key | values | {"seconds": seconds})
    return rows


def compare_all(data, n_draws, n_jobs):
    found = Parallel(n_jobs=n_jobs)(
        delayed(compare)(name, one, draw)
        for name, one in data.items()
        for draw in range(n_draws)
    )
    return pd.DataFrame([row for of_draw in found for row in of_draw])


# ---- Violations of the exact rule


def errors_left(wrong_rows, audited, wrong, tolerated):
    """Errors that no person finds.

    `wrong_rows` are the rows of the order that are wrong: the others change nothing about
    how many errors are accepted, and would take five times as long.
    """
    stops = stops_at(wrong_rows, audited, wrong[audited])
    return n_accepted(stops, tolerated) - min(max(tolerated, 0), len(stops) - 1)


def count_violations(data, n_draws, n_orders=100):
    """In draws of the audit; ties are broken anew a hundred times."""
    rng = np.random.default_rng(0)
    n_rows, m, wrong = data.n_rows, data.size, data.wrong
    limit = floor(Fraction(str(TARGET)) * n_rows)
    tolerated = tolerated_audit_errors(m, n_rows - m, limit, DELTA)
    left = []
    for _ in range(n_orders):
        confidence = without_ties(data, rng).confidence
        order = by_confidence(confidence, np.arange(n_rows))
        wrong_rows = order[wrong[order]]
        for _ in range(n_draws // n_orders):
            audited = rng.choice(n_rows, m, replace=False, shuffle=False)
            left.append(errors_left(wrong_rows, audited, wrong, tolerated))
    violations = int(np.sum(np.array(left) > limit))
    # More than `limit` of the first errors are unaudited, in any order of the rows.
    enough = wrong.sum() >= limit + 1 + tolerated
    probability = float(bucket(m, n_rows - m, tolerated, limit + 1)) if enough else None
    return {
        "rows": n_rows,
        "audited": m,
        "model's errors": float(wrong.mean()),
        "errors tolerated in the audit": tolerated,
        "draws": len(left),
        "violations": violations,
        "probability of a violation": probability,
        "p-value of at most delta": float(binom.sf(violations - 1, len(left), DELTA)),
    }


# ---- Audits of the surest rows

POOLS = {
    "all rows": {},
    "surest rows": {"surest": "auto", "target": TARGET, "delta": 0.1},
}


def from_pools(data, size, draw, ties):
    """The share that is spared, and whether the target is missed, by pool."""
    if ties == "noise":
        noisy = without_ties(data, np.random.RandomState(draw)).confidence
        data = data._replace(confidence=noisy.clip(0, 1))
    fixed = {"labels": data.labels, "confidence": data.confidence}
    for name, plan in POOLS.items():
        audit = draw_audit(data.n_rows, size, random_state=draw, **fixed, **plan)
        answers = data.truth[audit.rows]
        finished = finish_labels(
            **fixed, audit=audit, audit_labels=answers, target=TARGET
        )
        spared = finished.accepted.copy()
        spared[audit.rows] = False
        missed = np.sum(spared & data.wrong) > TARGET * data.n_rows
        pool = len(audit.pool) / data.n_rows
        yield name, (finished.share_automatic, missed, pool)


def compare_pools(data, n_draws, ties):
    """By size of the audit: means, and standard errors of what is spared."""
    tables = {}
    for size in (100, 200, 400, 800):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # audits that are too small
            draws = [dict(from_pools(data, size, d, ties)) for d in range(n_draws)]
        found = {name: np.array([draw[name] for draw in draws]) for name in POOLS}
        tables[size] = {
            name: {
                "spared": round(float(of[:, 0].mean()), 4),
                "standard error": round(float(of[:, 0].std(ddof=1)) / n_draws**0.5, 4),
                "violations": int(of[:, 1].sum()),
                "pool": round(float(of[:, 2].mean()), 3),
            }
            for name, of in found.items()
        }
        print(ties, size, tables[size], flush=True)
    return tables


def write_pools(data, options):
    n_draws = 3 if options.quick else options.n_draws
    results = {"settings": {"target": TARGET, "delta": 0.1, "n_draws": n_draws}}
    for name in sorted(data.keys() - {"imagenet"}):  # it takes ten times as long
        one = data[name]
        for ties in ("row number", "noise"):
            print(name)
            results[f"{name}, ties by {ties}"] = compare_pools(one, n_draws, ties)
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "pools.json", results)


# ---- Plans


def write_plans(data, options):
    n_draws = 3 if options.quick else options.n_draws
    if options.data is not None:
        for name in ("stance", "imagenetv2"):
            if (path := options.data / f"{name}.csv").exists():
                data[name] = read_labeled(path)
    results = {"settings": {**PLAN, "budgets": BUDGETS, "pilot": PILOT}}
    for name in sorted(data, key=lambda name: data[name].n_rows):
        n_own = max(n_draws // 4, 3) if name == "imagenet" else n_draws
        seconds, results[name] = clock(partial(compare_plans, data[name], n_own))
        rows = {size: results[name][str(size)] for size in BUDGETS}
        for size, of in rows.items():
            print(f"\n{name}, {size} checks\n{pd.DataFrame(of).T.to_string()}")
        print(f"{seconds:.0f} s", flush=True)
    write_json(options.output / "plans.json", results)


# ---- Results


def summary(table):
    """By data and method: means over draws, and how often the target is exceeded."""
    table = table.assign(violations=table["error"] > TARGET + 1e-9)
    grouped = table.groupby(["data", "method"], sort=False)
    means = grouped[["spared", "different", "error", "seconds"]].mean()
    means.insert(1, "standard error", grouped["spared"].sem())
    means["violations"] = grouped["violations"].sum()
    return {key: one.droplevel(0) for key, one in means.groupby(level=0, sort=False)}


def parse_arguments():
    parser = experiment_parser(__doc__, "finished_labels", "digits, 20 draws")
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder of the CSV files"
    )
    parser.add_argument("--n-draws", type=int, default=200, help="(default: 200)")
    parser.add_argument("--n-counted", type=int, default=100_000,
                        help="draws in which violations are counted "
                        "(default: 100,000)")  # fmt: skip
    parser.add_argument("--pools", action="store_true",
                        help="compare audits of all and of the surest rows")  # fmt: skip
    parser.add_argument("--plans", action="store_true",
                        help="compare plans with what comes of them")  # fmt: skip
    options = parse_options(parser)
    if options.quick:
        options.data, options.n_draws, options.n_counted = None, 20, 2000
    elif options.data is None:
        print("No --data: digits only.")
    return options


def main():
    options = parse_arguments()
    data = load(options.data)
    if options.pools:
        write_pools(data, options)
        return
    if options.plans:
        write_plans(data, options)
        return
    seconds, table = clock(partial(compare_all, data, options.n_draws, options.n_jobs))
    means = summary(table)
    for name, one in means.items():
        print(f"\n{name}, means of {options.n_draws} draws\n{one.round(4).to_string()}")
    violations = {}
    for name, one in data.items():
        violations[name] = count_violations(one, options.n_counted)
        print(f"\n{name}, exact rule: {violations[name]}", flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    columns = {"seconds": table["seconds"].round(4)}
    table.assign(**columns).to_csv(
        options.output / "draws.csv", index=False, float_format="%.6g"
    )
    save_figures(options.output, draw_all(table, means, TARGET))
    results = {name: one.round(5).to_dict("index") for name, one in means.items()}
    results["violations of the exact rule"] = violations
    results["settings"] = {
        "target": TARGET,
        "delta": DELTA,
        "n_draws": options.n_draws,
    }
    results["seconds"] = round(seconds)
    write_json(options.output / "tables.json", results)


if __name__ == "__main__":
    main()
