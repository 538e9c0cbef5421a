"""A plan as text and as JSON: what ``ldpt plan`` prints."""

import json
import math
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from ldpt.io.json_values import plain
from ldpt.io.messages import counted, short
from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.study.plan import BUDGET_METHODS, GUARANTEED, People, Plan

Row = dict[str, Any]
Columns = dict[str, Callable[[Row], str]]
WORDS = ("method", "smallest epsilon")  # columns that are aligned to the left


def render(plan: Plan, width: int = 80, explain: bool = False) -> str:
    """Return the plan as text of at most this many columns."""
    return "\n\n".join(_sections(plan, max(width, 60), explain))


def _sections(plan: Plan, width: int, explain: bool) -> Iterator[str]:
    request = plan.request
    yield _wrapped(f"Recommendation: {recommendation(plan)}", width)
    yield "\n".join(_wrapped(line, width) for line in _problem(plan))
    if not plan.cost.empty:
        title = f"People needed for an error probability of at most {request.delta:g}"
        yield _table(title, plan.cost, COSTS, width)
    if not plan.wrong_means.empty:
        title = f"If the guessed means are wrong (epsilon {request.focus:g})"
        rows = plan.wrong_means.sort_values(["gaps", "method"], kind="stable")
        yield _table(title, rows, WRONG_MEANS, width)
    if not plan.error.empty:
        title = "Error probability by number of answers"
        same = request.people == People()  # then people are answers
        columns = {name: show for name, show in ERRORS.items() if not (same and name == "people")}
        yield _table(title, plan.error, columns, width)
    if not plan.smallest.empty:
        title = f"Smallest epsilon for {request.budget:,} answers and error {request.delta:g}"
        columns = {"method": _word("method"), "smallest epsilon": _smallest}
        yield _table(title, plan.smallest, columns, width)
    if explain:
        yield "\n".join(_legend(plan, width))
    else:
        yield "--explain says what the columns mean."


def _problem(plan: Plan) -> Iterator[str]:
    """Yield what is planned, and how answers become people."""
    request, instance, people = plan.request, plan.request.instance, plan.request.people
    means = short(", ".join(f"{mean:g}" for mean in instance.means), 60)
    yield (
        f"{counted(instance.n_arms, 'arm')}, threshold {instance.threshold:g}, tolerance "
        f"{instance.tolerance:g}; simulated with the guessed means {means} and seed {request.seed}."
    )
    if people.answers > 1:
        yield (
            f"Each person gives {people.answers} answers and shares epsilon among them: every "
            f"answer is epsilon/{people.answers} private (composition), so the study needs more "
            "answers, and mostly more people as well."
        )
    else:
        yield "One answer per person."
    if people.drop_out:
        yield (
            f"Of those invited {people.drop_out:.0%} never answer; people are those to invite. "
            "This is safe only if dropping out does not depend on the answer."
        )
    if people.batch > 1:
        yield (
            f"Asked in batches of {people.batch:,}: a study that stops when certain invites up to "
            f"{instance.n_arms * (people.batch - 1):,} people more than shown, whose answers come "
            "after their arm is decided, and more if it does not wait for a whole batch."
        )


# --- recommendation


def recommendation(plan: Plan) -> str:
    """Return one method with its reason."""
    if plan.cost.empty:
        return _advise_budget(plan)
    request = plan.request
    rows = plan.cost[plan.cost["epsilon"] == request.focus].sort_values("people")
    proved = rows[rows["guaranteed"]]
    if proved.empty:
        return _advise_unproved(plan, rows.iloc[0])
    best = proved.iloc[0]
    text = (
        f"{best['method']}. Whatever the means are, it is wrong with probability at most "
        f"{request.delta:g} (proved), and it stops when certain: at epsilon {request.focus:g} "
        f"after {rounded(best['people'])} people on average. Invite up to "
        f"{rounded(best['people_95'])} to finish in 95 % of studies"
        f"{_rounds(plan, best['people_95'])}."
    )
    fixed = rows[rows["method"].isin(BUDGET_METHODS)]
    if not fixed.empty:
        text += (
            f" {fixed.iloc[0]['method']} with a fixed number of "
            f"{rounded(fixed.iloc[0]['people'])} people has the same error probability, but only "
            "if the guessed means are right."
        )
    if request.budget is not None and best["pulls_95"] > request.budget:
        text += (
            f" {best['method']} may not fit into {request.budget:,} answers at epsilon "
            f"{request.focus:g}: see the smallest epsilon below."
        )
    return text


def _advise_unproved(plan: Plan, best: pd.Series) -> str:
    delta, method = plan.request.delta, best["method"]
    if method in RADII:
        return f"none of these: the error of {method} can exceed {delta:g}; use {DEFAULT_RADIUS}."
    return (
        f"{method} with {rounded(best['people'])} people at epsilon {plan.request.focus:g}"
        f"{_rounds(plan, best['people'])}. Its error probability of {delta:g} holds only if the "
        f"guessed means are right; that of {DEFAULT_RADIUS} holds whatever they are (--method)."
    )


def _advise_budget(plan: Plan) -> str:
    request, table = plan.request, plan.error
    last = table[(table["epsilon"] == request.focus) & (table["budget"] == table["budget"].max())]
    best = last.sort_values("estimate").iloc[0]
    error = "no error in" if best["errors"] == 0 else f"an error of about {best['estimate']:.2g} in"
    return (
        f"{best['method']}. With {request.budget:,} answers at epsilon {request.focus:g} it had "
        f"{error} {best['replicates']:,} runs (at most {best['high']:.2g} at 95 %), if the guessed "
        "means are right; --delta adds methods whose error level holds whatever the means are"
        f"{_rounds(plan, best['people'])}."
    )


