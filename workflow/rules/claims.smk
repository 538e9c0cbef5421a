# Needs: paper/claims.yaml, results/summaries, results/rare. Makes: results/error_map.csv,
# results/evidence, results/claims.json and the table of claims. `snakemake claims` runs just this.

MEASURED_TABLES = {
    "budget": "<results>/summaries/fixed_budget.csv",
    "confidence": "<results>/summaries/fixed_confidence.csv",
    "mechanism": "<results>/summaries/mechanism.csv",
    "error_map": "<results>/error_map.csv",
    "rare_budget": "<results>/rare/fixed_budget.csv",
    "rare_confidence": "<results>/rare/fixed_confidence.csv",
    "tapes": "<results>/evidence/tapes.csv",
}
EVIDENCE = ["displays", "chains", "measured"]


rule error_map:
    """Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps."""
    input:
        kernels="<results>/kernels.json",
    output:
        "<results>/error_map.csv",
    log:
        "<results>/logs/error_map.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/error_map.py"),
        seed=config["seed"],
        constants=STUDY.constants,
        map=config["error_map"],
    script:
        "../../scripts/error_map.py"


rule evidence_displays:
    """Check the paper's displays in exact and interval arithmetic."""
    output:
        "<results>/evidence/displays.json",
    log:
        "<results>/logs/evidence_displays.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/evidence_displays.py"),
    script:
        "../../scripts/evidence_displays.py"


rule evidence_chains:
    """Exact error of Algorithm 2 with its certificate, exact losses of Algorithm 1."""
    input:
        kernels="<results>/kernels.json",
    output:
        "<results>/evidence/chains.json",
    log:
        "<results>/logs/evidence_chains.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/evidence_chains.py"),
    script:
        "../../scripts/evidence_chains.py"


rule evidence_tapes:
    """Check the appendix on tapes with a wrong answer and on exact chains."""
    output:
        "<results>/evidence/tapes.csv",
    log:
        "<results>/logs/evidence_tapes.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/evidence_tapes.py"),
        seed=config["seed"],
        checks=config["proof_checks"],
    script:
        "../../scripts/evidence_tapes.py"


rule evidence_measured:
    """Test the simulated claims on the summaries and the map of errors."""
    input:
        **MEASURED_TABLES,
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
    output:
        "<results>/evidence/measured.json",
    log:
        "<results>/logs/evidence_measured.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/evidence_measured.py"),
    script:
        "../../scripts/evidence_measured.py"


rule claims:
    """Judge every claim of the register and tabulate the verdicts."""
    input:
        register="paper/claims.yaml",
        schemas=expand(
            "workflow/schemas/{name}.schema.yaml", name=["claims", "verdicts"]
        ),
        evidence=expand("<results>/evidence/{name}.json", name=EVIDENCE),
        tables=list(MEASURED_TABLES.values()),
    output:
        **tabled("claims"),
        verdicts="<results>/claims.json",
    log:
        "<results>/logs/claims.log",
    priority: LONG
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/claims.py"),
        evidence_code=lambda wildcards: {
            name: code_hash(f"scripts/evidence_{name}.py") for name in EVIDENCE
        },
    script:
        "../../scripts/claims.py"
