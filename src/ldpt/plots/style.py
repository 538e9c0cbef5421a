"""The look of all figures: one colour per epsilon, one marker per method, sizes, and fonts.

Fonts are those that Matplotlib carries with it, so that a figure has the same bytes everywhere.
Text is large for the width of a figure: in one journal column of 85 mm it still has 5 points.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpt.policies import POLICIES
from ldpt.radii import KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.4, 6.0  # inches: figures with one panel across, and with several
DPI = 300
INK, FAINT = "#333333", "#8c8c8c"
NOTE = "#8c2d04"  # what a figure points out; this hue and the next the privacy levels leave free
BOUND_COLOURS = {"upper": NOTE, "lower": "#a3177f"}

# Black is no privacy; then dark to bright as privacy grows, one step of the colour map per level.
# The first steps are longer: there colour-blind readers see the least difference.
LADDER = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.03, 0.01)
BRIGHTEST, BEND = 0.92, 0.8  # where on the colour map the ladder ends, and how its steps shorten

RARE_MARKER = "d"  # importance sampling
SIZES = {"*": 1.7, "D": 0.85, "X": 1.1, "P": 1.1, ">": 1.2}  # of markers, relative to a circle
LAW_MARKERS = {"Bernoulli": "o", "Beta": "s", "uniform": "^", "two-point": "D"}
BOUND_NAMES = {
    "printed": "{side} bound, printed",
    "corrected": "{side} bound, corrected",
    "proved": "{side} bound, proved here",
    "hoeffding": "{side} bound with hoeffding",
    "hoeffding_mean": "{side} bound on the mean with hoeffding",
    "mixture": "{side} bound on the mean with mixture",
    "onesided": "{side} bound, one-sided",
    "lsa": "{side} bound, LSA index",
    "sharp": "{side} bound, sharp",
    "privbern": "{side} bound, PrivBern",
    "many_arms": "{side} bound with log $K$",
}
DASHES: dict[str, Any] = {
    "printed": (0, (4, 1.5)),
    "corrected": (0, (4, 1.2, 1, 1.2)),
    "proved": "-",
    "onesided": (0, (1, 1)),
    "lsa": (0, (1, 1)),
    "sharp": "-",
    "privbern": (0, (1.5, 1)),
    "many_arms": (0, (6, 1.5, 1, 1.5, 1, 1.5)),
}
SETTINGS: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.5,
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
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.minor.size": 1.6,
    "ytick.minor.size": 1.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.0,
    "legend.handletextpad": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 4.0,
    "lines.markeredgewidth": 0.3,
    "lines.markeredgecolor": "white",
    "errorbar.capsize": 0,
    "pdf.fonttype": 42,  # TrueType, whole words stay words
    "svg.hashsalt": "ldpt",
    "savefig.dpi": DPI,
}


def marker(method: str) -> str:
    """The marker of a policy or radius, from its table, the same in every figure."""
    return (POLICIES.get(method) or KINDS[method]).marker


def label(method: str) -> str:
    """What legends call a policy or radius, from its table."""
    return (POLICIES.get(method) or KINDS[method]).label


def marker_style(method: str, size: float = 4.0) -> dict[str, Any]:
    """The marker of a policy or radius, in a size at which all look equally large."""
    shape = marker(method)
    return {"marker": shape, "markersize": size * SIZES.get(shape, 1.0)}


def bound_name(side: str, version: str) -> str:
    """What legends call a bound.

    >>> bound_name("lower", "sharp")
    'lower bound, sharp'
    """
    return BOUND_NAMES.get(version, f"{{side}} bound, {version}").format(side=side)


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
    return to_hex(colormaps["viridis"](BRIGHTEST * (rung / (len(LADDER) - 1)) ** BEND))


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
    size = {"figsize": (width, height), "layout": "constrained"}
    return _pyplot().subplots(rows, columns, squeeze=False, **size, **options)


def mosaic(layout: list[list[str]], width: float, height: float) -> "tuple[Figure, dict[str, Any]]":
    """A figure in the house style with axes by name."""
    return _pyplot().subplot_mosaic(layout, figsize=(width, height), layout="constrained")


def _pyplot() -> Any:
    """Matplotlib's pyplot in the house style, whatever was set before."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
    import matplotlib.pyplot as plt

    return plt


def save(figure: "Figure", pdf: str, png: str, metadata: Mapping[str, str]) -> None:
    """Write a figure twice; the bytes depend on what is drawn and on ``metadata`` alone.

    The layout is found once, for the PDF, and the PNG has the same: to find it takes as long as to
    draw, and text is a little wider in pixels.
    """
    import matplotlib.pyplot as plt

    words = " ".join(f"{name}={value}" for name, value in metadata.items())
    plain = {"Creator": None, "Producer": None, "CreationDate": None}
    figure.savefig(pdf, metadata=plain | {"Keywords": words})
    figure.set_layout_engine(None)
    figure.savefig(png, metadata={"Software": None} | dict(metadata))
    plt.close(figure)
