"""Gather article, verdicts, explorer, report, notebook and manual in one static folder: `make site`.

Needs the manual (`make docs`) and the committed products; the report and the notebook are taken
from a run if there is one.
"""

import shutil
import sys
from pathlib import Path

import jinja2

PROJECT = Path(__file__).resolve().parents[1]
PAGES = {  # file of the site: where it comes from, what the start page calls it
    "article.pdf": ("paper/report.pdf", "Article"),
    "verdicts.html": ("results/claims.html", "Verdicts"),
    "explorer.html": ("figures/explorer.html", "Explorer"),
    "report.html": ("results/report.html", "Snakemake's report"),
    "notebook.html": ("results/explore/explore.html", "Notebook"),
    "hero.png": ("figures/hero.png", ""),
    "hero-dark.png": ("figures/hero-dark.png", ""),
}
START = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ldpt: what local privacy costs a thresholding bandit</title>
<style>
body { font: 17px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
nav a { display: inline-block; padding: .4rem .9rem; margin: .2rem .3rem .2rem 0; border: 1px solid; border-radius: 6px; text-decoration: none; }
img { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>What local privacy costs a thresholding bandit</h1>
<p>A replication of <a href="https://arxiv.org/abs/2507.23073">Locally Differentially Private Thresholding Bandits</a>:
every claim checked, one guarantee false and repaired, two improvements.</p>
<nav>{% for name, label in links %}<a href="{{ name }}">{{ label }}</a>{% endfor %}</nav>
{% if hero %}<picture><source srcset="hero-dark.png" media="(prefers-color-scheme: dark)">
<img src="hero.png" alt="What privacy costs, the guarantee that is false, and the rule without drift"></picture>{% endif %}
</body>
</html>
"""


def gather(site: Path) -> list[str]:
    """Fill the folder ``site`` and return the names of the pages that do not exist yet."""
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    shutil.copytree(PROJECT / "docs" / "_build" / "html", site / "manual")
    missing = []
    links = []
    for name, (source, label) in PAGES.items():
        if not (PROJECT / source).is_file():
            missing.append(source)
            continue
        shutil.copy(PROJECT / source, site / name)
        if label:
            links.append((name, label))
    links.append(("manual/index.html", "Manual"))
    page = jinja2.Template(START).render(links=links, hero=(site / "hero.png").is_file())
    (site / "index.html").write_text(page, encoding="utf-8")
    return missing


if __name__ == "__main__":
    for absent in gather(PROJECT / "results" / "site"):
        print(f"not in the site: {absent} does not exist yet", file=sys.stderr)
