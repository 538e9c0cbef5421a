"""Snakemake's own report of a run, opened in a real browser with no network."""

import re
import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import PATIENCE, complaints, opened
from tests.conftest import snakemake
from tests.plots.scripts import FIGURES

pytestmark = [pytest.mark.browser, pytest.mark.workflow]
MAX_DATA_URI = 2 * 1024**2  # a longer one is a blank page in Chromium
CATEGORIES = {"Verdicts", "Explore", "Fixed budget", "Fixed confidence", "Privacy"}


@pytest.fixture(scope="module")
def page(smoke: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a copy of the smoke run, by the command of ``make html``."""
    folder = tmp_path_factory.mktemp("report") / "ldpt"
    volatile = shutil.ignore_patterns("locks", "log", "*.nb[ci]")  # others may read ``smoke`` now
    shutil.copytree(smoke, folder, ignore=volatile)
    file = folder / "results" / "smoke" / "report.html"
    done = snakemake(folder, "--report", str(file), "--configfile", "config/smoke.yaml")
    assert done.returncode == 0, done.stderr[-4000:]
    return file


@pytest.fixture(scope="module")
def reported(browser: webdriver.Chrome, page: Path) -> webdriver.Chrome:
    """The report, opened once for all tests: each leaves it as it was, but for the last one."""
    opened(browser, page)
    menu = (By.XPATH, "//*[text()='Fixed budget']")
    WebDriverWait(browser, PATIENCE).until(lambda b: b.find_elements(*menu))
    return browser


def test_report_opens_without_an_error_and_without_network(
    reported: webdriver.Chrome,
) -> None:
    assert complaints(reported) == []
    asked = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
    assert reported.execute_script(asked) == []


def test_report_shows_every_figure(reported: webdriver.Chrome) -> None:
    script = """
        const done = arguments[0];
        Promise.all(Object.values(results).filter((r) => r.mime_type === 'image/png').map((r) =>
          new Promise((resolve) => {
            const image = new Image();
            image.onload = () => resolve([r.name, image.naturalWidth]);
            image.onerror = () => resolve([r.name, 0]);
            image.src = r.data_uri;
          }))).then(done);"""
    widths = dict(reported.execute_async_script(script))
    assert sorted(widths) == sorted(f"{name}.png" for name in FIGURES)
    assert min(widths.values()) > 500


def test_report_captions_are_filled(
    reported: webdriver.Chrome,
) -> None:
    script = """
        const text = (html) => {
          const box = document.createElement('div'); box.innerHTML = html; return box.textContent;
        };
        return Object.values(results).map((r) => [r.name, text(r.caption || '')]);"""
    captions = {name: " ".join(text.split()) for name, text in reported.execute_script(script)}
    for name in FIGURES:
        caption = captions[f"{name}.png"]
        assert caption
        assert not re.search(r"\{|\bnan\b", caption)


def test_report_holds_pages_that_chromium_can_open_and_not_the_article(
    reported: webdriver.Chrome,
) -> None:
    script = "return Object.entries(results).map(([path, r]) => [path, r.data_uri.length])"
    lengths = dict(reported.execute_script(script))
    names = {Path(path).name for path in lengths}
    assert names >= {"claims.html", "explorer.html", "explore.html"}
    assert "report.pdf" not in names
    assert max(lengths.values()) < MAX_DATA_URI


def test_categories_rules_and_run_times_are_there(reported: webdriver.Chrome) -> None:
    assert set(reported.execute_script("return Object.keys(categories)")) >= CATEGORIES
    rules = reported.execute_script("return Object.keys(rules)")
    assert {"simulate_fixed_budget", "claims", "article", *FIGURES} <= set(rules)
    assert "simulate_fixed_budget" in reported.execute_script(
        "return JSON.stringify(runtimes_spec)"
    )


def test_report_category_shows_its_figures(reported: webdriver.Chrome) -> None:
    reported.find_element(By.XPATH, "//*[text()='Fixed budget']").click()
    name = (By.XPATH, "//*[contains(text(), 'fixed_budget_error')]")
    WebDriverWait(reported, PATIENCE).until(lambda b: b.find_elements(*name))
    assert complaints(reported) == []
