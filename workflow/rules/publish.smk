# Needs: summaries, figures, claims. Makes: article, pages, notebook and last paper/run.json.

NOTEBOOK = "workflow/notebooks/explore.ipynb"


report: "../captions/workflow.rst"


rule gather_numbers:
    """Gather every number that article and README show, and fill the findings of the README."""
    input:
        facts=expand("<results>/captions/{name}.json", name=FIGURES),
        claims="<results>/claims.json",
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
        instances="<results>/instances.json",
        citation=source("CITATION.cff"),
        findings=source("workflow/captions/findings.md"),
    output:
        numbers="<results>/numbers.json",
        findings="<figures>/findings.md",
    log:
        "<results>/logs/gather_numbers.log",
    params:
        code=code("gather_numbers"),
        seed=config["seed"],
        rho=config["rho"],
        config_hash=stable_hash(config),
    script:
        "../../scripts/gather_numbers.py"


rule article:
    """Typeset the replication article."""
    input:
        report=source("paper/report.typ"),
        parts=sources(
            "paper",
            "layout.typ",
            "related.typ",
            "proofs.typ",
            "theorems.typ",
            "graded.typ",
            "references.yml",
        ),
        numbers="<results>/numbers.json",
        claims="<results>/claims.json",
        tapes="<results>/evidence/tapes.csv",
        world=expand(
            "<results>/tables/{name}.csv",
            name=["instances", "surveys", "others", "graded_answers"],
        ),
        figures=expand("<figures>/{name}.pdf", name=FIGURES),
        captions=expand("<results>/captions/{name}.{ext}", name=FIGURES, ext=["rst", "typ"]),
    output:
        # Not in Snakemake's report: Chromium opens no data URI of more than 2 MiB.
        "<paper>/report.pdf",
    log:
        "<results>/logs/article.log",
    params:
        code=code("article"),
    script:
        "../../scripts/article.py"


rule claims_page:
    """Show the verdict on every claim as a page."""
    input:
        claims="<results>/claims.json",
        numbers="<results>/numbers.json",
        proofs=source("paper/proofs.typ"),
        page=sources("workflow/pages/claims", "page.html", "page.css", "page.js"),
    output:
        report(
            "<results>/claims.html",
            caption="../captions/claims.rst",
            category="Verdicts",
            labels={"page": "The verdict on every statement"},
        ),
    log:
        "<results>/logs/claims_page.log",
    params:
        code=code("claims_page"),
    script:
        "../../scripts/claims_page.py"


rule explorer:
    """Put what was measured into the interactive page."""
    input:
        page=sources(
            "workflow/pages/explorer",
            "page.html",
            "page.css",
            "model.js",
            "chart.js",
            "race.js",
            "page.js",
        ),
        instances="<results>/instances.json",
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
    output:
        report(
            "<figures>/explorer.html",
            caption="../captions/explorer.rst",
            category="Explore",
            labels={"page": "The explorer: try other problems"},
        ),
    log:
        "<results>/logs/explorer.log",
    params:
        code=code("explorer"),
        rho=config["rho"],
        prior_gap=config["prior_gap"],
    script:
        "../../scripts/explorer.py"


rule notebook:
    """Execute the notebook on these results and render it as a page."""
    input:
        notebook=source(NOTEBOOK),
        instances="<results>/instances.json",
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
    output:
        page=report(
            "<results>/explore/explore.html",
            caption="../captions/notebook.rst",
            category="Explore",
            labels={"page": "From the tables of a run to figures"},
        ),
    log:
        "<results>/logs/notebook.log",
    params:
        code=code(NOTEBOOK),
        renderer=code("run_notebook"),
    script:
        "../../scripts/run_notebook.py"


# The rules whose outputs are products: of the replication, and of a study on problems of the user's.
REPLICATION = """
    instances simulate_mechanism count_pulls rare_fixed_budget rare_environments
    rare_fixed_confidence exact_curves optimal_loss error_map summarise_fixed_budget summarise_fixed_confidence summarise_bounds
    replay_surveys others graded_answers evidence_displays evidence_chains evidence_measured claims
    gather_numbers article claims_page explorer notebook
"""
STUDY = """
    instances summarise_fixed_budget summarise_fixed_confidence summarise_bounds
    fixed_budget_error fixed_budget_collapse bounds
"""
MAKERS = STUDY.split() if config["extra_instances"] else [*REPLICATION.split(), *FIGURES]
PRODUCTS = [simulations("fixed_budget"), simulations("fixed_confidence")]
PRODUCTS += [getattr(rules, name).output for name in MAKERS]


rule manifest:
    """List every job with the hashes of its products, in one file for git."""
    input:
        PRODUCTS,
    output:
        "<paper>/run.json",
    log:
        "<results>/logs/manifest.log",
    params:
        code=code("manifest"),
        config=config,
        origin=config_origin(workflow),
    script:
        "../../scripts/manifest.py"
