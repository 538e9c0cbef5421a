"""The site in a real browser: every link leads to a page, from disk and on a telephone."""

import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.conftest import complaints, opened
from tests.conftest import PROJECT
from tests.plots import scripts

pytestmark = pytest.mark.browser
COMMITTED = ["paper/report.pdf", "figures/explorer.html", "figures/hero.png", "docs/site.html"]
MADE = ["docs/_build/html/index.html", "results/claims.html", "results/explore/explore.html"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the committed products and of stand-ins for the pages of a run."""
    project = tmp_path_factory.mktemp("project")
    for name in COMMITTED + MADE:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"<title>{name}</title>", encoding="utf-8")
    for name in COMMITTED:
        shutil.copy(PROJECT / name, project / name)
    module = scripts.load("docs/site.py")
    module.PROJECT = project
    folder = tmp_path_factory.mktemp("site") / "site"
    assert module.gather(folder) == ["results/report.html", "figures/hero-dark.png"]
    return folder


def test_every_link_of_the_start_page_leads_to_a_file(
    browser: webdriver.Chrome, site: Path
) -> None:
    opened(browser, site / "index.html")
    links = [link.get_attribute("href") for link in browser.find_elements(By.CSS_SELECTOR, "a")]
    inside = [link.removeprefix("file://") for link in links if link.startswith("file:")]
    assert {Path(link).name for link in inside} > {"article.pdf", "verdicts.html", "explorer.html"}
    assert [link for link in inside if not Path(link).is_file()] == []
    assert complaints(browser) == []


@pytest.mark.parametrize("page", ["verdicts.html", "explorer.html", "manual/index.html"])
def test_a_click_on_the_start_page_opens_a_page(
    browser: webdriver.Chrome, site: Path, page: str
) -> None:
    opened(browser, site / "index.html")
    browser.find_element(By.CSS_SELECTOR, f'nav a[href="{page}"]').click()
    assert browser.current_url.partition("#")[0].endswith(page)
    assert browser.title


@pytest.mark.parametrize("width", [390, 1280])
def test_the_start_page_fits_its_window(browser: webdriver.Chrome, site: Path, width: int) -> None:
    opened(browser, site / "index.html")
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        picture = browser.execute_script("return document.querySelector('img').naturalWidth")
        assert picture > 0
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
