"""The RO-Crate of a finished run: valid by its profile, and a project again when unpacked."""

import io
import json
import shutil
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance import file_hash, record_path, rocrate
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.dag import JobPlan
from ldpt.provenance.manifest import MANIFEST
from tests.conftest import snakemake
from tests.provenance.products import PRODUCTS, ROWS, flip

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
# The package rocrate comes with the terms of RO-Crate 1.3; in 1.1 these four had other addresses.
TERMS_OF_1_1 = {
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}


@pytest.fixture(scope="module")
def packed(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("crate") / "run.zip"
    assert cli.main(["crate", str(file), "--root", str(small_run / "out")]) == 0
    return file


@pytest.fixture
def offline_cache(tmp_path: Path) -> Path:
    """The validator's cache, holding the one page that it would fetch."""
    import requests
    import urllib3
    from requests_cache import CachedSession

    bundled = json.loads((resources.files("rocrate") / "data/ro-crate.jsonld").read_text())
    content = json.dumps({"@context": bundled["@context"] | TERMS_OF_1_1}).encode()
    response = requests.Response()
    response.status_code, response.url, response._content = 200, CONTEXT, content
    response.headers["Content-Type"] = "application/ld+json"
    response.request = requests.Request("GET", CONTEXT).prepare()
    body = io.BytesIO(content)
    response.raw = urllib3.HTTPResponse(
        body, response.headers, 200, request_url=CONTEXT, preload_content=False
    )
    session = CachedSession(str(tmp_path / "cache"), backend="sqlite", expire_after=-1)
    session.cache.save_response(response)
    session.close()
    return tmp_path / "cache"


def issues(path: Path, cache: Path) -> list[str]:
    """What the validator objects to among the required and recommended checks."""
    from rocrate_validator import services

    settings = services.ValidationSettings(
        rocrate_uri=str(path),
        profile_identifier="workflow-run-crate-0.5",
        requirement_severity="RECOMMENDED",
        offline=True,
        cache_path=cache,
        skip_availability_check=True,
    )
    messages = [str(issue.message) for issue in services.validate(settings).get_issues()]
    # Files have relative identifiers in a crate, so this objection to the code among them stays.
    return [text for text in messages if "id SHOULD be an absolute URI" not in text]


def metadata(path: Path) -> dict[str, dict]:
    """The entities of a crate by their identifiers."""
    with zipfile.ZipFile(path) as archive:
        graph = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
    return {entity["@id"]: entity for entity in graph}


def test_crate_passes_all_checks_of_its_profile(packed: Path, offline_cache: Path) -> None:
    assert issues(packed, offline_cache) == []


def test_crate_validator_objects_to_a_broken_crate(
    packed: Path, offline_cache: Path, tmp_path: Path
) -> None:
    """The check above can fail: without the link from run to workflow it does."""
    folder = tmp_path / "unpacked"
    shutil.unpack_archive(packed, folder)
    path = folder / "ro-crate-metadata.json"
    content = json.loads(path.read_text())
    for entity in content["@graph"]:
        if entity["@type"] == "CreateAction":
            del entity["instrument"]
    path.write_text(json.dumps(content))
    assert any("MUST have an instrument" in text for text in issues(folder, offline_cache))


def test_unpacked_it_is_a_project_that_audits(packed: Path, plan: JobPlan, tmp_path: Path) -> None:
    shutil.unpack_archive(packed, tmp_path / "unpacked")
    report = audit(tmp_path / "unpacked" / "out", replay=1, trust=True, plan=plan)
    assert report.intact, render_audit(report)


def test_a_continued_crate_notices_a_changed_seed(packed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    shutil.unpack_archive(packed, folder)
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace("seed: 7", "seed: 8"))
    done = snakemake(folder, "--dry-run")
    assert done.returncode == 1
    assert "5 products under out came from another folder" in done.stdout + done.stderr
    assert "; settings changed: seed was 7, is 8;" in done.stdout + done.stderr


def test_crate_on_a_full_disk_is_one_line(small_root: Path, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("mounting a small disk needs the rights of an administrator")
    (tmp_path / "disk").mkdir()
    command = f"mount -t tmpfs -o size=8k none {tmp_path}/disk && exec {sys.executable} -m ldpt.cli"
    command += f" crate {tmp_path}/disk/run.zip --root {small_root}; ls {tmp_path}/disk"
    done = subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write" in done.stderr
    assert "No space left" in done.stderr
    assert done.stdout == ""


def test_crate_has_an_action_with_config_and_products_of_the_run(packed: Path) -> None:
    entities = metadata(packed)
    (run,) = [e for e in entities.values() if e["@type"] == "CreateAction"]
    assert identifiers(run["object"]) == ["config.yaml", "words.txt"]
    assert set(identifiers(run["result"])) == {f"out/{name}" for name in (*PRODUCTS, MANIFEST)}
    assert entities[f"out/{record_path('', ROWS)}"]["about"] == {"@id": f"out/{ROWS}"}
    assert run["startTime"] < run["endTime"]
    assert {"words.txt", "scripts/count_rows.py", "Snakefile"} <= entities.keys()


def identifiers(value: dict | list) -> list[str]:
    return [item["@id"] for item in (value if isinstance(value, list) else [value])]


def test_crate_hashes_match_its_files(packed: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(packed, tmp_path / "unpacked")
    hashed = {name: e["sha256"] for name, e in metadata(packed).items() if "sha256" in e}
    assert len(hashed) > 20
    for name, sha in hashed.items():
        assert file_hash(tmp_path / "unpacked" / name) == sha


def test_crate_of_the_same_run_has_the_same_bytes(
    packed: Path, small_root: Path, tmp_path: Path
) -> None:
    rocrate.write(tmp_path / "again.zip", small_root)
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()


@pytest.mark.parametrize("damage", [ROWS, MANIFEST, record_path("", ROWS).as_posix()])
def test_crate_refuses_a_damaged_run(
    small_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture, damage: str
) -> None:
    flip(small_root / damage)
    assert cli.main(["crate", str(tmp_path / "run.zip"), "--root", str(small_root)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "run.zip").exists()


@pytest.mark.parametrize(
    ("out", "message"),
    [("run.tar", "must end in .zip"), ("nowhere/run.zip", "no folder")],
)
def test_crate_refuses_a_bad_name_in_one_line(
    small_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture, out: str, message: str
) -> None:
    assert cli.main(["crate", str(tmp_path / out), "--root", str(small_root)]) == 2
    assert message in capsys.readouterr().err


def test_crate_refuses_an_unfinished_run(
    small_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (small_root / MANIFEST).unlink()
    assert cli.main(["crate", str(tmp_path / "run.zip"), "--root", str(small_root)]) == 2
    assert "finish the run first" in capsys.readouterr().err
