"""A wrong config is refused before any job, in one line that names the key and the value."""

import copy
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt import limits
from ldpt.config import experiment as config
from ldpt.config import graph
from ldpt.radii import RADII
from tests.plots import scripts

config_reference = scripts.load("docs/config_reference.py")
PROJECT = Path(__file__).resolve().parents[1]

Config = dict[str, Any]


@pytest.fixture
def smoke_config() -> Config:
    return copy.deepcopy(config.load(PROJECT / "config" / "smoke.yaml"))


def budget(settings: Config) -> Config:
    return settings["fixed_budget"]["studies"][0]


def confidence(settings: Config) -> Config:
    return settings["fixed_confidence"]["studies"][0]


def add_instance(settings: Config, **entry: Any) -> None:
    settings["instances"].append(entry)


def arm_at_threshold(settings: Config) -> None:
    add_instance(settings, name="x", means=[0.5, 0.7], threshold=0.5)
    confidence(settings).update(instances=["x"])


def set_in(*keys: Any) -> Callable[[Config], None]:
    """A change of one value: the last of ``keys``, at the place that the others name."""
    *place, name, value = keys

    def change(settings: Config) -> None:
        for key in place:
            settings = settings[key]
        settings[name] = value

    return change


STUDY = ("studies", 0)


def test_replicates_of_a_budget_study_come_before_those_of_its_section(
    smoke_config: Config,
) -> None:
    section = smoke_config["fixed_budget"]
    section["studies"] = [budget(smoke_config)]
    assert {run.replicates for run in config.build_experiment(smoke_config).fixed_budget} == {400}
    budget(smoke_config)["replicates"] = 123
    assert {run.replicates for run in config.build_experiment(smoke_config).fixed_budget} == {123}


def test_replicates_of_a_confidence_study_follow_from_the_nearest_number_or_precision(
    smoke_config: Config,
) -> None:
    section = smoke_config["fixed_confidence"]
    cell = {"instances": ["three-groups"], "radii": ["mixture"], "epsilons": [1], "deltas": [0.1]}

    def runs(**study: int) -> int:
        section["studies"] = [cell | study]
        (run,) = config.build_experiment(smoke_config).fixed_confidence
        return run.replicates

    assert (runs(), runs(replicates=123), runs(least=4000)) == (200, 123, 200)
    del section["replicates"]
    section["precision"] = {"relative_half_width": 0.01, "least": 500, "most": 8000}
    assert 500 < runs() < runs(least=7500) == 7500
    assert (runs(replicates=123), runs(least=9000)) == (123, 8000)


