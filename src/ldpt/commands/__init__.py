"""The subcommands of ``ldpt``: one module each, with ``add`` for its options and ``run``."""
