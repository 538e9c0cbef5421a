"""Randomised-response designs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldpt.privacy import private_mean
from ldpt.study.designs import Design, as_design, crosswise, forced, warner

SHARES = st.floats(0, 1)


@given(st.floats(0.01, 30), SHARES)
def test_privbern_is_a_design(epsilon, mean):
    design = as_design(epsilon)
    assert math.isclose(design.epsilon, epsilon, rel_tol=1e-3)
    assert math.isclose(design.private_mean(mean), private_mean(mean, epsilon), abs_tol=1e-15)


@given(st.floats(0.01, 0.99).filter(lambda p: abs(p - 0.5) > 1e-3), SHARES)
def test_a_mean_survives_the_way_there_and_back(p, mean):
    design = warner(p)
    assert math.isclose(design.mean(design.private_mean(mean)), mean, abs_tol=1e-9)
    assert math.isclose(design.epsilon, abs(math.log(p / (1 - p))), rel_tol=1e-9)
    assert design.flipped == (p < 0.5)


@given(st.floats(1e-9, 1e3) | st.sampled_from([37.0, 40.0, math.inf]))
def test_a_stated_level_is_the_reported_level(epsilon):
    assert as_design(epsilon).epsilon == epsilon


@pytest.mark.parametrize("level", [-5, 0.1, 2.0, math.inf, math.nan, "0.8"])
def test_a_stated_level_is_that_of_the_design(level):
    with pytest.raises(ValueError, match=r"epsilon must be|level 0\.847298, got level"):
        Design(0.7, 0.3, level=level)


def test_a_level_beyond_floats_is_no_privacy():
    assert as_design(10**400) == as_design(math.inf)


def test_crosswise_is_warner():
    assert crosswise(0.16) == warner(0.16) == Design(0.84, 0.16, flipped=True)


@given(st.floats(0.01, 0.49), st.floats(0.01, 0.49), SHARES)
def test_forced_response_by_its_definition(yes, no, mean):
    design = forced(yes, no)
    assert math.isclose(design.private_mean(mean), yes + (1 - yes - no) * mean, abs_tol=1e-12)
    ratios = (1 - no) / yes, no / (1 - yes)
    assert math.isclose(design.epsilon, max(abs(math.log(r)) for r in ratios), rel_tol=1e-9)


def test_a_forced_yes_alone_leaves_a_no_without_privacy():
    assert forced(0.25, 0).epsilon == math.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: warner(0.5), "p must differ from 0.5"),
        (lambda: warner(1.5), r"p must be a number in \[0, 1\], got 1.5"),
        (lambda: forced(0.6, 0.4), "yes . no must be below 1, got 0.6 . 0.4"),
        (lambda: Design(0.2, 0.8), "more often for yes than for no"),
    ],
)
def test_what_is_no_design_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
