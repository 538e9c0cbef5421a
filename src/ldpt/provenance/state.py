"""Whether the products of a run are what the present code and config would make.

Snakemake keeps what made a file in its folder ``.snakemake``, which a run that is copied or handed
over leaves behind; without it Snakemake compares times only. The records know the code, the
settings and the inputs of every product. So before a run, products that another folder's Snakemake
has made are compared with the DAG by their records.
"""

import os
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ldpt.io.files import write_durably
from ldpt.io.messages import counted, short
from ldpt.provenance.code import code_parts
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.plan import UNCHECKED, JobPlan, Project, plan_jobs
from ldpt.provenance.records import (
    FOLDER,
    config_origin,
    folder_name,
    products_under,
    read_record,
    record_path,
)

STALE = "LDPT_STALE"  # variable of the environment: "remove" allows to remove stale products


def check_run(workflow: Any, home: Path, root: str | Path) -> None:
    """End Snakemake with one line if a run would start from stale products of another folder.

    For a Snakefile in the folder ``home``, with Snakemake's ``workflow``. Jobs, which read the
    Snakefile again, and workflows that use this one as a module are left alone.
    """
    main = Path(workflow.main_snakefile).resolve().parent
    if not workflow.is_main_process or main != home.resolve():
        return
    try:
        here = Path.cwd()
        require_current(Project(home, here, here / root), config_origin(workflow))
    except ValueError as error:
        sys.exit(str(error))


def require_current(project: Project, origin: Mapping[str, Any]) -> None:
    """Refuse a run in a folder with stale products that Snakemake would call up to date."""
    if os.environ.get(UNCHECKED):
        return
    if not folder_name():
        write_durably(FOLDER, secrets.token_hex(8))
    foreign = foreign_products(project.root)
    if not foreign:
        return
    steps = plan_jobs(project, origin)
    stale = {name: changes for name in foreign if (changes := _stale(name, steps, project))}
    if not stale:
        return
    rules = Counter(steps[name].rule for name in stale)
    listed = ", ".join(f"{rule} ({number})" for rule, number in rules.items())
    kinds = sorted({change for changes in stale.values() for change in changes})
    what = f"{counted(len(stale), 'product')} under {os.path.relpath(project.root)}"
    why = f"{short('; '.join(kinds), 200)}; rules {listed}"
    if os.environ.get(STALE) != "remove":
        raise ValueError(
            f"{what} came from another folder and would be made differently now ({why}): "
            f"start Snakemake with {STALE}=remove in the environment to make them again"
        )
    for name in stale:
        for path in (project.root / name, record_path(project.root, name)):
            path.unlink(missing_ok=True)
    print(f"removed {what}: {why}", file=sys.stderr)


def foreign_products(root: Path) -> list[str]:
    """Return the products that were made by the Snakemake of another folder, by their records."""
    here, foreign = folder_name(), []
    for name in products_under(root):
        try:
            record = read_record(record_path(root, name))
        except ValueError:
            foreign.append(name)
            continue
        if record["volatile"].get("folder") != here:
            foreign.append(name)
    return foreign


def _stale(name: str, steps: JobPlan, project: Project) -> list[str]:
    """Say what has changed since a product was made; nothing for one that no rule makes now."""
    if name not in steps or not (project.root / name).is_file():
        return []
    try:
        stable = read_record(record_path(project.root, name))["stable"]
    except ValueError:
        return ["invalid record"]
    details = changes(name, stable, steps, project)
    for source, sha in stable["sources"].items():
        path = project.source_folder(source) / source
        if not path.is_file() or file_hash(path) != sha:
            details.append(f"{source} changed")
    return details


def changes(product: str, stable: Mapping[str, Any], steps: JobPlan, project: Project) -> list[str]:
    """Say what of a record differs from how its product would be made now; inputs by name only."""
    step = steps.get(product)
    if step is None:
        return ["no current rule produces it"]
    details = [f"rule was {stable['rule']}"] if stable["rule"] != step.rule else []
    if step.code and stable["code"]["hash"] != step.code:
        details.append(f"code changed: {', '.join(_changed_code(stable, project))}")
    for title, before, now in (
        ("settings", stable["params"], step.params),
        ("wildcards", stable["wildcards"], step.wildcards),
    ):
        names = [k for k in sorted({*before, *now}) if before.get(k) != now.get(k)]
        if names:
            details.append(f"{title} changed: {', '.join(names)}")
    if {*stable["inputs"], *project.seen_from_root(stable["sources"])} != step.inputs:
        details.append("set of inputs changed")
    return details


def _changed_code(stable: Mapping[str, Any], project: Project) -> Iterable[str]:
    before = stable["code"]["parts"]
    try:
        now = code_parts(project.home / stable["script"], stable["params"].get("rows"))
    except (ValueError, SyntaxError):
        now = {}
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
