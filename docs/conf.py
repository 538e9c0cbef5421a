"""Configuration of the manual: Sphinx with MyST pages and numpydoc docstrings."""

import os
import runpy
from importlib.metadata import version as installed_version
from pathlib import Path

project = "ldpt"
author = "The ldpt authors"
release = version = installed_version("ldpt")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = "ldpt"
html_static_path: list[str] = []
html_show_sphinx = False
html_show_copyright = False
nitpicky = False


def write_generated_pages() -> None:
    """Write the pages that come from the command line and from a run."""
    import subprocess
    import sys

    folder = Path(__file__).parent / "_generated"
    folder.mkdir(exist_ok=True)
    texts = []
    for command in ("", "plan", "analyse", "simulate", "trace", "audit", "compare"):
        words = [command] if command else []
        call = [sys.executable, "-m", "ldpt", *words, "--help"]
        done = subprocess.run(
            call, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "96"}
        )
        title = " ".join(["ldpt", *words])
        texts.append(f"## {title}\n\n```text\n{done.stdout}```\n")
    (folder / "cli.md").write_text("\n".join(texts), encoding="utf-8")
    table = Path(__file__).parents[1] / "results" / "tables" / "others.md"
    missing = "The table is written by a run: `snakemake --cores 2 results/tables/others.md`.\n"
    found = table.read_text(encoding="utf-8") if table.is_file() else missing
    (folder / "others.md").write_text(found, encoding="utf-8")


write_generated_pages()
runpy.run_path(str(Path(__file__).with_name("gallery.py")), run_name="__main__")
