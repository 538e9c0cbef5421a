"""Files of runs say what was simulated, in few bytes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from ldpt.io.runs import labelled, read_runs, write_runs


def columns(rows: int) -> dict[str, np.ndarray]:
    return {"replicate": np.arange(rows), "correct": np.arange(rows) % 3 == 0}


def test_write_runs_keeps_labels_as_columns_of_every_row(tmp_path: Path) -> None:
    tables = [labelled({"instance": "one", "epsilon": e}, columns(2)) for e in (1.0, np.inf)]
    write_runs(str(tmp_path / "runs.parquet"), tables)
    found = pd.read_parquet(tmp_path / "runs.parquet")
    assert list(found) == ["instance", "epsilon", "replicate", "correct"]
    assert found["instance"].tolist() == ["one"] * 4
    assert found["epsilon"].tolist() == [1.0, 1.0, np.inf, np.inf]
    assert found["replicate"].tolist() == [0, 1, 0, 1]


def test_runs_are_read_one_privacy_level_after_the_other(tmp_path: Path) -> None:
    file, levels = str(tmp_path / "runs.parquet"), [(0.5, 3), (0.5, 2), (np.inf, 4)]
    write_runs(file, (labelled({"epsilon": e}, columns(rows)) for e, rows in levels))
    found = list(read_runs(file, ["epsilon"]))
    assert [runs["epsilon"].tolist() for runs in found] == [[0.5] * 5, [np.inf] * 4]
    pd.testing.assert_frame_equal(pd.concat(found, ignore_index=True), pd.read_parquet(file))


def test_write_runs_stores_labels_in_a_few_bytes(tmp_path: Path) -> None:
    def size(rows: int, **labels: str | float) -> int:
        path = tmp_path / "runs.parquet"
        write_runs(str(path), [labelled(labels, columns(rows))])
        return path.stat().st_size

    labels = {"instance": "three-groups", "policy": "apt", "epsilon": 0.1}
    assert size(50_000, **labels) - size(50_000) < 2_000


JOB = """
import sys
from ldpt.instances import Instance
from ldpt.provenance import job
from ldpt.io.runs import labelled, write_runs
from ldpt.simulate import fixed_budget_columns, fixed_confidence_columns

easy = Instance("easy", [0.0, 1.0], 0.5)
labels = {"instance": "easy", "epsilon": 1.0, "number": 3}
budget = fixed_budget_columns(easy, 1.0, [4], 9, seed=0)
confidence = fixed_confidence_columns(easy, 1.0, 0.5, 9, seed=0, radius="onesided")
write_runs(sys.argv[1], [labelled(labels, budget)])
write_runs(sys.argv[2], [labelled(labels, confidence)])
assert "pandas" not in sys.modules, "a quarter of a second in each job of simulation"
"""


def test_simulation_job_imports_no_pandas(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("budget.parquet", "confidence.parquet")]
    done = subprocess.run([sys.executable, "-c", JOB, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for file in files:
        found = pd.read_parquet(file)
        assert len(found) == 9
        assert found.dtypes[["epsilon", "number"]].tolist() == [np.float64, np.int64]
