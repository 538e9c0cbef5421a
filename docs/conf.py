"""Configuration of the manual: Sphinx with MyST pages and numpydoc docstrings."""

from importlib.metadata import version as installed_version

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
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ldpt"
html_static_path: list[str] = []
html_show_sphinx = False
nitpicky = False
