"""Figures: one look, honest marks for zero counts, the same bytes, captions with their numbers."""

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ldpt.figures import captions, drawing, elements, style

EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf]


def budget_table(instances: list[str], policies: tuple[str, ...] = ("apt",)) -> pd.DataFrame:
    """Error curves that fall exponentially; at the last budget no error was seen."""
    rows = []
    for instance in instances:
        for policy in policies:
            for epsilon in (1.0, math.inf):
                for budget in (50, 100, 200):
                    errors = 0 if budget == 200 else round(400 * math.exp(-budget / 30))
                    rate, limits = errors / 400, (0.9 * errors / 400, 1.1 * errors / 400 + 0.01)
                    labels = {"instance": instance, "policy": policy, "epsilon": epsilon}
                    values = {"budget": budget, "scaled_budget": budget / 50, "n_arms": 3}
                    found = {"errors": errors, "estimate": rate, "low": limits[0]}
                    rows.append(labels | values | found | {"high": limits[1], "complexity": 50.0})
    return pd.DataFrame(rows)


def luminance(colour: str) -> float:
    return float(np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]))


def test_every_privacy_level_has_its_own_colour_and_they_grow_brighter_with_privacy() -> None:
    colours = [style.epsilon_colour(epsilon) for epsilon in EPSILONS]
    assert len(set(colours)) == len(colours)
    brightness = [luminance(colour) for colour in colours]
    assert brightness == sorted(brightness, reverse=True)


def test_every_algorithm_has_its_own_marker_and_none_is_the_mark_of_an_upper_limit() -> None:
    markers = list(style.MARKERS.values())
    assert len(set(markers)) == len(markers)
    assert "v" not in markers


def test_a_zero_count_is_drawn_as_an_upper_limit_and_never_as_zero() -> None:
    table = budget_table(["two"])
    figure = drawing.fixed_budget_error(table, ["two"])
    drawn = [line for axes in figure.axes for line in axes.lines]
    limits = [line for line in drawn if line.get_marker() == "v"]
    heights = np.concatenate([np.asarray(line.get_ydata(), float) for line in limits])
    assert heights.tolist() == table.loc[table["errors"] == 0, "high"].tolist()
    others = [line for line in drawn if line.get_marker() == style.MARKERS["apt"]]
    assert all(np.all(np.asarray(line.get_ydata(), float) > 0) for line in others)


def test_collapse_shows_the_same_estimates_at_scaled_budgets() -> None:
    table = budget_table(["two"])
    plain = drawing.fixed_budget_error(table, ["two"]).axes[0]
    scaled = drawing.fixed_budget_collapse(table, ["two"]).axes[0]
    for before, after in zip(plain.lines, scaled.lines, strict=True):
        assert np.array_equal(before.get_ydata(), after.get_ydata())
        assert np.allclose(np.asarray(before.get_xdata(), float) / 50, after.get_xdata())


def test_infinite_epsilon_has_a_place_of_its_own_at_the_right_end() -> None:
    _, (axes,) = elements.panels(1, 1, 2.0)
    place = elements.epsilon_axis(axes, EPSILONS)
    assert place(math.inf) > place(4.0)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.01", "0.1", "1", "∞"]


def test_an_instance_without_data_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="no row with instance missing"):
        drawing.fixed_budget_error(budget_table(["two"]), ["missing"])


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of texts whose boxes overlap in the drawn figure."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    texts: list[Any] = [*figure.texts]
    for legend in figure.legends:
        texts += legend.get_texts()
    for axes in figure.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        # Labels beyond the limits of an axis exist but are not drawn.
        for axis, low, high in ((axes.xaxis, *axes.get_xlim()), (axes.yaxis, *axes.get_ylim())):
            texts += [
                tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high
            ]
    shown = [t for t in texts if t.get_visible() and t.get_text().strip()]
    boxes = [t.get_window_extent(renderer).shrunk(0.96, 0.8) for t in shown]
    return [
        (shown[i].get_text(), shown[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]


def test_no_text_covers_another() -> None:
    names = [f"instance-{i}" for i in range(9)]
    assert overlapping(drawing.fixed_budget_error(budget_table(names), names)) == []


def test_the_overlap_check_sees_an_overlap() -> None:
    figure = drawing.fixed_budget_error(budget_table(["two"]), ["two"])
    figure.axes[0].text(0.5, 1.0, "across the title", transform=figure.axes[0].transAxes)
    figure.axes[0].text(0.5, 1.0, "once more", transform=figure.axes[0].transAxes)
    assert overlapping(figure)


def test_the_same_figure_has_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        pdf, png = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        figure = drawing.fixed_budget_error(budget_table(["two"]), ["two"])
        style.save(figure, str(pdf), str(png), {"ldpt-rule": "fixed_budget_error"})
        made.append((pdf.read_bytes(), png.read_bytes()))
    assert made[0] == made[1]


def test_fonts_are_embedded_as_truetype_and_metadata_hold_no_date(tmp_path: Path) -> None:
    from pypdf import PdfReader

    pdf, png = tmp_path / "a.pdf", tmp_path / "a.png"
    figure = drawing.fixed_budget_error(budget_table(["two"]), ["two"])
    style.save(figure, str(pdf), str(png), {"ldpt-code": "abc"})
    reader = PdfReader(pdf)
    resources: Any = reader.pages[0]["/Resources"]
    kinds = {font.get_object()["/Subtype"] for font in resources["/Font"].values()}
    assert kinds == {"/Type0"}  # composite fonts around TrueType; Type 3 would be /Type3
    assert set(reader.metadata or {}) == {"/Keywords"}
    assert (reader.metadata or {})["/Keywords"] == "ldpt-code=abc"
    assert b"ldpt-code" in png.read_bytes()


def test_a_caption_takes_exactly_the_facts_of_its_figure() -> None:
    assert captions.fill("{a} of {b}", {"a": 12_345, "b": [0.5, math.inf]}) == "12 345 of 0.5 and ∞"
    with pytest.raises(ValueError, match=r"missing \['b'\], not used \['c'\]"):
        captions.fill("{a} {b}", {"a": 1, "c": 2})


def test_publish_writes_picture_caption_and_facts(tmp_path: Path) -> None:
    template = tmp_path / "template.rst"
    template.write_text("Is it so? It is {much}.\n")
    output = SimpleNamespace(
        **{name: str(tmp_path / f"out.{name}") for name in ("pdf", "png", "caption", "facts")}
    )
    figure = drawing.fixed_budget_error(budget_table(["two"]), ["two"])
    captions.publish(figure, {"much": 0.25}, str(template), output, {})
    assert Path(output.caption).read_text() == "Is it so? It is 0.25.\n"
    assert json.loads(Path(output.facts).read_text()) == {"much": 0.25}
    assert Path(output.png).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (999.9, "1 000"), (1e6, "1 000 000"), (1.5e-5, "1.5×10⁻⁵"), (-2.06, "−2.06")],
)
def test_numbers_for_prose(value: float, shown: str) -> None:
    assert captions.number(value) == shown
