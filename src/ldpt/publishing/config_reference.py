"""``config/README.md``: every key of a config with its range and default, from the schema.

``python -m ldpt.publishing.config_reference`` writes it; a test keeps it equal to the schema.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ldpt import config

PAGE = config.PROJECT / "config" / "README.md"
SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
INTRODUCTION = """# Keys of a config

`config.yaml` is the paper-scale config. Any other config holds what differs from it:
`snakemake --cores 2 --configfile config/smoke.yaml`. A target goes first, as Snakemake takes every
name after `--configfile` for a config: `snakemake report --configfile config/smoke.yaml`.

A config is checked before the first job; what is wrong is reported in one line with the key, the
value and what is allowed. No value may be NaN, and only epsilon may be `.inf`.

This page is generated from `workflow/schemas/config.schema.yaml` by
`python -m ldpt.publishing.config_reference`. `[]` stands for every entry of a list; the defaults
are the values in `config.yaml`.

| key | value | default | meaning |
| --- | --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    schema = config.schema()
    defaults = yaml.safe_load(config.DEFAULT.read_text(encoding="utf-8"))
    rows = [_row(key, node, defaults) for key, node in _keys(schema, schema)]
    return INTRODUCTION + "\n".join(dict.fromkeys(rows)) + "\n"


def _keys(node: Mapping[str, Any], schema: Mapping[str, Any], key: str = "") -> Iterator[tuple]:
    """Every key with its part of the schema, depth first."""
    for name, part in node.get("properties", {}).items():
        part = _resolved(part, schema)
        here = f"{key}.{name}".lstrip(".")
        if part:
            yield here, part
        yield from _keys(part, schema, here)
    if "items" in node:
        yield from _keys(_resolved(node["items"], schema), schema, f"{key}[]")
    for branch in ("then", "else"):
        if branch in node:
            yield from _keys(node[branch], schema, key)


def _resolved(node: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the schema with its reference filled in; its own words win."""
    if "$ref" not in node:
        return dict(node)
    shared = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    return {**shared, **{name: value for name, value in node.items() if name != "$ref"}}


def _row(key: str, node: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    cells = (f"`{key}`", _allowed(node), _default(key, defaults), node.get("description", ""))
    return f"| {' | '.join(cells)} |"


def _allowed(node: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    if "enum" in node:
        return " or ".join(f"`{value}`" for value in node["enum"])
    kind = node.get("type", "")
    if kind == "array":
        items = node.get("items", {})
        return f"list of: {_allowed(items)}" if "$ref" not in items else "list"
    words = {"object": "keys below", "string": "text", "integer": "whole number"}.get(kind, kind)
    limits = [f"{sign} {node[name]:g}" for name, sign in SIGNS.items() if name in node]
    if "maxLength" in node:
        limits.append(f"at most {node['maxLength']} characters")
    return " ".join([words, ", ".join(limits)]).strip()


def _default(key: str, defaults: Mapping[str, Any]) -> str:
    """The value in the paper-scale config where it is a single one."""
    value: Any = defaults
    for name in key.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    single = isinstance(value, (int, float, str))
    return f"`{value}`" if single else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
