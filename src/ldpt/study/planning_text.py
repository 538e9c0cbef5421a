"""Print a plan as text and as JSON, for ``ldpt plan``."""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.study import sentences
from ldpt.study.designs import Design
from ldpt.study.planning import Plan, rows_of
from ldpt.text import BOLD, NORMAL, json_text, rounded, table, wrapped
from ldpt.util.messages import counted, short

MIN_WIDTH = 60
LEAST_ERROR = 0.01  # smaller ones are printed as this limit
HINT = "--explain adds wrong guesses and columns; --text, paragraphs for a protocol."
LEGEND_INDENT = 17


def _ratio(value: float) -> str:
    return f"{value:.2g}" if value < 100 else rounded(value)


# Label, format and meaning of every column.
COLUMNS: dict[str, tuple[str, Callable[[Any], str], str]] = {
    "design": ("design", str, "how an answer is randomised"),
    "gaps": ("true gaps", "{:g} x guess".format, "true distances from the threshold"),
    "epsilon": ("epsilon", "{:.4g}".format, "privacy of one person: less is better, inf is none"),
    "method": ("method", str, "stops when certain, or has a fixed number of answers"),
    "budget": ("answers", "{:,}".format, "number of answers that are collected"),
    "people": ("people", rounded, "people to invite: on average, or the fixed number"),
    "people_95": ("95 % done by", rounded, "enough people in 95 of 100 studies"),
    "error": ("error", str, "probability of a wrong verdict if the means are as guessed"),
    "interval": ("95 % interval", str, "confidence interval of the error"),
    "price": ("price of privacy", _ratio, "answers needed, compared with no privacy"),
    "lower_bound": ("at least", rounded, "people that any valid method needs on average"),
    "smallest": ("smallest epsilon", "{:.2g}".format, "most privacy that the budget allows"),
    "pulls": ("answers then", rounded, "average answers at the smallest epsilon"),
}


def render(plan: Plan, width: int = 80, explain: bool = False, bold: bool = False) -> str:
    """Return the plan as text of at most this many columns: the answer first, then its table.

    With ``explain`` also the assumptions, the other tables and what the columns mean.
    """
    width = max(width, MIN_WIDTH)
    legend = dict[str, str]()
    start, end = (BOLD, NORMAL) if bold else ("", "")
    sections = [f"{start}{wrapped(recommendation(plan), width)}{end}"]
    problem = [*_problem(plan)] if explain else [*_caveats(plan)]
    if problem:
        sections.append("\n".join(wrapped(line, width) for line in problem))
    for title, numbers in [*_tables(plan)][: None if explain else 1]:
        columns = {name: COLUMNS[name] for name in numbers}
        rows = [
            {label: _cell(form, row[name]) for name, (label, form, _) in columns.items()}
            for row in numbers.to_dict("records")
        ]
        sections.append(f"{title}\n{table(rows, width, words=['method', 'design'])}")
        legend |= {label: meaning for label, _, meaning in columns.values()}
    if not explain:
        return "\n\n".join([*sections, wrapped(HINT, width)])
    meanings = (f"{label:<{LEGEND_INDENT}}{meaning}" for label, meaning in legend.items())
    lines = (wrapped(line, width, LEGEND_INDENT) for line in meanings)
    return "\n\n".join([*sections, "\n".join(lines)])


