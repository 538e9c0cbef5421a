"""Files of runs: Parquet tables that say in their own columns what was simulated.

Written without pandas, whose import takes as long as many of the jobs that write such a file.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


Labels = dict[str, str | float]


def labelled(labels: Labels, columns: Mapping[str, np.ndarray]) -> "pa.Table":
    """Columns of equal length behind labels that hold for all of their rows.

    Parquet keeps the values of a column in a dictionary, so that a label takes a few bytes.
    """
    import pyarrow as pa

    rows = len(next(iter(columns.values())))
    constant = {name: pa.repeat(pa.scalar(value), rows) for name, value in labels.items()}
    return pa.table(constant | {name: pa.array(values) for name, values in columns.items()})


def write_runs(path: str, tables: Iterable["pa.Table"]) -> None:
    """One table under the other, in one file."""
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.concat_tables(tables), path, compression="zstd")
