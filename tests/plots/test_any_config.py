"""Any legal config draws what it can: random studies through every figure script, no Snakemake."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from ldpt import plots, text
from ldpt.config.experiment import Experiment, build_experiment, load, merge
from ldpt.instances import Instance
from ldpt.plots import parts, products, style
from ldpt.policies import POLICIES
from ldpt.radii import RADII
from tests.conftest import PROJECT
from tests.plots import scripts

summarise_bounds = scripts.load("scripts/summarise_bounds.py")
summarise_confidence = scripts.load("scripts/summarise_fixed_confidence.py")
# Fewer points and versions: every point of a bound on coin takes a while.
summarise_bounds.CURVE_EPSILONS = summarise_bounds.CURVE_BUDGETS = 8
summarise_bounds.CONFIDENCE = {"upper": ("printed", "onesided"), "lower": ("printed", "reduction")}
LEVELS = {
    "one": [1.0],
    "no privacy": [math.inf],
    "two": [0.5, math.inf],
    "close together": [2.0, 3.0, 4.0],
    "six": [0.1, 0.3, 0.5, 1.0, 3.0, math.inf],
}
MEANS = {
    "one arm": ([0.7], 0.0),
    "easy": ([0.05, 0.95], 0.0),
    "five arms": ([0.2, 0.35, 0.45, 0.7, 0.8], 0.02),
    "30 arms": ([0.3] * 15 + [0.7] * 15, 0.0),
}
ErrorRate = Callable[[float], float]  # share of wrong answers at a multiple of H_eps
ERRORS: dict[str, ErrorRate] = {
    "no error": lambda scaled: 0.0,
    "some errors": lambda scaled: 0.3,
    "mostly errors": lambda scaled: 0.99,
    "fewer with the budget": lambda scaled: math.exp(-scaled),
}
OWN = ("fixed_budget_error", "fixed_budget_collapse", "bounds")


def draw_config(seed: int) -> dict[str, Any]:
    """A study of one or two problems with some policies and radii."""
    rng = np.random.default_rng(seed)

    def some(names: Any) -> list[str]:
        chosen = rng.permutation(list(names))[: rng.integers(1, len(names) + 1)]
        return [name for name in names if name in chosen]

    problems = []
    for number in range(rng.integers(1, 3)):
        means, tolerance = MEANS[str(rng.choice(list(MEANS)))]
        problem = {"name": f"mine-{number}", "means": means, "threshold": 0.5}
        problems.append(problem | {"tolerance": tolerance})
    study = {
        "policies": some(POLICIES),
        "radii": some(RADII),
        "epsilons": list(LEVELS.values())[seed % len(LEVELS)],
        "multiples": [1, 4] if rng.random() < 0.5 else [2],
        "deltas": [0.1] if rng.random() < 0.5 else [0.2, 0.01],
        "replicates": 50,
    }
    return merge(load(), {"extra_instances": problems, "extra_study": study})


def budget_rows(experiment: Experiment, rate: ErrorRate, rng: np.random.Generator) -> pd.DataFrame:
    """Estimates of every run of a fixed budget, of which about this share errs."""
    rows = []
    for run in experiment.fixed_budget:
        problem = experiment.instances[run.instance]
        unit = problem.complexity(run.epsilon)
        for budget in run.grid(problem):
            errors = int(rng.binomial(run.replicates, rate(budget / unit)))
            labels = {"instance": run.instance, "policy": run.method, "epsilon": run.epsilon}
            labels["family"] = problem.family
            sizes = {"budget": budget, "complexity": unit, "scaled_budget": budget / unit}
            rows.append(
                labels | sizes | {"n_arms": problem.n_arms} | counts(errors, run.replicates)
            )
    return pd.DataFrame(rows)


def confidence_rows(
    experiment: Experiment, rate: ErrorRate, rng: np.random.Generator
) -> pd.DataFrame:
    """Estimates of every run of fixed confidence."""
    rows = []
    for run in experiment.fixed_confidence:
        problem: Instance = experiment.instances[run.instance].strict
        for delta in sorted(run.deltas):
            errors = int(rng.binomial(run.replicates, rate(1.0)))
            mean = problem.complexity(run.epsilon) * (1 + rng.random())
            pulls = {
                "mean_pulls": mean,
                "mean_pulls_low": 0.9 * mean,
                "mean_pulls_high": 1.1 * mean,
            }
            labels = {"instance": run.instance, "radius": run.method, "epsilon": run.epsilon}
            labels |= {"delta": delta, "n_arms": problem.n_arms, "family": problem.family}
            labels |= {"complexity": problem.complexity(run.epsilon)}
            rows.append(labels | pulls | counts(errors, run.replicates))
    return pd.DataFrame(rows, columns=None if rows else summarise_confidence.COLUMNS)


def allocation_rows(experiment: Experiment) -> pd.DataFrame:
    """Shares of the pulls of every method on every problem, as even as those of the complexity."""
    methods = {run.method for run in experiment.fixed_budget + experiment.fixed_confidence}
    rows = [
        {"instance": name, "method": method, "epsilon": 1.0, "gap": gap, "replicates": 50}
        | {"share": 1 / problem.n_arms, "estimate": 0.9 / problem.n_arms}
        | {"low": 0.8 / problem.n_arms, "high": 1 / problem.n_arms}
        for name, problem in experiment.instances.items()
        for method in sorted(methods)
        for gap in problem.gaps
    ]
    return pd.DataFrame(rows)


def counts(errors: int, replicates: int) -> dict[str, float]:
    share = errors / replicates
    limits = {"low": 0.8 * share, "high": min(1.0, 1.2 * share + 0.05)}
    return {"replicates": replicates, "errors": errors, "estimate": share} | limits


def write_results(folder: Path, experiment: Experiment, rate: ErrorRate, seed: int) -> None:
    """Write what the figure scripts read: estimates of this study."""
    rng = np.random.default_rng(seed)
    budget = budget_rows(experiment, rate, rng)
    confidence = confidence_rows(experiment, rate, rng)
    figures = experiment.settings.figures
    problems = experiment.instances
    bounds = summarise_bounds.confidence_rows(
        confidence, problems, experiment.panels("confidence_bounds"), figures.delta
    )
    shown = [problems[name] for name in experiment.panels("budget_bounds")]
    budget_bounds = summarise_bounds.budget_rows(shown, figures.epsilon, {})
    tables = {
        "summaries/fixed_budget": budget,
        "summaries/fixed_confidence": confidence,
        "summaries/bounds": pd.DataFrame(bounds, columns=summarise_bounds.CONFIDENCE_COLUMNS),
        "summaries/budget_bounds": pd.DataFrame(budget_bounds, columns=summarise_bounds.COLUMNS),
        "summaries/allocation": allocation_rows(experiment),
        "error_map": confidence.assign(family="one-arm", threshold=0.9, gap=0.05, method="exact"),
        "rare/fixed_confidence": confidence.assign(reliable=False),
    }
    for name, table in tables.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / f"{name}.csv", index=False)
    definitions = pd.DataFrame([vars(problem) for problem in problems.values()])
    definitions.to_json(folder / "instances.json", orient="records")


def run_script(name: str, results: Path, experiment: Experiment) -> tuple[ModuleType, Any, Figure]:
    """Draw a figure of a run, fill in its caption, and return script, data and figure."""
    module = scripts.figure(name)
    settings = scripts.params(name, experiment.config)
    files = scripts.inputs(name, results)
    with style.context():
        data = module.prepare(files, SimpleNamespace(**settings))
        figure = module.draw(data)
        figure.draw_without_rendering()
    words = caption(module, data)
    assert "nan" not in words.split()
    assert "undefined" not in words
    if name in OWN:  # whose numbers all come from the study
        assert parts.NOT_RUN not in words
        assert not re.search(r"\b(\S+) to \1\b", words)
        assert "  " not in words
    return module, data, figure


def caption(module: ModuleType, data: Any) -> str:
    """The caption of a figure's script, filled in."""
    facts = {key: products._known(fact) for key, fact in module.facts(data).items()}
    template = PROJECT / "workflow" / "captions" / f"{module.__name__}.rst"
    return text.fill(template.read_text(encoding="utf-8"), facts)


