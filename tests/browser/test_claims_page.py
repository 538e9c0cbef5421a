"""The page of verdicts in a real browser: folding, search, links to single rows."""

import re
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.conftest import complaints, opened
from tests.plots import scripts
from tests.replication.claims.judging import PROJECT, REGISTERED
from tests.replication.claims.test_register import document

claims_page = scripts.load("scripts/claims_page.py")
pytestmark = pytest.mark.browser
ROOTS = {row["id"] for row in REGISTERED if row["id"] == row["root"]}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("claims") / "claims.html"
    text = claims_page.render(
        PROJECT / "workflow/pages/claims", document(), file.parent, {"commit": "abc1234"}
    )
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def claims(browser: webdriver.Chrome, page: Path) -> webdriver.Chrome:
    return opened(browser, page)


def shown(browser: webdriver.Chrome) -> set[str]:
    """Rows that a reader sees without a click."""
    script = """return [...document.querySelectorAll("details.row")]
        .filter((row) => row.checkVisibility()).map((row) => row.id)"""
    return set(browser.execute_script(script))


def enter(browser: webdriver.Chrome, words: str) -> None:
    field = browser.find_element(By.ID, "query")
    field.clear()
    field.send_keys(words)


def test_claims_page_opens_without_an_error(claims: webdriver.Chrome) -> None:
    assert complaints(claims) == []
    assert (
        claims.find_element(By.ID, "shown").text == f"{len(REGISTERED)} of {len(REGISTERED)} rows"
    )


def test_claims_page_is_dark_where_the_reader_prefers_it(claims: webdriver.Chrome) -> None:
    script = """const look = getComputedStyle(document.body);
        return [look.color, look.backgroundColor];"""
    media = "Emulation.setEmulatedMedia"
    looks = []
    for scheme in ("dark", "light"):
        wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        claims.execute_cdp_cmd(media, wish)
        looks.append(
            [sum(map(int, re.findall(r"\d+", c)[:3])) for c in claims.execute_script(script)]
        )
    claims.execute_cdp_cmd(media, {"features": []})
    (dark_ink, dark_paper), (ink, paper) = looks
    assert dark_ink > dark_paper
    assert ink < paper


def test_claims_page_is_folded_to_the_roots(claims: webdriver.Chrome) -> None:
    assert shown(claims) == ROOTS
    assert not claims.find_elements(By.CSS_SELECTOR, "details.row[open]")


def test_unfold_shows_every_row_and_fold_hides_them_again(claims: webdriver.Chrome) -> None:
    claims.find_element(By.ID, "unfold").click()
    assert shown(claims) == {row["id"] for row in REGISTERED}
    claims.find_element(By.ID, "fold").click()
    assert shown(claims) == ROOTS


def test_claims_search_shows_matching_rows_and_their_roots(claims: webdriver.Chrome) -> None:
    enter(claims, "hoeffding's inequality bounds deviation")
    assert shown(claims) == {"D2", "D38"}  # a child, and the root that opens for it
    assert claims.find_element(By.ID, "shown").text == f"1 of {len(REGISTERED)} rows"
    enter(claims, "x40")
    assert shown(claims) == {"X40"}


def test_claims_search_without_a_match_says_so_and_clearing_restores(
    claims: webdriver.Chrome,
) -> None:
    enter(claims, "no such words anywhere")
    assert shown(claims) == set()
    assert claims.find_element(By.ID, "nothing").is_displayed()
    claims.execute_script(
        "const f = document.getElementById('query'); f.value = '';"
        "f.dispatchEvent(new Event('input'));"
    )
    assert shown(claims) >= ROOTS
    assert not claims.find_element(By.ID, "nothing").is_displayed()


TYPOS = {row["id"] for row in REGISTERED if row["level"] == "typo"}


@pytest.mark.parametrize(("verdict", "rows"), [("not tested", {"D50", "D63"}), ("typo", TYPOS)])
def test_claims_filter_keeps_rows_of_a_verdict(
    claims: webdriver.Chrome, verdict: str, rows: set[str]
) -> None:
    claims.execute_script(
        "const f = document.getElementById('verdict'); f.value = arguments[0];"
        "f.dispatchEvent(new Event('change'));",
        verdict,
    )
    assert shown(claims) == rows


def test_claims_link_to_a_folded_row_opens_it(browser: webdriver.Chrome, page: Path) -> None:
    browser.get("about:blank")
    browser.get(page.resolve().as_uri() + "#D38")
    assert "D38" in shown(browser)
    row = browser.find_element(By.ID, "D38")
    assert row.get_attribute("open") is not None
    assert "Hoeffding" in row.text


def test_formulas_have_real_subscripts(claims: webdriver.Chrome) -> None:
    row = claims.find_element(By.ID, "T3.1")
    assert row.find_element(By.CSS_SELECTOR, "summary sub").text == "ε"
