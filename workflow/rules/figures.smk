# Needs: results/summaries, results/instances. Makes: figures, and their captions with their facts.

from pathlib import Path


def drawn(name, category):
    """What every figure's rule makes; the caption with its numbers stands in Snakemake's report."""
    caption = str(Path(under(f"results/captions/{name}.rst")).resolve())
    return {
        "pdf": f"<figures>/{name}.pdf",
        "png": report(f"<figures>/{name}.png", caption=caption, category=category),
        "caption": f"<results>/captions/{name}.rst",
        "facts": f"<results>/captions/{name}.json",
    }


rule privacy_cost:
    """Draw shrinkage and cost of privacy against epsilon, with the real mechanism's measurements."""
    input:
        summary="<results>/summaries/mechanism.csv",
        caption="workflow/report/privacy_cost.rst",
    output:
        **drawn("privacy_cost", "Privacy"),
    log:
        "<results>/logs/privacy_cost.log",
    benchmark:
        "<results>/benchmarks/privacy_cost.tsv"
    params:
        code=code("scripts/privacy_cost.py"),
    conda:
        "../../environment.yml"
    script:
        "../../scripts/privacy_cost.py"


rule fixed_budget_error:
    """Draw Algorithm 1's error probability against the budget."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption="workflow/report/fixed_budget_error.rst",
    output:
        **drawn("fixed_budget_error", "Fixed budget"),
    log:
        "<results>/logs/fixed_budget_error.log",
    benchmark:
        "<results>/benchmarks/fixed_budget_error.tsv"
    params:
        code=code("scripts/fixed_budget_error.py"),
        panels=config["figures"]["fixed_budget"],
    conda:
        "../../environment.yml"
    script:
        "../../scripts/fixed_budget_error.py"


rule fixed_confidence_cost:
    """Draw Algorithm 2's mean stopping time against epsilon, between its bounds."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption="workflow/report/fixed_confidence_cost.rst",
    output:
        **drawn("fixed_confidence_cost", "Fixed confidence"),
    log:
        "<results>/logs/fixed_confidence_cost.log",
    benchmark:
        "<results>/benchmarks/fixed_confidence_cost.tsv"
    params:
        code=code("scripts/fixed_confidence_cost.py"),
        panels=config["figures"]["fixed_confidence"],
        delta=config["figures"]["delta"],
    conda:
        "../../environment.yml"
    script:
        "../../scripts/fixed_confidence_cost.py"