SEEDS = (22, 28, 29, 30, 31, 49)  # of 60: as many pairs of settings as eight others have
DRAWN = [name for name in scripts.FIGURES if name not in ("surveys", "privacy_cost")]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_draws_what_there_is(tmp_path: Path, seed: int) -> None:
    rate = list(ERRORS.values())[seed % len(ERRORS)]
    experiment = build_experiment(draw_config(seed))
    write_results(tmp_path, experiment, rate, seed)
    for name in DRAWN:
        _, data, figure = run_script(name, tmp_path, experiment)
        if name == "fixed_budget_error":
            check_levels(figure, data.curves, "budget")
        if name == "bounds":
            check_methods(figure, data)


def check_levels(figure: Figure, table: pd.DataFrame, x: str) -> None:
    """Each policy, problem and level has a mark per budget to its last error, in its colour."""
    palette = style.epsilon_palette(table["epsilon"])
    for (policy, instance, epsilon), rows in table.groupby(["policy", "instance", "epsilon"]):
        axes = panel(figure, f"{style.label(policy)}: {instance}")
        assert marks(axes, palette[epsilon]) == drawn(rows)


def drawn(rows: pd.DataFrame) -> int:
    """Number of budgets up to the last error and one more."""
    last = max([0, *rows.loc[rows["errors"] > 0, "budget"]])
    return len(rows) - max(0, int((rows["budget"] > last).sum()) - 1)


