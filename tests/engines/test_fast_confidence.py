"""The fast engine of Algorithm 2: the law of its runs, and when decided arms reopen.

That it makes the literal run on every tape is shown in ``test_tapes``.
"""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ldpt.config.experiment import build_experiment, load
from ldpt.engines.blocks import STEPPED, Corridor, walk_in_words
from ldpt.engines.boundaries import Arms, is_undecided, sides
from ldpt.engines.confidence_runs import Runs, fixed_confidence_runs
from ldpt.engines.fast_confidence import (
    HORIZON,
    first_ones,
    fixed_confidence_fast,
    new_state,
    reopening_time,
    set_reopening,
)
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.engines.sources import WORD_SIZE, tape_from_responses
from ldpt.engines.tournament import NEVER
from ldpt.engines.tuning import CHORD_SHIFT, MAX_WORDS, RARE
from ldpt.exact import stopping_chain
from ldpt.privacy import private_mean
from ldpt.radii import KINDS, RADII, Radius
from tests.conftest import PROJECT
from tests.engines.laws import fits

LEVEL = 1e-4  # of every statistical test


@pytest.mark.parametrize("name", ["printed", "mixture", "onesided"])
def test_fixed_confidence_engines_stop_alike(name):
    radius, epsilon, runs = Radius(name), 0.4, 600
    means = private_mean(np.array([0.1, 0.3, 0.8]), epsilon)
    times, pulls, sums = np.zeros((2, runs), np.int64), *np.zeros((2, 2, runs, 3), np.int64)
    for fast in (0, 1):
        fixed_confidence_runs(
            np.random.default_rng(10 + fast),
            bool(fast),
            Arms(means, 0.5),
            radius.at(3, 0.1, 0.5, epsilon),
            10**12,
            Runs(times[fast], pulls[fast], sums[fast]),
        )
        assert (pulls[fast].sum(axis=1) == times[fast]).all()
    assert ks_2samp(times[0], times[1]).pvalue > LEVEL
    assert ks_2samp(pulls[0, :, 1], pulls[1, :, 1]).pvalue > LEVEL


def test_fixed_confidence_fast_cut_off_shows_the_state_of_every_arm():
    """Sums at the cut have the law of the literal engine's: blocks are cut in the middle."""
    radius, runs, limit = Radius("printed"), 4000, 5000
    means = private_mean(np.array([0.45, 0.6]), 0.3)
    times, pulls, sums = np.zeros((2, runs), np.int64), *np.zeros((2, 2, runs, 2), np.int64)
    for fast in (0, 1):
        fixed_confidence_runs(
            np.random.default_rng(20 + fast),
            bool(fast),
            Arms(means, 0.5),
            radius.at(2, 0.1, 0.5, 0.3),
            limit,
            Runs(times[fast], pulls[fast], sums[fast]),
        )
    cut = times == -1
    assert cut.mean() > 0.9
    assert (pulls[cut].sum(axis=1) == limit).all()
    assert ks_2samp(sums[0, cut[0], 0], sums[1, cut[1], 0]).pvalue > LEVEL
    assert ks_2samp(sums[0, cut[0], 1], sums[1, cut[1], 1]).pvalue > LEVEL


@pytest.mark.parametrize("rare", [0, 1])
@pytest.mark.parametrize("mean", [2e-4, 9e-4])
def test_runs_with_rare_responses_stop_as_the_exact_chain_does(mean, rare):
    """An arm with rare ones, and its mirror image with rare zeros."""
    tau, radius = 4e-4, Radius("coin")
    chain = stopping_chain(
        mean, tau, False, radius.at(1, 0.5, tau, np.inf), 1e-9, 10**6, np.zeros(64)
    )
    law = np.cumsum(chain[4])
    cuts = np.unique(np.searchsorted(law, np.linspace(0, 1, 21)[1:-1]))
    weights = np.diff(law[cuts], prepend=0.0, append=1.0)
    if rare == 0:
        mean, tau = 1 - mean, 1 - tau
    made = Runs(np.zeros(4000, np.int64), *np.zeros((2, 4000, 1), np.int64))
    fixed_confidence_runs(
        np.random.default_rng([9, rare]),
        True,
        Arms(np.array([mean]), tau),
        radius.at(1, 0.5, tau, np.inf),
        10**12,
        made,
    )
    assert fits(np.searchsorted(cuts, made.stopping_times), weights) > LEVEL


def test_an_arm_without_ones_is_decided_where_its_threshold_meets_the_boundary():
    """After 2e11 equal responses, in one block for each doubling of the pulls."""
    edge, tau = Radius("coin").at(1, 1e-100, 1e-9, np.inf), 1e-9
    pulls, sums = np.zeros((2, 1), np.int64)
    rng = np.random.default_rng(10)
    n = fixed_confidence_fast(rng, Arms(np.zeros(1), tau), edge, 10**13, pulls, sums)
    assert n > 10**11
    assert not is_undecided(edge, n, 0, n, tau)
    assert is_undecided(edge, n - 1, 0, n - 1, tau)


@pytest.mark.parametrize("config", ["config", "smoke", "large"])
def test_no_committed_setting_has_rare_responses(config):
    """Its random numbers are drawn as if there were no blocks of equal responses."""
    experiment = build_experiment(load(PROJECT / "config" / f"{config}.yaml"))
    thresholds = [problem.threshold for problem in experiment.instances.values()]
    assert min(min(tau, 1 - tau) for tau in thresholds) > RARE


