"""JSON schemas, without the grammar that slows down their import."""

import sys


def skip_address_grammar() -> None:
    """Let the first import of jsonschema in this process take a tenth of a second.

    Where Jupyter is installed, jsonschema builds a grammar of international addresses on import,
    which takes more than a second, for a format that no schema here uses. Without the package of
    that grammar it goes without, so the package is declared absent. To be called before anything
    that imports jsonschema, such as nbformat.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
