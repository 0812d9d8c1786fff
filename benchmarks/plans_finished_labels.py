"""Whether plans of finished data sets come true: planned and measured shares of rows."""

import warnings
from functools import cache, partial

import numpy as np
import pandas as pd
from scipy.stats import sem

from sklearn_pacmdl.audits import draw_audit, finish_labels, plan_finish

PLAN = {"target": 0.05, "delta": 0.1}
BUDGET, BUDGETS = 400, (100, 400, 800)  # lines of the plan for the first one
PILOT = 100
COLUMNS = ["checks", "known", "planned", "surest", "spared", "violations"]


def finish(data, size, surest, *, seed, exclude=None):
    """The share of the rows that is spared, and whether the target is missed."""
    fixed = {"labels": data.labels, "confidence": data.confidence}
    more = {"surest": surest, "exclude": exclude, "random_state": seed}
    audit = draw_audit(data.n_rows, size, **fixed, **more, **PLAN)
    answers = data.truth[audit.rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # audits that are too small
        finished = finish_labels(**fixed, audit=audit, audit_labels=answers, **PLAN)
    spared = finished.accepted.copy()
    spared[audit.rows] = False
    most = PLAN["target"] * len(audit.not_excluded)
    return finished.share_automatic, np.sum(spared & data.wrong) > most


def draws_of(data, n_draws):
    """A row for each draw, budget and what is known; a further one is not planned."""
    codes = np.unique([data.truth, data.labels], return_inverse=True)[1]
    truth, labels = codes.reshape(2, -1)  # which are fingerprinted sooner than texts
    data = data._replace(truth=truth, labels=labels)
    # What somebody may know of a model: its accuracy in whole percent.
    accuracy = round(1 - float(data.wrong.mean()), 2)

    guess = {"expected_accuracy": accuracy}
    plans = {
        "confidences": plan_finish(data.confidence, BUDGET, **PLAN).columns,
        "accuracy": plan_finish(data.confidence, BUDGET, **PLAN, **guess).columns,
    }
    for draw in range(n_draws):
        pilot = draw_audit(data.n_rows, PILOT, labels=data.labels, random_state=draw)
        answers = data.truth[pilot.rows]
        of_pilot = {"pilot": pilot, "labels": data.labels, "audit_labels": answers}
        plans["pilot"] = plan_finish(data.confidence, BUDGET, **PLAN, **of_pilot).columns
        measured = cache(partial(finish, data, seed=10_000 + draw))
        for size in BUDGETS:
            for known, table in plans.items():
                (at,) = np.flatnonzero(table["n_audited"] == size)
                surest = float(table["surest"][at])
                exclude = pilot if known == "pilot" else None
                planned = float(table["share_automatic"][at])
                spared = measured(size, surest, exclude=exclude)
                yield size, known, planned, surest, *spared
            yield size, "all rows", np.nan, 1.0, *measured(size, 1.0)


def compare_plans(data, n_draws):
    """By budget and what is known: what was planned, and what came."""
    table = pd.DataFrame(draws_of(data, n_draws), columns=COLUMNS)
    found = {"rows": data.n_rows, "model's errors": round(float(data.wrong.mean()), 4)}
    found["draws"] = n_draws
    for (size, known), of in table.groupby(["checks", "known"], sort=False):
        planned, spared = of["planned"], of["spared"]
        row = {
            "planned": planned.mean(),
            "deviation of plans": planned.std(ddof=0),
            "spared": spared.mean(),
            "standard error": sem(spared),
            "surest": of["surest"].mean(),
        }
        row = {name: round(float(value), 4) for name, value in row.items()}
        row["violations"] = int(of["violations"].sum())
        found.setdefault(str(size), {})[known] = row
    return found
