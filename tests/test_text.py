"""ldpt.text: numbers, templates, and formulas in two notations."""

import math

import pytest

from ldpt import text
from tests.conftest import PROJECT
from tests.plots import scripts


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
        (r"$T \/ H_epsilon$", "T / H_ε"),
        (r"$epsilon^(-2)$", "ε⁻²"),
        (r"$B^0$ to $B^K$", "B⁰ to Bᴷ"),
        (r"$tanh(epsilon\/2)$", "tanh(ε/2)"),
        ('$-log("error")$', "−log(error)"),
    ],
)
def test_as_unicode_writes_formulas_as_text(formula: str, shown: str) -> None:
    assert text.as_unicode(formula) == shown


def test_as_typst_escapes_text_and_leaves_formulas() -> None:
    assert text.as_typst("#1 * `x` $a_1$") == r"\#1 \* \`x\` $a_1$"


def test_as_typst_keeps_numbers_in_one_piece() -> None:
    found = text.as_typst("Algorithm 1's 20 000 runs, 95 % of 1.5×10⁻⁵")
    assert found == "Algorithm 1’s 20\u202f000 runs, 95\u202f% of $1.5 times 10^(-5)$"


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_templates_all_typeset(name: str) -> None:
    import typst

    template = (PROJECT / "workflow" / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    markup = text.as_typst(template.replace("{{ ", "(").replace(" }}", ")"))
    assert typst.compile(markup.encode(), format="pdf")
    shown = text.as_unicode(template)
    assert not set("$\\^") & set(shown), "a formula that has no Unicode form"
