"""An executor that runs nothing and writes every job of the DAG as one line of JSON.

``snakemake --executor ldpt-plan --ldpt-plan-out FILE --forceall`` lists the rule, outputs, inputs,
wildcards and parameters of all jobs, through the public interface of executor plugins.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from snakemake_interface_executor_plugins.executors.base import AbstractExecutor, SubmittedJobInfo
from snakemake_interface_executor_plugins.settings import CommonSettings, ExecutorSettingsBase

common_settings = CommonSettings(
    non_local_exec=False,
    dryrun_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
)


@dataclass
class ExecutorSettings(ExecutorSettingsBase):
    """Where the list of jobs goes."""

    out: Optional[str] = field(  # noqa: UP045  (Snakemake makes an option of the type)
        default=None, metadata={"help": "File that gets one line per job", "required": True}
    )


class Executor(AbstractExecutor):
    """Write jobs instead of running them."""

    def run_job(self, job: Any) -> None:
        for member in job.jobs if job.is_group() else [job]:
            self.write(member)
        info = SubmittedJobInfo(job=job)
        self.report_job_submission(info)
        self.report_job_success(info)

    def write(self, job: Any) -> None:
        """Append one job; a list of more than a hundred files is not part of its properties."""
        properties = json.loads(job.properties())
        line = {name: properties[name] for name in ("rule", "wildcards", "params")}
        line |= {"input": list(map(str, job.input)), "output": list(map(str, job.output))}
        with Path(self.workflow.executor_settings.out).open("a", encoding="utf-8") as file:
            print(json.dumps(line), file=file)

    def get_exec_mode(self) -> Any:
        raise NotImplementedError

    def cancel(self) -> None:
        """Do nothing: no job is running."""

    def shutdown(self) -> None:
        """Do nothing: no job is running."""

    def handle_job_success(self, job: Any) -> None:
        """Do nothing: no job was run."""

    def handle_job_error(self, job: Any) -> None:
        """Do nothing: no job was run."""

    @property
    def cores(self) -> Any:
        return self.workflow.resource_settings.cores
