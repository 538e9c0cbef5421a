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

from ldpt.plots import style
from ldpt.policies import POLICIES
from ldpt.radii import RADII
from tests.plots import scripts
from tests.plots.tables import budget_table

fixed_budget_error = scripts.figure("fixed_budget_error")
EPSILONS = [*reversed(style.LADDER), math.inf]
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


def contrast(colour: str) -> float:
    """Contrast with white, as WCAG defines it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05))


def test_epsilon_colour_is_brighter_with_more_privacy() -> None:
    contrasts = [contrast(style.epsilon_colour(epsilon)) for epsilon in EPSILONS]
    assert contrasts == sorted(set(contrasts))


def test_colours_stand_out_from_white() -> None:
    colours = [style.epsilon_colour(epsilon) for epsilon in EPSILONS]
    colours += [method.colour for method in style.METHODS.values()]
    assert min(map(contrast, colours)) >= 3.0


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_differ_for_colour_blind_readers(sight: str) -> None:
    levels = [style.epsilon_colour(epsilon) for epsilon in EPSILONS]
    policies, radii = (list(map(style.colour, names)) for names in (POLICIES, RADII))
    for colours in (levels, policies, radii):
        for one, other in itertools.combinations(colours, 2):
            distance = np.linalg.norm(lab(one, sight) - lab(other, sight))
            assert distance >= MIN_DISTANCE, (one, other)


@pytest.mark.parametrize("names", [POLICIES, RADII])
def test_markers_and_labels_are_unique(names: Iterable[str]) -> None:
    shown = [style.METHODS[name] for name in names]
    assert len({method.marker for method in shown}) == len(shown)
    assert len({method.label for method in shown}) == len(shown)


def test_font_sizes_are_readable_in_the_article() -> None:
    fonts = [v for k, v in style.SETTINGS.items() if k.endswith(("labelsize", "fontsize"))]
    assert min(fonts) >= 8


def test_save_writes_the_same_bytes_for_the_same_figure(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        pdf, png = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        style.save(some_figure(), str(pdf), str(png), {"ldpt-rule": "fixed_budget_error"})
        made.append((pdf.read_bytes(), png.read_bytes()))
    assert made[0] == made[1]


def test_save_embeds_composite_fonts_and_writes_no_date(tmp_path: Path) -> None:
    from pypdf import PdfReader

    pdf, png = tmp_path / "a.pdf", tmp_path / "a.png"
    style.save(some_figure(), str(pdf), str(png), {"ldpt-code": "abc"})
    reader = PdfReader(pdf)
    resources: Any = reader.pages[0]["/Resources"]
    kinds = {font.get_object()["/Subtype"] for font in resources["/Font"].values()}
    assert kinds == {"/Type0"}  # Type 3 would be /Type3
    assert set(reader.metadata or {}) == {"/Keywords"}
    assert (reader.metadata or {})["/Keywords"] == "ldpt-code=abc"
    assert b"ldpt-code" in png.read_bytes()
