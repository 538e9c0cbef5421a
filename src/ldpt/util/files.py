"""Atomic, durable writes, and reads of files that somebody else may have written."""

import glob
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

MAX_READ = 2 * 10**9  # bytes of a file
MAX_FILES = 20_000  # below one folder
MAX_DEPTH = 30  # of folders in folders


def read_whole(path: str | os.PathLike[str], most: int = MAX_READ) -> bytes:
    """Return the bytes of a regular file; a pipe or a device, which may never end, is refused."""
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
    symbolic link in the path unless ``links``, a device, a pipe, or more than ``most`` bytes.
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


def files_below(folder: Path) -> list[str]:
    """Return the names of all entries below a folder that are not folders, in order.

    Links to folders are not entered. ValueError beyond a number of files and a depth.
    """
    names: list[str] = []
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        if inner.count("/") > MAX_DEPTH:
            raise ValueError(f"{folder} is deeper than {MAX_DEPTH} folders")
        with os.scandir(folder / inner) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{inner}{entry.name}/")
                else:
                    names.append(f"{inner}{entry.name}")
                if len(names) + len(waiting) > MAX_FILES:
                    raise ValueError(f"{folder} has more than {MAX_FILES:,} files")
    return sorted(names)


def staged_path(path: str | Path) -> Path:
    """Return a new hidden name, in the same folder and with the same suffix, to write to first.

    It cannot be guessed: nobody can plant a link under it, and two writers do not meet.
    """
    path = Path(path)
    return path.with_name(f".{path.stem}.staged-{secrets.token_hex(8)}{path.suffix}")


def remove_staged(path: str | Path) -> None:
    """Remove what interrupted writers of a path have left under staged names."""
    path = Path(path)
    pattern = f".{glob.escape(path.stem)}.staged-{'[0-9a-f]' * 16}{glob.escape(path.suffix)}"
    for leftover in path.parent.glob(pattern):
        leftover.unlink(missing_ok=True)


@contextmanager
def staged_file(path: str | Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield a file to write to, which gets its name when the block ends without an error.

    A link is followed: the file that it names is replaced. A name that belongs to a folder or a
    device is refused, because the new file would take its place.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} exists and is not a regular file")
    staged = staged_path(path)
    os.close(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield staged
        os.replace(staged, path)
    finally:
        staged.unlink(missing_ok=True)


def write_durably(path: Path, text: str, mode: int = 0o666) -> None:
    """Write a text so that a crash leaves the old file or the new one, never a part."""
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with staged_file(path, mode) as staged:
        staged.write_text(text, encoding="utf-8")
        sync_file(staged)
    with suppress(PermissionError):  # of a folder that may be written and not read
        sync_file(path.parent)


def sync_file(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
