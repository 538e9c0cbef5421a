"""The manual: its examples run, its links lead somewhere, and it builds without a warning."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ldpt import cli

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)(?P<target>[^)#\s]+)")
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_" not in path.relative_to(DOCS).parts[0])
NEEDS_A_RUN = "results/"  # examples that read products are followed by hand
COMMAND = re.compile(r"^(?:\S*bin/)?ldpt (?P<words>.+)$", re.MULTILINE)


def examples(page: Path) -> list[tuple[str, str]]:
    """Return each Python block of a page with the text block that follows it, or nothing."""
    blocks = [(found["kind"], found["text"]) for found in BLOCK.finditer(page.read_text("utf-8"))]
    following = blocks[1:] + [("", "")] * bool(blocks)
    return [
        (text, output if kind == "text" else "")
        for (language, text), (kind, output) in zip(blocks, following, strict=True)
        if language == "python" and NEEDS_A_RUN not in text
    ]


RUNNABLE = [page for page in PAGES if examples(page)]


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_examples_of_a_page_print_what_it_says(page: Path) -> None:
    names: dict[str, object] = {}
    for program, expected in examples(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, page.name, "exec"), names)
        assert printed.getvalue() == expected


def test_pages_for_beginners_have_examples() -> None:
    names = {page.relative_to(DOCS).as_posix() for page in RUNNABLE}
    assert {"start.md", "howto/problem.md", "howto/analyse.md", "howto/study.md"} <= names


def test_commands_of_the_manual_have_the_options_that_exist() -> None:
    blocks = [found for page in PAGES for found in BLOCK.finditer(page.read_text("utf-8"))]
    text = "\n".join(block["text"] for block in blocks if block["kind"] == "bash")
    lines = [found["words"] for found in COMMAND.finditer(text)]
    assert len(lines) >= 8
    for line in lines:
        parser, _ = cli.parsers()
        assert parser.parse_args(shlex.split(line)).handler, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.workflow
def test_manual_builds_without_a_warning(tmp_path: Path) -> None:
    if shutil.which("sphinx-build", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("needs the extra `docs`")
    call = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "reference" / "api.html").is_file()
