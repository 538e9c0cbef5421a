"""A SLURM cluster of several nodes on this one machine, for the time of a test.

Debian's daemons, started by hand: no systemd, no database. Each node is a slurmd with its own port.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

DEFAULT_CONFIG = Path("/etc/slurm/slurm.conf")  # jobs lose SLURM_CONF, so only this place will do
MUNGE_SOCKET = Path("/run/munge/munge.socket.2")
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
UP_WITHIN = 30  # seconds that daemons may take to answer

CONFIG = """\
ClusterName=test
SlurmctldHost={host}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort={port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
MinJobAge=86400
JobRequeue=0
ReturnToService=0
KillWait=1
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def missing() -> str | None:
    """Why no cluster can be brought up here, if so."""
    absent = [name for name in DAEMONS if shutil.which(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (tests/cluster/install does it)"
    if os.geteuid() != 0:
        return "SLURM's daemons need root"
    if DEFAULT_CONFIG.exists() and not DEFAULT_CONFIG.is_symlink():
        return f"{DEFAULT_CONFIG} is there: this machine belongs to a cluster"
    return None


class Cluster:
    """Some nodes with some cores each; more in sum than the machine may have."""

    def __init__(self, folder: Path, nodes: int = 4, cpus: int = 4, port: int = 26817) -> None:
        self.folder = folder
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.cpus = cpus
        self.port = port
        self.started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Cluster":
        try:
            self._configure()
            self._start_munge()
            self._start("slurmctld", "-D", "-c")
            for node in self.nodes:
                self._start("slurmd", "-D", "-N", node)
            _await(self._ready, "nodes that are idle", self.folder)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["scancel", "--user", "root"], capture_output=True, check=False)
        for daemon in reversed(self.started):
            daemon.terminate()
        for daemon in self.started:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
        DEFAULT_CONFIG.unlink(missing_ok=True)

    def _configure(self) -> None:
        (self.folder / "state").mkdir(parents=True)
        host = os.uname().nodename
        nodes = [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={self.port + number} "
            f"CPUs={self.cpus} RealMemory=16000 State=UNKNOWN"
            for number, node in enumerate(self.nodes, start=1)
        ]
        text = CONFIG.format(host=host, folder=self.folder, port=self.port, nodes="\n".join(nodes))
        (self.folder / "slurm.conf").write_text(text)
        DEFAULT_CONFIG.unlink(missing_ok=True)
        DEFAULT_CONFIG.symlink_to(self.folder / "slurm.conf")

    def _start_munge(self) -> None:
        """Munge signs every message; its daemon of this machine is used where one runs."""
        if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode == 0:
            return
        MUNGE_SOCKET.parent.mkdir(exist_ok=True)
        MUNGE_SOCKET.unlink(missing_ok=True)
        for owned in (MUNGE_SOCKET.parent, Path("/var/log/munge"), Path("/var/lib/munge")):
            shutil.chown(owned, "munge", "munge")
        MUNGE_SOCKET.parent.chmod(0o755)
        self._start("munged", "--foreground", "--force", user="munge")
        _await(MUNGE_SOCKET.exists, "munge's socket", self.folder)

    def _start(self, *command: str, user: str | None = None) -> None:
        with (self.folder / f"{command[0]}.out").open("ab") as out:
            daemon = subprocess.Popen(command, stdout=out, stderr=out, user=user, group=user)
        self.started.append(daemon)

    def _ready(self) -> bool:
        return self.node_states() == {node: "idle" for node in self.nodes}

    def node_states(self) -> dict[str, str]:
        """The state of every node that the controller knows."""
        answer = _ask("sinfo", "--noheader", "--Node", "--format=%N %t")
        return dict(line.split() for line in answer.splitlines())

    def jobs(self) -> dict[str, tuple[str, str]]:
        """State and node of every job that there has been."""
        answer = _ask("squeue", "--noheader", "--states=all", "--format=%i %T %N")
        lines = [line.split(" ") for line in answer.splitlines()]
        return {job: (state, node) for job, state, node in lines}

    def cores(self) -> list[int]:
        """How many cores each job asked for."""
        answer = _ask("squeue", "--noheader", "--states=all", "--format=%C")
        return [int(line) for line in answer.splitlines()]

    def state(self, job: str) -> str:
        """The state of one job."""
        return self.jobs()[job][0]

    def in_mid_run(self, run: subprocess.Popen[bytes], products: list[Path]) -> tuple[str, str]:
        """Wait until a job of this run has made some of its products: the job and its node."""
        while run.poll() is None:
            running = [
                (job, node) for job, (state, node) in self.jobs().items() if state == "RUNNING"
            ]
            if running and any(product.exists() for product in products):
                return running[0]
            time.sleep(0.2)
        raise RuntimeError("the run ended before a job of it was seen at work")

    def cancel(self, job: str) -> None:
        """Kill a job as a user or an administrator would."""
        _ask("scancel", job, check=True)

    def set_node(self, node: str, state: str) -> None:
        """Take a node down, or let it come back."""
        reason = ["reason=test"] if state == "down" else []
        _ask("scontrol", "update", f"nodename={node}", f"state={state}", *reason, check=True)


def _ask(*command: str, check: bool = False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def _await(condition: Callable[[], bool], what: str, folder: Path) -> None:
    """Wait for daemons to answer; when they do not, tell where they say why."""
    deadline = time.monotonic() + UP_WITHIN
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"no {what} after {UP_WITHIN} s; see the logs in {folder}")
        time.sleep(0.2)
