"""Print the recipe of conda-forge for the source distribution in a folder.

What pyproject.toml says is read there, so that no version stands in two places.
"""

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = WHOLE["project"]
URLS = PROJECT["urls"]
INDENT = "\n    - "


def requirements(listed):
    """As conda writes them, whose names of these packages are those of PyPI."""
    return INDENT.join(re.sub(r"(?=[<>=!~])", " ", each, count=1) for each in listed)


def recipe(sdist):
    name = PROJECT["name"]
    version = sdist.name.removesuffix(".tar.gz").rpartition("-")[2]
    file = sdist.name.replace(version, "${{ version }}")
    (command, function), *_ = PROJECT["scripts"].items()
    return f"""\
schema_version: 1

context:
  version: "{version}"
  python_min: "{PROJECT["requires-python"].removeprefix(">=")}"

package:
  name: {name}
  version: ${{{{ version }}}}

source:
  url: https://pypi.org/packages/source/{name[0]}/{name}/{file}
  sha256: {hashlib.sha256(sdist.read_bytes()).hexdigest()}

build:
  number: 0
  noarch: python
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation
  python:
    entry_points:
      - {command} = {function}

requirements:
  host:
    - python ${{{{ python_min }}}}.*
    - pip
    - {requirements(WHOLE["build-system"]["requires"])}
  run:
    - python >=${{{{ python_min }}}}
    - {requirements(PROJECT["dependencies"])}

tests:
  - python:
      imports:
        - sklearn_pacmdl
        - sklearn_pacmdl.model_selection
      pip_check: true
      python_version: ${{{{ python_min }}}}.*
  - script:
      - {command} --help

about:
  summary: {json.dumps(PROJECT["description"])}
  license: {PROJECT["license"]}
  license_file: {PROJECT["license-files"][0]}
  homepage: {URLS["Source"]}
  repository: {URLS["Source"]}
  documentation: {URLS["Documentation"]}

extra:
  recipe-maintainers:
    - {URLS["Source"].split("/")[3]}
"""


if __name__ == "__main__":
    (found,) = Path(sys.argv[1]).glob("*.tar.gz")
    print(recipe(found), end="")
