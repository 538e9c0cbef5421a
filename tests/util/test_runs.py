"""Files of runs say what was simulated, in few bytes."""

from pathlib import Path

import numpy as np
import pandas as pd

from ldpt.util.runs import read_runs, write_runs


def runs_of(rows: int, **labels: str | float) -> pd.DataFrame:
    outcome = {"replicate": np.arange(rows), "correct": np.arange(rows) % 3 == 0}
    return pd.DataFrame({**labels, **outcome})


def test_write_runs_keeps_labels_as_columns_of_every_row(tmp_path: Path) -> None:
    tables = [runs_of(2, instance="one", epsilon=epsilon) for epsilon in (1.0, np.inf)]
    write_runs(str(tmp_path / "runs.parquet"), tables)
    found = pd.read_parquet(tmp_path / "runs.parquet")
    assert list(found) == ["instance", "epsilon", "replicate", "correct"]
    assert found["instance"].tolist() == ["one"] * 4
    assert found["epsilon"].tolist() == [1.0, 1.0, np.inf, np.inf]
    assert found["replicate"].tolist() == [0, 1, 0, 1]


def test_runs_are_read_one_privacy_level_after_the_other(tmp_path: Path) -> None:
    file, levels = str(tmp_path / "runs.parquet"), [(0.5, 3), (0.5, 2), (np.inf, 4)]
    write_runs(file, (runs_of(rows, epsilon=epsilon) for epsilon, rows in levels))
    found = list(read_runs(file))
    assert [runs["epsilon"].tolist() for runs in found] == [[0.5] * 5, [np.inf] * 4]
    pd.testing.assert_frame_equal(pd.concat(found, ignore_index=True), pd.read_parquet(file))


def test_write_runs_stores_labels_in_a_few_bytes(tmp_path: Path) -> None:
    def size(rows: int, **labels: str | float) -> int:
        path = tmp_path / "runs.parquet"
        write_runs(str(path), [runs_of(rows, **labels)])
        return path.stat().st_size

    labels = {"instance": "three-groups", "policy": "apt", "epsilon": 0.1}
    assert size(50_000, **labels) - size(50_000) < 2_000


def test_write_runs_packs_whole_numbers(tmp_path: Path) -> None:
    """Numbers of replicates cost next to nothing, and stopping times their spread."""
    path, times = tmp_path / "runs.parquet", np.random.default_rng(1).integers(0, 2**14, 20_000)
    runs = pd.DataFrame({"replicate": np.arange(times.size), "stopping_time": times})
    write_runs(str(path), [runs])
    assert path.stat().st_size < 1.1 * times.size * 15 / 8  # differences have 15 bits
    pd.testing.assert_frame_equal(pd.read_parquet(path), runs)
