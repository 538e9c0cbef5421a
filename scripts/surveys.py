"""Draw published randomised-response surveys replayed: estimates, and answers needed to decide."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import elements, products, style
from ldpt.radii import RADII

VERDICT_COLOURS = {"above": style.NOTE, "below": style.colour("apt"), "undecided": style.FAINT}
Places = dict[tuple[str, str], float]  # height of each question
APART = 0.17  # rows between two radii


def prepare(files: Any, settings: Any) -> pd.DataFrame:
    """Return the table of the replayed surveys: one row per survey, question and radius."""
    return pd.read_csv(files.questions)


def draw(table: pd.DataFrame) -> Figure:
    """Draw the estimates with intervals on the left, the shares of answers on the right."""
    names = list(dict.fromkeys(zip(table["survey"], table["question"], strict=True)))
    places = {name: -row - 0.5 * _number(names, name) for row, name in enumerate(names)}
    height = 0.23 * len(names) + 0.9
    figure, (left, right) = elements.panels(2, 2, height, sharey=True)
    rows = table.drop_duplicates(["survey", "question"])
    handles = _estimates(left, rows, places)
    _answers(right, table, places)
    left.set_yticks(list(places.values()), [question for _, question in names])
    left.tick_params(axis="y", length=0)
    for survey in dict.fromkeys(table["survey"]):
        top = max(place for (name, _), place in places.items() if name == survey)
        epsilon = table.loc[table["survey"] == survey, "epsilon"].iloc[0]
        words = f"{survey}, ε = {epsilon:.2f}"
        look = {"ha": "left", "va": "bottom", "fontsize": 8, "fontstyle": "italic"}
        left.text(0.015, top + 0.42, words, transform=left.get_yaxis_transform(), **look)
    left.set_ylim(min(places.values()) - 0.6, 1.1)
    radii = elements.method_handles(table["radius"])
    elements.method_legend(figure, [*handles, *radii], columns=len(handles) + len(radii))
    return figure


def _number(names: list[tuple[str, str]], name: tuple[str, str]) -> int:
    """Return which survey a question belongs to, counted from 0."""
    return list(dict.fromkeys(survey for survey, _ in names)).index(name[0])


def _estimates(axes: Axes, rows: pd.DataFrame, places: Places) -> list[Line2D]:
    """Draw anytime intervals in the colour of the verdict, and what people admit directly."""
    axes.axvline(rows["threshold"].iloc[0], color=style.INK, linewidth=0.8)
    for row in rows.itertuples():
        place, colour = places[row.survey, row.question], VERDICT_COLOURS[row.verdict]
        axes.hlines(place, row.low, row.high, color=colour, linewidth=1.6)
        axes.plot([row.estimate], [place], "o", color=colour, markersize=4.5)
        look = {"color": style.INK, "markersize": 4, "fillstyle": "none", "markeredgewidth": 0.8}
        axes.plot([row.direct], [place], "D", **look)
    axes.set_xlim(left=0)
    axes.set_xlabel("share of yes")
    axes.set_title("estimates and verdicts")
    handles = [
        Line2D([], [], color=VERDICT_COLOURS[v], marker="o", markersize=4.5, label=v)
        for v in VERDICT_COLOURS
        if v in set(rows["verdict"])
    ]
    hollow = {"marker": "D", "markersize": 4, "linestyle": "", "fillstyle": "none"}
    handles.append(Line2D([], [], color=style.INK, label="asked directly", **hollow))
    return handles


def _answers(axes: Axes, table: pd.DataFrame, places: Places) -> None:
    """Draw the share of the answers after which each question is decided, by radius."""
    radii = elements.in_order(table["radius"], RADII)[::-1]
    for row in table.itertuples():
        place = places[row.survey, row.question]
        place += APART * ((len(radii) - 1) / 2 - radii.index(row.radius))
        colour = style.colour(row.radius)
        ends = row.low_answers / row.answers, row.high_answers / row.answers
        axes.hlines(place, *ends, color=colour, linewidth=0.8)
        open_end = {"fillstyle": "none", "markeredgewidth": 0.8} if row.decided < 0.5 else {}
        look = style.marker_style(row.radius, 3.6) | open_end
        axes.plot([row.mean_answers / row.answers], [place], color=colour, **look)
    axes.set_xlim(0, 1.03)
    axes.set_xlabel("answers until the decision ÷ all answers")
    axes.set_title("answers needed (open: mostly undecided)")
    axes.grid(axis="x", linewidth=0.3, color="#dddddd")


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """Return how many questions are decided, and the share of the answers that ``coin`` needs."""
    rows = table.drop_duplicates(["survey", "question"])
    found: dict[str, Any] = {
        "questions": len(rows),
        "threshold": float(rows["threshold"].iloc[0]),
        "delta": float(rows["delta"].iloc[0]),
        **{verdict: int((rows["verdict"] == verdict).sum()) for verdict in VERDICT_COLOURS},
    }
    coin = table[table["radius"] == "coin"]
    answers = int(coin["answers"].sum())
    return found | {
        "answers": answers,
        "coin_share": math.fsum(coin["mean_answers"]) / answers,
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
