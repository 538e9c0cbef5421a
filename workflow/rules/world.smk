# Needs: config/surveys.yaml, config/others.yaml. Makes: the tables surveys, others, graded_answers.


rule replay_surveys:
    """Replay published surveys in random orders: answers needed, verdicts, estimates."""
    input:
        surveys=source("config/surveys.yaml"),
        kernels=kernels(),
    output:
        **table_files("surveys"),
    log:
        "<results>/logs/replay_surveys.log",
    params:
        code=code("replay_surveys"),
        seed=config["seed"],
    script:
        "../../scripts/replay_surveys.py"


rule others:
    """Put numbers of others beside ours, with the difference in standard errors."""
    input:
        others=source("config/others.yaml"),
        kernels=kernels(),
    output:
        **table_files("others"),
    log:
        "<results>/logs/others.log",
    params:
        code=code("others"),
        seed=config["seed"],
    script:
        "../../scripts/others.py"


rule graded_answers:
    """Count the answers that graded questions need, with cuts left out beforehand."""
    input:
        kernels=kernels(),
    output:
        **table_files("graded_answers"),
    log:
        "<results>/logs/graded_answers.log",
    params:
        code=code("graded_answers"),
    script:
        "../../scripts/graded_answers.py"
