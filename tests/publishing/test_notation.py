"""Formulas of the register in the three forms that readers get."""

import pytest

from ldpt.publishing import notation, tables
from tests.claims.judging import REGISTERED

TEXTS = [
    text
    for claim in REGISTERED
    for text in (claim.where, claim.statement, claim.amendment, claim.reason, claim.meaning)
    if text
]


def test_html_marks_scripts_and_code() -> None:
    assert notation.html("e^{2ε} of `lsa` & H_{ε}") == (
        "e<sup>2ε</sup> of <code>lsa</code> &amp; H<sub>ε</sub>"
    )


@pytest.mark.parametrize("form", [notation.html, notation.markdown])
def test_notation_leaves_no_markup_in_any_text_of_the_register(form) -> None:
    assert not [text for text in TEXTS if "_{" in form(text) or "^{" in form(text)]


def test_latex_of_the_register_needs_no_unicode() -> None:
    cells = [tables._latex_cell(text) for text in TEXTS]
    left = sorted({character for cell in cells for character in cell if ord(character) > 127})
    assert left == []
