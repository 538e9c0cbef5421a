"""Which scripts a typical edit of the package makes stale: those whose numbers can change."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ldpt.provenance import code, code_hash

PROJECT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(PROJECT.glob("scripts/*.py"))
ROWS = ["apt", "lsa", "onesided", "coin"]  # what a simulation uses


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("copy") / "ldpt"
    shutil.copytree(PROJECT / "src/ldpt", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def hashes() -> dict[str, str]:
    """Return the code hash of every script."""
    rows = {path: ROWS if path.stem.startswith("simulate_fixed") else None for path in SCRIPTS}
    return {path.stem: code_hash(path, rows[path]) for path in SCRIPTS}


@pytest.fixture(scope="module")
def stale(package: Path) -> Iterator[Callable[..., set[str]]]:
    """Edit files of the package; returns the scripts whose hash is another one then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code, "PACKAGE", package)
        patch.setattr(code, "LEFT_OUT", {package / p.relative_to(LIVE) for p in code.LEFT_OUT})
        before = hashes()

        def edit(*edits: tuple[str, str, str]) -> set[str]:
            texts = {name: (package / name).read_text() for name, _, _ in edits}
            assert [name for name, old, _ in edits if old not in texts[name]] == []
            try:
                for name, old, new in edits:
                    (package / name).write_text(texts[name].replace(old, new, 1))
                after = hashes()
            finally:
                for name, text in texts.items():
                    (package / name).write_text(text)
            return {name for name in before if before[name] != after[name]}

        yield edit


LIVE = code.PACKAGE
SIMULATIONS = {"simulate_fixed_budget", "simulate_fixed_confidence"}


def test_words_records_and_studies_make_nothing_stale(stale: Callable[..., set[str]]) -> None:
    edited = stale(
        ("util/messages.py", "if c.isprintable()", "if c.isascii()"),
        ("util/files.py", "larger than", "bigger than"),
        ("checks.py", "raise ValueError(", "raise ValueError('edited' + "),
        ("radii.py", '"""', '"""Edited. '),
        ("provenance/records.py", "differs from its record", "is not as recorded"),
        ("study/state.py", "raise ValueError(", "raise TypeError("),
    )
    assert edited == set()


def test_the_engine_of_one_algorithm_leaves_the_other_alone(
    stale: Callable[..., set[str]], package: Path
) -> None:
    for other, engine in (("budget", "fast_confidence"), ("confidence", "fast_budget")):
        text = (package / f"engines/{engine}.py").read_text()
        line = next(line for line in text.splitlines() if line.startswith("    return "))
        edited = stale((f"engines/{engine}.py", line, line.replace("return ", "return +", 1)))
        assert f"simulate_fixed_{other}" not in edited


def test_a_new_row_of_a_table_leaves_simulations_alone(stale: Callable[..., set[str]]) -> None:
    edited = stale(
        ("policies.py", "POLICIES = {", 'POLICIES = {\n    "new": Policy("new", 0.25),'),
        ("radii.py", "KINDS = {", 'KINDS = {\n    "new": Kind(True, ONE_SIDED),'),
    )
    assert edited
    assert not edited & SIMULATIONS
    assert not [script for script in edited if script.startswith("summarise_fixed")]


def test_a_marker_or_label_makes_drawings_stale_alone(stale: Callable[..., set[str]]) -> None:
    edited = stale(("plots/style.py", '"lines.markersize": 4.0', '"lines.markersize": 5.0'))
    drawn = {path.stem for path in SCRIPTS if "ldpt.plots" in path.read_text()}
    assert edited
    assert edited <= drawn


def test_the_version_number_is_read_by_the_rule_that_prints_it_alone() -> None:
    """It is in pyproject.toml and CITATION.cff, which no script or module names."""
    rules = "".join(path.read_text() for path in (PROJECT / "workflow/rules").glob("*.smk"))
    readers = [rule.split(":")[0] for rule in rules.split("\nrule ")[1:] if "CITATION.cff" in rule]
    assert readers == ["gather_numbers"]
    assert not [path.stem for path in SCRIPTS if "pyproject" in path.read_text()]


def test_a_changed_formula_makes_its_simulations_stale(stale: Callable[..., set[str]]) -> None:
    edited = stale(("radii.py", '"coin": Kind(True', '"coin": Kind(False'))
    assert "simulate_fixed_confidence" in edited
    assert "simulate_fixed_budget" not in edited
