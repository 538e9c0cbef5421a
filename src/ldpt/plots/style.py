"""Define the look of all figures: one colour per method, one per privacy level, sizes, fonts.

:data:`METHODS` is the palette of figures, explorer and verdicts. Figures use the article's font,
which the package carries, so that their bytes do not depend on the machine's fonts.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ldpt.util.reproducible import power

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = TypeVar("Draw", bound=Callable[..., Any])

PAGE, HALF = 476 / 72, 234 / 72  # inches: the article's text, and half of it less the gap
DPI = 300
INK = "#222222"  # axes and text; dashed: bounds; solid: no privacy
FAINT = "#868686"
BROKEN = "#c8102e"  # the printed radius, and promises that are not kept
FONTS = Path(__file__).parent / "fonts"


class Method(NamedTuple):
    """Name for readers, colour on white and on a dark page, and marker of a policy or radius."""

    label: str
    colour: str
    dark_colour: str
    marker: str
    filled: bool = True


# Policies: one hue per index, an open marker if it is clipped. Radii have hues of their own.
METHODS = {
    "apt": Method("Algorithm 1", "#d2570a", "#ff9d5c", "o"),
    "lsa": Method("LSA", "#12908e", "#4fd0cd", "s"),
    "apt-clipped": Method("clipped Algorithm 1", "#d2570a", "#ff9d5c", "o", filled=False),
    "lsa-clipped": Method("clipped LSA", "#12908e", "#4fd0cd", "s", filled=False),
    "uniform": Method("uniform allocation", "#868686", "#b0b0b0", "h"),
    "laplace": Method("Laplace noise", "#7a4a12", "#d9a066", "^"),
    "printed": Method("printed", BROKEN, "#ff6b6b", "X"),
    "hoeffding": Method("Hoeffding", "#868686", "#b0b0b0", "D"),
    "mixture": Method("mixture", "#a87900", "#e0b040", "s"),
    "onesided": Method("one-sided", "#9a6bb5", "#c4a0e8", "^"),
    "coin": Method("coin", "#1f5fbf", "#6cb2ff", "o"),
}
SIZES = {"X": 1.15, "D": 0.85, "s": 0.9, "^": 1.05, "h": 1.05}  # relative to a circle

# Privacy levels: ink is none; then dark to bright as privacy grows, to a contrast of 3:1.
LADDER = (0.1, 0.25, 0.5, 1.0, math.inf)  # shown where more than MAX_LEVELS were run
MAX_LEVELS = 6
BRIGHTEST, BEND = 0.59, 0.8  # where on the colour map they end, and how the steps shorten

SCREEN = ("backend", "interactive", "toolbar")  # settings of the session: how figures are shown
SETTINGS: dict[str, Any] = {
    "font.family": "Libertinus Serif",
    "mathtext.fontset": "custom",
    "mathtext.rm": "Libertinus Serif",
    "mathtext.it": "Libertinus Serif:italic",
    "mathtext.cal": "Libertinus Serif",
    "mathtext.fallback": "stix",
    "font.size": 8.5,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.5,
    "legend.fontsize": 8.5,
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
    row = method(name)
    look: dict[str, Any] = {"marker": row.marker, "markeredgewidth": 0}
    if not row.filled:
        look |= {
            "markerfacecolor": "white",
            "markeredgewidth": 0.9,
            "markeredgecolor": row.colour,
        }
    return look | {"markersize": size * SIZES.get(row.marker, 1.0)}


def epsilon_palette(epsilons: Iterable[float], dark: bool = False) -> dict[float, str]:
    """Return a colour for each privacy level, spread over the levels there are.

    >>> list(epsilon_palette([math.inf, 1.0, 0.1]))
    [0.1, 1.0, inf]
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    levels = sorted(set(map(float, epsilons)))
    finite = [epsilon for epsilon in levels if math.isfinite(epsilon)]
    places = BRIGHTEST * power(np.linspace(1, 0, max(len(finite), 2)), BEND)
    if dark:
        places = 1 - 0.8 * places
    shades = [to_hex(colormaps["viridis"](place)) for place in places]
    ink = "#f0f6fc" if dark else INK
    return dict(zip(levels, [*shades[: len(finite)], ink], strict=False))


def ladder(epsilons: Iterable[float]) -> list[float]:
    """Return the privacy levels to draw, at most six: those of the ladder, else the largest ones.

    >>> ladder([0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf])
    [0.1, 0.25, 0.5, 1.0, inf]
    >>> ladder([0.2, 0.7, 1.5])
    [0.2, 0.7, 1.5]
    """
    levels = sorted(set(epsilons))
    if len(levels) <= MAX_LEVELS:
        return levels
    rungs = [epsilon for epsilon in levels if epsilon in LADDER]
    return rungs if len(rungs) >= MAX_LEVELS // 2 else levels[-MAX_LEVELS:]


def epsilon_label(epsilon: float) -> str:
    """Return a privacy level as a reader sees it.

    >>> epsilon_label(0.25)
    '0.25'
    """
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


@contextmanager
def context(**settings: Any) -> Iterator[None]:
    """Draw in the house style within this context; the caller's settings come back after it."""
    import matplotlib as mpl

    _load()
    plain = {key: value for key, value in mpl.rcParamsDefault.items() if key not in SCREEN}
    with mpl.rc_context(plain | SETTINGS | settings):
        yield


def styled(draw: Draw) -> Draw:
    """Decorate a function so that it draws in the house style."""

    @wraps(draw)
    def drawing(*arguments: Any, **options: Any) -> Any:
        with context():
            return draw(*arguments, **options)

    return drawing  # type: ignore[return-value]


@cache
def _load() -> None:
    """Add the fonts; load the backend, as that of a notebook changes settings that are to stay."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib import font_manager

    plt.switch_backend(mpl.get_backend())

    for path in sorted(FONTS.glob("*.ttf")):
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
