"""Private answers of every arm: from a file, a table, counts, or sequences of 0 and 1.

A file is CSV or Parquet. It has columns ``arm`` and ``response`` (0 or 1, one row per answer), or
``arm``, ``responses`` and ``ones`` (counts). A column ``epsilon`` is optional and must be constant
for every arm; a column ``cut`` holds the cuts of graded answers; other columns are ignored. Every
row is counted: as an answer, or as a row without a response. No message repeats a response, because
responses belong to people.
"""

import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpt.checks import MAX_COUNT
from ldpt.util.files import read_whole
from ldpt.util.messages import short, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers", "Sample", "as_answers", "read_answers"]

MAX_BYTES = 10**8  # a gigabyte in memory
MAX_ARMS = 10_000
MAX_CUTS = 1000
MAX_ROWS = 5 * 10**7  # of a Parquet file, which compresses
BITS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1, "no": 0, "yes": 1}
MISSING = ("", "na", "nan", "none", "null", "<na>")
SORTED_Z = 6.0  # standard deviations; a file in order of arrival has fewer with probability 1e-9


@dataclass(frozen=True)
class Sample:
    """The answers of one arm.

    ``bits`` has them in order, if the order is known; ``cuts`` has those of every cut, if answers
    are graded, with the cut in the place of the arm. ``epsilon`` is the privacy level that the
    table states.
    """

    arm: Any
    answers: int
    ones: int
    bits: np.ndarray | None = None
    cuts: tuple["Sample", ...] = ()
    epsilon: float | None = None

    def flipped(self) -> "Sample":
        """Return the same answers with 1 - x in place of every response x."""
        bits = None if self.bits is None else 1 - self.bits
        cuts = tuple(one.flipped() for one in self.cuts)
        return replace(self, ones=self.answers - self.ones, bits=bits, cuts=cuts)

    def split(self, ones: np.ndarray, at: np.ndarray, cuts: Sequence[float]) -> "Sample":
        """Return the same answers, known by cut: ``ones`` and ``at`` have one entry per answer."""
        places = [at == cut for cut in cuts]
        parts = (
            Sample(cut, int(place.sum()), int(ones[place].sum()))
            for cut, place in zip(cuts, places, strict=True)
        )
        return replace(self, cuts=tuple(parts))

    def looks_sorted(self) -> bool:
        """Return whether 0 and 1 alternate too seldom for responses in order of arrival."""
        n, pairs = self.answers, 2.0 * self.ones * (self.answers - self.ones)
        if self.bits is None or n < 20 or pairs == 0:
            return False
        deviation = math.sqrt(pairs * max(pairs - n, 0) / (n * n * (n - 1)))
        return bool(np.count_nonzero(np.diff(self.bits)) < pairs / n - SORTED_Z * deviation - 1)


@dataclass(frozen=True)
class Answers:
    """Private answers of every arm.

    Attributes
    ----------
    samples : tuple of Sample
        One per arm, in the order in which the arms first appear.
    source : str
        The file.
    missing : int
        Rows without a response.
    places : ndarray, optional
        The arm of every answer, as its place in ``samples``, in the order of the rows; None if the
        arms' answers have no common order.
    """

    samples: tuple[Sample, ...]
    source: str = "the answers"
    missing: int = 0
    places: np.ndarray | None = None

    def rows(self) -> Iterator[tuple[str | int, int]]:
        """Yield arm and response of every row that has a response."""
        if self.places is None:
            raise ValueError(f"{self.source}: a study needs the answers in order, not counts")
        bits = [iter(sample.bits.tolist()) for sample in self.samples]  # type: ignore[union-attr]
        for place in self.places.tolist():
            yield self.samples[place].arm, next(bits[place])


# --- files and tables


