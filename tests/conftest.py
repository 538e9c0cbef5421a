"""Fixtures that many tests share: the instances of the study, and copies of the project to run."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from ldpt import config
from ldpt.instances import Instance
from tests import preloaded

MadeOnce = Callable[[str, Callable[[], Path]], Path]
PROJECT = Path(__file__).resolve().parents[1]
LONGEST = ["test_crash.py", "test_determinism.py", "test_code_is_input.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take minutes come first, then all other tests that stay together.

    What is left for the end keeps all processes busy.
    """
    items.sort(key=lambda item: _place(item.path.name, together(item.nodeid) != item.nodeid))


def _place(file: str, whole: bool) -> int:
    return LONGEST.index(file) if file in LONGEST else len(LONGEST) + (not whole)


def together(nodeid: str) -> str:
    """The tests that one process runs because of what they share, else this test alone."""
    if nodeid.startswith("tests/engines/"):
        return "tests/engines"  # engines for tapes, which the first of them compiles
    file = nodeid.split("::", 1)[0]
    return file if file.startswith(("tests/workflow/", "tests/browser/")) else nodeid


class Together(LoadScopeScheduling):
    """Sends tests that share what is expensive to one process, and all others one by one."""

    def _split_scope(self, nodeid: str) -> str:
        return together(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    config.option.loadscopereorder = False  # the order above
    return Together(config, log)


@pytest.fixture(scope="session")
def instances() -> dict[str, Instance]:
    """The instances of the paper-scale config by name."""
    return config.study(config.load()).instances


@pytest.fixture(scope="session")
def counterexample(instances: dict[str, Instance]) -> Instance:
    return instances["counterexample"]


@pytest.fixture(scope="session")
def copy_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a folder with the project's files, as a fresh clone would be, and compiled engines.

    The cache of compiled code is stamped with a digest of the sources, so that an edit in the copy
    compiles them anew.
    """

    def copy(name: str) -> Path:
        destination = tmp_path_factory.mktemp(name) / "ldpt"
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listing, cwd=PROJECT, capture_output=True, check=True).stdout
        for file in filter(None, files.decode().split("\0")):
            if (PROJECT / file).is_file():
                (destination / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(PROJECT / file, destination / file)
        for file in (PROJECT / "src").rglob("*.nb[ci]"):
            kept = destination / file.relative_to(PROJECT)
            kept.parent.mkdir(exist_ok=True)
            shutil.copy2(file, kept)
        return destination

    return copy


def snakemake(
    folder: Path, *arguments: str, cores: int = 2, own_code: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a copy of the project; ``own_code`` takes ldpt from the copy as well."""
    return preloaded.run(folder, "--cores", str(cores), *arguments, own_code=own_code)


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
    """The small project after its run; products lie under ``out``."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("small") / "project"
        shutil.copytree(PROJECT / "tests" / "small_project", folder)
        (folder / "scripts").mkdir()
        for script in folder.glob("*.py"):
            script.rename(folder / "scripts" / script.name)
        shutil.copy(PROJECT / "scripts" / "manifest.py", folder / "scripts")
        done = snakemake(folder)
        assert done.returncode == 0, done.stderr[-4000:]
        return folder

    return made_once("small", make)


@pytest.fixture
def small_root(small_run: Path, tmp_path: Path) -> Path:
    """The products in a copy of the small project, to damage."""
    shutil.copytree(small_run, tmp_path / "project", ignore=shutil.ignore_patterns(".snakemake"))
    return tmp_path / "project" / "out"