WRONG: dict[str, tuple[Callable[[Config], Any], str]] = {
    "unknown key": (lambda c: c.update(sead=1), "unknown key 'sead' (did you mean seed?)"),
    "unknown key in a study": (lambda c: budget(c).update(eps=[1]), "unknown key 'eps'"),
    "key that is no text": (lambda c: c.update({1: 2}), "unknown key 1 (choose from seed,"),
    "epsilon 0": (
        lambda c: budget(c).update(epsilons=[0]),
        "fixed_budget.studies[0].epsilons[0]: 0",
    ),
    "epsilon nan": (lambda c: budget(c).update(epsilons=[math.nan]), "epsilons[0]: nan"),
    "epsilon negative": (lambda c: confidence(c).update(epsilons=[-1]), "epsilons[0]: -1"),
    "epsilon below what floats resolve": (
        lambda c: budget(c).update(epsilons=[1e-200]),
        "fixed_budget.studies[0].epsilons[0]: 1e-200 must be greater than or equal to 1e-09",
    ),
    "epsilon that shares a file name": (
        lambda c: budget(c).update(epsilons=[1, 1.0000001]),
        "epsilons[1]: 1.0000001 has more than six digits, tables would call it 1",
    ),
    "delta 1": (lambda c: confidence(c).update(deltas=[1]), "deltas[0]: 1"),
    "delta 0": (lambda c: confidence(c).update(deltas=[0]), "deltas[0]: 0"),
    "delta nan": (lambda c: confidence(c).update(deltas=[math.nan]), "deltas[0]: nan"),
    "delta denormal": (
        lambda c: confidence(c).update(deltas=[1e-320]),
        "fixed_confidence.studies[0].deltas[0]: 1e-320 must be greater than or equal to 1e-300",
    ),
    "budget below 2K": (lambda c: budget(c).update(budgets=[19]), "budgets: 19 is below 2K = 20"),
    "budget beyond 64 bits": (
        lambda c: budget(c).update(budgets=[10**20]),
        "budgets[0]: 100000000000000000000 must be less than or equal to 1e+13",
    ),
    "multiple nan": (
        lambda c: budget(c).update(multiples=[1, math.nan]),
        "fixed_budget.studies[0].multiples[1]: nan must be a finite number",
    ),
    "multiple infinite": (
        lambda c: budget(c).update(multiples=[math.inf]),
        "fixed_budget.studies[0].multiples[0]: inf must be a finite number",
    ),
    "multiples too large": (
        lambda c: budget(c).update(multiples=[1e300]),
        "fixed_budget.studies[0]: the largest multiple of H_eps = 2.42e+03 of 'three-groups' at",
    ),
    "multiples too small": (
        lambda c: budget(c).update(multiples=[1e-9]),
        "is 2.42e-06 pulls; it must be from 2K = 20 to 1e+13",
    ),
    "budgets of a problem with infinite complexity": (
        lambda c: (
            add_instance(c, name="x", means=[0.5], threshold=0.5),
            budget(c).update(instances=["x"], multiples=[], budgets=[9]),
        ),
        "H_eps = inf of 'x' at epsilon 0.5",
    ),
    "no replicates": (
        lambda c: c["fixed_budget"].update(replicates=0),
        "fixed_budget.replicates: 0",
    ),
    "too many replicates": (
        lambda c: c["fixed_confidence"].update(replicates=10**12),
        "fixed_confidence.replicates: 1000000000000 must be less than or equal to 1e+08",
    ),
    "replicates that are no whole number": (
        lambda c: c["fixed_budget"].update(replicates=400.0),
        "fixed_budget.replicates: 400.0 must be a valid integer",
    ),
    "seed that is no whole number": (set_in("seed", 3.0), "seed: 3.0 must be a valid integer"),
    "seed true": (set_in("seed", True), "seed: True must be a valid integer"),
    "means outside [0, 1]": (
        lambda c: add_instance(c, name="x", means=[0.2, 1.1], threshold=0.5),
        "means[1]: 1.1",
    ),
    "mean nan": (
        lambda c: add_instance(c, name="x", means=[math.nan], threshold=0.5),
        "means[0]: nan must be a finite number",
    ),
    "tolerance nan": (
        lambda c: add_instance(c, name="x", means=[0.2], threshold=0.5, tolerance=math.nan),
        "tolerance: nan must be a finite number",
    ),
    "min_gap nan": (
        lambda c: add_instance(
            c, family="random", count=1, arms=2, threshold=0.5, min_gap=math.nan
        ),
        "min_gap: nan must be a finite number",
    ),
    "duplicate name": (
        lambda c: add_instance(c, name="two-arms", means=[0.2], threshold=0.5),
        "duplicate instance name 'two-arms'",
    ),
    "duplicate name on a disk that ignores case": (
        lambda c: add_instance(c, name="Two-arms", means=[0.2], threshold=0.5),
        "duplicate instance name 'Two-arms'",
    ),
    "name with a line break": (
        lambda c: add_instance(c, name="x\n", means=[0.2], threshold=0.5),
        "name: 'x\\n' must match pattern '^[A-Za-z0-9]",
    ),
    "name that is a path": (
        lambda c: add_instance(c, name="a/b", means=[0.2], threshold=0.5),
        "name: 'a/b' must match pattern '^[A-Za-z0-9]",
    ),
    "name of 300 letters": (
        lambda c: add_instance(c, name="x" * 300, means=[0.2], threshold=0.5),
        "must have at most 60 characters",
    ),
    "arm at the threshold": (arm_at_threshold, "means[0] = 0.5 lies exactly at the threshold"),
    "gap that takes for ever": (
        lambda c: c["instances"][1].update(means=[0.9000000001]),
        "fixed_confidence.studies[0]: instance 'counterexample': a run with radius",
    ),
    "unknown instance": (
        lambda c: confidence(c).update(instances=["nowhere"]),
        "unknown instance 'nowhere' (choose from three-groups,",
    ),
    "unknown radius": (
        lambda c: confidence(c).update(radii=["tight"]),
        "radii[0]: unknown radius 'tight' (choose from printed,",
    ),
    "unknown policy": (
        lambda c: budget(c).update(policies=["greedy"]),
        "policies[0]: unknown policy 'greedy' (choose from apt,",
    ),
    "missing key": (lambda c: c.pop("seed"), "seed is missing"),
    "precision without a key that it needs": (
        set_in("fixed_confidence", "precision", {"least": 500, "most": 2000}),
        "fixed_confidence.precision.relative_half_width is missing",
    ),
    "no study": (
        set_in("fixed_budget", "studies", []),
        "fixed_budget.studies: [] must have at least one entry",
    ),
    "list that is none": (set_in("instances", 3), "instances: 3 must be a valid list"),
    "section that is none": (set_in("figures", 3), "figures: 3 must be a valid dictionary"),
    "unknown law of new instances": (
        lambda c: add_instance(
            c, family="new", laws=["gamma"], arms=[4], count=1, threshold=0.5, min_gap=0.1
        ),
        "laws[0]: unknown law 'gamma' (choose from beta, hard)",
    ),
    "prior_gap 0": (lambda c: c.update(prior_gap=0), "prior_gap: 0"),
    "rho 0": (lambda c: c.update(rho=0), "rho: 0"),
    "rho infinite": (set_in("rho", math.inf), "rho: inf must be a finite number"),
    "rho whose square overflows": (
        set_in("rho", 1e200),
        "rho: 1e+200 must be less than or equal to 1e+100",
    ),
    "prior_gap whose square is 0": (
        set_in("prior_gap", 1e-200),
        "prior_gap: 1e-200 must be greater than or equal to 1e-100",
    ),
    "seed beyond 64 bits": (
        set_in("seed", 2**64),
        "seed: 18446744073709551616 must be less than or equal to 1.84467e+19",
    ),
    "root in the home folder": (set_in("root", "~"), "root: '~' must match pattern '^"),
    "root of a blank": (set_in("root", " "), "root: ' ' must match pattern '^"),
    "root with a line separator": (
        set_in("root", "a\u2028b"),
        "root: 'a\\u2028b' must match pattern '^",
    ),
    "gap that rounds to nothing": (
        lambda c: c["instances"].append(
            {"family": "equal-gap", "arms": [77], "gap": 1e-300, "threshold": 0.5}
        ),
        "]: gap 1e-300 is too small: floats do not tell 0.5 + 1e-300 from the threshold 0.5",
    ),
    "more erring runs than a day has": (
        lambda c: c["proof_checks"].update(erring_runs=10**12),
        "proof_checks.erring_runs: 1000000000000 must be less than or equal to 1e+06",
    ),
    "root with a wildcard": (set_in("root", "a{b}c"), "root: 'a{b}c' must match pattern '^"),
    "root with a line break": (
        set_in("root", "a\nb"),
        "root: 'a\\nb' must match pattern '^",
    ),
    "mechanism epsilon": (
        set_in("mechanism", "epsilons", [1e-30]),
        "mechanism.epsilons[0]: 1e-30 must be greater than or equal to 1e-09",
    ),
    "rare multiple nan": (
        set_in("rare_fixed_budget", *STUDY, "multiples", [math.nan]),
        "rare_fixed_budget.studies[0].multiples[0]: nan",
    ),
    "rare delta nan": (
        set_in("rare_fixed_confidence", *STUDY, "deltas", [math.nan]),
        "rare_fixed_confidence.studies[0].deltas[0]: nan",
    ),
    "rare delta denormal": (
        set_in("rare_fixed_confidence", *STUDY, "deltas", [1e-320]),
        "rare_fixed_confidence.studies[0].deltas[0]: 1e-320",
    ),
    "allocation nan": (set_in("allocation", "epsilons", [math.nan]), "allocation.epsilons[0]: nan"),
    "error map nan": (
        set_in("error_map", "one_arm", 0, "gaps", [math.nan]),
        "error_map.one_arm[0].gaps[0]: nan",
    ),
    "error map above 1": (
        set_in("error_map", "one_arm", 0, "thresholds", [0.95]),
        "error_map.one_arm[0]: instance 'one_arm-0.95-0.1': means[0]",
    ),
    "exact curve of ten arms": (
        set_in("exact_curves", *STUDY, "instances", ["three-groups"]),
        "exact_curves.studies[0]: 'three-groups' has 10 arms, exact curves take 1 or 2",
    ),
    "figure delta nan": (set_in("figures", "delta", math.nan), "figures.delta: nan"),
    "number written as text": (
        set_in("figures", "epsilon", "2"),
        "figures.epsilon: '2' must be a valid number; --config passes values inside braces as text",
    ),
    "power of ten that YAML takes for text": (
        lambda c: budget(c).update(epsilons=["1e-1"]),
        "epsilons[0]: '1e-1' must be a valid number; YAML takes this for text, write 1.0e-1",
    ),
    "infinity that YAML takes for text": (
        lambda c: budget(c).update(epsilons=["inf"]),
        "epsilons[0]: 'inf' must be a valid number; write .inf",
    ),
    "unknown family": (
        lambda c: add_instance(c, family="equal-gaps"),
        ".family: unknown family 'equal-gaps' (did you mean equal-gap?)",
    ),
    "nearly an instance": (
        lambda c: confidence(c).update(instances=["three-group"]),
        "unknown instance 'three-group' (did you mean three-groups?)",
    ),
    "neither multiples nor budgets": (
        lambda c: budget(c).pop("multiples"),
        "fixed_budget.studies[0]: 'multiples' or 'budgets' is missing",
    ),
}


