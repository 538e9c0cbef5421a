"""The parts of the README that come from a run: verdicts, findings, figures, cost, speed.

Each stands between two comments, ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``. After a run at
paper scale ``make readme`` writes them again; a test compares what can be compared.
"""

import csv
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from ldpt import growth
from ldpt.figures import catalog
from ldpt.figures.captions import as_unicode, number
from ldpt.provenance import read_record, record_path
from ldpt.provenance.manifest import MANIFEST

FINDINGS = Path("figures/findings.md")
CLAIMS = Path("results/claims.json")
SPEED = Path("benchmarks/engines.csv")  # written by `make benchmark`
GROWTH = Path("benchmarks/cost_growth.csv")
MEASURED = "ten arms, K = 10"  # the problem of the table of speeds, at every privacy level
ONE_BY_ONE = {"literal": "compiled", "NumPy": "NumPy", "Python": "Python"}  # columns and heads
COST = Path("docs/cost.md")  # holds one generated part as well
TEMPLATES = Path("workflow/captions")
PAUSE = 60  # seconds without a job after which another sitting begins
PLACE = r"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->"


def part(readme: str, name: str) -> str:
    """The text between the two comments of a part."""
    found = re.search(PLACE.format(name=name), readme, flags=re.DOTALL)
    if not found:
        raise ValueError(f"the README has no part {name!r} between its two comments")
    return found[1]


def with_part(readme: str, name: str, content: str) -> str:
    """The README with another text between the two comments of a part."""
    old = part(readme, name)
    marks = f"<!-- {name}:begin -->\n{{}}<!-- {name}:end -->"
    return readme.replace(marks.format(old), marks.format(content))


def question(template: str) -> str:
    """The question that opens a caption."""
    return " ".join(as_unicode(template).split("\n\n")[0].split())


def figure_table(names: Iterable[str], templates: Path, root: Path) -> str:
    """One row per figure: its question, its rule and script, and how long drawing took."""
    jobs = finished_jobs(root)
    lines = ["| figure, rule | question | script | drawn in |", "| --- | --- | --- | --- |"]
    for name in names:
        asked = question((templates / f"{name}.rst").read_text(encoding="utf-8"))
        took = f"{jobs[name,]['wall_seconds']:.1f} s"
        lines.append(f"| [`{name}`](figures/{name}.png) | {asked} | `scripts/{name}.py` | {took} |")
    return "\n".join(lines) + "\n"


def verdict_table(claims: Mapping[str, Any]) -> str:
    """One row per main result of the paper, and how many other statements have which verdict."""
    headlines = claims["headlines"]
    lines = ["| result | verdict |", "| --- | --- |"]
    lines += [f"| {row['where']} | {row['line']} |" for row in headlines["theorems"]]
    counts = [
        f"{sum(headlines[level][verdict] for level in ('statement', 'step'))} {verdict}"
        for verdict in headlines["theorem"]
    ]
    return (
        "\n".join(lines)
        + "\n\nOf the paper's other statements and proof steps that stand on their own: "
        + "; ".join(counts)
        + f". Another {headlines['typos']} are typos. Each verdict is computed from a stated"
        " criterion and listed in `results/claims.html`.\n"
    )


