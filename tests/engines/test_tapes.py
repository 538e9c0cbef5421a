"""The proof obligation of the fast engines: on the same tape, the same run as the literal ones.

Equal, not close: pulls, sums and stopping times of every arm at every checkpoint. Tapes are random,
or made of long runs of equal responses, which no generator would ever write.
"""

import numpy as np
import pytest

from ldpt.engines.boundaries import Arms
from ldpt.engines.fast_budget import fixed_budget_fast, new_state
from ldpt.engines.fast_confidence import fixed_confidence_fast
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.indices import LossCriterion, is_loss
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.engines.sources import tape_from_responses
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.privacy import private_mean
from ldpt.radii import RADII, Radius

EPSILONS = [0.05, 0.1, 0.3, 1.0, 3.0, np.inf]
THRESHOLDS = [0.02, 0.05, 0.3, 0.5, 0.7, 0.95, 0.98]
BUDGET_ENGINES = (fixed_budget_literal, fixed_budget_fast)


def draw_problem(rng, max_arms=64):
    """Private means, threshold and epsilon; sometimes all arms are at the threshold."""
    n_arms = int(rng.integers(1, max_arms + 1)) if rng.random() < 0.3 else int(rng.integers(1, 8))
    epsilon = float(rng.choice(EPSILONS))
    threshold = float(rng.choice([*THRESHOLDS, rng.uniform(0.02, 0.98)]))
    means = np.full(n_arms, threshold) if rng.random() < 0.2 else rng.random(n_arms)
    if rng.random() < 0.2:
        means = np.round(means)  # arms whose responses vary least
    return private_mean(means, epsilon), threshold, epsilon


