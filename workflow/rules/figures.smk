# Needs: results/summaries, results/rare, results/exact. Makes: figures, and results/captions, the
# caption of each with its numbers and the facts behind them.

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
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/privacy_cost.py"),
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
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_budget_error.py"),
        panels=config["figures"]["fixed_budget"],
    script:
        "../../scripts/fixed_budget_error.py"


rule fixed_budget_collapse:
    """Draw the same error probabilities against the budget over H_eps."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption="workflow/report/fixed_budget_collapse.rst",
    output:
        **drawn("fixed_budget_collapse", "Fixed budget"),
    log:
        "<results>/logs/fixed_budget_collapse.log",
    benchmark:
        "<results>/benchmarks/fixed_budget_collapse.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_budget_collapse.py"),
        panels=config["figures"]["fixed_budget"],
    script:
        "../../scripts/fixed_budget_collapse.py"


rule fixed_budget_bounds:
    """Draw Algorithm 1's error far below the Monte-Carlo floor, with all bounds."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        rare="<results>/rare/fixed_budget.csv",
        exact="<results>/exact/fixed_budget.csv",
        bounds="<results>/summaries/budget_bounds.csv",
        caption="workflow/report/fixed_budget_bounds.rst",
    output:
        **drawn("fixed_budget_bounds", "Fixed budget"),
    log:
        "<results>/logs/fixed_budget_bounds.log",
    benchmark:
        "<results>/benchmarks/fixed_budget_bounds.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_budget_bounds.py"),
        panels=config["figures"]["bounds"],
        epsilon=config["figures"]["epsilon"],
    script:
        "../../scripts/fixed_budget_bounds.py"


rule fixed_budget_baselines:
    """Draw Algorithm 1 against uniform allocation, Laplace noise and no privacy."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption="workflow/report/fixed_budget_baselines.rst",
    output:
        **drawn("fixed_budget_baselines", "Fixed budget"),
    log:
        "<results>/logs/fixed_budget_baselines.log",
    benchmark:
        "<results>/benchmarks/fixed_budget_baselines.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_budget_baselines.py"),
        panels=config["figures"]["baselines"],
        epsilon=config["figures"]["epsilon"],
    script:
        "../../scripts/fixed_budget_baselines.py"


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
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_confidence_cost.py"),
        panels=config["figures"]["fixed_confidence"],
        delta=config["figures"]["delta"],
    script:
        "../../scripts/fixed_confidence_cost.py"


rule fixed_confidence_collapse:
    """Draw Algorithm 2's cost over the theorem's scale against epsilon, delta and K."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        caption="workflow/report/fixed_confidence_collapse.rst",
    output:
        **drawn("fixed_confidence_collapse", "Fixed confidence"),
    log:
        "<results>/logs/fixed_confidence_collapse.log",
    benchmark:
        "<results>/benchmarks/fixed_confidence_collapse.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_confidence_collapse.py"),
    script:
        "../../scripts/fixed_confidence_collapse.py"


rule fixed_confidence_error:
    """Draw error probability over delta for the three radii."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        error_map="<results>/exact/error_map.csv",
        rare="<results>/rare/fixed_confidence.csv",
        caption="workflow/report/fixed_confidence_error.rst",
    output:
        **drawn("fixed_confidence_error", "Fixed confidence"),
    log:
        "<results>/logs/fixed_confidence_error.log",
    benchmark:
        "<results>/benchmarks/fixed_confidence_error.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_confidence_error.py"),
    script:
        "../../scripts/fixed_confidence_error.py"


rule fixed_confidence_radii:
    """Draw what each radius costs over the lower bound."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption="workflow/report/fixed_confidence_radii.rst",
    output:
        **drawn("fixed_confidence_radii", "Fixed confidence"),
    log:
        "<results>/logs/fixed_confidence_radii.log",
    benchmark:
        "<results>/benchmarks/fixed_confidence_radii.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/fixed_confidence_radii.py"),
        delta=config["figures"]["delta"],
        epsilon=config["figures"]["epsilon"],
        instance=config["figures"]["fixed_confidence"][0],
    script:
        "../../scripts/fixed_confidence_radii.py"


rule allocation:
    """Draw the share of the pulls that each arm gets against its share of the complexity."""
    input:
        summary="<results>/summaries/allocation.csv",
        caption="workflow/report/allocation.rst",
    output:
        **drawn("allocation", "Both settings"),
    log:
        "<results>/logs/allocation.log",
    benchmark:
        "<results>/benchmarks/allocation.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/allocation.py"),
    script:
        "../../scripts/allocation.py"


rule scaling_arms:
    """Draw the cost of both algorithms against the number of arms."""
    input:
        budget_summary="<results>/summaries/fixed_budget.csv",
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption="workflow/report/scaling_arms.rst",
    output:
        **drawn("scaling_arms", "Both settings"),
    log:
        "<results>/logs/scaling_arms.log",
    benchmark:
        "<results>/benchmarks/scaling_arms.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/scaling_arms.py"),
        delta=config["figures"]["delta"],
        epsilon=config["figures"]["epsilon"],
    script:
        "../../scripts/scaling_arms.py"


rule optimality_gap:
    """Draw Algorithm 2's cost over each lower bound against epsilon."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption="workflow/report/optimality_gap.rst",
    output:
        **drawn("optimality_gap", "Fixed confidence"),
    log:
        "<results>/logs/optimality_gap.log",
    benchmark:
        "<results>/benchmarks/optimality_gap.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/optimality_gap.py"),
        panels=config["figures"]["fixed_confidence"],
        delta=config["figures"]["delta"],
    script:
        "../../scripts/optimality_gap.py"
