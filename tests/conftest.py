import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
# Oracles lie beside the tests that use them.
sys.path.append(str(Path(__file__).parent / "bounds"))
