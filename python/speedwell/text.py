"""Formats numbers and names for reading. Names come from files, so control characters are made harmless here."""
import difflib
import math
import re

# Characters that are invisible, that move the cursor of a terminal, or that turn the direction of the text after them.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff"
                          "\ud800-\udfff\ufffe\uffff]")
DASH = "–"


def printable(text, limit=None):
    """Returns `text` on one line, with U+FFFD in place of each unprintable character, and at most `limit` characters."""
    clean = _UNPRINTABLE.sub("\ufffd", str(text)).replace("\n", " ").replace("\t", " ")
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"


def digits(value, count=3):
    """Formats a number with `count` significant digits, without an exponent from 1e-4 to a million."""
    if value is None or not math.isfinite(value):
        return DASH
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        return f"{value:.{count - 1}e}"
    before = int(f"{value:.{count - 1}e}".split("e")[1]) + 1  # 0.9996 counts as 1.00
    return f"{value:.{max(0, count - before)}f}"


def _unit_of_time(value):
    for bound, factor, unit in ((0.9995e-6, 1e9, "ns"), (0.9995e-3, 1e6, "µs"), (0.9995, 1e3, "ms")):
        if abs(value) < bound:
            return factor, unit
    return 1.0, "s"


def seconds(value, count=3):
    """Formats a time with the unit in which it has one to three digits before the point: "12.3 ms"."""
    if value is None:
        return DASH
    if value == 0:
        return "0 s"
    if abs(value) >= 999.5:
        return f"{value:.0f} s"
    factor, unit = _unit_of_time(value)
    return f"{digits(value * factor, count)} {unit}"


def seconds_interval(median, interval):
    """Formats the ends of an interval in the unit of its median: "[12.1, 12.4]"."""
    if interval is None:
        return ""
    factor = _unit_of_time(median)[0]
    return f"[{digits(interval[0] * factor, 4)}, {digits(interval[1] * factor, 4)}]"


def times(value):
    """Formats a ratio: "2.5×"."""
    return DASH if value is None else digits(value, 3) + "×"


def interval(ends):
    return "" if ends is None else f"[{digits(ends[0], 3)}, {digits(ends[1], 3)}]"


def percent(fraction):
    """Formats a fraction with two digits below ten percent and whole percents above: "0.41 %", "97 %"."""
    if fraction is None:
        return DASH
    return f"{digits(100 * fraction, 2)} %" if abs(fraction) < 0.0995 else f"{100 * fraction:.0f} %"


def number_of_bytes(value):
    if value is None:
        return DASH
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{digits(float(value), 3)} {unit}" if unit != "B" else f"{value:.0f} B"
        value /= 1024
    return f"{digits(value, 3)} TiB"


def plural(count, word, several=None):
    """Formats a count with its noun: "1 run", "2 runs"."""
    return f"{count} {word if count == 1 else several or word + 's'}"


def joined(words, conjunction="and"):
    """Joins names: "a, b and c"."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if words else ""


def nearest_hint(text, names):
    """Returns "the nearest is 'x'" where one of `names` is near; otherwise what is allowed."""
    names = list(names)
    close = difflib.get_close_matches(text[:200], names, n=1, cutoff=0.6)
    return f"the nearest is '{close[0]}'" if close else "allowed: " + ", ".join(names)


def plain_table(columns, rows, right=()):
    """Formats a table for terminals: columns of equal width, two blanks apart; `right` are indices of right-aligned columns."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]

    def line(cells):
        padded = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "  ".join(padded).rstrip()

    return "\n".join([line(columns), line(["-" * w for w in widths]), *map(line, rows)]) + "\n"
