"""Private answers of every arm: from a file, a table, counts, or sequences of 0 and 1.

A file is CSV or Parquet. It has columns ``arm`` and ``response`` (0 or 1, one row per answer), or
``arm``, ``responses`` and ``ones`` (counts). A column ``epsilon`` is optional and must be constant;
other columns are ignored. Every row is counted: as an answer, or as a row without a
response. No message repeats a response, because responses belong to people.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ldpt.checks import MAX_COUNT
from ldpt.io.messages import short, shown

__all__ = ["Answers", "Sample", "as_answers", "read_answers"]

MAX_BYTES = 10**8  # a gigabyte in memory
MAX_ARMS = 10_000
MAX_ROWS = 5 * 10**7  # of a Parquet file, which compresses
BITS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}
MISSING = frozenset({"", "na", "nan", "none", "null", "<na>"})
NO_RESPONSE = 2  # beside the bits 0 and 1
SORTED_Z = 6.0  # standard deviations; a file in order of arrival has fewer with probability 1e-9


@dataclass(frozen=True)
class Sample:
    """The answers of one arm; ``bits`` has them in order, if the order is known."""

    arm: str | int
    answers: int
    ones: int
    bits: np.ndarray | None = None

    def flipped(self) -> "Sample":
        """Return the same answers with 1 - x in place of every response x."""
        bits = None if self.bits is None else 1 - self.bits
        return replace(self, ones=self.answers - self.ones, bits=bits)

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
    epsilon : float, optional
        The privacy level that the file states.
    places : ndarray, optional
        The arm of every answer, as its place in ``samples``, in the order of the rows; None if the
        arms' answers have no common order.
    """

    samples: tuple[Sample, ...]
    source: str = "the answers"
    missing: int = 0
    epsilon: float | None = None
    places: np.ndarray | None = None

    def rows(self) -> Iterator[tuple[str | int, int]]:
        """Yield arm and response of every row that has a response."""
        if self.places is None:
            raise ValueError(f"{self.source}: a study needs the answers in order, not counts")
        bits = [iter(sample.bits.tolist()) for sample in self.samples]  # type: ignore[union-attr]
        for place in self.places.tolist():
            yield self.samples[place].arm, next(bits[place])


# --- files and tables


def read_answers(path: str | os.PathLike[str]) -> Answers:
    """Read a file of answers.

    Parameters
    ----------
    path : path-like
        A CSV file (comma, semicolon or tab), or one whose name ends in ``.parquet``.

    Returns
    -------
    Answers
        Counts per arm, and the responses in order if the file has one row per answer.

    Raises
    ------
    ValueError
        If the file is not of this form; the message names the file and the row. The header of a CSV
        file is row 1.
    """
    path = Path(path)
    if not path.is_file():  # a device or a pipe may never end
        kind = "a folder" if path.is_dir() else "not a regular file"
        raise ValueError(f"{path}: {kind if path.exists() else 'no such file'}")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(f"{path}: {size:,} bytes, more than {MAX_BYTES:,}")
    return _collect(_read_parquet(path) if path.suffix == ".parquet" else _read_csv(path), path)


def _read_csv(path: Path) -> Any:
    """Return the rows below the header as text, without blank ones; index 1 is row 2."""
    import pandas as pd

    with path.open("rb") as file:
        first = file.readline(100_000)
    separator = max(",;\t", key=lambda sign: first.count(sign.encode()))
    try:
        cells = pd.read_csv(
            path, sep=separator, header=None, dtype=str, keep_default_na=False,
            skip_blank_lines=False,
        )  # fmt: skip
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path}: the file is empty") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None
    except pd.errors.ParserError as error:
        reason = short(error).rpartition("error: ")[2]
        raise ValueError(f"{path}: not valid CSV: {reason}") from None
    return cells[(cells != "").any(axis=1)].iloc[1:].set_axis(cells.iloc[0], axis=1)


def _read_parquet(path: Path) -> Any:
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(path)
        rows = file.metadata.num_rows
        table = file.read().to_pandas() if rows <= MAX_ROWS else None
    except (OSError, RuntimeError, ValueError):
        raise ValueError(f"{path}: not a Parquet file") from None
    if table is None:
        raise ValueError(f"{path}: {rows:,} rows, more than {MAX_ROWS:,}")
    return table.reset_index(drop=True)


def _collect(table: Any, source: object) -> Answers:
    """Return the answers of a table whose index numbers the rows from 0."""
    import pandas as pd

    columns = _columns(table, source)
    if table.empty:
        raise ValueError(f"{source}: no rows below the header")
    levels = _cells(columns, "epsilon", _epsilon, source)
    for row in np.flatnonzero(levels != levels[:1])[:1]:
        raise ValueError(
            f"{source}: row {table.index[row] + 1}: epsilon is {levels[row]:g}, in the rows before "
            f"it is {levels[0]:g}; answers of different privacy cannot be pooled"
        )
    epsilon = levels[0] if levels.size else None
    places, arms = pd.factorize(_cells(columns, "arm", _arm, source))
    if len(arms) > MAX_ARMS:
        raise ValueError(f"{source}: more than {MAX_ARMS:,} arms")
    if "response" not in columns:
        return Answers(_counts(columns, places, arms, source), str(source), 0, epsilon)
    bits = _cells(columns, "response", _bit, source).astype(np.uint8)
    known = bits != NO_RESPONSE
    places, bits = places[known], bits[known]
    ends = np.cumsum(np.bincount(places, minlength=len(arms)))[:-1]
    groups = np.split(bits[np.argsort(places, kind="stable")], ends)
    samples = tuple(
        Sample(arm, group.size, int(group.sum()), group)
        for arm, group in zip(arms, groups, strict=True)
    )
    return Answers(samples, str(source), int(np.sum(~known)), epsilon, places)


