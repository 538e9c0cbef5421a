# Needs: all other rules. Makes: nothing. A request for a figure, a table, an instance, a simulation
# or a rule that does not exist ends in one line with the names that do.

from ldpt.io.messages import unknown


def refuse(message):
    """End with one line; an exception in an input function would come with a traceback."""
    raise SystemExit(message)


# Anything that is asked of a known instance.
OF_KNOWN = f"(?:{'|'.join(map(re.escape, STUDY.instances))})/.+"


def other_than(names, after="$", form="[^/]+"):
    """What a wildcard may be: of this form, but none of these names before ``after``."""
    return rf"(?!(?:{'|'.join(map(re.escape, names))}){after}){form}"


def tell(kind, names):
    """An input function that ends with the names that exist."""
    return lambda wildcards: refuse(unknown(kind, wildcards.name, names))


def cells(algorithm):
    """The simulations of one algorithm as INSTANCE/HOW, as their files are named."""
    return ["/".join(job) for job in jobs_of(algorithm)]


def tell_cells(algorithm):
    """An input function that ends with the simulations of the instance that was asked for."""

    def tell_cell(wildcards):
        instance = wildcards.name.split("/")[0]
        there = [cell for cell in cells(algorithm) if cell.startswith(f"{instance}/")]
        names = there or ["none of this instance"]
        return refuse(unknown(f"simulation of {algorithm}", wildcards.name, names))

    return tell_cell


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
        "<results>/simulations/{algorithm}/{name}/{how}.parquet",
    wildcard_constraints:
        name=other_than(STUDY.instances, "/"),
        algorithm="fixed_budget|fixed_confidence",


rule unknown_fixed_budget:
    """Tell which runs of a fixed budget the config asks for."""
    input:
        tell_cells("fixed_budget"),
    output:
        "<results>/simulations/fixed_budget/{name}.parquet",
    wildcard_constraints:
        name=other_than(cells("fixed_budget"), r"\.parquet$", OF_KNOWN),


rule unknown_fixed_confidence:
    """Tell which runs of a fixed confidence the config asks for."""
    input:
        tell_cells("fixed_confidence"),
    output:
        "<results>/simulations/fixed_confidence/{name}.parquet",
    wildcard_constraints:
        name=other_than(cells("fixed_confidence"), r"\.parquet$", OF_KNOWN),


ruleorder: unknown_fixed_budget > simulate_fixed_budget
ruleorder: unknown_fixed_confidence > simulate_fixed_confidence


rule unknown_rule:
    """Tell which rules exist."""
    input:
        tell(
            "rule or file",
            [r.name for r in workflow.rules if not r.name.startswith("unknown_")],
        ),
    output:
        "{name}",
    wildcard_constraints:
        name="[A-Za-z][A-Za-z0-9_-]*",
