"""Tables of a finished run, as DataFrames.

>>> import ldpt
>>> run = ldpt.open_run("results/smoke")                                      # doctest: +SKIP
>>> list(run)                                                                 # doctest: +SKIP
['error_map', 'exact/fixed_budget', ..., 'summaries/fixed_budget', ...]
>>> errors = run["summaries/fixed_budget"]                                    # doctest: +SKIP
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ldpt.instances import Instance, read_instances
from ldpt.util.messages import unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results", "open_run", "with_privacy"]

PATTERNS = ("*.csv", "*/*.csv", "simulations/*.parquet", "simulations/*/*.parquet")


class Results(Mapping[str, "pd.DataFrame"]):
    """The tables of a run by name; a table is read when it is looked up.

    The name of a table is its path below ``results`` without the extension. The runs of one
    algorithm on all problems are one table, ``simulations/fixed_budget`` or
    ``simulations/fixed_confidence``. Tables with a column ``epsilon`` have ``privacy`` beside it,
    an ordered category that plots can use as hue.

    Attributes
    ----------
    instances : dict of str to Instance
        The problems of the run by name.
    """

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, list[Path]] = {}
        for path in sorted(path for pattern in PATTERNS for path in folder.glob(pattern)):
            place = path.relative_to(folder)
            name = place.parent if len(place.parts) == 3 else place.with_suffix("")
            self._files.setdefault(name.as_posix(), []).append(path)
        self.instances: dict[str, Instance] = read_instances(folder / "instances.json")

    def __getitem__(self, name: str) -> "pd.DataFrame":
        import pandas as pd

        if name not in self._files:
            raise KeyError(unknown("table", name, self._files))
        files = self._files[name]
        if files[0].suffix == ".parquet":
            table = pd.concat([pd.read_parquet(path) for path in files], ignore_index=True)
        else:
            table = pd.read_csv(files[0])
        if "family" in table:
            table["family"] = table["family"].fillna("")  # an empty cell
        return with_privacy(table) if "epsilon" in table else table

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"Results({', '.join(self._files)})"


def open_run(folder: str | Path = ".") -> Results:
    """Return the tables of a finished run.

    Parameters
    ----------
    folder : str or Path
        The ``root`` of the run's config, ``.`` at paper scale, or the folder ``results`` in it.

    Returns
    -------
    Results
        A mapping from names to DataFrames.

    Raises
    ------
    ValueError
        If the folder holds no run.
    """
    for place in (Path(folder) / "results", Path(folder)):
        if (place / "instances.json").is_file():
            return Results(place)
    raise ValueError(f"{folder} holds no run: results/instances.json is not there")


def with_privacy(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table with ``privacy`` behind ``epsilon``: its levels as an ordered category.

    >>> import pandas as pd
    >>> table = with_privacy(pd.DataFrame({"epsilon": [math.inf, 0.25]}))
    >>> table["privacy"].cat.categories.tolist()
    ['0.25', '∞']
    """
    import pandas as pd

    levels = sorted(table["epsilon"].dropna().unique())
    names = {level: "∞" if math.isinf(level) else f"{level:g}" for level in levels}
    kind = pd.CategoricalDtype(list(names.values()), ordered=True)
    privacy = table["epsilon"].map(names).astype(kind)
    others = table.drop(columns="privacy", errors="ignore")
    others.insert(others.columns.get_loc("epsilon") + 1, "privacy", privacy)
    return others
