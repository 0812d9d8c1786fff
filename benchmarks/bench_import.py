"""Time of imports, side by side with scikit-learn's.

Every run is a new interpreter, and times the statement alone. Ours and theirs take turns,
so that a ratio compares two runs that follow each other; a first pair writes bytecode and
warms the disk's cache, and does not count. ``python -X importtime`` tells what makes a
statement slow.
"""

import argparse
import os
import statistics
import subprocess
import sys

from common import write_json

# What a shell waits for before it shows the options of a command.
HELP = """\
from contextlib import redirect_stdout, suppress
from io import StringIO
from sklearn_pacmdl.__main__ import main
with suppress(SystemExit), redirect_stdout(StringIO()): main(["audit", "draw", "--help"])
"""
# Ours, theirs.
PAIRS = [
    (HELP, "import sklearn"),
    ("import sklearn_pacmdl", "import sklearn"),
    (
        "from sklearn_pacmdl import PACMDLSearchCV",
        "from sklearn.model_selection import GridSearchCV",
    ),
]
# Installed packages have their bytecode beside them.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
TIMED = "import time; start = time.perf_counter()\n{}\nprint(time.perf_counter() - start)"


def seconds(statement):
    command = [sys.executable, "-c", TIMED.format(statement)]
    run = subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    return float(run.stdout)


def compare(ours, theirs, repeats):
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats + 1)][1:]
    ratios = [mine / other for mine, other in pairs]
    mine, other = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
    return {
        "ours": ours,
        "theirs": theirs,
        "ours_ms": round(mine),
        "theirs_ms": round(other),
        "ratio_min": round(min(ratios), 3),
        "ratio_median": round(statistics.median(ratios), 3),
        "ratio_max": round(max(ratios), 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repeats")
    parser.add_argument("--output", default="benchmarks/results/import.json")
    arguments = parser.parse_args()
    repeats = 3 if arguments.quick else 15
    rows = [compare(ours, theirs, repeats) for ours, theirs in PAIRS]
    for row in rows:
        print(row)
    write_json(arguments.output, {"repeats": repeats, "pairs": rows})


if __name__ == "__main__":
    main()
