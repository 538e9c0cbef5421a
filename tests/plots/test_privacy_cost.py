"""The deviations from theory: inside the band exactly where the interval contains theory."""

import numpy as np
import pandas as pd

from ldpt.privacy import shrinkage
from tests.plots import scripts

privacy_cost = scripts.figure("privacy_cost")


def test_deviation_is_within_one_exactly_where_the_interval_contains_theory() -> None:
    offsets = np.array([-0.03, -0.01, 0.0, 0.015, 0.025])
    estimate = shrinkage(1.0) + offsets
    measured = pd.DataFrame(
        {"epsilon": 1.0, "estimate": estimate, "low": estimate - 0.02, "high": estimate + 0.01}
    )
    found = privacy_cost.deviations(measured)
    contained = measured["low"].le(shrinkage(1.0)) & measured["high"].ge(shrinkage(1.0))
    assert ((np.abs(found) <= 1 + 1e-9) == contained).all()
    assert np.allclose(found, [-3, -1, 0, 0.75, 1.25])
