"""ldpt.plots.style: colours, markers, sizes and bytes."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ldpt.plots import style
from ldpt.policies import POLICIES
from ldpt.radii import RADII
from tests.plots import scripts
from tests.plots.tables import budget_table

fixed_budget_error = scripts.figure("fixed_budget_error")
EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf]
JOURNAL_COLUMN = 85 / 25.4  # inches
MIN_POINTS = 5.0  # what a reader can still read in print
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
    data = fixed_budget_error.Data(budget_table(["two"]), ["two"], 0.05, 1.0)
    return fixed_budget_error.draw(data)


def lab(colour: str, sight: str) -> np.ndarray:
    """CIELAB coordinates of a colour as a reader with this sight sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(SIGHTS[sight] @ linear, 0, 1)
    xyz = TO_XYZ @ seen / (TO_XYZ @ np.ones(3))
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def luminance(colour: str) -> float:
    return float(np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]))


def test_epsilon_colour_is_unique_and_brighter_with_more_privacy() -> None:
    colours = [style.epsilon_colour(epsilon) for epsilon in EPSILONS]
    assert len(set(colours)) == len(colours)
    brightness = [luminance(colour) for colour in colours]
    assert brightness == sorted(brightness, reverse=True)


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_differ_for_colour_blind_readers(sight: str) -> None:
    levels = [style.epsilon_colour(epsilon) for epsilon in EPSILONS]
    for colours in (levels, list(style.BOUND_COLOURS.values())):
        for one, other in itertools.combinations(colours, 2):
            distance = np.linalg.norm(lab(one, sight) - lab(other, sight))
            assert distance >= MIN_DISTANCE, (one, other)


def test_markers_are_unique_and_none_is_the_mark_of_an_upper_limit() -> None:
    markers = [style.marker(method) for method in (*POLICIES, *RADII)] + [style.RARE_MARKER]
    assert len(set(markers)) == len(markers)
    assert "v" not in markers


def test_style_font_sizes_are_readable_in_one_journal_column() -> None:
    sizes = [v for k, v in style.SETTINGS.items() if k.endswith(("size", ".fontsize"))]
    fonts = [size for size in sizes if size > 5]  # the others are ticks and markers
    assert min(fonts) * JOURNAL_COLUMN / style.PAGE >= MIN_POINTS


def test_save_writes_the_same_bytes_for_the_same_figure(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        pdf, png = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        style.save(some_figure(), str(pdf), str(png), {"ldpt-rule": "fixed_budget_error"})
        made.append((pdf.read_bytes(), png.read_bytes()))
    assert made[0] == made[1]


def test_save_embeds_truetype_fonts_and_writes_no_date(tmp_path: Path) -> None:
    from pypdf import PdfReader

    pdf, png = tmp_path / "a.pdf", tmp_path / "a.png"
    style.save(some_figure(), str(pdf), str(png), {"ldpt-code": "abc"})
    reader = PdfReader(pdf)
    resources: Any = reader.pages[0]["/Resources"]
    kinds = {font.get_object()["/Subtype"] for font in resources["/Font"].values()}
    assert kinds == {"/Type0"}  # composite fonts around TrueType; Type 3 would be /Type3
    assert set(reader.metadata or {}) == {"/Keywords"}
    assert (reader.metadata or {})["/Keywords"] == "ldpt-code=abc"
    assert b"ldpt-code" in png.read_bytes()
