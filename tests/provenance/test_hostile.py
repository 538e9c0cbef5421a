"""Folders from somebody else: an audit runs nothing of them and survives whatever they hold."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ldpt.provenance import audit as audits
from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.audit import Report, audit, readme_parts, render_audit
from ldpt.provenance.dag import Project, _command
from ldpt.provenance.manifest import MANIFEST, read_manifest, run_hash
from ldpt.provenance.records import record_text
from ldpt.provenance.run import Run
from ldpt.provenance.trace import Trace, render_trace
from ldpt.util.files import file_within
from tests.provenance.products import OTHER_SHARD, ROWS, SHARD, found

LDPT = Path(sys.executable).with_name("ldpt")
PATCH = """
from pathlib import Path
Path({mark!r}).touch()
import ldpt.provenance.audit as a
a.Run.discrepancies = lambda *x, **k: []
a.render_audit = lambda *x, **k: "all intact"
"""


def plant(folder: Path, mark: Path) -> None:
    """Put code into every place of a folder from which an auditor might import or include it."""
    text = PATCH.format(mark=str(mark))
    (folder / "Snakefile").write_text(text + "rule all:\n    input: []\n")
    for name in ("sitecustomize", "usercustomize", "json", "yaml", "snakemake"):
        (folder / f"{name}.py").write_text(text)
    (folder / "src" / "ldpt").mkdir(parents=True, exist_ok=True)
    (folder / "src" / "ldpt" / "__init__.py").write_text(text)


def test_audit_runs_nothing_of_what_it_audits(root: Path, tmp_path: Path) -> None:
    """Of its root, of the project around it, or of the folder around that."""
    mark = tmp_path / "was-run"
    for folder in (root, root.parent, tmp_path):
        plant(folder, mark)
    (root / ROWS).write_text("policy,rows\napt,1\n")
    command = [str(LDPT), "audit", "--root", str(root)]
    for folder in (root, root.parent, tmp_path):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        assert f"changed  {root / ROWS}" in done.stdout or "rows.csv: contents" in done.stdout
    assert not mark.exists()


OPTIONS = {"--snakefile": 1, "seed": "--snakefile=1", "--config": {"--cores": 2}}


@pytest.mark.parametrize("with_records", [True, False])
def test_no_trick_of_a_folder_is_executed(root: Path, tmp_path: Path, with_records: bool) -> None:
    """A manifest with options as settings, code under their names, hooks of git, links out."""
    mark, outside = tmp_path / "was-run", tmp_path / "secret.csv"
    plant(root, mark)
    (root / "Snakefile").unlink()  # then the project of the running package is its home
    (root / "1").write_text(PATCH.format(mark=mark))
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    with (root / ".git/config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = touch {mark}\n\tpager = touch {mark}\n")
    outside.write_text("a\n1\n")
    (root / ROWS).unlink()
    (root / ROWS).symlink_to(outside)
    manifest = json.loads((root / MANIFEST).read_text())
    manifest["origin"] = {"files": ["--snakefile=1", "1"], "overrides": OPTIONS}
    manifest["config"] = {}
    (root / MANIFEST).write_text(json.dumps(manifest))
    (root / "README.md").write_text("<!-- a:begin -->\n" * 300_000)
    if not with_records:
        shutil.rmtree(root / "results/records")
    for words in (["trace", "rows"], ["compare", "HEAD", str(root)], ["audit"]):
        done = subprocess.run([str(LDPT), *words], cwd=root, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        assert not mark.exists(), words
    assert done.returncode == 1
    assert ("a symbolic link is not followed" in done.stdout) == with_records


def test_git_does_not_fetch_a_missing_object_of_a_foreign_repository(
    root: Path, tmp_path: Path
) -> None:
    """A repository may name the command that fetches what it lacks."""
    mark, name = tmp_path / "was-run", ["-c", "user.name=x", "-c", "user.email=x"]

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    git("add", MANIFEST)
    git(*name, "commit", "-qm", "x")
    blob = git("rev-parse", f"HEAD:{MANIFEST}")
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(tmp_path),
        "remote.origin.uploadpack": f"touch {mark}; false",
    }.items():
        git("config", key, value)
    for words in (["compare"], ["compare", "HEAD", "."], ["audit"], ["trace", "rows"]):
        subprocess.run([str(LDPT), *words], cwd=root, capture_output=True)
        assert not mark.exists(), words


def test_replay_outside_of_the_project_is_refused_and_says_how(root: Path) -> None:
    message = f"--replay runs code of {root.parent}, which is not .* run `make .venv/ready` and"
    with pytest.raises(ValueError, match=message):
        audit(root, replay=1)


def test_settings_never_become_options_of_snakemake(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path, tmp_path)
    command = _command(project, {"files": ["--cores=9"], "overrides": OPTIONS}, tmp_path)
    words = command[command.index("--configfile") + 1 :]
    assert words == [str(tmp_path / "--cores=9"), str(tmp_path / "overrides.json")]
    assert json.loads((tmp_path / "overrides.json").read_text()) == OPTIONS


def test_a_forged_folder_is_intact_and_only_its_hash_tells(root: Path) -> None:
    """Where trust ends: figure, record, manifest and README agree with each other."""
    shutil.rmtree(root / "results")
    before = run_hash(read_manifest(root))
    figure, sha = root / "figures/rows.png", file_hash(root / "figures/rows.png")
    figure.write_bytes(figure.read_bytes() + b"forged")
    text = (root / MANIFEST).read_text().replace(sha, file_hash(figure))
    (root / MANIFEST).write_text(text)
    (root / "README.md").write_text(run_hash(read_manifest(root)))
    assert audit(root).intact
    (fault,) = audit(root, expect=before).faults
    assert fault.detail.endswith(f"expected {before}")
    assert audit(root, expect=str(audit(root).hash)[:12]).intact


def chain(length: int) -> dict[str, dict]:
    """Records of products of which each was made from the one before."""
    part = {"sha256": "", "rule": "r", "script": "s", "code": {"hash": "", "parts": {}}}
    part |= {"params": {}, "wildcards": {}, "notes": {}, "sources": {}}
    return {
        f"p{n}": {"stable": part | {"inputs": {f"p{n - 1}": ""} if n else {}}, "record_hash": ""}
        | {"volatile": {}}
        for n in range(length)
    }


def test_many_faults_take_time_in_proportion(root: Path) -> None:
    """With one walk over all dependents for each, this would take an hour."""
    records = chain(30_000)
    run = Run(Project(root, root, root), records=records)
    found = [("missing", name, f"gone {number}") for number, name in enumerate(records)]
    faults = list(audits._followed(audits._by_cause(found), run))
    assert len(faults) == len(records)
    assert faults[0].others == len(records) - 1


def test_a_deep_trace_ends_in_one_line(root: Path) -> None:
    records = chain(30_000)
    lines = render_trace(Trace([], "p29999", records, {}), "full").splitlines()
    assert sum("more than 100 steps deep, not shown" in line for line in lines) == 1
    assert max(map(len, lines)) <= 100


def test_a_readme_of_unfinished_parts_is_read_once() -> None:
    """Each mark was once compared with all that follows."""
    text = "<!-- a:begin -->\n" * 300_000 + "x\n<!-- a:end -->"
    assert list(readme_parts(text)) == [("a", "x\n")]


def test_audit_of_a_foreign_folder_says_what_was_not_compared(root: Path) -> None:
    report = audit(root)
    assert report.intact
    assert report.compared[0] == "files with records and manifest"
    assert report.compared[1].startswith("not with the config and code there")


def faults(report: Report, what: str) -> list[str]:
    return [fault.detail for fault in report.faults if what in fault.products]


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        ("[" * 200_000, "is not a record"),
        ('{"stable":' * 400 + "1" + "}" * 400, "is not a record"),
        (record_text({"format": 1, "product": ROWS}, {}), "is not a record"),
        ("", "is not a record"),
        ('{"stable": {}, "stable": {}}', "is not a record"),
        ("\x00\xff", "is not a record"),
        pytest.param("1" * 10_000_001, "has more than 10,000,000 bytes", id="large"),
    ],
)
def test_bad_records_are_one_fault(root: Path, content: str, detail: str) -> None:
    record_path(root, ROWS).write_text(content)
    (text,) = faults(audit(root), ROWS)
    assert text.startswith("its record is invalid:")
    assert text.endswith(detail)


@pytest.mark.parametrize("depth", [10, 300, 500, 900, 5000])
def test_a_deeply_nested_setting_is_one_fault(root: Path, depth: int) -> None:
    """It parses up to some depth and cannot be hashed beyond another."""
    path = record_path(root, ROWS)
    text = path.read_text().replace(
        '"notes": {}', '"notes": ' + '{"a":' * depth + "1" + "}" * depth
    )
    assert text != path.read_text()
    path.write_text(text)
    (detail,) = faults(audit(root), ROWS)
    assert detail.startswith("its record is invalid:")


@pytest.mark.parametrize("key", ["sha256", "inputs", "sources", "code", "rule"])
def test_a_sealed_record_without_a_key_is_one_fault(root: Path, key: str) -> None:
    path = record_path(root, ROWS)
    record = read_record(path)
    stable = {name: value for name, value in record["stable"].items() if name != key}
    path.write_text(record_text(stable, record["volatile"]))
    (detail,) = faults(audit(root), ROWS)
    assert detail.endswith("is not a record")


@pytest.mark.parametrize(
    "content",
    [
        "[" * 200_000,
        "[]",
        "{}",
        '{"format": 2, "config": {}, "origin": {}, "jobs": [{"products": {"a": 1}}]}',
        '{"format": 2, "config": {}, "origin": 1, "jobs": []}',
        "\x00",
    ],
)
def test_bad_manifests_are_one_fault(root: Path, content: str) -> None:
    (root / MANIFEST).write_text(content)
    report = audit(root)
    (detail,) = [d for d in faults(report, MANIFEST) if d.startswith("not a manifest")]
    assert len(detail) < 400


@pytest.mark.parametrize("which", ["product", "record", "manifest"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "huge"])
def test_files_that_are_no_plain_files_are_faults(root: Path, which: str, kind: str) -> None:
    path = {"product": root / ROWS, "record": record_path(root, ROWS), "manifest": root / MANIFEST}
    victim = path[which]
    victim.unlink()
    if kind == "pipe":
        os.mkfifo(victim)
    elif kind == "link":
        victim.symlink_to("/dev/zero")
    elif kind == "folder":
        victim.mkdir()
    else:
        with victim.open("wb") as file:
            file.truncate(10**13)
    report = audit(root)
    what = MANIFEST if which == "manifest" else ROWS
    reasons = {
        "pipe": "not a regular file",
        "link": "a symbolic link is not followed",
        "folder": "not a regular file",
        "huge": "larger than",
    }
    if which == "record" and kind == "folder":
        assert found(report) == {("record", ROWS)}
        return
    assert any(reasons[kind] in detail for detail in faults(report, what)), render_audit(report)


def test_a_pipe_among_the_records_does_not_hang(root: Path) -> None:
    os.mkfifo(root / "results" / "records" / "x.json")
    assert ("record", "x") in found(audit(root))


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "a/../../secret", "", "a\0b"])
def test_names_that_lead_out_of_the_root_are_faults(root: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("x")
    manifest = json.loads((root / MANIFEST).read_text())
    manifest["jobs"][0]["products"][name] = {"sha256": "0" * 64, "record_hash": "0" * 64}
    (root / MANIFEST).write_text(json.dumps(manifest))
    (detail,) = faults(audit(root), name)
    assert detail == "not read: the name leads out of the folder"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * 2_000_000, None])
def test_a_readme_that_is_no_text_does_not_end_the_audit(root: Path, content: bytes | None) -> None:
    if content is None:
        os.mkfifo(root / "README.md")
    else:
        (root / "README.md").write_bytes(content)
    assert audit(root).intact


def test_a_manifest_of_another_run_does_not_hide_missing_products(root: Path) -> None:
    manifest = json.loads((root / MANIFEST).read_text())
    for job in manifest["jobs"]:
        job["products"].pop(SHARD, None)
    (root / MANIFEST).write_text(json.dumps(manifest))
    (root / OTHER_SHARD).unlink()
    assert {("changed", MANIFEST), ("missing", OTHER_SHARD)} <= found(audit(root))


def test_file_within_follows_links_only_where_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(ValueError, match="a symbolic link is not followed"):
        file_within(tmp_path, "b")
    assert file_within(tmp_path, "b", links=True) == tmp_path / "b"
    with pytest.raises(ValueError, match="larger than 0 bytes"):
        file_within(tmp_path, "b", most=0, links=True)
