"""Named streams, chunks that never change, bad input, and the published error rates."""

import math
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scripts.count_pulls import by_confidence, pulls_of_arms
from scripts.simulate_mechanism import REWARD_LAWS, positives

from ldpt import radii, rare_events, simulate
from ldpt.checks import ENGINES
from ldpt.config.experiment import build_experiment, load
from ldpt.engines.boundaries import Arms
from ldpt.engines.fast_confidence import fixed_confidence_fast
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.instances import Instance
from ldpt.policies import POLICIES
from ldpt.radii import RADII, Radius
from ldpt.util.runs import write_runs

PAIR = Instance("pair", [0.3, 0.6], 0.5, 0.05)
BUDGETS = [10, 40, 100]


def budget_runs(replicates: int, seed: int = 7, **options) -> pd.DataFrame:
    settings = {"instance": PAIR, "epsilon": 1.0, "budgets": BUDGETS, "policy": "apt"}
    return simulate.fixed_budget(**{**settings, **options}, replicates=replicates, seed=seed)


def confidence_runs(replicates: int, seed: int = 7, **options) -> pd.DataFrame:
    settings = {"instance": PAIR, "epsilon": 2.0, "delta": 0.1, "radius": "mixture"}
    return simulate.fixed_confidence(**{**settings, **options}, replicates=replicates, seed=seed)


def same_bytes(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    return one.to_csv() == other.to_csv()


# --- what a table looks like


def test_fixed_budget_has_one_row_per_replicate_and_budget():
    runs = budget_runs(3)
    keys = ["instance", "policy", "epsilon", "budget"]
    assert runs.columns.tolist() == [*keys, "replicate", "loss"]
    assert runs["replicate"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert runs["budget"].tolist() == BUDGETS * 3
    assert runs["loss"].dtype == bool


def test_fixed_confidence_has_one_row_per_replicate_with_the_pulls_of_every_arm():
    runs = confidence_runs(20)
    keys = ["instance", "radius", "epsilon", "delta", "replicate"]
    assert runs.columns.tolist() == [*keys, "stopping_time", "correct", "pulls_0", "pulls_1"]
    assert runs["stopping_time"].dtype == np.int64
    assert runs["correct"].dtype == bool
    assert (runs["pulls_0"] + runs["pulls_1"] == runs["stopping_time"]).all()


def test_budgets_are_sorted_and_single_ones_allowed():
    assert budget_runs(2, budgets=[100, 10, 10])["budget"].tolist() == [10, 100] * 2
    assert budget_runs(2, budgets=100)["budget"].tolist() == [100, 100]


# --- streams


@pytest.mark.parametrize("runs", [budget_runs, confidence_runs])
@pytest.mark.parametrize("engine", ENGINES)
def test_simulate_gives_the_same_bytes_for_the_same_call(runs, engine):
    assert same_bytes(runs(700, engine=engine), runs(700, engine=engine))


@pytest.mark.parametrize("runs", [budget_runs, confidence_runs])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", [1, 499, 500, 501])
def test_asking_for_more_leaves_the_first_replicates_as_they_were(runs, engine, first):
    few, many = runs(first, engine=engine), runs(1200, engine=engine)
    assert same_bytes(few, many[many["replicate"] < first])


@pytest.mark.parametrize("policy", POLICIES)
def test_fixed_budget_is_seeded_for_every_policy(policy):
    assert same_bytes(budget_runs(600, policy=policy), budget_runs(600, policy=policy))


@pytest.mark.parametrize("runs", [budget_runs, confidence_runs])
def test_threads_change_nothing(runs):
    replicates = 3 * simulate.CHUNK + 1
    assert same_bytes(runs(replicates, threads=3), runs(replicates))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"epsilon": 2.0001},
        {"delta": 0.1001},
        {"radius": "hoeffding"},
        {"instance": Instance("another name", PAIR.means, PAIR.threshold)},
    ],
)
def test_stream_changes_with_every_part_of_its_name(change):
    assert not confidence_runs(50)["stopping_time"].equals(
        confidence_runs(50, **change)["stopping_time"]
    )