@pytest.mark.parametrize(
    ("means", "threshold", "message"),
    [
        ([1e-4, 3e-4], 2e-4, "replicates of 2e+08 pulls are 2.0e+16 pulls, more than 1e+12; fewer"),
        ([0.299, 0.301], 0.3, "blocks of pulls, more than 1e+10; fewer replicates, larger gaps"),
    ],
)
def test_runs_of_hours_are_refused_before_any_job(
    smoke_config: Config, means: list[float], threshold: float, message: str
) -> None:
    smoke_config["extra_instances"] = [{"name": "own", "means": means, "threshold": threshold}]
    levels = {"epsilons": [math.inf], "multiples": [1], "radii": ["coin"], "deltas": [0.1]}
    smoke_config["extra_study"] |= levels | {"replicates": 1000}
    config.build_experiment(copy.deepcopy(smoke_config))
    smoke_config["extra_study"]["replicates"] = 10**8
    with pytest.raises(ValueError, match=re.escape(message)):
        config.build_experiment(smoke_config)


@pytest.mark.parametrize("name", WRONG)
def test_study_refuses_a_wrong_config_in_one_line(smoke_config: Config, name: str) -> None:
    spoil, message = WRONG[name]
    spoil(smoke_config)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        config.build_experiment(smoke_config)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


