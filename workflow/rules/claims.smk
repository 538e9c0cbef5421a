# Needs: paper/claims.yaml, results/summaries, results/rare. Makes: results/error_map.csv,
# results/evidence, results/claims.json and the table of claims. `snakemake claims` runs just this.


rule error_map:
    """Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps."""
    input:
        kernels="<results>/kernels.json",
    output:
        "<results>/error_map.csv",
    log:
        "<results>/logs/error_map.log",
    priority: LONG
    group:
        "engines"
    params:
        code=code("error_map"),
        seed=lookup(dpath="seed", within=config),
        constants=EXPERIMENT.constants,
        map=lookup(dpath="error_map", within=config),
    script:
        "../../scripts/error_map.py"


rule evidence_displays:
    """Check the paper's displays in exact and interval arithmetic."""
    output:
        "<results>/evidence/displays.json",
    log:
        "<results>/logs/evidence_displays.log",
    priority: LONG
    group:
        "prepare"
    params:
        code=code("evidence_displays"),
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
    group:
        "engines"
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
    priority: LONG
    group:
        "engines"
    params:
        code=code("evidence_tapes"),
        seed=lookup(dpath="seed", within=config),
        checks=lookup(dpath="proof_checks", within=config),
    script:
        "../../scripts/evidence_tapes.py"


rule evidence_measured:
    """Test the simulated claims on the summaries and the map of errors."""
    input:
        **MEASURED_TABLES,
        instances="<results>/instances.json",
    output:
        "<results>/evidence/measured.json",
    log:
        "<results>/logs/evidence_measured.log",
    priority: LONG
    group:
        "evaluate"
    params:
        code=code("evidence_measured"),
    script:
        "../../scripts/evidence_measured.py"


rule claims:
    """Judge every claim of the register and tabulate the verdicts."""
    input:
        register=source("paper/claims.yaml"),
        schemas=sources(
            "workflow/schemas", "claims.schema.yaml", "verdicts.schema.yaml"
        ),
        evidence=expand("<results>/evidence/{name}.json", name=EVIDENCE),
        page=source("workflow/captions/verdicts.md"),
    output:
        **tabled("claims"),
        verdicts="<results>/claims.json",
        page="<paper>/verdicts.md",
    log:
        "<results>/logs/claims.log",
    priority: LONG
    group:
        "conclude"
    params:
        code=code("claims"),
    script:
        "../../scripts/claims.py"
