"""Figure scripts as modules, and the files and settings that their rules give them."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.conftest import PROJECT

RULES = (PROJECT / "workflow" / "rules" / "figures.smk").read_text(encoding="utf-8")
FIGURES = re.findall(r"^use rule figure as (\w+) with:", RULES, re.MULTILINE)


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
    entry = re.search(r"figure_inputs\((.*?)\)", _rule(name), re.DOTALL)
    assert entry
    tables = re.findall(r'(\w+)="([^"]+)"', entry[1])
    files = {key: str(results / f"{table}.csv") for key, table in tables}
    others = re.findall(r'(\w+)="<results>/([^"]+\.json)"', _rule(name))
    files |= {key: str(results / path) for key, path in others}
    if "rare=RARE_ESTIMATES" in _rule(name):
        sampled = results / "rare" / "fixed_budget.csv"
        files["rare"] = str(sampled) if sampled.is_file() else ""
    return SimpleNamespace(**files)


def params(name: str, config: Any) -> dict[str, Any]:
    """Return the settings that a figure's rule takes from a config."""
    options = re.findall(r'(\w+)=config\["figures"\]\["(\w+)"\]', _rule(name))
    panels = re.findall(r'(\w*panels)=from_experiment\("panels", "(\w+)"\)', _rule(name))
    return {"script": name} | {key: config["figures"][option] for key, option in options + panels}


def _rule(name: str) -> str:
    return RULES.split(f"as {name} with:")[1].split("\nuse rule ")[0]
