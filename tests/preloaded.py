"""Snakemake, started as a copy of a process that has imported it already.

Its own imports take longer than a plan of this workflow, and the tests start it about a hundred
times. From there on all is as in ``python -m snakemake``: arguments, folder, environment, exit
status, what it prints. Nothing of ldpt is imported beforehand, so that every run takes its own.
"""

import multiprocessing
import os
import runpy
import sys
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

PREPARED = multiprocessing.get_context("forkserver")
PREPARED.set_forkserver_preload(
    ["snakemake.cli", "snakemake.report.html_reporter", "smart_open", "jsonschema", "numpy"]
)


def environment(folder: Path, own_code: bool) -> dict[str, str]:
    """This Python's commands come first; ``own_code`` takes ldpt from the folder as well."""
    ours = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return os.environ | ours | ({"PYTHONPATH": str(folder / "src")} if own_code else {})


def run(folder: Path, *arguments: str, own_code: bool = False) -> CompletedProcess[str]:
    """Run Snakemake in a folder to its end."""
    with TemporaryDirectory() as name:
        said = [Path(name) / "out", Path(name) / "err"]
        given = environment(folder, own_code)
        running = PREPARED.Process(target=_main, args=(folder, arguments, given, said))
        running.start()
        running.join()
        out, err = (file.read_text(encoding="utf-8") for file in said)
    return CompletedProcess(["snakemake", *arguments], running.exitcode or 0, out, err)


def start(folder: Path, *arguments: str) -> ForkServerProcess:
    """Start Snakemake in a process group of its own, to kill it with its jobs; it is silent."""
    begun, began = PREPARED.Pipe(duplex=False)
    nowhere = [Path(os.devnull)] * 2
    given = environment(folder, own_code=False)
    running = PREPARED.Process(target=_main, args=(folder, arguments, given, nowhere, began))
    running.start()
    began.close()
    begun.poll(None)  # until the group exists
    return running


def _main(
    folder: Path,
    arguments: tuple[str, ...],
    given: dict[str, str],
    said: list[Path],
    began: Connection | None = None,
) -> None:
    """What ``python -m snakemake`` does, in a process that begins in the middle.

    With ``began`` it has a process group of its own, and closes that connection once it exists.
    """
    if began is not None:
        os.setsid()
        began.close()
    for number, file in enumerate(said, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(given)
    first = filter(None, given.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [str(folder), *first]
    sys.argv = ["snakemake", *arguments]
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
