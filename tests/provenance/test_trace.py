"""Traces of a small finished run: from a product to what it was made from."""

import json
import shutil
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.records import record_text
from ldpt.provenance.trace import render_trace, trace
from tests.provenance.products import OTHER_SHARD, ROWS, SHARD, flip


def test_trace_finds_the_run_of_a_file_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert cli.main(["trace", str(root / "figures/rows.png")]) == 0
    assert capsys.readouterr().out.startswith("figures/rows.png")


def test_trace_with_a_missing_record_is_one_line(root: Path, capsys: pytest.CaptureFixture) -> None:
    record_path(root, SHARD).unlink()
    assert cli.main(["trace", "--root", str(root), str(root / "figures/rows.png")]) == 2
    assert f"{SHARD} has no record" in capsys.readouterr().err


def test_trace_goes_down_to_instances_settings_and_sources(root: Path) -> None:
    text = render_trace(trace(root / "figures/rows.png", root), "full")
    for expected in (SHARD, "results/instances.json", " words.txt", "seed = 7", "commit"):
        assert expected in text
    assert "//" not in text
    lines = text.splitlines()
    assert lines[0].startswith("figures/rows.png")
    assert sum("results/instances.json" in line for line in lines) == 2
    assert sum("see above" in line for line in lines) == 1


def test_trace_summary_fits_a_screen(root: Path) -> None:
    text = render_trace(trace(root / "figures/rows.png", root))
    assert len(text.splitlines()) <= 24
    for expected in ("simulate_fixed_budget", "and 1 more", " words.txt", "commit", "--full"):
        assert expected in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_hash_needs_eight_digits(root: Path) -> None:
    with pytest.raises(ValueError, match="hash 0123abc is too short: 8 digits at least"):
        trace("0123abc", root)


NUMBERS = {
    "claim:T4.1:printed_error": {"value": 0.30433717, "text": "0.304"},
    "claim:T4.1:certified": {"value": 0.30433710, "text": "0.304"},
    "rows:least": {"value": 1600, "text": "1 600"},
    "claim:D1:verdict": {"value": "true", "text": "true"},
    "theory:price:1": {"value": 1.5, "text": "1.5"},
    "theory:price:2": {"value": 1.501, "text": "1.5"},
    "rows:half": {"value": 1.5, "text": "1.5"},
    "rows:slopes": {"value": ["0.96 (one)", "0.88 (two)"], "text": "0.96 (one) and 0.88 (two)"},
}
CLAIM = {"id": "T4.1", "where": "Theorem 4.1", "verdict": "false", "statement": "With " * 40}
CLAIM |= {"criterion": "bound <= delta", "decided_by": "it fails", "file": "chains", "key": "one"}


@pytest.fixture
def published(root: Path) -> Path:
    """The small run with evidence, facts, claims and numbers, and their records."""
    content = {
        "results/evidence/chains.json": {},
        "results/captions/rows.json": {},
        "results/claims.json": {"claims": [CLAIM, {"id": "D1", "where": "Appendix B"}]},
        "results/numbers.json": NUMBERS,
    }
    record = read_record(record_path(root, ROWS))
    for name, value in content.items():
        for path in (root / name, record_path(root, name)):
            path.parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(value))
        stable = record["stable"] | {"product": name, "sha256": file_hash(root / name)}
        record_path(root, name).write_text(record_text(stable, record["volatile"]))
    return root


@pytest.mark.parametrize(
    ("what", "top", "line"),
    [
        ("T4.1", "results/evidence/chains.json", "T4.1, Theorem 4.1: false"),
        ("Theorem 4.1", "results/evidence/chains.json", "  criterion: bound <= delta"),
        (
            "T4.1",
            "results/evidence/chains.json",
            "  evidence: entry one of results/evidence/chains.json",
        ),
        ("D1", "results/claims.json", "D1, Appendix B: "),
        ("0.304", "results/evidence/chains.json", "claim:T4.1:certified = 0.304 (0.3043371)"),
        ("rows:least", "results/captions/rows.json", "rows:least = 1 600 (1600)"),
        ("theory:price:1", "results/numbers.json", "theory:price:1 = 1.5"),
        ("1.5", "", "name one of these numbers to see what it was made from"),
    ],
)
def test_trace_takes_claims_and_numbers(published: Path, what: str, top: str, line: str) -> None:
    """As a name, or as printed."""
    traced = trace(what, published)
    assert traced.top == top
    text = render_trace(traced)
    assert line in text.splitlines()
    assert max(map(len, text.splitlines())) <= 80
    if top:
        assert {SHARD, "results/instances.json"} <= set(traced.products)  # down to the settings


def test_trace_of_nothing_known_is_one_line(published: Path) -> None:
    with pytest.raises(ValueError, match=r"'T9' is no file here or under .*, and no hash, claim"):
        trace("T9", published)


@pytest.mark.parametrize("prefix", ["", "ldpt:"])
def test_trace_understands_the_start_of_a_hash(root: Path, prefix: str) -> None:
    record = read_record(record_path(root, "figures/rows.png"))
    for digits in (record["record_hash"][:12], record["stable"]["sha256"][:8]):
        assert trace(f"{prefix}{digits}", root).top == "figures/rows.png"


