# Needs: results/summaries, results/rare, results/exact. Makes: figures, and results/captions: the
# caption of each figure with its numbers, and the facts behind them.
# A figure has one name: its rule, scripts/NAME.py, workflow/captions/NAME.rst, figures/NAME.pdf.

FIGURES = [
    "hero",
    "privacy_cost",
    "fixed_budget_error",
    "fixed_budget_collapse",
    "fixed_budget_bounds",
    "fixed_budget_baselines",
    "fixed_confidence_cost",
    "fixed_confidence_collapse",
    "fixed_confidence_error",
    "fixed_confidence_radii",
    "allocation",
    "scaling_arms",
    "optimality_gap",
    "surveys",
]

PRODUCTS += [
    expand("<figures>/{name}.{ext}", name=FIGURES, ext=["pdf", "png"]),
    expand("<results>/captions/{name}.{ext}", name=FIGURES, ext=["rst", "typ", "json"]),
    "<figures>/hero-dark.png",
]


rule hero:
    """The README's picture, for light and dark pages."""
    input:
        confidence="<results>/summaries/fixed_confidence.csv",
        error_map="<results>/error_map.csv",
        budget="<results>/summaries/fixed_budget.csv",
        caption=source("workflow/captions/hero.rst"),
    output:
        **drawn("hero", "Overview", "The findings in one picture"),
        dark="<figures>/hero-dark.png",
    log:
        "<results>/logs/hero.log",
    group:
        "conclude"
    params:
        panels=panels("collapse"),
        delta=lookup(dpath="figures/delta", within=config),
        error=lookup(dpath="figures/error", within=config),
        code=code("hero"),
    script:
        "../../scripts/hero.py"


rule privacy_cost:
    """Shrinkage and cost of privacy against epsilon, with the real mechanism's measurements."""
    input:
        summary="<results>/summaries/mechanism.csv",
        caption=source("workflow/captions/privacy_cost.rst"),
    output:
        **drawn("privacy_cost", "Privacy", "What privacy costs"),
    log:
        "<results>/logs/privacy_cost.log",
    group:
        "conclude"
    params:
        epsilon=lookup(dpath="figures/epsilon", within=config),
        code=code("privacy_cost"),
    script:
        "../../scripts/privacy_cost.py"


rule fixed_budget_error:
    """Algorithm 1's error probability against the budget."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption=source("workflow/captions/fixed_budget_error.rst"),
    output:
        **drawn(
            "fixed_budget_error",
            "Fixed budget",
            "Algorithm 1: error against the budget",
        ),
    log:
        "<results>/logs/fixed_budget_error.log",
    group:
        "conclude"
    params:
        panels=panels("fixed_budget"),
        error=lookup(dpath="figures/error", within=config),
        epsilon=lookup(dpath="figures/epsilon", within=config),
        code=code("fixed_budget_error"),
    script:
        "../../scripts/fixed_budget_error.py"


rule fixed_budget_collapse:
    """Error against the budget over H_eps for Algorithm 1, whose curves part, and LSA, whose do not."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption=source("workflow/captions/fixed_budget_collapse.rst"),
    output:
        **drawn(
            "fixed_budget_collapse",
            "Fixed budget",
            "Error against the budget in units of the complexity",
        ),
    log:
        "<results>/logs/fixed_budget_collapse.log",
    group:
        "conclude"
    params:
        panels=panels("collapse"),
        error=lookup(dpath="figures/error", within=config),
        epsilon=lookup(dpath="figures/epsilon", within=config),
        code=code("fixed_budget_collapse"),
    script:
        "../../scripts/fixed_budget_collapse.py"


rule fixed_budget_bounds:
    """Error probabilities far below the Monte-Carlo floor beside the bounds on them."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        rare="<results>/rare/fixed_budget.csv",
        exact="<results>/exact/fixed_budget.csv",
        optimum="<results>/exact/optimal_loss.csv",
        environments="<results>/rare/environments.csv",
        bounds="<results>/summaries/budget_bounds.csv",
        caption=source("workflow/captions/fixed_budget_bounds.rst"),
    output:
        **drawn(
            "fixed_budget_bounds",
            "Fixed budget",
            "Fixed budget: errors beside their bounds",
        ),
    log:
        "<results>/logs/fixed_budget_bounds.log",
    group:
        "conclude"
    params:
        panels=panels("bounds"),
        epsilon=lookup(dpath="figures/epsilon", within=config),
        code=code("fixed_budget_bounds"),
    script:
        "../../scripts/fixed_budget_bounds.py"


rule fixed_budget_baselines:
    """Algorithm 1 against LSA, uniform allocation, Laplace noise and no privacy."""
    input:
        summary="<results>/summaries/fixed_budget.csv",
        caption=source("workflow/captions/fixed_budget_baselines.rst"),
    output:
        **drawn(
            "fixed_budget_baselines",
            "Fixed budget",
            "Fixed budget: Algorithm 1 beside its alternatives",
        ),
    log:
        "<results>/logs/fixed_budget_baselines.log",
    group:
        "conclude"
    params:
        panels=panels("baselines"),
        error=lookup(dpath="figures/error", within=config),
        code=code("fixed_budget_baselines"),
    script:
        "../../scripts/fixed_budget_baselines.py"


rule fixed_confidence_cost:
    """Algorithm 2's mean stopping time against epsilon, between its bounds."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption=source("workflow/captions/fixed_confidence_cost.rst"),
    output:
        **drawn(
            "fixed_confidence_cost",
            "Fixed confidence",
            "Algorithm 2: pulls against epsilon",
        ),
    log:
        "<results>/logs/fixed_confidence_cost.log",
    group:
        "conclude"
    params:
        panels=panels("fixed_confidence"),
        delta=lookup(dpath="figures/delta", within=config),
        code=code("fixed_confidence_cost"),
    script:
        "../../scripts/fixed_confidence_cost.py"


