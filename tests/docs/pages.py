#!/usr/bin/env python3
"""Checks that the documents agree with the tree: pages.py ROOT

README.md stays short; a block after `<!-- file: PATH -->` is the text of that file, one after `<!-- part of: PATH -->` lines of it; every application and page has its place in the index,
every example in docs/cpp-library.md; docs/cpp-headers.md is what tools/header_index.py writes. Exits with 1 and a line for each that fails.
"""
import pathlib
import subprocess
import sys
import textwrap

import markdown

MAX_README_LINES = 100


def is_part(block, text):
    """Returns whether consecutive lines of a text, all indented alike, are those of a block."""
    lines, wanted = text.splitlines(), block.splitlines()
    return any(textwrap.dedent("\n".join(lines[i:i + len(wanted)])).splitlines() == wanted for i in range(len(lines) - len(wanted) + 1))


def quotes(root):
    """Returns what is wrong with blocks that quote a file, and how many there are."""
    wrong, count = [], 0
    for document in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for block in markdown.blocks(document.read_text()):
            if block.comment.startswith("file:"):
                count += 1
                quoted = root / block.comment.partition(":")[2].strip()
                if not quoted.exists() or quoted.read_text().splitlines() != block.lines:
                    wrong.append(f"{document.relative_to(root)}:{block.line}: the block is not the text of {quoted.relative_to(root)}")
            if block.comment.startswith("part of:"):
                count += 1
                quoted = root / block.comment.partition(":")[2].strip()
                if not quoted.exists() or not is_part("\n".join(block.lines), quoted.read_text()):
                    wrong.append(f"{document.relative_to(root)}:{block.line}: the block is not part of {quoted.relative_to(root)}")
    return wrong, count


def unnamed(root, document, paths):
    """Returns a line for each path whose link the document lacks."""
    targets = {(document.parent / target.partition("#")[0]).resolve() for _, target in markdown.links(document.read_text())}
    return [f"{document.relative_to(root)} has no link to {p.relative_to(root)}" for p in paths if p.resolve() not in targets]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wrong, count = quotes(root)
    index = root / "docs" / "README.md"
    wrong += unnamed(root, index, [p for p in sorted((root / "docs").glob("*.md")) if p != index])
    wrong += unnamed(root, index, sorted((root / "speedwell" / "apps").rglob("README.md")))
    wrong += unnamed(root, root / "docs" / "cpp-library.md", sorted(p for p in (root / "examples").glob("*.c*") if p.suffix in (".cpp", ".cu")))
    lines = len((root / "README.md").read_text().splitlines())
    if lines > MAX_README_LINES:
        wrong.append(f"README.md has {lines} lines; at most {MAX_README_LINES} are allowed")
    headers = subprocess.run([sys.executable, str(root / "tools" / "header_index.py"), "--check"], capture_output=True, text=True)
    if headers.returncode:
        wrong.append((headers.stdout or headers.stderr).strip())
    return markdown.status(wrong, count, f"{count} quotes, {lines} lines of README.md, {headers.stdout.strip()}")


if __name__ == "__main__":
    sys.exit(main())
