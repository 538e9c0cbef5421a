"""What people read: the article, its numbers, the notebook and the README."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT
from tests.plots.scripts import FIGURES, load

readme = load("docs/readme.py")

ARTICLE = PROJECT / "paper" / "report.typ"
LAYOUT = PROJECT / "paper" / "layout.typ"
RELATED = PROJECT / "paper" / "related.typ"
PROOFS = PROJECT / "paper" / "proofs.typ"
README = PROJECT / "README.md"
NOTEBOOK = PROJECT / "workflow" / "notebooks" / "explore.ipynb"

# What may stand in prose as digits: the paper's own numbering.
NUMBERED = re.compile(r"\b(?:Algorithm|Lemma|Theorems?|Section) \d(?:\.\d)?(?: and \d\.\d)?")
# Integers of the paper's formulas; a number with a point is measured or chosen, and never typed.
FORMULA_CONSTANTS = {"0", "1", "2", "3", "4", "5", "8", "9", "16", "32", "36", "499", "512"}
RELATED_CONSTANTS = {"1.35"}  # of Tao et al., who chose it
PROOF_CONSTANTS = {
    *("6", "7", "12", "18", "24", "30", "54", "56", "126", "252", "300", "502"),
    *("0.78", "0.82", "2.4", "3.3", "0.95", "0.9", "128", "800"),  # by hand
    *("0.001", "0.999", "0.2", "0.998", "10", "11", "20", "50"),  # accuracy of the table of coin
    "1936",  # Doob
}


def typed_numbers(source: str) -> list[str]:
    """Digits that somebody typed where a number of the run belongs."""
    layout = r"^(?://|#import|#bibliography|#counter|#set|#include).*$"
    prose = re.sub(layout, "", source, flags=re.MULTILINE)
    options = r"(?:, \d)?(?:, width: \d+%)?(?:, placement: none)?(?:, nothing: \[[a-z ]+\])?"
    prose = re.sub(rf"#?(?:n|count|verdict|row|drawn)\(\"[^\"]*\"{options}\)", "", prose)
    prose = re.sub(r"`[^`]*`|@\w+|<\w+>", "", prose)
    formulas = re.findall(r"\$[^$]*\$", prose)
    inside = [d for f in formulas for d in re.findall(r"\d+(?:\.\d+)?", f)]
    outside = NUMBERED.sub("", re.sub(r"\$[^$]*\$", "", prose))
    return [d for d in inside if d not in FORMULA_CONSTANTS] + re.findall(r"\d[\d.,]*", outside)


def test_article_contains_no_typed_number() -> None:
    assert typed_numbers(ARTICLE.read_text(encoding="utf-8")) == []


def test_related_work_contains_only_numbers_of_others() -> None:
    assert set(typed_numbers(RELATED.read_text(encoding="utf-8"))) == RELATED_CONSTANTS


def test_proofs_contain_no_typed_number_except_constants() -> None:
    assert set(typed_numbers(PROOFS.read_text(encoding="utf-8"))) == PROOF_CONSTANTS


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("It errs with probability 0.304.", ["0.304."]),
        ("with $delta = 0.1$ it errs", ["0.1"]),
        ("a ratio of $4.68$ at $epsilon = 1$", ["4.68"]),
        ("in 20 000 runs", ["20", "000"]),
        ('Theorem 4.1 gives #n("theory:price:4") (#row("D7"): #verdict("D7")) at $H\\/16$', []),
        ('as claim (D7) says #drawn("privacy_cost", width: 84%)', ["7"]),
    ],
)
def test_typed_numbers_finds_a_typed_number(words: str, found: list[str]) -> None:
    assert typed_numbers(words) == found


def test_article_loses_no_semicolon_behind_a_number() -> None:
    """Typst takes one that follows code for its end and does not print it, unless it is escaped."""
    assert re.findall(r'#\w+\("[^"]*"\);', ARTICLE.read_text(encoding="utf-8")) == []


# --- a run of the whole chain ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(smoke: Path) -> Path:
    """The tree that the smoke config has written."""
    return smoke / "results" / "smoke"


@pytest.fixture(scope="module")
def pages(run: Path) -> list[str]:
    """The words of each page of the article."""
    from pypdf import PdfReader

    read = PdfReader(run / "paper" / "report.pdf").pages
    return [page.extract_text().replace("\u00a0", " ") for page in read]


def page_of(pages: list[str], words: str) -> int:
    """The only page on which a line begins with these words."""
    found = [n for n, page in enumerate(pages) if re.search(rf"^{words}", page, re.MULTILINE)]
    assert len(found) == 1, (words, found)
    return found[0]


def drawn_figures() -> list[str]:
    """The figures of the article, in the text or in a part of its layout."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (ARTICLE, LAYOUT))
    return re.findall(r'\bdrawn\("(\w+)"', sources)


@pytest.mark.workflow
def test_article_has_a_main_text_of_seven_pages_and_at_most_24_in_all(pages: list[str]) -> None:
    assert page_of(pages, r"\d+ Conclusion$") <= 6  # pages count from 0
    assert len(pages) <= 24