# Published with release 3.0.0: losses of 600 runs at three budgets, pulls of 50 runs.
LOSSES = {
    "apt": [381, 290, 206],
    "lsa": [380, 274, 195],
    "apt-clipped": [372, 279, 173],
    "lsa-clipped": [369, 280, 188],
    "uniform": [384, 305, 213],
    "laplace": [387, 322, 253],
}
PULLS = {
    "printed": 35323,
    "hoeffding": 146272,
    "mixture": 22329,
    "onesided": 20154,
    "coin": 20519,
}
DRAWN_MEANS = {
    "random-1": 0.3706217565063926,
    "new-beta-4-1": 0.641863947964179,
    "new-hard-4-1": 0.457297244111459,
    "skewed-1": 0.3638356023311574,
}
RENAMED = Instance("renamed", PAIR.means, PAIR.threshold, PAIR.tolerance, stream="pair")


def test_a_renamed_problem_keeps_its_numbers():
    for runs in (budget_runs, confidence_runs):
        table = runs(600, instance=RENAMED)
        assert set(table["instance"]) == {"renamed"}
        assert same_bytes(table.assign(instance="pair"), runs(600))


def test_a_renamed_policy_keeps_its_numbers(monkeypatch):
    for name in POLICIES:
        published = budget_runs(600, policy=name)
        with monkeypatch.context() as patch:
            patch.setitem(POLICIES, "renamed", replace(POLICIES[name], name="renamed"))
            table = budget_runs(600, policy="renamed")
        assert same_bytes(table.assign(policy=name), published)


def test_a_renamed_radius_keeps_its_numbers(monkeypatch):
    published = confidence_runs(50)
    monkeypatch.setitem(radii.KINDS, "renamed", radii.KINDS["mixture"])
    table = confidence_runs(50, radius="renamed")
    assert same_bytes(table.assign(radius="mixture"), published)


def test_a_renamed_family_draws_the_published_means():
    instances = build_experiment(load()).instances.values()
    means = {instance.stream: instance.means[0] for instance in instances}
    assert {name: means[name] for name in DRAWN_MEANS} == DRAWN_MEANS


def test_two_problems_on_one_stream_are_refused():
    config = load()
    twin = {"name": "twin", "means": [0.3], "threshold": 0.5, "stream": "crowded"}
    config["instances"] = [*config["instances"], twin]
    with pytest.raises(ValueError, match="duplicate stream 'crowded' of 'twin'"):
        build_experiment(config)


def test_runs_are_those_that_were_published():
    """A new name of a rule, module or column must not change them."""
    losses = budget_runs(600, policy=list(POLICIES)).groupby(["policy", "budget"])["loss"].sum()
    assert {policy: losses[policy].tolist() for policy in POLICIES} == LOSSES
    pulls = confidence_runs(50, radius=RADII).groupby("radius")["stopping_time"].sum()
    assert pulls.to_dict() == PULLS
    errors = [
        rare_events.fixed_budget_error(PAIR, 1.0, 40, 100, 7),
        rare_events.fixed_budget_error(PAIR, 1.0, 40, 100, 7, "lsa"),
        rare_events.fixed_confidence_error(PAIR, 2.0, 0.1, 100, 7),
    ]
    published = [0.42358256271489775, 0.4590948784566099, 0.0018479023870518637]
    assert [error.probability for error in errors] == pytest.approx(published, rel=1e-9)
    assert positives("Bernoulli", 0.1, 1.0, 1000, 7) == 309
    counts = pulls_of_arms(PAIR, 1.0, 40, 5, 7)
    assert counts.tolist() == [[13, 27], [16, 24], [3, 37], [3, 37], [20, 20]]


