"""The wheel in a fresh environment: modules, commands, and the examples of the help."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.wheel
MODULES = [
    "analysis", "bounds", "config", "cost", "exact", "inference", "instances", "learners",
    "policies", "privacy", "radii", "rare", "simulate", "study", "summarise",
]  # fmt: skip
COMMANDS = ["plan", "analyse", "simulate", "trace", "audit", "crate"]
HEAVY = {"snakemake", "jupyter", "typst", "opendp", "matplotlib"}


def run(*command: object, folder: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python in whose environment only the wheel and what it needs are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(sys.executable, *build, "--wheel-dir", folder, PROJECT, folder=folder)
    run(sys.executable, "-m", "venv", folder / "fresh", folder=folder)
    fresh = folder / "fresh" / "bin" / "python"
    (wheel,) = folder.glob("ldpt-*.whl")
    run(fresh, "-m", "pip", "install", "--quiet", wheel, folder=folder)
    return fresh


def test_wheel_brings_few_packages(python: Path, tmp_path: Path) -> None:
    listed = run(python, "-m", "pip", "list", "--format", "freeze", folder=tmp_path).split()
    names = {line.split("==")[0].lower() for line in listed} - {"pip", "setuptools", "ldpt"}
    assert len(names) <= 30, sorted(names)
    assert not names & HEAVY


@pytest.mark.parametrize("module", MODULES)
def test_module_can_be_imported(python: Path, tmp_path: Path, module: str) -> None:
    run(python, "-c", f"import ldpt.{module}", folder=tmp_path)


def test_version_and_named_problems(python: Path, tmp_path: Path) -> None:
    program = (
        "import ldpt; from ldpt import config; print(ldpt.__version__); "
        "print(len(config.study(config.load()).instances))"
    )
    version, count = run(python, "-c", program, folder=tmp_path).split()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert int(count) > 30


@pytest.mark.parametrize("command", COMMANDS)
def test_command_has_help(python: Path, tmp_path: Path, command: str) -> None:
    assert "usage" in run(python, "-m", "ldpt", command, "--help", folder=tmp_path).lower()


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_examples_of_the_help_run(python: Path, tmp_path: Path, command: str) -> None:
    text = run(python, "-m", "ldpt", command, "--help", folder=tmp_path)
    examples = re.findall(
        rf"^(?:example:)? +(ldpt {command} (?!.*(?:--config|--plot)).+)$", text, re.MULTILINE
    )
    assert examples
    for example in examples:
        run(python, "-m", *shlex.split(example), folder=tmp_path)
