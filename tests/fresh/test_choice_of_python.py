"""`tools/environment` chooses a Python, on PATHs with programs that only report their version."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT

# Answers what the script asks a Python for; the environment itself is not built (status 9).
PYTHON = """#!/bin/sh
case "$2" in
    *version_info*) echo {minor} ;;
    *ensurepip*) exit {no_venv} ;;
    *get_path*) echo /nowhere ;;
    *CC*) echo cc ;;
    *) [ "$1" = --version ] && echo "Python 3.{minor}.0 as $0" || exit 9 ;;
esac
"""
UV = """#!/bin/sh
echo "$UV_PYTHON_DOWNLOADS $*" >> {folder}/uv.log
case "$2" in
    install) exit {status} ;;
    find) echo {folder}/fetched ;;
esac
"""
TOOLS = ("sh", "mktemp", "rm", "mkdir", "ln", "readlink", "cksum", "cut", "awk", "grep", "cat")
REASON = "for which Snakemake needs a C compiler and Python's headers"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def add(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def add_pythons(folder: Path, **minors: int) -> None:
    for name, minor in minors.items():
        add(folder, name.replace("_", "."), PYTHON.format(minor=minor, no_venv=0))


@pytest.fixture
def run(programs: Path, tmp_path: Path) -> Run:
    """Starts the script in an empty folder, on that PATH."""

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        place = tmp_path / "project"
        place.mkdir()
        variables = {"PATH": str(programs), "HOME": str(place), "UV_PYTHON_DOWNLOADS": "never"}
        script = str(PROJECT / "tools" / "environment")
        return subprocess.run(
            [script, *arguments], cwd=place, env=variables, capture_output=True, text=True
        )

    return start


@pytest.mark.parametrize(
    ("pythons", "choice"),
    [
        ({"python3": 11}, "python3"),
        ({"python3": 13, "python3_12": 12}, "python3"),
        ({"python3": 14, "python3_11": 11, "python3_13": 13}, "python3.13"),
        ({"python3": 10, "python3_12": 12}, "python3.12"),
    ],
)
def test_python_with_wheels_comes_first(
    programs: Path, run: Run, pythons: dict[str, int], choice: str
) -> None:
    add_pythons(programs, **pythons)
    add(programs, "cc", "#!/bin/sh\nexit 0\n")
    assert run().stdout.endswith(f"as {programs / choice}\n")


def test_compiler_comes_second(programs: Path, run: Run) -> None:
    add_pythons(programs, python3=14)
    add(programs, "cc", "#!/bin/sh\nexit 0\n")
    add(programs, "uv", UV.format(folder=programs, status=0))
    assert run().stdout.endswith(f"as {programs / 'python3'}\n")
    assert not (programs / "uv.log").exists()


def test_download_comes_last_and_is_announced_in_one_line(programs: Path, run: Run) -> None:
    add_pythons(programs, python3=14, fetched=13)
    add(programs, "cc", "#!/bin/sh\nexit 1\n")
    add(programs, "uv", UV.format(folder=programs, status=0))
    done = run()
    assert done.stdout.endswith(f"as {programs / 'fetched'}\n")
    (line,) = done.stderr.splitlines()
    assert REASON in line
    assert line.endswith("uv downloads Python 3.13 instead")
    assert (programs / "uv.log").read_text().startswith("automatic python install")


def test_named_python_is_the_only_one_and_nothing_is_downloaded(programs: Path, run: Run) -> None:
    add_pythons(programs, python3=13, python3_14=14)
    add(programs, "cc", "#!/bin/sh\nexit 1\n")
    add(programs, "uv", UV.format(folder=programs, status=0))
    done = run("python3.14")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ldpt needs Python 3.11 to 3.14; python3.14 is 3.14, {REASON}")
    assert not (programs / "uv.log").exists()


def test_failed_download_ends_with_the_packages_to_install(programs: Path, run: Run) -> None:
    add_pythons(programs, python3=14)
    add(programs, "cc", "#!/bin/sh\nexit 1\n")
    add(programs, "uv", UV.format(folder=programs, status=1))
    done = run()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("(Debian: apt install gcc python3-dev)")


@pytest.mark.parametrize(
    ("pythons", "no_venv", "message"),
    [
        ({}, 0, "there is no Python (Debian: apt install python3-venv)"),
        ({"python3": 10}, 0, "python3 is 3.10"),
        ({"python3": 13}, 1, "python3 has no venv (Debian: apt install python3-venv)"),
    ],
)
def test_what_is_missing_is_one_line(
    programs: Path, run: Run, pythons: dict[str, int], no_venv: int, message: str
) -> None:
    for name, minor in pythons.items():
        add(programs, name, PYTHON.format(minor=minor, no_venv=no_venv))
    done = run()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"ldpt needs Python 3.11 to 3.14; {message}\n"
