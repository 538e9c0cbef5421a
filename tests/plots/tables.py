"""Made-up tables for tests of figures, and a look for texts that cover one another."""

import math
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox


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
                    found = {"errors": errors, "replicates": 400, "estimate": rate}
                    limit = {"low": limits[0], "high": limits[1], "complexity": 50.0}
                    rows.append(labels | values | found | limit)
    return pd.DataFrame(rows)


def texts_of(figure: Figure) -> list[Any]:
    """All texts that a reader sees in a drawn figure."""
    figure.canvas.draw()
    texts: list[Any] = [*figure.texts]
    for legend in figure.legends:
        texts += legend.get_texts()
    for axes in figure.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        # Labels beyond the limits of an axis exist but are not drawn.
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            ticks = [t for t in axis.get_major_ticks() if min(ends) <= t.get_loc() <= max(ends)]
            texts += [tick.label1 for tick in ticks]
    # Matplotlib draws no annotation of a point outside its panel and gives it the unit box.
    undrawn = Bbox.unit().bounds
    return [
        t
        for t in texts
        if t.get_visible() and t.get_text().strip() and t.get_window_extent().bounds != undrawn
    ]


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of texts whose boxes overlap in the drawn figure."""
    shown = texts_of(figure)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    boxes = [t.get_window_extent(renderer).shrunk(0.96, 0.8) for t in shown]
    return [
        (shown[i].get_text(), shown[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]


def cut_off(figure: Figure) -> list[str]:
    """Texts that reach beyond the edge of the drawn figure."""
    shown = texts_of(figure)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    page = figure.bbox.padded(1)
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in shown]
    return [
        text
        for text, box in boxes
        if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
    ]
