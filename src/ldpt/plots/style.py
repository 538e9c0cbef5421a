"""Define the look of all figures: one colour per method, one per privacy level, sizes, fonts.

:data:`METHODS` is the palette of figures, explorer and verdicts. Figures use the article's font,
which the package carries, so that their bytes do not depend on the machine's fonts.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpt.util.reproducible import log, power

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 4.2, 6.6  # inches: width of one panel, and of the article's text
DPI = 300
INK, FAINT = "#333333", "#8c8c8c"
NOTE = "#cb182c"  # what a figure points out
FONTS = Path(__file__).parent / "fonts"


class Method(NamedTuple):
    """Name for readers, colour on white and on a dark page, and marker of a policy or radius."""

    label: str
    colour: str
    dark_colour: str
    marker: str


METHODS = {
    "apt": Method("Algorithm 1", "#2683e8", "#6cb2ff", "o"),
    "lsa": Method("LSA", "#269a5d", "#4fd18b", "s"),
    "apt-clipped": Method("clipped Algorithm 1", "#4d2889", "#b794f6", "D"),
    "lsa-clipped": Method("clipped LSA", "#111111", "#f5f5f5", "P"),
    "uniform": Method("uniform allocation", "#767676", "#a8a8a8", "h"),
    "laplace": Method("Laplace noise", "#b3541e", "#e8935a", "^"),
    "printed": Method("printed", "#cb182c", "#ff6b6b", "X"),
    "hoeffding": Method("Hoeffding", "#4d2889", "#b794f6", "D"),
    "mixture": Method("mixture", "#2683e8", "#6cb2ff", "s"),
    "onesided": Method("one-sided", "#269a5d", "#4fd18b", "^"),
    "coin": Method("coin", "#111111", "#f5f5f5", "o"),
}
SIZES = {"X": 1.15, "P": 1.15, "D": 0.85, "s": 0.9, "^": 1.05, "h": 1.05}  # relative to a circle

# Black is no privacy; then dark to bright as privacy grows. The last tone has a contrast of 3:1.
LADDER = (4.0, 1.0, 0.5, 0.25, 0.1)  # privacy levels that figures with one curve per level show
BRIGHTEST, BEND = 0.59, 0.8  # where on the colour map the ladder ends, and how its steps shorten

SETTINGS: dict[str, Any] = {
    "font.family": "Libertinus Serif",
    "mathtext.fontset": "custom",
    "mathtext.rm": "Libertinus Serif",
    "mathtext.it": "Libertinus Serif:italic",
    "mathtext.cal": "Libertinus Serif",
    "mathtext.fallback": "stix",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "semibold",
    "axes.titlepad": 5,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.minor.size": 1.6,
    "ytick.minor.size": 1.6,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "lines.markeredgewidth": 0.3,
    "pdf.fonttype": 42,  # composite fonts: whole words stay words
    "svg.hashsalt": "ldpt",
    "savefig.dpi": DPI,
}


def method(name: str) -> Method:
    """Return how a policy or radius is shown; one that is not in the table is grey.

    >>> method("onesided").label, method("mine").label
    ('one-sided', 'mine')
    """
    return METHODS.get(name, Method(name, FAINT, FAINT, "o"))


def label(name: str) -> str:
    """Return what readers call a policy or radius."""
    return method(name).label


def colour(name: str) -> str:
    """Return the colour of a policy or radius on white."""
    return method(name).colour


def marker_style(name: str, size: float = 4.0) -> dict[str, Any]:
    """Return the marker of a policy or radius, in a size at which all look equally large."""
    shape = method(name).marker
    return {"marker": shape, "markersize": size * SIZES.get(shape, 1.0)}


def epsilon_colour(epsilon: float, dark: bool = False) -> str:
    """Return the colour of a privacy level on white or on a dark page, safe for the colour-blind.

    >>> epsilon_colour(math.inf)
    '#000000'
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    if math.isinf(epsilon):
        return "#ffffff" if dark else "#000000"
    steps = [-log(level) for level in LADDER]
    rung = float(np.interp(-log(epsilon), steps, range(len(LADDER))))
    height = power(rung / (len(LADDER) - 1), BEND)
    return to_hex(colormaps["viridis"](0.95 - 0.55 * height if dark else BRIGHTEST * height))


def ladder(epsilons: Iterable[float]) -> list[float]:
    """Return the privacy levels to draw, at most six: those of the ladder, else the largest ones.

    >>> ladder([0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf])
    [0.1, 0.25, 0.5, 1.0, 4.0, inf]
    >>> ladder([0.2, 0.7, 1.5])
    [0.2, 0.7, 1.5]
    """
    levels = sorted(set(epsilons))
    if len(levels) <= len(LADDER) + 1:
        return levels
    chosen = [epsilon for epsilon in levels if epsilon in (*LADDER, math.inf)]
    return chosen if len(chosen) > len(LADDER) // 2 else levels[-len(LADDER) - 1 :]


def epsilon_label(epsilon: float) -> str:
    """Return a privacy level as a reader sees it.

    >>> epsilon_label(0.25)
    '0.25'
    """
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def subplots(
    rows: int, columns: int, width: float, height: float, **options: Any
) -> "tuple[Figure, Any]":
    """Return a figure in the house style with an array of axes in two dimensions."""
    size = {"figsize": (width, height), "layout": "constrained"}
    return pyplot().subplots(rows, columns, squeeze=False, **size, **options)


def pyplot(**settings: Any) -> Any:
    """Return Matplotlib's pyplot in the house style; earlier settings are discarded."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcdefaults()
    _add_fonts()
    matplotlib.rcParams.update(SETTINGS | settings)
    import matplotlib.pyplot as plt

    return plt


@cache
def _add_fonts() -> None:
    from matplotlib import font_manager

    for path in sorted(FONTS.glob("*.otf")):
        font_manager.fontManager.addfont(path)


def save(figure: "Figure", pdf: str, png: str, metadata: Mapping[str, str]) -> None:
    """Write a figure as PDF and PNG; the bytes depend on what is drawn and on ``metadata`` alone.

    The PNG reuses the layout of the PDF: layout takes as long as drawing.
    """
    words = " ".join(f"{name}={value}" for name, value in metadata.items())
    plain = {"Creator": None, "Producer": None, "CreationDate": None}
    figure.savefig(pdf, metadata=plain | {"Keywords": words})
    figure.set_layout_engine(None)
    save_png(figure, png, metadata)


def save_png(figure: "Figure", png: str, metadata: Mapping[str, str]) -> None:
    """Write a figure as PNG."""
    import matplotlib.pyplot as plt

    figure.savefig(png, metadata={"Software": None} | dict(metadata))
    plt.close(figure)
