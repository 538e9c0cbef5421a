"""Parquet files of simulated runs: a row group for each setting, whose labels are columns."""

from collections.abc import Iterable, Iterator

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

LABELS = ("instance", "policy", "radius", "epsilon", "delta")  # of a setting, where there are any


def write_runs(path: str, tables: Iterable[pd.DataFrame]) -> None:
    """Append tables to one Parquet file, streaming.

    Whole numbers are stored as packed differences, which takes half the space or less. All else is
    stored in dictionaries, so that a label takes a few bytes.
    """
    writer = None
    for table in tables:
        rows = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata()
        if writer is None:
            counts = [field.name for field in rows.schema if pa.types.is_integer(field.type)]
            writer = parquet.ParquetWriter(
                path,
                rows.schema,
                compression="zstd",
                use_dictionary=[name for name in rows.schema.names if name not in counts],
                column_encoding=dict.fromkeys(counts, "DELTA_BINARY_PACKED"),
            )
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def read_runs(path: str) -> Iterator[pd.DataFrame]:
    """Yield the runs of each setting of a file."""
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        places = [schema.get_field_index(name) for name in LABELS if name in schema.names]
        settings: dict[tuple[str | float, ...], list[int]] = {}
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            key = tuple(group.column(place).statistics.min for place in places)
            settings.setdefault(key, []).append(number)
        for numbers in settings.values():
            yield file.read_row_groups(numbers).to_pandas()
