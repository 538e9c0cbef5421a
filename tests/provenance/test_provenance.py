"""Code hashes, staged outputs and records: what a job leaves behind, also when it fails."""

import json
import math
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snakemake.iocontainers import InputFiles, Log, OutputFiles, Params, Wildcards

from ldpt import provenance
from ldpt.provenance import (
    code,
    code_hash,
    code_parts,
    job,
    read_record,
    record_path,
    record_text,
    stable_hash,
    staged_path,
)

# --- code -----------------------------------------------------------------------------------------


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


# --- values and hashes ----------------------------------------------------------------------------


def test_stable_hash_sees_types_and_no_order() -> None:
    assert stable_hash({"a": 1, "b": 2}) == stable_hash({"b": 2, "a": 1})
    assert stable_hash({"a": 1}) != stable_hash({"a": 1.0}) != stable_hash({"a": "1.0"})


# --- jobs -----------------------------------------------------------------------------------------

SCRIPT = "from ldpt.privacy import shrinkage\n"


@pytest.fixture
def rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SimpleNamespace]:
    """A folder with a script and an input, and Snakemake's object for a rule with two outputs."""

    def make(folder: str = "here", **changes: object) -> SimpleNamespace:
        home = tmp_path / folder
        (home / "scripts").mkdir(parents=True, exist_ok=True)
        (home / "out" / "figures").mkdir(parents=True, exist_ok=True)
        (home / "scripts" / "draw.py").write_text(SCRIPT)
        (home / "words.txt").write_text("some words")
        monkeypatch.chdir(home)
        outputs = OutputFiles(["out/figures/a.pdf", "out/figures/a.png"])
        outputs._set_name("pdf", 0)
        outputs._set_name("png", 1)
        given = {
            "input": InputFiles(["words.txt"]),
            "output": outputs,
            "params": Params(fromdict={"code": "0", "level": 0.1, "epsilon": math.inf}),
            "wildcards": Wildcards(fromdict={"name": "a"}),
            "log": Log(["out/logs/a.log"]),
            "config": {"root": "out"},
            "rule": "draw",
            "threads": 1,
        }
        return SimpleNamespace(**(given | changes))

    return make


def draw(snakemake: SimpleNamespace) -> dict:
    """Run a job that works; the record of its PNG."""
    with job(snakemake, "scripts/draw.py") as this:
        Path(this.output.pdf).write_text("a drawing")
        Path(this.output.png).write_text(f"a drawing with {this.metadata}")
        this.note(seed=7, streams=np.arange(3))
    return read_record("out/results/records/figures/a.png.json")


def test_job_publishes_its_outputs_and_records(rule: Callable) -> None:
    record = draw(rule())["stable"]
    assert Path("out/figures/a.pdf").read_text() == "a drawing"
    assert sorted(os.listdir("out/figures")) == ["a.pdf", "a.png"]
    assert record["product"] == "figures/a.png"
    assert record["sha256"] == provenance.file_hash("out/figures/a.png")
    assert (record["rule"], record["script"]) == ("draw", "scripts/draw.py")
    assert record["params"] == {"level": 0.1, "epsilon": "inf"}
    assert record["sources"] == {"words.txt": provenance.file_hash("words.txt")}
    assert record["notes"] == {"seed": 7, "streams": [0, 1, 2]}
    assert "ldpt/privacy.py" in record["code"]["parts"]
    assert record["environment"]["libraries"]["numpy"] == np.__version__


def test_job_records_an_input_with_a_record_as_a_product(rule: Callable) -> None:
    draw(rule())
    following = rule(
        input=InputFiles(["out/figures/a.png", "words.txt"]),
        output=OutputFiles(["out/results/b.csv"]),
    )
    Path("out/results").mkdir(exist_ok=True)
    with job(following, "scripts/draw.py") as this:
        Path(this.output[0]).write_text("1")
    stable = read_record("out/results/records/results/b.csv.json")["stable"]
    assert (set(stable["inputs"]), set(stable["sources"])) == ({"figures/a.png"}, {"words.txt"})


def test_record_of_the_same_work_elsewhere_has_the_same_identity(rule: Callable) -> None:
    first, second = draw(rule("here")), draw(rule("there/and/deeper"))
    assert first["record_hash"] == second["record_hash"]
    assert first["volatile"]["started"] <= second["volatile"]["started"]
    assert {"host", "commit", "clean", "wall_seconds", "cpu_seconds"} <= first["volatile"].keys()
    assert 10 < first["volatile"]["peak_memory_mb"] < 10_000


@pytest.mark.parametrize("fact", ["host", "started", "commit"])
def test_volatile_facts_enter_no_hash(rule: Callable, fact: str) -> None:
    record = draw(rule())
    other = json.loads(record_text(record["stable"], record["volatile"] | {fact: "other"}))
    assert other["record_hash"] == record["record_hash"]


