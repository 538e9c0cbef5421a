"""The page of verdicts: every row once, under its root, with readable formulas and links."""

import re
from pathlib import Path

import pytest

from tests.plots import scripts
from tests.replication.claims.judging import PROJECT, REGISTERED
from tests.replication.claims.test_register import document

claims_page = scripts.load("scripts/claims_page.py")
PAGE = PROJECT / "workflow/pages/claims"
MADE = {"commit": "abc1234"}


@pytest.fixture(scope="module")
def page() -> str:
    return claims_page.render(PAGE, document(), Path("results/smoke/results"), MADE)


def test_render_holds_every_row_once(page: str) -> None:
    assert sorted(re.findall(r'<details class="row" id="([^"]+)"', page)) == sorted(
        row["id"] for row in REGISTERED
    )


def test_render_puts_children_under_their_root(page: str) -> None:
    root = page.index('<details class="row" id="D2"')
    child = page.index('<details class="row" id="D38"')  # a step of another theorem
    following = page.index('<details class="row" id="D20"')
    assert root < child < following


def test_render_has_one_line_per_theorem(page: str) -> None:
    section = page[page.index('id="theorems"') : page.index('id="about"')]
    assert re.findall(r'<a href="#([^"]+)">', section) == ["L2.1", "T3.1", "T3.2", "T4.1", "T4.2"]


def test_render_leaves_no_markup_of_the_register(page: str) -> None:
    body = page[page.index("<main>") : page.index("</main>")]
    assert not re.search(r"[_^]\{|`|<=|>=", body)
    assert "H<sub>ε</sub>" in body
    assert "e<sup>2ε</sup>" in body


def test_render_leaves_no_placeholder(page: str) -> None:
    assert not re.search(r"\{\{ |\{% ", page)


def test_render_links_evidence_and_scripts(page: str) -> None:
    assert 'href="evidence/displays.json"' in page
    links = set(re.findall(r'href="([^"]+\.py)"', page))
    assert links == {
        f"../../../scripts/evidence_{name}.py" for name in ("displays", "chains", "measured")
    }
    assert all((PROJECT / link.removeprefix("../../../")).is_file() for link in links)


def test_render_needs_no_network(page: str) -> None:
    assert re.findall(r"https?://[^\"<]+", page) == 2 * ["https://arxiv.org/abs/2507.23073"]


def test_render_names_paper_commit_and_proofs(page: str) -> None:
    head = page[: page.index('id="tools"')]
    for words in ("Locally Differentially Private Thresholding Bandits", "Barbara", "abc1234"):
        assert words in head
    assert 'href="../../../paper/report.pdf#proof-upper">Appendix A.3</a>' in page


def test_render_opens_with_the_five_results_and_says_how_to_redo_a_row(page: str) -> None:
    assert page.index('id="theorems"') < page.index('id="failure"') < page.index('id="legend"')
    row = page[page.index('id="T4.1" data') : page.index('id="T4.1-runs" data')]
    assert "snakemake claims --forcerun evidence_chains" in row
    assert "ldpt trace T4.1" in row
    assert "one &gt;= 1" not in row  # shown with a sign
    assert "one ≥ 1 (one = 1)" in row


def test_render_escapes_what_the_register_says() -> None:
    found = document()
    found["claims"][0]["statement"] = "<b>bold</b> & H_{ε}"
    page = claims_page.render(PAGE, found, Path("results"), MADE)
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; H<sub>ε</sub>" in page


def test_sections_of_the_appendix_are_numbered() -> None:
    found = claims_page.appendix_sections("== Tools <proof-tools>\n\n== Bounds <proof-upper>\n")
    assert found == {"proof-tools": "A.1", "proof-upper": "A.2"}


def test_a_criterion_is_readable() -> None:
    shown = claims_page.readable("largest_ratio <= 1 and violations == 0")
    assert shown == "largest ratio ≤ 1 and violations = 0"
