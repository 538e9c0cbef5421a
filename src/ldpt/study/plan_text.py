"""A plan as text and as JSON: what ``ldpt plan`` prints."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from ldpt.io.json_values import plain
from ldpt.io.messages import short
from ldpt.radii import RADII
from ldpt.study.plan import BUDGET_METHODS, GUARANTEED, Plan

WORST_CASE = "for the worst of {} similar problems, not for this one"


def render(plan: Plan) -> str:
    """The plan as text."""
    return "\n\n".join(_sections(plan))


def _sections(plan: Plan) -> Iterator[str]:
    asked, instance = plan.request, plan.request.instance
    yield (
        f"{instance.n_arms} arm{'s' * (instance.n_arms > 1)}, threshold {instance.threshold:g}, "
        f"tolerance {instance.tolerance:g}; simulated with the guessed means "
        f"{short(', '.join(f'{mean:g}' for mean in instance.means), 60)} and seed {asked.seed}.\n"
        "epsilon is what one person's answers may reveal: less is more private, inf is no privacy."
        "\n" + "\n".join(_terms(plan))
    )
    yield f"Recommendation: {recommendation(plan)}"
    if not plan.cost.empty:
        title = f"People needed for an error probability of at most {asked.delta:g}"
        yield f"{title}\n{_layout(map(_cost_line, records_of(plan.cost)))}"
        yield "\n".join(_legend(plan))
    if not plan.wrong_means.empty:
        yield _wrong_means(plan)
    if not plan.error.empty:
        yield (
            f"Error probability by budget\n{_layout(map(_error_line, records_of(plan.error)))}\n"
            "error: share of simulated studies with a wrong answer if the guess is right\n"
            f"lower bound: proved for every method, {worst_case(plan)}\n"
            "upper bound: proved for this method and the guessed means; 1 says nothing"
        )
    if not plan.smallest.empty:
        title = f"Smallest epsilon for {asked.budget:,} answers and error {asked.delta:g}"
        lines = _layout(map(_smallest_line, records_of(plan.smallest)))
        yield f"{title}\n{lines}\nthe strongest privacy at which this many answers are enough"


def worst_case(plan: Plan) -> str:
    """Of which problem the lower bound for a fixed number of answers speaks."""
    return WORST_CASE.format(plan.request.instance.n_arms + 1)


def _terms(plan: Plan) -> Iterator[str]:
    """How answers become people."""
    asked = plan.request
    if asked.answers_per_person > 1:
        count = asked.answers_per_person
        yield (
            f"Each person gives {count} answers and shares epsilon among them: every answer is "
            f"epsilon/{count} private (composition), so the study needs more answers, and mostly "
            "more people as well."
        )
    else:
        yield "One answer per person."
    if asked.drop_out:
        yield (
            f"Of those invited {asked.drop_out:.0%} never answer; people are those to invite. This "
            "is safe only if dropping out does not depend on the answer."
        )
    if asked.batch > 1:
        yield (
            f"Asked in batches of {asked.batch:,}: a study that stops by itself invites up to "
            f"{asked.instance.n_arms * (asked.batch - 1):,} people more than shown, whose answers "
            "come after their arm is decided, and more if it does not wait for a whole batch."
        )


# --- one piece of advice


def recommendation(plan: Plan) -> str:
    """One method with its reason."""
    asked = plan.request
    if plan.cost.empty:
        return _advise_budget(plan)
    rows = plan.cost[plan.cost["epsilon"] == asked.focus].sort_values("people")
    proved = rows[rows["guaranteed"]]
    if proved.empty:
        return _advise_unproved(plan, rows.iloc[0])
    best = proved.iloc[0]
    text = (
        f"{best['method']}. Whatever the means are, it is wrong with probability at most "
        f"{asked.delta:g} (proved), and it stops by itself: at epsilon {asked.focus:g} after "
        f"{whole(best['people'])} people on average. Invite up to {whole(best['people_95'])} to "
        f"finish in 95 % of studies{_rounds(plan, best['people_95'])}."
    )
    fixed = rows[rows["method"].isin(BUDGET_METHODS)]
    if not fixed.empty:
        other = fixed.iloc[0]
        text += (
            f" {other['method']} with a fixed number of {whole(other['people'])} people errs with "
            f"about {asked.delta:g} too, but only if the guessed means are right (see below)."
        )
    if asked.budget is not None and best["pulls_95"] > asked.budget:
        text += (
            f" {best['method']} may not fit into {asked.budget:,} answers at epsilon "
            f"{asked.focus:g}: see the smallest epsilon below."
        )
    return text


def _advise_unproved(plan: Plan, best: pd.Series) -> str:
    delta, method = plan.request.delta, best["method"]
    if method in RADII:
        return f"none of these: the error of {method} can exceed {delta:g}; use {GUARANTEED[-1]}."
    return (
        f"{method} with {whole(best['people'])} people at epsilon {plan.request.focus:g}"
        f"{_rounds(plan, best['people'])}. Its error of {delta:g} holds only if the guessed means "
        f"are right; {GUARANTEED[-1]} keeps it whatever they are (--method)."
    )


def _advise_budget(plan: Plan) -> str:
    asked = plan.request
    last = plan.error[
        (plan.error["epsilon"] == asked.focus)
        & (plan.error["budget"] == plan.error["budget"].max())
    ].sort_values("estimate")
    best = last.iloc[0]
    error = "no error in" if best["errors"] == 0 else f"an error of about {best['estimate']:.2g} in"
    return (
        f"{best['method']}. With {asked.budget:,} answers at epsilon {asked.focus:g} it had "
        f"{error} {best['replicates']:,} runs (at most {best['high']:.2g} at 95 %), if the guessed "
        "means are right; --delta adds methods that keep an error level whatever the means are"
        f"{_rounds(plan, best['people'])}."
    )


def _rounds(plan: Plan, people: float) -> str:
    """How often a batch is invited."""
    size = plan.request.batch
    return f", {math.ceil(people / size):,} rounds of {size:,}" if size > 1 else ""


# --- tables


def _cost_line(row: dict[str, Any]) -> dict[str, str]:
    fixed = row["method"] in BUDGET_METHODS
    return {
        "epsilon": f"{row['epsilon']:g}",
        "method": row["method"],
        "people": whole(row["people"]),
        "95 % interval": f"{whole(row['people_low'])} .. {whole(row['people_high'])}",
        "95 % of runs": "fixed" if fixed else f"<= {whole(row['people_95'])}",
        "error": f"{row['error']:.2g} [{row['error_low']:.2g}, {row['error_high']:.2g}]",
        "price": f"{row['price']:.3g}",
        "1/c^2": f"{row['price_theory']:.3g}",
        "least": whole(row["bound_low"]) + "*" * fixed,
        "enough": whole(row["bound_high"]),
        "runs": whole(row["runs"]),
    }


def _legend(plan: Plan) -> Iterator[str]:
    """What the columns of the cost table are."""
    methods = set(plan.cost["method"])
    fixed = sorted(methods & set(BUDGET_METHODS))
    stopping = sorted(methods & set(RADII))
    these = " and ".join(fixed)
    yield "people         people to invite: " + (
        ("on average" + f", or the fixed number of {these}" * bool(fixed))
        if stopping
        else "a fixed number"
    )
    yield "95 % interval  of that number, for the error of the simulation only"
    if stopping:
        yield "95 % of runs   with this many people 95 of 100 studies come to their end"
    yield "error          share of simulated studies with a wrong answer, and its 95 % interval"
    yield "price          answers needed, divided by those needed without privacy"
    yield "1/c^2          the price that the theory predicts, c = tanh(epsilon/2) for one answer"
    yield "least          a proved lower bound, in answers:"
    if stopping:
        yield "               the average of any method that is right with any means"
    if fixed:
        yield f"               * {worst_case(plan)}, so {these} may need fewer"
    yield "enough         a proved upper bound, in answers (- if none is proved):"
    if stopping:
        yield "               on the average; a single study may need more"
    if fixed:
        yield f"               with this many {these} keeps the error level if the guess is right"
    yield "runs           simulated studies behind the row"
    if fixed and plan.request.instance.tolerance > 0:
        others = "; the others decide every arm" if methods - set(fixed) else ""
        yield (
            f"Within the tolerance of {plan.request.instance.tolerance:g} either answer of "
            f"{' and '.join(fixed)} counts as right{others}."
        )
    for method in sorted(methods & set(RADII) - set(GUARANTEED)):
        yield f"The radius {method} is the paper's: its error can exceed delta, so use another."


def _wrong_means(plan: Plan) -> str:
    asked = plan.request
    lines = [
        {
            "true gaps": f"{row['gaps']:g} x guess",
            "method": row["method"],
            "people": whole(row["people"]),
            "error": f"{row['error']:.2g}",
        }
        for row in records_of(plan.wrong_means.sort_values(["gaps", "method"], kind="stable"))
    ]
    return (
        f"If the guessed means are wrong (epsilon {asked.focus:g})\n{_layout(lines)}\n"
        "gaps are the distances of the means from the threshold: 0.5 x guess is a harder problem.\n"
        "A method that stops by itself changes its length and keeps its error level; a fixed "
        "number\nof answers keeps its length and changes its error."
    )


def _error_line(row: dict[str, Any]) -> dict[str, str]:
    return {
        "epsilon": f"{row['epsilon']:g}",
        "method": row["method"],
        "answers": whole(row["budget"]),
        "people": whole(row["people"]),
        "error": f"{row['estimate']:.3g} [{row['low']:.3g}, {row['high']:.3g}]",
        "without privacy": f"{row['without_privacy']:.3g}",
        "lower bound": f"{row['bound_low']:.2g}",
        "upper bound": f"{row['bound_high']:.2g}",
        "runs": whole(row["replicates"]),
    }


def _smallest_line(row: dict[str, Any]) -> dict[str, str]:
    out_of_reach = math.isnan(row["epsilon"])
    needs = f"none: {whole(row['pulls'])} answers are needed without privacy"
    shown = f"{row['epsilon']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"
    return {"method": row["method"], "epsilon": needs if out_of_reach else shown}


def whole(value: float) -> str:
    """A number of people or answers; a dash where none is known.

    >>> whole(10712.4), whole(float("inf")), whole(float("nan"))
    ('10,712', 'inf', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{round(value):,}" if math.isfinite(value) else "inf"


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _layout(lines: Iterable[dict[str, str]]) -> str:
    return pd.DataFrame(list(lines)).to_string(index=False)


def as_json(plan: Plan) -> str:
    """The plan for machines; infinity is written "inf" and what is not known null."""
    asked, instance = plan.request, plan.request.instance
    content = {
        "instance": {
            "means": instance.means,
            "threshold": instance.threshold,
            "tolerance": instance.tolerance,
        },
        "delta": asked.delta,
        "budget": asked.budget,
        "seed": asked.seed,
        "drop_out": asked.drop_out,
        "batch": asked.batch,
        "answers_per_person": asked.answers_per_person,
        "recommendation": recommendation(plan),
        "cost": _known_rows(plan.cost),
        "wrong_means": _known_rows(plan.wrong_means),
        "error": _known_rows(plan.error),
        "smallest_epsilon": _known_rows(plan.smallest),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False)


def _known_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, with None for NaN."""
    return [
        {key: None if value != value else value for key, value in row.items()}
        for row in records_of(table)
    ]
