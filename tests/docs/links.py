#!/usr/bin/env python3
"""Checks that every relative link of the documents resolves, anchors included: links.py ROOT [DOCUMENT...]

Looks at all *.md files below ROOT (or at these alone), except those of build folders. Exits with 1 and a line for each link that
does not resolve, and with 2 if there is nothing to look at.
"""
import os
import pathlib
import sys

import markdown

SKIPPED = {".git", "build", "shared", "node_modules"}


def documents(root):
    """Returns all *.md files of the tree."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        found += [pathlib.Path(folder, file) for file in sorted(files) if file.endswith(".md")]
    return found


def broken(root, document):
    """Yields a line for each relative link of the document that does not resolve."""
    for line, target in markdown.links(document.read_text()):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        place = (document.parent / path).resolve() if path else document.resolve()
        where = f"{document.relative_to(root)}:{line}: {target}"
        if not place.exists():
            yield f"{where}: there is no such file"
        elif root not in place.parents and place != root:
            yield f"{where}: leads out of the repository"
        elif anchor and (place.suffix != ".md" or anchor not in markdown.anchors(place.read_text())):
            yield f"{where}: there is no such heading"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or documents(root)
    wrong = [line for document in chosen for line in broken(root, document)]
    count = sum(1 for document in chosen for _ in markdown.links(document.read_text()))
    return markdown.status(wrong, count, f"{count} links in {len(chosen)} documents")


if __name__ == "__main__":
    sys.exit(main())