UNDRAWN: dict[str, tuple[Callable[[Config], Any], str, str]] = {
    "allocation without a run": (
        set_in("allocation", "epsilons", [2]),
        "allocation",
        "allocation: no study of fixed_confidence runs 'three-groups' at epsilon 2 and",
    ),
    "allocation at another delta": (
        set_in("figures", "delta", 0.2),
        "allocation",
        "at epsilon 1 and figures.delta = 0.2",
    ),
    "panel that no study simulates": (
        set_in("figures", "fixed_budget", ["counterexample"]),
        "fixed_budget",
        "figures.fixed_budget: no study of fixed_budget runs 'counterexample'",
    ),
    "panel that is no instance": (
        set_in("figures", "baselines", ["nowhere"]),
        "baselines",
        "figures.baselines: unknown instance 'nowhere' (choose from",
    ),
    "panel of the other algorithm": (
        set_in("figures", "fixed_confidence", ["two-arms"]),
        "fixed_confidence",
        "figures.fixed_confidence: no study of fixed_confidence runs 'two-arms'",
    ),
    "panel at another privacy level": (
        set_in("figures", "epsilon", 3.7),
        "budget_bounds",
        "at figures.epsilon = 3.7",
    ),
    "panel at another error level": (
        set_in("figures", "delta", 0.37),
        "fixed_confidence",
        "at figures.delta = 0.37",
    ),
}


