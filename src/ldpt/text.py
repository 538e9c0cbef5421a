"""Text as readers see it: numbers, templates, and formulas in one notation.

Templates are Jinja2. Formulas stand between dollars as Typst mathematics, which the article sets as
such; everywhere else they become Unicode text.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import jinja2

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
    """Return a number for prose, with ``digits`` significant digits.

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
    """Return words as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# --- templates ------------------------------------------------------------------------------------


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """Return a Jinja2 template filled with facts, which are written as prose.

    >>> fill("{{ runs }} runs at {{ levels }}", {"runs": 20_000, "levels": [0.5, math.inf]})
    '20 000 runs at 0.5 and ∞'
    """
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, finalize=_shown, keep_trailing_newline=True
    )
    try:
        return environment.from_string(template).render(facts)
    except jinja2.TemplateError as error:
        raise ValueError(f"cannot fill the template: {error}") from error


def _shown(value: Any) -> str:
    if isinstance(value, (str, jinja2.Undefined)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return listed(map(_shown, value))
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return number(float(value))


# --- formulas: Typst mathematics between dollars, for the article, and as Unicode for all else ----


def as_unicode(text: str) -> str:
    r"""Return a text with its formulas as plain Unicode.

    >>> as_unicode(r"the share $Delta_i^(-2) \/ H$ at $T <= H_epsilon$")
    'the share Δᵢ⁻² / H at T ≤ H_ε'
    """
    return FORMULA.sub(lambda found: _unicode_formula(found[1]), text)


def _unicode_formula(formula: str) -> str:
    for source, sign in SIGNS.items():
        formula = formula.replace(source, sign)
    formula = re.sub(r"[A-Za-z]+", lambda word: WORDS.get(word[0], word[0]), formula)
    formula = re.sub(r"\^(?:\(([^)]*)\)|(\w))", _raised, formula)
    return re.sub(r"_([0-9i])(?!\w)", lambda found: found[1].translate(SUBSCRIPTS), formula)


def _raised(found: re.Match[str]) -> str:
    return (found[1] or found[2]).replace("−", "-").translate(SUPERSCRIPTS)


def as_typst(text: str) -> str:
    r"""Return a text as Typst markup; formulas stay, all other signs are literal.

    >>> as_typst("a_b is 2×10⁻⁴ of $H_epsilon$")
    'a\\_b is $2 times 10^(-4)$ of $H_epsilon$'
    """
    parts = FORMULA.split(text)
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
