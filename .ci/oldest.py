"""Print the oldest versions that pyproject.toml allows, as constraints of pip."""

import tomllib
from pathlib import Path

path = Path(__file__).parents[1] / "pyproject.toml"
project = tomllib.loads(path.read_text())["project"]
extras = project["optional-dependencies"]
wanted = [*extras["engines"], *extras["plot"], *extras["progress"], *extras["report"]]
for requirement in [*project["dependencies"], *wanted]:
    if not requirement.startswith("sklearn-pacmdl"):
        print(requirement.replace(">=", "=="))
# What matplotlib 3.9 itself uses is deprecated from 3.3 on, and warnings are errors.
print("pyparsing<3.3")
