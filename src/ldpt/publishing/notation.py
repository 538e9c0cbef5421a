"""Formulas of the register in HTML, LaTeX and Markdown.

The register writes Greek letters as such, subscripts and superscripts in braces (``H_{ε}``,
``e^{2ε}``), and names of code between backticks. Nothing here needs a network or a font.
"""

import re
from collections.abc import Callable, Iterator
from html import escape

MARKUP = re.compile(r"([_^])\{([^{}]*)\}|`([^`]*)`")


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in parts, each with its kind: plain, sub, sup or code.

    >>> list(pieces("H_{ε} of `mixture`"))
    [('plain', 'H'), ('sub', 'ε'), ('plain', ' of '), ('code', 'mixture')]
    """
    end = 0
    for found in MARKUP.finditer(text):
        if found.start() > end:
            yield "plain", text[end : found.start()]
        sign, script, code = found.groups()
        yield ("code", code) if sign is None else ("sub" if sign == "_" else "sup", script)
        end = found.end()
    if end < len(text):
        yield "plain", text[end:]


def _rendered(text: str, forms: dict[str, str], plain: Callable[[str], str]) -> str:
    return "".join(forms.get(kind, "{}").format(plain(part)) for kind, part in pieces(text))


def html(text: str) -> str:
    """With sub, sup and code elements, and everything else escaped.

    >>> html("e^{ε} < 1")
    'e<sup>ε</sup> &lt; 1'
    """
    forms = {kind: f"<{kind}>{{}}</{kind}>" for kind in ("sub", "sup", "code")}
    return _rendered(text, forms, escape)


def markdown(text: str) -> str:
    """Subscripts and superscripts as the HTML that Markdown admits; code between backticks.

    >>> markdown("H_{ε} of `mixture`")
    'H<sub>ε</sub> of `mixture`'
    """
    return _rendered(text, {"sub": "<sub>{}</sub>", "sup": "<sup>{}</sup>", "code": "`{}`"}, str)


def latex(text: str, plain: Callable[[str], str]) -> str:
    r"""Scripts and code as LaTeX; ``plain`` turns the characters of each part into LaTeX.

    >>> latex("T^{2} of `lsa`", str)
    'T\\textsuperscript{2} of \\texttt{lsa}'
    """
    forms = {
        "sub": r"\textsubscript{{{}}}",
        "sup": r"\textsuperscript{{{}}}",
        "code": r"\texttt{{{}}}",
    }
    return _rendered(text, forms, plain)
