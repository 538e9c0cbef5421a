"""The explorer's page: what goes into it, and that it needs nothing else."""

import json
import math
import re
from pathlib import Path

import pandas as pd

from ldpt import policies, radii
from ldpt.instances import Instance
from ldpt.replication.publishing import explorer

SOURCES = Path(__file__).resolve().parents[3] / "workflow" / "pages" / "explorer"


def budget_rows() -> pd.DataFrame:
    row = {"instance": "two", "budget": 40, "estimate": 0.1234567, "low": 0.1, "high": 0.2}
    kinds = [("apt", 1.0), ("apt", math.inf), ("uniform", 0.5)]
    return pd.DataFrame([row | {"policy": policy, "epsilon": e} for policy, e in kinds])


def confidence_rows() -> pd.DataFrame:
    row = dict.fromkeys(explorer.CONFIDENCE_COLUMNS, 1.0)
    return pd.DataFrame([row | {"instance": "two", "radius": "mixture", "undecided": 0}])


def data(name: str = "two") -> dict:
    problem = Instance(name, [0.2, 0.7], 0.5)
    return explorer.page_data([problem], budget_rows(), confidence_rows(), rho=10.0)


def test_page_data_holds_index_policies_alone_and_infinity_survives_json() -> None:
    found = json.loads(json.dumps(data(), allow_nan=False))
    assert [row["epsilon"] for row in found["budget"]] == [1.0, "inf"]
    assert found["budget"][0]["estimate"] == 0.12346
    assert {row["policy"] for row in found["budget"]} == {"apt"}
    assert [colour["epsilon"] for colour in found["colours"]] == [1.0]


def test_page_data_takes_radii_and_policies_from_their_tables() -> None:
    found = data()
    assert [radius["name"] for radius in found["radii"]] == list(radii.KINDS)
    assert [policy["name"] for policy in found["policies"]] == list(policies.INDEX_POLICIES)
    assert found["policy"] == policies.DEFAULT_POLICY


def test_explorer_page_refers_to_nothing_outside() -> None:
    page = explorer.render(SOURCES, data())
    assert not re.search(r"/\*\{\w+\}\*/", page)
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", page)
    outside = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert outside == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_data_cannot_end_the_element_that_holds_it() -> None:
    name = "</script><!--<script>alert(1)</script>"
    held = explorer.render(SOURCES, data(name)).split('id="data">')[1].split("</script>")[0]
    assert json.loads(held)["instances"][0]["name"] == name
    assert "<" not in held
