"""Short lines for people: messages of errors, lists of names, whole numbers."""

from collections.abc import Iterable

MAX_NAMES = 20  # that a message lists


def short(text: object, width: int = 300) -> str:
    """Return a text, or the message of an error, on one line of at most ``width`` characters.

    >>> short(ValueError("two\\nlines"))
    'two lines'
    """
    line = " ".join(str(text).split()) or type(text).__name__
    return line if len(line) <= width else f"{line[: width - 3]}..."


def printable(text: str) -> str:
    r"""Return a text without control characters, which a terminal would obey.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object) -> str:
    """Return a value as error messages show it: on one line, and short.

    >>> shown("x"), shown(10**5000)
    ("'x'", 'an int')
    """
    try:
        return short(repr(value), 60)
    except Exception:  # repr() failed
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def unknown(kind: str, name: object, known: Iterable[object]) -> str:
    """Return one line about an unknown name: the nearest known one, else some of them.

    >>> unknown("instance", "x", ["a", "b"])
    "unknown instance 'x' (choose from a, b)"
    >>> unknown("instance", "dose-findin", ["crowded", "dose-finding"])
    "unknown instance 'dose-findin' (did you mean dose-finding?)"
    """
    from difflib import get_close_matches

    names = list(map(str, known))
    if nearest := get_close_matches(str(name), names, n=1, cutoff=0.75):
        return f"unknown {kind} {shown(name)} (did you mean {nearest[0]}?)"
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"unknown {kind} {shown(name)} (choose from {', '.join(names[:MAX_NAMES])}{more})"


def counted(count: int, one: str, many: str = "", digits: str = "") -> str:
    """Return a number with its noun; ``digits`` is the format of the number.

    >>> counted(1, "fault"), counted(2, "fault"), counted(0, "entry", "entries")
    ('1 fault', '2 faults', '0 entries')
    """
    return f"{count:{digits}} {one if count == 1 else many or one + 's'}"
