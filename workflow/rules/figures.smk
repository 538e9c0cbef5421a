# Needs: results/summaries, results/rare, results/exact. Makes: figures, and results/captions, the
# caption of each with its numbers and the facts behind them.
# The rules are made from workflow/figures.yaml: the rule NAME is the entry NAME there.

from pathlib import Path


def drawn(name, category):
    """What every figure's rule makes; the caption with its numbers stands in Snakemake's report."""
    caption = str(Path(under(f"results/captions/{name}.rst")).resolve())
    return {
        "pdf": f"<figures>/{name}.pdf",
        "png": report(f"<figures>/{name}.png", caption=caption, category=category),
        "caption": f"<results>/captions/{name}.rst",
        "typst": f"<results>/captions/{name}.typ",
        "facts": f"<results>/captions/{name}.json",
    }


# The path of a script is read when its job runs, long after this loop: hence params.figure in it.
for name, figure in FIGURES.items():

    rule:
        name:
            name
        input:
            **figure["inputs"],
            caption=f"workflow/captions/{name}.rst",
        output:
            **drawn(name, figure["category"]),
        log:
            f"<results>/logs/{name}.log",
        group:
            "conclude"
        conda:
            "../../environment.yml"
        params:
            **catalog.settings(figure["params"], config),
            code=code(f"scripts/{name}.py"),
            figure=name,
        script:
            "../../scripts/{params.figure}.py"

    # What `snakemake --list` and Snakemake's report say of it.
    workflow.get_rule(name).docstring = figure["shows"]
    workflow.get_rule(name).script = f"../../scripts/{name}.py"