def _rounds(plan: Plan, people: float) -> str:
    """Return how often a batch is invited."""
    size = plan.request.people.batch
    return f", {math.ceil(people / size):,} rounds of {size:,}" if size > 1 else ""


# --- tables


def _word(key: str) -> Callable[[Row], str]:
    return lambda row: str(row[key])


def _level(row: Row) -> str:
    return f"{row['epsilon']:g}"


def _people(row: Row) -> str:
    return rounded(row["people"])


COSTS: Columns = {
    "epsilon": _level,
    "method": _word("method"),
    "people": _people,
    "95 % done by": lambda row: (
        "fixed" if row["method"] in BUDGET_METHODS else rounded(row["people_95"])
    ),
    "error": lambda row: f"{row['error']:.2g}",
    "price of privacy": lambda row: f"{row['price']:.2g}",
    "predicted": lambda row: f"{row['price_theory']:.2g}",
    "lower bound": lambda row: rounded(row["bound_low"]),
}
WRONG_MEANS: Columns = {
    "true gaps": lambda row: f"{row['gaps']:g} x guess",
    "method": _word("method"),
    "people": _people,
    "error": lambda row: f"{row['error']:.2g}",
}


ERRORS: Columns = {
    "epsilon": _level,
    "method": _word("method"),
    "answers": lambda row: f"{row['budget']:,}",
    "people": _people,
    "error": lambda row: f"{row['estimate']:.2g}",
    "95 % interval": lambda row: f"{row['low']:.2g} .. {row['high']:.2g}",
    "without privacy": lambda row: f"{row['without_privacy']:.2g}",
}


def _smallest(row: Row) -> str:
    if math.isnan(row["epsilon"]):
        return f"none: {rounded(row['pulls'])} answers are needed without privacy"
    return f"{row['epsilon']:.2g}  ({row['low']:.2g} .. {row['high']:.2g})"


def _table(title: str, table: pd.DataFrame, columns: Columns, width: int) -> str:
    """Return a table, words to the left, numbers to the right, without columns that do not fit."""
    rows = [[show(row) for show in columns.values()] for row in records_of(table)]
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    names = list(columns)
    while len(names) > 2 and sum(widths[: len(names)]) + 2 * (len(names) - 1) > width:
        names.pop()
    lines = [title]
    for cells in [names, *rows]:
        line = "  ".join(
            cell.ljust(size) if name in WORDS else cell.rjust(size)
            for name, cell, size in zip(names, cells, widths, strict=False)
        )
        lines.append(line.rstrip())
    return "\n".join(lines)


def _legend(plan: Plan, width: int) -> Iterator[str]:
    """Yield what the columns are."""
    fixed = [method for method in plan.request.methods if method in BUDGET_METHODS]
    texts = {
        "epsilon": "what one person's answers may reveal: less is more private, inf is no privacy",
        "people": "people to invite: on average, or the fixed number of " + " and ".join(fixed)
        if fixed
        else "people to invite, on average",
        "95 % done by": "with this many people 95 of 100 studies come to their end",
        "error": "share of simulated studies with a wrong verdict, if the guess is right",
        "price of privacy": "answers needed, divided by those needed without privacy",
        "predicted": "the price 1/c^2 of the theory, c = tanh(epsilon/2) for one answer",
        "lower bound": "answers that every method needs on average that is right with any means",
        "true gaps": "distances of the means from the threshold: 0.5 x guess is a harder problem. "
        "A method that stops when certain then changes its length, a fixed number of answers its "
        "error",
    }
    for name, text in texts.items():
        yield _wrapped(f"{name:<17}{text}", width, " " * 17)
    for method in sorted(set(plan.request.methods) & set(RADII) - set(GUARANTEED)):
        yield _wrapped(
            f"The radius {method} is the paper's: its error can exceed delta, so use another.",
            width,
        )
    if fixed and plan.request.instance.tolerance > 0:
        yield _wrapped(
            f"Within the tolerance of {plan.request.instance.tolerance:g} either verdict of "
            f"{' and '.join(fixed)} counts as right.",
            width,
        )
    yield _wrapped("--json has the same numbers with intervals, bounds and runs.", width)


def _wrapped(text: str, width: int, indent: str = "") -> str:
    return textwrap.fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def rounded(value: float) -> str:
    """Return a number of people or answers with three digits; a dash where none is known.

    >>> rounded(10712.4), rounded(87.2), rounded(float("inf")), rounded(float("nan"))
    ('10,700', '87', 'inf', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{float(f'{value:.3g}'):,.0f}" if math.isfinite(value) else "inf"


def records_of(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table as dictionaries."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def as_json(plan: Plan) -> str:
    """Return the plan as JSON; infinity is written "inf" and what is not known null."""
    request, instance = plan.request, plan.request.instance
    content = {
        "instance": {
            "means": instance.means,
            "threshold": instance.threshold,
            "tolerance": instance.tolerance,
        },
        "delta": request.delta,
        "budget": request.budget,
        "seed": request.seed,
        "drop_out": request.people.drop_out,
        "batch": request.people.batch,
        "answers_per_person": request.people.answers,
        "recommendation": recommendation(plan),
        "cost": _known_rows(plan.cost),
        "wrong_means": _known_rows(plan.wrong_means),
        "error": _known_rows(plan.error),
        "smallest_epsilon": _known_rows(plan.smallest),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False)


def _known_rows(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, with None for NaN."""
    return [
        {key: None if value != value else value for key, value in row.items()}
        for row in records_of(table)
    ]
