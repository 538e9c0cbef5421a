"""The list of figures, ``workflow/figures.yaml``, as rules, README and tests read it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

CATALOG = Path("workflow/figures.yaml")
REQUIRED = {"shows", "category", "inputs"}


def read(path: Path = CATALOG) -> dict[str, dict[str, Any]]:
    """Read the entries by name, in their order, each with shows, category, inputs and params.

    Raises
    ------
    ValueError
        If an entry lacks a key or has an unknown one.
    """
    import yaml

    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, entry in entries.items():
        keys = set(entry)
        if not REQUIRED <= keys <= {*REQUIRED, "params"}:
            wanted, given = ", ".join(sorted(REQUIRED)), ", ".join(sorted(keys))
            raise ValueError(f"{path}: {name}: keys must be {wanted} [, params], got {given}")
    return {name: {"params": {}, **entry} for name, entry in entries.items()}


def settings(params: Mapping[str, str], config: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the config behind an entry's ``params``.

    >>> settings({"level": "figures.delta"}, {"figures": {"delta": 0.1}})
    {'level': 0.1}
    """
    return {name: _value(config, key) for name, key in params.items()}


def _value(config: Mapping[str, Any], key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        if part not in value:
            raise ValueError(f"{CATALOG}: the config has no key {key!r}")
        value = value[part]
    return value