def read_answers(
    path: str | os.PathLike[str], arm: str = "arm", response: str = "response"
) -> Answers:
    """Read a file of answers.

    Parameters
    ----------
    path : path-like
        A CSV file (comma, semicolon or tab), or one whose name ends in ``.parquet``.
    arm, response : str
        What the file calls these columns.

    Returns
    -------
    Answers
        Counts per arm, and the responses in order if the file has one row per answer.

    Raises
    ------
    ValueError
        If the file is not of this form; the message names the file and the row. The header of a
        CSV file is row 1.
    """
    import pandas as pd

    content = read_whole(path, MAX_BYTES)
    names = {arm: "arm", response: "response"}
    if str(path).endswith(".parquet"):
        return _collect(_parquet_table(content, str(path)), str(path), names)
    header = content[:100_000].partition(b"\n")[0]
    separator = max(",;\t", key=lambda sign: header.count(sign.encode()))
    try:
        cells = pd.read_csv(
            io.BytesIO(content), sep=separator, header=None, dtype=str, keep_default_na=False,
            skip_blank_lines=False,
        )  # fmt: skip
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path}: the file is empty") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None
    except pd.errors.ParserError as error:
        reason = short(error).rpartition("error: ")[2]
        raise ValueError(f"{path}: not valid CSV: {reason}") from None
    rows = cells[(cells != "").any(axis=1)].iloc[1:]
    return _collect(rows.set_axis(cells.iloc[0], axis=1), str(path), names)


def _parquet_table(content: bytes, source: str) -> "pd.DataFrame":
    """Return the table of a Parquet file; its rows are numbered from 1."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(io.BytesIO(content))
        if file.metadata.num_rows > MAX_ROWS:
            raise ValueError(f"{source}: more than {MAX_ROWS:,} rows")
        return file.read().to_pandas(ignore_metadata=True)
    except (ArrowException, OSError):
        raise ValueError(f"{source}: not valid Parquet") from None


def _collect(table: "pd.DataFrame", source: str, names: Mapping[str, str] | None = None) -> Answers:
    """Return the answers of a table whose index numbers the rows from 0."""
    import pandas as pd

    known_names = {name.strip().lower(): column for name, column in (names or {}).items()}
    columns = [str(name).strip().lower() for name in table.columns]
    table = table.set_axis([known_names.get(name, name) for name in columns], axis=1)
    in_order = "response" in table
    needed = ["arm", "response"] if in_order else ["arm", "responses", "ones"]
    if not {*needed} <= {*table.columns}:
        raise ValueError(
            f"{source}: columns must be arm and response, or arm, responses and ones, "
            f"got {shown(', '.join(columns))} (--arm and --response name them; a table with one "
            "column per question must be reshaped to one row per answer)"
        )
    for name in (*needed, "epsilon", "cut"):
        if [*table.columns].count(name) > 1:
            raise ValueError(f"{source}: several columns are called {name!r}")
    if table.empty:
        raise ValueError(f"{source}: no rows below the header")
    arms = table["arm"].map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    is_name = arms.map(lambda cell: isinstance(cell, (str, int)) and cell != "")
    _require(is_name, source, "no arm")
    places, found = pd.factorize(arms)
    if len(found) > MAX_ARMS:
        raise ValueError(f"{source}: more than {MAX_ARMS:,} arms")
    stated = _epsilons(table, places, len(found), source)
    if not in_order:
        counts = _counts(table, places, found.tolist(), source)
        return Answers(_with_levels(counts, stated), source)
    text = table["response"].map(str).str.strip().str.lower()
    is_bit = text.isin(BITS).to_numpy()
    _require(
        is_bit | text.isin(MISSING),
        source,
        "the response is not 0 or 1, yes or no, true or false (it is not shown)",
    )
    bits = text[is_bit].map(BITS).to_numpy(np.uint8)
    places = places[is_bit]
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(found)))[:-1]
    groups = np.split(bits[order], ends)
    samples = [
        Sample(arm, group.size, int(group.sum()), group)
        for arm, group in zip(found.tolist(), groups, strict=True)
    ]
    if "cut" in table:
        cuts = _cuts(table[is_bit], source)
        samples = [
            sample.split(group, at, np.unique(at).tolist())
            for sample, group, at in zip(samples, groups, np.split(cuts[order], ends), strict=True)
        ]
    return Answers(_with_levels(samples, stated), source, int(np.sum(~is_bit)), places)


def _with_levels(samples: Sequence[Sample], levels: Sequence[float | None]) -> tuple[Sample, ...]:
    pairs = zip(samples, levels, strict=True)
    return tuple(replace(sample, epsilon=level) for sample, level in pairs)


def _cuts(table: "pd.DataFrame", source: str) -> np.ndarray:
    """Return the cut of every row."""
    import pandas as pd

    cuts = pd.to_numeric(table["cut"], errors="coerce")
    _require(cuts.notna(), source, "the cut is not a number")
    if cuts.nunique() > MAX_CUTS:
        raise ValueError(f"{source}: more than {MAX_CUTS} cuts")
    return cuts.to_numpy(float)


def _require(good: "pd.Series", source: str, problem: str) -> None:
    """Refuse a table with the first row that is not good."""
    if not good.all():
        raise ValueError(f"{source}: row {good.index[~good][0] + 1}: {problem}")


def _epsilons(
    table: "pd.DataFrame", places: np.ndarray, arms: int, source: str
) -> list[float] | list[None]:
    """Return the one privacy level of each arm."""
    import pandas as pd

    if "epsilon" not in table:
        return [None] * arms
    levels = pd.to_numeric(table["epsilon"], errors="coerce")
    _require(levels > 0, source, "epsilon must be a positive number")
    first = levels.groupby(places).first().to_numpy(float)
    problem = "epsilon differs from this arm's earlier one; such answers cannot be pooled"
    _require(levels == first[places], source, problem)
    return first.tolist()


def _counts(
    table: "pd.DataFrame", places: np.ndarray, names: list[str | int], source: str
) -> tuple[Sample, ...]:
    """Return the sums of every arm's counts."""
    import pandas as pd

    counts = [pd.to_numeric(table[name], errors="coerce") for name in ("responses", "ones")]
    for count in counts:
        whole = (count >= 0) & (count % 1 == 0)
        _require(whole, source, "a count must be a whole number of at least 0")
    _require(counts[1] <= counts[0], source, "more ones than responses")
    totals = [np.bincount(places, weights=count.astype(float)) for count in counts]
    if totals[0].max() >= MAX_COUNT:  # beyond, sums are not exact
        raise ValueError(f"{source}: an arm has {MAX_COUNT} responses or more")
    samples = [Sample(arm, int(n), int(s)) for arm, n, s in zip(names, *totals, strict=True)]
    if "cut" in table:
        cuts = _cuts(table, source)
        parts: list[list[Sample]] = [[] for _ in names]
        keys = pd.DataFrame({"place": places, "cut": cuts, "n": counts[0], "s": counts[1]})
        for (place, cut), row in keys.groupby(["place", "cut"])[["n", "s"]].sum().iterrows():
            parts[place].append(Sample(cut, int(row["n"]), int(row["s"])))
        samples = [
            replace(sample, cuts=tuple(part)) for sample, part in zip(samples, parts, strict=True)
        ]
    return tuple(samples)