@pytest.mark.workflow
def test_figures_are_placed_near_their_reference(pages: list[str]) -> None:
    """On the page that first names them or the next one, and none among the references."""
    drawn = drawn_figures()
    assert {*drawn} == {*FIGURES} - {"privacy_cost"}  # a picture of the manual
    references = range(page_of(pages, "References$"), page_of(pages, "A Proofs$") + 1)
    for position in range(1, len(drawn) + 1):
        stands = page_of(pages, rf"Figure {position}\. ")
        prose = [re.sub(rf"^Figure {position}\. ", "", page, flags=re.M) for page in pages]
        named = [n for n, page in enumerate(prose) if re.search(rf"Figure {position}\b", page)]
        assert stands - named[0] in (0, 1), (position, named, stands)
        assert stands not in references


@pytest.mark.workflow
def test_each_caption_names_the_script_and_the_record_of_its_figure(
    pages: list[str], run: Path
) -> None:
    words = re.sub(r"\s", "", "".join(pages))
    for name in drawn_figures():
        record = json.loads((run / f"results/records/figures/{name}.pdf.json").read_text())
        assert f"scripts/{name}.py,record{record['record_hash'][:12]}." in words


@pytest.mark.workflow
def test_article_shows_the_numbers_of_its_run(run: Path, pages: list[str]) -> None:
    gathered = json.loads((run / "results" / "numbers.json").read_text(encoding="utf-8"))
    sources = "".join(path.read_text(encoding="utf-8") for path in (ARTICLE, LAYOUT, PROOFS))
    optional = set(re.findall(r'#if "([^"]+)" in numbers', sources))  # left out where unknown
    found = re.findall(r'\b(?:n|count)\("([^"]+:[^"]+)"(, \d)?', sources)
    asked = {name for name, _ in found if not name.endswith(":")} - optional
    assert len(asked) > 60
    assert asked <= set(gathered)
    words = re.sub(r"\s", "", "".join(pages))
    whole = asked & {name for name, digits in found if not digits} - {"study:config-hash"}  # cut
    lost = [name for name in whole if re.sub(r"\s", "", gathered[name]["text"]) not in words]
    assert lost == []


@pytest.mark.workflow
def test_article_comes_out_the_same_twice(
    run: Path, smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import runpy

    monkeypatch.chdir(smoke)
    typeset = runpy.run_path(str(PROJECT / "scripts" / "article.py"))["typeset"]
    again = tmp_path / "report.pdf"
    typeset("paper/report.typ", Path("results/smoke"), str(again))
    assert again.read_bytes() == (run / "paper" / "report.pdf").read_bytes()


@pytest.mark.workflow
def test_notebook_ran_and_its_page_is_self_contained(run: Path, smoke: Path) -> None:
    page = (run / "results" / "explore" / "explore.html").read_text(encoding="utf-8")
    assert str(smoke) not in page
    assert "snakemake-job-properties" not in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=\"https?:", page)
    assert page.count("<img ") == 2
    assert "A simulation beside the run" in page


@pytest.mark.workflow
def test_findings_of_a_run_are_filled(run: Path) -> None:
    findings = (run / "figures" / "findings.md").read_text(encoding="utf-8")
    assert "{{" not in findings
    assert len(re.findall(r"^\d\. \*\*", findings, re.MULTILINE)) == 3


def test_notebook_in_the_repository_holds_no_output() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


# --- the README -----------------------------------------------------------------------------------


@pytest.fixture
def paper_scale() -> None:
    """The generated parts can be judged once a run at paper scale is kept in figures/."""
    if not (PROJECT / readme.FINDINGS).is_file():
        pytest.skip("figures/ holds no run at paper scale; after one, `make readme`")


@pytest.mark.usefixtures("paper_scale")
def test_readme_findings_match_the_run_at_paper_scale() -> None:
    found = readme.part(README.read_text(encoding="utf-8"), "findings")
    assert found == (PROJECT / readme.FINDINGS).read_text(encoding="utf-8")


def test_readme_replace_changes_one_part_only() -> None:
    text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    assert readme.with_part(text, "x", "new\n") == text.replace("old", "new")
    with pytest.raises(ValueError, match="no part 'y'"):
        readme.part(text, "y")


def test_readme_example_runs() -> None:
    example = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(example) == 1
    names: dict[str, Any] = {}
    exec(compile(example[0], "README.md", "exec"), names)
    assert set(names["runs"]["epsilon"]) == {0.5, 1.0, 2.0, 4.0}
    assert names["runs"]["correct"].mean() > 0.95


def test_readme_links_to_existing_paths() -> None:
    text = README.read_text(encoding="utf-8")
    built = ("figures/", "paper/report.pdf", "paper/verdicts.md", "http")  # made by the run
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith(built)]
    assert links
    assert [link for link in links if not (PROJECT / link).exists()] == []