def test_shares_are_counted_at_the_levels_of_the_config(tmp_path):
    runs = confidence_runs(20, epsilon=[1.0, 2.0, math.inf], delta=[0.1, 0.01], radius="coin")
    write_runs(
        str(tmp_path / "runs.parquet"), [part for _, part in runs.groupby(["epsilon", "delta"])]
    )
    (strong, none) = by_confidence(str(tmp_path / "runs.parquet"), [PAIR], [1.0, math.inf], 0.1)
    assert (set(strong["epsilon"]), set(none["epsilon"])) == ({1.0}, {math.inf})
    assert strong["replicates"].tolist() == [20, 20]


# --- several settings in one call


def test_each_setting_of_a_call_has_the_runs_of_its_single_call():
    levels, policies = [1.0, math.inf], ["apt", "laplace"]
    table = budget_runs(600, epsilon=levels, policy=policies)
    single = [budget_runs(600, epsilon=e, policy=p) for p in policies for e in levels]
    assert same_bytes(table, pd.concat(single, ignore_index=True))
    levels, deltas, boundaries = [2.0, math.inf], [0.1, 0.01], ["coin", Radius("mixture", 5.0)]
    table = confidence_runs(20, epsilon=levels, delta=deltas, radius=boundaries)
    single = [
        confidence_runs(20, epsilon=epsilon, delta=delta, radius=radius)
        for radius in boundaries
        for epsilon in levels
        for delta in deltas
    ]
    assert same_bytes(table, pd.concat(single, ignore_index=True))


@pytest.mark.parametrize("levels", [(1, 2.0, 1.0), np.array([1.0, 2.0]), pd.Series([1, 2])])
def test_lists_of_any_kind_name_each_setting_once(levels):
    assert budget_runs(2, epsilon=levels)["epsilon"].drop_duplicates().tolist() == [1.0, 2.0]


def test_progress_counts_the_replicates_of_all_settings():
    done = []
    budget_runs(600, epsilon=[1, 2], progress=done.append)
    assert done == [500, 600, 1100, 1200]


def test_chunks_have_streams_of_their_own():
    times = confidence_runs(1000)["stopping_time"].to_numpy()
    assert (times[:500] != times[500:]).mean() > 0.9
    for policy in POLICIES:
        losses = budget_runs(1000, policy=policy)["loss"].to_numpy()
        assert (losses[:1500] != losses[1500:]).mean() > 0.1


def test_stream_of_a_name_is_the_same_on_every_machine():
    """The first numbers are part of what every published table means."""
    for epsilon in (1.0, 1):
        numbers = simulate.stream(7, "fixed_budget", "pair", "apt", epsilon, 0).random(2)
        assert numbers.tolist() == [0.12012221373139575, 0.30195513840410604]
    assert simulate.stream(7, "ab", "c").random() != simulate.stream(7, "a", "bc").random()


def test_progress_counts_replicates_done():
    told = []
    budget_runs(1100, progress=told.append)
    assert told == [500, 1000, 1100]


# --- input is validated before any simulation


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": [1.0, 0]}, "epsilon must be positive .*, got 0"),
        ({"epsilon": []}, r"epsilon must be at least one value, got \[\]"),
        ({"policy": ["apt", "greedy"]}, "policy must be one of apt, .*, got 'greedy'"),
        ({"budgets": [3, 100]}, "budgets must be a whole number from 4 to 10000000000000, got 3"),
        ({"budgets": []}, r"budgets must be whole numbers of pulls, got \[\]"),
        ({"budgets": [10.5]}, "budgets must be a whole number from 4 to .*, got 10.5"),
        ({"budgets": [math.nan]}, "budgets must be a whole number from 4 to .*, got nan"),
        (
            {"policy": "greedy"},
            "policy must be one of apt, lsa, apt-clipped, lsa-clipped, uniform, laplace, "
            "got 'greedy'",
        ),
        ({"engine": "warp"}, "engine must be one of literal, fast, got 'warp'"),
        ({"replicates": 0}, "replicates must be a whole number from 1 to 100000000, got 0"),
        ({"replicates": -5}, "replicates must be a whole number from 1 to 100000000, got -5"),
    ],
)
def test_bad_input_of_fixed_budget_is_named(options, complaint):
    replicates = options.pop("replicates", 5)
    with pytest.raises(ValueError, match=complaint):
        budget_runs(replicates, **options)


