"""Compiled code and its cache."""

import shutil
import subprocess
import sys

import pytest

from ldpt.engines import blocks, loops
from ldpt.engines.jit import engine_digest
from tests.conftest import PROJECT


def test_compiled_code_is_rebuilt_when_a_module_it_calls_changes():
    caches = [f._cache._cache_file for f in (loops.index_losses, blocks.open_long_block)]
    assert {cache._source_stamp for cache in caches} == {engine_digest()}


@pytest.mark.parametrize(
    ("module", "line", "new", "compiles"),
    [
        ("radii.py", "KINDS = {", '    "new": Kind(True, UNION, 1.0),', False),
        ("policies.py", "    for policy in (", '        Policy("new", 1.0),', False),
        ("radii.py", "    if edge.family == UNION:", "        n = n + 1", True),
        ("radii.py", "UNION, TWO_SIDED, ONE_SIDED, COIN = 0, 1, 2, 3", "ONE_SIDED = 3", True),
        ("radii.py", "class Boundary(NamedTuple):", "    new: float", True),
        ("policies.py", "    root = math.sqrt(n)", "    root += 1", True),
        ("policies.py", "class IndexRule(NamedTuple):", "    new: float", True),
        ("engines/sources.py", "import math", "import sys", True),
        ("exact.py", "import math", "import sys", True),
        ("privacy.py", "import math", "import sys", False),
    ],
)
def test_a_row_of_a_table_compiles_nothing_and_a_formula_does(
    tmp_path, module, line, new, compiles
):
    package = tmp_path / "ldpt"
    shutil.copytree(PROJECT / "src" / "ldpt", package, ignore=shutil.ignore_patterns("__pycache__"))
    assert engine_digest(package) == engine_digest()
    text = (package / module).read_text()
    assert text.count(f"\n{line}") == 1
    (package / module).write_text(text.replace(f"\n{line}", f"\n{line}\n{new}"))
    engine_digest.cache_clear()
    assert (engine_digest(package) != engine_digest()) == compiles


def test_no_job_waits_for_a_blas_that_no_engine_needs():
    program = """
import sys
from ldpt.instances import Instance
from ldpt.simulate import fixed_budget_columns

fixed_budget_columns(Instance("two", [0.2, 0.8], 0.5), 1.0, [50], 10, seed=1)
assert "scipy.linalg" not in sys.modules
import scipy.linalg.cython_blas
"""
    subprocess.run([sys.executable, "-c", program], check=True)
