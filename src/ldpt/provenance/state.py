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
from pathlib import Path
from typing import Any

from ldpt.provenance.dag import UNCHECKED, Project, plan_jobs
from ldpt.provenance.environment import FOLDER, config_origin, folder_name
from ldpt.provenance.records import RECORDS, record_path
from ldpt.provenance.run import read_run
from ldpt.util.files import write_durably
from ldpt.util.messages import counted, short

STALE = "LDPT_STALE"  # variable of the environment: "remove" allows to remove stale products


def check_run(workflow: Any, home: Path, root: str | Path) -> None:
    """End Snakemake with one line if a run would start from stale products of another folder.

    For a Snakefile in the folder ``home``, with Snakemake's ``workflow``. Jobs, which read the
    Snakefile again, and workflows that use this one as a module are left alone.
    """
    main = Path(workflow.main_snakefile).resolve().parent
    if not workflow.is_main_process or main != home.resolve() or os.environ.get(UNCHECKED):
        return
    if not folder_name():
        write_durably(FOLDER, secrets.token_hex(8))
    try:
        stale = _stale_products(Project(home, Path.cwd(), Path.cwd() / root), workflow)
    except ValueError as error:
        sys.exit(str(error))
    if not stale:
        return
    rules = Counter(rule for rule, _ in stale.values())
    listed = ", ".join(f"{rule} ({number})" for rule, number in rules.items())
    reasons = sorted({detail for _, details in stale.values() for detail in details})
    what = f"{counted(len(stale), 'product')} under {root}"
    why = f"{short('; '.join(reasons), 200)}; rules {listed}"
    if os.environ.get(STALE) != "remove":
        sys.exit(
            f"{what} came from another folder and would be made differently now ({why}): "
            f"start Snakemake with {STALE}=remove in the environment to make them again"
        )
    for name in stale:
        for path in (Path(root, name), record_path(root, name)):
            path.unlink(missing_ok=True)
    print(f"removed {what}: {why}", file=sys.stderr)


def _stale_products(project: Project, workflow: Any) -> dict[str, tuple[str, list[str]]]:
    """Return rule and reasons for each product of another folder that is not up to date."""
    if not (project.root / RECORDS).is_dir():
        return {}
    run = read_run(project.root)
    run.project, run.listed = project, {}
    folder = folder_name()
    foreign = {n for n, r in run.records.items() if r["volatile"].get("folder") != folder}
    foreign |= run.invalid.keys()
    if foreign:
        run.steps = plan_jobs(project, config_origin(workflow))
    stale = {}
    for name in sorted(run.steps.keys() & foreign):
        details = [detail for kind, detail in run.discrepancies(name) if kind != "missing"]
        if details and (project.root / name).is_file():
            stale[name] = run.steps[name].rule, details
    return stale
