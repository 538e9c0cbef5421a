"""Draw published randomised-response surveys replayed: estimates, and answers needed to decide."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style

VERDICTS = ("above", "below", "undecided")
RADIUS = "coin"
OPEN = {"markerfacecolor": "white", "markeredgewidth": 0.9}  # marker of the undecided
Places = dict[tuple[str, str], float]  # height of each question


def prepare(files: Any, settings: Any) -> pd.DataFrame:
    """Return the table of the replayed surveys: one row per survey, question and radius."""
    return pd.read_csv(files.questions)


def draw(table: pd.DataFrame) -> Figure:
    """Draw the estimates with intervals on the left, the shares of answers on the right."""
    names = list(dict.fromkeys(zip(table["survey"], table["question"], strict=True)))
    places = {name: -row - 0.8 * _number(names, name) for row, name in enumerate(names)}
    figure, (left, right) = parts.panels(2, 2, 0.2 * len(names) + 0.9, sharey=True)
    rows = table.drop_duplicates(["survey", "question"])
    _estimates(left, rows, places)
    _answers(right, table[table["radius"] == RADIUS], places)
    left.set_yticks(list(places.values()), [question for _, question in names])
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
    for survey in dict.fromkeys(table["survey"]):
        top = max(place for (name, _), place in places.items() if name == survey)
        epsilon = table.loc[table["survey"] == survey, "epsilon"].iloc[0]
        look: dict[str, Any] = {"ha": "left", "va": "bottom", "fontstyle": "italic"}
        look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # over the threshold
        words = f"{survey}, ε = {epsilon:.2f}"
        left.text(0.015, top + 0.35, words, transform=left.get_yaxis_transform(), **look)
    left.set_ylim(min(places.values()) - 0.6, 1.2)
    return figure


def _number(names: list[tuple[str, str]], name: tuple[str, str]) -> int:
    """Return which survey a question belongs to, counted from 0."""
    return list(dict.fromkeys(survey for survey, _ in names)).index(name[0])


def _estimates(axes: Axes, rows: pd.DataFrame, places: Places) -> None:
    """Draw anytime intervals beside the threshold, and what people admit directly."""
    axes.axvline(rows["threshold"].iloc[0], color=style.INK, linewidth=0.8)
    for row in rows.itertuples():
        place = places[row.survey, row.question]
        axes.hlines(place, row.low, row.high, color=style.INK, linewidth=1.2)
        inside = OPEN if row.verdict == "undecided" else {}
        axes.plot([row.estimate], [place], "o", color=style.INK, markersize=4.5, **inside)
        look = {"color": style.FAINT, "markersize": 4, "markeredgewidth": 0}
        axes.plot([row.direct], [place], "D", **look)
    axes.set_xlim(left=0)
    axes.set_xlabel("share of yes (grey: asked directly)")
    axes.set_title(f"Estimates beside the threshold {100 * rows['threshold'].iloc[0]:g} %")


def _answers(axes: Axes, table: pd.DataFrame, places: Places) -> None:
    """Draw the share of the answers after which each question is decided, with the numbers."""
    colour = style.colour(RADIUS)
    for row in table.itertuples():
        place = places[row.survey, row.question]
        ends = row.low_answers / row.answers, row.high_answers / row.answers
        axes.hlines(place, *ends, color=colour, linewidth=0.8)
        inside = OPEN if row.decided < 0.5 else {}
        axes.plot([row.mean_answers / row.answers], [place], "o", color=colour, **inside)
        words = f"{row.mean_answers:.0f} of {row.answers}"
        axes.text(1.03, place, words, va="center")
    axes.set_xlim(0, 1)
    axes.set_xlabel("answers until decided ÷ all (open: undecided)")
    axes.set_title(f"Answers needed with {style.label(RADIUS)}")


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """Return how many questions are decided, and the share of the answers that ``coin`` needs."""
    rows = table.drop_duplicates(["survey", "question"])
    found: dict[str, Any] = {
        "questions": len(rows),
        "threshold": float(rows["threshold"].iloc[0]),
        "delta": float(rows["delta"].iloc[0]),
        **{verdict: int((rows["verdict"] == verdict).sum()) for verdict in VERDICTS},
    }
    coin = table[table["radius"] == RADIUS]
    answers = int(coin["answers"].sum())
    return found | {
        "answers": answers,
        "coin_share": math.fsum(coin["mean_answers"]) / answers,
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
