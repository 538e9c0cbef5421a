"""Print a plan as text and as JSON, for ``ldpt plan``."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd

from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.study.planning import Plan
from ldpt.text import json_text, rounded, table, wrapped
from ldpt.util.messages import counted, short

MIN_WIDTH = 60
LEGEND_INDENT = 17
# Label, format and meaning of every column.
COLUMNS: dict[str, tuple[str, Callable[[Any], str], str]] = {
    "gaps": ("true gaps", "{:g} x guess".format, "true distances from the threshold"),
    "epsilon": ("epsilon", "{:g}".format, "privacy of one person: less is better, inf is none"),
    "method": ("method", str, "stops when certain, or has a fixed number of answers"),
    "budget": ("answers", "{:,}".format, "number of answers that are collected"),
    "people": ("people", rounded, "people to invite: on average, or the fixed number"),
    "people_95": ("95 % done by", rounded, "enough people in 95 of 100 studies"),
    "error": ("error", "{:.2g}".format, "share of simulated studies with a wrong verdict"),
    "interval": ("95 % interval", str, "confidence interval of the error"),
    "price": ("price of privacy", "{:.2g}".format, "answers needed, compared with no privacy"),
    "lower_bound": ("lower bound", rounded, "average answers that any valid method needs"),
    "smallest": ("smallest epsilon", "{:.2g}".format, "most privacy that the budget allows"),
    "pulls": ("answers then", rounded, "average answers at the smallest epsilon"),
}


def render(plan: Plan, width: int = 80, explain: bool = False) -> str:
    """Return the plan as text of at most this many columns."""
    width, legend = max(width, MIN_WIDTH), dict[str, str]()
    sections = [
        wrapped(f"Recommendation: {recommendation(plan)}", width),
        "\n".join(wrapped(line, width) for line in _problem(plan)),
    ]
    for title, numbers in _tables(plan):
        columns = {name: COLUMNS[name] for name in numbers}
        rows = [
            {label: _cell(form, row[name]) for name, (label, form, _) in columns.items()}
            for row in numbers.to_dict("records")
        ]
        sections.append(f"{title}\n{table(rows, width, words=['method'])}")
        legend |= {label: meaning for label, _, meaning in columns.values()}
    if not explain:
        return "\n\n".join([*sections, "--explain says what the columns mean."])
    meanings = (f"{label:<{LEGEND_INDENT}}{meaning}" for label, meaning in legend.items())
    lines = (wrapped(line, width, LEGEND_INDENT) for line in meanings)
    return "\n\n".join([*sections, "\n".join(lines)])


def _cell(form: Callable[[Any], str], value: Any) -> str:
    return "-" if pd.isna(value) else form(value)


def _tables(plan: Plan) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the title and the columns of every table that was requested."""
    request = plan.request
    if not plan.cost.empty:
        columns = ["epsilon", "method", "people", "people_95", "error", "price", "lower_bound"]
        title = f"People needed for an error probability of at most {request.delta:g}"
        yield title, plan.cost[columns]
        title = f"If the guessed means are wrong (epsilon {request.focus:g})"
        yield title, plan.wrong_means[["gaps", "method", "people", "error"]]
    if not plan.error.empty:
        limits = zip(plan.error["low"], plan.error["high"], strict=True)
        intervals = [f"{low:.2g} .. {high:.2g}" for low, high in limits]
        numbers = plan.error.assign(error=plan.error["estimate"], interval=intervals)
        differ = request.drop_out > 0 or request.answers_per_person > 1
        people = ["people"] if differ else []  # else they are the answers
        columns = ["epsilon", "method", "budget", *people, "error", "interval"]
        yield "Error probability by number of answers", numbers[columns]
    if not plan.smallest.empty:
        title = f"Smallest epsilon for {request.budget:,} answers and error {request.delta:g}"
        yield title, plan.smallest.rename(columns={"epsilon": "smallest"})


def _problem(plan: Plan) -> Iterator[str]:
    """Yield the guessed problem, and how answers become people."""
    request, instance = plan.request, plan.request.instance
    means = short(", ".join(f"{mean:g}" for mean in instance.means), 60)
    yield (
        f"{counted(instance.n_arms, 'arm')}, threshold {instance.threshold:g}, tolerance "
        f"{instance.tolerance:g}; simulated with the guessed means {means} and seed {request.seed}."
    )
    if request.answers_per_person > 1:
        yield (
            f"Each person gives {request.answers_per_person} answers and shares epsilon among "
            f"them: every answer is epsilon/{request.answers_per_person} private (composition), so "
            "the study needs more answers, and mostly more people as well."
        )
    else:
        yield "One answer per person."
    if request.drop_out:
        yield (
            f"Of those invited {request.drop_out:.0%} never answer; people are those to invite. "
            "This is safe only if dropping out does not depend on the answer."
        )
    if request.batch > 1:
        yield (
            f"Asked in batches of {request.batch:,}: a study that stops when certain invites up to "
            f"{instance.n_arms * (request.batch - 1):,} people more than shown, whose answers come "
            "after their arm is decided, and more if it does not wait for a whole batch."
        )


def recommendation(plan: Plan) -> str:
    """Return one method with its reason."""
    request = plan.request
    if plan.cost.empty:
        last = plan.error[plan.error["budget"] == request.budget]
        best = last[last["epsilon"] == request.focus].sort_values("estimate").iloc[0]
        return (
            f"{best['method']}. With {request.budget:,} answers at epsilon {request.focus:g} it "
            f"was wrong in {counted(best['errors'], 'run')} of {best['replicates']:,} (error at "
            f"most {best['high']:.2g} at 95 %), if the guessed means are right; --delta adds "
            "methods whose error level holds whatever the means are."
        )
    rows = plan.cost[plan.cost["epsilon"] == request.focus].sort_values("people")
    proved, fixed = rows[rows["guaranteed"]], rows[~rows["method"].isin(RADII)]
    sentences = []
    if not proved.empty:
        best = proved.iloc[0]
        sentences.append(
            f"{best['method']}. Whatever the means are, it is wrong with probability at most "
            f"{request.delta:g} (proved), and it stops when certain: at epsilon {request.focus:g} "
            f"after {rounded(best['people'])} people on average. Invite up to "
            f"{rounded(best['people_95'])} to finish in 95 % of studies."
        )
        if request.budget is not None and best["pulls_95"] > request.budget:
            sentences.append(
                f"It may not fit into {request.budget:,} answers: see the smallest epsilon below."
            )
    if not fixed.empty:
        sentences.append(
            f"{fixed.iloc[0]['method']} with a fixed number of {rounded(fixed.iloc[0]['people'])} "
            f"people at epsilon {request.focus:g} has this error probability only if the guessed "
            "means are right."
        )
    if proved.empty:
        error = (
            f"The error of {DEFAULT_RADIUS} is at most {request.delta:g} whatever the means are."
        )
        sentences = [*(sentences or ["none of these."]), error]
    return " ".join(sentences)


def as_json(plan: Plan) -> str:
    """Return request and tables as JSON; infinity is written "inf", an unknown number null."""
    tables = {
        "cost": plan.cost,
        "wrong_means": plan.wrong_means,
        "error": plan.error,
        "smallest_epsilon": plan.smallest,
    }
    rows = {name: numbers.to_dict("records") for name, numbers in tables.items()}
    return json_text(asdict(plan.request) | {"recommendation": recommendation(plan)} | rows)
