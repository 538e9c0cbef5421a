"""ldpt.text: numbers, templates, and formulas in two notations."""

import math
from collections.abc import Callable

import pytest

from ldpt import text
from tests.claims.judging import REGISTERED
from tests.conftest import PROJECT
from tests.plots import scripts

FIELDS = ("where", "statement", "amendment", "reason", "meaning")
TEXTS = [claim[field] for claim in REGISTERED for field in FIELDS if claim.get(field)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (999.9, "1 000"), (1e6, "1 000 000"), (1.5e-5, "1.5×10⁻⁵"), (-2.06, "−2.06")],
)
def test_number_for_prose(value: float, shown: str) -> None:
    assert text.number(value) == shown


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
    found = text.as_typst("#1 * `x` a_{1} (b)^{2}")
    assert found == r"\#1 \* `x` $a_(1)$ (b)#super[2]"


def test_as_html_marks_scripts_and_code() -> None:
    assert text.as_html("e^{2ε} of `lsa` & H_{ε}") == (
        "e<sup>2ε</sup> of <code>lsa</code> &amp; H<sub>ε</sub>"
    )


def test_as_typst_keeps_numbers_in_one_piece() -> None:
    found = text.as_typst("Algorithm 1's 20 000 runs, 95 % of 1.5×10⁻⁵")
    assert found == "Algorithm 1’s 20\u202f000 runs, 95\u202f% of $1.5 times 10^(-5)$"


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_templates_all_typeset(name: str) -> None:
    import typst

    template = (PROJECT / "workflow" / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    markup = text.as_typst(template.replace("{{ ", "(").replace(" }}", ")"))
    assert typst.compile(markup.encode(), format="pdf")


@pytest.mark.parametrize(
    "form", [text.as_unicode, text.as_html, text.as_markdown, text.as_typst, text.as_latex]
)
def test_forms_leave_no_markup_in_any_text_of_the_register(form: Callable[[str], str]) -> None:
    assert not [words for words in TEXTS if "_{" in form(words) or "^{" in form(words)]
