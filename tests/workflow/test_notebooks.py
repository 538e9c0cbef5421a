"""Both notebooks run in plain Jupyter: one on a finished run, one without any."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import PROJECT

pytestmark = pytest.mark.runs


def pictures(notebook: Path, folder: Path) -> int:
    """Execute a notebook in a folder and return the number of pictures that its cells show."""
    content = nbformat.read(notebook, as_version=4)
    NotebookClient(content, timeout=300, resources={"metadata": {"path": folder}}).execute()
    outputs = [output for cell in content.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_the_tutorial_needs_no_run(tmp_path: Path) -> None:
    assert pictures(PROJECT / "workflow" / "notebooks" / "tutorial.ipynb", tmp_path) >= 2


def test_the_notebook_opens_a_finished_run_and_writes_nothing(smoke: Path, tmp_path: Path) -> None:
    folder = smoke / "workflow" / "notebooks"
    before = sorted(path.name for path in folder.iterdir())
    copy = shutil.copy(folder / "explore.ipynb", tmp_path)
    assert pictures(Path(copy), folder) == 2
    assert sorted(path.name for path in folder.iterdir()) == before
