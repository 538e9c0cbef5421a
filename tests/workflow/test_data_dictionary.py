"""docs/reference/tables.md describes the tables that a run writes, column by column."""

import re
from pathlib import Path

import pytest

from tests.conftest import PROJECT

PAGE = (PROJECT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
PARTS = re.compile(r"results/rare/\w+/")  # gathered into one table per kind


def described() -> dict[str, set[str]]:
    """The columns that the page names for each table."""
    rows = re.findall(r"^\| `(results/\S+\.(?:csv|parquet))` \| (.*) \|$", PAGE, flags=re.MULTILINE)
    return {path: set(re.findall(r"`([^`]+)`", text)) for path, text in rows}


def general(path: str) -> str:
    """The name under which the page describes a file of runs."""
    return re.sub(r"(fixed_\w+)/[^/]+\.parquet$", r"\1/FAMILY.parquet", path)


@pytest.mark.workflow
def test_data_dictionary_describes_every_table_of_a_run(smoke: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    root, page, seen = smoke / "results" / "smoke", described(), set()
    for file in sorted(root.rglob("results/**/*")):
        path = file.relative_to(root).as_posix()
        if file.suffix == ".csv" and not PARTS.match(path):
            columns = set(pyarrow.csv.read_csv(file).column_names)
        elif file.suffix == ".parquet":
            columns = set(pyarrow.parquet.read_schema(file).names)
            columns = {re.sub(r"^pulls_\d+$", "pulls_i", name) for name in columns}
        else:
            continue
        assert general(path) in page, path
        assert columns <= page[general(path)], path
        seen.add(general(path))
    assert seen == set(page)
