"""Files that are either whole and on disk, or not there: for records of runs and saved studies."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

MAX_READ = 10**9  # bytes of a file that is read as a whole

_unfinished: set[Path] = set()  # what must go if the process ends now


def read_whole(path: str | os.PathLike[str], most: int = MAX_READ) -> bytes:
    """The bytes of a regular file; a pipe or a device, which may never end, is refused."""
    path = Path(path)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "not a regular file"
        raise ValueError(f"{str(path)!r} is {what}")
    if path.is_file() and path.stat().st_size > most:
        raise ValueError(f"{str(path)!r} has more than {most:,} bytes")
    return path.read_bytes()


def file_within(root: Path, name: str, most: int = MAX_READ, links: bool = False) -> Path:
    """Return the path of a regular file below a folder that somebody else may have written.

    FileNotFoundError if there is none; ValueError for a name that leads out of the folder, a
    symbolic link on the way unless ``links``, a device, a pipe, or more than ``most`` bytes.
    """
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise ValueError("the name leads out of the folder")
    path = root
    for part in parts:
        path = path / part
        status = path.lstat()
        if links:
            status = path.stat()
        elif stat.S_ISLNK(status.st_mode):
            raise ValueError("a symbolic link is not followed")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("not a regular file")
    if status.st_size > most:
        raise ValueError(f"larger than {most:,} bytes")
    return path


def staged_path(path: str | Path) -> Path:
    """The hidden name, in the same folder and with the same suffix, that is written to first."""
    path = Path(path)
    return path.with_name(f".{path.stem}.staged{path.suffix}")


@contextmanager
def staged_file(path: str | Path) -> Iterator[Path]:
    """A file to write to, which gets its name when the block ends without an error.

    A name that belongs to a folder or a device is refused: the new file would take its place.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} exists and is not a regular file")
    with unfinished(staged_path(path)) as staged:
        yield staged
        os.replace(staged, path)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Remove a file or folder at the end of the block, or when Ctrl-C ends the process before."""
    _unfinished.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _unfinished.discard(path)


def remove_unfinished() -> None:
    """Remove every file and folder that is being worked on, in any thread."""
    for path in tuple(_unfinished):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_durably(path: Path, text: str) -> None:
    """Write a text so that a crash leaves the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with staged_file(path) as staged:
        staged.write_text(text, encoding="utf-8")
        sync_file(staged)
    sync_file(path.parent)


def publish_file(staged: Path, path: Path) -> None:
    """Give a staged file its final name."""
    os.replace(staged, path)
    sync_file(path.parent)


def sync_file(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
