"""The predicted cost of a config: how it grows, what a cluster is asked for, what is printed."""

import re
from pathlib import Path

import pytest
import yaml

from ldpt import cost
from ldpt.config import experiment as config
from ldpt.config.grid import BudgetRun, ConfidenceRun
from ldpt.instances import Instance
from ldpt.policies import POLICIES
from ldpt.radii import RADII
from snakemake_logger_plugin_ldpt import USUAL

PROJECT = Path(__file__).resolve().parents[1]
FOUR = Instance("four", [0.3, 0.4, 0.6, 0.7], 0.5)


STUDY = config.build_experiment(config.load(PROJECT / "config" / "smoke.yaml"))
STUDY.instances["four"] = FOUR


def budget(replicates: int = 1000, epsilon: float = 1.0) -> cost.Cost:
    return cost.run_cost(STUDY, BudgetRun("four", "apt", epsilon, replicates, {1.0, 2.0}))


def confidence(
    replicates: int = 1000, epsilon: float = 1.0, deltas: tuple[float, ...] = (0.1,)
) -> cost.Cost:
    run = ConfidenceRun("four", "mixture", epsilon, [replicates], set(deltas))
    return cost.run_cost(STUDY, run)


@pytest.mark.parametrize("of", [budget, confidence])
def test_cost_doubles_with_the_replicates(of) -> None:
    one, two = of(replicates=1000), of(replicates=2000)
    assert two.pulls == pytest.approx(2 * one.pulls)
    assert two.cpu_seconds == pytest.approx(2 * one.cpu_seconds)


@pytest.mark.parametrize("of", [budget, confidence])
def test_pulls_grow_as_the_square_of_privacy_and_time_in_proportion(of) -> None:
    weak, strong = of(epsilon=0.02), of(epsilon=0.002)
    assert 90 < strong.pulls / weak.pulls < 130
    assert 7 < strong.cpu_seconds / weak.cpu_seconds < 12


def test_every_error_level_is_simulated_and_kept() -> None:
    one, both = confidence(), confidence(deltas=(0.1, 0.01))
    assert both.pulls > 2 * one.pulls


def test_every_method_has_its_rates() -> None:
    assert set(cost.RATES) == {*POLICIES, *RADII}


def test_a_short_job_asks_for_one_core_and_shares_its_submission() -> None:
    short = cost.Cost(1.0, 30.0, 300.0)
    assert (short.threads, short.runtime, short.group) == (1, 12, "short")
    assert short.mem_mb == 450 + cost.SPARE_MB


def test_a_long_job_asks_for_several_cores_alone() -> None:
    long = cost.Cost(1.0, 24 * 3600.0, 4000.0)
    assert (long.threads, long.group) == (12, None)
    assert long.runtime == cost.TIME_MARGIN * 24 * 60 / 12 + cost.SPARE_MINUTES
    assert cost.Cost(1.0, 1e9, 1.0).threads == cost.MAX_THREADS


def test_simulations_in_one_job_start_once_and_hold_one_table_at_a_time() -> None:
    parts = [cost.run_cost(STUDY, run) for run in STUDY.runs("fixed_budget", "three-groups")]
    job = cost.job_cost(STUDY, "fixed_budget", "three-groups")
    assert len(parts) > 5
    spent = cost.JOB_OVERHEAD.cpu_seconds + sum(part.cpu_seconds for part in parts)
    assert job.cpu_seconds == pytest.approx(spent)
    assert job.memory_mb == max(part.memory_mb for part in parts)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("config.yaml", 773.0), ("smoke.yaml", 88.0)],  # CPU time of all jobs of a run
)
def test_the_predicted_time_of_a_whole_run_is_within_a_factor_of_two(
    name: str, seconds: float
) -> None:
    experiment = config.build_experiment(config.load(PROJECT / "config" / name))
    costs = cost.job_costs(experiment)
    by_rule = cost.rule_seconds(experiment, costs)
    simulated = sum(job.cpu_seconds for job in costs.values())
    others = sum(value for rule, value in by_rule.items() if not rule.startswith("simulate_"))
    assert seconds / 2 < simulated + others + 20 * USUAL < 2 * seconds


@pytest.fixture
def profile() -> dict:
    return yaml.safe_load((PROJECT / "profiles/slurm/config.yaml").read_text())


def test_the_profile_keeps_the_default_settings_but_not_the_cores(profile: dict) -> None:
    default = yaml.safe_load((PROJECT / "profiles/default/config.yaml").read_text())
    assert {key for key, value in default.items() if profile.get(key) != value} == {"cores"}


def test_the_profile_has_the_cores_groups_and_bundles_of_the_rules(profile: dict) -> None:
    assert profile["cores"] == cost.MAX_THREADS
    groups = {pair.split("=")[1] for pair in profile["groups"]} | {"short"}
    assert set(profile["group-components"]) == groups
    assert profile["group-components"]["short"] == cost.JOBS_PER_SUBMISSION


def test_every_rule_travels_with_others_or_stays_here(profile: dict) -> None:
    files = [PROJECT / "Snakefile", *(PROJECT / "workflow/rules").glob("*.smk")]
    text = "\n".join(file.read_text() for file in files)  # the rule figure has a group for all
    blocks = re.split(r"^(?:rule|use rule (?!figure)\w+ as) ", text, flags=re.M)[1:]
    without = {re.split(r"\W", block)[0] for block in blocks if "\n    group:" not in block}
    local = re.search(r"localrules:\n((?:    \w+,\n)+)", files[0].read_text())
    assert local
    together = [pair.split("=")[0] for pair in profile["groups"]]
    assert sorted(without) == sorted(["all", *re.findall(r"\w+", local[1]), *together])
