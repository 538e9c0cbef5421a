"""Names from outside are data: one hostile name through every output that takes names."""

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pypdf
import pytest
import typst

from ldpt import cli, plots, simulate, summarise, text
from ldpt.config import experiment as config
from ldpt.instances import Instance
from ldpt.learners import FixedConfidence
from ldpt.provenance import file_hash, record_path
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.compare import compare, render_comparison
from ldpt.provenance.records import record_text
from ldpt.provenance.trace import render_trace, trace
from ldpt.replication.publishing import tables
from ldpt.study import Response, Study, analyse, planning, planning_text
from ldpt.study.analysis import Terms, judge
from ldpt.study.answers import as_answers
from ldpt.study.designs import as_design
from ldpt.study.verdict_table import Report
from snakemake_logger_plugin_ldpt import short

# For a spreadsheet, HTML, a shell, Markdown, TeX, Jinja2, Typst, Matplotlib and a terminal.
NAME = (
    "=cmd|'/C x'!A0 <script>alert(\"1\")</script><!-- $(touch x) `y` [a](b) \\input{z} {{ 7*7 }} "
    "{% x %} #eval(1) 50 % $\\frac{$ ^_& ~ \x1b[2J\x9b2J\u202e\r\n= c"
)
FILE = NAME.replace("/", "")
PICTURED = "<script>$\\frac{$ \x1b[2J\x9b\u202e\r\n& _a_ ^b"  # short enough for a title
MARKUP = [  # signs that mean something at the start of a line
    re.sub("[^ -~]", "", NAME),
    "= x #eval(1) // \\input{x} $x$ <script>alert(1)</script>",
    "- /* a */ @b *c* ~ % & [d] http://e \\ '\"",
    "1. + - -- ; `f` #g",
]
PROBLEM = Instance(NAME, [0.2, 0.7], 0.5)


# --- what makes the outputs


def report() -> Report:
    return judge(as_answers({NAME: (40, 1)}), as_design(1.0), Terms(0.5, 0.1))


def study() -> Study:
    return Study(FixedConfidence([NAME, "b"], 0.5, epsilon=1.0, delta=0.1), name=NAME)


def given_up() -> str:
    """Return the report of a study with a reason in somebody's words."""
    ours = study()
    (ticket,) = ours.ask(1)
    ours.give_up(ticket, NAME)
    return str(ours.report())


def plan() -> planning.Plan:
    terms: dict[str, Any] = {"delta": 0.1, "epsilons": [1.0], "replicates": 20}
    return planning.make_plan(planning.Request(PROBLEM, methods=["onesided"], **terms), iter, False)


def foreign(folder: Path) -> Path:
    """Make somebody's run: a product, one whose record is not valid, and a figure without one."""
    part: dict[str, Any] = {"format": 2, "rule": NAME, "script": NAME, "sha256": "0" * 64}
    part |= {"code": {"hash": "", "parts": {NAME: ""}}, "params": {NAME: NAME}, "notes": {}}
    part |= {"wildcards": {"x": NAME}, "inputs": {}, "sources": {NAME: "0"}}
    for name in (FILE, f"{FILE}2"):
        product = folder / name
        product.write_text(name)
        record = record_path(folder, name)
        record.parent.mkdir(parents=True, exist_ok=True)
        stable = part | {"product": name, "sha256": file_hash(product)}
        record.write_text(record_text(stable, {"host": NAME}) if name == FILE else "{}")
    (folder / "figures").mkdir()
    (folder / "figures" / f"{FILE}.png").touch()
    return folder


def refusal(*words: str) -> Callable[[Path], str]:
    """Return a function that runs a command with bad words, and returns its one line."""

    def run(folder: Path) -> str:
        told = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr("sys.stderr", told)
            assert cli.main([word.replace("FILE", FILE) for word in words]) == 2
        assert told.getvalue().count("\n") == 1
        return told.getvalue()

    return run


def an_unreadable_file(folder: Path) -> str:
    (folder / FILE).write_text("x")
    return refusal("analyse", "FILE", "--threshold", "0.5", "--epsilon", "1")(folder)


