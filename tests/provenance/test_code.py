"""Code hashes: what a script reaches, and nothing else, changes its hash."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt.provenance import code, code_hash, code_parts


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a package of ours and a script; returns the script."""
    (tmp_path / "ldpt").mkdir()
    (tmp_path / "scripts").mkdir()
    monkeypatch.setattr(code, "PACKAGE", tmp_path / "ldpt")

    def write(script: str, **modules: str) -> Path:
        for name, text in ({"__init__": ""} | modules).items():
            path = (tmp_path / "ldpt").joinpath(*name.split("."))
            path = path.with_name(f"{path.name}.py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(textwrap.dedent(text))
        (tmp_path / "scripts" / "draw.py").write_text(textwrap.dedent(script))
        code._read_code.cache_clear()  # files of one tick share a time stamp
        return tmp_path / "scripts" / "draw.py"

    return write


CHAIN = {
    "a": "from ldpt.b import value\n",
    "b": "def value():\n    from ldpt import c\n    return c.x\n",
    "c": "x = 1\n",
    "lone": "y = 2\n",
}


def test_code_reaches_through_modules_and_lazy_imports(package: Callable[..., Path]) -> None:
    script = package("import ldpt.a\nfrom ldpt.provenance import job\n", **CHAIN)
    reached = {"ldpt/__init__.py", "ldpt/a.py", "ldpt/b.py", "ldpt/c.py", "scripts/draw.py"}
    assert set(code_parts(script)) == reached


def test_relative_imports_and_modules_beside_the_script_are_reached(
    package: Callable[..., Path],
) -> None:
    script = package("import beside\n", a="from . import c\nfrom .lone import y\n", c="", lone="")
    (script.parent / "beside.py").write_text("from ldpt import a\n")
    assert {"scripts/beside.py", "ldpt/a.py", "ldpt/c.py", "ldpt/lone.py"} <= set(
        code_parts(script)
    )


def test_code_hash_sees_an_edit_inside_a_subpackage(package: Callable[..., Path]) -> None:
    modules = {
        "sub.__init__": "",
        "sub.deep": "from .near import x\nfrom ..top import z\n",
        "sub.near": "x = 1\n",
        "sub.other": "y = 1\n",
        "top": "z = 1\n",
    }
    script = "from ldpt.sub import deep\n"
    parts = set(code_parts(package(script, **modules)))
    inside = {"ldpt/sub/__init__.py", "ldpt/sub/deep.py", "ldpt/sub/near.py"}
    assert parts == inside | {"ldpt/__init__.py", "ldpt/top.py", "scripts/draw.py"}
    before = code_hash(package(script, **modules))
    assert code_hash(package(script, **(modules | {"sub.near": "x = 2\n"}))) != before
    assert code_hash(package(script, **(modules | {"sub.__init__": "w = 2\n"}))) != before
    assert code_hash(package(script, **(modules | {"sub.other": "y = 2\n"}))) == before


@pytest.mark.parametrize(
    ("edited", "same"),
    [
        ("x = 1  # a remark\n", True),
        ('"""A docstring."""\n\n\nx = (1)\n', True),
        ("x = 2\n", False),
        ("x = 1.0\n", False),
        ("x = '1'\n", False),
    ],
)
def test_code_hash_changes_only_with_what_runs(
    package: Callable[..., Path], edited: str, same: bool
) -> None:
    before = code_hash(package("import ldpt.a\n", **CHAIN))
    after = code_hash(package("import ldpt.a\n", **(CHAIN | {"c": edited})))
    assert (before == after) is same


def test_code_hash_sees_a_docstring_that_the_code_reads(package: Callable[..., Path]) -> None:
    hashes = {code_hash(package(f'"""{text}"""\nprint(__doc__)\n')) for text in ("one", "two")}
    assert len(hashes) == 2


def test_modules_that_are_not_reached_do_not_count(package: Callable[..., Path]) -> None:
    before = code_hash(package("import ldpt.a\n", **CHAIN))
    assert before == code_hash(package("import ldpt.a\n", **(CHAIN | {"lone": "y = 3\n"})))


def test_code_hash_of_a_notebook_sees_its_code_cells(package: Callable[..., Path]) -> None:
    script = package("")
    notebook = script.with_name("explore.ipynb")

    def hash_with(remark: str, source: str) -> str:
        cells = [
            {"cell_type": "markdown", "source": [remark]},
            {"cell_type": "code", "source": ["%matplotlib inline\n", source]},
        ]
        notebook.write_text(json.dumps({"cells": cells}))
        code._read_code.cache_clear()
        return code_hash(notebook)

    assert hash_with("one", "x = 1") == hash_with("two", "x = 1") != hash_with("one", "x = 2")


def test_code_hash_names_a_missing_script() -> None:
    with pytest.raises(ValueError, match=r"no script at .*nowhere\.py"):
        code_hash("nowhere.py")
