"""Print a plan as text and as JSON, for ``ldpt plan``."""

import math
from collections.abc import Iterator
from dataclasses import asdict

import pandas as pd

from ldpt.io.messages import counted, short
from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.study.plan import People, Plan
from ldpt.text import json_text, rounded, table, wrapped

MIN_WIDTH = 60
COUNTS = ("people", "people_95", "lower_bound", "pulls")
COSTS = {
    "epsilon": "{epsilon:g}",
    "method": "{method}",
    "people": "{people}",
    "95 % done by": "{people_95}",
    "error": "{error:.2g}",
    "price of privacy": "{price:.2g}",
    "lower bound": "{lower_bound}",
}
WRONG_MEANS = {
    "true gaps": "{gaps:g} x guess",
    "method": "{method}",
    "people": "{people}",
    "error": "{error:.2g}",
}
ANSWERS = {"epsilon": "{epsilon:g}", "method": "{method}", "answers": "{budget:,}"}
ERRORS = {"error": "{estimate:.2g}", "95 % interval": "{low:.2g} .. {high:.2g}"}
SMALLEST = {"method": "{method}", "smallest epsilon": "{epsilon:.2g}", "answers then": "{pulls}"}
MEANINGS = {
    "epsilon": "what one person's answers may reveal: less is more private, inf is no privacy",
    "people": "people to invite: on average, or the fixed number",
    "95 % done by": "with this many people 95 of 100 studies come to their end",
    "error": "share of simulated studies with a wrong verdict, if the guess is right; within the "
    "tolerance either verdict of a fixed number of answers is right",
    "price of privacy": "answers needed, divided by those needed without privacy; theory predicts "
    "1/c^2, c = tanh(epsilon/2) for one answer",
    "lower bound": "answers that every method needs on average that is right with any means",
    "smallest epsilon": "most privacy that the answers allow; - if they are too few even without",
    "true gaps": "distances of the means from the threshold: 0.5 x guess is a harder problem. "
    "A method that stops when certain then changes its length, a fixed number of answers its error",
}


def render(plan: Plan, width: int = 80, explain: bool = False) -> str:
    """Return the plan as text of at most this many columns."""
    width = max(width, MIN_WIDTH)
    sections = [
        wrapped(f"Recommendation: {recommendation(plan)}", width),
        "\n".join(wrapped(line, width) for line in _problem(plan)),
    ]
    for title, numbers, columns in _tables(plan):
        if not numbers.empty:
            rows = list(_rows(numbers, columns))
            sections.append(f"{title}\n{table(rows, width, words=['method'])}")
    if explain:
        legend = (f"{name:<17}{meaning}" for name, meaning in MEANINGS.items())
        sections.append("\n".join(wrapped(line, width, 17) for line in legend))
    else:
        sections.append("--explain says what the columns mean.")
    return "\n\n".join(sections)


def _problem(plan: Plan) -> Iterator[str]:
    """Yield the guessed problem, and how answers become people."""
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
    fixed = rows[rows["method"].isin(request.budget_methods)]
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
    request = plan.request
    last = plan.error[plan.error["budget"] == request.budget]
    best = last[last["epsilon"] == request.focus].sort_values("estimate").iloc[0]
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


def _tables(plan: Plan) -> Iterator[tuple[str, pd.DataFrame, dict[str, str]]]:
    """Yield the title, the numbers and the columns of every table."""
    request = plan.request
    people = {} if request.people == People() else {"people": "{people}"}  # else they are answers
    yield (
        f"People needed for an error probability of at most {request.delta or 0:g}",
        plan.cost,
        COSTS,
    )
    title = f"If the guessed means are wrong (epsilon {request.focus:g})"
    yield title, plan.wrong_means, WRONG_MEANS
    yield "Error probability by number of answers", plan.error, ANSWERS | people | ERRORS
    title = f"Smallest epsilon for {request.budget or 0:,} answers and error {request.delta or 0:g}"
    yield title, plan.smallest, SMALLEST


def _rows(numbers: pd.DataFrame, columns: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield the cells of each row; counts of people and answers have three digits."""
    for row in numbers.to_dict("records"):
        shown = row | {name: rounded(row[name]) for name in COUNTS if name in row}
        cells = {name: form.format(**shown) for name, form in columns.items()}
        yield {name: "-" if cell == "nan" else cell for name, cell in cells.items()}


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
