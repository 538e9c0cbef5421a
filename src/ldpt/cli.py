"""The ``ldpt`` command: each subcommand is one ``_add_NAME`` and a handler that imports lazily."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 all well, 1 something found, 2 bad input, told in one line."""
    parser = argparse.ArgumentParser(
        prog="ldpt", description="Private thresholding bandits: plan, simulate, trace, audit."
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in SUBCOMMANDS:
        add(subparsers)
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.handler(arguments))
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        sys.stderr.close()
        return 0
    except (ValueError, OSError) as error:
        print(f"ldpt {arguments.command}: {one_line(error)}", file=sys.stderr)
        return 2


def one_line(error: BaseException) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the tree that a config writes (default: the paper-scale tree, this folder)",
    )


def _add_trace(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("trace", help="what a product was made from, down to the config")
    parser.add_argument("file", type=Path, help="a figure, table or any other product")
    _add_root(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--dot", action="store_true", help="for drawing with Graphviz")
    parser.set_defaults(handler=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from ldpt.trace import render_trace, trace

    form = "json" if arguments.json else "dot" if arguments.dot else "text"
    print(render_trace(trace(arguments.file, arguments.root), form))
    return 0


def _add_audit(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("audit", help="whether every product still is what was made")
    _add_root(parser)
    parser.add_argument(
        "--replay", type=int, default=0, metavar="N", help="also re-simulate N random chunks"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the choice of chunks (default: 0)")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.set_defaults(handler=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    from ldpt import audit

    report = audit.audit(arguments.root, replay=arguments.replay, seed=arguments.seed)
    print(audit.render_audit(report, "json" if arguments.json else "text"))
    return 0 if report.intact else 1


def _add_crate(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("crate", help="pack a finished run as a Workflow Run RO-Crate")
    parser.add_argument("out", type=Path, help="the zip file to write")
    _add_root(parser)
    parser.set_defaults(handler=_crate)


def _crate(arguments: argparse.Namespace) -> int:
    from ldpt import crate

    crate.write(arguments.out, arguments.root)
    print(arguments.out)
    return 0


SUBCOMMANDS = (_add_trace, _add_audit, _add_crate)

if __name__ == "__main__":
    sys.exit(main())
