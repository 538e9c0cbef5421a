"""What is kept in git was made by the code and the config beside it."""

from pathlib import Path

import pytest
import yaml
from PIL import Image
from pypdf import PdfReader

from ldpt.provenance import code_hash, stable_hash
from ldpt.util.json_values import plain
from tests.conftest import PROJECT
from tests.plots import scripts

CONFIG = yaml.safe_load((PROJECT / "config" / "config.yaml").read_text(encoding="utf-8"))


def expected(name: str) -> dict[str, str]:
    """What a figure that this tree draws would carry inside, as far as the tree alone tells."""
    settings = {"params": plain(scripts.params(name, CONFIG)), "wildcards": {}}
    return {
        "ldpt-rule": name,
        "ldpt-code": code_hash(PROJECT / "scripts" / f"{name}.py")[:16],
        "ldpt-settings": stable_hash(settings)[:16],
    }


def keywords(pdf: Path) -> dict[str, str]:
    words = (PdfReader(pdf).metadata or {}).get("/Keywords", "")
    return dict(word.split("=", 1) for word in str(words).split())


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_committed_figure_is_not_older_than_what_draws_it(name: str) -> None:
    stem = PROJECT / "figures" / name
    drawn = Image.open(stem.with_suffix(".png")).info
    wanted = expected(name)
    assert {key: drawn.get(key) for key in wanted} == wanted
    assert keywords(stem.with_suffix(".pdf"))["ldpt-inputs"] == drawn["ldpt-inputs"]


def test_committed_article_is_there() -> None:
    """``README.md`` links it; its bytes are compared with those of a run by the audit."""
    assert len(PdfReader(PROJECT / "paper" / "report.pdf").pages) > 12


def test_article_is_left_out_of_the_html_report() -> None:
    """Chromium shows a blank page instead of a data URI of more than 2 MiB."""
    rules = (PROJECT / "workflow" / "rules" / "publish.smk").read_text(encoding="utf-8")
    article = rules.split("\nrule article:")[1].split("\nrule ")[0]
    assert '"<paper>/report.pdf"' in article
    assert "report(" not in article