@pytest.mark.parametrize(
    ("name", "seed"),
    [(name, seed) for name in RADII for seed in range(5 if KINDS[name].timed else 1)],
)
def test_reopening_time_is_the_first_at_which_the_arm_is_undecided(name, seed):
    """By going through all times up to 3000, and by the comparison itself at the time found."""
    rng = np.random.default_rng(seed)
    reopened = 0
    for _ in range(200):
        n, t = int(rng.integers(1, 60)), int(rng.integers(60, 200))
        tau, delta = float(rng.uniform(0.2, 0.8)), float(rng.choice([0.1, 0.9]))
        s = int(rng.integers(0, n + 1))
        edge = Radius(name).at(2, delta, tau, np.inf)
        if is_undecided(edge, n, s, t, tau):
            continue
        found = reopening_time(edge, n, s, t, tau, HORIZON)
        first = next((at for at in range(t + 1, 3000) if is_undecided(edge, n, s, at, tau)), None)
        if first is not None:
            assert found == first, (edge, n, s, t, tau)
            reopened += 1
        elif found == NEVER:
            assert not is_undecided(edge, n, s, HORIZON, tau)
        else:
            assert found >= 3000
            assert is_undecided(edge, n, s, found, tau)
            assert not is_undecided(edge, n, s, found - 1, tau)
    assert (reopened > 0) == KINDS[name].timed


def test_reopening_times_whose_keys_would_overflow_are_never():
    """17 bits for the arm leave 45 for the time; release 2.2.0 hung on such a run."""
    n_arms, arm, n, s, t = 70_000, 5, 1000, 620, 2000
    edge, state = Radius("printed").at(n_arms, 0.1, 0.5, np.inf), new_state(n_arms)
    assert NEVER >> state.bits < reopening_time(edge, n, s, t, 0.5, HORIZON) < HORIZON
    state.pulls[arm], state.sums[arm] = n, s
    set_reopening(edge, state, arm, t, 0.5)
    assert (state.reopen_keys == NEVER).all()


@pytest.mark.parametrize("engine", [fixed_confidence_literal, fixed_confidence_fast])
def test_a_run_of_no_further_pulls_shows_one_pull_of_each_arm(engine):
    pulls, sums = np.zeros((2, 3), np.int64)
    edge = Radius("mixture").at(3, 0.1, 0.5, np.inf)
    rng, arms = np.random.default_rng(1), Arms(np.full(3, 0.51), 0.5)
    assert engine(rng, arms, edge, 0, pulls, sums) == -1
    assert pulls.tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", RADII)
@pytest.mark.parametrize("n", [1, 7, 300, 10**5, 10**9])
def test_boundaries_lie_above_their_chords(name, n):
    """Which lets a walk go up to a chord: boundaries are concave in the pulls of an arm."""
    limit = WORD_SIZE * (2 + (n >> CHORD_SHIFT))
    steps = np.unique(np.linspace(0, limit, 300).astype(int))
    for n_arms, delta, threshold in [(1, 0.99, 0.5), (2, 0.1, 0.9), (1000, 1e-6, 0.2)]:
        edge = Radius(name).at(n_arms, delta, threshold, 0.5)
        for curve in np.array([sides(edge, n + m, 2 * n) for m in steps]).T:
            chord = curve[0] + steps * (curve[-1] - curve[0]) / limit
            assert (curve >= chord * (1 - 1e-12)).all()


def word_on(bits, start, size):
    return sum(int(bit) << j for j, bit in enumerate(bits[start : start + size]))


@pytest.mark.parametrize("seed", range(3))
def test_walk_ends_at_the_first_touch_and_keeps_its_words(seed):
    """Against the definition, pull by pull; part of the first word was read before."""
    touches = 0
    for number in range(200):
        rng = np.random.default_rng([seed, number])
        tau, opening = float(rng.choice([0.5, 0.3, 0.9])), float(rng.choice([0.0, 0.02, 0.2]))
        up, down = rng.uniform(0.5, 12, 2)
        limit, rest = int(rng.integers(1, 1000)), int(rng.integers(0, WORD_SIZE))
        bits = rng.random(1100) < tau
        tape, state = tape_from_responses(bits[None]), new_state(1)
        active = state.active[0]
        active["rest"], active["rest_size"] = word_on(bits, 0, rest), rest
        corridor = Corridor(up, down, -opening, -opening, tau, limit)
        pulls, ones, _ = walk_in_words(
            tape, 0, 0, tau, corridor, True, state.active, state.words[0], 0
        )
        active["kind"] = STEPPED
        moved, m = np.cumsum(bits - tau)[:limit], np.arange(1, limit + 1)
        touched = (moved >= up + m * opening) | (moved <= -(down + m * opening))
        first = int(np.argmax(touched)) + 1 if touched.any() else limit
        left = active["rest_size"]
        assert pulls == first or (pulls < first and left == 0)  # far away, or no more words
        assert pulls <= MAX_WORDS * WORD_SIZE
        assert ones == tape[0, pulls]
        assert active["rest"] == word_on(bits, pulls, left)
        for part in (1, pulls // 2, pulls):
            assert first_ones(tape, 0, part, state) == tape[0, part]
        touches += bool(touched.any()) and pulls == first
    assert touches > 50
