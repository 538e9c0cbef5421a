"""One-line messages: short texts, unknown names, counts."""

import pytest

from ldpt.util.messages import counted, short, unknown


def test_short_keeps_one_line_of_at_most_the_width() -> None:
    assert short("a\n b") == "a b"
    assert short("x" * 400, 20) == "x" * 17 + "..."
    assert len(short("x" * 400)) == 300


def test_short_of_an_error_without_a_message_is_its_type() -> None:
    assert short(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_unknown_lists_the_known_names_and_cuts_a_long_one() -> None:
    assert unknown("radius", "tight", ["a", "b"]) == "unknown radius 'tight' (choose from a, b)"
    assert len(unknown("radius", "x" * 1000, ["a"])) < 100


@pytest.mark.parametrize(("count", "text"), [(0, "0 faults"), (1, "1 fault"), (2, "2 faults")])
def test_counted_uses_the_plural_for_all_but_one(count: int, text: str) -> None:
    assert counted(count, "fault") == text
