"""ldpt.text: numbers, terminal output, templates, and formulas in two notations."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
import typst

from ldpt import text
from ldpt.util.messages import printable
from tests.conftest import PROJECT
from tests.plots import scripts
from tests.replication.claims.judging import REGISTERED

FIELDS = ("where", "statement", "amendment", "reason", "meaning")
TEXTS = [claim[field] for claim in REGISTERED for field in FIELDS if claim.get(field)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (999.9, "1 000"), (1e6, "1 000 000"), (1.5e-5, "1.5×10⁻⁵"), (-2.06, "−2.06")],
)
def test_number_for_prose(value: float, shown: str) -> None:
    assert text.number(value) == shown


ROWS = [
    {"arm": "A", "answers": "1,000", "verdict": "above"},
    {"arm": "BC", "answers": "7", "verdict": "below"},
]


def test_table_aligns_words_left_and_numbers_right() -> None:
    assert text.table(ROWS, 80, words=["arm", "verdict"]).splitlines() == [
        "arm  answers  verdict",
        "A      1,000  above",
        "BC         7  below",
    ]


def test_table_drops_its_last_columns_where_they_do_not_fit() -> None:
    assert "verdict" in text.table(ROWS, 21)
    assert text.table(ROWS, 20).splitlines()[0] == "arm  answers"
    assert text.table(ROWS, 1).splitlines()[0] == "arm  answers"


def test_json_text_has_null_for_unknown_numbers_and_leaves_words_alone() -> None:
    content = {"arm": "nan", "bounds": (math.nan, math.inf), "n": np.int64(3)}
    written = json.loads(text.json_text(content), parse_constant=pytest.fail)
    assert written == {"arm": "nan", "bounds": [None, "inf"], "n": 3}


def test_fill_takes_facts_by_name_and_rejects_a_missing_one() -> None:
    facts = {"a": 12_345, "b": [0.5, math.inf], "not used": 1}
    assert text.fill("{{ a }} of {{ b }}\n", facts) == "12 345 of 0.5 and ∞\n"
    with pytest.raises(ValueError, match="'c' is undefined"):
        text.fill("{{ a }} {{ c }}", {"a": 1})


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("T / H_{ε}", "T / H_ε"),
        ("ε^{−2}", "ε⁻²"),
        ("B^{0} to B^{K}", "B⁰ to Bᴷ"),
        ("e^{2ε}", "e^(2ε)"),
        ("`lsa` of x_{1}", "lsa of x₁"),
    ],
)
def test_as_unicode_writes_formulas_as_text(formula: str, shown: str) -> None:
    assert text.as_unicode(formula) == shown


def test_as_typst_escapes_text_and_sets_letters_with_scripts() -> None:
    found = text.as_typst("#1 * `x` a_{1} (b)^{2}; c")
    assert found == r"\#1 \* `x` $a_(1)$ (b)#super[2];; c"  # Typst takes one semicolon


def test_as_html_marks_scripts_and_code() -> None:
    assert text.as_html("e^{2ε} of `lsa` & H_{ε}") == (
        "e<sup>2ε</sup> of <code>lsa</code> &amp; H<sub>ε</sub>"
    )


def test_as_typst_keeps_numbers_in_one_piece() -> None:
    found = text.as_typst("Algorithm 1's 20 000 runs, 95 % of 1.5×10⁻⁵")
    assert found == "Algorithm 1’s 20\u202f000 runs, 95\u202f% of $1.5 times 10^(-5)$"


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_templates_all_typeset(name: str) -> None:

    template = (PROJECT / "workflow" / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    markup = text.as_typst(template.replace("{{ ", "(").replace(" }}", ")"))
    assert typst.compile(markup.encode(), format="pdf")


@pytest.mark.parametrize(
    "form", [text.as_unicode, text.as_html, text.as_markdown, text.as_typst, text.as_latex]
)
def test_forms_leave_no_markup_in_any_text_of_the_register(form: Callable[[str], str]) -> None:
    assert not [words for words in TEXTS if "_{" in form(words) or "^{" in form(words)]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_no_cell_of_a_spreadsheet_is_a_formula(name: str) -> None:
    assert text.csv_cell(name) == f"'{name}"


def test_terminals_obey_no_name() -> None:
    rows = [{"arm": printable("a\x1b[2J\r\n"), "verdict": "above"}]
    assert all(line.isprintable() for line in text.table(rows, 80).splitlines())