def check_methods(figure: Figure, data: Any) -> None:
    """Each policy and radius of the study has its marks in its panel, and its name in the key."""
    for key, table in (("policy", data.errors), ("radius", data.costs)):
        for (instance, method), rows in table.groupby(["instance", key]):
            axes = panel(figure, f"{instance}, ")[key == "radius"]
            shown = style.method(method)
            own = [line for line in axes.lines if to_hex(line.get_color()) == shown.colour]
            limits = sum(len(line.get_xdata()) for line in own if line.get_marker() == "v")
            points = sum(len(line.get_xdata()) for line in own if line.get_marker() == shown.marker)
            assert points + limits >= (drawn(rows) if key == "policy" else len(rows))
            assert any(shown.label in words.get_text() for words in axes.texts)


def panel(figure: Figure, title: str) -> Any:
    """The panel of this title; the panels of both kinds if it ends before the level."""
    found = [axes for axes in figure.axes if axes.get_title("left").startswith(title)]
    return found if title.endswith(", ") else found[0]


def marks(axes: Axes, colour: str) -> int:
    """Number of estimates and upper limits in a colour."""
    own = [line for line in axes.lines if to_hex(line.get_color()) == colour]
    return sum(len(line.get_xdata()) for line in own if line.get_marker() in ("o", "v"))


@pytest.mark.parametrize("others", [[], [{"name": "off", "means": [0.7], "threshold": 0.5}]])
def test_a_study_of_a_mean_at_the_threshold_draws_its_figures(
    tmp_path: Path, others: list[dict[str, Any]]
) -> None:
    """Algorithm 2 has no tolerance and cannot decide it: it runs on the others alone."""
    problem = {"name": "at", "means": [0.5, 0.9], "threshold": 0.5, "tolerance": 0.05}
    own = {"extra_instances": [problem, *others], "extra_study": {"epsilons": [1.0, math.inf]}}
    experiment = build_experiment(merge(load(), own))
    assert {run.instance for run in experiment.fixed_budget} == {"at", *(o["name"] for o in others)}
    assert {run.instance for run in experiment.fixed_confidence} == {o["name"] for o in others}
    write_results(tmp_path, experiment, ERRORS["some errors"], 0)
    for name in OWN:
        run_script(name, tmp_path, experiment)


