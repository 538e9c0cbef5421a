# Needs: config/surveys.yaml, config/others.yaml. Makes: results/tables/surveys and others: published
# surveys replayed, numbers of others beside ours.

PRODUCTS += [
    expand(
        "<results>/tables/{name}.{ext}",
        name=["surveys", "others"],
        ext=["csv", "md", "tex"],
    ),
]


rule replay_surveys:
    """Replay published surveys in random orders: answers needed, verdicts, estimates."""
    input:
        surveys=source("config/surveys.yaml"),
        kernels="<results>/kernels.json",
    output:
        **tabled("surveys"),
    log:
        "<results>/logs/replay_surveys.log",
    priority: LONG
    group:
        "engines"
    params:
        code=code("replay_surveys"),
        seed=lookup(dpath="seed", within=config),
    script:
        "../../scripts/replay_surveys.py"


rule others:
    """Put numbers of others beside ours, with the difference in standard errors."""
    input:
        others=source("config/others.yaml"),
        kernels="<results>/kernels.json",
    output:
        **tabled("others"),
    log:
        "<results>/logs/others.log",
    priority: LONG
    group:
        "engines"
    params:
        code=code("others"),
        seed=lookup(dpath="seed", within=config),
    script:
        "../../scripts/others.py"
