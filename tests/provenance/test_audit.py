"""Audit of a small finished run: every kind of fault is found, named and followed."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldpt import cli
from ldpt.provenance import audit as audits
from ldpt.provenance import dag, file_hash, read_record, record_path, stable_hash
from ldpt.provenance.audit import Report, audit, render_audit
from ldpt.provenance.manifest import MANIFEST, manifest_text, read_manifest, run_hash
from ldpt.provenance.records import record_text
from tests.provenance.products import OTHER_SHARD, PRODUCTS, ROWS, SHARD, flip, found, swap


@pytest.fixture
def root(planned: Path) -> Path:
    """A run of our own project, in the place of somebody else's."""
    return planned


def the_fault(report: Report, kind: str, what: str) -> audits.Fault:
    (fault,) = [f for f in report.faults if f.kind == kind and what in f.products]
    return fault


def test_audit_of_a_finished_run_finds_nothing(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor with a comment in the config; and it leaves the working folder alone."""
    path = own.parent / "config.yaml"
    path.write_text("# a remark\n" + path.read_text())
    monkeypatch.chdir(own)
    report = audit(".")
    assert report.intact, render_audit(report)
    assert report.products == dict.fromkeys(sorted([*PRODUCTS, MANIFEST]), "intact")
    assert report.hash == run_hash(read_manifest(own))
    assert os.getcwd() == str(own.resolve())


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    product=st.sampled_from([*PRODUCTS, MANIFEST]),
    place=st.integers(0),
    bit=st.integers(0, 7),
)
def test_audit_finds_any_flipped_bit_in_any_product(
    root: Path, product: str, place: int, bit: int
) -> None:
    before = (root / product).read_bytes()
    flip(root / product, place, bit)
    try:
        report = audit(root)
        assert ("changed", product) in found(report)
        if product in (SHARD, ROWS):
            assert the_fault(report, "changed", product).figures == ("rows",)
    finally:
        (root / product).write_bytes(before)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(product=st.sampled_from(PRODUCTS), place=st.integers(0), bit=st.integers(0, 7))
def test_audit_finds_any_flipped_bit_in_any_record(
    root: Path, product: str, place: int, bit: int
) -> None:
    path = record_path(root, product)
    before = path.read_bytes()
    flip(path, place, bit)
    try:
        assert ("record", product) in found(audit(root))
    finally:
        path.write_bytes(before)


def test_audit_finds_swapped_products(root: Path) -> None:
    swap(root / SHARD, root / OTHER_SHARD)
    report = audit(root)
    assert {("changed", SHARD), ("changed", OTHER_SHARD)} == found(report)


def test_audit_finds_products_swapped_with_their_records(root: Path) -> None:
    swap(root / SHARD, root / OTHER_SHARD)
    swap(record_path(root, SHARD), record_path(root, OTHER_SHARD))
    assert {("record", SHARD), ("record", OTHER_SHARD)} <= found(audit(root))


def forge(root: Path, product: str, **claims: object) -> None:
    """Rewrite a record so that it is consistent in itself."""
    path = record_path(root, product)
    record = read_record(path)
    path.write_text(record_text(record["stable"] | claims, record["volatile"]))


def test_audit_finds_a_consistent_forged_record(root: Path) -> None:
    forge(root, SHARD, notes={"seed": 8})
    report = audit(root)
    assert the_fault(report, "record", SHARD).figures == ("rows",)


def test_audit_finds_a_product_forged_with_its_record(root: Path) -> None:
    (root / ROWS).write_text("policy,rows\napt,1\n")
    forge(root, ROWS, sha256=file_hash(root / ROWS), bytes=18)
    report = audit(root)
    assert ("record", ROWS) in found(report)
    assert "another version" in the_fault(report, "stale", "figures/rows.png").detail


def test_audit_finds_a_wrong_seed_by_the_plan(root: Path) -> None:
    record = read_record(record_path(root, SHARD))["stable"]
    forge(root, SHARD, params=record["params"] | {"seed": 8})
    assert the_fault(audit(root), "stale", SHARD).detail == "seed was 8, is 7"


def forge_everything(root: Path) -> None:
    """Change one run's outcome, and rewrite every record and the manifest to agree with it."""
    table = pd.read_parquet(root / SHARD)
    table.loc[3, "loss"] = ~table.loc[3, "loss"]
    table.to_parquet(root / SHARD, compression="zstd", index=False)
    forge(root, SHARD, sha256=file_hash(root / SHARD), bytes=(root / SHARD).stat().st_size)
    inputs = read_record(record_path(root, ROWS))["stable"]["inputs"]
    forge(root, ROWS, inputs=inputs | {SHARD: file_hash(root / SHARD)})
    manifest = read_manifest(root)
    for job in manifest["jobs"]:
        for name in job["products"].keys() & {SHARD, ROWS}:
            record = read_record(record_path(root, name))
            hashes = {"sha256": file_hash(root / name), "record_hash": record["record_hash"]}
            job["products"][name], job["inputs"] = hashes, record["stable"]["inputs"]
    (root / MANIFEST).write_text(manifest_text(manifest))
    size = (root / MANIFEST).stat().st_size
    forge(root, MANIFEST, sha256=file_hash(root / MANIFEST), bytes=size)


def test_audit_finds_a_forgery_of_everything_only_by_replay_or_a_kept_hash(
    root: Path, capfd: pytest.CaptureFixture
) -> None:
    """All jobs run again, and all products but the forged one are equal bit for bit."""
    kept = audit(root).hash
    forge_everything(root)
    report = audit(root)
    assert report.intact
    assert report.hash != kept
    before = modification_times(root)
    replayed = audit(root, replay=1000)
    assert replayed.replayed == sorted(PRODUCTS)
    assert found(replayed) == {("replay", SHARD)}
    fault = the_fault(replayed, "replay", SHARD)
    assert fault.detail == "another run of its job gave other bytes"
    assert fault.figures == ("rows",)
    assert "simulate_mechanism" in capfd.readouterr().err  # progress
    assert modification_times(root) == before


def modification_times(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


def test_replay_chooses_jobs_by_its_seed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "replay_jobs", lambda *arguments: {})
    first, again, other = (audit(root, 1, seed).replayed for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("product", PRODUCTS)
def test_audit_names_a_missing_product(root: Path, product: str) -> None:
    (root / product).unlink()
    assert ("missing", product) in found(audit(root))


def test_audit_names_a_missing_record(root: Path) -> None:
    record_path(root, SHARD).unlink()
    assert the_fault(audit(root), "record", SHARD).figures == ("rows",)


def test_audit_names_a_missing_manifest_and_checks_the_rest(root: Path) -> None:
    (root / MANIFEST).unlink()
    flip(root / SHARD)
    report = audit(root)
    assert found(report) == {("missing", MANIFEST), ("changed", SHARD)}


def test_audit_names_an_edited_config_and_script_with_what_they_make_stale(own: Path) -> None:
    path, script = own.parent / "config.yaml", own.parent / "scripts" / "count_rows.py"
    path.write_text(path.read_text().replace("replicates: 600", "replicates: 700"))
    script.write_text(script.read_text().replace("policy,rows", "epsilon,lines"))
    report = audit(own)
    assert {fault.kind for fault in report.faults} == {"stale"}
    fault = the_fault(report, "stale", MANIFEST)
    assert fault.detail == "config.replicates was 600, is 700"
    assert {SHARD, OTHER_SHARD} <= set(fault.products)  # whose rules call it replicates
    assert fault.figures == ("rows",)
    assert (
        the_fault(report, "stale", ROWS).detail
        == "code changed: scripts/count_rows.py (count_rows)"
    )
    assert the_fault(report, "stale", ROWS).figures == ("rows",)
    assert ("stale", "results/simulations/mechanism.parquet") not in found(report)


def test_audit_reports_a_config_that_cannot_be_read(own: Path) -> None:
    (own.parent / "config.yaml").write_text("root: [")
    report = audit(own)
    assert "no DAG" in the_fault(report, "stale", MANIFEST).detail


def test_audit_names_an_edited_source(root: Path) -> None:
    (root.parent / "words.txt").write_text("other words")
    report = audit(root)
    assert found(report) == {("stale", "figures/rows.pdf"), ("stale", "figures/rows.png")}
    assert {fault.detail for fault in report.faults} == {"words.txt changed since then"}
    (root.parent / "words.txt").unlink()
    details = {fault.detail for fault in audit(root).faults}
    assert details == {"words.txt: the file does not exist"}


def test_audit_reports_a_figure_that_no_rule_makes(root: Path) -> None:
    shutil.copy(root / "figures/rows.png", root / "figures/nicer.png")
    assert found(audit(root)) == {("record", "figures/nicer.png")}


def test_audit_text_reports_equal_faults_once(root: Path) -> None:
    for product in (SHARD, OTHER_SHARD):
        (root / product).unlink()
    lines = render_audit(audit(root)).splitlines()
    (line,) = [line for line in lines if line.startswith("missing")]
    assert line.endswith("three.parquet and 1 further product")


def test_audit_ends_in_0_only_when_all_is_intact(root: Path, capsys: pytest.CaptureFixture) -> None:
    """``test_tamper`` has ``--replay``."""
    assert cli.main(["audit", "--root", str(root)]) == 0
    assert capsys.readouterr().out.endswith("all intact\n")
    flip(root / SHARD)
    assert cli.main(["audit", "--root", str(root), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["intact"] is False
    assert report["products"][SHARD] == "changed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", "--root", "nowhere"], r"is not a folder"),
        (["audit", "--root", "."], r"no records under"),
        (
            ["audit", "--root", "out", "--replay", "1"],
            r"which is not the project of this ldpt: run `make .venv/ready`",
        ),
        (
            ["audit", "--root", "out", "--replay", "-1"],
            r"must be a whole number from 1 to 1000000, got -1",
        ),
        (["audit", "--root", "out", "--expect", "1234"], r"must be the first 12 to 64 digits"),
        (["trace", "--root", "out", "out/figures"], r"is a folder"),
        (["audit", "--root", "out", "--seed", "1"], r"--seed has no effect without --replay"),
        (["trace", "--root", "out", "gone.png"], r"is no file here or under out"),
        (["trace", "--root", "out", "/dev/zero"], r"'/dev/zero' is not a regular file"),
        (["trace", "--root", "out", ""], r"'' is a folder"),
        (["trace", "--root", "out", "0123456789"], r"has a hash or a record hash 0123456789"),
        (["trace", "--root", "out", "words.txt"], r"is not a product"),
        (["trace", "--root", "scripts", "words.txt"], r"no records under"),
    ],
)
def test_bad_input_is_one_line_and_2(
    small_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(small_root.parent)
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"ldpt {arguments[0]}: ")
    assert message in err
    assert err.count("\n") == 1