FALLING = "fewer with the budget"
HEADLINES = {  # error rate, privacy levels, and the beginning of each caption
    "several levels": (
        FALLING,
        [0.5, 1.0, math.inf],
        r"Errors fall exponentially .* times the budget at ε = 1 that it takes without privacy\.",
        r"Divided by .* levels ε ≤ 1 by a factor of at most [\d.]+ with Algorithm 1\.",
        r"For an error of 1 % on mine, the printed bound asks for \d+ times the answers that",
    ),
    "no privacy alone": (
        FALLING,
        [math.inf],
        r"An error of 0\.05 takes \d+ answers without privacy\.",
        r"With one privacy level, there are no budgets to compare\.",
        r"For an error of 1 % on mine, the printed bound asks for \d+ times the answers that",
    ),
    "privacy alone": (
        FALLING,
        [0.3, 0.7, 3.0, 8.0],
        r"An error of 0\.05 takes [\d ]+ answers at ε = 0\.7\.",
        r"Divided by .* levels ε ≤ 0\.7 by a factor of at most [\d.]+ with Algorithm 1\.",
        r"For an error of 1 % on mine, the printed bound asks for \d+ times the answers that",
    ),
    "no error": (
        "no error",
        [0.5, 1.0, math.inf],
        r"No run erred at any budget\.",
        r"On no problem do the curves show .* 0\.05 at two privacy levels ε ≤ 1\.",
        r"For an error of 1 % on mine, the printed bound asks for [\d ]+ answers, the one proved",
    ),
    "level not reached": (
        "some errors",
        [0.5, 1.0, math.inf],
        r"The curves do not show which budget an error of 0\.05 takes at ε = 1\.",
        r"On no problem do the curves show .* 0\.05 at two privacy levels ε ≤ 1\.",
        r"For an error of 1 % on mine, .*; the simulations do not show how many Algo",
    ),
}


@pytest.mark.parametrize("case", HEADLINES)
def test_captions_of_own_problems_say_what_the_runs_show(tmp_path: Path, case: str) -> None:
    rate, epsilons, *sentences = HEADLINES[case]
    problem = {"name": "mine", "means": [0.2, 0.4, 0.9], "threshold": 0.5}
    study = {"policies": ["apt"], "epsilons": epsilons, "multiples": [0.5, 1, 2, 3, 4, 5, 6]}
    own = {"extra_instances": [problem], "extra_study": study | {"replicates": 5000}}
    experiment = build_experiment(merge(load(), own))
    write_results(tmp_path, experiment, ERRORS[rate], 0)
    for name, sentence in zip(OWN, sentences, strict=True):
        module, data, _ = run_script(name, tmp_path, experiment)
        assert re.match(sentence, caption(module, data))


def test_mean_at_the_threshold_is_drawn_with_its_tolerance() -> None:
    """Its marks are there; the upper limits of no privacy, too."""
    problem = Instance("at", [0.5, 0.9], 0.5, 0.05)
    rows = [
        {"instance": "at", "policy": "apt", "epsilon": epsilon, "budget": budget, "n_arms": 2}
        | {"scaled_budget": budget / problem.complexity(epsilon), "complexity": 1.0}
        | counts(40 - budget // 10, 50)
        for epsilon in (0.5, math.inf)
        for budget in (100, 200)
    ]
    table = pd.DataFrame(rows)
    grid = plots.error_curves(table)
    assert marks(grid.axes.flat[0], style.INK) == 2


BAD = {
    "empty table": (lambda t: t.head(0), {}, "the table is empty: nothing to draw"),
    "missing column": (
        lambda t: t.drop(columns="low"),
        {},
        "the table has no column 'low' (it has instance, policy,",
    ),
    "unknown policy": (
        lambda t: t,
        {"policy": "aptt"},
        "no row has policy 'aptt' (the table has apt, lsa)",
    ),
    "unknown level": (
        lambda t: t,
        {"epsilon": [1.0, 3.0]},
        "no row has epsilon 3.0 (the table has 1.0, inf)",
    ),
    "unknown column": (lambda t: t, {"color": "red"}, "the table has no column 'color'"),
}


@pytest.mark.parametrize("function", [plots.error_curves, plots.collapse])
@pytest.mark.parametrize("name", BAD)
def test_bad_tables_are_refused_in_one_line(name: str, function: Any) -> None:
    from tests.plots.tables import budget_table

    spoil, where, message = BAD[name]
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        function(spoil(budget_table(["two"], ("apt", "lsa"))), **where)
    assert "\n" not in str(caught.value)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("function", [plots.cost, plots.calibration, plots.error_map])
def test_unknown_radius_is_refused_in_one_line(function: Any) -> None:
    labels = {"instance": "two", "radius": "coin", "epsilon": 1.0, "delta": 0.1}
    pulls = {"mean_pulls": 9.0, "mean_pulls_low": 8.0, "mean_pulls_high": 10.0}
    table = pd.DataFrame([labels | pulls | counts(1, 50)])
    assert len(function(table).axes.flat) == 1
    with pytest.raises(ValueError, match=r"no row has radius 'coiin' \(the table has coin\)"):
        function(table, radius="coiin")
