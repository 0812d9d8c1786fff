"""A table of 600 rows, an audit of it, and what people answered, for commands."""

from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_pacmdl.audits import Audit
from sklearn_pacmdl.certificates import Certificate

N_ROWS = 600
CLASSES = ["007", "1e3", "True"]  # which readers of CSV files like to change
CERTIFY = "audit certify d.csv --labels auto --audit a.json --answers filled.csv"
FINISH = f"{CERTIFY} --confidence conf --target .1".replace("certify", "finish")


def finish(target):
    return FINISH.replace("--target .1", f"--target {target}")


def truth_and_data():
    rng = np.random.RandomState(0)
    truth, confidence = rng.choice(CLASSES, N_ROWS), rng.uniform(size=N_ROWS)
    right = rng.uniform(size=N_ROWS) < np.sqrt(confidence)
    columns = {
        "id": np.arange(N_ROWS) + 1000,
        "text": [f"Zoë, {i}\n" for i in range(N_ROWS)],
        "auto": np.where(right, truth, rng.choice(CLASSES, N_ROWS)),
        "conf": confidence,
    }
    return truth, pd.DataFrame(columns)


TRUTH, DATA = truth_and_data()


def read(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def fill_in(source, path=None, truth=TRUTH):
    sheet = read(source)
    sheet["label"] = truth[sheet["row"].astype(int)]
    sheet.to_csv(path or source, index=False)
    return sheet


def audit(path="a.json"):
    return Audit.from_json(Path(path).read_text(encoding="utf-8"))


def certificate(path):
    return Certificate.from_json(Path(path).read_text(encoding="utf-8"))


def outputs(name):
    """Table, worksheet and certificate, each None if it is not there."""
    tables = [Path(f"{name}{suffix}") for suffix in (".csv", "-rest.csv")]
    found = [path.read_bytes() if path.exists() else None for path in tables]
    whole = Path(f"{name}.json")
    return [*found, certificate(whole) if whole.exists() else None]


def sheets(**columns):
    """A sheet in which several people answered."""
    sheet = read("filled.csv")
    for name, change in columns.items():
        answers = sheet["label"].to_numpy(dtype=object).copy()
        for place, label in change.items():
            answers[place] = label
        sheet[name] = answers
    return sheet
