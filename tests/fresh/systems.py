"""Follow the README on minimal Debian systems and compare every product with this machine's.

usage, as root, with debootstrap: python -m tests.fresh.systems [--systems trixie sid] [--folder F]

Each system has what debootstrap's smallest variant holds and the packages that the README names, an
ordinary user and an empty home. It gets this machine's settings for the network: resolver,
certificates, configuration of pip and uv. A step that does not do what it should is marked in the
table, and the status is 1.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SYSTEMS = {"trixie": "3.13", "sid": "3.14"}
COMPILER = ["gcc", "python3-dev"]
NETWORK = re.compile(r"^(UV|PIP)_|_proxy$|CERT|CA_BUNDLE|CAINFO", re.IGNORECASE)
PIP_FILES = ("~/.pip/pip.conf", "~/.config/pip/pip.conf")  # of this user; read by all users there
USER = "person"
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
VOLATILE = {"logs", "records"}  # times
MANIFEST = "paper/run.json"
SMOKE = "make smoke CORES=2"
Output = tuple[str, int]  # what a program printed, and its status


@dataclass
class System:
    """A minimal system below a folder, and the packages that it has beside debootstrap's."""

    name: str
    folder: Path

    def make(self) -> None:
        """Make the system, its user and its network."""
        if not (self.folder / "etc" / "debian_version").exists():
            options = ["--variant=minbase", "--include=ca-certificates"]
            call(["debootstrap", *options, self.name, str(self.folder)])
        for file in ("/etc/resolv.conf", "/etc/pip.conf", os.environ.get("SSL_CERT_FILE", "")):
            if file and Path(file).is_file():
                self._copy(Path(file), file)
        for name in PIP_FILES:
            if Path(name).expanduser().is_file():
                self._copy(Path(name).expanduser(), "/etc/xdg/pip/pip.conf")
        if Path("~/.config/uv/uv.toml").expanduser().is_file():
            self._copy(Path("~/.config/uv/uv.toml").expanduser(), "/etc/uv/uv.toml")
        self.run("apt-get -o Acquire::Check-Valid-Until=false update -qq", user="root")

    def new_home(self) -> None:
        """Give the user an empty home."""
        self.run(f"userdel --remove {USER}; useradd --create-home {USER}", user="root", check=False)

    def install(self, packages: list[str]) -> None:
        apt = "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
        self.run(f"{apt} {shlex.join(packages)}", user="root")

    def remove(self, packages: list[str]) -> None:
        """Remove packages and what only they needed, even if another one suggests it."""
        keep_nothing = "-o APT::AutoRemove::SuggestsImportant=false"
        apt = f"DEBIAN_FRONTEND=noninteractive apt-get {keep_nothing}"
        names = shlex.join(packages)
        self.run(f"{apt} remove -y -qq {names} && {apt} autoremove -y -qq", user="root")

    def run(
        self, command: str, user: str = USER, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell command in the user's home; its mounts and processes end with it."""
        home = f"/home/{user}" if user != "root" else "/root"
        network = {name: value for name, value in os.environ.items() if NETWORK.search(name)}
        base = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": home,
        }
        words = [f"{name}={value}" for name, value in {**network, **base, **variables}.items()]
        root = shlex.quote(str(self.folder))
        inside = shlex.join(["env", "-i", *words, "bash", "-c", f"cd {home} && {command}"])
        script = (
            f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && "
            f"exec chroot --userspec={user}:{user} {root} {inside}"
        )
        return call(["unshare", "--mount", "--pid", "--fork", "bash", "-c", script], check=check)

    def _copy(self, source: Path, name: str) -> None:
        target = self.folder / name.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


@dataclass
class Table:
    """What was tried on each system, and what came out; printed row by row."""

    failures: int = 0
    started: float = field(default_factory=time.monotonic)

    def row(self, system: str, step: str, seen: str, good: bool) -> None:
        now = time.monotonic()
        mark = "" if good else "**WRONG** "
        print(f"| {system} | {step} | {mark}{seen} | {now - self.started:.0f} |", flush=True)
        self.failures += not good
        self.started = now


