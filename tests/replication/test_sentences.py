"""Every sentence with a number in findings and abstract: number, condition and row agree.

Each number is computed again from the tables of the run, with the conditions that the sentence
itself states, by formulas that share no code with the package; the row of the register must state
these conditions too. A wrong number and a wrong condition are therefore both found, and so is a
sentence with a number that no rule here knows.
"""

import csv
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.conftest import PROJECT

Table = list[dict[str, str]]
NUMBER = r"(\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class Run:
    """Tables and verdicts of a finished run."""

    costs: Table
    losses: Table
    verdicts: dict[str, str]
    words: dict[str, str]  # what each row says

    @classmethod
    def read(cls, results: Path) -> "Run":
        def rows(name: str) -> Table:
            return list(csv.DictReader((results / "summaries" / name).read_text().splitlines()))

        claims = json.loads((results / "claims.json").read_text())["claims"]
        verdicts = {claim["id"]: claim["verdict"] for claim in claims}
        parts = ("statement", "amendment", "meaning")
        words = {claim["id"]: " ".join(claim[part] for part in parts) for claim in claims}
        return cls(rows("fixed_confidence.csv"), rows("fixed_budget.csv"), verdicts, words)


@dataclass(frozen=True)
class Rule:
    """A sentence with its numbers as groups, what they must be, and the rows that support it."""

    pattern: str
    expected: Callable[..., tuple[float, ...]]  # of the run and the groups, for the last groups
    rows: dict[str, str]  # and their verdicts, empty where these depend on the size of the run
    condition: Callable[..., str] = lambda *_: ""  # of the groups: words of every one of the rows


def error_of_one_arm(mean: float, tau: float, epsilon: float, delta: float) -> float:
    """Return the error probability of Algorithm 2 as printed on one arm, to n = 3000."""
    c = math.tanh(epsilon / 2)
    p, t = 0.5 + c * (mean - 0.5), 0.5 + c * (tau - 0.5)
    law, wrong = np.array([1.0]), 0.0  # of the ones among undecided runs
    for n in range(1, 3001):
        law = np.append(law * (1 - p), 0.0) + np.append(0.0, law * p)
        away = np.arange(n + 1) / n - t
        reach = math.sqrt(math.log(4 * n**3 / delta) / (8 * n))
        wrong += law[(away < -reach) if mean >= tau else (away >= reach)].sum()
        law = np.where((-reach <= away) & (away < reach), law, 0.0)
    return float(wrong)


def broken(run: Run) -> tuple[float, float]:
    """Return how many settings of the printed radius have an interval above delta, and all.

    The sentence says on which problems: those designed to provoke failure.
    """
    rows = [row for row in run.costs if row["radius"] == "printed"]
    lows = [
        stats.beta.ppf(0.025, k, int(row["replicates"]) - k + 1) if k else 0.0
        for row in rows
        for k in [int(float(row["errors"]))]
    ]
    above = [row for low, row in zip(lows, rows, strict=True) if low > float(row["delta"])]
    assert {row["instance"] for row in above} <= {"counterexample", "hard-arm", "one-of-ten"}
    return float(len(above)), float(len(rows))


def median_ratio(run: Run, above: str, below: str) -> float:
    """Return the median ratio of mean pulls over the settings that both radii were run on."""
    pulls = {
        (row["radius"], row["instance"], row["epsilon"], row["delta"]): float(row["mean_pulls"])
        for row in run.costs
    }
    ratios = [
        value / pulls[below, *setting]
        for (radius, *setting), value in pulls.items()
        if radius == above and (below, *setting) in pulls
    ]
    return float(np.median(ratios))


