"""Verdicts and intervals: the learner's decisions, coverage at stated levels, noncompliance."""

import contextlib
import math
import warnings

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from ldpt.learners import FixedConfidence
from ldpt.privacy import private_mean, shrinkage
from ldpt.radii import Radius
from ldpt.study.answers import Sample, as_answers
from ldpt.study.designs import Design, as_design, forced, warner
from ldpt.study.inference import (
    ThresholdTest,
    Verdict,
    decide,
    estimate,
    response_range,
    tolerated_share,
)

LEVEL = 1e-4  # of every statistical test here; seeded, so each passes or fails for good


def draw(rng, p, n):
    return (rng.random(n) < p).astype(np.uint8)


@pytest.mark.parametrize("radius", ["onesided", "coin"])
def test_decisions_on_bits_are_those_of_the_learner(radius):
    rng, sides = np.random.default_rng(1), set()
    for _ in range(12):
        threshold, epsilon = rng.choice([0.1, 0.5, 0.8]), rng.choice([0.5, 2.0, math.inf])
        means = private_mean(np.append(rng.random(3), threshold), epsilon)
        tapes = [draw(rng, p, 400) for p in means]
        verdicts = decide(tapes, threshold, epsilon, 0.3, radius)
        learner = FixedConfidence(4, threshold, epsilon, 0.3, radius)
        for arm, tape in enumerate(tapes):
            for bit in tape.tolist():
                if learner.wanted(arm):
                    learner.record(arm, bit)
            decided = not learner.undecided(arm)
            assert verdicts[arm].decided_at == (learner.pulls[arm] if decided else None)
            assert (verdicts[arm].verdict == "above") == (decided and learner.deviation(arm) >= 0)
            sides.add(verdicts[arm].verdict)
    assert sides == {"above", "below", "undecided"}


def first_by_scan(test, bits):
    for n, s in enumerate(np.cumsum(bits).tolist(), start=1):
        if (side := test.side(n, s)) != "undecided":
            return n, side
    return None, "undecided"


@pytest.mark.parametrize(
    ("radius", "noncompliance"), [("hoeffding", 0.0), ("coin", 0.0), ("coin", 0.05)]
)
def test_skipping_answers_misses_no_crossing(radius, noncompliance):
    rng = np.random.default_rng(2)
    for _ in range(12):
        threshold = float(rng.choice([0.02, 0.5, 0.9]))
        epsilon = float(rng.choice([1.0, math.inf]))
        test = ThresholdTest(Radius(radius), 2, 0.4, threshold, epsilon, noncompliance)
        for p in (test.high, test.low, rng.random()):
            bits = np.repeat(draw(rng, p, 100), rng.choice([1, 9]))
            assert test.first_crossing(bits) == first_by_scan(test, bits)


def test_a_million_answers_are_decided_by_a_few_thousand_evaluations(monkeypatch):
    test, calls = ThresholdTest(Radius("coin"), 1, 0.05, 0.5, 1.0, 0.0), []
    side = ThresholdTest.side
    monkeypatch.setattr(ThresholdTest, "side", lambda *a: calls.append(1) or side(*a))
    bits = draw(np.random.default_rng(3), 0.5, 10**6)
    assert test.first_crossing(bits) == (None, "undecided")
    assert len(calls) < 20_000


@pytest.mark.parametrize(("mean", "epsilon"), [(0.3, 1.0), (0.05, math.inf)])
def test_verdicts_on_an_arm_at_the_threshold_err_with_probability_below_delta(mean, epsilon):
    """Both from bits and from counts: 2 x 800 studies, at delta = 0.1, level 1e-4 each."""
    rng, delta = np.random.default_rng(4), 0.1
    tapes = draw(rng, private_mean(mean, epsilon), (800, 1000))
    test = ThresholdTest(
        Radius("coin"), 1, delta, mean, epsilon, 0.0
    )  # at the threshold means above
    wrong = sum(test.first_crossing(tape)[1] == "below" for tape in tapes)
    assert binomtest(wrong, 800, delta, "greater").pvalue > LEVEL
    assert wrong > 8  # the boundary is not idle
    late = sum(test.side(1000, int(tape.sum())) == "below" for tape in tapes)
    assert late <= wrong


# --- intervals


