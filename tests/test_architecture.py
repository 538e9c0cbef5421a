"""The tree of the package: few files at its top, imports that point downwards, no cycle."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "ldpt"

# From the bottom up. A module imports from its own layer or from one below it.
LAYERS = [
    {"ldpt", "ldpt.io", "ldpt.checks", "ldpt.text"},
    {"ldpt.privacy", "ldpt.instances", "ldpt.radii", "ldpt.policies", "ldpt.bounds"},
    {
        "ldpt.study.messages",
        "ldpt.study.device",
        "ldpt.learners",
        "ldpt.engines",
        "ldpt.designs",
        "ldpt.answers",
        "ldpt.inference",
    },
    {"ldpt.limits"},
    {"ldpt.simulate", "ldpt.exact", "ldpt.rare", "ldpt.summarise"},
    {"ldpt.config"},
    {"ldpt.claims", "ldpt.plots", "ldpt.study", "ldpt.cost", "ldpt.world"},
    {"ldpt.publishing"},
    {"ldpt.commands"},
    {"ldpt.cli"},
    {"ldpt.__main__"},
]
# Beside the layers: provenance keeps records and computes nothing. Everybody may use its records;
# it uses the bottom layer, and simulations to replay them.
BESIDE = "ldpt.provenance"
REPLAYS = {"ldpt.provenance.replay": {"ldpt.simulate", "ldpt.instances", "ldpt.radii"}}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(name: str) -> Iterator[str]:
    """The modules of the package that a module imports anywhere, also inside functions."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports within the package are absolute"
            found = [f"{node.module}.{alias.name}" for alias in node.names] + [str(node.module)]
        else:
            continue
        for other in found:
            if other in MODULES and other != name:
                yield other


def layer(name: str) -> int:
    """The layer of a module, by its own name or by its package's."""
    places = [
        (len(member), place)
        for place, members in enumerate(LAYERS)
        for member in members
        if name == member or (member != "ldpt" and name.startswith(f"{member}."))
    ]
    assert places, f"{name} has no layer: add it to LAYERS"
    return max(places)[1]


def beside(name: str) -> bool:
    return name == BESIDE or name.startswith(f"{BESIDE}.")


def test_package_has_at_most_24_files_at_its_top() -> None:
    files = sorted(path.name for path in PACKAGE.iterdir() if path.is_file())
    assert len(files) <= 24, files


def test_scripts_are_short() -> None:
    """At most 80 lines; the script of a figure holds the figure."""
    for path in (PACKAGE.parents[1] / "scripts").glob("*.py"):
        source = path.read_text(encoding="utf-8")
        limit = 220 if "\ndef draw(" in source else 80
        assert len(source.splitlines()) <= limit, path.name


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_downwards(name: str) -> None:
    if beside(name):
        others = {other for other in imports(name) if not beside(other) and layer(other) > 0}
        assert others <= REPLAYS.get(name, set())
        return
    upward = [o for o in imports(name) if not beside(o) and layer(o) > layer(name)]
    assert upward == []


def test_imports_have_no_cycle() -> None:
    """A package's ``__init__`` may import its parts, which Python allows; nothing else may."""
    arrows = {name: {o for o in imports(name) if not name.startswith(f"{o}.")} for name in MODULES}
    done: set[str] = set()
    while len(done) < len(arrows):
        ready = {name for name in arrows if name not in done and arrows[name] <= done}
        assert ready, f"cycle among {sorted(set(arrows) - done)}"
        done |= ready


def test_parsing_the_workflow_imports_neither_numba_nor_pandas() -> None:
    """Every cluster job parses the Snakefile, and these two take longer than many of the jobs."""
    workflow = PACKAGE.parents[1] / "workflow"
    texts = [path.read_text(encoding="utf-8") for path in workflow.rglob("*.smk")]
    lines = re.findall(r"^(?:from ldpt|import ldpt).*$", "\n".join(texts), flags=re.MULTILINE)
    assert any("ldpt.config" in line for line in lines)
    heavy = "print([name for name in ('numba', 'pandas') if name in sys.modules])"
    program = "\n".join(["import sys", *lines, heavy])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
