"""Figures from tables: one public function per kind of picture.

``error_curves``, ``collapse``, ``cost``, ``calibration`` and ``error_map`` take a table of runs or
of estimates and return a seaborn grid. What they need is imported when one of them is used:
seaborn takes two seconds.

A figure of the article is ``scripts/NAME.py``. Its ``prepare`` reads tables and settings and
returns the data to draw, ``draw`` returns the Matplotlib figure, ``facts`` the numbers for caption
and article.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldpt.plots.charts import calibration, collapse, cost, error_curves, error_map

__all__ = ["calibration", "collapse", "cost", "error_curves", "error_map"]


def __getattr__(name: str) -> Any:
    """Return a public function, importing seaborn with it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from ldpt.plots import charts
    except ModuleNotFoundError as error:
        raise ImportError(f"{error}: figures need `pip install 'ldpt[plots]'`") from None
    return getattr(charts, name)