@pytest.mark.parametrize("epsilon", [1.0, math.inf])
@pytest.mark.parametrize("mean", [0.02, 0.5])
def test_intervals_cover_the_mean_at_all_times(mean, epsilon):
    """200 studies of 1000 answers, looked at 12 times each: misses at most 0.1, level 1e-4.

    Intervals for one look miss in 24 to 35 % of such studies, which is found in 94 % of tests.
    """
    rng, looks = np.random.default_rng(5), np.unique(np.geomspace(1, 1000, 12).astype(int))
    tapes = draw(rng, private_mean(mean, epsilon), (200, 1000)).cumsum(axis=1)
    known: dict[tuple[int, int], bool] = {}

    def covers(n: int, s: int) -> bool:
        if (n, s) not in known:
            with warnings.catch_warnings():  # at mean 0 answers contradict the design at times
                warnings.simplefilter("ignore")
                (interval,) = estimate([(n, s)], epsilon, level=0.9)
            known[n, s] = interval.low <= mean + 1e-12 and mean - 1e-12 <= interval.high
        return known[n, s]

    misses = sum(not all(covers(int(n), int(tape[n - 1])) for n in looks) for tape in tapes)
    assert binomtest(misses, 200, 0.1, "greater").pvalue > LEVEL


def exact_miss(n: int, epsilon: float, mean: float, level: float) -> float:
    """Return the probability that the interval after n answers misses the mean."""
    p, total = private_mean(mean, epsilon), 0.0
    for s in range(n + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (interval,) = estimate([(n, s)], epsilon, level)
        total += binom.pmf(s, n, p) * (not interval.low <= mean <= interval.high)
    return total


@pytest.mark.parametrize(("n", "epsilon", "mean"), [(60, 2.0, 0.1), (40, math.inf, 0.3)])
def test_an_interval_misses_with_a_probability_below_its_level_exactly(n, epsilon, mean):
    assert 0 < exact_miss(n, epsilon, mean, 0.6) <= 0.4


def old_interval(n, s, epsilon, error):
    """Return the interval of release 2.2.0: a normal mixture for variables in [0, 1]."""
    c = shrinkage(epsilon)
    rho = (2 / c) ** 2
    width = n / 4 + rho
    half = math.sqrt(width * (math.log(width / rho) - 2 * math.log(error))) / n
    ends = (0.5 + (s / n + side * half - 0.5) / c for side in (-1, 1))
    return [min(max(end, 0.0), 1.0) for end in ends]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, math.inf])
@pytest.mark.parametrize("error", [0.05, 0.001])
def test_intervals_are_nowhere_wider_than_before_and_narrower_near_the_ends(epsilon, error):
    ratios = {}
    for mean in (0.0, 0.01, 0.1, 0.3, 0.5, 0.99, 1.0):
        for n in (30, 1000, 10**6):
            s = round(n * private_mean(mean, epsilon))
            low, high = old_interval(n, s, epsilon, error)
            (new,) = estimate([(n, s)], epsilon, 1 - error)
            ratios[mean, n] = (new.high - new.low) / (high - low)
    assert max(ratios.values()) <= 1.0005
    if epsilon >= 4:
        assert max(ratios[mean, 1000] for mean in (0.0, 0.01, 0.99, 1.0)) < 0.5


