"""``config/README.md`` is what the schema says, and explains every key."""

from ldpt.publishing import config_reference


def test_config_readme_equals_the_schema() -> None:
    """If it fails: python -m ldpt.publishing.config_reference"""
    assert config_reference.PAGE.read_text(encoding="utf-8") == config_reference.page()


def test_schema_explains_every_key() -> None:
    rows = [line for line in config_reference.page().splitlines() if line.startswith("| `")]
    unexplained = [row.split("`")[1] for row in rows if row.endswith("|  |")]
    assert len(rows) > 60
    assert unexplained == []
