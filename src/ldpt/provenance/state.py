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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldpt.io.files import write_durably
from ldpt.io.messages import counted, short
from ldpt.provenance.circumstances import FOLDER, config_origin, folder_name
from ldpt.provenance.comparison import Evidence
from ldpt.provenance.plan import UNCHECKED, Project, plan_jobs
from ldpt.provenance.records import record_path

STALE = "LDPT_STALE"  # variable of the environment: "remove" allows to remove stale products


def check_run(workflow: Any, home: Path, root: str | Path) -> None:
    """End Snakemake with one line if a run would start from stale products of another folder.

    For a Snakefile in the folder ``home``, with Snakemake's ``workflow``. Jobs, which read the
    Snakefile again, and workflows that use this one as a module are left alone.
    """
    main = Path(workflow.main_snakefile).resolve().parent
    if not workflow.is_main_process or main != home.resolve() or os.environ.get(UNCHECKED):
        return
    try:
        folder = Path.cwd()
        require_current(Project(home, folder, folder / root), config_origin(workflow))
    except ValueError as error:
        sys.exit(str(error))


def require_current(project: Project, origin: Mapping[str, Any]) -> None:
    """Refuse a run in a folder with stale products that Snakemake would call up to date."""
    if not folder_name():
        write_durably(FOLDER, secrets.token_hex(8))
    stale = _stale_products(project, origin)
    if not stale:
        return
    rules = Counter(rule for rule, _ in stale.values())
    listed = ", ".join(f"{rule} ({number})" for rule, number in rules.items())
    reasons = sorted({detail for _, details in stale.values() for detail in details})
    what = f"{counted(len(stale), 'product')} under {os.path.relpath(project.root)}"
    why = f"{short('; '.join(reasons), 200)}; rules {listed}"
    if os.environ.get(STALE) != "remove":
        raise ValueError(
            f"{what} came from another folder and would be made differently now ({why}): "
            f"start Snakemake with {STALE}=remove in the environment to make them again"
        )
    for name in stale:
        for path in (project.root / name, record_path(project.root, name)):
            path.unlink(missing_ok=True)
    print(f"removed {what}: {why}", file=sys.stderr)


def _stale_products(
    project: Project, origin: Mapping[str, Any]
) -> dict[str, tuple[str, list[str]]]:
    """Return rule and reasons for each product of another folder that is not up to date."""
    evidence, folder = Evidence(project), folder_name()
    evidence.read_records()
    foreign = [n for n, r in evidence.records.items() if r["volatile"].get("folder") != folder]
    foreign += evidence.invalid
    evidence.steps = plan_jobs(project, origin) if foreign else {}
    stale = {}
    for name in sorted(evidence.steps.keys() & set(foreign)):
        details = [detail for kind, detail in evidence.discrepancies(name) if kind != "missing"]
        if details and (project.root / name).is_file():
            stale[name] = evidence.steps[name].rule, details
    return stale