def refused_config(folder: Path) -> str:
    """A name of a config, and so of a page, an article and a report, has plain characters only."""
    problem = {"name": NAME, "means": [0.1], "threshold": 0.5}
    with pytest.raises(ValueError, match="name") as caught:
        config.build_experiment(config.load() | {"extra_instances": [problem]})
    return str(caught.value)


def error(message: str, call: Callable[[], Any]) -> Callable[[Path], str]:
    """Return a function that returns the message of a bad call, which begins with these words."""

    def run(folder: Path) -> str:
        with pytest.raises(ValueError, match=f"^{message}") as caught:
            call()
        return str(caught.value)

    return run


TERMINAL: dict[str, Callable[[Path], str]] = {
    "report of an analysis": lambda folder: str(report()),
    "table of an analysis": lambda folder: repr(analyse({NAME: (40, 1)}, 0.5, 0.1, 1.0)),
    "part of a table": lambda folder: repr(analyse({NAME: (40, 1)}, 0.5, 0.1, 1.0).head(1)),
    "study": lambda folder: repr(study()) + repr(study().learner) + repr(study().ask(1)),
    "report of a study": lambda folder: given_up(),
    "estimates": lambda folder: repr(study().estimates()) + repr(study().decided()),
    "message": lambda folder: repr(Response(0, 1, 1.0, NAME)),
    "plan": lambda folder: planning_text.render(plan(), 80, True, False),
    "problem": lambda folder: repr(PROBLEM),
    "bad problem": error("instance", lambda: Instance(NAME, [2.0], 0.5)),
    "bad answers": error("answers of arm", lambda: as_answers({NAME: [2]})),
    "bad column": error("the table has no column", lambda: plots.cost(pd.DataFrame({NAME: [1]}))),
    "bad row": error(
        "no row has instance", lambda: plots.cost(confidence(), instance=NAME.upper())
    ),
    "bad name of a config": refused_config,
    "audit": lambda folder: render_audit(audit(foreign(folder))),
    "trace": lambda folder: render_trace(trace(FILE, foreign(folder)), "full"),
    "comparison": lambda folder: render_comparison(compare(*2 * [str(foreign(folder))])),
    "bad file": an_unreadable_file,
    "no file": refusal("analyse", "FILE", "--threshold", "0.5", "--epsilon", "1"),
    "no run": refusal("audit", "--root", "FILE"),
    "no product": refusal("trace", "FILE"),
    "no command": refusal("FILE"),
    "bad option": refusal("plan", "--FILE"),
    "bad output": refusal("plan", "--plot", "FILE/x.png"),
    "message of Snakemake": lambda folder: short(f"there is no file {NAME}"),
}
MACHINES: dict[str, Callable[[Path], Any]] = {  # the name as they read it
    "JSON of an analysis": lambda folder: json.loads(report().as_json())["arms"][0]["arm"],
    "JSON of a plan": lambda folder: json.loads(planning_text.as_json(plan()))["instance"]["name"],
    "JSON of a message": lambda folder: json.loads(Response(0, 1, 1.0, NAME).to_json())["study"],
    "JSON of a trace": lambda folder: json.loads(
        render_trace(trace(FILE, foreign(folder)), "json")
    )["products"][FILE]["stable"]["script"],
    "CSV of an analysis": lambda folder: re.sub(
        "^'", "", next(csv.DictReader(io.StringIO(report().as_csv(), newline="")))["arm"]
    ),
    "saved study": lambda folder: saved(folder).name,
    "template": lambda folder: text.fill("{{ name }}", {"name": NAME}),
}
PAGES: dict[str, Callable[[str], str]] = {
    "notebook": lambda name: analyse({name: (40, 1)}, 0.5, 0.1, 1.0).to_html(),
    "text with formulas": text.as_html,
}
PICTURES: dict[str, Callable[[str], Any]] = {
    "costs": lambda name: plots.cost(confidence(name)),
    "calibration": lambda name: plots.calibration(confidence(name)),
    "map": lambda name: plots.error_map(confidence(name)),
    "curves": lambda name: plots.error_curves(budget(name)),
    "collapse": lambda name: plots.collapse(budget(name)),
}


