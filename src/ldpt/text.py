"""Text as readers see it: numbers, terminal output, templates, and formulas in one notation.

Templates are Jinja2. Formulas are plain text with Greek letters as such, subscripts and
superscripts in braces (``H_{ε}``, ``e^{2ε}``), and names of code between backticks; the functions
``as_...`` turn them into Unicode, HTML, Markdown, Typst and LaTeX.
"""

import json
import math
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from html import escape
from typing import Any

from ldpt.util.json_values import plain
from ldpt.util.messages import short

MARKUP = re.compile(r"([_^])\{([^{}]*)\}|`([^`]*)`")
SCRIPTED_LETTER = re.compile(
    r"(?<![\w)])([^\W\d_])((?:[_^]\{[^{}]*\})+)"
)  # one letter with scripts
LINE_MARKUP = re.compile(r"(?m)^(\s*)([-+/]|=+|\d+\.)(?=\s)")  # lists and headings of Typst
POWER_OF_TEN = re.compile(r"([−\d.]+)×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
SUPERSCRIPTS = str.maketrans("-−0123456789Ki", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᴷⁱ")
SUBSCRIPTS = str.maketrans("0123456789i", "₀₁₂₃₄₅₆₇₈₉ᵢ")
PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
THIN_SPACE = "\u202f"  # at which no line ends
BOLD, NORMAL = "\x1b[1m", "\x1b[0m"
YEAR_10000 = 253_402_300_800  # seconds since 1970; no library dates a figure later
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")  # at the start of a cell of a spreadsheet


# --- numbers --------------------------------------------------------------------------------------


def number(value: float, digits: int = 3) -> str:
    """Return a number for prose, with ``digits`` significant digits.

    >>> number(0.000123), number(0.0317), number(12345.6), number(2.5e9), number(math.inf)
    ('1.23×10⁻⁴', '0.0317', '12 300', '2.5×10⁹', '∞')
    >>> number(401.3, 2)
    '400'
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = Decimal(rounded).adjusted()
    if exponent < -3 or exponent > 6:
        mantissa = f"{float(Decimal(rounded).scaleb(-exponent)):.{digits}g}"
        return _minus(f"{mantissa}×10{str(exponent).translate(SUPERSCRIPTS)}")
    if exponent >= min(3, digits):
        return _minus(_grouped(rounded))
    return _minus(f"{rounded:.{digits}g}")


def prose(value: Any) -> str:
    """Return a value as it stands in a sentence; whole numbers below ten million in full.

    >>> prose(0.3043), prose([1.0, math.inf]), prose(12_345), prose("once")
    ('0.304', '1 and ∞', '12 345', 'once')
    """
    if isinstance(value, (list, tuple)):
        return listed(map(prose, value))
    if isinstance(value, str):
        return value
    if math.isfinite(value) and float(value).is_integer() and abs(value) < 1e7:
        return _minus(_grouped(value))
    return number(float(value))


def listed(words: Iterable[Any]) -> str:
    """Return words as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def unbroken(text: str) -> str:
    """Return a text in which no line ends inside a number or before its percent sign."""
    return re.sub(r"(?<=\d) (?=%|\d{3})", THIN_SPACE, text)


def _grouped(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def _minus(text: str) -> str:
    return text.replace("-", "−")


# --- terminal -------------------------------------------------------------------------------------


def rounded(value: float) -> str:
    """Return a number of people or answers with three digits; a dash if it is unknown.

    >>> rounded(10712.4), rounded(87.2), rounded(float("inf")), rounded(float("nan"))
    ('10,700', '87', 'inf', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{float(f'{value:.3g}'):,.0f}" if math.isfinite(value) else "inf"


def wrapped(words: str, width: int, indent: int = 0) -> str:
    """Return a paragraph in lines of at most ``width`` characters, from the second one indented."""
    return textwrap.fill(
        words, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def table(
    rows: Sequence[Mapping[str, str]],
    width: int,
    words: Sequence[str] = (),
    bold: Sequence[str] = (),
) -> str:
    """Return rows under the names of their columns, without the last columns if they do not fit.

    Columns of ``words`` are aligned to the left, the others to the right; those of ``bold`` are
    printed in bold type, below the header.

    >>> print(table([{"method": "coin", "people": "900"}, {"method": "lsa", "people": "90"}],
    ...             80, words=["method"]))
    method  people
    coin       900
    lsa         90
    """
    sizes = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    while len(sizes) > 2 and sum(sizes.values()) + 2 * (len(sizes) - 1) > width:
        sizes.popitem()
    lines: list[str] = []
    for row in ({name: name for name in sizes}, *rows):
        cells = {
            name: row[name].ljust(size) if name in words else row[name].rjust(size)
            for name, size in sizes.items()
        }
        if lines:
            cells |= {name: f"{BOLD}{cells[name]}{NORMAL}" for name in bold if name in cells}
        lines.append("  ".join(cells.values()).rstrip())
    return "\n".join(lines)


def bold_terminal(stream: Any) -> bool:
    """Return whether a stream shows bold type: a terminal, unless NO_COLOR is set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")


def check_source_date() -> None:
    """Refuse a SOURCE_DATE_EPOCH, from which figures take their date, that is no date."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "0")
    digits = seconds.isascii() and seconds.isdigit()
    if not digits or float(seconds) >= YEAR_10000:
        raise ValueError(
            f"SOURCE_DATE_EPOCH must be seconds since 1970, got {short(seconds, 40)!r}"
        )


def csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: text then begins with an apostrophe.

    >>> csv_cell("=1+1"), csv_cell("40 mg"), csv_cell(-0.5)
    ("'=1+1", '40 mg', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_SIGNS) else value


def json_text(content: Mapping[str, Any]) -> str:
    """Return JSON for other programs: infinity is written "inf", an unknown number null.

    >>> json_text({"epsilon": math.inf, "rows": [{"bound": math.nan}]}).split()
    ['{', '"epsilon":', '"inf",', '"rows":', '[', '{', '"bound":', 'null', '}', ']', '}']
    """
    return json.dumps(plain(_known(content)), indent=1)


def _known(value: Any) -> Any:
    """Return a value with None for every NaN."""
    if isinstance(value, Mapping):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


# --- templates ------------------------------------------------------------------------------------


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """Return a Jinja2 template filled with facts, which are written as prose.

    The filter ``digits`` sets the number of significant digits.

    >>> fill("{{ runs }} runs at {{ levels }}", {"runs": 20_000, "levels": [0.5, math.inf]})
    '20 000 runs at 0.5 and ∞'
    >>> fill("{{ ratio | digits(1) }}", {"ratio": 0.269})
    '0.3'
    """
    import jinja2

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, finalize=prose, keep_trailing_newline=True
    )
    environment.filters["digits"] = lambda value, digits=3: (
        value if isinstance(value, str) else number(value, digits)
    )
    try:
        return environment.from_string(template).render(facts)
    except jinja2.TemplateError as error:
        raise ValueError(f"cannot fill the template: {error}") from error


# --- formulas -------------------------------------------------------------------------------------


def as_unicode(text: str) -> str:
    """Return a text with its formulas as plain Unicode.

    >>> as_unicode("the share Δ_{i}^{−2} / H at T ≤ H_{ε}")
    'the share Δᵢ⁻² / H at T ≤ H_ε'
    """
    return MARKUP.sub(_in_unicode, text)


def as_html(text: str) -> str:
    """Return a text as HTML, with elements for scripts and code and everything else escaped.

    >>> as_html("e^{ε} < 1")
    'e<sup>ε</sup> &lt; 1'
    """
    return _rendered(text, HTML, escape, escape)


def as_markdown(text: str) -> str:
    """Return a text as Markdown, with the HTML elements that it admits for scripts.

    >>> as_markdown("H_{ε} of `mixture`")
    'H<sub>ε</sub> of `mixture`'
    """
    return _rendered(text, HTML | {"`": "`{}`"}, str, str)


def as_typst(text: str) -> str:
    r"""Return a text as Typst markup; single letters with scripts are set as mathematics.

    >>> as_typst("a_b is 2×10⁻⁴ of H_{ε}")
    'a\\_b is $2 times 10^(-4)$ of $H_(ε)$'
    """
    parts = SCRIPTED_LETTER.split(text)
    texts = [_rendered(part, TYPST, _typst_text, str) for part in parts[::3]]
    letters = zip(parts[1::3], parts[2::3], strict=True)
    formulas = [f"${base}{_typst_scripts(scripts)}$" for base, scripts in letters]
    line = "".join(text + formula for text, formula in zip(texts, [*formulas, ""], strict=True))
    return LINE_MARKUP.sub(r"\1\\\2", line)


def as_latex(text: str) -> str:
    r"""Return a text as LaTeX for an engine that reads Unicode, such as LuaLaTeX.

    >>> as_latex("T^{2} of `lsa_x`, 50 %")
    'T\\textsuperscript{2} of \\texttt{lsa\\_x}, 50 \\%'
    """
    return _rendered(text, LATEX, _latex_text, _latex_text)


HTML = {"_": "<sub>{}</sub>", "^": "<sup>{}</sup>", "`": "<code>{}</code>"}
# Typst drops the semicolon after a function call, and only this one.
TYPST = {"_": "#sub[{}];", "^": "#super[{}];", "`": "`{}`"}
LATEX = {"_": r"\textsubscript{{{}}}", "^": r"\textsuperscript{{{}}}", "`": r"\texttt{{{}}}"}
Form = Callable[[str], str]


def _rendered(text: str, marks: Mapping[str, str], plain: Form, code: Form) -> str:
    """Return a text with scripts and code in their marks, and everything escaped."""
    pieces, end = [], 0
    for match in MARKUP.finditer(text):
        sign, script, name = match.groups()
        content = marks[sign].format(plain(script)) if sign else marks["`"].format(code(name))
        pieces += [plain(text[end : match.start()]), content]
        end = match.end()
    return "".join([*pieces, plain(text[end:])])


def _in_unicode(match: re.Match[str]) -> str:
    """Return code as it is, and a script in Unicode's small letters if it has them all."""
    sign, script, name = match.groups()
    if not sign:
        return str(name)
    small = script.translate(SUPERSCRIPTS if sign == "^" else SUBSCRIPTS)
    if not set(small) & set(script):
        return str(small)
    return f"^({script})" if sign == "^" else f"_{script}"


def _typst_text(text: str) -> str:
    text = re.sub(r"[\\#$*_@<>~`\[\]]|/(?=/)", r"\\\g<0>", text)
    text = text.replace("'", "’")  # after a digit, Typst would take it for a prime
    text = unbroken(text)
    return POWER_OF_TEN.sub(
        lambda found: f"${found[1]} times 10^({found[2].translate(PLAIN_DIGITS)})$", text
    )


def _typst_scripts(scripts: str) -> str:
    return re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", scripts)


def _latex_text(text: str) -> str:
    commands = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return re.sub(r"[&%_#${}\\~^]", lambda sign: commands.get(sign[0], rf"\{sign[0]}"), text)
