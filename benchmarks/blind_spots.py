"""Plant faults in clones of the project and print which tests find them.

    python -m benchmarks.blind_spots [--revision REVISION] [--only WORDS]

Each fault is a change of workflow or provenance code that still runs, with the tests that must find
it. They run in a clone of the revision, with the packages of this environment. A fault is found if
one of its tests fails; "none" runs the tests of all faults on the clone as it is.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.faults import planted

PROJECT = Path(__file__).resolve().parents[1]
FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Fault(NamedTuple):
    """A text of a file, the text with a fault, and the tests that find it, below ``tests``."""

    file: str
    line: str
    faulty: str
    tests: str


RULES = "workflow/test_rules.py"
TABLES = "workflow/test_determinism.py::test_runs_of_a_script_depend_on_the_seed_alone"
WORKFLOW = {
    "the article does not wait for two tables": Fault(
        "workflow/rules/publish.smk",
        'name=["instances", "surveys", "others", "graded_answers"]',
        'name=["instances", "surveys"]',
        RULES,
    ),
    "simulations do not wait for compiled engines": Fault(
        "workflow/rules/simulate.smk",
        '    input:\n        kernels=kernels("fixed_confidence"),\n',
        "",
        RULES,
    ),
    "a rule without the hash of its code": Fault(
        "workflow/rules/summarise.smk",
        '    params:\n        code=code("summarise_fixed_budget"),\n',
        "",
        RULES,
    ),
    "the hash of another script": Fault(
        "workflow/rules/world.smk", 'code=code("others")', 'code=code("replay_surveys")', RULES
    ),
    "rows of a table that the hash has and the job lacks": Fault(
        "workflow/rules/simulate.smk", '        rows=from_experiment("radii"),\n', "", RULES
    ),
    "rows of a table that the job has and the hash lacks": Fault(
        "workflow/rules/simulate.smk",
        'code=code("simulate_fixed_budget", from_experiment("policies"))',
        'code=code("simulate_fixed_budget")',
        RULES,
    ),
    "a seed typed into a rule": Fault(
        "workflow/rules/rare.smk",
        'code=code("rare_fixed_budget"),\n        seed=config["seed"],',
        'code=code("rare_fixed_budget"),\n        seed=20260101,',
        RULES,
    ),
    "a product that no rule asks for": Fault(
        "workflow/rules/publish.smk",
        "gather_numbers article claims_page explorer notebook\n",
        "gather_numbers article claims_page notebook\n",
        RULES,
    ),
    "a figure that is not on the list": Fault(
        "workflow/rules/figure_files.smk",
        "    FIGURES.append(name)\n",
        '    if name != "hero":\n        FIGURES.append(name)\n',
        RULES,
    ),
    "two rules with one log": Fault(
        "workflow/rules/summarise.smk",
        "<results>/logs/summarise_fixed_confidence.log",
        "<results>/logs/summarise_fixed_budget.log",
        RULES,
    ),
    "a figure whose entry has another name": Fault(
        "workflow/rules/figures.smk",
        "use rule figure as allocation with:",
        "use rule figure as shares with:",
        "plots/test_scripts.py",
    ),
    "a number typed into a caption": Fault(
        "workflow/captions/allocation.rst",
        "{{ most_ratio | digits(2) }}",
        "1.9",
        "plots/test_scripts.py",
    ),
    "the config of the user's folder does not count": Fault(
        "workflow/rules/common.smk",
        "if Path.cwd() != HOME and",
        "if Path.cwd() == HOME and",
        "workflow/test_entrances.py::test_the_workflow_runs_from_another_folder_and_as_a_module",
    ),
    "another container than the manual builds": Fault(
        "workflow/rules/common.smk",
        'container: "ldpt.sif"',
        'container: "environment.sif"',
        "test_environment.py",
    ),
    "another version for conda": Fault(
        "environment.yml", "      - babel==", "      - babel==1.", "test_environment.py"
    ),
    "simulations on the machine that submits": Fault(
        "Snakefile",
        "    gather_numbers,\n",
        "    gather_numbers,\n    count_pulls,\n",
        "test_cost.py",
    ),
    "a profile that keeps damaged files": Fault(
        "profiles/default/config.yaml",
        "keep-incomplete: false",
        "keep-incomplete: true",
        "test_cost.py",
    ),
    "a family that is listed twice": Fault(
        "src/ldpt/config/graph.py",
        "    return list(dict.fromkeys(family_of[name] for name in names))",
        "    return [family_of[name] for name in names]",
        "test_config.py",
    ),
    "the first error level alone": Fault(
        "src/ldpt/config/experiment.py",
        "            for delta in sorted(run.deltas)\n        ]",
        "            for delta in sorted(run.deltas)[:1]\n        ]",
        "test_config.py",
    ),
    "the replicates of the last study": Fault(
        "src/ldpt/config/experiment.py",
        "run.replicates = max(run.replicates, size)",
        "run.replicates = size",
        "test_config.py",
    ),
    "a seed that a script does not pass on": Fault(
        "scripts/simulate_fixed_budget.py", "seed=seed, threads", "seed=0, threads", TABLES
    ),
    "runs that depend on the number of threads": Fault(
        "scripts/simulate_fixed_confidence.py",
        "seed=seed, threads",
        "seed=seed + threads, threads",
        TABLES,
    ),
    "privacy levels compared as texts": Fault(
        "scripts/count_pulls.py",
        "and epsilon in epsilons:",
        "and str(epsilon) in epsilons:",
        "test_simulate.py",
    ),
    "the facts of another figure": Fault(
        "scripts/gather_numbers.py",
        "json.loads(Path(path).read_text()) for path in read.facts",
        "json.loads(Path(read.facts[0]).read_text()) for path in read.facts",
        "replication/publishing/test_numbers.py",
    ),
    "a summary without the last setting": Fault(
        "src/ldpt/summarise.py",
        "for path in paths for runs in read_runs(path)]",
        "for path in paths for runs in [*read_runs(path)][:-1]]",
        "test_summarise.py",
    ),
    "settings of a file mixed up": Fault(
        "src/ldpt/util/runs.py",
        'LABELS = ("instance", "policy", "radius", "epsilon", "delta")',
        'LABELS = ("instance", "policy", "radius", "delta")',
        "util/test_runs.py",
    ),
    "a manifest without the origin of its config": Fault(
        "scripts/manifest.py",
        "step.params.config, step.params.origin",
        "step.params.config, {}",
        "provenance/test_manifest.py",
    ),
    "a failed job that the last line leaves out": Fault(
        "src/snakemake_logger_plugin_ldpt/__init__.py",
        "        self.failed.append(job.name)\n",
        "",
        "workflow/test_logger.py::test_lines_are_short_and_few",
    ),
}
AUDIT = "provenance/test_audit.py::test_audit"
CODE = "provenance/test_code.py"
ENVIRONMENT = "provenance/test_environment.py"
HOSTILE = "provenance/test_hostile.py"
JOB = "provenance/test_job.py"
PROVENANCE = {
    "a product that is named before it is on disk": Fault(
        "src/ldpt/provenance/job.py", "            sync_file(staged)\n", "", JOB
    ),
    "the code on disk in the place of the code that ran": Fault(
        "src/ldpt/provenance/job.py",
        '    return same_code(executed, Path(main.__file__ or "").read_text(encoding="utf-8"))',
        "    return bool(executed)",
        JOB,
    ),
    "inputs that are edited while a job runs": Fault(
        "src/ldpt/provenance/job.py", "        self.check_unchanged(self._made_from())\n", "", JOB
    ),
    "staged files of a failed job": Fault(
        "src/ldpt/provenance/job.py",
        "            Path(staged).unlink(missing_ok=True)",
        "            assert staged",
        JOB,
    ),
    "staged files of an interrupted job": Fault(
        "src/ldpt/provenance/job.py", "            remove_staged(target)\n", "", JOB
    ),
    "a code hash without imported modules": Fault(
        "src/ldpt/provenance/code.py",
        "        for name in unit.names:\n            self.visit_imported(path, unit, name)\n",
        "        for name in unit.names:\n",
        CODE,
    ),
    "a code hash without constants": Fault(
        "src/ldpt/provenance/code.py",
        "for name, values in parts.items() if values}",
        "for name, values in parts.items() if values and not name.endswith(':x')}",
        CODE,
    ),
    "a code hash without decorators": Fault(
        "src/ldpt/provenance/code.py",
        'if name in ("annotation", "returns", "ctx")',
        'if name in ("annotation", "returns", "ctx", "decorator_list")',
        CODE,
    ),
    "the memory of the parent process": Fault(
        "src/ldpt/provenance/environment.py",
        "    return peaks[0] / 1e3 if peaks else None",
        "    import resource\n\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 if peaks else None",
        ENVIRONMENT,
    ),
    "a tree that is always clean": Fault(
        "src/ldpt/provenance/environment.py", '"clean": not edited', '"clean": True', ENVIRONMENT
    ),
    "the commit of a repository around the project": Fault(
        "src/ldpt/provenance/environment.py",
        'if top is None or Path(top.rstrip("\\n")) != project.resolve():',
        "if top is None:",
        ENVIRONMENT,
    ),
    "a seal over the stable part alone": Fault(
        "src/ldpt/provenance/records.py",
        '{"seal": stable_hash(record)}',
        '{"seal": stable_hash(stable)}',
        "provenance/test_records.py",
    ),
    "records of any size": Fault(
        "src/ldpt/provenance/records.py",
        "    text = read_whole(path, MAX_JSON)\n",
        "    text = Path(path).read_bytes()\n",
        f"{HOSTILE}::test_bad_records_are_one_fault",
    ),
    "a folder's name that is read as a pattern": Fault(
        "src/ldpt/provenance/records.py",
        "    names = [Path(name) for name in (files_below(folder) if folder.is_dir() else ())]\n",
        "    import glob\n\n    files = glob.glob(f'{folder}/**/*', recursive=True)\n"
        "    names = [Path(name).relative_to(folder) for name in files]\n",
        "workflow/test_crash.py::test_a_folder_may_have_any_name_without_braces",
    ),
    "an audit that follows links": Fault(
        "src/ldpt/provenance/audit.py",
        "links=own is not None and root.is_relative_to(own)",
        "links=True",
        f"{HOSTILE}::test_files_that_are_no_plain_files_are_faults",
    ),
    "overrides that become options": Fault(
        "src/ldpt/provenance/dag.py",
        '*("--configfile", *files, str(overrides)),',
        '*("--configfile", *files, *map(str, origin.get("overrides", {}))),',
        f"{HOSTILE}::test_settings_never_become_options_of_snakemake",
    ),
    "an audit that ignores the expected hash": Fault(
        "src/ldpt/provenance/audit.py",
        "    if not str(run.hash).startswith(expect):",
        '    if not str(run.hash).startswith(""):',
        f"{HOSTILE}::test_a_forged_folder_is_intact_and_only_its_hash_tells",
    ),
    "an audit that ignores settings": Fault(
        "src/ldpt/provenance/run.py",
        "    yield from setting_changes(before, {**step.params, **step.wildcards})\n",
        "",
        f"{AUDIT}_finds_a_wrong_seed_by_the_plan",
    ),
    "an audit that ignores sources": Fault(
        "src/ldpt/provenance/run.py",
        "            if actual != sha:\n",
        "            if not actual:\n",
        f"{AUDIT}_names_an_edited_source",
    ),
    "a replay that compares with itself": Fault(
        "src/ldpt/provenance/audit.py",
        'if sha != run.records[name]["stable"]["sha256"]',
        "if sha != sha",
        f"{AUDIT}_finds_a_forgery_of_everything_only_by_replay_or_a_kept_hash",
    ),
    "a manifest of the products that were asked for": Fault(
        "src/ldpt/provenance/manifest.py",
        "for name in set(products_under(root)) - set(names):",
        "for name in ():",
        "provenance/test_manifest.py",
    ),
    "a manifest of damaged products": Fault(
        "src/ldpt/provenance/records.py",
        '    if file_hash(path) != content["stable"]["sha256"]:\n',
        "    if not path.exists():\n",
        "provenance/test_manifest.py",
    ),
    "a run that is named by the versions of its libraries": Fault(
        "src/ldpt/provenance/manifest.py",
        'UNHASHED = ("environment", "origin")',
        'UNHASHED = ("origin",)',
        "provenance/test_manifest.py",
    ),
    "a trace of one step": Fault(
        "src/ldpt/provenance/trace.py",
        "for name in transitive_closure([top] if top else [], inputs)",
        "for name in ([top, *inputs(top)] if top else [])",
        "provenance/test_trace.py",
    ),
    "a comparison of common products": Fault(
        "src/ldpt/provenance/compare.py",
        "for name in sorted({*one, *other} - {MANIFEST}):",
        "for name in sorted({*one} & {*other} - {MANIFEST}):",
        "provenance/test_compare.py::test_products_of_one_run_alone_and_other_verdicts_are_named",
    ),
}
FAULTS = WORKFLOW | PROVENANCE


def clone(revision: str, folder: Path) -> None:
    """Make a clone at a revision, with the engines that are compiled here."""
    command = ["git", "-C", str(PROJECT), "rev-parse", "--verify", revision]
    commit = subprocess.check_output(command, text=True).strip()
    subprocess.run(["git", "clone", "-qsn", str(PROJECT), str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", commit], check=True)
    for file in (PROJECT / "src").rglob("*.nb[ci]"):
        copy = folder / file.relative_to(PROJECT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)


def first_failure(folder: Path, tests: set[str]) -> str:
    """Return the first test that fails in a clone; empty if none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-m", "", "-p", "no:cacheprovider"]
    command += ["--basetemp", f"{folder}-tests", *sorted(f"tests/{name}" for name in tests)]
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    failure = FAILURE.search(run.stdout)
    if run.returncode == 0:
        return ""
    if failure is None:
        raise ValueError(" ".join((run.stderr or run.stdout).split())[:200])
    return failure[1]


def finding(fault: Fault | None, revision: str) -> str:
    """Return what is printed about a fault, or about the clone without one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "ldpt"
        clone(revision, folder)
        try:
            if fault is None:
                failed = first_failure(folder, {one.tests for one in FAULTS.values()})
                return failed or "all tests pass"
            planted(fault, folder)
            return first_failure(folder, {fault.tests}) or "NOT FOUND"
        except (OSError, ValueError) as error:
            return f"not tried: {error}"


def main() -> None:
    """Print the table of faults."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--only", default="", help="faults whose names contain these words")
    options = parser.parse_args()
    print("| fault | found by | CPU s |\n| --- | --- | ---: |")
    faults: dict[str, Fault | None] = {"none": None, **FAULTS}
    for name in (name for name in faults if options.only in name):
        before = os.times()
        text = finding(faults[name], options.revision)
        after = os.times()
        seconds = sum(after[2:4]) - sum(before[2:4])  # of children
        print(f"| {name} | {text} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