def test_intervals_shrink_onto_the_mean_at_any_size():
    for n in (10**9, 10**12, 10**15):
        (interval,) = estimate([(n, n // 4)], math.inf)
        half = (interval.high - interval.low) / 2
        assert 2 < half / math.sqrt(0.25 * 0.75 / n) < 9
        assert interval.low < 0.25 < interval.high


@settings(max_examples=12, derandomize=True, deadline=None)
@given(
    n=st.integers(1, 10**6),
    share=st.floats(0, 1),
    epsilon=st.sampled_from([0.1, 1.0, math.inf]),
    level=st.floats(0.5, 0.999999),
)
def test_interval_ends_lie_where_the_mixture_reaches_its_level(n, share, epsilon, level):
    """The mixture in 40 digits, as an integral over a normal prior, at the ends."""
    s, c = round(n * share), shrinkage(epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (interval,) = estimate([(n, s)], epsilon, level)
    assert 0 <= interval.low <= interval.mean <= interval.high <= 1
    for end in (interval.low, interval.high):
        if 0 < end < 1:
            q, width = mpmath.mpf(0.5 + c * (end - 0.5)), mpmath.mpf(c) / 2
            peak = mpmath.log((s / n) * (1 - q) / ((1 - s / n) * q)) if 0 < s < n else 0
            spread = 1 / mpmath.sqrt(n * q * (1 - q) + 1 / width**2)
            points = sorted({-12 * width, *(peak + k * spread for k in range(-9, 10)), 12 * width})
            points = [x for x in points if -12 * width <= x <= 12 * width]

            def ratio(x, q=q, width=width):
                prior = mpmath.exp(-((x / width) ** 2) / 2) / (width * mpmath.sqrt(2 * mpmath.pi))
                return prior * mpmath.exp(x * s - n * mpmath.log(1 - q + q * mpmath.exp(x)))

            value = mpmath.quad(ratio, points)
            assert float(mpmath.log(value)) == pytest.approx(-math.log(1 - level), abs=2e-3)


# --- bounds


@pytest.mark.parametrize("epsilon", [1.0, 4.0, math.inf])
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_the_bound_of_a_decided_arm_agrees_with_its_verdict(threshold, epsilon):
    rng, decided = np.random.default_rng(6), 0
    for _ in range(40):
        tape = draw(rng, private_mean(float(rng.random()), epsilon), 3000)
        for answers in (tape, (tape.size, int(tape.sum()))):
            (verdict,) = decide([answers], threshold, epsilon, 0.05)
            if verdict.verdict == "undecided":
                assert verdict.bound is None
                continue
            sign = 1 if verdict.verdict == "above" else -1
            assert sign * (verdict.bound - threshold) >= 0
            decided += 1
    assert decided > 40


def test_the_bound_is_where_the_decision_at_that_threshold_turns():
    """The prior of the given threshold moves along, so only nearly the decision at the bound."""
    (verdict,) = decide([(2000, 1200)], 0.5, math.inf, 0.05)
    for shift, side in ((-0.002, "above"), (0.002, "undecided")):
        (other,) = decide([(2000, 1200)], verdict.bound + shift, math.inf, 0.05)
        assert other.verdict == side


def test_bounds_err_with_probability_below_delta_per_side():
    """An arm above the threshold, decided above with a bound above its mean: 2000 studies."""
    rng, delta, mean = np.random.default_rng(7), 0.1, 0.55
    ones = rng.binomial(400, mean, 2000)
    test = ThresholdTest(Radius("coin"), 1, delta, 0.5, math.inf, 0.0)
    bounds = {s: test.verdict(s_) for s, s_ in _samples(400, set(ones.tolist()))}
    wrong = sum(bounds[s].verdict == "above" and bounds[s].bound > mean for s in ones.tolist())
    assert binomtest(wrong, 2000, delta, "greater").pvalue > LEVEL


def _samples(n, sums):
    return [(s, Sample(0, n, s)) for s in sums]


# --- designs and noncompliance


@pytest.mark.parametrize("p", [0.2, 0.75])
def test_warners_design_is_privbern(p):
    epsilon = abs(math.log(p / (1 - p)))
    counts = {"a": (1150, 291), "b": (1163, 483), "c": (30, 14)}
    for one, other in zip(
        decide(counts, 0.3, epsilon, 0.05), decide(counts, 0.3, warner(p), 0.05), strict=True
    ):
        assert (one.arm, one.verdict) == (other.arm, other.verdict)
        assert one.bound == pytest.approx(other.bound, abs=1e-9)
    one, other = (estimate(counts, how)[0] for how in (epsilon, warner(p)))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_forced_response_with_unequal_probabilities_is_decided_on_its_own_scale():
    """Yes is forced with 1/6, no with 1/3: response 1/6 + mean / 2; published counts decide."""
    design = forced(1 / 6, 1 / 3)
    assert design.epsilon == pytest.approx(math.log(4))
    rng, means = np.random.default_rng(8), {"low": 0.1, "high": 0.6}
    bits = {arm: draw(rng, 1 / 6 + mean / 2, 4000) for arm, mean in means.items()}
    verdicts = {verdict.arm: verdict.verdict for verdict in decide(bits, 0.3, design, 0.05)}
    assert verdicts == {"low": "below", "high": "above"}
    for interval in estimate(bits, design):
        assert interval.low < means[interval.arm] < interval.high


@pytest.mark.parametrize("design", [as_design(1.0), forced(1 / 6, 1 / 3), Design(1.0, 0.3)])
def test_response_range_is_attained_by_the_worst_people(design):
    """Closed forms against the sum over kinds of people: yes or no, complying or not."""
    share, mean = 0.1, 0.4
    p = design.private_mean(mean)
    least = (mean - share) * design.one + (1 - mean) * design.zero  # those with yes say 0
    most = mean * design.one + (1 - mean - share) * design.zero + share  # those with no say 1
    assert response_range(design, mean, share) == pytest.approx((least, most))
    assert sorted([p, 0.9 * p + 0.05]) == pytest.approx(
        response_range(design, mean, share, "random")
    )
    assert sorted([p, 0.9 * p + 0.1 * (1 - p)]) == pytest.approx(
        response_range(design, mean, share, "opposite")
    )
    assert response_range(design, mean, 0.0) == (p, p)


@pytest.mark.parametrize("side", [0, 1])
def test_robust_verdicts_and_intervals_hold_under_the_worst_case(side):
    """An arm at the threshold, people at the worst end of the range: errors at most delta."""
    rng, delta, share, mean = np.random.default_rng(9), 0.1, 0.1, 0.3
    p = response_range(as_design(2.0), mean, share)[side]
    test = ThresholdTest(Radius("coin"), 1, delta, mean, 2.0, share)
    tapes = draw(rng, p, (400, 600))
    wrong = sum(test.first_crossing(t)[1] == ("below", "above")[side] for t in tapes)
    assert binomtest(wrong, 400, delta, "greater").pvalue > LEVEL
    plain = ThresholdTest(Radius("coin"), 1, delta, mean, 2.0, 0.0)
    assert sum(plain.first_crossing(t)[1] != "undecided" for t in tapes) > 120  # above delta
    misses = 0
    for tape in tapes[:100]:
        (interval,) = estimate([tape], 2.0, 1 - delta, noncompliance=share)
        misses += not interval.low <= mean <= interval.high
    assert binomtest(misses, 100, delta, "greater").pvalue > LEVEL


@pytest.mark.parametrize("counts", [(1150, 291), (1166, 662)])
def test_a_verdict_survives_the_tolerated_share_and_not_much_more(counts):
    (verdict,) = decide([counts], 0.3, 1.662, 0.05)
    share = tolerated_share(verdict, 0.3, 1.662)
    (gone,) = decide([counts], 0.3, 1.662, 0.05, noncompliance=share + 0.02)
    assert gone.verdict == "undecided"
    (kept,) = decide([counts], 0.3, 1.662, 0.05, noncompliance=0.95 * share)
    assert kept.verdict == verdict.verdict
    assert tolerated_share(Verdict(0, 10, 5, "undecided"), 0.3, 1.662) == 0


@pytest.mark.parametrize("conduct", ["random", "opposite"])
def test_people_of_one_conduct_are_tolerated_until_they_reach_the_bound(conduct):
    """The response at the threshold with the tolerated share equals that at the bound."""
    design = as_design(1.662)
    (verdict,) = decide([(1166, 520)], 0.3, design, 0.05)
    share = tolerated_share(verdict, 0.3, design, conduct)
    assert 0 < share < 0.5
    reach = response_range(design, 0.3, share, conduct)[1]
    assert reach == pytest.approx(design.private_mean(verdict.bound), abs=1e-12)


def test_answers_that_contradict_the_design_warn():
    with pytest.warns(UserWarning, match="arm 'a': the answers contradict the design: 10 of 1,000"):
        (interval,) = estimate({"a": (1000, 10)}, 1.0)
    assert interval.note.startswith("the answers contradict the design")
    assert (interval.low, interval.mean, interval.high) == (0, 0, 0)


# --- doors


def test_all_forms_of_the_same_answers_agree():
    bits = {"a": [1, 0, 1, 1], "b": [0, 0, 1]}
    rows = pd.DataFrame({"arm": list("abababa"), "response": [1, 0, 0, 0, 1, 1, 1]})
    counts = pd.DataFrame({"arm": ["a", "b"], "responses": [4, 3], "ones": [3, 1]})
    forms = (bits, rows, counts, as_answers(bits), {"a": (4, 3), "b": (3, 1)})
    assert len({tuple(estimate(form, 1.0)) for form in forms}) == 1
    assert {len({v.answers for v in decide(form, 0.5, 1.0, 0.1)}) for form in forms} == {2}
    numbered = [
        *decide([(4, 3), (3, 1)], 0.5, 1.0, 0.1),
        *decide(np.array([[4, 3]]), 0.5, 1.0, 0.1),
    ]
    assert [(v.arm, v.answers, v.ones) for v in numbered] == [(0, 4, 3), (1, 3, 1), (0, 4, 3)]


def test_a_pair_of_bits_is_answers_in_a_list_and_counts_in_a_tuple():
    assert decide([[1, 0]], 0.5, 1.0, 0.1)[0].answers == 2
    assert decide([(1, 0)], 0.5, 1.0, 0.1)[0].answers == 1


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        (3, "^answers must be given per arm, in a list or a dict, got a int$"),
        ("0110", "^answers must be given per arm, in a list or a dict, got a str$"),
        ([], "^answers must have at least one arm, got none$"),
        ([(3, 4)], r"^counts of arm 0 must be \(answers, ones\), got \(3, 4\)$"),
        ({"a": [0, 2, 1]}, "^answers of arm 'a' must be 0 or 1; another value is not shown$"),
        ([[0.123, 1.0]], "^answers of arm 0 must be a sequence of 0 and 1, or a pair"),
        ([["0", "1"]], "^answers of arm 0 must be a sequence of 0 and 1, or a pair"),
        ([[[1], [0, 1]]], "^answers of arm 0 must be a sequence of 0 and 1, or a pair"),
        (pd.DataFrame({"x": [1]}), "^the table: columns must be arm and response, or"),
    ],
)
def test_bad_answers_are_refused_in_one_line(answers, complaint):
    for use in (lambda: decide(answers, 0.5, 1.0, 0.1), lambda: estimate(answers, 1.0)):
        with pytest.raises(ValueError, match=complaint) as caught:
            use()
        assert "0.123" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"threshold": 2}, r"threshold must be a number in \[0, 1\], got 2"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1, got 0"),
        ({"radius": "wide"}, "radius must be one of"),
        ({"noncompliance": 0.5}, "noncompliance must be below 0.5"),
        ({"noncompliance": "0.1"}, "noncompliance must be a number"),
    ],
)
def test_bad_arguments_are_named(arguments, complaint):
    good = {"threshold": 0.5, "epsilon": 1.0, "delta": 0.1}
    with pytest.raises(ValueError, match=complaint):
        decide([(10, 5)], **{**good, **arguments})


