"""Compiled code and its cache."""

import os
import shutil
import subprocess
import sys

import pytest

from ldpt.engines.cache import source_digest
from tests.conftest import PROJECT

BUDGET, CONFIDENCE, CHAINS = "engines/budget_runs.py", "engines/confidence_runs.py", "exact.py"
ALL = {BUDGET, CONFIDENCE, CHAINS}


@pytest.mark.parametrize(
    ("module", "line", "new", "compiled"),
    [
        ("radii.py", "KINDS = {", '    "new": Kind(True, UNION, 1.0),', set()),
        ("policies.py", "POLICIES = {", '    "new": Policy("new", 1.0),', set()),
        ("radii.py", "    if edge.family == UNION:", "        n = n + 1", ALL),
        ("radii.py", "class Boundary(NamedTuple):", "    new: float", ALL),
        ("policies.py", "    d = s - n * rule.tau", "    d += 1", ALL),
        ("policies.py", "class IndexRule(NamedTuple):", "    new: float", ALL),
        ("engines/sources.py", "import math", "import sys", ALL),
        ("exact.py", "import numpy as np", "import sys", {CHAINS}),
        ("privacy.py", "import numpy as np", "import sys", set()),
    ],
)
def test_an_edit_compiles_what_it_can_change(tmp_path, module, line, new, compiled):
    package = tmp_path / "ldpt"
    shutil.copytree(PROJECT / "src" / "ldpt", package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (package / module).read_text()
    assert text.count(f"\n{line}") == 1
    (package / module).write_text(text.replace(f"\n{line}", f"\n{line}\n{new}"))
    changed = {
        name
        for name in ALL
        if source_digest(package / name) != source_digest(PROJECT / "src" / "ldpt" / name)
    }
    assert changed == compiled


SMALL = """
import sys
{before}
from ldpt.engines.tournament import index_bits
print(index_bits(1000))
"""


def count_bits(folder, before=""):
    return subprocess.run(
        [sys.executable, "-c", SMALL.format(before=before)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "truncated", "changed"])
def test_damaged_cache_files_are_compiled_again(tmp_path, suffix, damage):
    assert count_bits(tmp_path).stdout == "10\n"
    (file,) = tmp_path.rglob(f"*index_bits*.{suffix}")
    whole = file.read_bytes()
    middle = len(whole) // 2
    damaged = {
        "empty": b"",
        "truncated": whole[:middle],
        "changed": whole[: middle - 200] + bytes(400) + whole[middle + 200 :],
    }
    file.write_bytes(damaged[damage])
    assert count_bits(tmp_path).stdout == "10\n"
    (file,) = tmp_path.rglob(f"*index_bits*.{suffix}")
    assert file.read_bytes() != damaged[damage]


def test_without_a_writable_folder_code_is_compiled_and_not_kept(tmp_path):
    run = count_bits(
        tmp_path,
        "from numba.core.caching import CacheImpl, FunctionCache\n"
        "FunctionCache._impl_class._locator_classes = []",
    )
    assert run.stdout == "10\n"
    assert run.stderr.count("NUMBA_CACHE_DIR") == 1
    assert not list(tmp_path.rglob("*.nb?"))
