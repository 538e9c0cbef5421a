# Needs: summaries, figures, captions, claims. Makes: what people open first (the article, the
# explorer, the notebook, the findings of the README), and at last results/manifest.json, by which
# `ldpt audit` knows what there should be.

from ldpt.provenance import config_origin, stable_hash

# The notebook is run by the papermill of this environment, activated or not, and what it says
# goes to the log of the rule.
os.environ["PATH"] = os.pathsep.join(
    [
        os.path.abspath("workflow/notebooks/bin"),
        os.path.dirname(sys.executable),
        os.environ["PATH"],
    ]
)
os.environ["NOTEBOOK_LOG"] = under("results/logs/notebook.log")

PRODUCTS += [
    "<results>/claims.html",
    "<results>/numbers.json",
    "<paper>/report.pdf",
    "<figures>/explorer.html",
    "<figures>/findings.md",
    "<results>/explore/one_answer_or_two.csv",
    "<results>/explore/explore.html",
]


report: "../captions/workflow.rst"


rule gather_numbers:
    """Gather every number that the article and the README show."""
    input:
        facts=expand("<results>/captions/{name}.json", name=FIGURES),
        claims="<results>/claims.json",
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
        citation="CITATION.cff",
    output:
        "<results>/numbers.json",
    log:
        "<results>/logs/gather_numbers.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/gather_numbers.py"),
        seed=config["seed"],
        rho=config["rho"],
        config_hash=stable_hash(config),
    script:
        "../../scripts/gather_numbers.py"


rule report:
    """Typeset the replication article."""
    input:
        report="paper/report.typ",
        parts=expand(
            "paper/{name}",
            name=[
                "layout.typ",
                "related.typ",
                "proofs.typ",
                "theorems.typ",
                "references.yml",
            ],
        ),
        numbers="<results>/numbers.json",
        claims="<results>/claims.json",
        tapes="<results>/evidence/tapes.csv",
        figures=expand("<figures>/{name}.pdf", name=FIGURES),
        captions=expand(
            "<results>/captions/{name}.{ext}", name=FIGURES, ext=["rst", "typ"]
        ),
    output:
        report(
            "<paper>/report.pdf",
            caption="../captions/article.rst",
            category="Article",
        ),
    log:
        "<results>/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/report.py"),
    script:
        "../../scripts/report.py"


rule claims_page:
    """Show the verdict on every claim as a page."""
    input:
        claims="<results>/claims.json",
        page=expand(
            "workflow/pages/claims/{name}", name=["page.html", "page.css", "page.js"]
        ),
    output:
        report(
            "<results>/claims.html",
            caption="../captions/claims.rst",
            category="Audit",
        ),
    log:
        "<results>/logs/claims_page.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/claims_page.py"),
    script:
        "../../scripts/claims_page.py"


rule findings:
    """Fill the findings of the README with the numbers of this run."""
    input:
        template="workflow/captions/findings.md",
        numbers="<results>/numbers.json",
    output:
        "<figures>/findings.md",
    log:
        "<results>/logs/findings.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/findings.py"),
    script:
        "../../scripts/findings.py"


rule explorer:
    """Put what was measured into the interactive page."""
    input:
        page=expand(
            "workflow/pages/explorer/{name}",
            name=[
                "page.html",
                "page.css",
                "model.js",
                "chart.js",
                "race.js",
                "page.js",
            ],
        ),
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
    output:
        report(
            "<figures>/explorer.html",
            caption="../captions/explorer.rst",
            category="Explore",
        ),
    log:
        "<results>/logs/explorer.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/explorer.py"),
        rho=config["rho"],
        prior_gap=config["prior_gap"],
    script:
        "../../scripts/explorer.py"


rule notebook:
    """Run the notebook: from the results to one figure and to a question of its own."""
    input:
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
        fixed_budget="<results>/summaries/fixed_budget.csv",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
    output:
        "<results>/explore/one_answer_or_two.csv",
    log:
        "<results>/logs/notebook.log",
        notebook="<results>/explore/explore.ipynb",
    conda:
        "../../environment.yml"
    params:
        code=code("workflow/notebooks/explore.py.ipynb"),
    notebook:
        "../notebooks/explore.py.ipynb"


rule notebook_html:
    """Render the executed notebook as a page."""
    input:
        "<results>/explore/one_answer_or_two.csv",
    output:
        report(
            "<results>/explore/explore.html",
            caption="../captions/notebook.rst",
            category="Explore",
        ),
    log:
        "<results>/logs/notebook_html.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/notebook_html.py"),
        executed=under("results/explore/explore.ipynb"),
    script:
        "../../scripts/notebook_html.py"


rule manifest:
    """List every product with its hash and the hash of its record."""
    input:
        PRODUCTS,
    output:
        MANIFEST,
    log:
        "<results>/logs/manifest.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/manifest.py"),
        config=config,
        origin=config_origin(workflow),
    script:
        "../../scripts/manifest.py"