@pytest.mark.parametrize("name", UNDRAWN)
def test_settings_of_a_figure_are_checked_when_it_is_drawn(smoke_config: Config, name: str) -> None:
    spoil, key, message = UNDRAWN[name]
    spoil(smoke_config)
    study = config.build_experiment(smoke_config)
    others = {"fixed_budget", "collapse", "budget_bounds", "baselines", "fixed_confidence"} - {key}
    assert any(study.panels(other) for other in others if other in ("fixed_budget", "collapse"))
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        study.allocation() if key == "allocation" else study.panels(key)
    assert "\n" not in str(caught.value)


def test_extra_instance_with_a_mean_at_the_threshold_needs_a_tolerance() -> None:
    mine = {"name": "mine", "means": [0.9, 0.5], "threshold": 0.5}
    message = "extra_instances: means[1] of 'mine' equals the threshold 0.5: set its tolerance"
    with pytest.raises(ValueError, match=re.escape(message)):
        config.build_experiment(config.merge(config.load(), {"extra_instances": [mine]}))


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"extra_study": {"multiples": [1e-9]}}, "extra_study: the largest multiple of H_eps"),
        ({"extra_study": {"radii": []}}, "extra_study.radii: [] must have at least one entry"),
        (
            {
                "extra_instances": [
                    {"name": name, "means": [0.2], "threshold": 0.5} for name in "Aa"
                ]
            },
            "extra_instances[1]: duplicate instance name 'a'",
        ),
    ],
)
def test_an_error_of_an_own_study_names_the_key_of_the_user(own: Any, message: str) -> None:
    mine = {"extra_instances": [{"name": "mine", "means": [0.2], "threshold": 0.5}]}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        config.build_experiment(config.merge(config.load(), mine | own))


def test_extra_instances_run_one_study_on_one_problem() -> None:
    mine = {"name": "products", "means": [0.12, 0.25, 0.4], "threshold": 0.3}
    study = config.build_experiment(config.merge(config.load(), {"extra_instances": [mine]}))
    assert list(study.instances) == ["products"]
    assert {run.instance for run in study.fixed_budget + study.fixed_confidence} == {"products"}
    assert study.root == Path("results/products")
    assert study.panels("fixed_budget") == study.panels("fixed_confidence") == ["products"]
    assert study.cells("rare_fixed_budget") == []
    elsewhere = config.merge(config.load(), {"extra_instances": [mine], "root": "results/a"})
    assert config.build_experiment(elsewhere).root == Path("results/a")


def test_lists_replace_and_mappings_merge(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("figures: {collapse: [two-arms]}\n")
    figures, default = config.load(file)["figures"], config.load()["figures"]
    assert figures["collapse"] == ["two-arms"]
    assert figures | {"collapse": default["collapse"]} == default


BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize("text", [BOMB, "figures: &a {delta: *a}\n", "seed: &a {x: *a}\n"])
def test_aliases_cannot_blow_a_config_up(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bomb.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match="more than 100000 values once YAML aliases are"):
        config.build_experiment(config.load(file))


NONSENSE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e-200, 1e308, 0.5, 3.0]),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.sampled_from([math.nan, math.inf, 1e-320, "x", None, -1, 1]), max_size=2),
)


def places(value: Any, place: tuple = ()) -> Iterator[tuple]:
    """Every place in a config, that of lists and mappings included."""
    if place:
        yield place
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*place, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*place, number))


SMOKE = config.load(PROJECT / "config" / "smoke.yaml")
PLACES = list(places(SMOKE))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(place=st.sampled_from(PLACES), value=NONSENSE)
def test_study_takes_or_refuses_any_value_at_any_place(place: tuple, value: Any) -> None:
    """Nonsense at any place is refused with a ValueError of one line, or makes a finite study."""
    changed = copy.deepcopy(SMOKE)
    set_in(*place, value)(changed)
    study, complaint = None, ""
    try:
        study = config.build_experiment(changed)
    except ValueError as error:
        complaint = str(error)
    assert "\n" not in complaint
    assert len(complaint) < 600
    for run in study.fixed_budget if study else []:
        assert 0 < max(run.grid(study.instance(run.instance))) <= limits.MAX_PULLS


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"seed: [", "is not YAML"),
        (b"\xff\xfe", "is not YAML"),
        (b"- 1", "must hold keys and values, got [1]"),
        (b"word", "must hold keys and values, got 'word'"),
    ],
)
@pytest.mark.parametrize("default", [False, True])
def test_load_refuses_a_file_that_holds_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, complaint: str, default: bool
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    if default:
        monkeypatch.setattr(config, "DEFAULT", path)
    with pytest.raises(ValueError, match=re.escape(complaint)) as caught:
        config.load(path)
    assert "\n" not in str(caught.value)


