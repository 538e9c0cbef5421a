"""One name for figure, rule, script and caption; what a run draws."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.image
import pandas as pd
import pytest
import yaml

from ldpt.figures import catalog
from tests.conftest import PROJECT
from tests.figures.test_figures import overlapping

pytestmark = pytest.mark.workflow

FIGURES = list(catalog.read(PROJECT / catalog.CATALOG))
SMOKE = Path("results/smoke")


def script(name: str) -> Any:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_figure_has_script_and_caption_of_its_name() -> None:
    for name in FIGURES:
        assert callable(getattr(script(name), name))
        caption = (PROJECT / "workflow" / "report" / f"{name}.rst").read_text()
        assert "?" in caption.split("\n\n")[0], "a caption opens with its question"
        assert "{" in caption.split("\n\n")[-1], "and ends with an answer that has numbers"


@pytest.mark.parametrize("name", FIGURES)
def test_a_run_draws_the_figure_and_fills_its_caption(smoke: Path, name: str) -> None:
    root = smoke / SMOKE
    assert (root / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    height, width, _ = matplotlib.image.imread(root / "figures" / f"{name}.png").shape
    assert width >= 200 * 3.5, "200 dots an inch at column width"
    assert height < 1.5 * width
    caption = (root / "results" / "captions" / f"{name}.rst").read_text()
    assert "{" not in caption
    assert "nan" not in caption.split()
    facts = json.loads((root / "results" / "captions" / f"{name}.json").read_text())
    assert facts


def drawings(root: Path) -> dict[str, Callable[[], Any]]:
    """Every figure drawn anew from the tables of a run."""
    config = yaml.safe_load((PROJECT / "config" / "smoke.yaml").read_text())["figures"]
    results = root / "results"
    budget, confidence, bounds, mechanism, arms, limits = (
        str(results / "summaries" / f"{name}.csv")
        for name in (
            "fixed_budget", "fixed_confidence", "bounds", "mechanism", "allocation", "budget_bounds"
        )
    )  # fmt: skip
    error_map, rarely = (
        str(results / "error_map.csv"),
        str(results / "rare/fixed_confidence.csv"),
    )
    rare, exact = str(results / "rare/fixed_budget.csv"), str(results / "exact/fixed_budget.csv")
    two = config["fixed_confidence"]
    arguments: dict[str, tuple[Any, ...]] = {
        "privacy_cost": (mechanism,),
        "fixed_budget_error": (budget, config["fixed_budget"]),
        "fixed_budget_collapse": (budget, config["fixed_budget"]),
        "fixed_budget_bounds": ((budget, rare, exact, limits), config["bounds"], 1.0),
        "fixed_budget_baselines": (budget, config["baselines"], 1.0),
        "fixed_confidence_cost": (confidence, bounds, two, 0.1),
        "fixed_confidence_collapse": (confidence,),
        "fixed_confidence_error": (confidence, error_map, rarely),
        "fixed_confidence_radii": (confidence, bounds, 0.1, 1.0, two[0]),
        "allocation": (arms,),
        "scaling_arms": (budget, confidence, bounds, 0.1, 1.0),
        "optimality_gap": (confidence, bounds, two, 0.1),
        "cost_growth": (str(PROJECT / "benchmarks" / "cost_growth.csv"),),
    }
    return {
        name: lambda name=name: getattr(script(name), name)(*arguments[name]) for name in arguments
    }


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_of_the_figure_covers_another(smoke: Path, name: str) -> None:
    figure, _ = drawings(smoke / SMOKE)[name]()
    assert overlapping(figure) == []


def test_tables_have_three_forms_with_as_many_rows(smoke: Path) -> None:
    folder = smoke / SMOKE / "results" / "tables"
    for name in ("instances", "runtime", "claims", "growth_exponents"):
        rows = len(pd.read_csv(folder / f"{name}.csv"))
        assert rows > 0
        assert len((folder / f"{name}.md").read_text().splitlines()) == rows + 2
        assert (folder / f"{name}.tex").read_text().count(r"\\") >= rows + 1
