"""Files of private answers: counts per arm, or one row per answer.

A file is CSV or Parquet. It has columns ``arm`` and ``response`` (0 or 1, one row per answer), or
``arm``, ``responses`` and ``ones`` (counts). A column ``epsilon`` is optional and must be constant;
other columns are ignored. Every row is counted: as an answer, or as a row without a
response. No message repeats a response, because responses belong to people.
"""

import csv
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ldpt.checks import MAX_COUNT
from ldpt.io.messages import shown

__all__ = ["Answers", "read_answers"]

MAX_BYTES = 10**9
MAX_FIELD = 1_000  # characters of one cell
MAX_ARMS = 10_000
MISSING = frozenset({"", "na", "nan", "none", "null"})
BITS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
SORTED_Z = 6.0  # standard deviations; a file in order of arrival has fewer with probability 1e-9


@dataclass(frozen=True)
class Answers:
    """Private answers of every arm.

    Attributes
    ----------
    source : str
        The file.
    arms : tuple of str
        Names, in the order in which they first appear.
    answers, ones : tuple of int
        Number of responses of each arm, and of those that are 1.
    missing : int
        Rows without a response.
    bits : tuple of ndarray, optional
        The responses of each arm in the order of the file; None if the file has counts.
    epsilon : float, optional
        The privacy level that the file states.
    """

    source: str
    arms: tuple[str, ...]
    answers: tuple[int, ...]
    ones: tuple[int, ...]
    missing: int = 0
    bits: tuple[np.ndarray, ...] | None = None
    epsilon: float | None = None

    def flipped(self) -> "Answers":
        """Return the same answers with 1 - x in place of every response x."""
        ones = tuple(n - s for n, s in zip(self.answers, self.ones, strict=True))
        bits = None if self.bits is None else tuple(1 - arm for arm in self.bits)
        return Answers(self.source, self.arms, self.answers, ones, self.missing, bits, self.epsilon)

    def sorted_arms(self) -> list[str]:
        """Return the arms whose responses have too few runs to be in order of arrival."""
        if self.bits is None:
            return []
        return [arm for arm, bits in zip(self.arms, self.bits, strict=True) if _few_runs(bits)]


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
        If the file is not of this form; the message names the file and the row. The header is
        row 1.
    """
    path = Path(path)
    _check_file(path)
    return _parquet(path) if path.suffix == ".parquet" else _csv(path)


def _check_file(path: Path) -> None:
    """Refuse what is not a regular file of reasonable size: devices and pipes may never end."""
    if not path.exists():
        raise ValueError(f"{path}: no such file")
    if not path.is_file():
        raise ValueError(f"{path}: {'a folder' if path.is_dir() else 'not a regular file'}")
    size = path.stat().st_size
    if size == 0:
        raise ValueError(f"{path}: the file is empty")
    if size > MAX_BYTES:
        raise ValueError(f"{path}: {size:,} bytes, more than {MAX_BYTES:,}")


@dataclass(frozen=True)
class Columns:
    """Where the columns of a table are; ``response`` is None in a table of counts."""

    arm: int
    response: int | None
    responses: int | None
    ones: int | None
    epsilon: int | None


def _columns(path: Path, header: Sequence[str]) -> Columns:
    names = [str(name).strip().lower() for name in header]
    for name in ("arm", "response", "responses", "ones", "epsilon"):
        if names.count(name) > 1:
            raise ValueError(f"{path}: row 1: column {name!r} appears {names.count(name)} times")
    place = {name: index for index, name in enumerate(names)}
    if "arm" not in place or not ("response" in place or {"responses", "ones"} <= place.keys()):
        raise ValueError(
            f"{path}: row 1: columns must be arm and response, or arm, responses and ones; "
            f"found {shown(', '.join(names))}"
        )
    if "response" in place:
        return Columns(place["arm"], place["response"], None, None, place.get("epsilon"))
    return Columns(place["arm"], None, place["responses"], place["ones"], place.get("epsilon"))


class Tally:
    """Count answers row by row."""

    def __init__(self, path: Path, columns: Columns) -> None:
        self.path, self.columns = path, columns
        self.bits: dict[str, bytearray] = {}
        self.counts: dict[str, list[int]] = {}
        self.missing = 0
        self.epsilon: float | None = None

    def fail(self, row: int, problem: str) -> NoReturn:
        raise ValueError(f"{self.path}: row {row}: {problem}")

    def add(self, row: int, cells: Sequence[str]) -> None:
        """Count one row."""
        arm = cells[self.columns.arm].strip()
        if not arm:
            self.fail(row, "no arm")
        if self.columns.epsilon is not None:
            self._check_epsilon(row, cells[self.columns.epsilon])
        if self.columns.response is None:
            self._add_counts(row, arm, cells)
        else:
            self._add_response(row, arm, cells[self.columns.response])

    def _add_response(self, row: int, arm: str, cell: str) -> None:
        bits = self.bits.get(arm)
        if bits is None:
            bits = self.bits[arm] = bytearray()
            self._check_arms(row, self.bits)
        bit = BITS.get(cell)
        if bit is None:
            cell = cell.strip().lower()
            bit = BITS.get(cell)
        if bit is not None:
            bits.append(bit)
        elif cell in MISSING:
            self.missing += 1
        else:
            self.fail(row, "the response is not 0 or 1 (its value is not shown)")

    def _add_counts(self, row: int, arm: str, cells: Sequence[str]) -> None:
        columns = self.columns
        answers = self._count(row, "responses", cells[columns.responses or 0])
        ones = self._count(row, "ones", cells[columns.ones or 0])
        if ones > answers:
            self.fail(row, f"ones is {ones}, more than the {answers} responses")
        total = self.counts.setdefault(arm, [0, 0])
        total[0] += answers
        total[1] += ones
        self._check_arms(row, self.counts)
        if total[0] > MAX_COUNT:
            self.fail(row, f"more than {MAX_COUNT} responses")

    def _check_arms(self, row: int, arms: dict[str, Any]) -> None:
        if len(arms) > MAX_ARMS:
            self.fail(row, f"more than {MAX_ARMS:,} arms")

    def _count(self, row: int, name: str, cell: str) -> int:
        cell = cell.strip().removesuffix(".0")
        if not (cell.isascii() and cell.isdigit() and len(cell) < 20):
            self.fail(row, f"{name} must be a whole number of at least 0, got {shown(cell)}")
        return int(cell)

    def _check_epsilon(self, row: int, cell: str) -> None:
        try:
            epsilon = float(cell)
        except ValueError:
            epsilon = math.nan
        if not epsilon > 0:
            self.fail(row, f"epsilon must be positive, got {shown(cell)}")
        if self.epsilon is None:
            self.epsilon = epsilon
        if epsilon != self.epsilon:
            self.fail(
                row,
                f"epsilon is {epsilon:g}, in the rows before it is {self.epsilon:g}; answers of "
                "different privacy cannot be pooled",
            )

    def answers(self) -> Answers:
        """Return what was counted."""
        source = str(self.path)
        if self.columns.response is None:
            counts = self.counts
            bits = None
        else:
            counts = {arm: [len(bits), sum(bits)] for arm, bits in self.bits.items()}
            bits = tuple(np.frombuffer(bytes(b), np.uint8) for b in self.bits.values())
        if not counts:
            raise ValueError(f"{source}: no rows below the header")
        numbers = tuple(n for n, _ in counts.values()), tuple(s for _, s in counts.values())
        return Answers(source, tuple(counts), *numbers, self.missing, bits, self.epsilon)


def _csv(path: Path) -> Answers:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = _rows(path, file)
        header = next(rows, None)
        if header is None:
            raise ValueError(f"{path}: the file is empty")
        columns = _columns(path, header[1])
        tally, width = Tally(path, columns), len(header[1])
        add = tally.add
        for row, cells in rows:
            if len(cells) != width:
                tally.fail(row, f"{len(cells)} cells, the header has {width}")
            add(row, cells)
    return tally.answers()


def _rows(path: Path, file: io.TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of every row that is not blank."""
    row = 0
    try:
        first = file.readline(MAX_FIELD * 100)
        delimiter = max(",;\t", key=first.count)
        file.seek(0)
        csv.field_size_limit(MAX_FIELD)
        for cells in csv.reader(file, delimiter=delimiter, strict=True):
            row += 1
            if cells:
                yield row, cells
    except (csv.Error, UnicodeDecodeError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "not valid CSV"
        raise ValueError(f"{path}: row {row + 1}: {reason}") from None


def _parquet(path: Path) -> Answers:
    import pandas as pd

    try:
        table = pd.read_parquet(path)
    except Exception:  # pyarrow raises many types
        raise ValueError(f"{path}: not a Parquet file") from None
    columns = _columns(path, [str(name) for name in table.columns])
    wanted = [place for place in vars(columns).values() if place is not None]
    tally = Tally(path, columns)
    cells = [_texts(table.iloc[:, place]) for place in wanted]
    width = len(table.columns)
    for row, values in enumerate(zip(*cells, strict=True), start=1):
        record = [""] * width
        for place, value in zip(wanted, values, strict=True):
            record[place] = value
        tally.add(row, record)
    return tally.answers()


def _texts(column: Any) -> Iterable[str]:
    """Return the cells of a column as CSV would have them."""
    if column.dtype == bool:
        column = column.astype(int)
    shown_value: Callable[[Any], str] = str
    return ["" if value is None or value != value else shown_value(value) for value in column]


def _few_runs(bits: np.ndarray) -> bool:
    """Return whether there are too few changes between 0 and 1 for responses in random order."""
    n, ones = len(bits), int(bits.sum())
    pairs = 2.0 * ones * (n - ones)
    if n < 20 or pairs == 0:
        return False
    expected = pairs / n
    deviation = math.sqrt(pairs * (pairs - n) / (n * n * (n - 1))) if pairs > n else 0.0
    return bool(np.count_nonzero(np.diff(bits)) < expected - SORTED_Z * deviation - 1)