def spread(run: Run, policy: str, largest: float) -> float:
    """Return the largest ratio of scaled budgets for one error on one problem, up to an eps."""
    curves: dict[tuple[str, float], Table] = {}
    for row in run.losses:
        epsilon = float(row["epsilon"])
        if row["policy"] == policy and epsilon <= largest:
            curves.setdefault((row["instance"], epsilon), []).append(row)
    worst = 1.0
    for target in (0.2, 0.1, 0.05):
        budgets: dict[str, list[float]] = {}
        for (instance, _), rows in curves.items():
            ends = [crossing(rows, name, target) for name in ("estimate", "low", "high")]
            if None not in ends:  # the limits of the curve pass the target as well
                budgets.setdefault(instance, []).append(ends[0] or 0.0)
        worst = max([worst, *(max(b) / min(b) for b in budgets.values() if b)])
    return worst


def crossing(rows: Table, name: str, target: float) -> float | None:
    """Return the scaled budget at which a curve first passes the target, straight in log error."""
    points = sorted((float(row["scaled_budget"]), float(row[name])) for row in rows)
    points = [point for point in points if point[1] > 0]
    for (x, first), (y, second) in pairwise(points):
        if first > target >= second:
            share = math.log(first / target) / math.log(first / second)
            return x + share * (y - x)
    return None


FAILURE = {"T4.1": "false as printed, repaired"}
RULES = (
    Rule(
        rf"mean {NUMBER}, threshold {NUMBER}, ε = {NUMBER}\), Algorithm 2 promises an error of at "
        rf"most {NUMBER} % and errs with probability {NUMBER} %",
        lambda run, m, t, e, d, _: (100 * error_of_one_arm(m, t, e, d / 100),),
        FAILURE,
        lambda m, t, e, d, _: f"one arm at {m:g} with τ = {t:g}, ε = {e:g} and δ = {d / 100:g}.",
    ),
    Rule(
        rf"mean {NUMBER}, threshold {NUMBER}, ε = {NUMBER}\) Algorithm 2 promises an error of at "
        rf"most {NUMBER} and errs with probability {NUMBER}",
        lambda run, m, t, e, d, _: (error_of_one_arm(m, t, e, d),),
        FAILURE,
        lambda m, t, e, d, _: f"one arm at {m:g} with τ = {t:g}, ε = {e:g} and δ = {d:g}.",
    ),
    Rule(
        rf"promises an error of {NUMBER} % and makes {NUMBER} %",  # README's picture
        lambda run, d, _: (100 * error_of_one_arm(0.95, 0.9, 1.0, d / 100),),
        FAILURE,
        lambda d, _: f"one arm at 0.95 with τ = 0.9, ε = 1 and δ = {d / 100:g}.",
    ),
    Rule(
        rf"broken in {NUMBER} of {NUMBER} simulated settings, all of them on problems designed to "
        "provoke failure",
        lambda run, *_: broken(run),
        {"T4.1-runs": ""},
    ),
    Rule(
        rf"at about {NUMBER} times the answers; the radius `coin` keeps the promise with about "
        rf"{NUMBER} times the answers of the printed one \(medians over all settings\)",
        lambda run, *_: (
            median_ratio(run, "hoeffding", "printed"),
            median_ratio(run, "coin", "printed"),
        ),
        {"X1": "true as printed", "X30": "true as printed"},
    ),
    Rule(
        rf"{NUMBER} at ε = {NUMBER}, {NUMBER} at ε = {NUMBER}",
        lambda run, a, e, b, f: (math.tanh(e / 2) ** -2, e, math.tanh(f / 2) ** -2, f),
        {"X6": "true as printed", "X26": "true as printed"},
    ),
    Rule(
        rf"differ by a factor of about {NUMBER} over ε ≤ {NUMBER} with clipped LSA, and of up to "
        rf"{NUMBER} with Algorithm 1",
        lambda run, a, e, b: (spread(run, "lsa-clipped", e), e, spread(run, "apt", e)),
        {"D14-small": "", "X37": ""},
        lambda a, e, b: f"ε ≤ {e:g}",
    ),
)
NAMES = re.compile(r"Algorithms? \d|Theorems? \d(?:\.\d)?|⁻²|\^\(-2\)|\[0, 1\]|(?:→|->) 0|½")


