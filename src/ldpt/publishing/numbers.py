"""The numbers that a reader sees, gathered from the results under one name each.

A name is a path of parts joined by colons: ``FIGURE:FACT`` is a fact of a figure's caption,
``claim:ID:NUMBER`` a number of the evidence for a claim, ``claims:...`` and ``theorem:...`` the
headlines of the register, ``loss:POLICY:INSTANCE:EPSILON`` an error probability at T = H_eps,
``loss-ratio:...`` ratios of such, ``instance:...`` a problem's own data, ``runs:...`` the size of
the study, ``study:...`` and ``cited:...`` what was run and what is replicated, and ``theory:...``
a constant that ``ldpt`` computes. Every number has a value for machines and a text for prose;
article and README take the text alone.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from ldpt import text
from ldpt.claims.budget import NEW
from ldpt.instances import Instance
from ldpt.io.json_values import plain
from ldpt.plots.style import epsilon_label
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import shrinkage
from ldpt.radii import Radius, upper
from ldpt.summarise import CONFIDENCE

Numbers = dict[str, dict[str, Any]]
COUNTEREXAMPLE = ("counterexample", 1.0, 0.1)  # instance, epsilon and delta of claim T4.1
PRICED = (0.1, 0.5, 1.0, 2.0, 4.0)  # privacy levels whose price is stated
COMPARED = ("apt", "lsa")  # policies whose losses are set side by side
AT_COMPLEXITY = 0.02  # a budget is T = H_eps if it is larger by no more than this share


def gather(
    facts: Mapping[str, Mapping[str, Any]],
    claims: Mapping[str, Any],
    fixed_budget: pd.DataFrame,
    fixed_confidence: pd.DataFrame,
    instances: Sequence[Instance],
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
    fixed_budget, fixed_confidence
        Summaries of the runs.
    instances
        Problems of the study.
    citation
        Content of ``CITATION.cff``: version and date of the published run, and the paper.
    settings
        ``seed``, ``rho`` and ``config_hash``, the SHA-256 of the whole configuration.
    """
    values = {
        **{
            f"{figure}:{name}": value
            for figure, known in facts.items()
            for name, value in known.items()
        },
        **_of_claims(claims),
        **_of_runs(fixed_budget, fixed_confidence),
        **_of_losses(fixed_budget),
        **_of_theory(),
        **_of_instances(instances),
        **_of_counterexample(instances),
        **_of_paper(citation["references"][0]),
        "study:version": str(citation["version"]),
        "study:date": _spelled(citation["date-released"]),
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
    """Return headlines (roots by level and verdict, typos), and every number of the evidence.

    ``claims:LEVEL:VERDICT`` counts roots, ``claims:LEVEL`` all roots of a level, and
    ``theorem:ID:line`` is the one line on a theorem.
    """
    headlines = claims["headlines"]
    found: dict[str, Any] = {
        f"claims:{_hyphened(name)}": headlines[name]
        for name in ("rows", "paper_roots", "own_roots", "paper_rows", "own_rows", "typos")
    }
    for level in ("theorem", "statement", "step", "own"):
        found[f"claims:{level}"] = sum(headlines[level].values())
        for verdict, count in headlines[level].items():
            found[f"claims:{level}:{_hyphened(verdict)}"] = count
    for theorem in headlines["theorems"]:
        found[f"theorem:{theorem['id']}:line"] = theorem["line"]
        found[f"theorem:{theorem['id']}:verdict"] = theorem["verdict"]
    found["claims:test-level"] = claims["test_level"]
    for claim in claims["claims"]:
        values = {**claim.get("evidence", {}), "adjusted_p": claim.get("adjusted_p")}
        for name, value in values.items():
            if isinstance(value, (int, float, str)) and not isinstance(value, bool):
                undefined = value in ("nan", "inf", "-inf")  # as evidence writes them
                found[f"claim:{claim['id']}:{name}"] = float(value) if undefined else value
        found[f"claim:{claim['id']}:verdict"] = claim["verdict"]
    return found


def _of_runs(fixed_budget: pd.DataFrame, fixed_confidence: pd.DataFrame) -> dict[str, Any]:
    """Return the size of the study: settings, runs and pulls, counted from the summaries."""
    sweeps = fixed_budget.groupby(["instance", "policy", "epsilon"])
    longest = sweeps[["budget", "replicates"]].max()
    budget_pulls = float((longest["budget"] * longest["replicates"]).sum())
    pulls = fixed_confidence["mean_pulls"] * fixed_confidence["replicates"]
    epsilons = _union(fixed_budget["epsilon"], fixed_confidence["epsilon"])
    return {
        "runs:budget:points": len(fixed_budget),
        "runs:budget:runs": int(longest["replicates"].sum()),
        "runs:budget:replicates": int(fixed_budget["replicates"].min()),
        "runs:budget:pulls": budget_pulls,
        "runs:confidence:points": len(fixed_confidence),
        "runs:confidence:runs": int(fixed_confidence["replicates"].sum()),
        "runs:confidence:replicates": int(fixed_confidence["replicates"].min()),
        "runs:confidence:pulls": float(pulls.sum()),
        "runs:confidence:undecided": int(fixed_confidence["undecided"].sum()),
        "runs:runs": int(longest["replicates"].sum() + fixed_confidence["replicates"].sum()),
        "runs:pulls": budget_pulls + float(pulls.sum()),
        "runs:instances": len(_union(fixed_budget["instance"], fixed_confidence["instance"])),
        "runs:epsilons": [epsilon_label(epsilon) for epsilon in epsilons],
        "runs:least-epsilon": min(epsilons),
        "runs:most-arms": int(fixed_confidence["n_arms"].max()),
        "runs:least-delta": float(fixed_confidence["delta"].min()),
        "runs:most-delta": float(fixed_confidence["delta"].max()),
    }


def _of_losses(fixed_budget: pd.DataFrame) -> dict[str, Any]:
    """Return error probabilities at T = H_eps; where no run erred, the upper limit as a text.

    Only where Algorithm 1 and ``lsa`` were both run, so that they can be compared. The ratios are
    the ratios of ``lsa`` to Algorithm 1 over the held-out problems.
    """
    at = fixed_budget[fixed_budget["scaled_budget"].between(1, 1 + AT_COMPLEXITY)]
    first = at.sort_values("budget").drop_duplicates(["policy", "instance", "epsilon"])
    apt, lsa = (first[first["policy"] == policy] for policy in COMPARED)
    both = apt.merge(lsa, on=["instance", "epsilon"], suffixes=("_apt", "_lsa"))
    found: dict[str, Any] = {}
    compared = first.merge(both[["instance", "epsilon"]])
    for row in compared[compared["policy"].isin(INDEX_POLICIES)].to_dict("records"):
        name = f"loss:{row['policy']}:{row['instance']}:{epsilon_label(row['epsilon'])}"
        limit = f"< {text.number(row['high'], 1)}"
        found[name] = row["estimate"] if row["errors"] > 0 else limit
    new = both[both["instance"].str.startswith(NEW) & (both["errors_apt"] > 0)]
    ratio = new["estimate_lsa"] / new["estimate_apt"]
    for name, value in (
        ("least", ratio.min()),
        ("median", ratio.median()),
        ("largest", ratio.max()),
    ):
        found[f"loss-ratio:new:{name}"] = float(value)
    return found


def _of_paper(paper: Mapping[str, Any]) -> dict[str, str]:
    """Return the paper that is replicated, as ``CITATION.cff`` has it."""
    authors = [f"{a['given-names']} {a['family-names']}" for a in paper["authors"]]
    return {
        "cited:authors": text.listed(authors),
        "cited:title": paper["title"],
        "cited:venue": paper["conference"]["name"],
        "cited:year": str(paper["year"]),
    }


def _spelled(day: datetime.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _of_instances(instances: Iterable[Instance]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for problem in instances:
        found[f"instance:{problem.name}:arms"] = problem.n_arms
        found[f"instance:{problem.name}:threshold"] = problem.threshold
        found[f"instance:{problem.name}:complexity"] = problem.complexity()
        if problem.n_arms == 1:
            found[f"instance:{problem.name}:mean"] = problem.means[0]
    return found


def _of_counterexample(instances: Iterable[Instance]) -> dict[str, Any]:
    """Return the effect of one response on Algorithm 2 with one arm."""
    name, epsilon, delta = COUNTEREXAMPLE
    (problem,) = [instance for instance in instances if instance.name == name]

    def after_one_pull(radius: str) -> float:
        return upper(Radius(radius).at(1, delta, problem.threshold, epsilon), 1, 1)

    return {
        "counterexample:first-is-zero": 1 - float(problem.private_means(epsilon)[0]),
        "counterexample:distance": problem.private_threshold(epsilon),
        "counterexample:printed-boundary": after_one_pull("printed"),
        "counterexample:hoeffding-boundary": after_one_pull("hoeffding"),
    }


def _of_theory() -> dict[str, Any]:
    return {f"theory:price:{epsilon_label(e)}": shrinkage(e) ** -2 for e in PRICED}


def _union(*columns: Iterable[Any]) -> list[Any]:
    return sorted(set().union(*columns))


def _hyphened(words: str) -> str:
    return words.replace(",", "").replace(" ", "-").replace("_", "-")