CONFIGS = [
    *(PROJECT / f"config/{name}.yaml" for name in ("config", "smoke", "large")),
    PROJECT / "tests/workflow/tiny.yaml",
]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_study_accepts_every_config_of_the_project(path: Any) -> None:
    study = config.build_experiment(config.load(path))
    assert study.fixed_budget
    assert study.fixed_confidence


def test_study_takes_a_new_instance_from_the_config_alone(smoke_config: Config) -> None:
    add_instance(smoke_config, name="mine", means=[0.2, 0.45, 0.7], threshold=0.4, tolerance=0.01)
    smoke_config["fixed_budget"]["studies"].append(budget(smoke_config) | {"instances": ["mine"]})
    study = config.build_experiment(smoke_config)
    assert "mine" in {run.instance for run in study.fixed_budget}
    assert study.instance("mine").n_arms == 3


def test_budgets_are_multiples_of_the_complexity_from_2k_on(smoke_config: Config) -> None:
    study = config.build_experiment(smoke_config)
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
    experiment = config.build_experiment(smoke_config)
    runs = experiment.fixed_confidence
    assert len({(run.instance, run.method, run.epsilon) for run in runs}) == len(runs)
    assert all(run.deltas == {0.1, 0.05} and run.replicates == 300 for run in runs)
    settings = experiment.confidence_settings(experiment.family(runs[0].instance))
    assert sorted({setting["delta"] for setting in settings}) == [0.05, 0.1]
    many = budget(smoke_config) | {"replicates": 300}
    smoke_config["fixed_budget"]["studies"] = [many, many | {"replicates": 200}]
    assert {run.replicates for run in config.build_experiment(smoke_config).fixed_budget} == {300}


@pytest.mark.parametrize("name", ["config.yaml", "smoke.yaml", "large.yaml"])
def test_the_graph_has_the_names_of_all_simulations(name: str) -> None:
    values = config.load(PROJECT / "config" / name)
    experiment = config.build_experiment(values)
    for section in ("fixed_budget", "fixed_confidence"):
        simulated = [experiment.family(run.instance) for run in getattr(experiment, section)]
        assert graph.simulated_families(values, section) == list(dict.fromkeys(simulated))
    names = [name for entry in values["instances"] for name in graph.member_names(entry)]
    assert names == list(experiment.instances)
    assert graph.families(values) == {name: experiment.family(name) for name in names}


def test_a_problem_with_the_name_of_a_family_would_share_its_file(smoke_config: Config) -> None:
    smoke_config["instances"].append({"name": "skewed", "means": [0.3], "threshold": 0.5})
    with pytest.raises(ValueError, match="'skewed' has the name of a family"):
        config.build_experiment(smoke_config)


def test_members_of_a_family_are_simulated_in_one_job(smoke_config: Config) -> None:
    experiment = config.build_experiment(smoke_config)
    settings = experiment.confidence_settings("equal-gap")
    names = [fields["name"] for fields in experiment.definitions("fixed_confidence", "equal-gap")]
    assert names == ["equal-gap-2", "equal-gap-32"]
    assert list(dict.fromkeys(setting["instance"] for setting in settings)) == names
    assert {setting["radius"] for setting in settings} == set(experiment.radii("equal-gap"))


def test_schema_and_reference_are_those_of_the_models() -> None:
    """If it fails: python docs/config_reference.py."""
    page = (PROJECT / config_reference.PAGE).read_text(encoding="utf-8")
    assert page == config_reference.page(page)
    section = page.partition("## `fixed_budget`")[2].partition("## ")[0]
    assert "\n| `replicates` | whole number >= 1, <= 1e+08 (`20000`) | " in section
    assert "\n| `studies[].policies` | list of: `apt` or `lsa` or " in section
    schema = (PROJECT / config_reference.SCHEMA).read_text(encoding="utf-8")
    assert schema == config_reference.schema()
    assert all(f"- {radius}\n" in schema for radius in RADII)


def test_default_of_the_package_is_the_config_of_the_project() -> None:
    assert config.DEFAULT.read_text() == (PROJECT / "config/config.yaml").read_text()
