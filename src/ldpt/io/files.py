"""Files that are either whole and on disk, or not there: for records of runs and saved studies."""

import os
from pathlib import Path


def staged_path(path: str | Path) -> Path:
    """The hidden name, in the same folder and with the same suffix, that is written to first."""
    path = Path(path)
    return path.with_name(f".{path.stem}.staged{path.suffix}")


def write_durably(path: Path, text: str) -> None:
    """Write a text so that a crash leaves the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = staged_path(path)
    try:
        staged.write_text(text, encoding="utf-8")
        sync_file(staged)
        publish_file(staged, path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise


def publish_file(staged: Path, path: Path) -> None:
    """Give a staged file its name, for good."""
    os.replace(staged, path)
    sync_file(path.parent)


def sync_file(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
