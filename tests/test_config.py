"""A wrong config is refused before any job, in one line that names the key and the value."""

import copy
import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from ldpt import config

Config = dict[str, Any]


@pytest.fixture
def smoke_config() -> Config:
    return copy.deepcopy(config.load(config.PROJECT / "config" / "smoke.yaml"))


def budget(settings: Config) -> Config:
    return settings["fixed_budget"]["studies"][0]


def confidence(settings: Config) -> Config:
    return settings["fixed_confidence"]["studies"][0]


def add_instance(settings: Config, **entry: Any) -> None:
    settings["instances"].append(entry)


def arm_at_threshold(settings: Config) -> None:
    add_instance(settings, name="x", means=[0.5, 0.7], threshold=0.5)
    confidence(settings).update(instances=["x"])


WRONG: dict[str, tuple[Callable[[Config], Any], str]] = {
    "unknown key": (lambda c: c.update(sead=1), "unknown key 'sead'; known are seed,"),
    "unknown key in a study": (lambda c: budget(c).update(eps=[1]), "unknown key 'eps'"),
    "epsilon 0": (
        lambda c: budget(c).update(epsilons=[0]),
        "fixed_budget.studies[0].epsilons[0]: 0",
    ),
    "epsilon nan": (lambda c: budget(c).update(epsilons=[math.nan]), "epsilons: nan"),
    "epsilon negative": (lambda c: confidence(c).update(epsilons=[-1]), "epsilons[0]: -1"),
    "delta 1": (lambda c: confidence(c).update(deltas=[1]), "deltas[0]: 1"),
    "delta 0": (lambda c: confidence(c).update(deltas=[0]), "deltas[0]: 0"),
    "delta nan": (lambda c: confidence(c).update(deltas=[math.nan]), "deltas: delta must"),
    "budget below 2K": (lambda c: budget(c).update(budgets=[19]), "budgets: 19 is below 2K = 20"),
    "no replicates": (
        lambda c: c["fixed_budget"].update(replicates=0),
        "fixed_budget.replicates: 0",
    ),
    "means outside [0, 1]": (
        lambda c: add_instance(c, name="x", means=[0.2, 1.1], threshold=0.5),
        "means[1]: 1.1",
    ),
    "duplicate name": (
        lambda c: add_instance(c, name="hard-arm", means=[0.2], threshold=0.5),
        "'hard-arm' is there twice",
    ),
    "arm at the threshold": (arm_at_threshold, "means[0] = 0.5 lies exactly at the threshold"),
    "unknown instance": (
        lambda c: confidence(c).update(instances=["nowhere"]),
        "no instance 'nowhere'; there are three-groups,",
    ),
    "unknown radius": (lambda c: confidence(c).update(radii=["tight"]), "'tight' is not one of"),
    "unknown policy": (lambda c: budget(c).update(policies=["greedy"]), "'greedy' is not one of"),
    "missing key": (lambda c: c.pop("seed"), "'seed' is a required property"),
    "rho 0": (lambda c: c.update(rho=0), "rho: 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_configs_are_refused_in_one_line(smoke_config: Config, name: str) -> None:
    spoil, message = WRONG[name]
    spoil(smoke_config)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        config.study(smoke_config)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", sorted((config.PROJECT / "config").glob("*.yaml")), ids=str)
def test_every_config_of_the_project_is_accepted(path: Any) -> None:
    study = config.study(config.load(path))
    assert study.fixed_budget
    assert study.fixed_confidence


def test_an_instance_is_added_in_the_config_alone(smoke_config: Config) -> None:
    add_instance(smoke_config, name="mine", means=[0.2, 0.45, 0.7], threshold=0.4, tolerance=0.01)
    smoke_config["fixed_budget"]["studies"] = [budget(smoke_config) | {"instances": ["mine"]}]
    study = config.study(smoke_config)
    assert {run.instance for run in study.fixed_budget} == {"mine"}
    assert study.instance("mine").n_arms == 3


def test_budgets_are_multiples_of_the_complexity_from_2k_on(smoke_config: Config) -> None:
    study = config.study(smoke_config)
    for run in study.fixed_budget:
        instance = study.instance(run.instance)
        grid = run.grid(instance)
        assert min(grid) >= 2 * instance.n_arms
        top = max(run.multiples) * instance.complexity(run.epsilon)
        assert top <= max(grid) < top + 1


def test_studies_that_overlap_are_simulated_once(smoke_config: Config) -> None:
    first = confidence(smoke_config) | {"deltas": [0.1], "replicates": 200}
    again = first | {"deltas": [0.05], "replicates": 300}
    smoke_config["fixed_confidence"]["studies"] = [first, again]
    runs = config.study(smoke_config).fixed_confidence
    assert len({(run.instance, run.radius, run.epsilon) for run in runs}) == len(runs)
    assert all(run.deltas == {0.1, 0.05} and run.replicates == 300 for run in runs)