def test_an_arm_at_the_threshold_has_losses_without_a_tolerance():
    """It belongs to no right answer, as its mean is at most the threshold."""
    problem = Instance("at", [0.5], 0.5)
    assert 0.2 < simulate.fixed_budget(problem, 1.0, 9, 500, seed=1)["loss"].mean() < 0.8


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"epsilon": math.nan}, "epsilon must be positive"),
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1, got 1.0"),
        ({"radius": "wide"}, "radius must be one of"),
        ({"radius": ["coin", "wide"]}, "radius must be one of .*, got 'wide'"),
        ({"radius": ["mixture", Radius("mixture", 2.0)]}, "two constants of one radius need two"),
        ({"delta": [0.1, 1.0]}, "delta must lie strictly between 0 and 1, got 1.0"),
        ({"engine": "warp"}, "engine must be one of"),
        ({"max_pulls": 1}, "max_pulls must be a whole number from 2 to 9223372036854775807, got 1"),
        ({"instance": Instance("stuck", [0.5], 0.5)}, "exactly at the threshold"),
        ({"replicates": -5}, "replicates must be a whole number from 1 to 100000000, got -5"),
    ],
)
def test_bad_input_of_fixed_confidence_is_named(options, complaint):
    replicates = options.pop("replicates", 5)
    with pytest.raises(ValueError, match=complaint):
        confidence_runs(replicates, **options)


# --- what the numbers mean


def test_fixed_confidence_run_at_max_pulls_is_neither_stopped_nor_correct():
    runs = confidence_runs(50, max_pulls=3)
    assert (runs["stopping_time"] == -1).all()
    assert not runs["correct"].any()


RUNS = {"literal": fixed_confidence_literal, "fast": fixed_confidence_fast}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("radius", "scale", "gap"), [("printed", 8, 0.0012), ("hoeffding", 2, 0.0024)]
)
def test_runs_past_two_to_the_21_stop_where_their_walk_leaves_the_boundary(
    engine, radius, scale, gap
):
    """t^3 is beyond 64 bits there; each run must stop at the boundary and not one step late."""
    rng, late = np.random.default_rng(5), 0
    edge = Radius(radius).at(1, 0.1, 0.5, math.inf)
    for _ in range(12):
        pulls, sums = np.zeros((2, 1), np.int64)
        arms = Arms(np.array([0.5 + gap]), 0.5)
        time = RUNS[engine](rng, arms, edge, 10**9, pulls, sums)
        width = math.sqrt(time * math.log(40 * int(time) ** 3) / scale)  # integers of any size
        distance = abs(int(sums[0]) - time / 2)
        assert width * (1 - 1e-12) <= distance < width + 1
        late += time > 2**21
    assert late >= 6


@pytest.mark.parametrize("radius", RADII)
def test_both_engines_cost_the_same_on_average(radius):
    """Means of 2000 runs differ by less than four standard errors of their difference."""
    instance = Instance("trio", [0.2, 0.45, 0.8], 0.5)
    fast, literal = (
        simulate.fixed_confidence(instance, 2.0, 0.1, 2000, seed, radius=radius, engine=engine)
        for seed, engine in ((1, "fast"), (2, "literal"))
    )
    error = math.hypot(*(runs["stopping_time"].std() / math.sqrt(2000) for runs in (fast, literal)))
    assert abs(fast["stopping_time"].mean() - literal["stopping_time"].mean()) < 4 * error


def test_rho_reaches_the_engine():
    wide = confidence_runs(200, radius=Radius("mixture", 1000.0))["stopping_time"].mean()
    assert wide > 1.5 * confidence_runs(200)["stopping_time"].mean()


