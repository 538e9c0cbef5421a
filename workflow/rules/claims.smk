# Needs: paper/claims.yaml, summaries, results/rare. Makes: evidence, error_map.csv, claims.json.


rule error_map:
    """Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps."""
    input:
        kernels=kernels("fixed_confidence"),
    output:
        "<results>/error_map.csv",
    log:
        "<results>/logs/error_map.log",
    params:
        code=code("error_map"),
        seed=config["seed"],
        constants=CONSTANTS,
        map=config["error_map"],
    script:
        "../../scripts/error_map.py"


rule evidence_displays:
    """Check the paper's displays in exact and interval arithmetic."""
    output:
        "<results>/evidence/displays.json",
    log:
        "<results>/logs/evidence_displays.log",
    params:
        code=code("evidence_displays"),
    script:
        "../../scripts/evidence_displays.py"


rule evidence_chains:
    """Exact error of Algorithm 2 with its certificate, exact losses of Algorithm 1."""
    input:
        kernels=kernels(),
    output:
        "<results>/evidence/chains.json",
    log:
        "<results>/logs/evidence_chains.log",
    params:
        code=code("evidence_chains"),
    script:
        "../../scripts/evidence_chains.py"


rule evidence_tapes:
    """Check the appendix on tapes with a wrong answer and on exact chains."""
    output:
        "<results>/evidence/tapes.csv",
    log:
        "<results>/logs/evidence_tapes.log",
    params:
        code=code("evidence_tapes"),
        seed=config["seed"],
        checks=config["proof_checks"],
    script:
        "../../scripts/evidence_tapes.py"


rule evidence_measured:
    """Test the simulated claims on the summaries and the map of errors."""
    input:
        budget="<results>/summaries/fixed_budget.csv",
        confidence="<results>/summaries/fixed_confidence.csv",
        mechanism="<results>/summaries/mechanism.csv",
        error_map="<results>/error_map.csv",
        rare_budget="<results>/rare/fixed_budget.csv",
        rare_confidence="<results>/rare/fixed_confidence.csv",
        tapes="<results>/evidence/tapes.csv",
        surveys="<results>/tables/surveys.csv",
        optimum="<results>/exact/optimal_loss.csv",
        instances="<results>/instances.json",
    output:
        "<results>/evidence/measured.json",
    log:
        "<results>/logs/evidence_measured.log",
    params:
        code=code("evidence_measured"),
    script:
        "../../scripts/evidence_measured.py"


rule claims:
    """Judge every claim of the register and tabulate the verdicts."""
    input:
        register=source("paper/claims.yaml"),
        schemas=sources("workflow/schemas", "claims.schema.yaml", "verdicts.schema.yaml"),
        evidence=expand("<results>/evidence/{name}.json", name=["displays", "chains", "measured"]),
        page=source("workflow/captions/verdicts.md"),
    output:
        **table_files("claims"),
        verdicts="<results>/claims.json",
        page="<paper>/verdicts.md",
    log:
        "<results>/logs/claims.log",
    params:
        code=code("claims"),
    script:
        "../../scripts/claims.py"
