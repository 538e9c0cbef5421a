"""Tables in three forms, CSV, Markdown and LaTeX, from one source."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt.instances import Instance
from ldpt.publishing import notation
from ldpt.text import number

Form = Callable[[Any], str]
LATEX = {
    **{character: rf"\{character}" for character in "&%_#${}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"×": r"$\times$", "∞": r"$\infty$", "−": "$-$", "–": "--", "—": "---", "’": "'"},
    **{"ε": r"$\epsilon$", "δ": r"$\delta$", "Δ": r"$\Delta$", "τ": r"$\tau$", "ζ": r"$\zeta$"},
    **{"μ": r"$\mu$", "ρ": r"$\rho$", "λ": r"$\lambda$", "√": r"$\surd$", "·": r"$\cdot$"},
    **{"≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "≠": r"$\ne$", "→": r"$\to$"},
    **{"½": "1/2", "¼": "1/4", "²": "$^2$", "³": "$^3$", "\u00a0": "~"},
    **{"Σ": r"$\Sigma$", "Ω": r"$\Omega$", "π": r"$\pi$", "±": r"$\pm$", "…": r"\dots{}"},
    **{"⌊": r"$\lfloor$", "⌋": r"$\rfloor$", "⌈": r"$\lceil$", "⌉": r"$\rceil$"},
    **{"\u0303": r"\~{}"},  # a tilde over the letter before
}
RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def write(
    table: pd.DataFrame,
    forms: Mapping[str, Form],
    csv: str,
    md: str,
    tex: str,
    columns: Mapping[str, str] | None = None,
) -> None:
    """The bare values as CSV; for readers each column in its form, as Markdown and LaTeX.

    ``columns`` says what the columns are: below the Markdown table, and as comments in LaTeX.
    """
    table.to_csv(csv, index=False)
    shown = pd.DataFrame(
        {column: [forms.get(column, shown_value)(v) for v in table[column]] for column in table},
        dtype=str,
    )
    legend = "".join(f"- **{name}**: {text}\n" for name, text in (columns or {}).items())
    Path(md).write_text(markdown(shown) + (f"\n{legend}" if legend else ""), encoding="utf-8")
    comments = "".join(f"% {name}: {text}\n" for name, text in (columns or {}).items())
    Path(tex).write_text(comments + latex(shown), encoding="utf-8")


def shown_value(value: Any) -> str:
    """A cell as a reader sees it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return "" if math.isnan(value) else number(value)


def markdown(table: pd.DataFrame) -> str:
    """A pipe table."""
    head = [list(table.columns), ["---"] * len(table.columns)]
    rows = [
        [notation.markdown(cell).replace("|", r"\|") for cell in row]
        for row in [*head, *table.to_numpy().tolist()]
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def latex(table: pd.DataFrame) -> str:
    """A tabular with the rules of booktabs; numbers to the right."""
    columns = "".join("r" if _numeric(table[column]) else "l" for column in table)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [_latex_row(table.columns), r"\midrule"]
    lines += [_latex_row(row) for row in table.to_numpy().tolist()]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Any) -> str:
    return " & ".join(_latex_cell(str(cell)) for cell in cells) + r" \\"


def _latex_cell(cell: str) -> str:
    """A cell without Unicode; a number in powers of ten becomes a formula."""
    number_in_powers = re.fullmatch(r"([-−]?[\d.]+)×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", cell)
    if number_in_powers:
        mantissa, power = number_in_powers[1].replace("−", "-"), number_in_powers[2]
        return rf"${mantissa}\times 10^{{{power.translate(LOWERED)}}}$"
    return notation.latex(cell, _latex_plain)


def _latex_plain(cell: str) -> str:
    parts = RAISED.split(cell)
    raised = [f"$^{{{power.translate(LOWERED)}}}$" for power in RAISED.findall(cell)]
    plain = ["".join(LATEX.get(character, character) for character in part) for part in parts]
    return "".join(text + power for text, power in zip(plain, [*raised, ""], strict=True))


def _numeric(cells: pd.Series) -> bool:
    return bool(cells.str.fullmatch(r"[-−+]?[\d. ×⁻⁰¹²³⁴⁵⁶⁷⁸⁹∞]*").all())


def instances(problems: list[Instance]) -> pd.DataFrame:
    """What each instance is and how hard it is; H without tolerance is fixed confidence's."""
    return pd.DataFrame(
        {
            "instance": problem.name,
            "arms": problem.n_arms,
            "means": compact_means(problem.means),
            "threshold": problem.threshold,
            "tolerance": problem.tolerance,
            "smallest gap": float(problem.gaps.min()),
            "H": problem.complexity(),
            "H at ε = 1": problem.complexity(1.0),
            "H at tolerance 0": problem.strict.complexity(),
        }
        for problem in problems
    )


def compact_means(means: tuple[float, ...]) -> str:
    """The means with repeats counted.

    >>> compact_means((0.1, 0.1, 0.45))
    '0.1 ×2, 0.45'
    """
    runs: list[list[Any]] = []
    for mean in means:
        if runs and runs[-1][0] == mean:
            runs[-1][1] += 1
        else:
            runs.append([mean, 1])
    return ", ".join(f"{m:.4g} ×{n}" if n > 1 else f"{m:.4g}" for m, n in runs)


CLAIM_COLUMNS = {
    "id": "name of the row",
    "level": "theorem, statement (a sentence of the text), step (of a proof), typo, or own (ours)",
    "root": "the row whose truth or cause it shares; a root names itself",
    "where": "place in the paper, or the question that an own claim answers",
    "statement": "what the paper says, in our words",
    "verdict": "the verdict on it",
    "basis": "proved, disproved, computed (exact arithmetic), measured (simulation) or read off",
    "number": "the number of the evidence that matters most",
    "what the number is": "its meaning",
    "cases": "how many cases could have contradicted the statement",
    "adjusted p": "smallest p value of its tests, adjusted over the register; empty: no test",
    "amendment or reason": "the hypothesis or constant that is added, or a remark",
}


def claims(verdicts: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per claim, every cell a text; ``CLAIM_COLUMNS`` explains the columns."""
    rows = [
        (
            v["id"],
            v["level"],
            v["root"],
            v["where"],
            v["statement"],
            v["verdict"],
            v["basis"],
            "" if v["number"] is None else shown_value(v["number"]),
            "" if v["number"] is None else v["meaning"],
            "" if v["cases"] is None else shown_value(v["cases"]),
            "" if v["adjusted_p"] is None else shown_value(v["adjusted_p"]),
            v["amendment"] or v["reason"],
        )
        for v in verdicts
    ]
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS), dtype=str)
