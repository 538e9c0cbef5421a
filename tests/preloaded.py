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
PREPARED.set_forkserver_preload(["snakemake.cli", "jsonschema", "numpy"])


def environment(folder: Path, own_code: bool) -> dict[str, str]:
    """This Python's commands come first; ``own_code`` takes ldpt from the folder as well."""
    ours = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return os.environ | ours | ({"PYTHONPATH": str(folder / "src")} if own_code else {})


def start(
    folder: Path, *arguments: str, own_code: bool = False, said: Path | None = None
) -> ForkServerProcess:
    """Start Snakemake in a folder, in a process group of its own.

    Its output goes to the files ``out`` and ``err`` in the folder ``said``, or nowhere.
    """
    files = [said / "out", said / "err"] if said else [Path(os.devnull)] * 2
    begun, began = PREPARED.Pipe(duplex=False)
    given = environment(folder, own_code)
    running = PREPARED.Process(target=_main, args=(folder, arguments, given, files, began))
    running.start()
    began.close()
    begun.poll(None)  # until the process group exists, and so can be killed
    return running


def run(folder: Path, *arguments: str, own_code: bool = False) -> CompletedProcess[str]:
    """Run Snakemake in a folder to its end."""
    with TemporaryDirectory() as name:
        said = Path(name)
        running = start(folder, *arguments, own_code=own_code, said=said)
        running.join()
        out, err = ((said / name).read_text(encoding="utf-8") for name in ("out", "err"))
    return CompletedProcess(["snakemake", *arguments], running.exitcode or 0, out, err)


def _main(
    folder: Path,
    arguments: tuple[str, ...],
    given: dict[str, str],
    files: list[Path],
    began: Connection,
) -> None:
    """What ``python -m snakemake`` does, in a process that begins in the middle."""
    os.setsid()
    began.close()
    for number, file in enumerate(files, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(given)
    first = filter(None, given.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [str(folder), *first]
    sys.argv = ["snakemake", *arguments]
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