def test_audit_compares_the_parts_of_the_readme_that_are_products(root: Path) -> None:
    record = read_record(record_path(root, ROWS))
    finding = root / "figures/findings.md"
    finding.write_text("- 0.304\n")
    stable = record["stable"] | {"product": "figures/findings.md", "sha256": file_hash(finding)}
    path = record_path(root, "figures/findings.md")
    path.write_text(record_text(stable, record["volatile"]))
    text = "<!-- findings:begin -->\n- {}\n<!-- findings:end -->\n"
    (root / "README.md").write_text(text.format("0.304"))
    assert ("changed", "README.md") not in found(audit(root))
    (root / "README.md").write_text(text.format("0.204"))
    fault = the_fault(audit(root), "changed", "README.md")
    assert fault.detail == "its part 'findings' is not figures/findings.md of the run"


def remake(root: Path, product: str) -> None:
    """Write a product and its record again, later than the manifest, as the workflow does."""
    record = read_record(record_path(root, product))
    (root / product).write_text("epsilon,rows\n1,2\n")
    stable = record["stable"] | {"sha256": file_hash(root / product), "bytes": 17}
    later = record["volatile"] | {"started": "2099-01-01T00:00:00Z"}
    record_path(root, product).write_text(record_text(stable, later))


def test_audit_names_a_product_that_was_made_after_the_manifest(root: Path) -> None:
    remake(root, ROWS)
    report = audit(root)
    detail = "differs from the manifest: made again since then, or forged"
    assert the_fault(report, "record", ROWS).detail == detail
    assert ("changed", ROWS) not in found(report)
    flip(root / ROWS)
    assert {("record", ROWS), ("changed", ROWS)} <= found(audit(root))


