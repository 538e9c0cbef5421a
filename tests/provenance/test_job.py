"""What a job leaves behind, also when it fails: staged outputs, records, a log."""

import json
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from snakemake.iocontainers import InputFiles, Log, OutputFiles, Params, Wildcards

from ldpt import provenance
from ldpt.provenance import code, code_hash, job, read_record, record_path
from ldpt.provenance.records import record_text

SCRIPT = "from ldpt.privacy import shrinkage\n\nprint(shrinkage(1.0))\n"


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
            "params": Params(fromdict={"level": 0.1, "epsilon": math.inf}),
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
    with job(snakemake, "scripts/draw.py") as step:
        Path(step.output.pdf).write_text("a drawing")
        Path(step.output.png).write_text(f"a drawing with {step.metadata}")
        step.note(seed=7, streams=np.arange(3))
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
    assert "ldpt/privacy.py:shrinkage" in record["code"]["parts"]


def test_job_records_an_input_with_a_record_as_a_product(rule: Callable) -> None:
    draw(rule())
    following = rule(
        input=InputFiles(["out/figures/a.png", "words.txt"]),
        output=OutputFiles(["out/results/b.csv"]),
    )
    Path("out/results").mkdir(exist_ok=True)
    with job(following, "scripts/draw.py") as step:
        Path(step.output[0]).write_text("1")
    stable = read_record("out/results/records/results/b.csv.json")["stable"]
    assert (set(stable["inputs"]), set(stable["sources"])) == ({"figures/a.png"}, {"words.txt"})


def test_record_of_the_same_work_elsewhere_has_the_same_identity(rule: Callable) -> None:
    first, second = draw(rule("here")), draw(rule("there/and/deeper"))
    assert first["record_hash"] == second["record_hash"]
    assert first["volatile"]["started"] <= second["volatile"]["started"]
    assert {"host", "commit", "clean", "wall_seconds"} <= first["volatile"].keys()
    assert first["volatile"]["environment"]["numpy"] == np.__version__


@pytest.mark.parametrize("fact", ["host", "started", "commit"])
def test_volatile_facts_enter_no_hash(rule: Callable, fact: str) -> None:
    record = draw(rule())
    other = json.loads(record_text(record["stable"], record["volatile"] | {fact: "other"}))
    assert other["record_hash"] == record["record_hash"]


def test_job_metadata_change_with_code_settings_and_inputs(rule: Callable) -> None:
    def short(snakemake: SimpleNamespace) -> dict[str, str]:
        with job(snakemake, "scripts/draw.py") as step:
            Path(step.output.pdf).touch()
            Path(step.output.png).touch()
            return step.metadata

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
        with job(rule(), "scripts/draw.py") as step:
            Path(step.output.pdf).write_text("half")
            raise ValueError("level must be positive, got -1")

    with pytest.raises(SystemExit) as ended:
        work()
    assert ended.value.code == 1
    assert capfd.readouterr().err == ""  # Snakemake's logger shows the last line of the log
    assert last_line() == "ValueError: level must be positive, got -1"
    assert os.listdir("out/figures") == []
    assert not Path("out/results").exists()
    assert "Traceback" in Path("out/logs/a.log").read_text()


def test_job_without_a_log_ends_in_one_line(rule: Callable, capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit), job(rule(log=Log([])), "scripts/draw.py"):
        raise ValueError("level must be\n positive, got -1")
    assert capfd.readouterr().err.endswith("\ndraw: level must be positive, got -1\n")


def last_line() -> str:
    return Path("out/logs/a.log").read_text().strip().rsplit("\n", 1)[-1]


def test_job_requires_every_promised_output(rule: Callable) -> None:
    with pytest.raises(SystemExit), job(rule(), "scripts/draw.py") as step:
        Path(step.output.pdf).write_text("whole")
    assert "promised out/figures/a.png but did not write it" in last_line()
    assert os.listdir("out/figures") == []


def test_job_reports_a_missing_input_in_one_line(rule: Callable) -> None:
    with (
        pytest.raises(SystemExit),
        job(rule(input=InputFiles(["gone.csv"])), "scripts/draw.py"),
    ):
        pass
    assert "gone.csv" in last_line()