CLASSICAL = {
    "three-groups": [0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.9, 0.9, 0.9],
    "arithmetic": [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8],
    "geometric": [0.4 - 0.2**i for i in (1, 2, 3, 4)]
    + [0.45, 0.55]
    + [0.6 + 0.2**i for i in (4, 3, 2, 1)],
}
REFERENCE = [  # instance, policy, epsilon, error at T = 500 in 20 000 runs, half a last digit
    ("three-groups", "apt", math.inf, 5e-4, 5e-5),
    ("arithmetic", "apt", math.inf, 1.7e-3, 5e-5),
    ("geometric", "apt", math.inf, 0.063, 5e-4),
    ("three-groups", "uniform", math.inf, 0.029, 5e-4),
    ("arithmetic", "uniform", math.inf, 0.032, 5e-4),
    ("geometric", "uniform", math.inf, 0.283, 5e-4),
    ("three-groups", "apt", 1.0, 0.186, 5e-4),
    ("arithmetic", "apt", 1.0, 0.375, 5e-4),
    ("geometric", "apt", 1.0, 0.70, 5e-3),
    ("three-groups", "uniform", 1.0, 0.317, 5e-4),
    ("arithmetic", "uniform", 1.0, 0.510, 5e-4),
    ("geometric", "uniform", 1.0, 0.80, 5e-3),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "policy", "epsilon", "reference", "rounding"), REFERENCE)
def test_published_error_rates_are_met(name, policy, epsilon, reference, rounding, engine):
    """Two samples of 20 000 runs: level 1e-4 (3.89 standard errors) after the rounding."""
    runs = 20_000
    instance = Instance(name, CLASSICAL[name], 0.5, 0.1)
    table = simulate.fixed_budget(instance, epsilon, 500, runs, 2026, policy=policy, engine=engine)
    error = math.sqrt(2 * reference * (1 - reference) / runs)
    assert abs(table["loss"].mean() - reference) <= rounding + 3.89 * error


# --- runs that would not end

NEVER_ENDS = [
    (
        Instance("near", [0.5 + 1e-9, 0.9], 0.5),
        1.0,
        r"(inf|e\+\d+) pulls, more than 1e\+13; max",
    ),
    (
        Instance("far", [0.9], 0.5),
        1e-7,
        r"epsilon 1e-07 and delta 0.1 takes about .*e\+1",
    ),
    (
        Instance("lost", [0, 0.50000001], 0.5),
        1e-9,
        r"means\[1\] = .* at epsilon 1e-09 rounds to 0",
    ),
    (Instance("at", [0.2, 0.5], 0.5), 1.0, r"means\[1\] = 0.5 lies exactly at the threshold"),
]


@pytest.mark.parametrize(("instance", "epsilon", "complaint"), NEVER_ENDS)
@pytest.mark.parametrize("radius", RADII)
def test_fixed_confidence_refuses_runs_that_would_not_end(instance, epsilon, complaint, radius):
    with pytest.raises(ValueError, match=complaint):
        simulate.fixed_confidence(instance, epsilon, 0.1, 1, 1, radius=radius)


def test_fixed_confidence_makes_an_endless_run_if_told_when_to_give_up():
    instance = NEVER_ENDS[0][0]
    runs = simulate.fixed_confidence(instance, 1.0, 0.1, 3, 1, "hoeffding", max_pulls=10_000)
    assert (runs["stopping_time"] == -1).all()


INTERRUPTED = {
    ("fixed_confidence", "literal"): ("fixed_confidence_runs", 100),
    ("fixed_confidence", "fast"): ("fixed_confidence_runs", simulate.RUNS_PER_CALL),
    ("fixed_budget", "literal"): ("literal_losses", 100),
    ("fixed_budget", "fast"): ("fast_losses", 100),
}


