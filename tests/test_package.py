"""The package as users see it: its modules, their public names, its version."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import ldpt
from tests.conftest import PROJECT


@pytest.mark.parametrize("name", ldpt.__all__)
def test_public_modules_are_attributes_that_list_their_names(name: str) -> None:
    module = getattr(ldpt, name)
    assert isinstance(module, ModuleType)
    assert module is importlib.import_module(f"ldpt.{name}")
    assert module.__all__
    assert [entry for entry in module.__all__ if not hasattr(module, entry)] == []


def test_package_lists_its_modules_and_imports_none_before_their_use() -> None:
    program = (
        "import sys, ldpt; "
        "print(*dir(ldpt)); print(*(name for name in sys.modules if name.startswith('ldpt.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    listed, imported = done.stdout.split("\n")[:2]
    assert set(listed.split()) == {*ldpt.__all__, "open_run", "__version__"}
    assert imported == ""


def test_version_is_that_of_the_project() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert ldpt.__version__ == project["version"]


def test_other_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'luck'"):
        ldpt.luck  # noqa: B018


def test_library_and_commands_need_no_module_of_unix(tmp_path: Path) -> None:
    """As on Windows, where the workflow does not run."""
    program = """
import os, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_DIRECTORY", "geteuid", "getuid", "fork"):
    delattr(os, name)
import ldpt, ldpt.cli
for name in ldpt.__all__:
    getattr(ldpt, name)
from ldpt.util.files import staged_file
with staged_file(sys.argv[1]) as staged:
    staged.write_text("written")
words = "analyse examples/answers.csv --threshold 0.3 --epsilon 2 --delta 0.1"
sys.exit(ldpt.cli.main(words.split()))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "file")]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "file").read_text() == "written"
