"""scripts/privacy_cost.py: how many measured intervals contain the theory."""

import pandas as pd

from ldpt.plots import parts
from ldpt.privacy import private_mean
from tests.plots import scripts

privacy_cost = scripts.figure("privacy_cost")


def test_facts_count_the_intervals_that_contain_the_theory() -> None:
    expected = private_mean(0.1, 1.0)
    rows = [
        {
            "estimate": expected + shift,
            "low": expected + shift - 0.02,
            "high": expected + shift + 0.02,
        }
        for shift in (-0.03, -0.01, 0.0, 0.015, 0.025)
    ]
    laws = {"law": "Beta", "mean": 0.1, "epsilon": 1.0, "draws": 100}
    measured = privacy_cost._shrinkage(pd.DataFrame(rows).assign(**laws))
    facts = privacy_cost.facts(privacy_cost.Data(measured, 1.0))
    assert (facts["holding"], facts["intervals"]) == (3, 5)
    assert (measured["low"] <= measured["high"]).all()
    assert set(parts.LIMITS) <= set(measured)
