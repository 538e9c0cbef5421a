"""``ldpt analyse``: what a file of private answers says."""

import argparse
import sys
from pathlib import Path

from ldpt.commands import options
from ldpt.commands.options import error_level, flags, number, option
from ldpt.text import bold_terminal


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt analyse``."""
    parser.add_argument("file", type=Path, help="the answers, a CSV or Parquet file")
    delta = "largest probability of any wrong verdict (default: 0.05)"
    noncompliance = "largest share of people who do not follow the instruction (default: 0)"
    option(parser, "--arm COLUMN", str, "the column with the arms (default: arm)", default="arm")
    text = "the column with the answers (default: response)"
    option(parser, "--response COLUMN", str, text, default="response")
    options.add_designs(parser, "how the answers were randomised, in one way")
    options.add_scale(parser, "on which --threshold and results are given; with a column cut, too")
    judged = parser.add_argument_group("how they are judged")
    text = "share of yes, or value on the scale, to compare with"
    option(judged, "--threshold/--tau", options.real, text, required=True)
    option(judged, "--delta", error_level, delta, default=0.05)
    option(judged, "--noncompliance SHARE", number(0, 0.5), noncompliance, default=0.0)
    flags(judged, unordered="rows are not in order of arrival: judge the totals only")
    form = parser.add_mutually_exclusive_group()
    flags(form, json="everything, machine-readable", csv="one line per arm, machine-readable")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from ldpt.study.analysis import Terms, judge
    from ldpt.study.answers import read_answers

    designs = options.read_designs(arguments)
    if len(designs) > 1:
        names = ", ".join(design.name for design in designs)
        raise ValueError(f"the answers were randomised in one way, got {names}")
    scale = options.read_scale(arguments)
    answers = read_answers(arguments.file, arguments.arm, arguments.response)
    terms = Terms(
        arguments.threshold, arguments.delta, arguments.noncompliance, arguments.unordered, scale
    )
    report = judge(answers, designs[0] if designs else None, terms)
    if arguments.json:
        print(report.as_json())
    elif arguments.csv:
        print(report.as_csv())
    else:
        print(report.text(bold_terminal(sys.stdout)))
    return 0
