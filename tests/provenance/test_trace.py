"""Traces of a small finished run: from a product to what it was made from."""

import json
import shutil
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance import read_record, record_path
from ldpt.provenance.trace import render_trace, trace
from tests.provenance.products import OTHER_SHARD, ROWS, SHARD, flip


def test_trace_finds_the_run_of_a_file_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert cli.main(["trace", str(root / "figures/rows.png")]) == 0
    assert capsys.readouterr().out.startswith("figures/rows.png")


def test_trace_with_a_missing_record_is_one_line(root: Path, capsys: pytest.CaptureFixture) -> None:
    record_path(root, SHARD).unlink()
    assert cli.main(["trace", "--root", str(root), str(root / "figures/rows.png")]) == 2
    assert f"{SHARD} has no record" in capsys.readouterr().err


def test_trace_goes_down_to_instances_settings_and_sources(root: Path) -> None:
    text = render_trace(trace(root / "figures/rows.png", root), "full")
    for expected in (SHARD, "results/instances.json", " words.txt", "seed = 7", "commit"):
        assert expected in text
    assert "//" not in text
    lines = text.splitlines()
    assert lines[0].startswith("figures/rows.png")
    assert sum("results/instances.json" in line for line in lines) == 2
    assert sum("see above" in line for line in lines) == 1


def test_trace_summary_fits_a_screen(root: Path) -> None:
    text = render_trace(trace(root / "figures/rows.png", root))
    assert len(text.splitlines()) <= 24
    for expected in ("simulate_fixed_budget", "and 1 more", " words.txt", "commit", "--full"):
        assert expected in text
    assert "//" not in text


@pytest.mark.parametrize("prefix", ["", "ldpt:"])
def test_trace_understands_the_start_of_a_hash(root: Path, prefix: str) -> None:
    record = read_record(record_path(root, "figures/rows.png"))
    for digits in (record["record_hash"][:12], record["stable"]["sha256"][:8]):
        assert trace(f"{prefix}{digits}", root).top == "figures/rows.png"


def test_trace_as_json_holds_every_file(root: Path) -> None:
    found = json.loads(render_trace(trace(root / "figures/rows.png", root), "json"))
    assert found["top"] == "figures/rows.png"
    assert set(found["origins"]) == {
        "figures/rows.png",
        ROWS,
        SHARD,
        OTHER_SHARD,
        "results/instances.json",
        "//words.txt",
    }
    assert found["origins"][SHARD]["settings"]["seed"] == 7
    keys = found["origins"][SHARD]["notes"]["spawn_keys"]["apt"]
    assert {name: len(chunks) for name, chunks in keys.items()} == {"1": 2, "inf": 2}


def test_trace_as_dot_draws_every_file(root: Path) -> None:
    text = render_trace(trace(root / "figures/rows.png", root), "dot")
    assert text.startswith("digraph")
    assert f'"{ROWS}" -> "{SHARD}";' in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_trace_finds_the_product_of_a_mailed_copy(root: Path, tmp_path: Path, suffix: str) -> None:
    mailed = tmp_path / f"from-a-colleague{suffix}"
    shutil.copy(root / f"figures/rows{suffix}", mailed)
    same = trace(mailed, root)
    assert same.top == f"figures/rows{suffix}"
    assert same.remark.endswith("has the same bytes")
    with mailed.open("ab") as file:
        file.write(b"\n")
    assert trace(mailed, root).remark.endswith("made in the same way; its bytes differ")


def test_trace_of_a_figure_of_another_run_says_what_made_it(root: Path, tmp_path: Path) -> None:
    code = read_record(record_path(root, "figures/rows.pdf"))["stable"]["code"]["hash"][:16]
    content = (root / "figures/rows.pdf").read_bytes()
    (tmp_path / "old.pdf").write_bytes(content.replace(code.encode(), b"0123456789abcdef"))
    with pytest.raises(ValueError, match=r"made by rule draw_rows, code 0123456789abcdef"):
        trace(tmp_path / "old.pdf", root)


def test_trace_of_a_changed_product_has_a_remark(root: Path) -> None:
    flip(root / ROWS)
    assert trace(root / ROWS, root).remark == "contents do not match the recorded SHA-256"