rule fixed_confidence_collapse:
    """Algorithm 2's cost over the theorem's scale against epsilon, delta and K."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        caption=source("workflow/captions/fixed_confidence_collapse.rst"),
    output:
        **drawn(
            "fixed_confidence_collapse",
            "Fixed confidence",
            "Algorithm 2: pulls in units of the theorem's scale",
        ),
    log:
        "<results>/logs/fixed_confidence_collapse.log",
    group:
        "conclude"
    params:
        delta=lookup(dpath="figures/delta", within=config),
        code=code("fixed_confidence_collapse"),
    script:
        "../../scripts/fixed_confidence_collapse.py"


rule fixed_confidence_error:
    """Algorithm 2's error probability over delta for every radius."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        error_map="<results>/error_map.csv",
        rare="<results>/rare/fixed_confidence.csv",
        caption=source("workflow/captions/fixed_confidence_error.rst"),
    output:
        **drawn(
            "fixed_confidence_error",
            "Fixed confidence",
            "Algorithm 2: promised and actual error",
        ),
    log:
        "<results>/logs/fixed_confidence_error.log",
    group:
        "conclude"
    params:
        code=code("fixed_confidence_error"),
    script:
        "../../scripts/fixed_confidence_error.py"


rule fixed_confidence_radii:
    """What each radius costs over the lower bound."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption=source("workflow/captions/fixed_confidence_radii.rst"),
    output:
        **drawn(
            "fixed_confidence_radii",
            "Fixed confidence",
            "Algorithm 2: what each radius costs",
        ),
    log:
        "<results>/logs/fixed_confidence_radii.log",
    group:
        "conclude"
    params:
        panels=panels("fixed_confidence"),
        epsilon=lookup(dpath="figures/epsilon", within=config),
        delta=lookup(dpath="figures/delta", within=config),
        code=code("fixed_confidence_radii"),
    script:
        "../../scripts/fixed_confidence_radii.py"


rule allocation:
    """The share of the pulls that each arm gets against its share of the complexity."""
    input:
        summary="<results>/summaries/allocation.csv",
        caption=source("workflow/captions/allocation.rst"),
    output:
        **drawn("allocation", "Both settings", "Which arms are pulled"),
    log:
        "<results>/logs/allocation.log",
    group:
        "conclude"
    params:
        code=code("allocation"),
    script:
        "../../scripts/allocation.py"


rule scaling_arms:
    """The cost of both algorithms against the number of arms."""
    input:
        budget_summary="<results>/summaries/fixed_budget.csv",
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption=source("workflow/captions/scaling_arms.rst"),
    output:
        **drawn("scaling_arms", "Both settings", "Cost against the number of arms"),
    log:
        "<results>/logs/scaling_arms.log",
    group:
        "conclude"
    params:
        epsilon=lookup(dpath="figures/epsilon", within=config),
        delta=lookup(dpath="figures/delta", within=config),
        error=lookup(dpath="figures/error", within=config),
        code=code("scaling_arms"),
    script:
        "../../scripts/scaling_arms.py"


rule optimality_gap:
    """Algorithm 2's cost over each lower bound against epsilon."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        bounds="<results>/summaries/bounds.csv",
        caption=source("workflow/captions/optimality_gap.rst"),
    output:
        **drawn("optimality_gap", "Fixed confidence", "Distance from the lower bound"),
    log:
        "<results>/logs/optimality_gap.log",
    group:
        "conclude"
    params:
        panels=panels("fixed_confidence"),
        delta=lookup(dpath="figures/delta", within=config),
        code=code("optimality_gap"),
    script:
        "../../scripts/optimality_gap.py"


rule surveys:
    """Published surveys replayed: estimates with verdicts, and answers needed to decide."""
    input:
        questions="<results>/tables/surveys.csv",
        caption=source("workflow/captions/surveys.rst"),
    output:
        **drawn("surveys", "Outside world", "Published surveys replayed"),
    log:
        "<results>/logs/surveys.log",
    group:
        "conclude"
    params:
        code=code("surveys"),
    script:
        "../../scripts/surveys.py"