def draw_tape(rng, means, length):
    """A tape of independent responses, or (one time in four) of runs of 50 equal ones."""
    run = 50 if rng.random() < 0.25 else 1
    responses = rng.random((means.size, length // run + 1)) < means[:, None]
    return tape_from_responses(np.repeat(responses, run, axis=1))


def budget_run(engine, tape, means, rule, budgets):
    pulls, sums = np.zeros((2, budgets.size, means.size), np.int64)
    engine(tape, means, rule, budgets, pulls, sums)
    return pulls.tolist(), sums.tolist()


def confidence_run(engine, tape, arms, edge, max_pulls):
    pulls, sums = np.zeros((2, arms.means.size), np.int64)
    time = engine(tape, arms, edge, max_pulls, pulls, sums)
    return time, pulls.tolist(), sums.tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_fixed_budget_engines_are_equal_at_all_checkpoints(policy, seed):
    for number in range(250):
        rng = np.random.default_rng([seed, number])
        means, threshold, epsilon = draw_problem(rng)
        rule = POLICIES[policy].rule(threshold, float(rng.choice([0.0, 0.02, 0.1])), epsilon)
        last = max(2 * means.size, int(rng.choice([100, 1000, 5000, 20_000])))
        budgets = np.unique(np.append(rng.integers(1, last + 1, int(rng.integers(0, 5))), last))
        tape = draw_tape(rng, means, last + 2)
        runs = [budget_run(engine, tape, means, rule, budgets) for engine in BUDGET_ENGINES]
        assert runs == [runs[0]] * len(runs), f"seed [{seed}, {number}], {rule}"


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_losses_are_equal_at_all_checkpoints(policy, seed):
    """Of runs that are not made to their checkpoints; windows end beyond, so tapes are longer."""
    errs = []
    for number in range(150):
        rng = np.random.default_rng([seed, number, 1])
        means, threshold, epsilon = draw_problem(rng, max_arms=16)
        rule = POLICIES[policy].rule(threshold, float(rng.choice([0.0, 0.02, 0.1])), epsilon)
        tau = rule.tau
        last = max(2 * means.size, int(rng.choice([100, 5000, 100_000])))
        part = np.geomspace(0.01, 1, 12) if rng.random() < 0.5 else rng.random(4)
        budgets = np.unique(np.append(np.ceil(part * last).astype(np.int64), last))
        judged = rng.random(means.size) < 0.7
        criterion = LossCriterion(budgets, judged & (means >= tau), judged & (means < tau))
        tape = draw_tape(rng, means, 5 * last + 100)
        pulls, sums = budget_run(fixed_budget_literal, tape, means, rule, budgets)
        expected = [
            is_loss(np.array(n), np.array(s), tau, criterion)
            for n, s in zip(pulls, sums, strict=True)
        ]
        losses = np.empty(budgets.size, np.bool_)
        run_for_losses(tape, means, rule, criterion, new_state(means.size, last), losses)
        assert losses.tolist() == expected, f"seed [{seed}, {number}, 1], {rule}"
        errs += expected
    assert 0.1 < np.mean(errs) < 0.9


@pytest.mark.parametrize("name", RADII)
def test_fixed_confidence_runs_are_equal(name):
    rng = np.random.default_rng(RADII.index(name))
    stopped, number = 0, 300 if name == "coin" else 1500  # its tables take time
    for _ in range(number):
        means, threshold, epsilon = draw_problem(rng)
        tau = private_mean(threshold, epsilon)
        radius = Radius(name, rho=float(rng.choice([1.0, 10.0, 300.0])))
        delta = float(rng.choice([0.9, 0.5, 0.1, 0.01]))
        max_pulls = means.size + int(rng.choice([0, 5, 500, 3000, 20_000]))
        tape = draw_tape(rng, means, max_pulls + 2)
        edge = radius.at(means.size, delta, threshold, epsilon)
        runs = [
            confidence_run(engine, tape, Arms(means, tau), edge, max_pulls)
            for engine in (fixed_confidence_literal, fixed_confidence_fast)
        ]
        assert runs[0] == runs[1], (means, tau, radius, delta, max_pulls)
        stopped += runs[0][0] >= 0
    assert 0.1 * number < stopped < 0.95 * number  # both endings are covered


@pytest.mark.parametrize("name", RADII)
def test_fixed_confidence_runs_with_rare_responses_are_equal(name):
    """Blocks of equal responses up to the next rare one, a one or a zero."""
    rng = np.random.default_rng(RADII.index(name))
    stopped = 0
    for _ in range(60):
        tau = float(rng.choice([1e-5, 1e-4, 5e-4, 9e-4]))
        means = np.minimum(tau * rng.choice([0, 0.5, 1, 2, 10, 1000], int(rng.integers(1, 5))), 1)
        if rng.random() < 0.5:
            tau, means = 1 - tau, 1 - means
        radius = Radius(name, prior_gap=float(rng.choice([0.125, 0.01, 0.001])))
        edge = radius.at(means.size, float(rng.choice([0.9, 0.5, 0.1])), tau, np.inf)
        max_pulls = means.size + int(rng.choice([500, 20_000, 100_000]))
        tape = draw_tape(rng, means, max_pulls + 2)
        runs = [
            confidence_run(engine, tape, Arms(means, tau), edge, max_pulls)
            for engine in (fixed_confidence_literal, fixed_confidence_fast)
        ]
        assert runs[0] == runs[1], (means, tau, radius, max_pulls)
        stopped += runs[0][0] >= 0
    assert 0 < stopped < 60


@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_long_runs_are_equal(n_arms, epsilon):
    """Long enough for drawn blocks, windows taken back, and arms that come back many times."""
    rng = np.random.default_rng([n_arms, int(100 * epsilon)])
    length = 300_000
    for _ in range(6):
        means = private_mean(rng.uniform(0.1, 0.9, n_arms), epsilon)
        tape = draw_tape(rng, means, length + 2)
        budgets = np.sort(rng.integers(length // 3, length, 3))
        for policy in INDEX_POLICIES:
            rule = POLICIES[policy].rule(0.5, 0.0, epsilon)
            runs = [budget_run(engine, tape, means, rule, budgets) for engine in BUDGET_ENGINES]
            assert runs == [runs[0]] * len(runs), policy
        for name in ("printed", "onesided", "coin"):
            edge = Radius(name).at(n_arms, 0.1, 0.5, epsilon)
            runs = [
                confidence_run(engine, tape, Arms(means, 0.5), edge, length)
                for engine in (fixed_confidence_literal, fixed_confidence_fast)
            ]
            assert runs[0] == runs[1]


def test_many_arms_are_served_in_the_literal_order():
    """More arms than fit into one word of a set, more than are looked through one by one."""
    rng = np.random.default_rng(5)
    means, length = rng.uniform(0.1, 0.9, 200), 20_000
    tape = draw_tape(rng, means, length + 2)
    budgets = np.array([150, 5000, 12_000, length])
    for policy in INDEX_POLICIES:
        rule = POLICIES[policy].rule(0.5, 0.0, np.inf)
        runs = [budget_run(engine, tape, means, rule, budgets) for engine in BUDGET_ENGINES]
        assert runs == [runs[0]] * len(runs), policy
    for name, delta in (("printed", 0.1), ("printed", 0.9), ("onesided", 0.1)):
        edge = Radius(name).at(means.size, delta, 0.5, np.inf)
        arguments = (tape, Arms(means, 0.5), edge, length)
        literal = confidence_run(fixed_confidence_literal, *arguments)
        assert literal == confidence_run(fixed_confidence_fast, *arguments)


@pytest.mark.filterwarnings("ignore:the guarantee of the radius 'printed'")
def test_literal_engines_follow_the_learners():
    """The listings in ``learners`` are the readable truth; the engines must make the same pulls."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        n_arms, epsilon = int(rng.integers(1, 6)), float(rng.choice(EPSILONS))
        threshold, tolerance = float(rng.choice(THRESHOLDS)), float(rng.choice([0.0, 0.1]))
        means, tau = private_mean(rng.random(n_arms), epsilon), private_mean(threshold, epsilon)
        tape = draw_tape(rng, means, 402)
        policy = str(rng.choice(INDEX_POLICIES))
        learner = FixedBudget(n_arms, threshold, tolerance, epsilon, budget=200, policy=policy)
        replay(learner, tape)
        rule = POLICIES[policy].rule(threshold, tolerance, epsilon)
        pulls, sums = budget_run(fixed_budget_literal, tape, means, rule, np.array([200]))
        assert (pulls[0], sums[0]) == (learner.pulls, learner.sums)
        radius = Radius(str(rng.choice(RADII)))
        chooser = FixedConfidence(n_arms, threshold, epsilon, delta=0.5, radius=radius)
        replay(chooser, tape, limit=400)
        _, pulls, sums = confidence_run(
            fixed_confidence_literal,
            tape,
            Arms(means, tau),
            radius.at(n_arms, 0.5, threshold, epsilon),
            400,
        )
        assert (pulls, sums) == (chooser.pulls, chooser.sums)


def replay(learner, tape, limit=10**9):
    while learner.total_pulls < limit and (arm := learner.next_arm()) is not None:
        n = learner.pulls[arm]
        learner.record(arm, int(tape[arm, n + 1] - tape[arm, n]))


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_a_side_without_a_boundary_is_never_decided(threshold):
    """Without privacy, `coin` at threshold 0 decides below never, above with the first one."""
    rng = np.random.default_rng(7)
    edge = Radius("coin").at(2, 0.1, threshold, np.inf)
    for means in ([0.0, 1.0], [0.3, 0.02], [0.999, 0.5]):
        tape = draw_tape(rng, np.array(means), 5002)
        runs = [
            confidence_run(engine, tape, Arms(np.array(means), threshold), edge, 5000)
            for engine in (fixed_confidence_literal, fixed_confidence_fast)
        ]
        assert runs[0] == runs[1], means
