"""Writing files that are whole at any moment, even if the process is killed."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

try:
    import fcntl
except ImportError:  # Windows, where writers at the same time are not kept apart
    fcntl = None  # type: ignore[assignment]  # where a module is expected

Write = Callable[[TextIO], Any]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, or leave what was there."""
    write_files({Path(path): lambda file: file.write(text)})


def write_files(
    files: Mapping[Path, Write], check: Callable[[], Any] = lambda: None
) -> None:
    """Write text files of one folder, all or none; the last one is about the others.

    So the last one is away while others are replaced.

    ``check`` raises an error if the files must not be replaced; it is called when all are
    written, and while no other process replaces files in the folder.
    """
    # Every file is written under a temporary name beside it and then takes its place.
    temporary: dict[Path, Path] = {}
    try:
        for path, write in files.items():
            with _errors_name(path):
                if path.exists() and not path.is_file():  # such as /dev/stdout
                    with open(path, "w", encoding="utf-8", newline="") as file:
                        write(file)
                    continue
                target = Path(os.path.realpath(path))  # a link stays a link
                temporary[target] = _beside(target)
                _write_new(temporary[target], target, write)
        if temporary:
            with _alone_in(list(temporary)[-1].parent):
                check()
                _replace(temporary)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """A name that no program takes for data, should the process be killed."""
    return path.with_name(f".pacmdl-{secrets.token_hex(8)}.tmp")


def _write_new(path: Path, target: Path, write: Write) -> None:
    """Write a file to the disk, with the permissions of the one that it replaces."""
    with open(path, "x", encoding="utf-8", newline="") as file:
        with suppress(FileNotFoundError):
            os.chmod(path, stat.S_IMODE(target.stat().st_mode))
        write(file)
        file.flush()
        os.fsync(file.fileno())


def _replace(temporary: Mapping[Path, Path]) -> None:
    # The last one, such as the certificate of a table, is removed before the others are
    # replaced and written after them: it is never beside files of another run.
    *earlier, last = temporary
    aside = _beside(last)
    try:
        if earlier:
            with suppress(FileNotFoundError), _errors_name(last):
                os.replace(last, aside)
        for path, new in temporary.items():
            with _errors_name(path):
                os.replace(new, path)
    finally:
        # Some systems refuse to replace a file that another program has open.
        if all(new.exists() for new in temporary.values()):
            with suppress(FileNotFoundError):
                os.replace(aside, last)
        aside.unlink(missing_ok=True)


@contextmanager
def _errors_name(path: Path) -> Iterator[None]:
    """Let errors name the file instead of its temporary one, or none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let one process at a time replace files in a folder; its end ends the lock."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        with suppress(OSError):
            os.fsync(descriptor)  # so that the new names survive a loss of power
    finally:
        os.close(descriptor)
