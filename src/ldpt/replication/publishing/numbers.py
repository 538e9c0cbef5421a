"""The numbers that a reader sees, gathered from the results under one name each.

A name is a path of parts joined by colons: ``FIGURE:FACT`` is a fact of a figure's caption,
``claim:ID:NUMBER`` a number of the evidence for a claim, ``claims:...`` the headlines of the
register, ``loss:POLICY:INSTANCE:EPSILON`` an error probability at T = H_eps, ``instance:...`` a
problem's own data, ``runs:...`` the size of the study, ``study:...`` the run, ``cited:...`` the
paper, and ``theory:...`` a constant that ``ldpt`` computes. Every number has a value for machines
and a text for prose; article and README take the text alone.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from ldpt import text
from ldpt.instances import Instance
from ldpt.plots.style import epsilon_label
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import shrinkage
from ldpt.summarise import CONFIDENCE
from ldpt.util.json_values import plain
from ldpt.util.reproducible import log

Numbers = dict[str, dict[str, Any]]
PRICED = (0.1, 0.5, 1.0, 2.0, 4.0)  # privacy levels whose price is stated
AT_COMPLEXITY = 0.02  # a budget is T = H_eps if it is larger by no more than this share


def gather(
    facts: Mapping[str, Mapping[str, Any]],
    claims: Mapping[str, Any],
    summaries: tuple[pd.DataFrame, pd.DataFrame],
    instances: Collection[Instance],
    citation: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Numbers:
    """Return all numbers by name, in a fixed order.

    Parameters
    ----------
    facts
        Facts of the captions, by figure and name.
    claims
        Content of ``results/claims.json``.
    summaries
        Summaries of the runs, fixed budget and fixed confidence.
    instances
        Problems of the study.
    citation
        Content of ``CITATION.cff``: version and date of the published run, and the paper.
    settings
        ``seed``, ``rho`` and ``config_hash``, the SHA-256 of the whole configuration.
    """
    paper, day = citation["references"][0], citation["date-released"]
    authors = [f"{a['given-names']} {a['family-names']}" for a in paper["authors"]]
    values = {
        **{f"{figure}:{name}": fact for figure in facts for name, fact in facts[figure].items()},
        **_of_claims(claims),
        **_of_runs(*summaries),
        **_of_losses(summaries[0]),
        **{f"theory:price:{epsilon_label(e)}": 1 / (shrinkage(e) * shrinkage(e)) for e in PRICED},
        **{f"theory:informative:{p.name}": _informative_budget(p) for p in instances},
        **{f"instance:{problem.name}:threshold": problem.threshold for problem in instances},
        **{f"instance:{p.name}:mean": p.means[0] for p in instances if p.n_arms == 1},
        "cited:authors": text.listed(authors),
        "cited:title": paper["title"],
        "cited:venue": paper["conference"]["name"],
        "cited:year": str(paper["year"]),
        "study:version": str(citation["version"]),
        "study:date": f"{day.day} {day:%B %Y}",
        "study:interval": f"{100 * CONFIDENCE:g} %",
        "study:seed": str(settings["seed"]),
        "study:rho": settings["rho"],
        "study:config-hash": settings["config_hash"],
    }
    return {
        name: {"value": plain(v), "text": text.unbroken(text.prose(v))}
        for name, v in sorted(values.items())
    }


def fill(template: str, numbers: Numbers) -> str:
    """Return a Jinja2 template as Markdown, filled with numbers, each as ``n("NAME")``."""

    def n(name: str) -> Any:
        if name not in numbers:
            raise ValueError(f"there is no number {name!r}; see results/numbers.json")
        return numbers[name]["value"]

    return text.as_markdown(text.fill(template, {"n": n}))


def _of_claims(claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts among the headlines, and every number of the evidence."""
    numbers: dict[str, Any] = {
        "claims:test-level": claims["test_level"],
        "claims:own-tested": claims["own_tested"],
    }
    for name, value in claims["headlines"].items():
        if isinstance(value, int):
            numbers[f"claims:{name.replace('_', '-')}"] = value
    for claim in claims["claims"]:
        for name, value in claim["evidence"].items():
            undefined = value in ("nan", "inf", "-inf")  # as evidence writes them
            numbers[f"claim:{claim['id']}:{name}"] = float(value) if undefined else value
        numbers[f"claim:{claim['id']}:verdict"] = claim["verdict"]
    return numbers


def _of_runs(fixed_budget: pd.DataFrame, fixed_confidence: pd.DataFrame) -> dict[str, Any]:
    """Return the size of the study, counted from the summaries."""
    sweeps = fixed_budget.groupby(["instance", "policy", "epsilon"])["replicates"].max()
    both = pd.concat([fixed_budget, fixed_confidence])
    return {
        "runs:runs": int(sweeps.sum() + fixed_confidence["replicates"].sum()),
        "runs:fewest-budget": int(fixed_budget["replicates"].min()),  # of a curve
        "runs:fewest-confidence": int(fixed_confidence["replicates"].min()),  # of a setting
        "runs:confidence:undecided": int(fixed_confidence["undecided"].sum()),
        "runs:instances": both["instance"].nunique(),
        "runs:least-epsilon": float(both["epsilon"].min()),
        "runs:most-arms": int(fixed_confidence["n_arms"].max()),
        "runs:least-delta": float(fixed_confidence["delta"].min()),
        "runs:most-delta": float(fixed_confidence["delta"].max()),
    }


def _informative_budget(instance: Instance, epsilon: float = 1.0) -> float:
    """Return the T / H_eps from which on the bound of Theorem 3.1 is below 1."""
    complexity = instance.complexity(epsilon)
    budget = 8.0 * instance.n_arms * complexity
    for _ in range(60):  # contracts
        budget = 8 * instance.n_arms * complexity * log(log(budget) + 1)
    return budget / complexity


def _of_losses(fixed_budget: pd.DataFrame) -> dict[str, Any]:
    """Return error probabilities at T = H_eps; where no run erred, the upper limit as a text.

    Only where Algorithm 1 and ``lsa`` were both run, so that they can be compared.
    """
    at = fixed_budget[fixed_budget["scaled_budget"].between(1, 1 + AT_COMPLEXITY)]
    at = at[at["policy"].isin(INDEX_POLICIES)].sort_values("budget", kind="stable")
    first = at.drop_duplicates(["policy", "instance", "epsilon"])
    both = first.groupby(["instance", "epsilon"]).filter(lambda p: {"apt", "lsa"} <= {*p["policy"]})
    return {
        f"loss:{row.policy}:{row.instance}:{epsilon_label(row.epsilon)}": row.estimate
        if row.errors > 0
        else f"< {text.number(row.high, 1)}"
        for row in both.itertuples()
    }