def _columns(table: Any, source: object) -> dict[str, Any]:
    names = [str(name).strip().lower() for name in table.columns]
    needed = {"arm", "response"} if "response" in names else {"arm", "responses", "ones"}
    if not needed <= {*names}:
        raise ValueError(
            f"{source}: columns must be arm and response, or arm, responses and ones, "
            f"got {shown(', '.join(names))}"
        )
    if twice := [name for name in (*needed, "epsilon") if names.count(name) > 1]:
        raise ValueError(f"{source}: several columns are called {twice[0]!r}")
    return {name: table.iloc[:, place] for place, name in enumerate(names)}


def _cells(
    columns: dict[str, Any], name: str, parse: Callable[[Any], object], source: object
) -> np.ndarray:
    """Return the meaning of a column's cells; none if there is no such column."""
    import pandas as pd

    column = columns.get(name, pd.Series([], dtype=object))
    try:
        codes, cells = pd.factorize(column, use_na_sentinel=False)
    except TypeError:  # lists, say
        raise ValueError(f"{source}: cells must be text or numbers") from None
    meanings = np.empty(len(cells), dtype=object)
    for code, cell in enumerate(cells):
        try:
            meanings[code] = parse(cell.item() if isinstance(cell, np.generic) else cell)
        except ValueError as error:
            row = column.index[np.flatnonzero(codes == code)[0]] + 1
            raise ValueError(f"{source}: row {row}: {error}") from None
    return meanings[codes]


def _arm(cell: Any) -> str | int:
    name = cell.strip() if isinstance(cell, str) else cell
    if not isinstance(name, (str, int)) or name == "":
        raise ValueError("no arm")
    return name


def _epsilon(cell: Any) -> float:
    try:
        epsilon = float(cell)
    except (TypeError, ValueError):
        epsilon = math.nan
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {shown(cell)}")
    return epsilon


def _bit(cell: Any) -> int:
    text = str(cell).strip().lower()
    if text not in BITS and text not in MISSING:
        raise ValueError("the response is not 0 or 1 (its value is not shown)")
    return BITS.get(text, NO_RESPONSE)


def _count(cell: Any) -> int:
    text = str(cell).strip().removesuffix(".0")
    if not (text.isascii() and text.isdigit() and len(text) < 17):
        raise ValueError(f"a count must be a whole number of at most 16 digits, got {shown(cell)}")
    return int(text)


def _counts(
    columns: dict[str, Any], places: np.ndarray, arms: np.ndarray, source: object
) -> tuple[Sample, ...]:
    """Return the sums of every arm's counts."""
    answers, ones = (_cells(columns, name, _count, source) for name in ("responses", "ones"))
    for row in np.flatnonzero(ones > answers)[:1]:
        problem = f"ones is {ones[row]}, more than the {answers[row]} responses"
        raise ValueError(f"{source}: row {columns['arm'].index[row] + 1}: {problem}")
    totals = [np.bincount(places, weights=counts.astype(float)) for counts in (answers, ones)]
    if totals[0].max() >= MAX_COUNT:  # beyond, sums are not exact
        raise ValueError(f"{source}: an arm has {MAX_COUNT} responses or more")
    return tuple(Sample(arm, int(n), int(s)) for arm, n, s in zip(arms, *totals, strict=True))


# --- any form


def as_answers(data: Any) -> Answers:
    """Return answers from themselves, a DataFrame, or the counts or bits of every arm."""
    if isinstance(data, Answers):
        return data
    if hasattr(data, "columns"):
        return _collect(data.reset_index(drop=True), "the table")
    if isinstance(data, Mapping):
        named = list(data.items())
    elif isinstance(data, (Sequence, np.ndarray)) and not isinstance(data, (str, bytes)):
        named = list(enumerate(data))
    else:
        raise ValueError(
            f"answers must be given per arm, in a list or a dict, got a {type(data).__name__}"
        )
    if not named:
        raise ValueError("answers must have at least one arm, got none")
    return Answers(tuple(_sample(arm, data) for arm, data in named))


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
        n, s = int(values[0]), int(values[1])
        if not 0 <= s <= n <= MAX_COUNT:
            raise ValueError(f"counts of arm {arm!r} must be (answers, ones), got ({n}, {s})")
        return Sample(arm, n, s)
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"answers of arm {arm!r} must be 0 or 1; another value is not shown")
    bits = values.astype(np.uint8)
    return Sample(arm, bits.size, int(bits.sum()), bits)
