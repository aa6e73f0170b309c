#!/usr/bin/env python3
"""Checks that every id of an error in the sources is documented: error_ids.py ROOT. Ids are part of the interface."""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    documented = "".join(p.read_text() for p in sorted((root / "docs").glob("errors*.md")))
    known = set(re.findall(r"`((?:input|output)\.[a-z0-9_.]+)`", documented))
    missing = []
    for path in sorted((root / "speedwell").rglob("*.[ch]pp")):
        for found in re.findall(r'"((?:input|output)\.[a-z0-9_]+\.[a-z0-9_.]*)"', path.read_text()):
            # "input.fasta." is put together with what follows: some id must begin with it.
            if found not in known and not (found.endswith(".") and any(k.startswith(found) for k in known)):
                missing.append(f"{path.relative_to(root)}: {found}")
    print("\n".join(missing) or f"{len(known)} ids documented")
    return 1 if missing or not known else 0


if __name__ == "__main__":
    sys.exit(main())
