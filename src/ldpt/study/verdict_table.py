"""The report on private answers: a table of arms, a paragraph on methods, warnings."""

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from ldpt.study.inference import Estimate, Verdict
from ldpt.study.scale import Scale
from ldpt.text import csv_cell, json_text, rounded, table, wrapped
from ldpt.util.messages import printable, short

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80  # of a terminal
NAME_WIDTH = 12  # characters of an arm's name, so that the table fits
MAX_NAME = 60  # of one in a sentence


@dataclass(frozen=True)
class Row(Verdict):
    """What a report says about one arm: its verdict, and its estimated mean reward.

    Attributes
    ----------
    estimate, low, high : float
        The estimated mean reward and its interval; on the scale, if answers are graded.
    note : str
        What speaks against the verdict; empty if nothing does.
    more_answers : int or None
        About how many more answers decide an undecided arm if its mean is as estimated.
    """

    estimate: float = math.nan
    low: float = 0.0
    high: float = 1.0
    note: str = ""
    more_answers: int | None = None

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        estimate: Estimate,
        threshold: float,
        more_answers: int | None = None,
        scale: Scale | None = None,
        note: str = "",
    ) -> Self:
        """Return the row of a verdict and an estimate, in units of the scale if there is one."""
        facts = vars(verdict)
        note = note or estimate.note
        if scale is not None:
            likely = "above" if estimate.mean > scale.threshold(threshold) else "below"
            more_answers = more_answers if scale.valid in (likely, "both") else None
            estimate = estimate.on(scale)
            bound = None if verdict.bound is None else scale.at(verdict.bound)
            facts = {**facts, "bound": bound}
            if verdict.verdict not in (scale.valid, "undecided") and scale.valid != "both":
                note = note or f"{verdict.verdict}, which the cuts in use cannot show"
                facts |= {"verdict": "undecided", "decided_at": None, "bound": None}
        side = facts["verdict"]
        contradicted = (side == "above" and estimate.high < threshold) or (
            side == "below" and estimate.low > threshold
        )
        if contradicted:
            note = note or (
                "the interval of all answers contradicts the verdict, which an earlier answer "
                "decided: one of the two is wrong"
            )
        return cls(
            **facts,
            estimate=estimate.mean,
            low=estimate.low,
            high=estimate.high,
            note=note,
            more_answers=more_answers if side == "undecided" else None,
        )

    @property
    def certain(self) -> bool:
        """Whether the arm is decided and nothing speaks against it."""
        return self.verdict != "undecided" and not self.note

    def cells(self, name_width: int = NAME_WIDTH) -> dict[str, str]:
        """Return the row of the printed table."""
        sign = ">=" if self.verdict == "above" else "<="
        plain = self.certain or self.verdict == "undecided"
        return {
            "arm": short(printable(str(self.arm)), name_width),
            "answers": f"{self.answers:,}",
            "estimate": "-" if math.isnan(self.estimate) else f"{self.estimate:.3f}",
            "interval": f"{self.low:.3f}..{self.high:.3f}",
            "verdict": self.verdict if plain else f"({self.verdict})",
            "bound": "" if self.bound is None else f"{sign} {self.bound:.3f}",
            "decided at": "" if self.decided_at is None else f"{self.decided_at:,}",
        }


@dataclass(frozen=True)
class Share:
    """The estimated share of people whose graded answer is at least a cut.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    cut : float
        The cut.
    answers : int
        How many people were asked about it.
    share, low, high : float
        The estimate and its interval, of level 0.95 for each share.
    """

    arm: str | int
    cut: float
    answers: int
    share: float
    low: float
    high: float

    def cells(self) -> dict[str, str]:
        """Return the row of the printed table."""
        return {
            "arm": short(printable(str(self.arm)), NAME_WIDTH),
            "at least": f"{self.cut:g}",
            "answers": f"{self.answers:,}",
            "share": f"{self.share:.0%}".replace("%", " %"),
            "95 % interval": f"{100 * self.low:.0f}..{100 * self.high:.0f} %",
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
    shares : list of Share
        With graded answers, the shares by cut.
    privacy : str
        What one answer reveals at most, for an ethics board.
    """

    title: str
    rows: list[Row]
    methods: str
    warnings: list[str]
    terms: dict[str, Any] = field(default_factory=dict)
    shares: list[Share] = field(default_factory=list)
    privacy: str = ""

    def __str__(self) -> str:
        return self.text()

    def text(self, bold: bool = False) -> str:
        """Return the report as text, with verdicts in bold type if the terminal has it."""
        if any(row.decided_at is not None for row in self.rows):
            cells = [row.cells() for row in self.rows]
        else:
            cells = [row.cells(NAME_WIDTH + 8) for row in self.rows]
            cells = [{key: row[key] for key in row if key != "decided at"} for row in cells]
        words = ("arm", "verdict")
        parts = [wrapped(printable(self.title), WIDTH)]
        parts.append(table(cells, WIDTH, words, bold=["verdict"] if bold else ()))
        parts += [wrapped(line, WIDTH) for line in self._open_questions()]
        if self.shares:
            parts.append(table([share.cells() for share in self.shares], WIDTH, words=["arm"]))
        parts.append(wrapped(f"Methods. {printable(self.methods)}", WIDTH))
        if self.privacy:
            parts.append(wrapped(f"Privacy. {self.privacy}", WIDTH))
        parts += [wrapped(f"Warning: {printable(warning)}", WIDTH) for warning in self.warnings]
        return "\n\n".join(parts)

    def _open_questions(self) -> list[str]:
        """Return one line per arm that has a note, and one on how many answers are missing."""
        notes = [
            f"{short(printable(str(row.arm)), MAX_NAME)}: {printable(row.note)}."
            for row in self.rows
            if row.note and not any(row.note in warning for warning in self.warnings)
        ]
        needs = [
            f"about {rounded(row.more_answers)} for {short(printable(str(row.arm)), MAX_NAME)}"
            for row in self.rows
            if row.more_answers is not None
        ]
        if needs:
            notes.append(
                "More answers until a verdict, if the means are as estimated (they are not known "
                f"exactly): {', '.join(needs)}."
            )
        return notes

    def as_table(self) -> "pd.DataFrame":
        """Return the rows as a DataFrame, with the words in its ``attrs``."""
        from ldpt.study.frames import VerdictFrame

        frame = VerdictFrame([asdict(row) for row in self.rows])
        frame.attrs = {"methods": self.methods, "warnings": self.warnings, "privacy": self.privacy}
        if self.shares:
            frame.attrs["shares"] = [asdict(share) for share in self.shares]
        return frame

    def as_json(self) -> str:
        """Return the terms, the rows and the words as JSON."""
        words = {"methods": self.methods, "privacy": self.privacy, "notes": self.warnings}
        content = {**self.terms, **words, "arms": [asdict(row) for row in self.rows]}
        if self.shares:
            content["shares"] = [asdict(share) for share in self.shares]
        return json_text(content)

    def as_csv(self) -> str:
        """Return one line per arm, with a header; no cell begins like a formula."""
        import pandas as pd

        rows = [{key: csv_cell(value) for key, value in asdict(row).items()} for row in self.rows]
        return pd.DataFrame(rows, dtype=object).to_csv(index=False).rstrip("\n")
