"""Captions whose numbers come from the data: templates, filled with the facts of a figure.

A template is plain text with ``{fact}`` placeholders and formulas between dollars. Formulas are
Typst mathematics, which the article sets as such; everywhere else they become Unicode text.
"""

import math
import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

FORMULA = re.compile(r"\$([^$]*)\$")
SUPERSCRIPTS = str.maketrans("-0123456789Ki", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᴷⁱ")
PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
SUBSCRIPTS = str.maketrans("0123456789i", "₀₁₂₃₄₅₆₇₈₉ᵢ")
SIGNS = {"\\/": "/", "<=": "≤", ">=": "≥", "-": "−", '"': ""}
WORDS = {
    "epsilon": "ε", "delta": "δ", "Delta": "Δ", "zeta": "ζ", "tau": "τ", "mu": "μ", "times": "×",
    "dots": "…",
}  # fmt: skip


def number(value: float, digits: int = 3) -> str:
    """A number for prose, with ``digits`` significant digits.

    >>> number(0.000123), number(0.0317), number(12345.6), number(2.5e9), number(math.inf)
    ('1.23×10⁻⁴', '0.0317', '12 300', '2.5×10⁹', '∞')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = math.floor(math.log10(abs(rounded)))
    if exponent < -3 or exponent > 6:
        mantissa = f"{rounded / 10.0**exponent:.{digits}g}"
        return _minus(f"{mantissa}×10{str(exponent).translate(SUPERSCRIPTS)}")
    if exponent >= 3:
        return _minus(f"{rounded:,.0f}".replace(",", " "))
    return _minus(f"{rounded:.{digits}g}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def listed(words: Any) -> str:
    """Words as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# --- templates ------------------------------------------------------------------------------------


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """A caption from its template; each placeholder must have a fact.

    Placeholders stand outside of formulas, because a number is written as text.
    """
    if any("{" in formula for formula in FORMULA.findall(template)):
        raise ValueError("a placeholder must stand outside of $formulas$")
    missing = {name for _, name, _, _ in Formatter().parse(template) if name} - set(facts)
    if missing:
        raise ValueError(f"the caption has no fact for {', '.join(sorted(missing))}")
    return template.format(**{name: _shown(value) for name, value in facts.items()})


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return listed(map(_shown, value))
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return number(float(value))


# --- formulas: Typst mathematics between dollars, for the article, and as Unicode for all else ----


def as_unicode(caption: str) -> str:
    r"""A caption with its formulas as plain text.

    >>> as_unicode(r"the share $Delta_i^(-2) \/ H$ at $T <= H_epsilon$")
    'the share Δᵢ⁻² / H at T ≤ H_ε'
    """
    return FORMULA.sub(lambda found: _unicode_formula(found[1]), caption)


def _unicode_formula(formula: str) -> str:
    for source, sign in SIGNS.items():
        formula = formula.replace(source, sign)
    formula = re.sub(r"[A-Za-z]+", lambda word: WORDS.get(word[0], word[0]), formula)
    formula = re.sub(r"\^(?:\(([^)]*)\)|(\w))", _raised, formula)
    return re.sub(r"_([0-9i])(?!\w)", lambda found: found[1].translate(SUBSCRIPTS), formula)


def _raised(found: re.Match[str]) -> str:
    return (found[1] or found[2]).replace("−", "-").translate(SUPERSCRIPTS)


def as_typst(caption: str) -> str:
    r"""A caption as Typst markup: formulas are left to Typst, all other signs stand for themselves.

    >>> as_typst("a_b is 2×10⁻⁴ of $H_epsilon$")
    'a\\_b is $2 times 10^(-4)$ of $H_epsilon$'
    """
    parts = FORMULA.split(caption)
    texts = [_typst_text(text) for text in parts[::2]]
    formulas = [f"${formula}$" for formula in parts[1::2]]
    return "".join(text + formula for text, formula in zip(texts, [*formulas, ""], strict=True))


def _typst_text(text: str) -> str:
    text = re.sub(r"([\\#$*_@<>~`\[\]])", r"\\\1", text)
    text = text.replace("'", "’")  # after a digit, Typst would take it for a prime
    text = re.sub(r"(?<=\d) (?=%|\d{3})", "\u202f", text)  # no line ends inside a number
    return re.sub(r"([\d.]+)×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", _typst_power, text)


def _typst_power(found: re.Match[str]) -> str:
    return f"${found[1]} times 10^({found[2].translate(PLAIN_DIGITS)})$"