def saved(folder: Path) -> Study:
    study().save(folder / FILE)
    return Study.open(folder / FILE)


def confidence(name: str = NAME) -> pd.DataFrame:
    """Return runs of a problem with a name, and of a radius of the caller's with the same name."""
    problem = Instance(name, [0.2, 0.7], 0.5)
    radii = ["coin", "printed"]
    runs = simulate.fixed_confidence(problem, [1, 2], 0.1, 20, seed=1, radius=radii)
    return runs.assign(radius=runs["radius"].replace("coin", name))


def budget(name: str) -> pd.DataFrame:
    problem = Instance(name, [0.2, 0.7], 0.5)
    runs = simulate.fixed_budget(problem, [1, 2], [10, 20], 50, seed=1)
    return summarise.fixed_budget(runs.assign(policy=name), problem)


class Tags(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def elements(page: str) -> Tags:
    parser = Tags()
    parser.feed(page)
    parser.close()
    return parser


# --- how each kind of output is read


@pytest.mark.parametrize("output", TERMINAL)
def test_a_terminal_obeys_no_name(output: str, tmp_path: Path) -> None:
    said = TERMINAL[output](tmp_path)
    assert said
    assert not [sign for sign in said if not sign.isprintable() and sign != "\n"]


@pytest.mark.parametrize("output", MACHINES)
def test_machines_read_the_name_as_it_is(output: str, tmp_path: Path) -> None:
    assert MACHINES[output](tmp_path) == NAME


@pytest.mark.parametrize("output", PAGES)
def test_no_name_is_an_element_of_a_page(output: str) -> None:
    hostile, plain = (elements(PAGES[output](name)) for name in (NAME, "a `b`"))
    assert hostile.tags == plain.tags
    assert "<script>alert" in hostile.words


@pytest.mark.parametrize("output", PICTURES)
def test_no_name_is_an_element_or_a_formula_of_a_picture(output: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    tags = []
    for name in (PICTURED, "a"):
        figure = PICTURES[output](name).figure
        texts = [part.get_text() for part in figure.findobj(mpl.text.Text)]
        assert not [part for part in texts if "\x1b" in part or "\u202e" in part]
        assert any(name[:8] in part for part in texts)
        figure.savefig(file)
        plt.close(figure)
        tags.append(elements(file.read_text()).tags)
    assert tags[0] == tags[1]


@pytest.mark.parametrize("name", MARKUP)
def test_no_name_is_a_command_of_typst(name: str, tmp_path: Path) -> None:
    """It is compiled and read back."""
    (tmp_path / "name.typ").write_text(f"#set page(width: 80cm)\n{text.as_typst(name)}\n")
    typst.compile(str(tmp_path / "name.typ"), output=str(tmp_path / "name.pdf"))
    words = pypdf.PdfReader(tmp_path / "name.pdf").pages[0].extract_text()
    typography = r"[\s`'\"’‘“”–—-]"
    assert re.sub(typography, "", words) == re.sub(typography, "", name)


def test_no_name_is_an_element_or_a_row_of_a_markdown_table() -> None:
    lines = tables.markdown(["arm"], [[NAME]]).splitlines()
    assert len(lines) == 3
    assert elements(lines[2]).tags == set()
    assert not re.search(r"(?<!\\)\|", lines[2][1:-1])


@pytest.mark.parametrize("name", MARKUP)
def test_no_name_is_a_command_of_latex(name: str) -> None:
    """TeX has no compiler here, so its special signs are counted."""
    commands = r"\\text(backslash|asciitilde|asciicircum|tt)\{[^{}]*\}"
    latex = re.sub(commands, "", text.as_latex(name))
    assert not re.search(r"(?<!\\)[&%_#$~^]|\\(?![&%_#${}])", latex)
