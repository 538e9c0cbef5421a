"""The table of config keys and the JSON schema, generated from :mod:`ldpt.config.schema`.

``python docs/config_reference.py`` writes the table in ``config/README.md`` and the
schema that editors use; a test compares both with the models.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ldpt.config import experiment as config
from ldpt.config.schema import Config

PAGE = Path("config/README.md")
SCHEMA = Path("workflow/schemas/config.schema.yaml")
MARK = "<!-- keys -->\n"  # the tables follow
HEADER = "| key | value | meaning |\n| --- | --- | --- |\n"
SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
WORDS = {"object": "keys below", "string": "text", "integer": "whole number", "array": "list"}
MODEL = Config.model_json_schema()


def schema() -> str:
    """Return the JSON schema of a config as YAML."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return yaml.safe_dump(head | MODEL, sort_keys=False, width=100)


def page(text: str) -> str:
    """Return the text of the page with a table of the keys of each section."""
    defaults = config.load()
    single = ""
    sections = ""
    for name, part in MODEL["properties"].items():
        node = _resolved(part)
        rows = "".join(_rows(node, defaults.get(name)))
        if rows:
            sections += f"\n## `{name}`\n\n{node['description'].rstrip('.')}.\n\n{HEADER}{rows}"
        else:
            single += _row(name, node, defaults.get(name))
    return f"{text.partition(MARK)[0]}{MARK}\n## Single values\n\n{HEADER}{single}{sections}"


def _rows(node: Mapping[str, Any], default: Any, key: str = "") -> Iterator[str]:
    """Yield a row for every key below this one, depth first."""
    for name, part in node.get("properties", {}).items():
        part = _resolved(part)
        place = f"{key}.{name}".lstrip(".")
        value = default.get(name) if isinstance(default, Mapping) else None
        if "const" in part:  # the family of the entry
            part["description"] = node["description"]
        yield _row(place, part, value)
        yield from _rows(part, value, place)
    items = _resolved(node.get("items", {}))
    for kind in map(_resolved, items.get("oneOf", [items] if items else [])):
        family = kind.get("properties", {}).get("family", {}).get("const", "")
        yield from _rows(kind, None, f"{key}[{family}]")


def _row(key: str, node: Mapping[str, Any], default: Any) -> str:
    shown = f" (`{default}`)" if isinstance(default, (int, float, str)) else ""
    return f"| `{key}` | {_allowed(node)}{shown} | {node.get('description', '').rstrip('.')} |\n"


def _resolved(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of the schema with its reference filled in; its own description wins."""
    filled = dict(node)
    for option in filled.pop("anyOf", []):
        if option.get("type") != "null":
            filled = option | filled
    if "$ref" in filled:
        filled = MODEL["$defs"][filled.pop("$ref").rsplit("/", 1)[-1]] | filled
    return filled


def _allowed(node: Mapping[str, Any]) -> str:
    """Return the allowed values in words."""
    if "const" in node or "enum" in node:
        return " or ".join(f"`{value}`" for value in node.get("enum", [node.get("const")]))
    kind = str(node.get("type", ""))
    if kind == "array" and "type" in node["items"]:
        return f"list of: {_allowed(node['items'])}"
    limits = [f"{sign} {node[name]:g}" for name, sign in SIGNS.items() if name in node]
    if "maxLength" in node:
        limits.append(f"at most {node['maxLength']} characters")
    return " ".join([WORDS.get(kind, kind), ", ".join(limits)]).strip()


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
