"""Parquet files of simulated runs, with labels in their own columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

Labels = dict[str, str | float]


def labelled(labels: Labels, columns: Mapping[str, np.ndarray]) -> pa.Table:
    """Return columns of equal length behind labels that hold for all of their rows.

    Parquet keeps the values of a column in a dictionary, so that a label takes a few bytes.
    """
    rows = len(next(iter(columns.values())))
    constant = {name: pa.repeat(value, rows) for name, value in labels.items()}
    return pa.table({**constant, **columns})


def write_runs(path: str, tables: Iterable[pa.Table]) -> None:
    """Append tables to one Parquet file, streaming."""
    tables = iter(tables)
    first = next(tables)
    with parquet.ParquetWriter(path, first.schema, compression="zstd") as file:
        file.write_table(first)
        for table in tables:
            file.write_table(table)


def read_runs(path: str, labels: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Yield the runs of each combination of these labels; a file has a row group for each."""
    with parquet.ParquetFile(path) as file:
        places = [file.schema_arrow.get_field_index(label) for label in labels]
        parts: dict[tuple[str | float, ...], list[int]] = {}
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            key = tuple(group.column(place).statistics.min for place in places)
            parts.setdefault(key, []).append(number)
        for numbers in parts.values():
            yield file.read_row_groups(numbers).to_pandas()
