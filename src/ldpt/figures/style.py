"""One look for all figures: one colour an epsilon, one marker an algorithm, sizes, and fonts.

Fonts are those that Matplotlib carries with it, so that a figure has the same bytes everywhere.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.5, 7.1  # inches: one column of a journal, and both
DPI = 300
INK, FAINT = "#333333", "#8c8c8c"
BOUND_COLOURS = {"upper": "#8c2d04", "lower": "#00695c"}

# Black is no privacy; then dark to bright as privacy grows, in even steps between these levels.
LADDER = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.03, 0.01)

MARKERS = {
    "apt": "o",
    "uniform": "s",
    "laplace": "^",
    "printed": "X",
    "hoeffding": "P",
    "mixture": "D",
    "rare": "d",
    "exact": "*",
}
LAW_MARKERS = {"Bernoulli": "o", "Beta": "s", "uniform": "^", "two-point": "D"}
NAMES = {
    "apt": "Algorithm 1",
    "uniform": "uniform allocation",
    "laplace": "Laplace-noised rewards",
    "printed": "printed",
    "hoeffding": "hoeffding",
    "mixture": "mixture",
}
BOUND_NAMES = {
    "printed": "{side} bound, printed",
    "corrected": "{side} bound, corrected",
    "proved": "{side} bound, proved",
    "sharp": "{side} bound, sharp",
    "privbern": "{side} bound for PrivBern's data",
}
DASHES: dict[str, Any] = {
    "printed": (0, (4, 1.5)),
    "corrected": (0, (4, 1.2, 1, 1.2)),
    "proved": "-",
    "sharp": "-",
    "privbern": (0, (1.5, 1)),
}
SETTINGS: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.5,
    "axes.titlepad": 4,
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
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.minor.size": 1.6,
    "ytick.minor.size": 1.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "lines.linewidth": 1.0,
    "lines.markersize": 4.0,
    "lines.markeredgewidth": 0.3,
    "lines.markeredgecolor": "white",
    "errorbar.capsize": 0,
    "pdf.fonttype": 42,  # TrueType, whole words stay words
    "svg.hashsalt": "ldpt",
    "savefig.dpi": DPI,
}


def epsilon_colour(epsilon: float) -> str:
    """The colour of a privacy level, the same in every figure, safe for colour-blind readers.

    >>> epsilon_colour(math.inf)
    '#000000'
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    if math.isinf(epsilon):
        return "#000000"
    steps = [-math.log(level) for level in LADDER]
    rung = float(np.interp(-math.log(epsilon), steps, range(len(LADDER))))
    return to_hex(colormaps["plasma"](0.08 + 0.82 * rung / (len(LADDER) - 1)))


def epsilon_label(epsilon: float) -> str:
    """A privacy level as a reader sees it.

    >>> epsilon_label(0.25)
    '0.25'
    """
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def subplots(
    rows: int, columns: int, width: float, height: float, **options: Any
) -> "tuple[Figure, Any]":
    """A figure in the house style with a grid of axes, always an array of two dimensions."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
    import matplotlib.pyplot as plt

    return plt.subplots(
        rows, columns, figsize=(width, height), squeeze=False, layout="constrained", **options
    )


def save(figure: "Figure", pdf: str, png: str, metadata: Mapping[str, str]) -> None:
    """Write a figure twice; the bytes depend on what is drawn and on ``metadata`` alone."""
    import matplotlib.pyplot as plt

    words = " ".join(f"{name}={value}" for name, value in metadata.items())
    plain = {"Creator": None, "Producer": None, "CreationDate": None}
    figure.savefig(pdf, metadata=plain | {"Keywords": words})
    figure.savefig(png, metadata={"Software": None} | dict(metadata))
    plt.close(figure)
