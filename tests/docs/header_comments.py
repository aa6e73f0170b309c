#!/usr/bin/env python3
"""Checks that public headers are documented: at least 30 percent of the lines that are not blank hold a comment.

header_comments.py SOURCE_DIR [--update]

Headers below that are listed in header_comments.txt beside this script with the comment lines that they lack; the numbers must be
exact, so that they can only fall: --update writes those of today, and refuses new headers and larger numbers. Lines of includes,
of #pragma once and of namespaces do not count. Exit status: 1 if a header lacks more or less than it may."""
import pathlib
import re
import sys

from public_headers import public_of

SHARE = 30  # percent
NOT_COUNTED = re.compile(r"\s*(#\s*(include|pragma)\b.*|(inline )?namespace [\w:]+ \{|\}\s*// namespace.*)?\s*")
COMMENT = re.compile(r'^(?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*//')


def missing_lines(text):
    """Returns how many lines with comments a header lacks; 0 if it has enough."""
    lines = [line for line in text.splitlines() if not NOT_COUNTED.fullmatch(line)]
    with_comment = sum(bool(COMMENT.match(line)) for line in lines)
    missing = 0
    while 100 * (with_comment + missing) < SHARE * (len(lines) + missing):
        missing += 1
    return missing


def main():
    root = pathlib.Path(sys.argv[1])
    public = public_of((root / "cmake/SpeedwellPublicHeaders.cmake").read_text())
    found = {}
    for header in sorted(set(public)):
        lacking = missing_lines((root / "speedwell" / header).read_text(encoding="utf-8"))
        if lacking:
            found[header] = lacking
    file = pathlib.Path(__file__).with_name("header_comments.txt")
    allowed = {}
    for line in file.read_text().splitlines() if file.is_file() else []:
        number, header = line.split()
        allowed[header] = int(number)
    wrong = [f"{header}: {number} comment lines are missing, {allowed.get(header, 0)} may be"
             for header, number in found.items() if number > allowed.get(header, 0)]
    if "--update" in sys.argv and (not wrong or not allowed):
        file.write_text("".join(f"{number} {header}\n" for header, number in found.items()))
        return 0
    wrong += [f"{header}: {found.get(header, 0)} comment lines are missing, {number} are listed: run header_comments.py "
              f"SOURCE_DIR --update, so that it stays so" for header, number in allowed.items() if found.get(header, 0) < number]
    print("\n".join(wrong) or f"{len(set(public))} public headers, {len(found)} below {SHARE} percent")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
