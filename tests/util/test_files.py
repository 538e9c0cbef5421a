"""A file is whole or not there."""

import os
from pathlib import Path

import pytest

from ldpt.util import files
from ldpt.util.files import files_below, read_whole, staged_path, write_durably


def test_write_durably_writes_the_whole_text_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "new" / "study.json"
    write_durably(path, "one ε\n")
    write_durably(path, "two ε\n")
    assert path.read_text(encoding="utf-8") == "two ε\n"
    assert os.listdir(path.parent) == ["study.json"]


@pytest.mark.parametrize("fails", ["os.fsync", "os.replace"])
def test_write_durably_that_fails_leaves_the_old_text_and_nothing_else(
    tmp_path, monkeypatch, fails
):
    path = tmp_path / "study.json"
    write_durably(path, "old")

    def full_disk(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(f"ldpt.util.files.{fails}", full_disk)
    with pytest.raises(OSError, match="no space left"):
        write_durably(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["study.json"]


def test_staged_path_is_hidden_new_and_keeps_folder_and_suffix() -> None:
    path = staged_path("a/b.c.png")
    assert path.parent == Path("a")
    assert path.name.startswith(".b.c.staged-")
    assert path.suffix == ".png"
    assert path != staged_path("a/b.c.png")


def test_staged_file_does_not_follow_a_planted_link(tmp_path, monkeypatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("old")
    (tmp_path / ".x.staged-00.txt").symlink_to(victim)
    monkeypatch.setattr("ldpt.util.files.secrets.token_hex", lambda _: "00")
    with pytest.raises(FileExistsError):
        write_durably(tmp_path / "x.txt", "new")
    assert victim.read_text() == "old"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_staged_file_does_not_take_the_place_of_a_device_or_a_folder(tmp_path, make) -> None:
    """Renaming onto a device would replace it by a file."""
    path = tmp_path / "x"
    make(path)
    before = path.stat().st_mode
    with pytest.raises(ValueError, match=r"x exists and is not a regular file"):
        write_durably(path, "text")
    assert path.stat().st_mode == before
    assert os.listdir(tmp_path) == ["x"]


def test_read_whole_refuses_what_may_never_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, complaint in ((pipe, "not a regular file"), (tmp_path, "is a folder")):
        with pytest.raises(ValueError, match=complaint):
            read_whole(path)
    with pytest.raises(ValueError, match="not a regular file"):
        read_whole("/dev/zero")
    (tmp_path / "long").write_text("four")
    with pytest.raises(ValueError, match="has more than 3 bytes"):
        read_whole(tmp_path / "long", most=3)
    assert read_whole(tmp_path / "long") == b"four"


def test_a_link_is_followed_when_its_file_is_replaced(tmp_path: Path) -> None:
    """A study on another disk stays there."""
    (tmp_path / "disk").mkdir()
    target, link = tmp_path / "disk" / "study.json", tmp_path / "study.json"
    target.write_text("old")
    link.symlink_to(target)
    write_durably(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path / "disk") == ["study.json"]


def test_files_below_lists_all_but_folders_and_enters_no_link(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert files_below(tmp_path) == ["a/b/c.txt", "loop", "pipe"]


def test_files_below_stops_at_a_depth_and_at_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 3)
    for name in "abcd":
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match="has more than 3 files"):
        files_below(tmp_path)
    deep = tmp_path / "deep"
    (deep / "/".join("x" * 40)).mkdir(parents=True)
    with pytest.raises(ValueError, match="is deeper than 30 folders"):
        files_below(deep)
