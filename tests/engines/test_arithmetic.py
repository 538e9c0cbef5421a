"""Functions that compiled code uses in the place of those of the C library."""

import math

import numpy as np
import pytest

from ldpt.engines.arithmetic import small_exp


@pytest.mark.parametrize("x", [*np.linspace(-39.9, 0, 1000).tolist(), -1e-300, -0.0])
def test_the_exponential_of_a_negative_number(x):
    assert small_exp(x) == pytest.approx(math.exp(x), rel=4e-16 * 4)


@pytest.mark.parametrize("x", [-40.1, -1e6, -1e300, -math.inf, math.nan])
def test_what_is_negligible_beside_1_is_0(x):
    assert small_exp(x) == 0
