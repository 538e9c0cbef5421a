"""``ldpt trace``, ``ldpt audit`` and ``ldpt compare``: what is behind the products of runs."""

import argparse
import re
from pathlib import Path

from ldpt.commands.options import flags, option, refuse_unused, seed, whole


def _add_root(parser: argparse.ArgumentParser) -> None:
    text = "root of the run's output (default: the nearest parent folder with a run)"
    option(parser, "--root", Path, text)


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt trace``."""
    parser.add_argument(
        "product",
        help="a product or a copy of one, its name (hero, report.pdf, 'Figure 3') or rule, 8 or "
        "more digits of its hash, a claim (T4.1), or a number by name or as printed in README and "
        "article (2.6, '30 %%')",
    )
    _add_root(parser)
    flags(
        parser.add_mutually_exclusive_group(),
        full="every file and every setting",
        json="everything, machine-readable",
    )
    parser.set_defaults(handler=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from ldpt.provenance.run import find_root
    from ldpt.provenance.trace import render_trace, trace

    forms = ("full", "json")
    form = next((name for name in forms if getattr(arguments, name)), "summary")
    root = find_root(arguments.root, near=arguments.product)
    print(render_trace(trace(arguments.product, root), form))
    return 0


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt audit``."""
    replay = "also run N random jobs again and compare what they write bit for bit"
    _add_root(parser)
    option(parser, "--replay N", whole(1, 10**6), replay)
    option(parser, "--seed", seed, "seed for choosing the jobs (default: 0)")
    text = (
        "also require that the run has this hash, of a release or the article (12 digits or more)"
    )
    option(parser, "--expect HASH", _run_hash, text)
    flags(parser, json="machine-readable output")
    parser.set_defaults(handler=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import audit
    from ldpt.provenance.run import find_root

    if not arguments.replay:
        refuse_unused(arguments, ["seed"], "without --replay")
    root = find_root(arguments.root)
    expect = arguments.expect or ""
    report = audit.audit(root, arguments.replay or 0, arguments.seed or 0, expect)
    print(audit.render_audit(report, "json" if arguments.json else "text"))
    return 0 if report.intact else 1


def _run_hash(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{12,64}", text):
        raise argparse.ArgumentTypeError("must be the first 12 to 64 digits of a run's hash")
    return text


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt compare``."""
    where = "folder of a run, a manifest (run.json), or a commit that holds one"
    parser.add_argument("first", nargs="?", help=f"{where} (default: the last commit)")
    parser.add_argument("second", nargs="?", help=f"{where} (default: the run here)")
    flags(parser, json="machine-readable output")
    parser.set_defaults(handler=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import compare

    sides = [side for side in (arguments.first, arguments.second) if side is not None]
    result = compare.compare(*sides)
    print(compare.render_comparison(result, "json" if arguments.json else "text"))
    return 0 if result.equal else 1
