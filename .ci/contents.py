"""Check contents and metadata of a wheel and a source distribution, both in a folder."""

import email
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LARGEST = 1_500_000  # bytes
IN_SDIST = [
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("doc/conf.py", "doc/guide.md", "examples", "pyproject.toml", "tests/conftest.py"),
]
NOT_IN_SDIST = ["benchmarks/results", "doc/_build", "doc/gallery", ".venv"]
RELATIVE = re.compile(r"\]\((?!https?:|#)[^)]+\)")  # links that an index cannot follow
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]


def files_of_package():
    """What of the package must be in a wheel: all that is no leftover of Python."""
    for path in (ROOT / "sklearn_pacmdl").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT).as_posix()


def faults(folder):
    """What is wrong with the only wheel and the only source distribution of a folder."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    for path in (wheel, sdist):
        if (size := path.stat().st_size) > LARGEST:
            yield f"{path.name} has {size:,} bytes, more than {LARGEST:,}."

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(metadata))
    info = f"sklearn_pacmdl-{metadata['Version']}.dist-info/"
    own = {name for name in names if not name.startswith(info)}
    for name in sorted(own ^ set(files_of_package())):
        yield f"{name} is {'' if name in own else 'not '}in the wheel."
    if info + "licenses/LICENSE" not in names:
        yield "The license is not in the wheel."

    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    for wanted in [*IN_SDIST, *files_of_package()]:
        if not any(name == wanted or name.startswith(f"{wanted}/") for name in names):
            yield f"{wanted} is not in the source distribution."
    for unwanted in NOT_IN_SDIST:
        if any(name == unwanted or name.startswith(f"{unwanted}/") for name in names):
            yield f"{unwanted} is in the source distribution."

    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    for tool in metadata.get_all("Requires-Dist"):
        tool, _, extra = tool.partition(";")
        if "lint" in extra and "==" in tool and tool.strip() not in hooks:
            yield f"{tool} of the extra lint is not the version of the hooks."

    readme = metadata.get_payload()
    for link in RELATIVE.findall(readme):
        yield f"The link {link} of the README leads nowhere on an index."
    if f"{URLS['Source']}/blob/v{metadata['Version']}/doc/guide.md" not in readme:
        yield "Links of the README do not lead to the files of this version."
    # A version that was not released has a "dev" part.
    if "dev" not in metadata["Version"] and any("OWNER" in url for url in URLS.values()):
        yield "The address of the project is not known: replace OWNER in pyproject.toml."


if __name__ == "__main__":
    sys.exit("\n".join(faults(Path(sys.argv[1]))) or None)
