"""A headless Chromium that may not reach any network, and what the pages under test are made of."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 300  # seconds until a page that never gets ready fails its test


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    """One browser for all pages; every host name is a dead end, so a request would be seen."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs chromium and chromedriver, one of which is not installed")
    options = Options()
    options.binary_location = chromium
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,1600",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.set_script_timeout(PATIENCE)
    yield browser
    browser.quit()


def opened(browser: webdriver.Chrome, page: Path, view: str = "") -> webdriver.Chrome:
    """Open a file, at a view that its address names, and forget what the console said before."""
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(page.resolve().as_uri() + view)
    return browser


def complaints(browser: webdriver.Chrome) -> list[str]:
    """What the console said that was an error."""
    return [row["message"] for row in browser.get_log("browser") if row["level"] == "SEVERE"]
