"""Comparison of two runs: what differs, how far, and why."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ldpt import cli
from ldpt.provenance import compare as comparisons
from ldpt.provenance.compare import DIFFERENT, EQUAL, SAME_VALUES, compare, render_comparison
from ldpt.provenance.manifest import MANIFEST
from tests.conftest import small_project, snakemake
from tests.provenance.products import OTHER_SHARD, PRODUCTS, ROWS, SHARD, flip

Manifest = dict[str, Any]
PRINTED = "figures/rows.png"


@pytest.fixture
def other(small_run: Path, tmp_path: Path) -> Callable[[Callable[[Manifest], None]], Path]:
    """Write the manifest of the small run with an edit, as another run would."""

    def make(edit: Callable[[Manifest], None]) -> Path:
        content = json.loads((small_run / "out" / MANIFEST).read_text())
        edit(content)
        path = tmp_path / "other.json"
        path.write_text(json.dumps(content))
        return path

    return make


def job_of(content: Manifest, product: str) -> Manifest:
    (job,) = [job for job in content["jobs"] if product in job["products"]]
    return job


def nothing(content: Manifest) -> None:
    """Change nothing."""


def seed(content: Manifest) -> None:
    content["config"]["seed"] = 8
    for product in (SHARD, OTHER_SHARD):
        job = job_of(content, product)
        job["params"]["seed"] = 8
        job["products"][product]["sha256"] = "0" * 64


def setting(content: Manifest) -> None:
    content["config"]["replicates"] = 700
    job = job_of(content, SHARD)
    job["params"]["replicates"] = 700
    job["products"][SHARD]["sha256"] = "0" * 64


def function(content: Manifest) -> None:
    (part,) = [row for row in content["code"] if row["file"] == "scripts/count_rows.py"]
    part["definitions"]["count_rows"] = "0" * 16
    job = job_of(content, ROWS)
    job["code"] = "0" * 64
    job["products"][ROWS]["sha256"] = "0" * 64


def version(content: Manifest) -> None:
    content["environment"]["numpy"] = "1.0"


def machine(content: Manifest) -> None:
    content["environment"]["processor"] = "Z80"


@pytest.mark.parametrize(
    ("edit", "line", "different"),
    [
        (seed, "seed     config.seed was 7, is 8: 2 products", {SHARD, OTHER_SHARD}),
        (setting, "setting  config.replicates was 600, is 700: 1 product", {SHARD}),
        (function, "code     scripts/count_rows.py (count_rows): 1 product", {ROWS}),
    ],
)
def test_the_reason_of_a_difference_is_named(
    small_run: Path, other: Callable, edit: Callable, line: str, different: set[str]
) -> None:
    result = compare(str(small_run / "out"), str(other(edit)))
    assert set(result.with_status(DIFFERENT)) == different
    assert set(result.with_status(EQUAL)) == set(PRODUCTS) - different
    assert len(result.reasons) == 1
    assert f"  {line}" in render_comparison(result).splitlines()
    assert result.hashes[0] != result.hashes[1]


def test_two_manifests_do_not_say_which_of_two_definitions_a_product_reaches(
    small_run: Path, other: Callable
) -> None:
    def edit(content: Manifest) -> None:
        function(content)
        (part,) = [row for row in content["code"] if row["file"] == "scripts/simulate.py"]
        part["definitions"]["simulate"] = "0" * 16

    manifest = str(small_run / "out" / MANIFEST)
    result = compare(manifest, str(other(edit)))
    assert [reason.products for reason in result.reasons] == [None, None]
    (reason,) = compare(manifest, str(other(function))).reasons
    assert reason.products == 1


@pytest.mark.parametrize(
    ("edit", "kind"), [(nothing, None), (version, "version"), (machine, "machine")]
)
def test_the_same_bytes_under_other_versions_are_the_same_run(
    small_run: Path, other: Callable, edit: Callable, kind: str | None
) -> None:
    result = compare(str(small_run / "out"), str(other(edit)))
    assert result.equal
    assert result.hashes[0] == result.hashes[1]
    assert [reason.kind for reason in result.reasons] == ([kind] if kind else [])
    assert ("same bytes, other versions" in render_comparison(result)) == (kind is not None)


def test_exit_status_is_that_of_diff(
    small_run: Path, other: Callable, capsys: pytest.CaptureFixture
) -> None:
    root = str(small_run / "out")
    assert cli.main(["compare", root, root]) == 0
    assert cli.main(["compare", root, str(other(seed)), "--json"]) == 1
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["equal"] is False
    assert cli.main(["compare", root, "nowhere"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        "'nowhere' is no folder, no manifest and no commit that holds paper/run.json"
    )


def test_products_of_one_run_alone_and_other_verdicts_are_named(
    small_run: Path, other: Callable, tmp_path: Path
) -> None:
    claim = {"id": "C1", "where": "Theorem 1", "verdict": "true"}

    def edit(content: Manifest) -> None:
        content["claims"] = [claim]
        del job_of(content, SHARD)["products"][SHARD]

    first = other(edit)
    second = tmp_path / "second.json"
    content = json.loads(first.read_text())
    second.write_text(json.dumps(content | {"claims": [claim | {"verdict": "false"}]}))
    result = compare(str(first), str(second))
    assert result.verdicts == ["C1, Theorem 1: was true, is false"]
    result = compare(str(small_run / "out"), str(first))
    assert result.with_status("only in the first") == [SHARD]


def test_a_commit_is_compared_by_default(small_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = small_root.parent
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(small_root))
    for words in (("init", "-q"), ("add", MANIFEST), ("commit", "-q", "-m", "run")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    monkeypatch.chdir(small_root)
    assert compare().equal
    flip(small_root / ROWS)
    assert compare().with_status(DIFFERENT) == [ROWS]
    assert compare("HEAD", str(project / "out")).with_status(DIFFERENT) == [ROWS]


def test_products_without_files_are_said_to_be_compared_by_their_records(
    small_root: Path, other: Callable
) -> None:
    assert "records say" not in render_comparison(compare(str(small_root), str(other(nothing))))
    (small_root / ROWS).unlink()
    result = compare(str(small_root), str(other(nothing)))
    assert result.equal
    assert "1 product has no file here: compared by" in render_comparison(result)


TABLE = pd.DataFrame(
    {"name": ["a", "b"], "estimate": [0.5, 0.2], "low": [0.4, 0.1], "high": [0.6, 0.3]}
)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, ""),
        (
            {"estimate": [0.5, 0.2 + 0.3]},
            "1 of 2 rows differ, in estimate, at most by 4.2 standard errors (estimate)",
        ),
        ({"high": [0.6, 0.4]}, "1 of 2 rows differ, in high, at most by 2.5e-01 of the value"),
        ({"name": ["a", "c"]}, "1 of 2 rows differ, in name"),
        ({"more": [1, 2]}, "other columns: more, the values in common are equal"),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_are_compared_by_value(
    tmp_path: Path, change: dict[str, list], text: str, suffix: str
) -> None:
    """In standard errors where they have intervals; the order of columns does not count."""
    for name, table in (("one", TABLE[::1]), ("other", TABLE.assign(**change).iloc[:, ::-1])):
        path = tmp_path / f"{name}{suffix}"
        if suffix == ".csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path)
    status, found = comparisons._by_value(tmp_path / f"one{suffix}", tmp_path / f"other{suffix}")
    assert status == (DIFFERENT if text else SAME_VALUES)
    assert found == text


def test_tables_of_other_lengths_differ(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "a.csv")
    TABLE[:1].to_csv(tmp_path / "b.csv")
    found = comparisons._by_value(tmp_path / "a.csv", tmp_path / "b.csv")
    assert found == (DIFFERENT, "2 rows were, 1 are")


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ('{"a": 1, "b": [1]}', '{"b": [1],\n "a": 1}', (SAME_VALUES, "")),
        (
            '{"a": {"c": 1}}',
            '{"a": {"c": 2}}',
            (DIFFERENT, "other values: a.c, at most by 5.0e-01 of the value"),
        ),
    ],
)
def test_json_is_compared_by_value(
    tmp_path: Path, one: str, other: str, found: tuple[str, str]
) -> None:
    (tmp_path / "a.json").write_text(one)
    (tmp_path / "b.json").write_text(other)
    assert comparisons._by_value(tmp_path / "a.json", tmp_path / "b.json") == found


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_a_drawing_that_only_names_other_code_is_the_same_drawing(
    small_root: Path, tmp_path: Path, suffix: str
) -> None:
    path = small_root / f"figures/rows{suffix}"
    copy = tmp_path / f"copy{suffix}"
    content = path.read_bytes()
    place = content.index(b"ldpt-code") + 12
    copy.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    assert comparisons._by_value(path, copy) == (SAME_VALUES, "")
    copy.write_bytes(content[:-30] + bytes([content[-30] ^ 1]) + content[-29:])
    assert comparisons._by_value(path, copy)[0] == DIFFERENT


def test_damaged_tables_are_other_bytes(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        (tmp_path / name).write_text(name)
    status, text = comparisons._by_value(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert (status, text[:21]) == (DIFFERENT, "not compared by value")


@pytest.mark.runs
def test_two_real_runs_differ_in_seed_and_function(small_run: Path, tmp_path: Path) -> None:
    folder = small_project(tmp_path)
    config, script = folder / "config.yaml", folder / "scripts/count_rows.py"
    config.write_text(config.read_text().replace("seed: 7", "seed: 8"))
    script.write_text(script.read_text().replace("policy,rows", "policy,lines"))
    done = snakemake(folder)
    assert done.returncode == 0, done.stderr
    result = compare(str(small_run / "out"), str(folder / "out"))
    lines = [f"{reason.kind} {reason.text}" for reason in result.reasons]
    assert lines == ["seed config.seed was 7, is 8", "code scripts/count_rows.py (count_rows)"]
    assert {SHARD, ROWS} <= set(result.with_status(DIFFERENT))
    assert result.products["results/instances.json"] == EQUAL
    assert "rows differ, in loss" in result.details[SHARD]
    assert result.details[ROWS].startswith("other columns: lines, rows")
