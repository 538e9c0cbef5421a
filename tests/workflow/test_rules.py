"""What the rules say: code, seed, inputs, products and logs of the jobs of the smoke config."""

import re

import pytest

from ldpt.provenance import code_hash
from ldpt.provenance.dag import JobPlan, Project, plan_jobs
from tests.conftest import PROJECT

FILES = (PROJECT / "workflow" / "rules").glob("*.smk")
TEXT = "\n".join(file.read_text(encoding="utf-8") for file in sorted(FILES))
_, *PARTS = re.split(r"^(?:use rule \w+ as|rule) (\w+)", TEXT, flags=re.MULTILINE)
RULES = dict(zip(PARTS[::2], PARTS[1::2], strict=True))
SEED = 7654321


@pytest.fixture(scope="module")
def plan() -> JobPlan:
    origin = {"files": ["config/smoke.yaml"], "overrides": {"seed": SEED}}
    return plan_jobs(Project(PROJECT, PROJECT, PROJECT / "results" / "smoke"), origin)


@pytest.mark.workflow
def test_every_rule_is_part_of_a_run(plan: JobPlan) -> None:
    assert {step.rule for step in plan.values()} == RULES.keys() - {"figure"}


@pytest.mark.workflow
def test_the_hash_of_what_a_job_will_run_is_a_parameter_of_it(plan: JobPlan) -> None:
    scripts = {rule: f"scripts/{rule}.py" for rule in RULES}
    scripts["notebook"] = "workflow/notebooks/explore.ipynb"
    scripts["rare_environments"] = scripts["rare_fixed_budget"]
    for product, step in plan.items():
        if step.rule != "compile_kernels":  # no number depends on its file
            now = code_hash(PROJECT / scripts[step.rule], step.params.get("rows"))
            assert step.code == now, product


@pytest.mark.workflow
def test_a_seed_is_that_of_the_config(plan: JobPlan) -> None:
    seeds = {step.rule: step.params["seed"] for step in plan.values() if "seed" in step.params}
    assert len(seeds) > 5
    assert set(seeds.values()) == {SEED}


@pytest.mark.workflow
def test_jobs_that_run_engines_wait_until_they_are_compiled(plan: JobPlan) -> None:
    for product, step in plan.items():
        if step.rule.startswith("simulate_fixed"):
            algorithm = step.rule.removeprefix("simulate_")
            assert f"results/kernels/{algorithm}.json" in step.inputs, product


@pytest.mark.workflow
def test_the_article_waits_for_all_that_it_reads(plan: JobPlan) -> None:
    pages = (PROJECT / "paper").glob("*.typ")
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    reads = {
        *re.findall(r'root \+ "(results/[\w/]+\.\w+)"', text),
        *(f"results/tables/{name}.csv" for name in re.findall(r'from-csv\(\s*"(\w+)"', text)),
        *(f"paper/{name}" for name in re.findall(r'^#i\w+ "([\w.]+)"', text, re.MULTILINE)),
    }
    assert {"results/evidence/tapes.csv", "paper/proofs.typ"} < reads
    assert reads <= plan["paper/report.pdf"].inputs


def test_every_rule_has_a_log_of_its_name() -> None:
    for rule, text in RULES.items():
        log = re.search(r"\n    log:\n +\"<results>/logs/(\w+)[./]", text)
        assert log, rule
        assert log[1] == rule
