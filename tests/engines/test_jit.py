"""Compiled code and its cache."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

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


DAMAGED = """
import importlib, sys
from pathlib import Path
from ldpt.engines import tournament

def count_bits():
    return importlib.reload(tournament).index_bits(1000)

for suffix in ("nbi", "nbc"):
    for damage in ("empty", "truncated", "changed"):
        for kept in Path(sys.argv[1]).rglob("*index_bits*.nb?"):
            kept.unlink()
        assert count_bits() == 10
        (file,) = Path(sys.argv[1]).rglob(f"*index_bits*.{suffix}")
        whole = file.read_bytes()
        middle = len(whole) // 2
        damaged = {
            "empty": b"",
            "truncated": whole[:middle],
            "changed": whole[: middle - 200] + bytes(400) + whole[middle + 200 :],
        }[damage]
        file.write_bytes(damaged)
        print(suffix, damage, flush=True)
        assert count_bits() == 10
        assert file.read_bytes() != damaged
"""


def test_damaged_cache_files_are_compiled_again(tmp_path):
    """In a separate process, which LLVM ends if it gets damaged code."""
    run = subprocess.run(
        [sys.executable, "-c", DAMAGED, str(tmp_path)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, (run.stdout, run.stderr[-2000:])
    assert run.stdout.count("\n") == 6


def test_without_a_writable_folder_code_is_compiled_and_not_kept(tmp_path):
    run = count_bits(
        tmp_path,
        "from numba.core.caching import CacheImpl, FunctionCache\n"
        "FunctionCache._impl_class._locator_classes = []",
    )
    assert run.stdout == "10\n"
    assert run.stderr.count("NUMBA_CACHE_DIR") == 1
    assert not list(tmp_path.rglob("*.nb?"))


OUTSIDE = """
import numpy as np
from ldpt.engines.jit import compiled

@compiled
def read(values, i):
    return values[i]
"""


def test_with_a_full_disk_code_is_compiled_and_not_kept(tmp_path):
    run = count_bits(
        tmp_path,
        "from numba.core.caching import IndexDataCacheFile\n"
        "def save(*_): raise OSError(28, 'No space left on device')\n"
        "IndexDataCacheFile.save = save",
    )
    assert run.stdout == "10\n"
    assert run.stderr.count("No space left on device; set NUMBA_CACHE_DIR") == 1


def test_processes_that_fill_one_cache_together_agree(tmp_path):
    with ThreadPoolExecutor(3) as threads:
        runs = list(threads.map(count_bits, 3 * [tmp_path]))
    assert [(run.stdout, run.stderr) for run in runs] == 3 * [("10\n", "")]
    assert len(list(tmp_path.rglob("*index_bits*.nbi"))) == 1
    assert count_bits(tmp_path).stdout == "10\n"
    assert not [path for path in tmp_path.rglob("*") if "tmp" in path.name]


KILL_AT_SECOND_FILE = """
import os
replace, written = os.replace, []
def replace_once(*names):
    if written:
        os.kill(os.getpid(), 9)
    written.append(names)
    replace(*names)
os.replace = replace_once
"""


def test_a_process_killed_while_it_fills_a_cache_leaves_no_half_of_it(tmp_path):
    with pytest.raises(subprocess.CalledProcessError, match="SIGKILL"):
        count_bits(tmp_path, KILL_AT_SECOND_FILE)
    assert len(list(tmp_path.rglob("*.nb[ci]"))) == 1
    assert count_bits(tmp_path).stdout == "10\n"
    assert len(list(tmp_path.rglob("*.nb[ci]"))) == 2


def test_index_checks_have_a_cache_of_their_own(tmp_path):
    (tmp_path / "outside.py").write_text(OUTSIDE)
    call = [sys.executable, "-c", "import numpy, outside; outside.read(numpy.ones(3), 3)"]

    def read_outside(checks):
        settings = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": checks}
        done = subprocess.run(
            call, cwd=tmp_path, env=os.environ | settings, capture_output=True, text=True
        )
        return "IndexError" in done.stderr

    assert [read_outside(checks) for checks in ("0", "1", "0")] == [False, True, False]
    assert len(list(tmp_path.rglob("*.nbi"))) == 2
