"""The report on private answers: a table of arms, a paragraph on methods, warnings."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from ldpt.io.messages import printable, short
from ldpt.text import json_text, table, wrapped

WIDTH = 80  # of a terminal
NAME_WIDTH = 12  # characters of an arm's name, so that the table fits


@dataclass(frozen=True)
class Row:
    """What a report says about one arm.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    answers, ones : int
        The number of answers, and how many of them are 1.
    estimate, low, high : float
        The estimated mean reward and its interval.
    verdict : str
        ``"above"``, ``"below"`` or ``"undecided"``.
    bound : float or None
        The mean reward is at least (above) or at most (below) this; None without a guarantee.
    decided_at : int or None
        The number of answers of this arm at its decision, if it is known.
    certain : bool
        Whether the verdict has the guarantee.
    note : str
        Why the verdict has no guarantee.
    """

    arm: str | int
    answers: int
    ones: int
    estimate: float
    low: float
    high: float
    verdict: str
    bound: float | None = None
    decided_at: int | None = None
    certain: bool = True
    note: str = ""

    def cells(self) -> dict[str, str]:
        """Return the row of the printed table."""
        sign = ">=" if self.verdict == "above" else "<="
        certain = self.certain or self.verdict == "undecided"
        return {
            "arm": short(printable(str(self.arm)), NAME_WIDTH),
            "answers": f"{self.answers:,}",
            "estimate": "-" if math.isnan(self.estimate) else f"{self.estimate:.3f}",
            "interval": f"{self.low:.3f}..{self.high:.3f}",
            "verdict": self.verdict if certain else f"({self.verdict})",
            "bound": "" if self.bound is None else f"{sign} {self.bound:.3f}",
            "decided at": "" if self.decided_at is None else f"{self.decided_at:,}",
        }


@dataclass(frozen=True)
class Report:
    """Verdicts and estimates for readers; ``str`` gives them as text.

    Attributes
    ----------
    title : str
        The answers and their terms.
    rows : list of Row
        One per arm.
    methods : str
        A paragraph for a methods section.
    warnings : list of str
        What a reader must know before using the verdicts.
    terms : dict
        The terms for programs.
    """

    title: str
    rows: list[Row]
    methods: str
    warnings: list[str]
    terms: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        cells = [row.cells() for row in self.rows]
        if all(row.decided_at is None for row in self.rows):
            cells = [{key: row[key] for key in row if key != "decided at"} for row in cells]
        notes = [wrapped(f"Warning: {warning}", WIDTH) for warning in self.warnings]
        methods = wrapped(f"Methods. {self.methods}", WIDTH)
        rows = table(cells, WIDTH, words=("arm", "verdict"))
        return "\n\n".join([wrapped(self.title, WIDTH), rows, methods, *notes])

    def as_json(self) -> str:
        """Return the terms, the rows and the words as JSON."""
        words = {"methods": self.methods, "notes": self.warnings}
        return json_text({**self.terms, **words, "arms": [asdict(row) for row in self.rows]})

    def as_csv(self) -> str:
        """Return one line per arm, with a header."""
        import pandas as pd

        return pd.DataFrame(map(asdict, self.rows), dtype=object).to_csv(index=False).rstrip("\n")
