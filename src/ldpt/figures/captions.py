"""Captions whose numbers come from the data: templates, filled with the facts of a figure."""

import json
import math
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from ldpt.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """A number for prose, with so many significant digits.

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


def percent(value: float) -> str:
    """A share for prose.

    >>> percent(0.3043)
    '30 %'
    """
    return f"{number(100 * value, 2)} %"


def listed(words: Any) -> str:
    """Words as an enumeration.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def fill(template: str, facts: dict[str, Any]) -> str:
    """A caption from its template; each placeholder must have a fact, each fact a placeholder."""
    wanted = {name for _, name, _, _ in Formatter().parse(template) if name}
    if wanted != set(facts):
        missing, spare = sorted(wanted - set(facts)), sorted(set(facts) - wanted)
        raise ValueError(f"caption and facts differ: missing {missing}, not used {spare}")
    return template.format(**{name: _shown(value) for name, value in facts.items()})


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return listed(map(_shown, value))
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return number(float(value))


def publish(
    figure: "Figure", facts: dict[str, Any], template: str, output: Any, metadata: dict[str, str]
) -> None:
    """Write a figure (pdf, png), its caption and its facts to where a rule wants them."""
    caption = fill(Path(template).read_text(encoding="utf-8"), facts)
    Path(output.caption).write_text(caption, encoding="utf-8")
    known = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    Path(output.facts).write_text(known + "\n", encoding="utf-8")
    style.save(figure, output.pdf, output.png, metadata)