@pytest.mark.parametrize(("algorithm", "engine"), INTERRUPTED)
def test_interrupted_run_ends_with_the_compiled_call_that_had_begun(algorithm, engine, monkeypatch):
    """Ctrl-C after the first chunk, while a call of the second runs, of a million replicates.

    That the caller does not wait for that call is shown in ``io/test_threads.py``.
    """
    compiled, runs_per_call = INTERRUPTED[algorithm, engine]
    work, calls = getattr(simulate, compiled), []
    second_chunk, interrupted = threading.Event(), threading.Event()

    def counted(*arguments):
        calls.append(threading.current_thread())
        if len(calls) > simulate.CHUNK // runs_per_call:
            second_chunk.set()
            assert interrupted.wait(60)
        work(*arguments)

    def press_ctrl_c(_):
        assert second_chunk.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, compiled, counted)
    monkeypatch.setattr(simulate, "PULLS_PER_CALL", 10**5)
    limit = {"budgets": 1000} if algorithm == "fixed_budget" else {"delta": 0.1, "max_pulls": 1000}
    run, slow = getattr(simulate, algorithm), Instance("slow", [0.45, 0.55], 0.5)
    with pytest.raises(KeyboardInterrupt):
        run(slow, 1.0, replicates=10**6, seed=1, engine=engine, progress=press_ctrl_c, **limit)
    interrupted.set()
    calls[-1].join()
    assert len(calls) == simulate.CHUNK // runs_per_call + 1


ONE = Instance("one", [0.3], 0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(
            ({"seed": bad}, "seed must be a whole number from 0")
            for bad in (-1, 1.5, True, "5", [5], 2**64)
        ),
        *(
            ({"threads": bad}, "threads must be a whole number")
            for bad in (0, 1.5, math.nan, True, "5")
        ),
        *(
            ({"replicates": bad}, "replicates must be a whole number from 1 to 100000000, got")
            for bad in (0, 2.5, "9", None, True)
        ),
        *(
            ({"budgets": bad}, "budgets must be (a whole number|whole numbers)")
            for bad in ("100", None, [None], ["9"], [True], 1j, [[9]], [], 1, 10**14, math.nan)
        ),
    ],
)
def test_counts_of_another_kind_are_refused_before_any_run(change, said):
    good = {"budgets": 9, "replicates": 1, "seed": 0}
    with pytest.raises(ValueError, match=said):
        simulate.fixed_budget(ONE, 1.0, **{**good, **change})


@pytest.mark.parametrize("law", REWARD_LAWS)
@pytest.mark.parametrize("mean", [0, 1])
def test_every_law_of_rewards_takes_the_ends_of_the_unit_interval(law, mean):
    assert positives(law, mean, math.inf, 9, 0) == 9 * mean


def test_cost_of_runs_that_are_cut_off_counts():
    """A limit far above what runs take must not make an endless simulation look short."""
    slow = Instance("slow", [0.5 + 1e-6], 0.5)
    with pytest.raises(ValueError, match="pulls, more than"):
        simulate.fixed_confidence(slow, 1.0, 0.1, 10**5, 1, "coin", "literal", max_pulls=10**13)


def test_default_methods_are_those_of_the_paper():
    losses = simulate.fixed_budget(PAIR, 1.0, BUDGETS, 200, 7)
    assert same_bytes(losses, budget_runs(200, policy="apt"))
    assert not same_bytes(losses, budget_runs(200, policy="lsa-clipped"))
    runs = simulate.fixed_confidence(PAIR, 2.0, 0.1, 20, 7)
    assert same_bytes(runs, confidence_runs(20, radius="printed"))


def test_whole_floats_count_as_whole_numbers():
    assert same_bytes(budget_runs(100.0, budgets=[40.0, 10]), budget_runs(100, budgets=[10, 40]))


def test_too_many_arms_of_algorithm_2_are_refused_before_any_work():
    problem = Instance("many", [0.4] * 100_001, 0.5)
    with pytest.raises(ValueError, match="from 1 to 100000, got 100001"):
        simulate.fixed_confidence(problem, 1.0, 0.1, 1, seed=1)
