"""The report on private answers: a table of arms, a paragraph on methods, warnings."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from ldpt.study.inference import Estimate, Verdict
from ldpt.text import json_text, table, wrapped
from ldpt.util.messages import printable, short

WIDTH = 80  # of a terminal
NAME_WIDTH = 12  # characters of an arm's name, so that the table fits


@dataclass(frozen=True)
class Row(Verdict):
    """What a report says about one arm: its verdict, and its estimated mean reward.

    Attributes
    ----------
    estimate, low, high : float
        The estimated mean reward and its interval.
    note : str
        Why the verdict has no guarantee; empty if it has.
    """

    estimate: float = math.nan
    low: float = 0.0
    high: float = 1.0
    note: str = ""

    @classmethod
    def of(cls, verdict: Verdict, estimate: Estimate, note: str = "") -> Self:
        """Return the row of a verdict and an estimate."""
        return cls(
            **vars(verdict), estimate=estimate.mean, low=estimate.low, high=estimate.high, note=note
        )

    @property
    def certain(self) -> bool:
        """Whether the arm is decided with a guarantee."""
        return self.verdict != "undecided" and not self.note

    def cells(self) -> dict[str, str]:
        """Return the row of the printed table."""
        sign = ">=" if self.verdict == "above" else "<="
        plain = self.certain or self.verdict == "undecided"
        return {
            "arm": short(printable(str(self.arm)), NAME_WIDTH),
            "answers": f"{self.answers:,}",
            "estimate": "-" if math.isnan(self.estimate) else f"{self.estimate:.3f}",
            "interval": f"{self.low:.3f}..{self.high:.3f}",
            "verdict": self.verdict if plain else f"({self.verdict})",
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
        if not any(row["decided at"] for row in cells):
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
