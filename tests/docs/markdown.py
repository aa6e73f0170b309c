"""Parses what the tests of documents need of Markdown: blocks of commands, headings, links."""
import re
from dataclasses import dataclass

_FENCE = re.compile(r"^(```+|~~~+)\s*(\w*)")
_COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")


@dataclass
class Block:
    """Lines of a fenced block of one language, where they begin, and the comment in front of it."""

    line: int
    language: str
    comment: str
    lines: list


def blocks(text):
    """Returns the fenced blocks of a document, in order. A comment belongs to the block that follows it on the next line."""
    found, fence, comment = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
            found.append(Block(number + 1, mark[2], comment, []))
        elif fence is not None and line.strip() == fence:
            fence = None
        elif fence is not None:
            found[-1].lines.append(line)
        else:
            match = _COMMENT.match(line.strip())
            comment = match[1] if match else ""
            continue
        comment = ""
    return found


def prose(text):
    """Returns the lines of a document with their numbers, without its fenced and indented blocks."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None:
            if line.strip() == fence:
                fence = None
        elif not line.startswith("    "):
            yield number, line


def indented(text):
    """Returns the lines of a document's indented blocks with their numbers."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None and line.strip() == fence:
            fence = None
        elif fence is None and line.startswith("    "):
            yield number, line.strip()


def anchors(text):
    """Returns the anchors of a document's headings, as GitHub makes them."""
    found = set()
    for _, line in prose(text):
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            name, count = slug, 0
            while name in found:
                count += 1
                name = f"{slug}-{count}"
            found.add(name)
    return found


def links(text):
    """Returns the targets of a document's links and images with their lines; code is left out."""
    for number, line in prose(text):
        for target in re.findall(r"\]\(<?([^)\s>]+)>?\)", re.sub(r"`[^`]*`", "", line)):
            yield number, target


def status(wrong, count, looked_at):
    """Prints what is wrong, or what was checked. Returns the exit status: 0, 1 if something is wrong, 2 if there was nothing to check."""
    print("\n".join(wrong) or looked_at)
    return 1 if wrong else 0 if count else 2
