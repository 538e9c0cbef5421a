"""The tables of a finished run as a notebook opens them."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest

import ldpt
from ldpt import simulate, summarise
from ldpt.instances import Instance
from ldpt.util.runs import write_runs

PAIR = Instance("pair", [0.3, 0.6], 0.5)
TRIO = Instance("trio", [0.2, 0.7, 0.8], 0.5, family="trios")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two simulated problems, as the workflow leaves it."""
    root = tmp_path_factory.mktemp("run")
    results = root / "results"
    for folder in ("summaries", "simulations/fixed_budget"):
        (results / folder).mkdir(parents=True)
    (results / "instances.json").write_text(json.dumps([vars(PAIR), vars(TRIO)]))
    parts = []
    for problem in (PAIR, TRIO):
        runs = simulate.fixed_budget(problem, [math.inf, 0.5], [10, 20], 20, 1)
        write_runs(str(results / f"simulations/fixed_budget/{problem.name}.parquet"), [runs])
        parts.append(summarise.fixed_budget(runs, problem))
    pd.concat(parts).to_csv(results / "summaries/fixed_budget.csv", index=False)
    return root


def test_a_run_lists_its_tables_and_reads_them_with_types(root: Path) -> None:
    run = ldpt.open_run(root)
    assert list(run) == ["simulations/fixed_budget", "summaries/fixed_budget"]
    table = run["summaries/fixed_budget"]
    assert table.columns[:5].tolist() == ["instance", "policy", "epsilon", "privacy", "budget"]
    assert table["epsilon"].dtype == float
    assert table["privacy"].cat.categories.tolist() == ["0.5", "∞"]
    assert table["privacy"].cat.ordered
    assert set(table["family"]) == {"", "trios"}
    assert run.instances == {"pair": PAIR, "trio": TRIO}


def test_runs_of_all_problems_are_one_table_that_summarises_alike(root: Path) -> None:
    run = ldpt.open_run(root / "results")
    runs = run["simulations/fixed_budget"]
    assert runs["loss"].dtype == bool
    again = summarise.fixed_budget(runs, list(run.instances.values()))
    expected = run["summaries/fixed_budget"].drop(columns="privacy")
    pd.testing.assert_frame_equal(again, expected)


def test_an_unknown_table_is_named_with_its_neighbour(root: Path) -> None:
    with pytest.raises(KeyError, match="did you mean summaries/fixed_budget"):
        ldpt.open_run(root)["summaries/fixed_budgets"]


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no run: results/instances\.json"):
        ldpt.open_run(tmp_path)
