"""Numbers of others beside ours."""

import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from ldpt.exact import fixed_confidence_error
from ldpt.instances import Instance
from ldpt.privacy import private_mean
from ldpt.replication.published.results import (
    beta_sides,
    coin_sides,
    conjugate_sides,
    expected_answers,
    kano_sides,
    tabulate,
)

CONTENT = yaml.safe_load(Path("config/others.yaml").read_text(encoding="utf-8"))


def test_the_recursion_agrees_with_the_exact_chain():
    problem = Instance("one", [0.7], 0.5)
    exact = fixed_confidence_error(problem, 1.0, 0.1, radius="coin").expected_pulls
    ours = expected_answers(private_mean(0.7, 1.0), coin_sides(0.5, 1.0, 10))
    assert math.isclose(ours, exact, rel_tol=1e-6)


def test_the_recursion_agrees_with_tapes():
    sides = kano_sides(0.5, 1, 0.2)
    rng, times = np.random.default_rng(3), []
    for _ in range(400):
        ones = np.cumsum(rng.random(2000) < 0.75)
        times.append(
            next(n for n, s in enumerate(ones.tolist(), 1) if not sides(n)[0] <= s < sides(n)[1])
        )
    error = np.std(times) / 20
    assert abs(np.mean(times) - expected_answers(0.75, sides)) < 4 * error


@pytest.mark.parametrize(
    ("n", "s", "t", "v_opt", "log_mixture"),
    [  # confseq 0.0.11: beta_binomial_log_mixture(s - n t, n t (1 - t), v_opt, t, 1 - t, False)
        (100, 60, 0.5, 25.0, 0.6670241644756736),
        (1000, 300, 0.35, 200.0, 3.9363828844558952),
        (1000, 420, 0.35, 200.0, 8.280544449330534),
    ],
)
def test_the_conjugate_mixture_is_confseqs(n, s, t, v_opt, log_mixture):
    for shift, inside in ((1e-6, True), (-1e-6, False)):
        sides = conjugate_sides(t, math.exp(log_mixture + shift), v_opt)
        for count in range(1, n + 1):
            low, high = sides(count)
        assert (low <= s < high) == inside


def test_others_agree_with_us():
    content = {
        "kano": CONTENT["kano"] | {"problems": CONTENT["kano"]["problems"][:1]},
        "banditpylib": CONTENT["banditpylib"] | {"our_runs": 3000},
        "nprr": [CONTENT["nprr"][0], CONTENT["nprr"][-1]],
        "beta": CONTENT["beta"][:1],
    }
    table = tabulate(content, seed=1)
    sources = {"Kano et al. 2019", "banditpylib", "nprr", "one-sided Beta mixture"}
    assert set(table["source"]) == sources
    assert table["difference_in_se"].abs().max() < 4
    assert np.isfinite(table.loc[table["source"] == "nprr", "coin"]).all()


@pytest.mark.parametrize(
    ("mean", "threshold", "level", "answers"), [(0.2, 0.1, 80, 141.0), (0.85, 0.9, 10, 350.5)]
)
def test_the_beta_mixture_costs_what_another_program_finds(mean, threshold, level, answers):
    """The values come from exact chains that share no code with this package."""
    found = expected_answers(mean, beta_sides(threshold, math.inf, level))
    assert math.isclose(found, answers, abs_tol=0.06)