def call(words: list[str], check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program without input; a failure ends this one, with the end of what was printed."""
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if check and done.returncode:
        sys.exit(f"{shlex.join(words)}\n{(done.stdout + done.stderr)[-3000:]}")
    return done


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1] if lines else ""


def packages_of_the_readme() -> list[str]:
    """Return the Debian packages that README.md, or the page that it sends to, names first."""
    for name in ("README.md", "docs/start.md"):
        if named := re.search(r"apt install ([a-z0-9 -]+)`", (PROJECT / name).read_text()):
            return named[1].split()
    sys.exit("README.md and docs/start.md name no Debian packages: `apt install ...`")


def programs() -> dict[str, list[str]]:
    """Return what the pages print to be run, by what has to be installed for it."""
    readme = (PROJECT / "README.md").read_text()
    start = (PROJECT / "docs" / "start.md").read_text()
    python = {
        text: "python3 - <<'END'\n" + "".join(re.findall(PYTHON_BLOCK, text)) + "END"
        for text in (readme, start)
    }
    plan, analyse = (
        re.findall(rf"^`?(ldpt {name} [^`\n]+)", readme, re.MULTILINE)[0]
        for name in ("plan", "analyse")
    )
    return {".": [python[start], analyse], ".[plots]": [python[readme], plan]}


def products(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every product of a smoke run, of its manifest all but the versions."""
    root = folder / "results" / "smoke"
    made = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not VOLATILE & set(path.relative_to(root).parts)
    }
    if manifest := made.get(MANIFEST):
        content = json.loads(manifest)
        del content["environment"]
        made[MANIFEST] = json.dumps(content).encode()
    return made


def make_project(folder: Path) -> Path:
    """Return a folder with this commit as a bare repository and as an archive."""
    call(["git", "clone", "--quiet", "--bare", str(PROJECT), str(folder / "ldpt.git")])
    archive = ["git", "archive", "--prefix=ldpt/", "--output", str(folder / "ldpt.tar"), "HEAD"]
    call(["git", "-C", str(PROJECT), *archive[1:]])
    return folder


