"""The lock, pyproject.toml and environment.yml say the same, and hold no address."""

import os
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[1]
LOCK = (PROJECT / "requirements.lock").read_text()
PINS = dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\\n]+)", LOCK, re.MULTILINE))
FIXED_BY_THE_USER = {"snakemake", "numpy", "pandas", "matplotlib", "seaborn", "jupyter"}


def all_dependencies() -> set[str]:
    """Return what the library, the workflow and the device need, indirect dependencies included."""
    names: set[tuple[str, str]] = set()
    waiting = [("ldpt", ""), ("ldpt", "workflow"), ("ldpt", "device")]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in names:
            continue
        names.add((name, extra))
        for line in metadata.requires(name) or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [
                    (need.name.lower().replace("_", "-"), part) for part in ("", *need.extras)
                ]
    return {name for name, _ in names} - {"ldpt"}


def test_library_needs_few_packages() -> None:
    """What a user of the library installs; Snakemake, Jupyter, Typst and OpenDP are extras."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=!~ ]", name)[0] for name in project["dependencies"]}
    assert names >= {"numpy", "scipy", "numba", "pandas"}
    assert len(names) <= 8


def conda_pins() -> dict[str, str]:
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text())
    packages = environment["dependencies"][-1]["pip"]
    return dict(line.split(" ;")[0].split("==") for line in packages if "==" in line)


def test_environment_has_the_versions_of_the_lock() -> None:
    assert conda_pins() == {name: PINS[name] for name in conda_pins()}


def test_environment_pins_every_dependency() -> None:
    """On another platform or Python some of the pinned packages are not needed."""
    assert all_dependencies() <= set(conda_pins())
    assert len(all_dependencies()) > 100


def test_environment_has_the_packages_that_users_rely_on() -> None:
    assert set(conda_pins()) >= FIXED_BY_THE_USER


def test_lock_has_an_exact_version_and_a_hash_on_every_line() -> None:
    packages = [line for line in LOCK.splitlines() if line and not line.startswith(" ")]
    assert len(packages) == len(PINS)
    assert LOCK.count("--hash=sha256:") >= len(PINS)


def test_lock_and_environment_contain_no_address() -> None:
    for name in ("requirements.lock", "environment.yml", "pyproject.toml"):
        text = (PROJECT / name).read_text().replace("https://arxiv.org", "")
        assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text), name


def test_release_has_one_version() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
    assert project["version"] == str(citation["version"])


@pytest.mark.parametrize(("home", "cache"), [(".", ""), ("nowhere", ".snakemake/cache")])
def test_caches_are_kept_here_where_home_cannot_be_written(
    tmp_path: Path, home: str, cache: str
) -> None:
    show = ["make", "--no-print-directory", "--eval", "show:;@echo $$XDG_CACHE_HOME", "show"]
    variables = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    variables["HOME"] = str(tmp_path / home)
    shown = subprocess.check_output(show, cwd=PROJECT, env=variables, text=True).strip()
    assert shown == (str(PROJECT / cache) if cache else "")


def test_the_container_of_the_rules_is_the_one_that_the_manual_builds() -> None:
    rules = (PROJECT / "workflow/rules/common.smk").read_text()
    image = re.search(r'^container: "(.+)"$', rules, re.MULTILINE)
    assert image
    for page in ("Containerfile", "docs/howto/anywhere.md"):
        assert f"apptainer build {image[1]} " in (PROJECT / page).read_text()
