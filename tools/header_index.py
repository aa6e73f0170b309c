#!/usr/bin/env python3
"""Writes docs/cpp-headers.md: tools/header_index.py [--check]

A line for each public header, which cmake/SpeedwellPublicHeaders.cmake names by library, with the first sentence of the comment that the
header begins with. With --check nothing is written, and the status is 1 if the page is not what would be.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "cpp-headers.md"
MAX_SENTENCE = 200
INTRODUCTION = """# Public headers

The headers that a program may include, by CMake target, with the first sentence of each one's own comment. What they include is installed,
too. [cpp-library.md](cpp-library.md) says which to begin with. *CUDA*: the header is included by CUDA sources alone. The page is made by `tools/header_index.py`.
"""


def libraries():
    """Returns the installed libraries by name, and the paths of their public headers."""
    text = (ROOT / "cmake" / "SpeedwellPublicHeaders.cmake").read_text()
    for name, headers in sorted(re.findall(r"^speedwell_public_headers\((\w+)\s+([^)]*)\)", text, re.M)):
        if headers != "NONE":  # a library for others alone
            yield name, [ROOT / "speedwell" / header for header in headers.split()]


def sentence(text):
    """Returns the first sentence of a comment, shortened if it is long. Initials and abbreviations do not end a sentence; a formula does."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//") or not line[2:].strip() or line.startswith("//  "):
            break
        lines.append(line[2:].strip())
    words = []
    for word in " ".join(lines).split():
        words.append(word)
        if re.search(r"[\w)'\"\]`]\.$", word) and not re.search(r"(^|[^\w])([A-Z]|al|ch|e\.g|i\.e|J|Phys|Comput|Math|Sci|Stat|Bull)\.$", word):
            break
    shortened = " ".join(words).rstrip(":")
    if len(shortened) > MAX_SENTENCE:
        shortened = re.sub(r"\s*\([^()]*(\([^()]*\)[^()]*)*\)", "", shortened)
    while len(shortened) > MAX_SENTENCE and re.search(r"[,;(]", shortened):
        shortened = re.split(r"\s*[,;(][^,;(]*$", shortened)[0]
    return shortened.rstrip(".").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def page():
    """Returns the text of the page, and a list of headers with problems."""
    text, wrong = INTRODUCTION, []
    for name, headers in libraries():
        text += f"\n## speedwell::{name}\n\n| header | what it is for |\n| --- | --- |\n"
        for header in sorted(headers):
            path = header.relative_to(ROOT)
            content = header.read_text()
            summary = sentence(content)
            if not summary or len(summary) > MAX_SENTENCE:
                wrong.append(f"{path}: the comment at the beginning has no first sentence of at most {MAX_SENTENCE} characters")
            cuda = " *CUDA*" if re.search(r"[Ii]ncluded by CUDA\s+(?://\s+)?sources", content) else ""
            text += f"| [{path}](../{path}) | {summary}{cuda} |\n"
    return text, wrong


def main():
    text, wrong = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != text:
            wrong.append(f"{PAGE.relative_to(ROOT)} is not what tools/header_index.py writes")
    else:
        PAGE.write_text(text)
    print("\n".join(wrong) or f"{text.count('| [speedwell/')} headers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
