"""Gather article, verdicts, explorer, report, notebook and manual in one folder: `make site`.

Needs the manual (`make docs`) and the committed products; the report and the notebook are taken
from a run if there is one.
"""

import shutil
import sys
from pathlib import Path

import jinja2

PROJECT = Path(__file__).resolve().parents[1]
PAGES = {  # file of the site: its source, its label and its meaning on the start page
    "article.pdf": ("paper/report.pdf", "Article", "what was checked, what failed, what is new"),
    "verdicts.html": ("results/claims.html", "Verdicts", "every claim with its evidence"),
    "explorer.html": ("figures/explorer.html", "Explorer", "both algorithms on your problem"),
    "report.html": ("results/report.html", "Report", "every figure and step of the run"),
    "notebook.html": ("results/explore/explore.html", "Notebook", "from the tables to answers"),
    "hero.png": ("figures/hero.png", "", ""),
    "hero-dark.png": ("figures/hero-dark.png", "", ""),
}
MANUAL = ("manual/index.html", "Manual", "start, how-to, explanations, reference")


def gather(site: Path) -> list[str]:
    """Fill the folder ``site`` and return the names of the pages that do not exist yet."""
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    shutil.copytree(PROJECT / "docs" / "_build" / "html", site / "manual")
    missing = []
    links = []
    for name, (source, label, meaning) in PAGES.items():
        if not (PROJECT / source).is_file():
            missing.append(source)
            continue
        shutil.copy(PROJECT / source, site / name)
        if label:
            links.append((name, label, meaning))
    links.append(MANUAL)
    template = (PROJECT / "docs" / "site.html").read_text(encoding="utf-8")
    page = jinja2.Template(template).render(links=links, hero=(site / "hero.png").is_file())
    (site / "index.html").write_text(page, encoding="utf-8")
    return missing


if __name__ == "__main__":
    for absent in gather(PROJECT / "results" / "site"):
        print(f"not in the site: {absent} does not exist yet", file=sys.stderr)