def paragraphs(plan: Plan, width: int = 80) -> str:
    """Return a paragraph for the methods section of a protocol, and one for an ethics board."""
    request, instance = plan.request, plan.request.instance
    design = request.main
    each = request.answers_per_person
    means = ", ".join(f"{mean:g}" for mean in instance.means)
    methods = [
        f"Answers are randomised before they are recorded ({design.name}, "
        f"{sentences.privacy_level(design)}"
        + (f" for all {each} answers of a person together)." if each > 1 else ")."),
    ]
    if not plan.cost.empty:
        row = rows_of(plan.cost, design).iloc[0]
        methods.append(
            f"{counted(instance.n_arms, 'question')} will be compared with the threshold "
            f"{instance.threshold:g} by the method {row['method']!r}. If the shares are {means}, "
            f"{rounded(row['people'])} people are needed on average, and "
            f"{rounded(row['people_95'])} are enough in 95 of 100 studies."
        )
        if row["guaranteed"]:
            methods.append(
                f"Whatever the shares are, all verdicts together are wrong with probability at "
                f"most {request.delta:g}, whenever the study ends."
            )
    elif request.budget is not None:
        methods.append(
            f"{request.budget:,} answers will be collected by the index policy "
            f"{request.budget_methods[0]!r}."
        )
    if request.drop_out:
        methods.append(f"A share of {request.drop_out:g} who never answer is allowed for.")
    ethics = [
        sentences.odds(design),
        "The recorded answer may differ from the true one, and this cannot be undone later: "
        "nobody knows whose answers differ.",
        "A person who answers several questions reveals as much with each of them."
        if each == 1
        else "This counts all answers of a person together.",
    ]
    if math.isinf(design.epsilon):
        ethics = ethics[:1]
    return "\n\n".join(
        wrapped(f"{title}. {' '.join(words)}", width)
        for title, words in (("Methods", methods), ("Privacy", ethics))
    )


def _cell(form: Callable[[Any], str], value: Any) -> str:
    return "-" if not isinstance(value, str) and pd.isna(value) else form(value)


def _error_text(error: float, limit: float) -> str:
    """Return an error probability; one that is hardly seen is replaced by an upper limit.

    >>> _error_text(0.031, 0.05), _error_text(0.0, 0.0075), _error_text(0.0, 0.062)
    ('0.031', '< 0.01', '< 0.07')
    """
    if error >= LEAST_ERROR:
        return f"{error:.2g}"
    return f"< {math.ceil(max(limit, LEAST_ERROR) * 100) / 100:g}"


