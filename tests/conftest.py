"""Fixtures that many tests share: the instances of the study, and copies of the project to run."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from ldpt.config import experiment as config
from ldpt.instances import Instance

MadeOnce = Callable[[str, Callable[[], Path]], Path]
PROJECT = Path(__file__).resolve().parents[1]
ODD_NAME = 'it\'s "100 %" $(touch x) [a]* ?\n; `touch x` ☃'  # a folder may have any without braces

# Long files first, so that no worker is left with one. The first makes the smoke run. Those that
# read it come last here: until then another worker has work for which it need not wait.
LONG_FILES = [
    "workflow/test_tamper.py",
    "workflow/test_determinism.py",
    "workflow/test_extension.py",
    "workflow/test_code_is_input.py",
    "rare_events/test_rare.py",
    "engines/test_memory.py",
    "workflow/test_crash.py",
    "workflow/test_entrances.py",
    "browser/test_explorer.py",
    "plots/test_any_config.py",
    "engines/test_tapes.py",
    "provenance/test_audit.py",
    "provenance/test_hostile.py",
    "test_manual.py",
    "test_bounds.py",
    "interface/test_laws.py",
    "browser/test_snakemake_report.py",
    "workflow/test_figure_rules.py",
    "workflow/test_report.py",
]

# Every run of the tests draws the same examples, and none fails because the machine is busy.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files as ``LONG_FILES`` has them, and all others behind."""
    place = {PROJECT / "tests" / name: number for number, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line which tests need a browser that is not installed."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        terminalreporter.write_line(
            "no browser tests: install chromium and chromium-driver "
            "(apt-get install chromium chromium-driver)"
        )


@pytest.fixture(scope="session")
def instances() -> dict[str, Instance]:
    """The instances of the paper-scale config by name."""
    return config.build_experiment(config.load()).instances


@pytest.fixture(scope="session")
def counterexample(instances: dict[str, Instance]) -> Instance:
    return instances["counterexample"]


@pytest.fixture(scope="session")
def copy_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a folder with the project's files, as a fresh clone would be, and compiled engines.

    The cache of compiled code is stamped with a digest of the sources, so that an edit in the copy
    compiles them again.
    """

    def copy(name: str) -> Path:
        destination = tmp_path_factory.mktemp(name) / "ldpt"
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listing, cwd=PROJECT, capture_output=True, check=True).stdout
        for file in filter(None, files.decode().split("\0")):
            if (PROJECT / file).is_file():
                (destination / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(PROJECT / file, destination / file, follow_symlinks=False)
        for file in (PROJECT / "src").rglob("*.nb[ci]"):
            kept = destination / file.relative_to(PROJECT)
            kept.parent.mkdir(exist_ok=True)
            shutil.copy2(file, kept)
        return destination

    return copy


def snakemake(folder: Path, *arguments: str, cores: int = 2) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a copy of the project."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)


def environment() -> dict[str, str]:
    """Return the environment of a run: this Python's commands and our messages."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SNAKEMAKE_PROFILE": str(PROJECT / "profiles" / "terminal"),
    }


def small_project(place: Path) -> Path:
    """Make a folder with the small project, our script for the manifest and our profile."""
    folder = place / "project"
    shutil.copytree(PROJECT / "tests" / "small_project", folder)
    (folder / "scripts").mkdir()
    for script in folder.glob("*.py"):
        script.rename(folder / "scripts" / script.name)
    shutil.copy(PROJECT / "scripts" / "manifest.py", folder / "scripts")
    shutil.copytree(PROJECT / "profiles" / "default", folder / "profiles" / "default")
    return folder


@contextmanager
def one_at_a_time(file: Path) -> Iterator[None]:
    """Let one process in at a time; the others wait."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def made_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, Callable[[], Path]], Path]:
    """Makes a folder that serves all processes of a parallel test run; the first makes it."""
    common = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent

    def made(name: str, make: Callable[[], Path]) -> Path:
        with one_at_a_time(common / f"{name}.lock"):
            place = common / f"{name}.txt"
            if not place.is_file():
                place.write_text(str(make()))
        return Path(place.read_text())

    return made


@pytest.fixture(scope="session")
def smoke(copy_project: Callable[[str], Path], made_once: MadeOnce) -> Path:
    """A copy of the project in which the smoke config has run, from a clean results folder."""

    def make() -> Path:
        folder = copy_project("smoke")
        done = snakemake(folder, "--configfile", "config/smoke.yaml")
        assert done.returncode == 0, done.stderr[-4000:]
        return folder

    return made_once("smoke", make)


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory, made_once: MadeOnce) -> Path:
    """The small project after its run, in a folder with an odd name; products are in ``out``."""

    def make() -> Path:
        folder = small_project(tmp_path_factory.mktemp("small") / ODD_NAME)
        done = snakemake(folder)
        assert done.returncode == 0, done.stderr[-4000:]
        return folder

    return made_once("small", make)


@pytest.fixture
def small_root(small_run: Path, tmp_path: Path) -> Path:
    """The products in a copy of the small project, to damage."""
    shutil.copytree(small_run, tmp_path / "project", ignore=shutil.ignore_patterns(".snakemake"))
    return tmp_path / "project" / "out"
