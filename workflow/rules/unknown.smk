# Needs: all other rules. Makes: nothing, but whoever asks for a figure, a table, an instance or a
# rule that does not exist is told which ones do.


def other_than(names, after="$"):
    """What a wildcard may be: anything but these names, where they stand before ``after``."""
    return rf"(?!(?:{'|'.join(map(re.escape, names))}){after})[^/]+"


def tell(kind, names):
    """An input function that ends with one line; an exception would come with a traceback."""

    def refuse(wildcards):
        raise SystemExit(f"no {kind} {wildcards.name!r}; there are {', '.join(names)}")

    return refuse


rule unknown_figure:
    """Tell which figures exist."""
    input:
        tell("figure", FIGURES),
    output:
        "<figures>/{name}.{ext}",
    wildcard_constraints:
        name=other_than(FIGURES, r"\.(?:pdf|png)$"),
        ext="pdf|png",


rule unknown_table:
    """Tell which tables exist."""
    input:
        tell("table", TABLES),
    output:
        "<results>/tables/{name}.{ext}",
    wildcard_constraints:
        name=other_than(TABLES, r"\.(?:csv|md|tex)$"),
        ext="csv|md|tex",


rule unknown_instance:
    """Tell which instances exist."""
    input:
        tell("instance", STUDY.instances),
    output:
        "<results>/instances/{name}.json",
    wildcard_constraints:
        name=other_than(STUDY.instances, r"\.json$"),


rule unknown_simulation:
    """Tell which instances can be simulated."""
    input:
        tell("instance", STUDY.instances),
    output:
        "<results>/simulations/{algorithm}/{name}/{how}/{epsilon}.parquet",
    wildcard_constraints:
        name=other_than(STUDY.instances, "/"),
        algorithm="fixed_budget|fixed_confidence",


rule unknown_rule:
    """Tell which rules exist."""
    input:
        tell(
            "rule or figure",
            [r.name for r in workflow.rules if not r.name.startswith("unknown_")],
        ),
    output:
        "{name}",
    wildcard_constraints:
        name="[A-Za-z][A-Za-z0-9_-]*",