def _tables(plan: Plan) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the title and the columns of every table that was requested, the answer first."""
    request = plan.request
    if not plan.cost.empty:
        method = ["method"] if len(request.methods) > 1 else []
        design = ["design"] if request.designs else []
        columns = ["people", "people_95", "error", "price", "lower_bound"]
        errors = zip(plan.cost["error"], plan.cost["error_limit"], strict=True)
        cost = plan.cost.assign(error=[_error_text(*both) for both in errors])
        title = f"People needed for an error probability of at most {request.delta:g}"
        yield title, cost[[*design, "epsilon", *method, *columns]]
    if not plan.error.empty:
        limits = zip(plan.error["low"], plan.error["high"], strict=True)
        intervals = [f"{low:.2g} .. {high:.2g}" for low, high in limits]
        errors = zip(plan.error["estimate"], plan.error["high"], strict=True)
        texts = [_error_text(*both) for both in errors]
        numbers = plan.error.assign(error=texts, interval=intervals)
        differ = request.drop_out > 0 or request.answers_per_person > 1
        people = ["people"] if differ else []  # else they are the answers
        design = ["design"] if request.designs else []
        columns = [*design, "epsilon", "method", "budget", *people, "error", "interval"]
        yield "Error probability by number of answers", numbers[columns]
    if not plan.smallest.empty:
        title = f"Smallest epsilon for {request.budget:,} answers and error {request.delta:g}"
        yield title, plan.smallest.rename(columns={"epsilon": "smallest"})
    if not plan.wrong_means.empty:
        level = way(request.main) if request.main.level else request.main.name
        title = f"If the guessed means are wrong ({level})"
        errors = plan.wrong_means["error"]
        wrong = plan.wrong_means.assign(error=[_error_text(one, one) for one in errors])
        yield title, wrong[["gaps", "method", "people", "error"]]


def _problem(plan: Plan) -> Iterator[str]:
    """Yield the guessed problem, and how answers become people."""
    instance = plan.request.instance
    means = short(", ".join(f"{mean:g}" for mean in instance.means), 60)
    yield (
        f"{counted(instance.n_arms, 'arm')}, threshold {instance.threshold:g}, tolerance "
        f"{instance.tolerance:g}; guessed means {means}, seed {plan.request.seed}."
    )
    if plan.request.answers_per_person == 1:
        yield "One answer per person."
    yield from _caveats(plan)


def _caveats(plan: Plan) -> Iterator[str]:
    """Yield what several answers per person, missing ones and batches mean."""
    request, instance = plan.request, plan.request.instance
    if request.answers_per_person > 1:
        yield (
            f"Each person gives {request.answers_per_person} answers and shares epsilon among "
            f"them: every answer is epsilon/{request.answers_per_person} private (composition), so "
            "the study needs more answers, and mostly more people as well."
        )
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
    """Return the answer: the method, the people it needs, and which design to choose."""
    request = plan.request
    if plan.cost.empty:
        last = plan.error[plan.error["budget"] == request.budget]
        best = rows_of(last, request.main).sort_values("estimate", kind="stable").iloc[0]
        return (
            f"{best['method']}: with {request.budget:,} answers at {way(request.main)} it "
            f"was wrong in {counted(best['errors'], 'run')} of {best['replicates']:,} (error at "
            f"most {best['high']:.2g} at 95 %), if the guessed means are right; --delta adds "
            "methods whose error level holds whatever the means are."
        )
    rows = rows_of(plan.cost, request.main).sort_values("people", kind="stable")
    proved = rows[rows["guaranteed"]]
    fixed = rows[~rows["method"].isin(RADII)]
    answers = [] if plan.smallest.empty else [_affordable(plan)]
    if len(request.designs) + len(request.epsilons) > 1 and request.designs:
        answers.append(_choice(plan))
    elif not proved.empty:
        best = proved.iloc[0]
        answers.append(
            f"{best['method']}: {rounded(best['people'])} people on average at "
            f"{way(request.main)}; invite up to "
            f"{rounded(best['people_95'])} to finish in 95 % of studies. It stops when certain: "
            f"whatever the means are, it is wrong with probability at most {request.delta:g}."
        )
    if not fixed.empty:
        answers.append(
            f"{fixed.iloc[0]['method']} with a fixed number of {rounded(fixed.iloc[0]['people'])} "
            f"people at {way(request.main)} has this error probability only if the guessed "
            "means are right."
        )
    if proved.empty:
        answers.append(
            f"The error of {DEFAULT_RADIUS} is at most {request.delta:g} whatever the means are."
        )
    return " ".join(answers)


def way(design: Design) -> str:
    """Return a privacy level in words, with the design if it is not PrivBern."""
    level = sentences.privacy_level(design)
    return level if design.level is not None else f"{level} ({design.name})"


def _affordable(plan: Plan) -> str:
    """Return what the budget affords."""
    budget = plan.request.budget
    rows = plan.smallest.dropna()
    if rows.empty:
        return f"{budget:,} answers are too few for this error, even without privacy."
    best = rows.sort_values("epsilon", kind="stable").iloc[0]
    level = "no privacy" if math.isinf(best["epsilon"]) else f"epsilon {best['epsilon']:.2g}"
    return f"With {budget:,} answers: {level} by {best['method']}, on average."


def _choice(plan: Plan) -> str:
    """Return which designs are worth choosing: no other has fewer people and more privacy."""
    rows = plan.cost[np.isfinite(plan.cost["epsilon"])].sort_values(
        ["people", "epsilon"], kind="stable"
    )
    if rows.empty:
        return "None of these designs gives any privacy."
    rows = rows[rows["method"] == rows["method"].iloc[0]]
    chosen: list[pd.Series] = []
    for _, row in rows.iterrows():
        if not chosen or row["epsilon"] < chosen[-1]["epsilon"]:
            chosen.append(row)
    names = [
        f"{row['design']} (epsilon {row['epsilon']:.3g}, {rounded(row['people'])} people)"
        for row in chosen
    ]
    if len(names) == 1:
        return f"Choose {names[0]}: no other design needs fewer people or protects them better."
    others = (
        " Others need more people at the same privacy or less." if len(rows) > len(names) else ""
    )
    return f"Choose by privacy, from weak to strong: {'; '.join(names)}.{others}"


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