def speed_table(measurements: Path) -> str:
    """One row per method: the fast engine at each privacy level, then what makes single pulls."""
    rows = speeds(measurements)
    cells: dict[str, dict[str, str]] = {}
    slow: dict[str, list[list[float]]] = {}
    for row in rows:
        if row["problem"] == MEASURED:
            took, run = (float(row[name]) for name in ("fast, ns per pull", "fast, ms per run"))
            cells.setdefault(row["method"], {})[row["epsilon"]] = f"{took:.2g} ({run:.2g})"
            slow.setdefault(row["method"], []).append([float(row[name]) for name in ONE_BY_ONE])
    levels = sorted({level for row in cells.values() for level in row}, key=float, reverse=True)
    heads = [*(f"ε = {level}" for level in levels), *ONE_BY_ONE.values()]
    lines = [f"| method | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    for method, found in cells.items():
        plain = [_two_digits(median(costs)) for costs in zip(*slow[method], strict=True)]
        entries = [*(found.get(level, "") for level in levels), *plain]
        lines.append(f"| `{method}` | {' | '.join(entries)} |")
    return "\n".join(lines) + "\n"


def speed_words(measurements: Path, growth_measurements: Path) -> str:
    """How much the fast engines gain, and how the time of a run grows with epsilon, T and K."""
    rows = speeds(measurements)
    gain = [float(row["gain over literal"]) for row in rows]
    least, most = (rows[gain.index(extreme(gain))] for extreme in (min, max))
    found = growth.exponents(pd.read_csv(growth_measurements))
    power = found.set_index(["quantity", "axis", "method"])["exponent"].sort_index()
    time, pulls = (power.loc[name, "epsilon"] for name in ("cpu_seconds", "pulls"))
    arms = power.loc["cpu_seconds", "arms"]
    slow, fast = _two_digits(min(gain)), number(max(gain))
    rate = _two_digits(float(most["fast, pulls per s"]))
    return (
        f"The fast engines are {slow} ({_where(least)}) to {fast} ({_where(most)}) times as fast\n"
        f"as compiled code that makes one pull at a time; the best makes {rate} pulls per second. "
        f"As privacy grows,\nthe pulls of a run grow as 1/ε to the power {_range(pulls)}, its time "
        f"only to the power {_range(time)}.\nThe budget T grows like the pulls, so the time of "
        f"Algorithm 1 grows as T to the power {time['apt'] / pulls['apt']:.2f}.\nWith K arms the "
        f"time grows as K to the power {_range(arms)} ([`cost_growth`](figures/cost_growth.png)).\n"
    )


def speeds(measurements: Path) -> list[dict[str, str]]:
    """The rows of the table of engine speeds."""
    return list(csv.DictReader(measurements.read_text(encoding="utf-8").splitlines()))


def _where(row: Mapping[str, str]) -> str:
    level = "no privacy" if math.isinf(float(row["epsilon"])) else f"ε = {row['epsilon']}"
    return f"`{row['method']}`, {row['problem'].split(',')[0]}, {level}"


def _two_digits(value: float) -> str:
    return number(float(f"{value:.2g}"))


def _range(values: "pd.Series[float]") -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def finished_jobs(root: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """What every job of a run took, by its rule and wildcards; a record tells of each product."""
    if not (root / MANIFEST).exists():
        raise ValueError(f"no {root / MANIFEST}: has the run at paper scale finished?")
    jobs = {}
    manifest = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    for product in [*manifest["products"], MANIFEST]:
        record = read_record(record_path(root, product))
        key = record["stable"]["rule"], *record["stable"]["wildcards"].values()
        jobs[key] = record["volatile"]
    return jobs


def cost_table(root: Path) -> str:
    """One row per rule: its jobs, their CPU time, the longest of them, and the most memory."""
    rules: dict[str, list[dict[str, Any]]] = {}
    for (rule, *_), job in finished_jobs(root).items():
        rules.setdefault(rule, []).append(job)
    cpu = {rule: sum(job["cpu_seconds"] for job in jobs) for rule, jobs in rules.items()}
    lines = [
        "| rule | jobs | CPU time | longest job | peak memory |",
        "| --- | --: | --: | --: | --: |",
    ]
    for rule in sorted(rules, key=lambda rule: -cpu[rule]):
        jobs = rules[rule]
        longest = max(job["wall_seconds"] for job in jobs)
        peak = max(job["peak_memory_mb"] for job in jobs)
        lines.append(
            f"| `{rule}` | {len(jobs)} | {cpu[rule]:.1f} s | {longest:.1f} s | {peak:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


def cost(root: Path, cores: int) -> str:
    """Two sentences: what a run took in time, memory and disk, by its own records."""
    jobs = finished_jobs(root)
    cpu = sum(job["cpu_seconds"] for job in jobs.values())
    peak = max(job["peak_memory_mb"] for job in jobs.values())
    kept = [f for f in (root / "results").rglob("*") if f.is_file() and "smoke" not in f.parts]
    size = sum(f.stat().st_size for f in kept) / 1e6
    wall = busy(jobs.values())
    return (
        f"The run at paper scale is {len(jobs)} jobs and took {number(wall / 60, 3)} minutes on "
        f"{cores} cores,\n{number(cpu / 60, 3)} minutes of CPU time; `results/` then holds "
        f"{size:.0f} MB. No job took more than {peak:.0f} MB of memory\n"
        f"([each rule]({COST})).\n"
    )


def busy(jobs: Iterable[Mapping[str, Any]]) -> float:
    """Seconds from the first job to the last, less the time between two sittings."""
    total, until = 0.0, -math.inf
    starts = [(datetime.fromisoformat(job["started"]).timestamp(), job) for job in jobs]
    for start, job in sorted(starts, key=lambda pair: pair[0]):
        end = start + job["wall_seconds"]
        total += max(0.0, end - (until if start - until < PAUSE else start))
        until = max(until, end)
    return total


def updated(readme: str, project: Path) -> str:
    """The README with all its generated parts generated from a finished run."""
    names = catalog.read(project / catalog.CATALOG)
    claims = json.loads((project / CLAIMS).read_text(encoding="utf-8"))
    parts = {
        "verdicts": verdict_table(claims),
        "speed": speed_table(project / SPEED)
        + "\n"
        + speed_words(project / SPEED, project / GROWTH),
        "findings": (project / FINDINGS).read_text(encoding="utf-8"),
        "figures": figure_table(names, project / TEMPLATES, project),
        "cost": cost(project, os.cpu_count() or 1),
    }
    for name, content in parts.items():
        readme = with_part(readme, name, content)
    return readme


if __name__ == "__main__":
    file = Path("README.md")
    file.write_text(updated(file.read_text(encoding="utf-8"), Path()), encoding="utf-8")
    rules = with_part(COST.read_text(encoding="utf-8"), "rules", cost_table(Path()))
    COST.write_text(rules, encoding="utf-8")
