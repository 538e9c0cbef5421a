"""The package as users see it: its modules, their public names, its version."""

import importlib
import subprocess
import sys
import tomllib
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
