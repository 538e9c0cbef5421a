"""ldpt.plots.style: colours, markers, sizes and bytes."""

import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ldpt import plots
from ldpt.plots import style
from ldpt.policies import POLICIES
from ldpt.radii import RADII
from tests.plots.tables import budget_table

EPSILONS = [0.1, 0.25, 0.5, 1.0, 4.0, math.inf]
MIN_DISTANCE = 15.0  # between two colours in CIELAB; about 2 is just noticeable side by side

# What readers without L or M cones see: linear RGB to linear RGB (Machado et al. 2009, severity 1).
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def some_figure() -> Figure:
    return plots.error_curves(budget_table(["two"])).figure


def lab(colour: str, sight: str) -> np.ndarray:
    """CIELAB coordinates of a colour as a reader with this sight sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(SIGHTS[sight] @ linear, 0, 1)
    xyz = TO_XYZ @ seen / (TO_XYZ @ np.ones(3))
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(colour: str, page: str = "#ffffff") -> float:
    """Contrast of a colour with a page, as WCAG defines it."""
    light, dark = sorted((luminance(colour), luminance(page)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_levels_are_brighter_with_more_privacy() -> None:
    contrasts = [contrast(colour) for colour in style.epsilon_palette(EPSILONS).values()]
    assert contrasts == sorted(set(contrasts))


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_out_from_the_page(dark: bool) -> None:
    colours = list(style.epsilon_palette(EPSILONS, dark).values())
    methods = style.METHODS.values()
    colours += [method.dark_colour if dark else method.colour for method in methods]
    page = "#0d1117" if dark else "#ffffff"
    assert min(contrast(colour, page) for colour in colours) >= 3.0


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("count", [2, 4, 6])
def test_levels_differ_for_colour_blind_readers(sight: str, count: int) -> None:
    levels = list(style.epsilon_palette(EPSILONS[-count:]).values())
    assert_apart(levels, sight)


@pytest.mark.parametrize("sight", SIGHTS)
def test_radii_differ_for_colour_blind_readers(sight: str) -> None:
    assert_apart([style.colour(name) for name in RADII if name in style.METHODS], sight)


@pytest.mark.parametrize("sight", SIGHTS)
def test_policies_differ_by_colour_or_marker(sight: str) -> None:
    """A clipped policy has the colour of its index; uniform allocation has another marker."""
    assert_apart([style.colour(name) for name in ("apt", "lsa", "laplace")], sight)
    for plain, clipped in (("apt", "apt-clipped"), ("lsa", "lsa-clipped")):
        assert style.colour(plain) == style.colour(clipped)
        assert style.marker_style(plain) != style.marker_style(clipped)


def assert_apart(colours: list[str], sight: str) -> None:
    for one, other in itertools.combinations(colours, 2):
        distance = np.linalg.norm(lab(one, sight) - lab(other, sight))
        assert distance >= MIN_DISTANCE, (one, other, distance)


def test_red_and_ink_have_one_meaning() -> None:
    """Red is the printed radius and broken promises, ink the bounds and no privacy."""
    red = [name for name in style.METHODS if style.colour(name) == style.BROKEN]
    assert red == ["printed"]
    assert style.epsilon_palette([1.0, math.inf])[math.inf] == style.INK
    assert style.INK not in {method.colour for method in style.METHODS.values()}


def test_drawing_leaves_the_callers_settings_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    some_figure()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("names", [POLICIES, RADII])
def test_markers_and_labels_are_unique(names: Iterable[str]) -> None:
    shown = [style.method(name) for name in names]
    assert len({(method.marker, method.filled) for method in shown}) == len(shown)
    assert len({method.label for method in shown}) == len(shown)


def test_font_sizes_are_readable_in_the_article() -> None:
    fonts = [v for k, v in style.SETTINGS.items() if k.endswith(("labelsize", "fontsize"))]
    assert min(fonts) >= 8


def test_save_writes_the_same_bytes_for_the_same_figure(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        pdf, png = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        with style.context():
            style.save(some_figure(), str(pdf), str(png), {"ldpt-rule": "error_curves"})
        made.append((pdf.read_bytes(), png.read_bytes()))
    assert made[0] == made[1]


def test_save_embeds_composite_fonts_and_writes_no_date(tmp_path: Path) -> None:
    from pypdf import PdfReader

    pdf, png = tmp_path / "a.pdf", tmp_path / "a.png"
    with style.context():
        style.save(some_figure(), str(pdf), str(png), {"ldpt-code": "abc"})
    reader = PdfReader(pdf)
    resources: Any = reader.pages[0]["/Resources"]
    fonts = [font.get_object() for font in resources["/Font"].values()]
    assert {font["/Subtype"] for font in fonts} == {"/Type0"}  # Type 3 would be /Type3
    inner = [font["/DescendantFonts"][0].get_object() for font in fonts]
    assert all(one["/Subtype"] == "/CIDFontType2" for one in inner)
    programs = [one["/FontDescriptor"].get_object()["/FontFile2"].get_object() for one in inner]
    # TrueType outlines: readers warn of CFF outlines ("OTTO") under this font type.
    assert all(program.get_data()[:4] == b"\0\1\0\0" for program in programs)
    assert set(reader.metadata or {}) == {"/Keywords"}
    assert (reader.metadata or {})["/Keywords"] == "ldpt-code=abc"
    assert b"ldpt-code" in png.read_bytes()