def without_outer_link(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out a link out of the archive, which uv refuses."""
    return None if member.issym() and member.linkname.startswith("/") else member


def make_mirror(system: System, place: Path) -> dict[str, str]:
    """Pack the Python 3.13 of a system as an archive for uv, and return what lets uv use it."""
    patch = system.run("python3 -c 'import platform; print(platform.python_version_tuple()[2])'")
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(place / "python.tar.gz", "w:gz", compresslevel=1) as archive:
        for name in ("bin/python3.13", "lib/python3.13"):
            archive.add(system.folder / "usr" / name, f"python/{name}", filter=without_outer_link)
    entry = {
        "name": "cpython", "arch": {"family": "x86_64", "variant": None}, "os": "linux",
        "libc": "gnu", "major": 3, "minor": 13, "patch": int(patch.stdout), "prerelease": "",
        "url": "file:///srv/mirror/python.tar.gz", "sha256": None, "variant": None,
        "build": "20260101",
    }  # fmt: skip
    listing = {f"cpython-3.13.{entry['patch']}-linux-x86_64-gnu": entry}
    (place / "downloads.json").write_text(json.dumps(listing))
    return {"UV_PYTHON_DOWNLOADS_JSON_URL": "file:///srv/mirror/downloads.json"}


@contextmanager
def without(system: System, packages: list[str], back: list[str]) -> Iterator[None]:
    """Take packages away for a while."""
    system.remove(packages)
    yield
    system.install(back)


def missing_packages(system: System, named: list[str], table: Table) -> None:
    """Take one package of the README away at a time and show what the user sees."""
    smoke = "rm -rf ldpt && git clone -q /srv/ldpt.git ldpt && cd ldpt && make smoke"
    cases = {
        "make": "make: .*not found",
        "python3-venv": r"ldpt needs Python 3.11 to 3.14; python3 has no venv \(.*\)",
    }
    for package, message in cases.items():
        with without(system, [package], named):
            done = system.run(smoke, check=False)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
        good = bool(done.returncode) and len(lines) == 1 and bool(re.search(message, lines[0]))
        table.row(system.name, f"without {package}", "; ".join(lines), good)
    with without(system, ["git"], named):
        unpack = "rm -rf ldpt && tar -xf /srv/ldpt.tar && cd ldpt && make .venv/ready"
        done = system.run(f"{unpack} && .venv/bin/snakemake -n --quiet all", check=False)
    seen = "environment and dry run from an archive" if not done.returncode else last_line(done)
    table.row(system.name, "without git", seen, not done.returncode)


def python_ways(system: System, python: System, table: Table) -> None:
    """On Python 3.14 without a compiler: nothing, a download, a Python 3.13 on the machine."""
    ready = "rm -rf ldpt && git clone -q /srv/ldpt.git ldpt && cd ldpt && make .venv/ready"
    shown = f"{ready} && .venv/bin/python --version && .venv/bin/ldpt --version"
    nowhere = {"UV_PYTHON_INSTALL_MIRROR": "file:///nowhere"}
    done = system.run(ready, check=False, **nowhere)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    table.row(system.name, "no compiler, no download", lines[-1], "gcc python3-dev" in lines[-1])

    done = system.run(shown, check=False, **make_mirror(python, system.folder / "srv" / "mirror"))
    good = "uv downloads Python 3.13" in done.stderr and "Python 3.13" in done.stdout
    table.row(system.name, "no compiler, local mirror", "; ".join(done.stderr.splitlines()), good)

    other = system.folder / "opt" / "python"
    with tarfile.open(system.folder / "srv" / "mirror" / "python.tar.gz") as archive:
        archive.extractall(other.parent, filter="fully_trusted")
    path = {"PATH": "/opt/python/bin:/usr/local/bin:/usr/bin:/bin"}
    done = system.run(shown, check=False, **path)
    good = "with Python 3.13" in done.stdout and not done.returncode
    table.row(system.name, "python3.13 on PATH", done.stdout.splitlines()[0], good)
    shutil.rmtree(other)


def whole_run(system: System, reference: Path, table: Table) -> None:
    """Run the workflow at smoke scale as the README says, and compare its products."""
    system.run("rm -rf ldpt && git clone -q /srv/ldpt.git ldpt")
    done = system.run(f"cd ldpt && {SMOKE}", check=False)
    table.row(system.name, SMOKE, last_line(done), not done.returncode)
    made, here = products(system.folder / "home" / USER / "ldpt"), products(reference)
    differing = sorted(name for name in made | here if made.get(name) != here.get(name))
    seen = f"{len(here) - len(differing)} of {len(here)} equal; {' '.join(differing)}"
    table.row(system.name, "products, byte by byte", seen, bool(made) and not differing)


def library_alone(system: System, outputs: dict[str, Output], table: Table) -> None:
    """Run the examples after `pip install`, and compare their output with this machine's."""
    system.run("rm -rf ldpt env && git clone -q /srv/ldpt.git ldpt && python3 -m venv env")
    for what, commands in programs().items():
        done = system.run(f". env/bin/activate && cd ldpt && pip install -q '{what}'", check=False)
        seen = "installed" if not done.returncode else last_line(done)
        table.row(system.name, f"pip install {what}", seen, not done.returncode)
        for command in commands:
            done = system.run(f". env/bin/activate && cd ldpt && {command}", check=False)
            good = not done.returncode and (done.stdout, done.returncode) == outputs[command]
            seen = "output as on this machine" if good else last_line(done)
            table.row(system.name, f"`{command[:30].splitlines()[-1]}...`", seen, good)


def outputs_here(folder: Path) -> dict[str, Output]:
    """Return the output and status of each program on this machine."""
    path = f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"
    outputs = {}
    for command in chain.from_iterable(programs().values()):
        words = ["bash", "-c", f"{path}; cd {shlex.quote(str(folder))} && {command}"]
        done = call(words, check=False)
        outputs[command] = done.stdout, done.returncode
    return outputs


def follow_readme(
    system: System,
    python: System,
    reference: Path,
    outputs: dict[str, Output],
    table: Table,
) -> None:
    """Do everything on one system."""
    named = packages_of_the_readme()
    basic = [name for name in named if name not in COMPILER]
    system.install([*basic, "python3"])  # which stays when venv is taken away
    version = system.run("python3 --version").stdout.strip()
    glibc = system.run("ldd --version | head -1").stdout.split()[-1]
    table.row(system.name, "system", f"{version}, glibc {glibc}, {' '.join(basic)}", True)
    system.new_home()
    library_alone(system, outputs, table)
    if SYSTEMS[system.name] == "3.14":
        python_ways(system, python, table)
        system.install(COMPILER)
    missing_packages(system, basic, table)
    system.new_home()
    whole_run(system, reference, table)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--folder", type=Path, help="where the systems lie; kept and used again")
    parser.add_argument("--reference", type=Path, help="a project with a smoke run of this commit")
    arguments = parser.parse_args()
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("tests.fresh.systems needs root and debootstrap (Debian: apt install debootstrap)")
    with tempfile.TemporaryDirectory(prefix="ldpt-fresh-") as temporary:
        folder = arguments.folder or Path(temporary)
        work = Path(temporary) / "project"
        work.mkdir()
        make_project(work)
        here = work / "here"
        call(["git", "clone", "--quiet", str(work / "ldpt.git"), str(here)])
        reference = arguments.reference or here
        if arguments.reference is None:
            call(["bash", "-c", f"cd {shlex.quote(str(reference))} && {SMOKE}"])
        mirror = System("trixie", folder / "trixie")
        mirror.make()
        mirror.install(["python3-venv"])
        outputs = outputs_here(here)
        table = Table()
        print("| system | step | seen | seconds |\n| --- | --- | --- | --- |")
        for name in arguments.systems:
            system = System(name, folder / name)
            system.make()
            system.run("rm -rf /srv/*", user="root")
            call(["cp", "-r", *map(str, work.glob("ldpt.*")), str(system.folder / "srv")])
            system.new_home()
            system.run(f"chown -R {USER} /srv/ldpt.git", user="root")
            follow_readme(system, mirror, reference, outputs, table)
    return int(table.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
