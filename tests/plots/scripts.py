"""Figure scripts as modules, and the files and settings that their rules give them."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.conftest import PROJECT

RULES = (PROJECT / "workflow" / "rules" / "figures.smk").read_text(encoding="utf-8")
FIGURES = re.findall(r"^rule (\w+):", RULES, re.MULTILINE)


def load(path: str) -> ModuleType:
    """Return a script of the project as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, PROJECT / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figure(name: str) -> ModuleType:
    """Return the script of a figure as a module."""
    return load(f"scripts/{name}.py")


def inputs(name: str, results: Path) -> SimpleNamespace:
    """Return the result files that a figure's rule names, under another root."""
    found = re.findall(r'(\w+)="<results>/([^"]+\.csv)"', _rule(name))
    return SimpleNamespace(**{key: str(results / path) for key, path in found})


def params(name: str, config: Any) -> dict[str, Any]:
    """Return the settings that a figure's rule takes from a config."""
    options = re.findall(r'(\w+)=lookup\(dpath="figures/(\w+)", within=config\)', _rule(name))
    panels = re.findall(r'(panels)=panels\("(\w+)"\)', _rule(name))
    return {key: config["figures"][option] for key, option in options + panels}


def _rule(name: str) -> str:
    return RULES.split(f"rule {name}:")[1].split("\nrule ")[0]
