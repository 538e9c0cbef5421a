"""Tables in three forms, CSV, Markdown and LaTeX, from one source."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt.figures.captions import number
from ldpt.instances import Instance

Form = Callable[[Any], str]
LATEX = {
    **{character: rf"\{character}" for character in "&%_#${}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"×": r"$\times$", "∞": r"$\infty$", "−": "$-$", "–": "--", "—": "---", "’": "'"},
    **{"ε": r"$\epsilon$", "δ": r"$\delta$", "Δ": r"$\Delta$", "τ": r"$\tau$", "ζ": r"$\zeta$"},
    **{"μ": r"$\mu$", "ρ": r"$\rho$", "λ": r"$\lambda$", "√": r"$\surd$", "·": r"$\cdot$"},
    **{"≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "≠": r"$\ne$", "→": r"$\to$"},
    **{"½": "1/2", "¼": "1/4", "²": "$^2$", "³": "$^3$", "\u00a0": "~"},
}
RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def write(table: pd.DataFrame, forms: Mapping[str, Form], csv: str, md: str, tex: str) -> None:
    """The bare values as CSV; for readers each column in its form, as Markdown and LaTeX."""
    table.to_csv(csv, index=False)
    shown = pd.DataFrame(
        {column: [forms.get(column, shown_value)(v) for v in table[column]] for column in table},
        dtype=str,
    )
    Path(md).write_text(markdown(shown), encoding="utf-8")
    Path(tex).write_text(latex(shown), encoding="utf-8")


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
        [cell.replace("|", r"\|") for cell in row] for row in [*head, *table.to_numpy().tolist()]
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


def runtime(
    budget: pd.DataFrame, confidence: pd.DataFrame, expected: Mapping[str, float]
) -> pd.DataFrame:
    """What was simulated, by policy and radius, and the core time that measured rates foretell.

    The work is counted in the summaries; the times of a run itself are not in it, since they differ
    from run to run and products do not: they stand in ``results/benchmarks``.
    """
    budget = budget.groupby(["policy", "instance", "epsilon"], as_index=False)
    longest = budget.agg(runs=("replicates", "max"), pulls=("budget", "max"))
    longest["pulls"] = longest["pulls"] * longest["runs"].astype(float)
    work = {"Algorithm 1": "apt", "uniform allocation": "uniform", "Laplace noise": "laplace"}
    rows = [
        _work(shown, longest[longest["policy"] == policy], expected[policy])
        for shown, policy in work.items()
        if policy in expected
    ]
    confidence = confidence.assign(
        runs=confidence["replicates"], pulls=confidence["mean_pulls"] * confidence["replicates"]
    )
    rows += [
        _work(f"Algorithm 2, {radius}", confidence[confidence["radius"] == radius], seconds)
        for radius, seconds in expected.items()
        if radius in set(confidence["radius"])
    ]
    return pd.DataFrame(rows)


def _work(title: str, points: pd.DataFrame, seconds: float) -> dict[str, Any]:
    pulls = float(points["pulls"].sum())
    return {
        "simulation": title,
        "settings": len(points),
        "runs": int(points["runs"].sum()),
        "pulls": pulls,
        "expected core seconds": seconds,
        "nanoseconds a pull": 1e9 * seconds / pulls,
    }
