"""Files are whole at any moment: after errors, kills, and beside other writers."""

import os
import stat
import subprocess
import sys
from contextlib import contextmanager

import pytest

from sklearn_pacmdl.reports import Report
from sklearn_pacmdl.utils._writing import write_files, write_text

resource = pytest.importorskip("resource")

# Forks processes that write pairs of files until they are killed, and says of each kill
# whether the files are whole, and whether they belong together.
KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from sklearn_pacmdl.utils import _writing

table, certificate = Path("f.csv"), Path("f.json")
contents = [str(version) * 300_000 for version in range(9)]


def in_place(files):
    for path, write in files.items():
        with open(path, "w") as file:
            write(file)


def write_forever(write_files):
    while True:
        for content in contents:
            both = dict.fromkeys([table, certificate], lambda file: file.write(content))
            write_files(both)


write_files = in_place if sys.argv[1] == "in place" else _writing.write_files
random.seed(0)
for _ in range(60):
    child = os.fork()
    if not child:
        write_forever(write_files)
    time.sleep(random.uniform(0.002, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    left = [path.read_text() for path in (table, certificate) if path.exists()]
    whole = all(content in contents for content in left)
    print("broken" if not whole else "alone" if len(set(left)) < 2 else "apart")
"""


def outcomes_of_kills(folder, how):
    command = [sys.executable, "-c", KILLS, how]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_files_are_whole_and_belong_together_whenever_the_process_is_killed(tmp_path):
    outcomes = outcomes_of_kills(tmp_path, "by name")
    assert len(outcomes) == 60
    assert set(outcomes) == {"alone"}
    left = [path.name for path in tmp_path.iterdir() if path.suffix != ".tmp"]
    assert set(left) <= {"f.csv", "f.json"}


def test_files_that_are_written_in_place_are_not(tmp_path):
    """The control: the kills come at moments that matter."""
    assert {"broken", "apart"} & set(outcomes_of_kills(tmp_path, "in place"))


WRITERS = """
import os, sys
from pathlib import Path
from sklearn_pacmdl.utils._writing import write_files

for version in range(100):
    content = f"{sys.argv[1]} {version}"
    both = dict.fromkeys(map(Path, ["f.csv", "f.json"]), lambda file: file.write(content))
    write_files(both)
"""


def test_writers_at_the_same_time_leave_one_of_their_pairs(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITERS, name], cwd=tmp_path)
        for name in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    table, certificate = (tmp_path / name for name in ("f.csv", "f.json"))
    assert table.read_text() == certificate.read_text()
    assert len(list(tmp_path.iterdir())) == 2


@contextmanager
def small_disk():
    """No file may become larger than 1,000 bytes, as on a full disk.

    Not for longer than a call, since the output of pytest may go to a file as well.
    """
    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_all_files_as_they_were(tmp_path):
    table, certificate = tmp_path / "f.csv", tmp_path / "f.json"
    for path in (table, certificate):
        write_text(path, "before")
    sizes = {table: 500, certificate: 5000}
    files = {p: lambda file, n=n: file.write("x" * n) for p, n in sizes.items()}
    with small_disk(), pytest.raises(OSError, match="File too large: .*f.json'"):
        write_files(files)
    assert table.read_text() == certificate.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_report_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("before")
    with small_disk(), pytest.raises(OSError, match=r"File too large: .*report.html'"):
        Report("Topics", "<p>Topics</p>" * 100).save(path)
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_table_that_cannot_be_replaced_keeps_its_certificate(tmp_path, monkeypatch):
    """As on systems that refuse to replace what another program has open."""
    table, certificate = tmp_path / "f.csv", tmp_path / "f.json"
    for path in (table, certificate):
        path.write_text("before")
    replace = os.replace

    def refuse(source, target):
        if os.fspath(target) == os.fspath(table):
            raise PermissionError(13, "Permission denied", source, None, target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError, match=r"denied: '[^']*f\.csv'$"):
        write_files(dict.fromkeys([table, certificate], lambda file: file.write("after")))
    assert table.read_text() == certificate.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_permissions_and_links_stay(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to("target.csv")
    write_text(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    write_text(os.devnull, "nowhere")
    assert not os.path.isfile(os.devnull)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"directory: '[^']*none/f\.csv'$"):
        write_text(tmp_path / "none" / "f.csv", "text")
    with pytest.raises(IsADirectoryError, match=r"directory: '[^']*'$"):
        write_text(tmp_path, "text")
