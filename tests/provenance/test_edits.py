"""A script that is edited during a run: no record names code that did not run."""

from pathlib import Path

import pytest

from ldpt.provenance import code_hash, read_record, record_path
from tests.conftest import small_project, snakemake
from tests.provenance.products import ROWS

pytestmark = pytest.mark.runs
EDIT = """
from pathlib import Path
script = Path("scripts/count_rows.py")
script.write_text(script.read_text().replace("policy,rows", "policy,lines"))
"""


def test_a_script_edited_while_an_earlier_job_runs_fails_its_own_job(tmp_path: Path) -> None:
    """Snakemake executes the copy that it took before; the next run makes all agree."""
    folder = small_project(tmp_path)
    earlier = folder / "scripts/instances.py"
    earlier.write_text(EDIT + earlier.read_text())
    done = snakemake(folder, cores=1)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "the code was edited during the run (scripts/count_rows.py): run snakemake again" in said
    assert not (folder / "out" / ROWS).exists()
    done = snakemake(folder, cores=1)
    assert done.returncode == 0, done.stderr
    recorded = read_record(record_path(folder / "out", ROWS))["stable"]["code"]["hash"]
    assert recorded == code_hash(folder / "scripts/count_rows.py")
    assert (folder / "out" / ROWS).read_text().startswith("policy,lines")