# --- any form


def as_answers(data: Any) -> Answers:
    """Return answers from themselves, a DataFrame, or the counts or bits of every arm."""
    if isinstance(data, Answers):
        return data
    if hasattr(data, "columns"):
        return _collect(data.reset_index(drop=True), "the table")
    if isinstance(data, Mapping):
        pairs = list(data.items())
    elif isinstance(data, (Sequence, np.ndarray)) and not isinstance(data, (str, bytes)):
        pairs = list(enumerate(data))
    else:
        raise ValueError(
            f"answers must be given per arm, in a list or a dict, got a {type(data).__name__}"
        )
    if not pairs:
        raise ValueError("answers must have at least one arm, got none")
    return Answers(tuple(_sample(arm, data) for arm, data in pairs))


def _sample(arm: str | int, data: Any) -> Sample:
    try:
        values = np.asarray(data)
    except ValueError:
        values = np.asarray(None)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iub"):
        raise ValueError(
            f"answers of arm {arm!r} must be a sequence of 0 and 1, or a pair (answers, ones) of "
            "whole numbers; the value is not shown"
        )
    if values.size == 2 and (isinstance(data, tuple) or values.max() > 1):
        n = int(values[0])
        s = int(values[1])
        if not 0 <= s <= n <= MAX_COUNT:
            raise ValueError(f"counts of arm {arm!r} must be (answers, ones), got ({n}, {s})")
        return Sample(arm, n, s)
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"answers of arm {arm!r} must be 0 or 1; another value is not shown")
    bits = values.astype(np.uint8)
    return Sample(arm, bits.size, int(bits.sum()), bits)
