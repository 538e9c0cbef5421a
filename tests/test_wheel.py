"""The wheel in fresh environments outside the project: modules, commands, examples of the help."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

pytestmark = pytest.mark.wheel
COMMANDS = ["plan", "analyse", "simulate", "trace", "audit", "compare", "completion"]
HEAVY = {"snakemake", "jupyter", "typst", "opendp", "matplotlib"}
ANSWERS = "arm,response\n" + "A,1\nB,0\nB,1\nA,0\nA,1\n" * 50


def run(command: str, python: Path, folder: Path, status: int = 0) -> subprocess.CompletedProcess:
    """Run a shell command with the commands of an environment, without the project's code."""
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    variables |= {"PATH": f"{python.parent}:{os.environ['PATH']}", "COLUMNS": "200"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=variables, capture_output=True, text=True
    )
    assert done.returncode == status, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = "python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir"
    run(f"{build} {folder} {PROJECT}", Path(sys.executable), folder)
    (built,) = folder.glob("ldpt-*.whl")
    return built


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source archive."""
    folder = tmp_path_factory.mktemp("sdist")
    project = folder / "copy"
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        if (PROJECT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, project / name)
    build = f"from setuptools.build_meta import build_sdist; build_sdist('{folder}')"
    run(f'python -c "{build}"', Path(sys.executable), project)
    (archive,) = folder.glob("ldpt-*.tar.gz")
    shutil.unpack_archive(archive, folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def install(wheel: Path, extras: str, folder: Path) -> Path:
    """Return a Python in whose environment only the wheel and its dependencies are installed."""
    ours, fresh = Path(sys.executable), folder / "bin" / "python"
    run(f"python -m uv venv --quiet --python {sys.executable} {folder}", ours, folder.parent)
    packages = f"{wheel}{extras} pip"
    run(f"python -m uv pip install --quiet --python {fresh} {packages}", ours, folder.parent)
    return fresh


@pytest.fixture(scope="module")
def light(wheel: Path) -> Path:
    return install(wheel, "", wheel.parent / "light")


@pytest.fixture(scope="module")
def full(wheel: Path) -> Path:
    return install(wheel, "[workflow,device]", wheel.parent / "full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the examples of the help name: answers, a figure, its run."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "answers.csv").write_text(ANSWERS)
    for name in ("figures/hero.pdf", "paper/run.json"):
        (folder / name).parent.mkdir()
        shutil.copy(PROJECT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def finished_run(full: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project, run by the Snakemake of the environment with the extras."""
    folder = tmp_path_factory.mktemp("small") / "project"
    shutil.copytree(PROJECT / "tests" / "small_project", folder)
    (folder / "scripts").mkdir()
    for script in [*folder.glob("*.py"), PROJECT / "scripts" / "manifest.py"]:
        shutil.copy(script, folder / "scripts")
    run("snakemake --cores 1", full, folder)
    return folder / "out"


def example(command: str, python: Path, folder: Path) -> str:
    """Return the example of a command's help."""
    text = run(f"ldpt {command} --help", python, folder).stdout
    (found,) = re.findall(r"^example: (.+)$", text, re.MULTILINE)
    return found


def test_wheel_brings_few_packages(light: Path, tmp_path: Path) -> None:
    listed = run("python -m pip list --format freeze", light, tmp_path).stdout.split()
    names = {line.split("==")[0].lower() for line in listed} - {"pip", "setuptools", "ldpt"}
    assert len(names) <= 30, sorted(names)
    assert not names & HEAVY


EXAMPLES = """
import doctest, sys, ldpt
for name in sys.argv[1:] or ldpt.__all__:
    print(name, doctest.testmod(getattr(ldpt, name)).failed, file=sys.stderr)
"""


def failed_examples(python: Path, folder: Path, *modules: str) -> dict[str, str]:
    """Run the examples in the docstrings of public modules and return the failures of each."""
    (folder / "examples.py").write_text(EXAMPLES)
    lines = run(f"python examples.py {' '.join(modules)}", python, folder).stderr.splitlines()
    return dict(line.split() for line in lines)