def sentences(text: str) -> list[str]:
    """Return the sentences that hold a number which is not a name, such as Algorithm 2."""
    prose = re.sub(r"^\d\. ", "", text.replace("\u00a0", " "), flags=re.MULTILINE)  # no list marks
    found = re.split(r"(?<=[.:])\s+(?=[A-Z*])", prose)
    return [words for words in found if re.search(r"\d", NAMES.sub("", words))]


def faults(text: str, run: Run) -> list[str]:
    """Return what is wrong with the numbers of a text."""
    found = []
    for sentence in sentences(text):
        matches = [(rule, m) for rule in RULES if (m := re.search(rule.pattern, sentence))]
        if not matches:
            found.append(f"no rule knows: {sentence}")
        for rule, match in matches:
            printed = match.groups()
            numbers = [float(words) for words in printed]
            expected = rule.expected(run, *numbers)
            condition = rule.condition(*numbers)
            for words, value in zip(printed[-len(expected) :], expected, strict=True):
                unit = 10.0 ** -len(words.partition(".")[2])
                if words.endswith("0") and "." not in words and not value.is_integer():
                    unit = 10.0 ** (len(words) - len(words.rstrip("0")))
                if not abs(float(words) - value) <= 0.51 * unit:
                    found.append(f"{words} should be {value:.4g}: {sentence}")
            for row, verdict in rule.rows.items():
                if row not in run.verdicts or verdict not in ("", run.verdicts[row]):
                    found.append(f"{row} is {run.verdicts.get(row)}: {sentence}")
                if condition not in run.words.get(row, ""):
                    found.append(f"{row} does not say {condition!r}: {sentence}")
    return found


def abstract(results: Path) -> str:
    """Return the article's abstract with the numbers of a run."""
    source = (PROJECT / "paper/report.typ").read_text(encoding="utf-8")
    words = source[source.index("abstract: [") : source.index('#drawn("hero"')]
    numbers = json.loads((results / "numbers.json").read_text(encoding="utf-8"))

    def shown(found: re.Match[str]) -> str:
        number = numbers[found[1]]
        return f"{number['value']:.{found[2]}g}" if found[2] else str(number["text"])

    words = re.sub(r'#n\("([^"]+)"(?:, (\d))?\)', shown, words)
    return re.sub(r"@\w+|\\;", "", words.replace("$epsilon", "$ε").replace("$", ""))


def texts(results: Path) -> list[str]:
    """Return findings, abstract, and what the README says for its picture."""
    findings = (results.parent / "figures/findings.md").read_text(encoding="utf-8")
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    return [findings, abstract(results), *re.findall(r'alt="([^"]*\d %[^"]*)"', readme)]


@pytest.mark.workflow
def test_every_number_of_findings_and_abstract_is_computed_again(smoke: Path) -> None:
    results = smoke / "results/smoke/results"
    for text in texts(results):
        assert faults(text, Run.read(results)) == []


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("probability 30 %", "probability 40 %"),  # wrong numbers
        ("4.7 at ε = 1", "4.8 at ε = 1"),
        ("ε = 1)", "ε = 2)"),  # wrong conditions
        ("mean 0.95", "mean 0.94"),
        ("over ε ≤ 1 ", "over ε ≤ 2 "),
        ("provoke failure", "look natural"),
        ("at most 0.1 ", "at most 0.2 "),  # of the abstract
        ("makes 30 %", "makes 20 %"),  # of the picture
        ("at most 10 %", "at most 1 %"),
        ("400 at ε = 0.1", "400 at ε = 0.2"),
        ("a lower bound of this form", "in 97 % of problems a lower bound of this form"),  # no rule
    ],
)
def test_a_wrong_number_and_a_wrong_condition_are_found(smoke: Path, old: str, new: str) -> None:
    results = smoke / "results/smoke/results"
    text = next(text for text in texts(results) if old in text)
    assert faults(text.replace(old, new), Run.read(results))
