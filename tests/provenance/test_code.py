"""Code hashes: what a script reaches, and nothing else, changes its hash."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt.provenance import code, code_hash
from ldpt.provenance.code import code_parts


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
        code._read_module.cache_clear()  # files of one tick share a time stamp
        return tmp_path / "scripts" / "draw.py"

    return write


CHAIN = {
    "a": "from ldpt.b import value\n\ndef unused():\n    return 1\n",
    "b": "def value():\n    from ldpt import c\n    return c.x\n",
    "c": "x = 1\ny = 2\n",
    "lone": "y = 2\n",
}
SCRIPT = "import ldpt.a\nfrom ldpt.provenance import job\nprint(ldpt.a.value())\n"


def test_code_reaches_through_modules_and_lazy_imports(package: Callable[..., Path]) -> None:
    parts = code_parts(package(SCRIPT, **CHAIN))
    assert set(parts) == {"ldpt/b.py:value", "ldpt/c.py:x", "scripts/draw.py"}


def test_modules_beside_the_script_are_reached(
    package: Callable[..., Path],
) -> None:
    modules = {
        "a": "from ldpt import c\nfrom ldpt.lone import y\nz = c.x + y\n",
        "c": "x = 1",
        "lone": "y = 1",
    }
    script = package("import beside\nprint(beside.z)\n", **modules)
    (script.parent / "beside.py").write_text("from ldpt.a import z\n")
    assert {"ldpt/a.py:z", "ldpt/c.py:x", "ldpt/lone.py:y"} <= set(code_parts(script))


MODULES = {
    "sub.__init__": "from ldpt.sub.deep import total\n",
    "sub.deep": """
        from ldpt.sub.near import x
        from ldpt.top import TABLE, check

        def total(n: int) -> float:
            \"\"\"Return a total.\"\"\"
            if n < 0:
                raise ValueError(f"n must be at least 0, got {n}")
            return check(n) + x + TABLE["one"]

        def other():
            return 1
        """,
    "sub.near": "x = 1\nx += 1\n",
    "top": """
        import numpy as np
        TABLE = {"one": 1, "two": 2}
        NAMES = tuple(TABLE)

        class Base:
            size: int = 1

        class Kind(Base):
            def go(self):
                return helper()

        def helper():
            return 1

        def check(n):
            return Kind().go() + np.sqrt(n)
        """,
    "far": "z = 1\n",
}


@pytest.mark.parametrize(
    ("module", "old", "new", "same"),
    [
        ("sub.deep", "Return a total.", "Return the total.", True),
        ("sub.deep", "n must be at least 0, got {n}", "{n} is negative", True),
        ("sub.deep", "ValueError", "TypeError", False),
        ("sub.deep", "n: int) -> float", "n: 'int | float')", True),
        ("sub.deep", "return 1", "return 2", True),
        ("sub.deep", "def other():", "@cache\n        def other():", True),
        ("sub.deep", "def total", "@cache\n        def total", False),
        ("sub.near", "x = 1", "x = 1  # a remark", True),
        ("sub.near", "x = 1", "x = 1.0", False),
        ("sub.near", "x += 1", "x += 2", False),
        ("sub.near", "x = 1", "x = 1\ny = 3", True),
        ("sub.near", "x = 1", "x = 1\nprint(x)", False),
        ("top", "return 1", "return 2", False),
        ("top", "size: int = 1", "size: float = 1", False),
        ("top", "class Kind", "class Unused:\n            pass\n\n        class Kind", True),
        ("top", '"two": 2', '"two": 3', False),
        ("top", "import numpy as np", "import cupy as np", False),
        ("top", "import numpy as np", "import numpy as np\n        import json", True),
        (
            "sub.__init__",
            "from ldpt.sub.deep",
            "from ldpt.sub.deep import other\nfrom ldpt.sub.deep",
            True,
        ),
        ("far", "z = 1", "z = 2", True),
    ],
)
def test_code_hash_changes_only_with_what_is_reached(
    package: Callable[..., Path], module: str, old: str, new: str, same: bool
) -> None:
    script = "from ldpt.sub import total\nprint(total(1))\n"
    before = code_hash(package(script, **MODULES))
    assert old in MODULES[module]
    edited = MODULES | {module: MODULES[module].replace(old, new)}
    assert (code_hash(package(script, **edited)) == before) is same


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('"two": 2', '"two": 3', True),
        ('"two": 2', '"two": 2, "three": 3', True),
        ('"one": 1', '"one": 2', False),
    ],
)
def test_rows_of_tables_that_are_not_named_do_not_count(
    package: Callable[..., Path], old: str, new: str, same: bool
) -> None:
    script = "from ldpt.sub import total\nprint(total(1))\n"
    before = code_hash(package(script, **MODULES), rows=["one"])
    edited = MODULES | {"top": MODULES["top"].replace(old, new)}
    assert (code_hash(package(script, **edited), rows=["one"]) == before) is same


def test_a_module_that_is_passed_on_counts_whole(package: Callable[..., Path]) -> None:
    """What is then read of it by name cannot be seen."""
    script = "from ldpt import lone\nprint(getattr(lone, 'y'))\n"
    before = code_hash(package(script, **CHAIN))
    assert code_hash(package(script, **(CHAIN | {"lone": "y = 3\n"}))) != before


def test_blocks_for_type_checkers_and_of_other_scripts_do_not_count(
    package: Callable[..., Path],
) -> None:
    script = "from ldpt.c import x\nprint(x)\n"
    blocks = "if TYPE_CHECKING:\n    import ldpt.lone\nif __name__ == '__main__':\n    print(1)\n"
    before = code_hash(package(script, **CHAIN))
    assert code_hash(package(script, **(CHAIN | {"c": CHAIN["c"] + blocks}))) == before


def test_everything_in_the_script_counts(package: Callable[..., Path]) -> None:
    one, two = (f"def f():\n    return {n}\nif __name__ == '__main__':\n    f()\n" for n in (1, 2))
    assert code_hash(package(one)) != code_hash(package(two))


def test_modules_that_are_not_reached_do_not_count(package: Callable[..., Path]) -> None:
    before = code_hash(package(SCRIPT, **CHAIN))
    assert before == code_hash(package(SCRIPT, **(CHAIN | {"lone": "y = 3\n"})))


def test_code_hash_of_a_notebook_sees_its_code_cells(package: Callable[..., Path]) -> None:
    script = package("")
    notebook = script.with_name("explore.ipynb")

    def hash_with(remark: str, source: str) -> str:
        cells = [
            {"cell_type": "markdown", "source": [remark]},
            {"cell_type": "code", "source": ["%matplotlib inline\n", source]},
        ]
        notebook.write_text(json.dumps({"cells": cells}))
        code._read_module.cache_clear()
        return code_hash(notebook)

    assert hash_with("one", "x = 1") == hash_with("two", "x = 1") != hash_with("one", "x = 2")


def test_code_hash_names_a_missing_script() -> None:
    with pytest.raises(ValueError, match=r"no script at .*nowhere\.py"):
        code_hash("nowhere.py")


def test_modules_that_are_left_out_exist() -> None:
    """A module that moved would enter every hash unnoticed."""
    assert [path.name for path in code.LEFT_OUT if not path.is_file()] == []


def test_parts_name_functions_and_rows_of_tables(package: Callable[..., Path]) -> None:
    script = package("from ldpt.sub import total\nprint(total(1))\n", **MODULES)
    parts = code_parts(script, rows=["one"])
    assert {"ldpt/sub/deep.py:total", "ldpt/top.py:Kind", "ldpt/top.py:TABLE[one]"} <= set(parts)
    assert "ldpt/top.py:TABLE[two]" not in parts
