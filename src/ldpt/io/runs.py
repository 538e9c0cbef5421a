"""Parquet files of simulated runs, with labels in their own columns.

Written without pandas, whose import takes as long as many of the jobs that write such a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Labels = dict[str, str | float]


def labelled(labels: Labels, columns: Mapping[str, np.ndarray]) -> "pa.Table":
    """Return columns of equal length behind labels that hold for all of their rows.

    Parquet keeps the values of a column in a dictionary, so that a label takes a few bytes.
    """
    import pyarrow as pa

    rows = len(next(iter(columns.values())))
    constant = {name: _repeated(value, rows) for name, value in labels.items()}
    return pa.table(constant | {name: _column(values) for name, values in columns.items()})


def _repeated(value: str | float, rows: int) -> "pa.Array":
    """Return a column with one value in every row."""
    import pyarrow as pa

    if not isinstance(value, str):
        return _column(np.full(rows, value))
    text = value.encode()
    ends = pa.py_buffer(np.arange(rows + 1, dtype=np.int32) * np.int32(len(text)))
    return pa.Array.from_buffers(pa.string(), rows, [None, ends, pa.py_buffer(text * rows)])


def _column(values: np.ndarray) -> "pa.Array":
    """Return an array from its bytes; ``pa.array`` would import pandas."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    buffer = pa.py_buffer(np.ascontiguousarray(data))
    return pa.Array.from_buffers(kind, len(values), [None, buffer])


def write_runs(path: str, tables: Iterable["pa.Table"]) -> None:
    """Append tables to one Parquet file, streaming."""
    from pyarrow import parquet

    tables = iter(tables)
    first = next(tables)
    with parquet.ParquetWriter(path, first.schema, compression="zstd") as file:
        file.write_table(first)
        for table in tables:
            file.write_table(table)


def read_runs(path: str, labels: Sequence[str]) -> Iterator["pd.DataFrame"]:
    """Yield the runs of each combination of these labels; a file has a row group for each."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        places = [file.schema_arrow.get_field_index(label) for label in labels]
        parts: dict[tuple[str | float, ...], list[int]] = {}
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            key = tuple(group.column(place).statistics.min for place in places)
            parts.setdefault(key, []).append(number)
        for numbers in parts.values():
            yield file.read_row_groups(numbers).to_pandas()
