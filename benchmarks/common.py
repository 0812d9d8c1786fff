"""What every benchmark writes beside its figures: where and when they were measured."""

import json
import os
import platform
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path


def environment(packages=("sklearn-pacmdl", "numpy", "scipy", "scikit-learn")):
    return {
        "date": date.today().isoformat(),
        "command": " ".join(["python", *sys.argv]),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": os.environ.get("OMP_NUM_THREADS", "not pinned"),
    }


def write_json(path, results):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results | {"environment": environment()}, indent=1) + "\n")
    print(f"\nWritten: {path}")