@pytest.mark.parametrize("level", [0, 1, 1.5, "0.9", None, math.nan])
def test_bad_levels_are_named(level):
    with pytest.raises(ValueError, match="level must"):
        estimate([(10, 5)], 1.0, level)


def test_the_invalid_radius_warns():
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        decide([(10, 5)], 0.5, 1.0, 0.1, "printed")


def test_thresholds_at_the_ends_without_privacy():
    above, undecided = decide([[0, 0, 1, 0], [0] * 50], 0.0, math.inf, 0.1)
    assert (above.verdict, above.decided_at, undecided.verdict) == ("above", 3, "undecided")
    below, undecided = decide([[1, 0, 1], [1] * 50], 1.0, math.inf, 0.1)
    assert (below.verdict, below.decided_at, undecided.verdict) == ("below", 2, "undecided")


def test_an_arm_without_answers_is_undecided_and_may_be_anything():
    assert decide({"a": (0, 0), "b": []}, 0.5, 1.0, 0.1)[1].verdict == "undecided"
    (interval, _) = estimate({"a": (0, 0), "b": []}, 1.0)
    assert math.isnan(interval.mean)
    assert (interval.low, interval.high) == (0, 1)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    answers=st.lists(
        st.tuples(st.integers(-1, 50), st.integers(-1, 50))
        | st.lists(st.integers(0, 2), max_size=5)
        | st.none()
        | st.floats(),
        max_size=3,
    ),
    numbers=st.tuples(*[st.floats(0, 3) | st.sampled_from([0.5, math.inf, "1", None])] * 3),
)
def test_any_answers_give_verdicts_or_a_value_error(answers, numbers):
    threshold, epsilon, delta = numbers
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = decide(answers, threshold, epsilon, delta)
        intervals = estimate(answers, epsilon, delta)
        assert len(verdicts) == len(intervals) == len(answers)
        for verdict, interval in zip(verdicts, intervals, strict=True):
            assert verdict.verdict in ("above", "below", "undecided")
            assert 0 <= interval.low <= interval.high <= 1