def test_audit_counts_one_fault_in_the_singular(root: Path) -> None:
    shutil.copy(root / "figures/rows.png", root / "figures/nicer.png")
    assert render_audit(audit(root)).endswith("\n1 fault")


@pytest.mark.parametrize("folder", ["figures", "results/simulations/fixed_budget"])
def test_trace_and_audit_find_the_run_upwards(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, folder: str
) -> None:
    monkeypatch.chdir(root / folder)
    assert cli.main(["trace", "figures/rows.png"]) == 0
    assert capsys.readouterr().out.startswith("figures/rows.png")
    assert cli.main(["audit"]) == 0


def test_audit_outside_any_project_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert cli.main(["audit", "--root", str(tmp_path)]) == 2
    assert "no records under" in capsys.readouterr().err


def test_the_config_hash_is_that_of_the_config(root: Path) -> None:
    manifest = json.loads((root / MANIFEST).read_text())
    assert manifest["config_hash"] == stable_hash(manifest["config"])


def test_audit_says_whether_this_is_the_committed_run(root: Path) -> None:
    """And if not, what differs and why, as a comparison does."""
    project, committed = root.parent, root.parent / MANIFEST
    committed.parent.mkdir()
    shutil.copy(root / MANIFEST, committed)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(project))

    def commit() -> None:
        subprocess.run([*git, "add", "-f", MANIFEST], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "run"], check=True)

    subprocess.run([*git, "init", "-q"], check=True)
    commit()
    assert audit(root).committed == ["this is the committed run"]
    content = json.loads(committed.read_text())
    content["config"]["seed"] = 8
    committed.write_text(json.dumps(content))
    commit()
    report = audit(root)
    assert report.intact
    first, second, third, _ = report.committed
    assert first == f"not the committed run, {run_hash(content)}:"
    assert second.strip() == f"all {len(PRODUCTS)} products equal"
    assert third.strip() == "seed     config.seed was 8, is 7"
    committed.write_text("{}")
    commit()
    report = audit(root)
    assert report.intact
    assert report.committed == [f"HEAD:./{MANIFEST} is not a manifest of format 2"]


def test_audit_of_a_project_that_cannot_be_written_leaves_out_the_dag(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr(audits, "plan_jobs", lambda project, origin: pytest.fail("writes"))
    report = audit(root)
    assert report.intact
    assert report.compared[1].startswith("not with the present config and code: Snakemake needs")


def test_a_dag_needs_no_name_of_the_user(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USER", raising=False)
    assert dag._environment(dag.Project(root, root, root))["USER"]