def test_job_metadata_change_with_code_settings_and_inputs(rule: Callable) -> None:
    def short(snakemake: SimpleNamespace) -> dict[str, str]:
        with job(snakemake, "scripts/draw.py") as this:
            Path(this.output.pdf).touch()
            Path(this.output.png).touch()
            assert this.keywords.split()[0] == "ldpt-rule=draw"
            return this.metadata

    before = short(rule())
    asked = short(rule(params=Params(fromdict={"level": 0.2})))
    Path("words.txt").write_text("other words")
    snakemake = rule(input=InputFiles(["words.txt", "scripts/draw.py"]))
    read = short(snakemake)
    assert {key for key in before if before[key] != asked[key]} == {"ldpt-settings"}
    assert {key for key in before if before[key] != read[key]} == {"ldpt-inputs"}


def test_job_ends_a_bad_value_in_one_line_and_leaves_nothing(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    def work() -> None:
        with job(rule(), "scripts/draw.py") as this:
            Path(this.output.pdf).write_text("half")
            raise ValueError("level must be\n positive, got -1")

    with pytest.raises(SystemExit) as ended:
        work()
    assert ended.value.code == 1
    assert capfd.readouterr().err == "draw: level must be positive, got -1\n"
    assert os.listdir("out/figures") == []
    assert not Path("out/results").exists()
    assert "Traceback" in Path("out/logs/a.log").read_text()


def test_job_names_the_kind_of_an_unexpected_error_and_the_log(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit), job(rule(), "scripts/draw.py"):
        raise KeyError("epsilon")
    assert capfd.readouterr().err == "draw: KeyError: 'epsilon' (see out/logs/a.log)\n"


def test_job_requires_every_promised_output(rule: Callable, capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit), job(rule(), "scripts/draw.py") as this:
        Path(this.output.pdf).write_text("whole")
    assert "promised out/figures/a.png but did not write it" in capfd.readouterr().err
    assert os.listdir("out/figures") == []


def test_job_reports_a_missing_input_in_one_line(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    with (
        pytest.raises(SystemExit),
        job(rule(input=InputFiles(["gone.csv"])), "scripts/draw.py"),
    ):
        pass
    assert capfd.readouterr().err.count("\n") == 1


def test_job_sends_all_that_is_printed_to_the_log(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    with job(rule(), "scripts/draw.py") as this:
        print("from Python")
        os.system("echo from a child; echo complaint >&2")
        Path(this.output.pdf).touch()
        Path(this.output.png).touch()
    assert capfd.readouterr() == ("", "")
    log = Path("out/logs/a.log").read_text()
    assert {"from Python", "from a child", "complaint"} <= set(log.splitlines())


@pytest.mark.parametrize("dies_at", range(1, 5))
def test_wherever_a_job_dies_no_product_is_without_its_record(
    rule: Callable, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    """Two records and two products are published, in this order; death comes before each."""
    published: list[str] = []

    def replace_or_die(source: Path, target: Path) -> None:
        if len(published) + 1 == dies_at:
            raise KeyboardInterrupt  # as a kill would, it passes all handlers of errors
        published.append(str(target))
        Path(source).rename(target)

    monkeypatch.setattr(os, "replace", replace_or_die)
    with pytest.raises(KeyboardInterrupt):
        draw(rule())
    seen = [name for name in os.listdir("out/figures") if not name.startswith(".")]
    assert len(published) == dies_at - 1
    assert len(seen) == max(0, dies_at - 3)
    for name in seen:
        record = read_record(record_path("out", f"figures/{name}"))
        assert record["stable"]["sha256"] == provenance.file_hash(f"out/figures/{name}")


def test_staged_path_is_hidden_and_keeps_folder_and_suffix() -> None:
    assert staged_path("a/b.c.png") == Path("a/.b.c.staged.png")


def test_job_refuses_an_output_name_that_the_rule_does_not_have(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit), job(rule(), "scripts/draw.py") as this:
        _ = this.output.svg
    assert "the rule has no output named 'svg'" in capfd.readouterr().err


# --- records --------------------------------------------------------------------------------------

STABLE = {"format": 1, "product": "a", "sha256": "0" * 64}


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_read_record_finds_any_flipped_bit(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    content = bytearray(record_text(STABLE, {"host": "x", "wall_seconds": 1.5}).encode())
    content[place % len(content)] ^= 1 << bit
    path = tmp_path_factory.getbasetemp() / "record.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a record|was modified"):
        read_record(path)


def test_read_record_refuses_another_format(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(record_text(STABLE | {"format": 99}, {}))
    with pytest.raises(ValueError, match="has format 99, supported: 1"):
        read_record(path)


def test_require_writable_reports_a_read_only_folder_in_one_line(tmp_path: Path) -> None:
    provenance.require_writable(tmp_path / "new")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"cannot write to .*file: .+"):
        provenance.require_writable(tmp_path / "file")
