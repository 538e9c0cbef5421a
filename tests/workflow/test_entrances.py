"""What Snakemake says to a target, a config or a folder that cannot work: one line, no job."""

from pathlib import Path

import pytest

from snakemake_logger_plugin_ldpt import WIDTH
from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.workflow


def test_snakemake_refuses_an_unknown_target_in_a_few_lines(small_run: Path) -> None:
    done = snakemake(small_run, "nonsense", "--dry-run", "--nolock")
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "No rule to produce nonsense" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 4


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("fixd_budget: 1\n", "config: unknown key 'fixd_budget' (did you mean fixed_budget?)"),
        (
            "figures: {collapse: [three]}\n",
            "ValueError: figures.collapse: unknown instance 'three'",
        ),
    ],
)
def test_snakemake_refuses_a_bad_config_in_one_line_before_any_job(
    tmp_path: Path, content: str, complaint: str
) -> None:
    """What is wrong with a config is tested in ``test_config``."""
    config = tmp_path / "bad.yaml"
    config.write_text(content)
    done = snakemake(PROJECT, "--dry-run", "--nolock", "--configfile", str(config))
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith(complaint)
    assert "Traceback" not in done.stderr


def test_a_config_of_one_problem_runs_one_study(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("extra_instances:\n  - {name: mine, means: [0.1, 0.4], threshold: 0.3}\n")
    done = snakemake(PROJECT, "--dry-run", "--nolock", "--configfile", str(config))
    assert done.returncode == 0, done.stderr[-4000:]
    *jobs, last = done.stdout.splitlines()
    assert "2 simulations" in last
    named = [line for line in jobs if "rule " in line]
    assert last.startswith(f"{len(named)} jobs: ")
    assert [line for line in named if line.startswith("rule fixed_budget_error: ")]
    assert not [line for line in named if "rare_" in line or "claims" in line]


MODULE = """
configfile: "{project}/config/config.yaml"


config["root"] = "out"
config["mechanism"]["draws"] = 2000


module ldpt:
    snakefile: "{project}/Snakefile"
    config: config


use rule * from ldpt as their_*


rule all:
    default_target: True
    input:
        "out/figures/mechanism.txt",


rule look:
    input:
        "out/results/summaries/mechanism.csv",
    output:
        "out/figures/mechanism.txt",
    shell:
        "cp {{input}} {{output}}"
"""
MECHANISM = "results/summaries/mechanism.csv"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder outside of the project, with its own config."""
    folder = tmp_path / "elsewhere"
    (folder / "config").mkdir(parents=True)
    (folder / "config" / "config.yaml").write_text("root: mine\nmechanism: {draws: 2000}\n")
    return folder


FROM_ELSEWHERE = ("--snakefile", str(PROJECT / "Snakefile"), "--directory", ".")


def test_a_plan_from_another_folder_names_each_job_in_a_short_line(elsewhere: Path) -> None:
    """The graph has all its sources; its manifest has more than a hundred inputs."""
    done = snakemake(elsewhere, "--dry-run", *FROM_ELSEWHERE)
    assert done.returncode == 0, done.stderr[-4000:]
    said = (done.stdout + done.stderr).splitlines()
    (jobs,) = [int(line.split()[0]) for line in said if " jobs: " in line]
    named = [line.split()[1] for line in said if line.lstrip().startswith("rule ")]
    assert len(named) == jobs
    assert named.count("simulate_fixed_budget:") + named.count("simulate_fixed_confidence:") == 24
    assert max(map(len, said)) <= WIDTH


def test_the_workflow_runs_from_another_folder_and_as_a_module(
    elsewhere: Path, tmp_path: Path
) -> None:
    """With the config of the folder, or of the module."""
    done = snakemake(elsewhere, f"mine/{MECHANISM}", *FROM_ELSEWHERE)
    assert done.returncode == 0, done.stderr[-4000:]
    (tmp_path / "Snakefile").write_text(MODULE.format(project=PROJECT))
    done = snakemake(tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]
    ours, theirs = elsewhere / "mine" / MECHANISM, tmp_path / "out" / MECHANISM
    assert ours.read_bytes() == theirs.read_bytes()
    assert (tmp_path / "out/figures/mechanism.txt").is_file()
