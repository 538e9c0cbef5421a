"""The page of the notebook depends on the tables of the run alone."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.plots.scripts import load


def test_messages_about_the_machine_go_to_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import sys\nprint('a table')\nprint('no cache in /home', file=sys.stderr)\nRUN"
    notebook = tmp_path / "explore.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("RUN = '.'"), new_code_cell(code)]), notebook)
    page = load("scripts/run_notebook.py").execute(str(notebook), "here")
    table, value = page.cells[1].outputs
    assert table.text == "a table\n"
    assert value.data["text/plain"] == "'here'"
    assert capsys.readouterr().err.endswith("no cache in /home\n")
