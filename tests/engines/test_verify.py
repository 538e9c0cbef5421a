"""A slice of the standing check of laws, with a fixed seed, and the faults that are planted."""

from pathlib import Path

import pytest
from benchmarks import faults, verify

import ldpt


@pytest.mark.parametrize("check", verify.CHECKS)
def test_no_law_is_wrong(check):
    results = verify.run(seed=1, minutes=60, names=[check], rounds=2)
    assert results
    assert verify.holm([value for _, value in results]) > verify.ALARM / len(verify.CHECKS)


@pytest.mark.parametrize("name", faults.FAULTS)
def test_faults_can_be_planted(name):
    fault = faults.FAULTS[name]
    assert (Path(ldpt.__file__).parent / fault.file).read_text().count(fault.line) == 1
    assert (fault.line == fault.faulty) == (name == "none")
    assert fault.check in verify.CHECKS