def test_job_sends_all_that_is_printed_to_the_log(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    with job(rule(), "scripts/draw.py") as step:
        print("from Python")
        os.system("echo from a child; echo complaint >&2")
        Path(step.output.pdf).touch()
        Path(step.output.png).touch()
    assert capfd.readouterr() == ("", "")
    log = Path("out/logs/a.log").read_text()
    assert {"from Python", "from a child", "complaint"} <= set(log.splitlines())


class Killed(BaseException):
    """Passes all handlers of errors, as a kill would."""


@pytest.mark.parametrize("dies_at", range(1, 5))
def test_wherever_a_job_dies_no_product_is_without_its_record(
    rule: Callable, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    """Two records and two products are published, in this order; death comes before each."""
    published: list[str] = []

    def replace_or_die(source: Path, target: Path) -> None:
        if len(published) + 1 == dies_at:
            raise Killed
        published.append(str(target))
        Path(source).rename(target)

    monkeypatch.setattr(os, "replace", replace_or_die)
    with pytest.raises(Killed):
        draw(rule())
    seen = [name for name in os.listdir("out/figures") if not name.startswith(".")]
    assert len(published) == dies_at - 1
    assert len(seen) == max(0, dies_at - 3)
    for name in seen:
        record = read_record(record_path("out", f"figures/{name}"))
        assert record["stable"]["sha256"] == provenance.file_hash(f"out/figures/{name}")


def test_nothing_has_its_name_before_its_bytes_are_on_disk(
    rule: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash of the machine, a product beside its record could be empty."""
    synced: set[int] = set()
    early: list[str] = []

    def replace(source: Path, target: Path) -> None:
        if os.stat(source).st_ino not in synced:
            early.append(str(target))
        Path(source).rename(target)

    monkeypatch.setattr(os, "fsync", lambda file: synced.add(os.fstat(file).st_ino))
    monkeypatch.setattr(os, "replace", replace)
    draw(rule())
    assert early == []


def test_job_refuses_an_output_name_that_the_rule_does_not_have(rule: Callable) -> None:
    with pytest.raises(SystemExit), job(rule(), "scripts/draw.py") as step:
        _ = step.output.svg
    assert "has no attribute 'svg'" in last_line()


MOMENTS = ["planned", "started", "half", "last"]
OTHER = "from ldpt.privacy import shrinkage\n\nprint(shrinkage(2.0))\n"


def edit(name: str, text: str) -> None:
    """Write a file; files of one tick share a time stamp, by which code is read again."""
    Path("scripts", name).write_text(text)
    code._read_module.cache_clear()


@pytest.fixture
def edited_at(rule: Callable) -> Callable[..., list[str]]:
    """Run a planned job in which a file is edited at a moment; returns the outputs."""

    def run(moment: str, name: str, *texts: str) -> list[str]:
        snakemake = rule()
        edit("beside.py", "level = 1\n")
        edit("draw.py", f"import beside\n{SCRIPT}print(beside.level)\n")
        planned = code_hash("scripts/draw.py")
        snakemake.params = Params(fromdict={"code": planned})
        writes = {moment: texts}

        def reach(here: str) -> None:
            for text in writes.get(here, ()):
                edit(name, text)

        reach("planned")
        with suppress(SystemExit), job(snakemake, "scripts/draw.py") as step:
            reach("started")
            Path(step.output.pdf).touch()
            reach("half")
            Path(step.output.png).touch()
            reach("last")
        return os.listdir("out/figures")

    return run


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(("name", "text"), [("draw.py", OTHER), ("beside.py", "level = 2\n")])
def test_a_job_whose_code_was_edited_fails_in_one_line(
    edited_at: Callable, moment: str, name: str, text: str
) -> None:
    """Its script, or a module that it imports, at eight moments from the plan to the end."""
    assert edited_at(moment, name, text) == []
    assert (f"scripts/{name}" in last_line()) or moment == "planned"
    assert last_line().endswith("run snakemake again")
    assert "the code was edited during the run" in last_line()
    assert not Path("out/results").exists()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_remark_in_a_module_stops_no_job(edited_at: Callable, moment: str) -> None:
    assert len(edited_at(moment, "beside.py", "level = 1  # a remark\n")) == 2


@pytest.mark.parametrize(
    ("executed", "outputs"), [(SCRIPT, 2), (SCRIPT + "# a remark\n", 2), (OTHER, 0)]
)
def test_a_job_fails_if_snakemake_executes_an_older_copy_of_its_script(
    rule: Callable, monkeypatch: pytest.MonkeyPatch, executed: str, outputs: int
) -> None:
    snakemake = rule()
    Path("copy.py").write_text(f"import sys\n######## snakemake preamble end #########\n{executed}")
    main = SimpleNamespace(__file__=str(Path("scripts/draw.py").resolve()), __real_file__="copy.py")
    monkeypatch.setitem(sys.modules, "__main__", main)
    with suppress(SystemExit):
        draw(snakemake)
    assert len(os.listdir("out/figures")) == outputs


def test_a_job_removes_what_an_interrupted_one_has_left(rule: Callable) -> None:
    snakemake = rule()
    left = [".a.staged-0123456789abcdef.pdf", ".a.staged-0123456789abcdef.png"]
    others = [".b.staged-0123456789abcdef.pdf", ".a.staged-notes.pdf"]
    for name in (*left, *others):
        Path("out/figures", name).touch()
    draw(snakemake)
    assert sorted(os.listdir("out/figures")) == sorted([*others, "a.pdf", "a.png"])


def test_ctrl_c_ends_a_job_without_a_traceback(
    rule: Callable, capfd: pytest.CaptureFixture
) -> None:
    def interrupted() -> None:
        with job(rule(), "scripts/draw.py") as step:
            Path(step.output.pdf).touch()
            raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        interrupted()
    assert ended.value.code == 130
    assert os.listdir("out/figures") == []
    assert capfd.readouterr().err == Path("out/logs/a.log").read_text() == ""


@pytest.mark.parametrize("name", ["words.txt", "out/figures/b.png"])
def test_a_job_fails_if_what_it_reads_is_edited_meanwhile(rule: Callable, name: str) -> None:
    snakemake = rule(input=InputFiles(["words.txt", "out/figures/b.png"]))
    Path("out/figures/b.png").write_text("a drawing")
    with suppress(SystemExit), job(snakemake, "scripts/draw.py") as step:
        Path(step.output.pdf).touch()
        Path(step.output.png).touch()
        Path(name).write_text("edited")
    assert last_line().endswith(f"{name} was edited during the job: run snakemake again")
    assert os.listdir("out/figures") == ["b.png"]


def test_a_job_fails_if_an_input_is_made_again_meanwhile(rule: Callable) -> None:
    """File and record fit together all the time."""
    draw(rule())
    following = rule(
        input=InputFiles(["out/figures/a.png"]), output=OutputFiles(["out/results/b.csv"])
    )
    with suppress(SystemExit), job(following, "scripts/draw.py") as step:
        Path(step.output[0]).write_text("1")
        draw(rule(params=Params(fromdict={"level": 0.2}), log=Log(["out/logs/other.log"])))
    assert last_line().endswith("figures/a.png was edited during the job: run snakemake again")
    assert not Path("out/results/b.csv").exists()