def test_every_public_module_runs_its_examples(light: Path, tmp_path: Path) -> None:
    """All but the study's, whose device needs an extra."""
    failures = failed_examples(light, tmp_path)
    assert len(failures) >= 14
    assert {name for name, failed in failures.items() if failed != "0"} == {"study"}


def test_study_runs_its_examples_with_the_extra_device(full: Path, tmp_path: Path) -> None:
    assert failed_examples(full, tmp_path, "study") == {"study": "0"}


def test_version_and_named_problems(light: Path, tmp_path: Path) -> None:
    assert re.fullmatch(r"ldpt \d+\.\d+\.\d+\n", run("ldpt --version", light, tmp_path).stdout)
    program = (
        "from ldpt import config; print(len(config.build_experiment(config.load()).instances))"
    )
    assert int(run(f"python -c '{program}'", light, tmp_path).stdout) > 30


def test_bare_command_lists_every_command(light: Path, tmp_path: Path) -> None:
    text = run("ldpt", light, tmp_path).stdout
    assert re.findall(r"^    ([a-z]+)\b", text, re.MULTILINE) == COMMANDS
    assert example("", light, tmp_path) == example("plan", light, tmp_path)


@pytest.mark.parametrize("command", ["plan", "analyse", "simulate", "trace", "completion"])
def test_example_of_the_help_runs_with_the_library_alone(
    light: Path, folder: Path, command: str
) -> None:
    done = run(example(command, light, folder), light, folder)
    assert (done.stdout == "") == (command == "completion")
    assert done.stderr == ""


def test_example_of_the_help_runs_on_a_finished_run(full: Path, finished_run: Path) -> None:
    words = example("trace", full, finished_run).replace("hero", "rows")
    assert run(words, full, finished_run).stdout


def test_audit_never_runs_the_code_of_another_project(full: Path, finished_run: Path) -> None:
    words = example("audit", full, finished_run)
    assert "make .venv/ready" in run(words, full, finished_run, status=2).stderr
    assert "all intact" in run("ldpt audit", full, finished_run).stdout


def test_missing_extra_is_one_line(light: Path, tmp_path: Path) -> None:
    words = "ldpt plan --means 0.2 0.8 --epsilon inf --budget 9 --replicates 1 --plot plan.png"
    done = run(words, light, tmp_path, status=2)
    assert re.fullmatch(r"ldpt plan: the package \w+ is missing: pip install .*\n", done.stderr)


def test_plan_with_its_picture(full: Path, tmp_path: Path) -> None:
    words = "ldpt plan --means 0.2 0.6 --budget 100 --epsilon 1 --replicates 20 --plot plan.png"
    assert run(words, full, tmp_path).stdout


def test_fast_tests_run_from_the_source_archive(light: Path, source_archive: Path) -> None:
    run("python -m pip install --quiet pytest hypothesis mpmath", light, source_archive)
    shutil.rmtree(source_archive / "src")  # so that the installed package is tested
    fast = "tests/test_privacy.py tests/test_policies.py tests/test_instances.py tests/util"
    done = run(f"python -m pytest -o addopts= {fast}", light, source_archive)
    assert re.search(r"\d{2,} passed", done.stdout)


def test_source_archive_holds_what_git_holds(source_archive: Path) -> None:
    for name in ("Snakefile", "config/smoke.yaml", "docs/start.md", "tests/fresh/systems.py"):
        assert (source_archive / name).is_file(), name
    assert not list(source_archive.rglob("*.nbi"))


def test_page_of_the_package_has_no_relative_link(light: Path, tmp_path: Path) -> None:
    """On an index a link into the repository leads nowhere, and HTML is removed."""
    program = "from importlib.metadata import metadata; print(metadata('ldpt')['Description'])"
    page = run(f'python -c "{program}"', light, tmp_path).stdout
    assert page.startswith("# ldpt")
    assert re.findall(r"\]\((?!https://)", page) == []
    assert not re.search(r"^<", page, re.MULTILINE)
