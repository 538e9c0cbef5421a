"""Elementary functions made of IEEE operations, against exact decimal arithmetic."""

import math
import os
import subprocess
import sys
from decimal import Decimal, localcontext

import numpy as np
import pytest

from ldpt.util import reproducible

EXACT = {
    "exp": lambda x: x.exp(),
    "expm1": lambda x: x.exp() - 1,
    "log": lambda x: x.ln(),
    "log1p": lambda x: (1 + x).ln(),
    "tanh": lambda x: ((2 * x).exp() - 1) / ((2 * x).exp() + 1),
}


def arguments(name: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    sizes = np.exp(rng.uniform(math.log(1e-12), math.log(700), 1500))
    both = np.concatenate([sizes, -sizes, rng.uniform(-1, 1, 500)])
    return {"log": sizes, "log1p": both[both > -1], "tanh": both[np.abs(both) < 30]}.get(name, both)


@pytest.mark.parametrize("name", EXACT)
def test_a_function_is_within_two_units_in_the_last_place(name):
    x = arguments(name)
    values = getattr(reproducible, name)(x).tolist()
    with localcontext(prec=400 if name in ("expm1", "tanh") else 60):
        for argument, value in zip(x.tolist(), values, strict=True):
            exact = EXACT[name](Decimal(argument))
            assert abs(Decimal(value) - exact) <= 2 * Decimal(math.ulp(float(exact))), argument


@pytest.mark.parametrize("name", EXACT)
def test_a_float_gives_the_float_of_the_array(name):
    function, x = getattr(reproducible, name), arguments(name)[::37]
    singly = [function(each) for each in x.tolist()]
    assert {type(value) for value in singly} == {float}
    assert singly == function(x).tolist()


def test_values_at_the_ends():
    ends = np.array([-math.inf, -1e308, 0.0, 1e308, math.inf])
    assert reproducible.exp(ends).tolist() == [0, 0, 1, math.inf, math.inf]
    assert reproducible.expm1(ends).tolist() == [-1, -1, 0, math.inf, math.inf]
    assert reproducible.tanh(ends).tolist() == [-1, -1, 0, 1, 1]
    assert reproducible.log(ends[2:]).tolist() == [-math.inf, math.log(1e308), math.inf]
    assert reproducible.log1p(np.array([-1.0, 0.0, math.inf])).tolist() == [-math.inf, 0, math.inf]
    assert math.isnan(reproducible.log(-1.0))
    for function in map(lambda name: getattr(reproducible, name), EXACT):
        assert math.isnan(function(math.nan))
    assert reproducible.log(5e-324) == math.log(5e-324)
    assert reproducible.exp(-745.0) == 5e-324


def test_powers_and_geometric_spaces():
    assert reproducible.power(2.0, 0.5) == pytest.approx(math.sqrt(2), rel=1e-15)
    space = reproducible.geomspace(1e-3, 7.0, 50)
    assert (space[0], space[-1]) == (1e-3, 7.0)
    np.testing.assert_allclose(space, np.geomspace(1e-3, 7.0, 50), rtol=1e-14)


def test_the_slope_of_least_squares():
    x = np.array([0.0, 1.0, 2.0, 5.0])
    assert reproducible.slope(x, 3 - 2 * x) == pytest.approx(-2)
    assert reproducible.slope(x, np.array([0.0, 1.0, 0.0, 2.0])) == pytest.approx(5 / 14)


@pytest.mark.parametrize("function", [reproducible.log, reproducible.log1p])
def test_a_float_gives_the_bits_of_an_array(function) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [
            np.exp(rng.uniform(-700, 700, 3000)),
            rng.uniform(-0.5, 0.5, 3000),
            [0, -1, 5e-324, math.inf],
        ]
    )
    floats = np.array([function(value) for value in values.tolist()])
    assert floats.tobytes() == function(values).tobytes()


def limits_and_bounds(**variables: str) -> str:
    """Return what SciPy's functions are used for, as a Python with these variables prints it."""
    script = """
import numpy as np
from ldpt.bounds import fixed_budget_lower
from ldpt.instances import Instance
from ldpt.summarise import clopper_pearson
print([limits.tolist() for limits in clopper_pearson(np.arange(2001), 2000)])
problem = Instance("one", [0.6], 0.5)
print([fixed_budget_lower(problem, 1.0, n, "genie") for n in range(10, 10_000, 9)])
"""
    command = [sys.executable, "-c", script]
    return subprocess.check_output(command, env=os.environ | variables, text=True)


def test_intervals_and_bounds_do_not_depend_on_fused_multiplication():
    """Some have another last digit where the C library has none."""
    assert limits_and_bounds() == limits_and_bounds(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-FMA")
