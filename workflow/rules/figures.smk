# Needs: results/summaries, results/rare. Makes: figures, and results/captions with their numbers.
# A figure has one name: its entry here, scripts/NAME.py, workflow/captions/NAME.rst, figures/NAME.pdf.
# An entry names the tables that the script reads, the figure's place in Snakemake's report, and the
# script's parameters; its code is one: Snakemake does not compare those derived from outputs.


rule figure:
    """Draw a figure, fill in its caption and write down its facts."""
    output:
        pdf="<figures>/figure.pdf",
    log:
        "<results>/logs/figure.log",
    group:
        "conclude"
    params:
        script=figure_name,
    script:
        "../../scripts/{params.script}.py"


use rule figure as hero with:
    input:
        **figure_inputs("hero", confidence="summaries/fixed_confidence", error_map="error_map"),
    output:
        **figure_outputs("hero", "Overview", "The findings in one picture"),
        dark="<figures>/hero-dark.png",
        narrow="<figures>/hero-narrow.png",
        narrow_dark="<figures>/hero-narrow-dark.png",
    log:
        "<results>/logs/hero.log",
    params:
        code=code("hero"),
        delta=config["figures"]["delta"],


use rule figure as fixed_confidence_error with:
    input:
        **figure_inputs(
            "fixed_confidence_error",
            summary="summaries/fixed_confidence",
            error_map="error_map",
            rare="rare/fixed_confidence",
        ),
    output:
        **figure_outputs("fixed_confidence_error", "Fixed confidence", "Actual error, and delta"),
    log:
        "<results>/logs/fixed_confidence_error.log",
    params:
        code=code("fixed_confidence_error"),


use rule figure as fixed_budget_collapse with:
    input:
        **figure_inputs("fixed_budget_collapse", summary="summaries/fixed_budget"),
    output:
        **figure_outputs("fixed_budget_collapse", "Fixed budget", "Error against T / H_eps"),
    log:
        "<results>/logs/fixed_budget_collapse.log",
    params:
        code=code("fixed_budget_collapse"),
        panels=from_experiment("panels", "collapse"),
        policies=config["figures"]["policies"],
        error=config["figures"]["error"],
        epsilon=config["figures"]["epsilon"],


use rule figure as bounds with:
    input:
        **figure_inputs(
            "bounds",
            budget="summaries/fixed_budget",
            budget_bounds="summaries/budget_bounds",
            confidence="summaries/fixed_confidence",
            confidence_bounds="summaries/bounds",
        ),
        rare=RARE_ESTIMATES,
    output:
        **figure_outputs("bounds", "Overview", "Bounds, printed and proved"),
    log:
        "<results>/logs/bounds.log",
    params:
        code=code("bounds"),
        budget_panels=from_experiment("panels", "budget_bounds"),
        confidence_panels=from_experiment("panels", "confidence_bounds"),
        policies=config["figures"]["policies"],
        radii=config["figures"]["radii"],
        epsilon=config["figures"]["epsilon"],
        delta=config["figures"]["delta"],


use rule figure as surveys with:
    input:
        **figure_inputs("surveys", questions="tables/surveys"),
    output:
        **figure_outputs("surveys", "Outside world", "Published surveys replayed"),
    log:
        "<results>/logs/surveys.log",
    params:
        code=code("surveys"),


use rule figure as optimality_gap with:
    input:
        **figure_inputs(
            "optimality_gap", summary="summaries/fixed_confidence", bounds="summaries/bounds"
        ),
        instances="<results>/instances.json",
    output:
        **figure_outputs("optimality_gap", "Fixed confidence", "Distance from the lower bound"),
    log:
        "<results>/logs/optimality_gap.log",
    params:
        code=code("optimality_gap"),
        panels=from_experiment("panels", "fixed_confidence"),
        epsilon=config["figures"]["epsilon"],
        delta=config["figures"]["delta"],


use rule figure as fixed_budget_error with:
    input:
        **figure_inputs("fixed_budget_error", summary="summaries/fixed_budget"),
    output:
        **figure_outputs("fixed_budget_error", "Fixed budget", "Error against the budget"),
    log:
        "<results>/logs/fixed_budget_error.log",
    params:
        code=code("fixed_budget_error"),
        panels=from_experiment("panels", "fixed_budget"),
        policies=config["figures"]["policies"],
        error=config["figures"]["error"],
        epsilon=config["figures"]["epsilon"],


use rule figure as fixed_budget_baselines with:
    input:
        **figure_inputs("fixed_budget_baselines", summary="summaries/fixed_budget"),
    output:
        **figure_outputs("fixed_budget_baselines", "Fixed budget", "Algorithm 1 and alternatives"),
    log:
        "<results>/logs/fixed_budget_baselines.log",
    params:
        code=code("fixed_budget_baselines"),
        panels=from_experiment("panels", "baselines"),
        error=config["figures"]["error"],


use rule figure as scaling_arms with:
    input:
        **figure_inputs(
            "scaling_arms",
            budget_summary="summaries/fixed_budget",
            summary="summaries/fixed_confidence",
            bounds="summaries/bounds",
        ),
    output:
        **figure_outputs("scaling_arms", "Both settings", "Cost against the number of arms"),
    log:
        "<results>/logs/scaling_arms.log",
    params:
        code=code("scaling_arms"),
        epsilon=config["figures"]["epsilon"],
        delta=config["figures"]["delta"],
        error=config["figures"]["error"],


use rule figure as allocation with:
    input:
        **figure_inputs("allocation", summary="summaries/allocation"),
    output:
        **figure_outputs("allocation", "Both settings", "Which arms are pulled"),
    log:
        "<results>/logs/allocation.log",
    params:
        code=code("allocation"),


use rule figure as privacy_cost with:
    input:
        **figure_inputs("privacy_cost", summary="summaries/mechanism"),
    output:
        **figure_outputs("privacy_cost", "Privacy", "What privacy costs"),
    log:
        "<results>/logs/privacy_cost.log",
    params:
        code=code("privacy_cost"),
        epsilon=config["figures"]["epsilon"],