def test_trace_as_json_holds_every_file(root: Path) -> None:
    content = json.loads(render_trace(trace(root / "figures/rows.png", root), "json"))
    assert content["top"] == "figures/rows.png"
    products = {"figures/rows.png", ROWS, SHARD, OTHER_SHARD, "results/instances.json"}
    assert set(content["products"]) == products
    assert set(content["sources"]) == {"words.txt"}
    assert content["products"][SHARD]["stable"]["params"]["seed"] == 7


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_trace_finds_the_product_of_a_mailed_copy(root: Path, tmp_path: Path, suffix: str) -> None:
    mailed = tmp_path / f"from-a-colleague{suffix}"
    shutil.copy(root / f"figures/rows{suffix}", mailed)
    same = trace(mailed, root)
    assert same.top == f"figures/rows{suffix}"
    assert same.preface[0].endswith("has the same bytes")
    with mailed.open("ab") as file:
        file.write(b"\n")
    assert trace(mailed, root).preface[0].endswith("made in the same way; its bytes differ")


def test_trace_of_a_figure_of_another_run_says_what_made_it(root: Path, tmp_path: Path) -> None:
    code = read_record(record_path(root, "figures/rows.pdf"))["stable"]["code"]["hash"][:16]
    content = (root / "figures/rows.pdf").read_bytes()
    (tmp_path / "old.pdf").write_bytes(content.replace(code.encode(), b"0123456789abcdef"))
    with pytest.raises(ValueError, match=r"made by code 0123456789abcdef"):
        trace(tmp_path / "old.pdf", root)


def test_trace_of_a_changed_product_has_a_remark(root: Path) -> None:
    flip(root / ROWS)
    (line,) = trace(root / ROWS, root).preface
    assert line == f"{root / ROWS} is not what the run made: its contents differ"


PAGE = "- **One guarantee is false.** It errs with probability 30 %. Privacy costs 1.5; not 1.55.\n"
TEMPLATE = '{{ n("claim:T4.1:printed_error") }} {{ n("theory:price:1") }} {{ n("rows:least") }}'


@pytest.fixture
def page(published: Path) -> Path:
    """The small run with a README that prints numbers, and an article that draws a figure."""
    record = read_record(record_path(published, ROWS))
    for name, content, source, template in (
        ("figures/findings.md", PAGE, "findings.md", TEMPLATE),
        ("paper/report.pdf", "PDF", "report.typ", '#n("rows:half") #drawn("other") #drawn("rows")'),
    ):
        (published.parent / source).write_text(template)
        (published / name).write_text(content)
        stable = record["stable"] | {"product": name, "sha256": file_hash(published / name)}
        stable["sources"] = {source: file_hash(published.parent / source)}
        path = record_path(published, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(record_text(stable, record["volatile"]))
    return published


@pytest.mark.parametrize(
    ("what", "first", "sentence"),
    [
        ("30 %", "claim:T4.1:printed_error", "- **One guarantee is false.** It errs with"),
        ("30%", "claim:T4.1:printed_error", ""),
        ("0.30", "claim:T4.1:printed_error", ""),
        ("0.3", "claim:T4.1:printed_error", ""),
        ("1.5", "theory:price:1", "Privacy costs 1.5;"),
        ("2 000", "rows:least", ""),
    ],
)
def test_a_printed_number_is_found_with_its_sentence_first(
    page: Path, what: str, first: str, sentence: str
) -> None:
    """Rounded as the page rounds it, and before numbers that no page prints."""
    traced = trace(what, page)
    assert traced.top
    lines = [line for line in traced.preface if " = " in line]
    assert lines[0].startswith(f"{first} = ")
    assert lines[0].endswith(", in the README")
    assert traced.preface[0].startswith("README: ") == bool(sentence)
    assert sentence in " ".join(traced.preface[0].split())


def test_a_number_of_a_list_is_found(page: Path) -> None:
    assert trace("0.88", page).preface == ["rows:slopes = 0.96 (one) and 0.88 (two)"]


def test_a_number_that_rounds_otherwise_is_not_found(page: Path) -> None:
    for what in ("0.31", "31 %", "0.3044", "1 700"):
        with pytest.raises(ValueError, match="no file here"):
            trace(what, page)


@pytest.mark.parametrize(
    ("what", "top"),
    [
        ("rows.png", "figures/rows.png"),
        ("rows", "figures/rows.pdf"),
        ("report.pdf", "paper/report.pdf"),
        ("draw_rows", "figures/rows.pdf"),
        ("simulate_mechanism", "results/simulations/mechanism.parquet"),
        ("Figure 1", "figures/rows.pdf"),
        ("fig. 1", "figures/rows.pdf"),
    ],
)
def test_names_that_tools_and_people_use_are_accepted(page: Path, what: str, top: str) -> None:
    assert trace(what, page).top == top


def test_an_unknown_figure_or_name_is_one_line(page: Path) -> None:
    with pytest.raises(ValueError, match="the article has 1 figure, not Figure 2"):
        trace("Figure 2", page)
    with pytest.raises(ValueError, match=r"did you mean draw_rows"):
        trace("drow_rows", page)
