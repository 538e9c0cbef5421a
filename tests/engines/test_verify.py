"""A slice of the standing check of laws, with a fixed seed, and the faults that it plants."""

from pathlib import Path

import pytest
from benchmarks import verify

from ldpt import exact

FAST = ["budget_engines", "confidence_engines", "budget_chains", "primitives"]


def test_no_law_is_wrong():
    results = verify.run(seed=1, minutes=60, names=FAST, rounds=2)
    assert len(results) > 20
    assert verify.holm([value for _, value in results]) > verify.ALARM


@pytest.mark.parametrize("fault", verify.FAULTS)
def test_faults_can_be_planted(fault):
    file, line, faulty = verify.FAULTS[fault]
    assert (Path(exact.__file__).parent / file).read_text().count(line) == 1
    assert line != faulty
